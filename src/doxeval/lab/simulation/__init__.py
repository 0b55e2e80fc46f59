"""Readers played by chance: what formulas say of them must be what they do."""
