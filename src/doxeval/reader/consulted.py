"""The nodes that a reader of the list consults: those of every result, rank by rank, and ties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.core.facts import once
from doxeval.core.keys import first_of_equals
from doxeval.core.ragged import Ragged
from doxeval.ground.aligned import Aligned
from doxeval.ground.connected import connected
from doxeval.reader.node_trees import Trees
from doxeval.reader.units_sought import assessed_trees, tree_of


@once
def document_of_result(aligned: Aligned) -> np.ndarray:
    """The row of each result's document among the documents, -1 if it is not there."""
    documents = aligned.ground.documents
    if documents is None:
        return np.full(len(aligned), -1, dtype=np.int64)
    return documents.codes(aligned.run.docs)[aligned.doc]


@once
def results_by_pair(aligned: Aligned) -> tuple[Ragged, np.ndarray]:
    """Results of assessed documents grouped by pair, best first."""
    pairs = len(aligned.ground.assessments.pair_doc)
    by_pair, results = Ragged.gathered(aligned.pair, pairs, np.arange(len(aligned)))
    return by_pair, results


def covered_nodes(aligned: Aligned, results: np.ndarray) -> Trees:
    """The nodes of the ranges of some results: the maximal nodes inside each, else the deepest around it."""
    doc = document_of_result(aligned)[results]
    ranges, span = aligned.spans.take(results)
    shows = aligned.end[span] > aligned.start[span]
    owner, span = ranges.row[shows], span[shows]
    offset, node = tree_of(aligned.ground).cover(doc[owner], aligned.start[span], aligned.end[span])
    inside = Ragged(offset)
    if len(node) == len(results) and np.array_equal(owner, np.arange(len(results))):
        return Trees(doc, inside, node)
    return Trees.gathered(doc, inside.expand(owner), node)


@once
def result_nodes(aligned: Aligned) -> Trees:
    """Results as sets of nodes: their own, or those their ranges cover; none for an unknown document."""
    return _own_and(aligned, np.ones(len(aligned), dtype=bool), connect=False)


@once
def result_trees(aligned: Aligned, assessed: bool = False) -> Trees:
    """Results as trees: their own nodes, or the smallest tree with the nodes that their ranges cover.

    With `assessed`, ranges are used only in pairs that have an assessed tree.
    """
    wanted = np.ones(len(aligned), dtype=bool)
    if assessed:
        wanted = np.append(assessed_trees(aligned.ground).by_pair.counts > 0, False)[aligned.pair]
    return _own_and(aligned, wanted, connect=True)


def _own_and(aligned: Aligned, wanted: np.ndarray, connect: bool) -> Trees:
    """The nodes of results given as nodes; for `wanted` ranges those they cover, connected on request."""
    owner, node = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    plain = wanted & (aligned.size > 0)
    if aligned.nodes is not None:
        nodes, node = aligned.nodes
        owner, plain = nodes.row, plain & (nodes.counts == 0)
    results = np.flatnonzero(plain)
    more = covered_nodes(aligned, results)
    if connect:
        more = Trees(more.doc, *connected(tree_of(aligned.ground), more.doc, more.nodes, more.node))
    return Trees.gathered(
        document_of_result(aligned),
        np.concatenate([owner, results[more.owner]]),
        np.concatenate([node, more.node]),
    )


@dataclass(eq=False)
class Consulted:
    """Nodes of results, in reading order: `result`, `pair`, the document's row `doc`, and the `node` in it.

    `fresh` marks the first time that a node is consulted for a topic. `results` counts the distinct results
    of each topic, `nodes` its distinct nodes; a result without a known node counts as one.
    """

    result: np.ndarray
    pair: np.ndarray
    doc: np.ndarray
    node: np.ndarray
    fresh: np.ndarray
    results: np.ndarray
    nodes: np.ndarray


@once
def consulted(aligned: Aligned) -> Consulted:
    """The nodes behind a run's results."""
    documents, count = tree_of(aligned.ground), len(aligned.count)
    trees = result_nodes(aligned)
    result, node = trees.owner, trees.node
    doc = trees.doc[result]
    key = aligned.topic[result] * len(documents.parent) + documents.rows(doc, node)
    fresh = np.zeros(len(key), dtype=bool)
    fresh[np.unique(key, return_index=True)[1]] = True
    unknown = np.bincount(aligned.topic[trees.count == 0], minlength=count)
    nodes = unknown + np.bincount(aligned.topic[result[fresh]], minlength=count)
    results = nodes
    if (trees.count > 1).any():
        results = unknown + np.bincount(aligned.topic[_different(trees.nodes, key)], minlength=count)
    return Consulted(result, aligned.pair[result], doc, node, fresh, results, nodes)


def _different(rows: Ragged, key: np.ndarray) -> np.ndarray:
    """One row of every distinct set of keys; sets are compared key by key, all rows at once."""
    alive = np.flatnonzero(rows.counts)
    label = key[rows.first[alive]]
    found = [alive[:0]]
    step = 1
    while len(alive):
        ends = rows.counts[alive] == step
        found.append(alive[ends][np.unique(label[ends], return_index=True)[1]])
        alive, label = alive[~ends], label[~ends]
        following = key[rows.first[alive] + step]
        order = np.lexsort((following, label))
        label[order] = np.cumsum(first_of_equals(label[order], following[order]))
        step += 1
    return np.concatenate(found)


@dataclass(eq=False)
class Ties:
    """Ties of results: result i is in a tie of `size[i]` that begins at result `first[i]`."""

    first: np.ndarray
    size: np.ndarray


def ties(aligned: Aligned) -> Ties:
    """Neighbours with equal rank (equal score if there are no ranks) are tied."""
    key = aligned.run.rank if aligned.run.rank is not None else aligned.run.score
    if key is None:
        return Ties(np.arange(len(aligned)), np.ones(len(aligned), dtype=np.int64))
    begins = np.flatnonzero(first_of_equals(key[aligned.row], aligned.topic))
    tied = Ragged(np.append(begins, len(aligned)))
    return Ties(tied.expand(tied.first), tied.expand(tied.counts))


def chance_listed(aligned: Aligned, rank: int | None) -> np.ndarray:
    """For each consulted node, at its first place, the chance P(L) to be within the first `rank` results.

    Tied results come in random order: in a tie of n with j results within the rank, a node that c of them
    hold is there with the chance 1 - C(n - c, j) / C(n, j), which is j / n for c = 1.
    """
    read = consulted(aligned)
    if rank is None:
        return np.ones(len(read.result))
    tie = ties(aligned)
    inside = np.clip(rank - (tie.first - aligned.by_topic.offset[aligned.topic]), 0, tie.size)
    chance = (inside == tie.size).astype(np.float64)[read.result]
    cut = np.flatnonzero(((inside > 0) & (inside < tie.size))[read.result])
    if not len(cut):
        return chance
    documents = tree_of(aligned.ground)
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
