"""Stored scores: a folder of Parquet files, keyed by what they were computed from."""
