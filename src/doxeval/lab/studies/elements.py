"""Element assessments out of highlights, as INEX made them from 2006 on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from doxeval.core.ragged import OneEach, running_totals
from doxeval.ground.ground import Ground, prepare_ground
from doxeval.tables.assessments import Assessments, JudgedNodes, Ranges
from doxeval.tables.documents import Documents
from doxeval.tables.runs import Names


def element_assessments(assessments: Assessments, documents: Documents) -> Assessments:
    """Every node that holds relevant text, judged by its specificity: the share of it that is relevant."""
    ground = prepare_ground(assessments, documents)
    pair = np.flatnonzero((ground.pair_relevant > 0) & (ground.doc_index[assessments.pair_doc] >= 0))
    doc = ground.doc_index[assessments.pair_doc[pair]]
    nodes, rows = documents.nodes.take(doc)
    which, node = nodes.row, nodes.place
    relevant = _relevant_before(ground, pair, documents.length[doc])
    amount = relevant(which, documents.end[rows]) - relevant(which, documents.start[rows])
    size = documents.end[rows] - documents.start[rows]
    kept = amount > 0
    names = [documents.path(int(d), int(n)) for d, n in zip(doc[which[kept]], node[kept], strict=True)]
    judged = JudgedNodes(
        pair[which[kept]],
        Names(names, OneEach(len(names)).offset, np.arange(len(names))),
        amount[kept] / size[kept],
        [""] * len(names),
    )
    nothing = np.zeros(0, dtype=np.int64)
    return replace(assessments, ranges=Ranges(nothing, nothing, nothing, np.zeros(0)), nodes=judged)


def _relevant_before(
    ground: Ground, pair: np.ndarray, length: np.ndarray
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """A function of (which pair, place): how many relevant characters stand before the place."""
    _, start, end = ground.relevant
    begins = running_totals(length)
    held, spans = ground.relevant_by_pair.take(pair)
    base = held.expand(begins[:-1])
    low, high = base + start[spans], base + end[spans]
    total = running_totals(high - low)

    def before(which: np.ndarray, place: np.ndarray) -> np.ndarray:
        at = begins[which] + place
        span = np.maximum(np.searchsorted(low, at, side="right"), 1) - 1
        return total[span] + np.clip(at - low[span], 0, high[span] - low[span])

    return before
