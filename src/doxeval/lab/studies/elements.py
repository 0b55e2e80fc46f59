"""Element assessments out of highlights, as INEX made them from 2006 on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from doxeval.ground.ground import prepare_ground
from doxeval.tables.assessments import Assessments, JudgedNodes, Ranges
from doxeval.tables.documents import Documents
from doxeval.tables.runs import Names


def element_assessments(assessments: Assessments, documents: Documents) -> Assessments:
    """Every node that holds relevant text, judged by its specificity: the share of it that is relevant."""
    ground = prepare_ground(assessments, documents)
    pair = np.flatnonzero((ground.pair_relevant > 0) & (ground.doc_index[assessments.pair_doc] >= 0))
    doc = ground.doc_index[assessments.pair_doc[pair]]
    counts = np.diff(documents.node_offset)[doc]
    which = np.repeat(np.arange(len(pair)), counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    node = np.arange(len(which)) - first
    rows = documents.rows(doc[which], node)
    relevant = _relevant_before(ground.relevant, pair, documents.length[doc])
    amount = relevant(which, documents.end[rows]) - relevant(which, documents.start[rows])
    size = documents.end[rows] - documents.start[rows]
    kept = amount > 0
    names = [documents.path(int(d), int(n)) for d, n in zip(doc[which[kept]], node[kept], strict=True)]
    judged = JudgedNodes(
        pair[which[kept]],
        Names(names, np.arange(len(names) + 1), np.arange(len(names))),
        amount[kept] / size[kept],
        [""] * len(names),
    )
    nothing = np.zeros(0, dtype=np.int64)
    return replace(assessments, ranges=Ranges(nothing, nothing, nothing, np.zeros(0)), nodes=judged)


def _relevant_before(relevant, pair: np.ndarray, length: np.ndarray):  # type: ignore[no-untyped-def]
    """A function of (which pair, place): how many relevant characters stand before the place."""
    offset, start, end = relevant
    counts = np.diff(offset)[pair]
    begins = np.concatenate([[0], np.cumsum(length)])
    spans = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts - offset[pair], counts)
    base = np.repeat(begins[:-1], counts)
    low, high = base + start[spans], base + end[spans]
    total = np.concatenate([[0], np.cumsum(high - low)])

    def before(which: np.ndarray, place: np.ndarray) -> np.ndarray:
        at = begins[which] + place
        span = np.maximum(np.searchsorted(low, at, side="right"), 1) - 1
        return total[span] + np.clip(at - low[span], 0, high[span] - low[span])

    return before
