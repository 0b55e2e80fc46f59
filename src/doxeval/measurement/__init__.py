"""Measures, one small module each; a measure is registered by being in this folder."""
