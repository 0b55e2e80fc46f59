"""Element assessments made from highlighted text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from doxeval import Assessments, Documents
from doxeval.core.ragged import OneEach
from doxeval.extend import prepare_ground
from doxeval.reader.assessed_nodes import assessed_elements
from doxeval.reader.recall_base import assessed_nodes
from doxeval.tables.assessments import JudgedNodes, Ranges
from doxeval.tables.runs import Names

DEGREES = 3


def element_assessments(assessments: Assessments, documents: Documents) -> Assessments:
    """Judged nodes as they are; else every node with relevant text, by the share of it that is relevant."""
    if assessments.nodes is not None:
        return assessments
    nodes = assessed_nodes(prepare_ground(assessments, documents))
    names = _paths(documents, zip(nodes.trees.doc.tolist(), nodes.trees.node.tolist(), strict=True))
    return _judged(assessments, JudgedNodes(nodes.pair, names, nodes.specificity, [""] * len(nodes.pair)))


def coded_assessments(assessments: Assessments, documents: Documents) -> Assessments:
    """Judged nodes as they are; else highlighted text in codes of INEX 2002, by a rule of ours.

    The nodes that cover relevant text are exact (E): the longest third of a topic's are highly relevant (3),
    the next fairly (2), the others marginally (1). Their ancestors are too large (L), with the highest
    relevance below them, and their children are too small and marginally relevant (1S).
    """
    if assessments.nodes is not None:
        return assessments
    exact = assessed_elements(prepare_ground(assessments, documents), "cover")
    length = documents.lengths(exact.doc, exact.node)
    order = np.lexsort((-length, exact.topic))
    degree = np.zeros(len(exact), dtype=np.int64)
    degree[order] = DEGREES - DEGREES * exact.by_topic.place // exact.by_topic.expand(exact.count)
    small: dict[tuple[int, int, int], str] = {}
    large: dict[tuple[int, int, int], str] = {}
    found: dict[tuple[int, int, int], str] = {}
    columns = (exact.pair, exact.doc, exact.node, degree)
    for pair, doc, node, relevance in zip(*(column.tolist() for column in columns), strict=True):
        found[pair, doc, node] = f"{relevance}E"
        small |= {(pair, doc, child): "1S" for child in documents.children(doc, node).tolist()}
        while (node := int(documents.parent[documents.rows(doc, node)])) >= 0:
            large[pair, doc, node] = max(large.get((pair, doc, node), ""), f"{relevance}L")
    codes = sorted({**small, **large, **found}.items())
    names = _paths(documents, (place[1:] for place, _ in codes))
    pairs = np.array([place[0] for place, _ in codes], dtype=np.int64)
    return _judged(
        assessments, JudgedNodes(pairs, names, np.full(len(codes), np.nan), [code for _, code in codes])
    )


def _paths(documents: Documents, places: Iterable[tuple[int, int]]) -> Names:
    names = [documents.path(*place) for place in places]
    return Names(names, OneEach(len(names)).offset, np.arange(len(names)))


def _judged(assessments: Assessments, nodes: JudgedNodes) -> Assessments:
    nothing = np.zeros(0, dtype=np.int64)
    return replace(assessments, ranges=Ranges(nothing, nothing, nothing, np.zeros(0)), nodes=nodes)
