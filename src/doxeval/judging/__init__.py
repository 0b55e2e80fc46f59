"""Judging: pools of text for assessors, the page on which they mark it, and the database that keeps it."""
