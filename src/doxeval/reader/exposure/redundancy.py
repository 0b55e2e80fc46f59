"""Redundancy of results against the results before them, and relevance inferred from their nodes (SR)."""

from __future__ import annotations

import numpy as np

from doxeval.core.grammar import Call
from doxeval.ground.aligned import Aligned
from doxeval.kernels.exposure import unseen_after
from doxeval.reader.exposure.expose import Reader, assessed, navigation_of
from doxeval.reader.exposure.grouping import expand, offsets, sums
from doxeval.reader.exposure.meetings import tree_chances
from doxeval.reader.exposure.results import result_trees, results_by_pair
from doxeval.reader.exposure.units import Trees
from doxeval.reader.navigation.base import Navigation

NOWHERE = Call("none")


def inferred_relevance(topics: Aligned, rel: str, infer: str) -> np.ndarray:
    """rel(t) of every result (SR Eq. 9): what was assessed for this very tree, else inferred from its nodes.

    `infer` is the mean of the nodes' values, weighted by their lengths (`size`), the `max`, or `none`: then
    only trees that were assessed as such count.
    """
    units = assessed(topics.ground)
    trees = result_trees(topics, units.in_pairs(topics))
    worth = units.worth(rel)
    relevance = np.zeros(len(topics))
    owner = trees.owner
    single = units.trees.count == 1
    if infer != "none":
        value = _node_values(topics, units.trees, units.pair, worth, single, owner, trees.node)
        if infer == "max":
            np.maximum.at(relevance, owner, value)
        else:
            weight = np.ones(len(owner))
            if infer == "size" and len(owner):
                weight = topics.ground.documents.lengths(np.maximum(trees.doc[owner], 0), trees.node)  # type: ignore[union-attr]
            total = sums(owner, weight, len(topics))
            gained = sums(owner, weight * value, len(topics))
            relevance = np.divide(gained, total, out=relevance, where=total > 0)
    pair_offset, by_pair = results_by_pair(topics)
    chosen = np.flatnonzero(~single | (infer == "none"))
    row, at = expand(pair_offset[:-1][units.pair[chosen]], np.diff(pair_offset)[units.pair[chosen]])
    unit, result = chosen[row], by_pair[at]
    sizes = units.trees.count[unit]
    may = sizes == trees.count[result]
    unit, result, sizes = unit[may], result[may], sizes[may]
    _, common = tree_chances(navigation_of(topics.ground, NOWHERE), topics, units.trees, unit, trees, result)
    same = common == sizes
    relevance[result[same]] = worth[unit[same]]
    return relevance


def _node_values(topics, units: Trees, unit_pair, worth, single, owner, node) -> np.ndarray:  # type: ignore[no-untyped-def]
    """The assessed value of each node of each result, 0 where it has none."""
    width = 1 + max(int(units.node.max(initial=0)), int(node.max(initial=0)))
    known = np.flatnonzero(single)
    keys = unit_pair[known] * width + units.node[units.offset[known]]
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], worth[known][order]
    if not len(keys):
        return np.zeros(len(node))
    wanted = np.where(topics.pair[owner] >= 0, topics.pair[owner] * width + node, -1)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, values[at], 0.0)


def redundancy(topics: Aligned, reader: Reader, chosen: np.ndarray) -> np.ndarray:
    """p(t_i; R_{i-1}) of the chosen results (SR Eq. 3 / ESR Eq. 5): the noisy-or over those before it.

    Under `tree="esr"` a tree that was retrieved before has redundancy 1. Where the chance depends on the
    target alone and all are single nodes, the product is a power of the number of results before.
    """
    model = navigation_of(topics.ground, reader.navigation)
    trees = result_trees(topics, assessed(topics.ground).in_pairs(topics))
    pair_offset, by_pair = results_by_pair(topics)
    position = np.empty(len(topics), dtype=np.int64)
    position[by_pair] = np.arange(len(by_pair)) - pair_offset[topics.pair[by_pair]]
    before = position[chosen]
    direct = _by_counts(model, topics, trees, chosen, before)
    if direct is not None:
        return direct
    row, at = expand(pair_offset[topics.pair[chosen]], before)
    earlier = by_pair[at]
    chance, common = tree_chances(model, topics, trees, chosen[row], trees, earlier, reader.tree)
    if reader.tree == "esr":
        same = (common == trees.count[chosen[row]]) & (common == trees.count[earlier])
        chance = np.where(same, 1.0, chance)
    return 1.0 - unseen_after(offsets(before), chance)


def _by_counts(
    model: Navigation, topics: Aligned, trees: Trees, chosen: np.ndarray, before: np.ndarray
) -> np.ndarray | None:
    """1 - (1 - p)^n for single nodes under a model that minds the target alone; else None."""
    wanted = np.flatnonzero(topics.pair >= 0)
    wanted = wanted[assessed(topics.ground).in_pairs(topics)[topics.pair[wanted]]]
    if not (trees.count[wanted] == 1).all():
        return None
    node = np.full(len(topics), -1, dtype=np.int64)
    node[trees.count == 1] = trees.node[trees.offset[:-1][trees.count == 1]]
    chance = model.chance_of_target(trees.doc[chosen], node[chosen])
    if chance is None:
        return None
    width = 2 + node.max(initial=0)
    _, first, group = np.unique(topics.pair * width + node + 1, return_index=True, return_inverse=True)
    repeated = first[group][chosen] < chosen
    return np.where(repeated, 1.0, 1.0 - (1.0 - chance) ** before)
