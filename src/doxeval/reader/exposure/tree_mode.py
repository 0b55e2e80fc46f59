"""Exposure where assessed trees and retrieved trees meet node set by node set (ESR sections 4, 5)."""

from __future__ import annotations

import numpy as np

from doxeval.core.facts import once
from doxeval.core.grammar import Call
from doxeval.ground.aligned import Aligned
from doxeval.reader.consulted import document_of_result, result_trees
from doxeval.reader.exposure.changes import Changes, Reader
from doxeval.reader.exposure.meetings import Encounters, Meetings, meet
from doxeval.reader.models import navigation_of
from doxeval.reader.navigation.base import Navigation
from doxeval.reader.trees import Trees
from doxeval.reader.units import assessed_trees, tree_of


@once
def meetings_of(topics: Aligned, navigation: Call, rule: str) -> Meetings:
    """The meetings of assessed and retrieved trees, whatever the reading of relevance."""
    model, units = navigation_of(topics.ground, navigation), assessed_trees(topics.ground)
    results = result_trees(topics, assessed=not model.crosses)
    return meet(model, topics, units.trees, units.pair, results, rule)


def changes_in_trees(topics: Aligned, reader: Reader, model: Navigation) -> Changes:
    """Hits need an identical set of nodes, at its first rank; each repetition adds alpha times the value."""
    encounters = encounters_of_trees(topics, reader, model)
    hits, near, misses = encounters.changes(len(topics))
    if reader.alpha:
        meetings, worth = encounters.meetings, encounters.worth
        again = np.setdiff1d(_identical(topics, meetings), np.flatnonzero(encounters.shown))
        np.add.at(hits, meetings.result[again], float(reader.alpha) * worth[meetings.unit[again]])
    return Changes(hits, near, misses, assessed_trees(topics.ground).by_topic.add(encounters.worth))


def encounters_of_trees(topics: Aligned, reader: Reader, model: Navigation) -> Encounters:
    """Assessed trees and the results they meet, each tree shown in full by the first identical result."""
    worth = assessed_trees(topics.ground).worth(reader.rel, reader.size)
    meetings = meetings_of(topics, model.call, reader.tree)
    same = _identical(topics, meetings)
    _, first = np.unique(meetings.unit[same], return_index=True)
    shown = np.zeros(meetings.by_unit.items)
    shown[same[first]] = worth[meetings.unit[same[first]]]
    return Encounters(meetings, shown, worth)


def _identical(topics: Aligned, meetings: Meetings) -> np.ndarray:
    """The meetings of a tree with itself."""
    sizes = assessed_trees(topics.ground).trees.count[meetings.unit]
    return np.flatnonzero((meetings.common == sizes) & (meetings.common == meetings.others))


def sizes_of_results(topics: Aligned, size: str) -> np.ndarray:
    """size(t) of results that are nodes; a range, or what stands for no known node, keeps its own size."""
    return topics.size if topics.nodes is None else _sizes_of_nodes(topics, size)


@once
def _sizes_of_nodes(topics: Aligned, size: str) -> np.ndarray:
    assert topics.nodes is not None
    trees = Trees(document_of_result(topics), *topics.nodes)
    return np.where(trees.count > 0, trees.sizes(tree_of(topics.ground), size), topics.size)
