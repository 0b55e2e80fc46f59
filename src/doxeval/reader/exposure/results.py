"""Results as trees: the nodes a result stands for, whatever it was given as."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.ground.naming import document_codes
from doxeval.reader.exposure.grouping import expand, offsets
from doxeval.reader.exposure.units import Trees, make_trees


def document_of_result(topics: Aligned) -> np.ndarray:
    """The row of each result's document among the documents, -1 where it is not there."""
    documents = topics.ground.documents
    if documents is None:
        return np.full(len(topics), -1, dtype=np.int64)
    return topics.shared("documents", lambda: document_codes(documents, topics.run.docs)[topics.doc])


def covered(topics: Aligned, rows: np.ndarray) -> Trees:
    """The nodes of the ranges of some results: the maximal nodes inside each, else the deepest around it."""
    documents = topics.ground.documents
    assert documents is not None
    doc = document_of_result(topics)[rows]
    owner, span = expand(*topics.spans_of(rows))
    shows = topics.end[span] > topics.start[span]
    owner, span = owner[shows], span[shows]
    offset, node = documents.cover(doc[owner], topics.start[span], topics.end[span])
    if len(node) == len(rows) and np.array_equal(owner, np.arange(len(rows))):
        return Trees(doc, offset, node)
    return make_trees(doc, np.repeat(owner, np.diff(offset)), node)


def result_trees(topics: Aligned, wanted: np.ndarray | None = None) -> Trees:
    """Results as trees: their own nodes, or those their ranges cover; none for an unknown document.

    `wanted` marks the pairs in which ranges are worth the search; None means all.
    """

    def make() -> Trees:
        doc = document_of_result(topics)
        owner, node = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        plain = topics.size > 0
        if topics.nodes is not None:
            owner, node = np.repeat(np.arange(len(topics)), np.diff(topics.nodes[0])), topics.nodes[1]
            plain &= np.diff(topics.nodes[0]) == 0
        if wanted is not None and len(wanted):
            plain &= (topics.pair >= 0) & wanted[topics.pair]
        rows = np.flatnonzero(plain)
        more = covered(topics, rows)
        return make_trees(doc, np.concatenate([owner, rows[more.owner]]), np.concatenate([node, more.node]))

    return topics.shared(("result trees", wanted is None), make)


def results_by_pair(topics: Aligned) -> tuple[np.ndarray, np.ndarray]:
    """Results of assessed documents grouped by pair, best first: offsets, and the results."""

    def make() -> tuple[np.ndarray, np.ndarray]:
        assessed = np.flatnonzero(topics.pair >= 0)
        result = assessed[np.argsort(topics.pair[assessed], kind="stable")]
        return offsets(
            np.bincount(topics.pair[result], minlength=len(topics.ground.assessments.pair_doc))
        ), result

    return topics.shared("results by pair", make)
