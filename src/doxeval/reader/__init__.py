"""Readers: what they consult, and what they have seen."""
