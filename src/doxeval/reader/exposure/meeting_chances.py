"""Chances: which units and results can meet under a navigation model, and with which p(unit; result).

First come candidates, pairs that the model may connect at all; a model that leads only along a branch of the
tree costs as much as ancestors and descendants are many. Then the chance of each pair, from those between
their nodes. Both are done in blocks, so that memory does not grow with units x results.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeVar

import numpy as np

from doxeval.core.keys import find_keys, key_width, keys
from doxeval.core.ragged import Ragged, running_totals, sums_by
from doxeval.core.strings import distinct
from doxeval.ground.aligned import Aligned
from doxeval.reader.consulted import results_by_pair
from doxeval.reader.exposure.meetings import Meetings
from doxeval.reader.navigation.model import Navigation
from doxeval.reader.node_trees import Trees
from doxeval.reader.units_sought import coverage_letters
from doxeval.tables.documents import Documents

AT_ONCE = 1 << 16
"""The number of pairs held at once: memory does not grow with results x units."""

CandidateUnits = tuple[int, Ragged, np.ndarray]
"""A block of units: the index of the first, and the results that each may meet, best first."""
Block = TypeVar("Block")


def blocks_of(counts: np.ndarray, most: int | None = None) -> Iterator[slice]:
    """Group rows, by their numbers of items, into blocks of about `most` items; a row is never cut.

    >>> list(blocks_of(np.array([2, 2, 9, 1]), 4))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    before = running_totals(counts)[:-1] // (most or AT_ONCE)
    cuts = np.flatnonzero(np.diff(before)) + 1
    for first, after in pairwise([0, *cuts.tolist(), len(counts)]):
        yield slice(first, after)


def candidates(
    model: Navigation, aligned: Aligned, units: Trees, unit_pair: np.ndarray, results: Trees,
    also: tuple[np.ndarray, np.ndarray] | None = None,
) -> Iterator[CandidateUnits]:  # fmt: skip
    """The results that each unit may meet, in its own document or by links, and the pairs in `also`."""
    by_pair, by_rank = results_by_pair(aligned)
    if model.leads == "anywhere":
        unit, result = across_documents(model, aligned, units, unit_pair, results)
        for part in blocks_of(by_pair.counts[unit_pair]):
            by_unit, at = by_pair.take(unit_pair[part])
            met, here = by_rank[at], (unit >= part.start) & (unit < part.stop)
            if here.any():
                row = np.concatenate([by_unit.row, unit[here] - part.start])
                by_unit, met = Ragged.gathered(row, len(by_unit), np.concatenate([met, result[here]]))
            yield part.start, by_unit, met
        return
    documents, climb = aligned.ground.documents, model.leads == "branch"
    unit, result = branch_mates(documents, units, unit_pair, results, aligned.pair, climb)
    if also is not None:
        unit, result = np.concatenate([unit, also[0]]), np.concatenate([result, also[1]])
    unit, result = np.divmod(distinct(unit * max(1, len(results)) + result), max(1, len(results)))
    by_unit = Ragged.of_rows(unit, len(units))
    for part in blocks_of(by_unit.counts):
        items = slice(int(by_unit.offset[part.start]), int(by_unit.offset[part.stop]))
        yield part.start, Ragged.of_counts(by_unit.counts[part]), result[items]


def across_documents(
    model: Navigation, aligned: Aligned, units: Trees, unit_pair: np.ndarray, results: Trees
) -> tuple[np.ndarray, np.ndarray]:
    """Units and results of one topic in different documents that a model's links may connect."""
    if not model.crosses:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    goal = np.zeros(len(units), dtype=bool)
    goal[units.owner[model.is_goal(units.doc[units.owner], units.node)]] = True
    start = np.zeros(len(results), dtype=bool)
    start[results.owner[model.is_start(results.doc[results.owner], results.node)]] = True
    goals, starts = np.flatnonzero(goal), np.flatnonzero(start)
    by_topic = Ragged.of_rows(aligned.topic[starts], len(aligned.count))
    met, at = by_topic.take(aligned.ground.assessments.pair_topic[unit_pair[goals]])
    unit, result = met.expand(goals), starts[at]
    elsewhere = aligned.pair[result] != unit_pair[unit]
    return unit[elsewhere], result[elsewhere]


