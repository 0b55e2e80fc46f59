"""Comparison of scored runs: tests, intervals, correlations of rankings, agreement of assessors.

In come scores, or runs with assessments and measures, which :mod:`doxeval.scoring.inputs` scores first. Out
come results that show themselves: a comparison, a gate, a correlation, an agreement, a verdict in sentences.
Tests, intervals, corrections and coefficients are columns in, columns out, each declared beside its function.

Read `compare.py` first, then `paired.py`, and docs/comparison.md beside them.
"""
