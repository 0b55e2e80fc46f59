"""Judging: pools of text for assessors, the page on which they mark it, and the database that keeps it.

In come runs, and documents. Out come a pool (`pool.py`), and assessments: what assessors mark on the page, of
a server (`server.py`) or in a file for use offline, is kept in a database (`store.py`).

Read `pool.py` first, then `judge.py`, and docs/judging.md beside them.
"""
