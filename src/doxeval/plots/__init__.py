"""Figures, all in one look."""
