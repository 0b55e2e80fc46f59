"""Element assessments made from highlighted text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from doxeval.core.ragged import OneEach
from doxeval.ground.ground import prepare_ground
from doxeval.reader.recall_base import assessed_nodes
from doxeval.tables.assessments import Assessments, JudgedNodes, Ranges
from doxeval.tables.documents import Documents
from doxeval.tables.runs import Names


def element_assessments(assessments: Assessments, documents: Documents) -> Assessments:
    """Every node that holds relevant text, judged by its specificity: the share of it that is relevant."""
    nodes = assessed_nodes(prepare_ground(assessments, documents))
    doc, node = nodes.trees.doc.tolist(), nodes.trees.node.tolist()
    names = [documents.path(*place) for place in zip(doc, node, strict=True)]
    judged = JudgedNodes(
        nodes.pair,
        Names(names, OneEach(len(names)).offset, np.arange(len(names))),
        nodes.specificity,
        [""] * len(names),
    )
    nothing = np.zeros(0, dtype=np.int64)
    return replace(assessments, ranges=Ranges(nothing, nothing, nothing, np.zeros(0)), nodes=judged)
