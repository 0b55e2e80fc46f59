"""Runs with results reordered, left out, repeated or changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from doxeval import Run
from doxeval.core.ragged import OneEach
from doxeval.extend import Aligned, Ragged


def take_rows(run: Run, rows: np.ndarray) -> Run:
    """The given results of a run, ranked in this order; results of one topic must be adjacent in `rows`."""
    topic = run.topic[rows]
    spans, at = run.spans.take(rows)
    return replace(
        run, topic=topic, doc=run.doc[rows], start=run.start[at], end=run.end[at],
        span_offset=None if run.span_offset is None else spans.offset,
        nodes=None if run.nodes is None else run.nodes.take(rows), rank=ranks(topic), score=None, line=None,
        added=None if run.added is None else run.added[rows],
    )  # fmt: skip


def ranks(topic: np.ndarray) -> np.ndarray:
    """1, 2, 3, ... for each run of equal topics."""
    return Ragged.of_runs(topic).place + 1


def as_ranges(aligned: Aligned, start: np.ndarray, end: np.ndarray) -> Run:
    """The aligned results in reading order, with other starts and ends."""
    run = aligned.run
    topic = run.topic[aligned.row]
    return replace(
        run, topic=topic, doc=aligned.doc.astype(run.doc.dtype), start=start, end=end,
        span_offset=None if isinstance(aligned.spans, OneEach) else aligned.spans.offset, nodes=None,
        rank=ranks(topic), score=None, line=None, added=aligned.added,
    )  # fmt: skip
