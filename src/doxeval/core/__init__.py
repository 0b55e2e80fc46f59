"""Foundations of all rooms: errors, notices, the grammar of measures, parameters, tables of text."""
