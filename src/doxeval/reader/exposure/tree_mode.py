"""Exposure for assessed and retrieved trees, compared as sets of nodes (ESR sections 4, 5)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from doxeval.core.facts import once
from doxeval.core.grammar import Call
from doxeval.core.keys import first_of_equals
from doxeval.ground.aligned import Aligned
from doxeval.reader.candidates import kept
from doxeval.reader.consulted import document_of_result, result_trees
from doxeval.reader.exposure.changes import Changes, Reader
from doxeval.reader.exposure.meetings import Encounters, Meetings, changes_at, meet
from doxeval.reader.models import navigation_of
from doxeval.reader.navigation.base import Navigation
from doxeval.reader.trees import Trees
from doxeval.reader.units import assessed_trees, tree_of


def _meetings_of(topics: Aligned, model: Navigation, rule: str) -> Iterator[Meetings]:
    """The meetings of assessed and retrieved trees, which do not depend on relevance."""
    units, results = assessed_trees(topics.ground), result_trees(topics, assessed=not model.crosses)
    for met in meet(model, topics, units.trees, units.pair, results, rule):
        yield met.along(model, topics).keep((met.chance > 0) | (met.common > 0))


@once
def _kept_meetings(topics: Aligned, navigation: Call, rule: str) -> list[Meetings] | None:
    return kept(_meetings_of(topics, navigation_of(topics.ground, navigation), rule))


def changes_in_trees(topics: Aligned, reader: Reader, model: Navigation) -> Changes:
    """The changes: a hit is an identical set of nodes, first shown; repetitions add alpha times the value."""
    worth, repeated = assessed_trees(topics.ground).worth(reader.rel, reader.size), []

    def noted() -> Iterator[Encounters]:
        for block in encounters_of_trees(topics, reader, model):
            met = block.meetings
            again = np.setdiff1d(_identical(topics, met), np.flatnonzero(block.shown))
            repeated.append((met.result[again], met.unit[again]))
            yield block

    hits, near, misses = changes_at(noted(), len(topics))
    if reader.alpha:
        for result, unit in repeated:
            np.add.at(hits, result, float(reader.alpha) * worth[unit])
    return Changes(hits, near, misses, assessed_trees(topics.ground).by_topic.add(worth))


def encounters_of_trees(topics: Aligned, reader: Reader, model: Navigation) -> Iterator[Encounters]:
    """Assessed trees and the results they meet, each tree shown in full by the first identical result."""
    worth = assessed_trees(topics.ground).worth(reader.rel, reader.size)
    rule = reader.tree
    for met in _kept_meetings(topics, model.call, rule) or _meetings_of(topics, model, rule):
        same, shown = _identical(topics, met), np.zeros(len(met))
        first = same[first_of_equals(met.unit[same])]
        shown[first] = worth[met.unit[first]]
        yield Encounters(met, shown, worth[met.first : met.first + len(met.by_unit)])


def _identical(topics: Aligned, meetings: Meetings) -> np.ndarray:
    """The meetings of a tree with itself."""
    sizes = assessed_trees(topics.ground).trees.count[meetings.unit]
    return np.flatnonzero((meetings.common == sizes) & (meetings.common == meetings.others))


def sizes_of_results(topics: Aligned, size: str) -> np.ndarray:
    """size(t) of results that are nodes; a range, or an unknown node, keeps its own size."""
    return topics.size if topics.nodes is None else _sizes_of_nodes(topics, size)


@once
def _sizes_of_nodes(topics: Aligned, size: str) -> np.ndarray:
    assert topics.nodes is not None
    trees = Trees(document_of_result(topics), *topics.nodes)
    return np.where(trees.count > 0, trees.sizes(tree_of(topics.ground), size), topics.size)
