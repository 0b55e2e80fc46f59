"""Redundancy of results against the results before them, and relevance inferred from their nodes (SR)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from doxeval.core.grammar import Call
from doxeval.core.keys import find_keys, key_width
from doxeval.core.ragged import Ragged
from doxeval.core.strings import distinct
from doxeval.ground.aligned import Aligned
from doxeval.kernels.exposure import unseen_after
from doxeval.reader.consulted import result_trees, results_by_pair
from doxeval.reader.exposure.meeting_chances import blocks_of, branch_mates, tree_chances
from doxeval.reader.exposure.meetings import Reader
from doxeval.reader.navigation.model import Navigation, navigation_of
from doxeval.reader.node_trees import Trees
from doxeval.reader.recall_base import assessed_nodes
from doxeval.reader.units_sought import AssessedTrees, assessed_trees, tree_of

NO_NAVIGATION = Call("none")


def inferred_relevance(aligned: Aligned, rel: str, infer: str) -> np.ndarray:
    """rel(t) of every result (SR Eq. 9): as assessed for this very tree, else inferred from its nodes.

    `infer` is the mean of the nodes' values, weighted by their lengths (`size`), the `max`, or `none`: then
    only assessed trees count.
    """
    units, trees = assessed_nodes(aligned.ground), result_trees(aligned, assessed=True)
    worth = units.worth(rel)
    relevance = np.zeros(len(aligned))
    if infer != "none":
        value = _node_values(aligned, units, worth, trees)
        if infer == "max":
            np.maximum.at(relevance, trees.owner, value)
        else:
            weight = np.ones(len(value))
            if infer == "size" and len(value):
                doc = np.maximum(trees.doc[trees.owner], 0)
                weight = tree_of(aligned.ground).lengths(doc, trees.node)
            total, gained = trees.nodes.add(weight), trees.nodes.add(weight * value)
            relevance = np.divide(gained, total, out=relevance, where=total > 0)
    chosen = np.flatnonzero((units.trees.count != 1) | (infer == "none"))
    mates = branch_mates(
        aligned.ground.documents,
        units.trees.take(chosen),
        units.pair[chosen],
        trees,
        aligned.pair,
        climb=False,
    )
    unit, result = np.divmod(distinct(chosen[mates[0]] * max(1, len(trees)) + mates[1]), max(1, len(trees)))
    sizes = units.trees.count[unit]
    may = sizes == trees.count[result]
    unit, result, sizes = unit[may], result[may], sizes[may]
    _, common = tree_chances(
        navigation_of(aligned.ground, NO_NAVIGATION), aligned, units.trees, unit, trees, result
    )
    same = common == sizes
    relevance[result[same]] = worth[unit[same]]
    return relevance


def _node_values(aligned: Aligned, units: AssessedTrees, worth: np.ndarray, trees: Trees) -> np.ndarray:
    """The assessed value of each node of each result, 0 if it has none."""
    width = key_width(units.trees.node, trees.node)
    single = np.flatnonzero(units.trees.count == 1)
    keys = units.pair[single] * width + units.trees.node[units.trees.nodes.first[single]]
    order = np.argsort(keys, kind="stable")
    pair = aligned.pair[trees.owner]
    wanted = np.where(pair >= 0, pair * width + trees.node, -1)
    return np.append(worth[single][order], 0.0)[find_keys(keys[order], wanted)]


def redundancy(aligned: Aligned, reader: Reader, chosen: np.ndarray) -> np.ndarray:
    """p(t_i; R_{i-1}) of the chosen results (SR Eq. 3 / ESR Eq. 5): the noisy-or over those before it.

    With `tree="esr"` a tree that was retrieved before has redundancy 1. If the chance depends on the target
    alone and all trees are single nodes, the product is a power of the number of earlier results.
    """
    model = navigation_of(aligned.ground, reader.navigation)
    trees = result_trees(aligned, assessed=not model.crosses)
    direct = _by_counts(model, aligned, trees, chosen, _positions(aligned)[chosen])
    if direct is not None:
        return direct
    left = [unseen_after(met.offset, chance) for met, _, _, chance in chances_before(aligned, reader, chosen)]
    return 1.0 - np.concatenate([np.zeros(0), *left])


def chances_before(
    aligned: Aligned, reader: Reader, chosen: np.ndarray
) -> Iterator[tuple[Ragged, np.ndarray, np.ndarray, np.ndarray]]:
    """p(t_i; t_j) of the chosen results and those before them: rows of pairs, t_i, t_j and the chance."""
    model = navigation_of(aligned.ground, reader.navigation)
    trees = result_trees(aligned, assessed=not model.crosses)
    for met, here, earlier in _earlier(model, aligned, trees, chosen, _positions(aligned)):
        chance, common = tree_chances(model, aligned, trees, here, trees, earlier, reader.tree)
        if model.minds_list:
            chance = model.along(met, aligned.by_topic.place[earlier] + 1, chance)
        if reader.tree == "esr":
            same = (common == trees.count[here]) & (common == trees.count[earlier])
            chance = np.where(same, 1.0, chance)
        yield met, here, earlier, chance


def _positions(aligned: Aligned) -> np.ndarray:
    """The number of earlier results in the document of each."""
    by_pair, by_rank = results_by_pair(aligned)
    position = np.empty(len(aligned), dtype=np.int64)
    position[by_rank] = by_pair.place
    return position


def _earlier(
    model: Navigation, aligned: Aligned, trees: Trees, chosen: np.ndarray, position: np.ndarray
) -> Iterator[tuple[Ragged, np.ndarray, np.ndarray]]:
    """The chosen results in blocks, each with those before it that may lead to it."""
    by_pair, by_rank = results_by_pair(aligned)
    first = by_pair.first[aligned.pair]
    if model.crosses:
        lists = aligned.by_topic
        first, position, by_rank = lists.expand(lists.first), lists.place, np.arange(len(aligned))
    if model.leads == "anywhere":
        for part in blocks_of(position[chosen]):
            here = chosen[part]
            met = Ragged.of_counts(position[here])
            at = met.expand(first[here]) + met.place
            yield met, met.expand(here), by_rank[at]
        return
    size = max(1, len(trees))
    at, other = branch_mates(
        aligned.ground.documents, trees.take(chosen), aligned.pair[chosen], trees, aligned.pair,
        climb=model.leads == "branch",
    )  # fmt: skip
    at, other = np.divmod(distinct((at * size + other)[other < chosen[at]]), size)
    by_chosen = Ragged.of_rows(at, len(chosen))
    for part in blocks_of(by_chosen.counts):
        met = Ragged.of_counts(by_chosen.counts[part])
        first = int(by_chosen.offset[part.start])
        yield met, met.expand(chosen[part]), other[first : first + met.items]


def _by_counts(
    model: Navigation, aligned: Aligned, trees: Trees, chosen: np.ndarray, before: np.ndarray
) -> np.ndarray | None:
    """1 - (1 - p)^n for single nodes under a model that depends on the target alone; else None."""
    wanted = np.flatnonzero(aligned.pair >= 0)
    wanted = wanted[assessed_trees(aligned.ground).by_pair.counts[aligned.pair[wanted]] > 0]
    if not (trees.count[wanted] == 1).all():
        return None
    node = np.full(len(aligned), -1, dtype=np.int64)
    node[trees.count == 1] = trees.node[trees.nodes.first[trees.count == 1]]
    chance = model.chance_of_target(trees.doc[chosen], node[chosen])
    if chance is None:
        return None
    width = 2 + node.max(initial=0)
    _, first, group = np.unique(aligned.pair * width + node + 1, return_index=True, return_inverse=True)
    repeated = first[group][chosen] < chosen
    return np.where(repeated, 1.0, 1.0 - (1.0 - chance) ** before)
