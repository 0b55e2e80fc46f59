"""Scores: per topic and in the mean, as frames, tables and files."""
