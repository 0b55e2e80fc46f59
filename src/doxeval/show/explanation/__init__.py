"""Explanations of a score: what each rank adds to it."""
