"""Alignment of results with assessments, on nodes and ranges of documents, once per run.

In comes a run (:class:`doxeval.tables.runs.Run`), assessments, and documents if there are any. Out comes an
:class:`~doxeval.ground.aligned.Aligned`: the results of every assessed topic in reading order, as ranges that
are clipped to their documents, each with the assessed pair of topic and document that it belongs to. All
measures share it, and all runs share its :class:`~doxeval.ground.ground.Ground`.

Read `align.py` first; then `seen.py`, which says what of the relevant text a result is the first to show.
"""
