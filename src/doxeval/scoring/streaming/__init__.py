"""Runs larger than memory: scored some topics at a time, with the scores they would have as a whole."""
