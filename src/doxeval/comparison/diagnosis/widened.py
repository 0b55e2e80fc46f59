"""Results widened to their paragraphs and sections."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from doxeval.comparison.diagnosis.mended import LAST, CannotMend
from doxeval.core.facts import Facts
from doxeval.core.keys import key_width, keys
from doxeval.core.ragged import Ragged
from doxeval.core.strings import distinct
from doxeval.ground.aligned import Aligned
from doxeval.io.documents.outline import paragraphs
from doxeval.reader.consulted import document_of_result
from doxeval.reader.node_trees import Trees
from doxeval.tables.documents import Documents
from doxeval.tables.places import CHARACTERS, LINES


def widened(aligned: Aligned) -> Aligned:
    """Every result widened: nodes to their parents, ranges to whole paragraphs, or else to their section.

    A range grows to the ends of the nodes in which it begins and ends; one that begins and ends with nodes,
    or is within one, to the smallest node that holds it and more, but not to a whole document.
    """
    documents = _documents_to_widen_in(aligned)
    doc = document_of_result(aligned)
    start, end = aligned.start.copy(), aligned.end.copy()
    by_node = np.zeros(len(aligned), dtype=bool)
    nodes = aligned.nodes
    if nodes is not None:
        by_node = nodes[0].counts > 0
    span = np.flatnonzero((end > start) & (doc[aligned.result] >= 0) & ~by_node[aligned.result])
    start[span], end[span] = wider_ranges(documents, doc[aligned.result[span]], start[span], end[span])
    rows = aligned.result
    if nodes is not None:
        trees = _parents(documents, Trees(doc, *nodes))
        nodes = trees.nodes, trees.node
        first, after = documents.extent(doc[trees.owner], trees.node)
        kept = ~by_node[rows]
        rows = np.append(rows[kept], trees.owner)
        start, end = np.append(start[kept], first), np.append(end[kept], after)
    spans, start, end = Ragged.gathered(rows, len(aligned), start, end)
    spans, start, end = spans.joined(start, end)
    return replace(aligned, start=start, end=end, spans=spans, nodes=nodes, facts=Facts())


def _documents_to_widen_in(aligned: Aligned) -> Documents:
    """The documents, if those retrieved have any structure that results can be widened in."""
    ground = aligned.ground
    if ground.unit not in (CHARACTERS, LINES):
        raise CannotMend(f"text counted in {ground.unit} has no paragraphs and sections")
    if ground.documents is None:
        raise CannotMend("widening results needs the documents, their structure or text (--docs FILE)")
    doc = document_of_result(aligned)
    has_tree = (ground.documents.nodes.counts[doc[doc >= 0]] > 1).any()
    if not has_tree and (ground.documents.text is None or ground.unit != CHARACTERS):
        raise CannotMend("the documents retrieved have no structure to widen results in")
    return ground.documents


def wider_ranges(
    documents: Documents, doc: np.ndarray, start: np.ndarray, end: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Ranges grown by the nodes of their documents; without nodes, by the paragraphs of the text."""
    begin, stop = wider_by_nodes(documents, doc, start, end)
    if documents.text is None or documents.unit != CHARACTERS:
        return begin, stop
    plain = np.flatnonzero(documents.nodes.counts[doc] == 1)
    for one in distinct(doc[plain]).tolist():
        here = plain[doc[plain] == one]
        bounds = np.array([*paragraphs(documents.text[one])], dtype=np.int64).reshape(-1, 2)
        begin[here], stop[here] = wider_by_paragraphs(bounds, start[here], end[here])
    return begin, stop


def wider_by_paragraphs(
    bounds: np.ndarray, start: np.ndarray, end: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Ranges grown to the paragraphs in which they begin and end.

    >>> bounds = np.array([[0, 4], [6, 9]])
    >>> [column.tolist() for column in wider_by_paragraphs(bounds, np.array([2, 4]), np.array([8, 6]))]
    [[0, 4], [9, 6]]
    """
    padded = np.append(bounds, [[LAST, LAST]], axis=0)
    first = padded[np.searchsorted(bounds[:, 1], start, side="right")]
    last = padded[np.searchsorted(bounds[:, 1], end - 1, side="right")]
    return np.minimum(start, first[:, 0]), np.where(last[:, 0] < end, last[:, 1], end)


def wider_by_nodes(
    documents: Documents, doc: np.ndarray, start: np.ndarray, end: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Ranges grown to the nodes they begin and end in, or else to the next larger node below the root."""
    around = documents.deepest(doc, start, end)
    first, last = documents.deepest(doc, start, start + 1), documents.deepest(doc, end - 1, end)
    begin, stop = documents.extent(doc, first)[0], documents.extent(doc, last)[1]
    begin, stop = np.where(first == around, start, begin), np.where(last == around, end, stop)
    begin, stop = np.minimum(begin, start), np.maximum(stop, end)
    same = np.flatnonzero((begin == start) & (stop == end))
    node, where = around[same], doc[same]
    while True:
        low, high = documents.extent(where, node)
        stuck = (node > 0) & (low == start[same]) & (high == end[same])
        if not stuck.any():
            break
        node = np.where(stuck, documents.parent[documents.rows(where, node)], node)
    grows = node > 0
    begin[same[grows]], stop[same[grows]] = low[grows], high[grows]
    return begin, stop


def _parents(documents: Documents, trees: Trees) -> Trees:
    """Each tree as the parent of its topmost nodes; the root is its own."""
    owner, doc = trees.owner, trees.doc[trees.owner]
    parent = np.maximum(documents.parent[documents.rows(doc, trees.node)].astype(np.int64), 0)
    width = key_width(trees.node)
    own = keys(owner, trees.node, width)
    top = (trees.node == 0) | ~np.isin(keys(owner, parent, width), own)
    return Trees.gathered(trees.doc, owner[top], parent[top])
