"""Measures: one small module each, registered by being here."""
