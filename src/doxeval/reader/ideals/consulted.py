"""What a reader of the list consults: the nodes of every result, rank after rank, and ties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.core.strings import group_offsets
from doxeval.ground.aligned import Aligned
from doxeval.ground.naming import document_codes
from doxeval.reader.ideals.elements import tree_of


@dataclass(eq=False)
class Consulted:
    """Nodes of results, in reading order: `result`, `pair`, the document's row `doc`, and the `node` in it.

    `fresh` marks the first time that a node is consulted for a topic. `results` counts each topic's different
    results, `nodes` its different nodes; a result without a known node counts as one of its own.
    """

    result: np.ndarray
    pair: np.ndarray
    doc: np.ndarray
    node: np.ndarray
    fresh: np.ndarray
    results: np.ndarray
    nodes: np.ndarray


def consulted(topics: Aligned) -> Consulted:
    """The nodes behind a run's results, found once.

    A result that is not given as nodes stands, for each of its ranges, for the maximal nodes inside it or
    else the deepest node around it.
    """
    return topics.shared("consulted", lambda: _consult(topics))


def _consult(topics: Aligned) -> Consulted:
    documents = tree_of(topics.ground)
    doc_of_result = document_codes(documents, topics.run.docs)[topics.doc]
    result, node = _nodes_of_results(topics, doc_of_result)
    doc = doc_of_result[result]
    key = topics.topic[result] * len(documents.parent) + documents.node_offset[doc] + node
    order = np.lexsort((key, result))
    result, node, doc, key = result[order], node[order], doc[order], key[order]
    twice = np.zeros(len(key), dtype=bool)
    twice[1:] = (np.diff(key) == 0) & (np.diff(result) == 0)
    if twice.any():
        result, node, doc, key = result[~twice], node[~twice], doc[~twice], key[~twice]
    fresh = np.zeros(len(key), dtype=bool)
    fresh[np.unique(key, return_index=True)[1]] = True

    offset = group_offsets(result, len(topics))
    unknown = np.bincount(topics.topic[np.diff(offset) == 0], minlength=len(topics.count))
    nodes = unknown + np.bincount(topics.topic[result[fresh]], minlength=len(topics.count))
    results = nodes
    if (np.diff(offset) > 1).any():
        results = unknown + np.bincount(topics.topic[_different(offset, key)], minlength=len(topics.count))
    return Consulted(result, topics.pair[result], doc, node, fresh, results, nodes)


def _nodes_of_results(topics: Aligned, doc: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows (result, node) in any order, where a node may stand twice."""
    named = np.zeros(len(topics), dtype=bool)
    given: tuple[np.ndarray, np.ndarray] = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    if topics.nodes is not None:
        offset, node = topics.nodes
        named = np.diff(offset) > 0
        given = np.repeat(np.arange(len(topics)), np.diff(offset)), node
    spans = np.flatnonzero(~named[topics.result] & (topics.end > topics.start))
    if not len(spans):
        return given
    owner = topics.result[spans]
    offset, node = tree_of(topics.ground).cover(doc[owner], topics.start[spans], topics.end[spans])
    return np.concatenate([given[0], np.repeat(owner, np.diff(offset))]), np.concatenate([given[1], node])


def _different(offset: np.ndarray, key: np.ndarray) -> np.ndarray:
    """One result of every different set of nodes; sets are told apart node by node, all results at once."""
    count = np.diff(offset)
    alive = np.flatnonzero(count)
    label = key[offset[alive]]
    found = [alive[:0]]
    step = 1
    while len(alive):
        ends = count[alive] == step
        found.append(alive[ends][np.unique(label[ends], return_index=True)[1]])
        alive, label = alive[~ends], label[~ends]
        following = key[offset[alive] + step]
        order = np.lexsort((following, label))
        changes = (np.diff(label[order]) != 0) | (np.diff(following[order]) != 0)
        label = np.empty(len(alive), dtype=np.int64)
        label[order] = np.concatenate([[0], np.cumsum(changes)])[: len(alive)]
        step += 1
    return np.concatenate(found)


@dataclass(eq=False)
class Ties:
    """Where results are tied: result i is in a tie of `size[i]` that begins at result `first[i]`."""

    first: np.ndarray
    size: np.ndarray


def ties(topics: Aligned) -> Ties:
    """Neighbours with equal rank (equal score where there are no ranks) are tied."""
    key = topics.run.rank if topics.run.rank is not None else topics.run.score
    begins = np.ones(len(topics), dtype=bool)
    if key is not None:
        begins[1:] = (np.diff(key[topics.row]) != 0) | (np.diff(topics.topic) != 0)
    start = np.flatnonzero(begins)
    size = np.diff(np.append(start, len(topics)))
    return Ties(np.repeat(start, size), np.repeat(size, size))


def chance_listed(topics: Aligned, rank: int | None) -> np.ndarray:
    """Per consulted node, at its first place, the chance P(L) that it is within the first `rank` results.

    Tied results come in random order: of a tie of n that has j results within the rank, a node that c of them
    hold is there with the chance 1 - C(n - c, j) / C(n, j), which is j / n for c = 1.
    """
    read = consulted(topics)
    if rank is None:
        return np.ones(len(read.result))
    tie = ties(topics)
    inside = np.clip(rank - (tie.first - topics.topic_offset[topics.topic]), 0, tie.size)
    chance = (inside == tie.size).astype(np.float64)[read.result]
    cut = np.flatnonzero(((inside > 0) & (inside < tie.size))[read.result])
    if not len(cut):
        return chance
    documents = tree_of(topics.ground)
    result = read.result[cut]
    node = documents.rows(read.doc[cut], read.node[cut])
    _, group, copies = np.unique(
        tie.first[result] * len(documents.parent) + node, return_inverse=True, return_counts=True
    )
    size, left_out = tie.size[result], (tie.size - inside)[result]
    missed = np.ones(len(cut))
    for copy in range(int(copies.max())):
        missed *= np.where(copies[group] > copy, np.maximum(left_out - copy, 0) / (size - copy), 1.0)
    chance[cut] = 1.0 - missed
    return chance
