"""Runs made better or worse in a known way, and whether a measure notices."""
