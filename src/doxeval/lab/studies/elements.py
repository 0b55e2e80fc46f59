"""Element assessments out of highlights, as INEX made them from 2006 on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from doxeval.core.ragged import OneEach
from doxeval.ground.ground import prepare_ground
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
    start, end = documents.start[rows], documents.end[rows]
    amount = ground.relevant_in(pair[which], start, end)
    kept = amount > 0
    names = [documents.path(int(d), int(n)) for d, n in zip(doc[which[kept]], node[kept], strict=True)]
    judged = JudgedNodes(
        pair[which[kept]],
        Names(names, OneEach(len(names)).offset, np.arange(len(names))),
        amount[kept] / (end - start)[kept],
        [""] * len(names),
    )
    nothing = np.zeros(0, dtype=np.int64)
    return replace(assessments, ranges=Ranges(nothing, nothing, nothing, np.zeros(0)), nodes=judged)
