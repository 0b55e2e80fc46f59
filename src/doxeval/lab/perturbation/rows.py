"""Runs with results reordered, left out, repeated or changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from doxeval import Run
from doxeval.core.ragged import OneEach
from doxeval.extend import Aligned, Ragged


def take_rows(run: Run, rows: np.ndarray) -> Run:
    """The given results of a run, ranked in this order; results of one topic must be adjacent in `rows`.

    They are a list: in another order the steps of a trajectory are no longer what anybody did.
    """
    taken = run.take(rows)
    return replace(taken, rank=ranks(taken.topic), score=None, line=None, steps=None, step=None)


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
        rank=ranks(topic), score=None, line=None, added=aligned.added, own=None, steps=None, step=None,
    )  # fmt: skip
