"""Runs larger than memory: scored a few topics at a time, with the same scores as a whole run."""
