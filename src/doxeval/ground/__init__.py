"""Alignment of results with assessments, on nodes and ranges of documents, once per run."""
