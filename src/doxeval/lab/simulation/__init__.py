"""Simulated readers, which behave as the formulas of the measures say."""
