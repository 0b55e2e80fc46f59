"""Exposure where assessed trees and retrieved trees meet node set by node set (ESR sections 4, 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.reader.exposure.expose import Changes, Reader, assessed
from doxeval.reader.exposure.grouping import sums
from doxeval.reader.exposure.meetings import Encounters, Meetings, meet
from doxeval.reader.exposure.results import document_of_result, result_trees
from doxeval.reader.exposure.units import Trees, tree_sizes
from doxeval.reader.navigation.base import Navigation

if TYPE_CHECKING:
    from doxeval.reader.exposure.units import Units


def meetings_of(topics: Aligned, reader: Reader, model: Navigation) -> Meetings:
    """The meetings of assessed and retrieved trees; made once for every reading of relevance."""
    units = assessed(topics.ground)

    def make() -> Meetings:
        results = result_trees(topics, None if model.crosses else units.in_pairs(topics))
        return meet(model, topics, units.trees, units.pair, results, reader.tree)

    return topics.shared(("meetings", reader.navigation, reader.tree), make)


def changes_in_trees(topics: Aligned, reader: Reader, model: Navigation) -> Changes:
    """Hits need an identical set of nodes, at its first rank; each repetition adds alpha times the value."""
    encounters = encounters_of_trees(topics, reader, model)
    hits, near, misses = encounters.changes(len(topics))
    if reader.alpha:
        meetings, worth = encounters.meetings, encounters.worth
        again = np.setdiff1d(_identical(topics, meetings), np.flatnonzero(encounters.shown))
        np.add.at(hits, meetings.result[again], float(reader.alpha) * worth[meetings.unit[again]])
    return Changes(hits, near, misses, totals(topics, assessed(topics.ground), encounters.worth))


def encounters_of_trees(topics: Aligned, reader: Reader, model: Navigation) -> Encounters:
    """Assessed trees and the results they meet, each tree shown in full by the first identical result."""
    worth = assessed(topics.ground).worth(reader.rel)
    meetings = meetings_of(topics, reader, model)
    same = _identical(topics, meetings)
    _, first = np.unique(meetings.unit[same], return_index=True)
    shown = np.zeros(len(meetings.unit))
    shown[same[first]] = worth[meetings.unit[same[first]]]
    return Encounters(meetings, shown, worth)


def _identical(topics: Aligned, meetings: Meetings) -> np.ndarray:
    """The meetings of a tree with itself."""
    sizes = assessed(topics.ground).trees.count[meetings.unit]
    return np.flatnonzero((meetings.common == sizes) & (meetings.common == meetings.others))


def totals(topics: Aligned, units: Units, worth: np.ndarray) -> np.ndarray:
    """The value of all assessed trees of each topic."""
    topic = topics.ground.assessments.pair_topic[units.pair]
    return sums(topic, worth, len(topics.count))


def sizes_of_results(topics: Aligned, size: str) -> np.ndarray:
    """size(t) of results that are nodes; a range, or what stands for no known node, keeps its own size."""
    if topics.nodes is None:
        return topics.size

    def make() -> np.ndarray:
        documents, (offset, node) = topics.ground.documents, topics.nodes  # type: ignore[misc]
        trees = Trees(document_of_result(topics), offset, node)
        return np.where(trees.count > 0, tree_sizes(documents, trees, size), topics.size)

    return topics.shared(("tree sizes", size), make)
