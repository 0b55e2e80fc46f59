"""Cutting documents into chunks, by structure or by size, so that chunkers can be compared."""
