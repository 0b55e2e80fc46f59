"""Simulated readers of trees: from one of its nodes a tree leads to another."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from doxeval.extend import Aligned, Navigation
from doxeval.lab.simulation.crowd import GROUPS, Crowd, chances_of
from doxeval.reader.assessed_nodes import coverage_letters
from doxeval.reader.consulted import result_trees
from doxeval.reader.exposure.meetings import Reader
from doxeval.reader.exposure.redundancy import inferred_relevance
from doxeval.reader.navigation.model import Array, navigation_of
from doxeval.reader.node_trees import Trees


def chances_from(
    model: Navigation, aligned: Aligned, results: Trees, here: Array, doc: int, nodes: Array, rule: str
) -> Array:
    """For each kind of reader the chance to get from some results to a tree, in which one node is looked for.

    Readers are on any node f of the result, and look for any node e of the tree. By ESR Eq. 4 nodes that the
    two share lead nowhere and are not looked for; by SR Theorem 4.3 (`rule="sr"`) who is on e sees it.
    """
    lists, at = results.nodes.take(here)
    row, f = np.repeat(lists.row, len(nodes)), np.repeat(results.node[at], len(nodes))
    e, source_doc = np.tile(nodes, len(at)), results.doc[here][row]
    target_doc = np.full(len(e), doc)
    letters = coverage_letters(aligned.ground, aligned.pair[here][row], f) if model.minds_coverage else None
    chance = chances_of(model, source_doc, f, target_doc, e, letters)
    equal = (source_doc == doc) & (f == e)
    if rule == "sr":
        chance[:, equal] = 1.0
    else:
        both = np.stack([e, f]) * len(here) + row
        chance[:, np.isin(both, both[0, equal]).any(axis=0)] = 0.0
    pairs = np.maximum(1, lists.counts * len(nodes))
    return np.stack([np.bincount(row, weights=line, minlength=len(here)) / pairs for line in chance])


def is_same(results: Trees, result: int, doc: int, nodes: Array) -> bool:
    """Whether a result is exactly that tree."""
    return bool(results.doc[result] == doc) and np.array_equal(
        results.node[results.nodes.slice(result)], nodes
    )


def share_held(aligned: Aligned, result: int, doc: int, node: int) -> float:
    """The share of a node's text that a result shows: who has most of a paragraph reads the rest."""
    documents, spans = aligned.ground.documents, aligned.spans.slice(result)
    start, end = 0, int(aligned.doc_length[aligned.doc[result]])
    if documents is not None and doc >= 0:
        start, end = (int(side[0]) for side in documents.extent(np.array([doc]), np.array([node])))
    ranges = zip(aligned.start[spans].tolist(), aligned.end[spans].tolist(), strict=True)
    return sum(max(0, min(b, end) - max(a, start)) for a, b in ranges) / max(1, end - start)


def new_to_readers(aligned: Aligned, reader: Reader, crowd: Crowd) -> Array:
    """The relevance of each result to those in each group whom no earlier one has led there (SR Eq. 1)."""
    model = navigation_of(aligned.ground, reader.navigation)
    gains = inferred_relevance(aligned, reader.rel, reader.size)
    trees = result_trees(aligned, not model.crosses)
    seen = np.zeros((GROUPS, len(aligned)))
    for first, last in pairwise(aligned.by_topic.offset.tolist()):
        for result in range(first, last):
            if gains[result] == 0:
                continue
            here = np.arange(first, result)
            if not model.crosses:
                here = here[aligned.pair[here] == aligned.pair[result]]
            doc, nodes = int(trees.doc[result]), trees.node[trees.nodes.slice(result)]
            chances = chances_from(model, aligned, trees, here, doc, nodes, reader.tree)
            if reader.tree == "esr":
                chances[:, [is_same(trees, other, doc, nodes) for other in here.tolist()]] = 1.0
            reached = crowd.first_reached(model, chances, here - first)
            seen[:, result] = crowd.mean(reached < last)
    return gains * (1.0 - seen)
