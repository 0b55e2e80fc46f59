"""Runs with results reordered, left out, repeated or changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.tables.runs import Names, Run


def take(run: Run, rows: np.ndarray) -> Run:
    """The given results of a run, ranked as they come; results of one topic stand together in `rows`."""
    topic = run.topic[rows]
    start, end, offset = run.start, run.end, run.span_offset
    if offset is None:
        start, end = start[rows], end[rows]
    else:
        places, offset = _spread(offset, rows)
        start, end = start[places], end[places]
    nodes = run.nodes
    if nodes is not None:
        places, node_offset = _spread(nodes.offset, rows)
        nodes = Names(nodes.table, node_offset, nodes.codes[places])
    return replace(
        run, topic=topic, doc=run.doc[rows], start=start, end=end, span_offset=offset, nodes=nodes,
        rank=ranks(topic), score=None, line=None,
    )  # fmt: skip


def ranks(topic: np.ndarray) -> np.ndarray:
    """1, 2, 3, ... for each run of equal topics."""
    at = np.arange(len(topic))
    first = np.maximum.accumulate(np.where(np.diff(topic, prepend=-1) != 0, at, 0))
    return at - first + 1


def _spread(offset: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The places of the parts of rows, in order, and where each row's parts begin."""
    counts = np.diff(offset)[rows]
    begins = np.concatenate([[0], np.cumsum(counts)])
    places = np.arange(begins[-1]) - np.repeat(begins[:-1] - offset[rows], counts)
    return places, begins


def as_ranges(aligned: Aligned, start: np.ndarray, end: np.ndarray) -> Run:
    """The aligned results in reading order, with other starts and ends."""
    run = aligned.run
    topic = run.topic[aligned.row]
    return replace(
        run, topic=topic, doc=aligned.doc.astype(run.doc.dtype), start=start, end=end,
        span_offset=aligned.span_offset, nodes=None, rank=ranks(topic), score=None, line=None,
    )  # fmt: skip
