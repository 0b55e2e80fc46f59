"""Diagnosis: what becomes of each topic at the reader's cut-off, and what mending it would bring."""
