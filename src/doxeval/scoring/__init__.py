"""Scores: per topic and in the mean, as frames, tables and files.

In come runs, assessments and measures in any form in which people have them (`inputs.py`, `loader.py`,
`truth.py`). An :class:`~doxeval.scoring.evaluation.Evaluation` prepares the ground once; `sweep.py` scores
each run, here or in workers, whole or in blocks (`streaming/`), unless `store/` knows its scores. Out comes
a :class:`~doxeval.scoring.scores.Scores`.

Read `evaluation.py` first, and beside it docs/life-of-a-score.md.
"""
