"""Runs, assessments, documents and chunks as columns: numpy arrays, and names as integer codes.

What enters has been read and checked by :mod:`doxeval.io`; what leaves are the same columns, looked up and
cut. Nothing here reads a file or scores. Read :mod:`~doxeval.tables.runs` first, which says what a result is;
then `assessments` (what is relevant), `documents` (trees of nodes), `paths` (names of places in them) and
`quotes` (answers given as text).
"""