def branch_mates(
    documents: Documents | None,
    ours: Trees,
    our_pair: np.ndarray,
    theirs: Trees,
    their_pair: np.ndarray,
    climb: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Trees of one pair that share a node or, with `climb`, in which a node of one contains one of the other.

    Every distinct node is looked up once among those of the other side, and so are its ancestors. A pair of
    trees may be found more than once.
    """
    width = key_width(ours.node, theirs.node)
    left, right = _Nodes(ours, our_pair, width), _Nodes(theirs, their_pair, width)
    here, there = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for our_node, their_node in left.found_in(right, documents, climb):
        here.append(our_node)
        there.append(their_node)
    if climb:
        for their_node, our_node in right.found_in(left, documents, climb, above=True):
            here.append(our_node)
            there.append(their_node)
    our_node, their_node = np.concatenate(here), np.concatenate(there)
    pairs = Ragged.of_counts(left.by_node.counts[our_node] * right.by_node.counts[their_node])
    own, other = np.divmod(pairs.place, np.maximum(1, pairs.expand(right.by_node.counts[their_node])))
    return (
        left.tree[pairs.expand(left.by_node.first[our_node]) + own],
        right.tree[pairs.expand(right.by_node.first[their_node]) + other],
    )


class _Nodes:
    """The distinct nodes of trees, by pair, and the trees that have each."""

    def __init__(self, trees: Trees, pair: np.ndarray, width: int) -> None:
        rows = np.flatnonzero(pair[trees.owner] >= 0)
        key = keys(pair[trees.owner[rows]], trees.node[rows], width)
        order = np.argsort(key, kind="stable")
        self.by_node, self.width = Ragged.of_runs(key[order]), width
        self.tree = trees.owner[rows][order]
        self.key = key[order][self.by_node.first]
        self.doc = trees.doc[self.tree[self.by_node.first]]

    def found_in(
        self, others: _Nodes, documents: Documents | None, climb: bool, above: bool = False
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The positions of our nodes (unless only `above`) and their ancestors among the others' nodes."""
        own, (pair, node) = np.arange(len(self.key)), np.divmod(self.key, self.width)
        while len(own):
            if not above:
                met = find_keys(others.key, pair * self.width + node)
                yield own[met >= 0], met[met >= 0]
            if documents is None or not climb:
                return
            above = False
            has_tree = self.doc[own] >= 0
            own, pair, node = own[has_tree], pair[has_tree], node[has_tree]
            node = documents.parent[documents.rows(self.doc[own], node)].astype(np.int64)
            own, pair, node = own[node >= 0], pair[node >= 0], node[node >= 0]


def blocks_if_few(blocks: Iterator[Block]) -> list[Block] | None:
    """All blocks if they are small enough together, else None: they must be computed again."""
    held: list[Block] = []
    size = AT_ONCE
    for block in blocks:
        size -= len(block)  # type: ignore[arg-type]
        if size < 0 and held:
            return None
        held.append(block)
    return held


def tree_chances(
    model: Navigation, aligned: Aligned, units: Trees, unit: np.ndarray, results: Trees, result: np.ndarray,
    rule: str = "esr",
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """p(unit; result) between trees for columns of pairs, and the number of nodes the two share.

    `rule="esr"` is ESR Eq. 4: the sum of p(e; f) over the nodes e of the unit that the result lacks and f of
    the result that the unit lacks, divided by both sizes. `rule="sr"` is SR Theorem 4.3: the sum over all
    nodes, with p(e; e) = 1.
    """
    count, other = units.count[unit], results.count[result]
    blocks = list(blocks_of(count * other))
    if len(blocks) > 1:
        parts = [tree_chances(model, aligned, units, unit[at], results, result[at], rule) for at in blocks]
        chances, commons = zip(*parts, strict=True)
        return np.concatenate(chances), np.concatenate(commons)
    if (count == 1).all() and (other == 1).all():
        pair, e, f = np.arange(len(unit)), units.nodes.first[unit], results.nodes.first[result]
    else:
        pair, e, f = _node_pairs(units, unit, results, result)
    target, source = units.node[e], results.node[f]
    target_doc, source_doc = units.doc[unit][pair], results.doc[result][pair]
    equal = (target == source) & (target_doc == source_doc)
    chance = _chances(model, aligned, source_doc, source, target_doc, target, equal, result[pair])
    common = np.bincount(pair[equal], minlength=len(unit))
    if rule == "sr":
        chance[equal] = 1.0
    elif len(pair) > len(unit):
        shared = _any(pair * (1 + len(units.node)) + e, equal) | _any(
            pair * (1 + len(results.node)) + f, equal
        )
        chance[shared] = 0.0
    return sums_by(pair, chance, len(unit)) / np.maximum(count * other, 1), common


def _node_pairs(
    units: Trees, unit: np.ndarray, results: Trees, result: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every node of the unit with every node of the result: the pair of trees, and the rows of both."""
    pairs = Ragged.of_counts(units.count[unit] * results.count[result])
    ours, theirs = np.divmod(pairs.place, pairs.expand(results.count[result]))
    return (
        pairs.row,
        pairs.expand(units.nodes.first[unit]) + ours,
        pairs.expand(results.nodes.first[result]) + theirs,
    )


def _any(key: np.ndarray, flag: np.ndarray) -> np.ndarray:
    """For each row whether some row with the same key is flagged."""
    return np.isin(key, key[flag])


def _chances(
    model: Navigation,
    aligned: Aligned,
    source_doc: np.ndarray,
    source: np.ndarray,
    target_doc: np.ndarray,
    target: np.ndarray,
    equal: np.ndarray,
    result: np.ndarray,
) -> np.ndarray:
    """p(target; source) of nodes, 0 if they are the same or the tree is unknown."""
    chance = np.zeros(len(source))
    asked = np.flatnonzero(~equal & (source_doc >= 0) & (target_doc >= 0))
    if model.name == "none" or not len(asked):
        return chance
    source_doc, source, target = source_doc[asked], source[asked], target[asked]
    coverage = None
    if model.minds_coverage:
        coverage = coverage_letters(aligned.ground, aligned.pair[result[asked]], source)
    if model.crosses:
        chance[asked] = model.chance_between(source_doc, source, target_doc[asked], target, coverage)
    else:
        chance[asked] = model.chance(source_doc, source, target, coverage)
    return chance


def meet(
    model: Navigation, aligned: Aligned, units: Trees, unit_pair: np.ndarray, results: Trees,
    rule: str = "esr", also: tuple[np.ndarray, np.ndarray] | None = None,
) -> Iterator[Meetings]:  # fmt: skip
    """All meetings of units with results that may matter, with their chances, units in blocks."""
    for first, by_unit, result in candidates(model, aligned, units, unit_pair, results, also):
        chance, common = tree_chances(model, aligned, units, first + by_unit.row, results, result, rule)
        yield Meetings(first, by_unit, result, chance, common, results.count[result])
