"""Exposure where assessed trees and retrieved trees meet node set by node set (ESR sections 4, 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from doxeval.alignment.aligned import Aligned
from doxeval.exposure.exposure import Changes, Reader, assessed
from doxeval.exposure.grouping import sums
from doxeval.exposure.meetings import Meetings, meet
from doxeval.exposure.results import result_trees
from doxeval.exposure.units import tree_sizes
from doxeval.kernels.exposure import expose_units
from doxeval.navigation.base import Navigation

if TYPE_CHECKING:
    from doxeval.exposure.units import Units


def meetings_of(topics: Aligned, reader: Reader, model: Navigation) -> Meetings:
    """The meetings of assessed and retrieved trees; made once for every reading of relevance."""
    units = assessed(topics.ground)

    def make() -> Meetings:
        return meet(model, topics, units.trees, units.pair, result_trees(topics), reader.tree)

    return topics.shared(("meetings", reader.navigation, reader.tree), make)


def changes_in_trees(topics: Aligned, reader: Reader, model: Navigation) -> Changes:
    """Hits need an identical set of nodes, at its first rank; each repetition adds alpha times the value."""
    units = assessed(topics.ground)
    worth = units.worth(reader.rel)
    meetings = meetings_of(topics, reader, model)
    unit, results = meetings.unit, result_trees(topics)
    sizes, others = units.trees.count[unit], results.count[meetings.result]
    same = np.flatnonzero((meetings.common == sizes) & (meetings.common == others))
    _, first = np.unique(unit[same], return_index=True)
    shown = np.zeros(len(unit))
    shown[same[first]] = worth[unit[same[first]]]
    hits, near, misses = expose_units(
        meetings.offset, meetings.result, meetings.chance, shown, worth, len(topics)
    )
    if reader.alpha:
        again = np.setdiff1d(same, same[first])
        np.add.at(hits, meetings.result[again], float(reader.alpha) * worth[unit[again]])
    return Changes(hits, near, misses, totals(topics, units, worth))


def totals(topics: Aligned, units: Units, worth: np.ndarray) -> np.ndarray:
    """The value of all assessed trees of each topic."""
    topic = topics.ground.assessments.pair_topic[units.pair]
    return sums(topic, worth, len(topics.count))


def sizes_of_results(topics: Aligned, size: str) -> np.ndarray:
    """size(t) of every result; what stands for no known node keeps its nominal size."""

    def make() -> np.ndarray:
        trees = result_trees(topics)
        documents = topics.ground.documents
        assert documents is not None
        return np.where(trees.count > 0, tree_sizes(documents, trees, size), topics.size)

    return topics.shared(("tree sizes", size), make)
