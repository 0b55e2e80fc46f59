"""Results as trees: the nodes a result stands for, whatever it was given as."""

from __future__ import annotations

import numpy as np

from doxeval.alignment.aligned import Aligned
from doxeval.exposure.grouping import expand, offsets
from doxeval.exposure.units import Trees, make_trees


def document_of_result(topics: Aligned) -> np.ndarray:
    """The row of each result's document among the documents, -1 where it is not there."""
    documents = topics.ground.documents
    if documents is None:
        return np.full(len(topics), -1, dtype=np.int64)
    return topics.shared("documents", lambda: documents.codes(topics.run.docs).astype(np.int64)[topics.doc])


def covered(topics: Aligned, rows: np.ndarray) -> Trees:
    """The nodes of the ranges of some results: the maximal nodes inside each, else the deepest around it."""
    documents = topics.ground.documents
    assert documents is not None
    doc = document_of_result(topics)[rows]
    owner, span = expand(*topics.spans_of(rows))
    shows = topics.end[span] > topics.start[span]
    owner, span = owner[shows], span[shows]
    offset, node = documents.cover(doc[owner], topics.start[span], topics.end[span])
    if len(node) == len(rows) == len(owner):
        return Trees(doc, offset, node)
    return make_trees(doc, np.repeat(owner, np.diff(offset)), node)


def result_trees(topics: Aligned) -> Trees:
    """Every result as a tree: its own nodes, or those its ranges cover; none for an unknown document."""

    def make() -> Trees:
        doc = document_of_result(topics)
        if topics.nodes is None:
            return covered(topics, np.arange(len(topics)))
        offset, node = topics.nodes
        without = np.flatnonzero((np.diff(offset) == 0) & (topics.size > 0))
        trees = make_trees(doc, np.repeat(np.arange(len(topics)), np.diff(offset)), node)
        if not len(without):
            return trees
        more = covered(topics, without)
        owner = np.concatenate([trees.owner, without[more.owner]])
        return make_trees(doc, owner, np.concatenate([trees.node, more.node]))

    return topics.shared("result trees", make)


def results_by_pair(topics: Aligned) -> tuple[np.ndarray, np.ndarray]:
    """Results of assessed documents grouped by pair, best first: offsets, and the results."""

    def make() -> tuple[np.ndarray, np.ndarray]:
        assessed = np.flatnonzero(topics.pair >= 0)
        result = assessed[np.argsort(topics.pair[assessed], kind="stable")]
        return offsets(
            np.bincount(topics.pair[result], minlength=len(topics.ground.assessments.pair_doc))
        ), result

    return topics.shared("results by pair", make)
