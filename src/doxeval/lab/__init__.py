"""Runs changed, made and played; studies of measures."""
