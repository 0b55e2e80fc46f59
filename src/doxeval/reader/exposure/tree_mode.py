"""Exposure for assessed and retrieved trees, compared as sets of nodes (ESR sections 4, 5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from doxeval.core.facts import once
from doxeval.core.grammar import Call
from doxeval.core.keys import first_of_equals
from doxeval.ground.aligned import Aligned
from doxeval.reader.candidates import kept
from doxeval.reader.consulted import document_of_result, result_trees
from doxeval.reader.exposure.changes import Changes, Reader
from doxeval.reader.exposure.meetings import Encounters, Meetings, changes_at, meet
from doxeval.reader.exposure.overlap import shown_before
from doxeval.reader.models import navigation_of
from doxeval.reader.navigation.base import CERTAIN, Navigation
from doxeval.reader.trees import Trees
from doxeval.reader.units import assessed_trees, tree_of


def _meetings_of(aligned: Aligned, model: Navigation, rule: str) -> Iterator[Meetings]:
    """The meetings of assessed and retrieved trees, which do not depend on relevance."""
    units, results = assessed_trees(aligned.ground), result_trees(aligned, assessed=not model.crosses)
    for met in meet(model, aligned, units.trees, units.pair, results, rule):
        yield met.along(model, aligned).keep((met.chance > 0) | (met.common > 0))


@once
def _kept_meetings(aligned: Aligned, navigation: Call, rule: str) -> list[Meetings] | None:
    return kept(_meetings_of(aligned, navigation_of(aligned.ground, navigation), rule))


def changes_in_trees(aligned: Aligned, reader: Reader, model: Navigation) -> Changes:
    """The changes: a hit is a tree first shown; what was shown before adds alpha times its value.

    With `overlap="repeated"`, a hit's text is split as ESR 7.5 proposes: of the share o that earlier results
    show, alpha is gained, and of the rest what ESR Eq. 8 grants, so a hit is worth
    rel * ((1 - o) * (1 - p) + alpha * o). A tree shown again is the case o = 1.
    """
    worth = assessed_trees(aligned.ground).worth(reader.rel, reader.size)
    again, spent = np.zeros(len(aligned)), np.zeros(len(aligned))

    def noted() -> Iterator[Encounters]:
        for block in encounters_of_trees(aligned, reader, model):
            if reader.alpha or reader.overlap == "repeated":
                known = known_before(aligned, reader, block)
                np.add.at(again, block.meetings.result, known)
                old = replace(block, shown=np.minimum(known, block.shown))
                spent[:] += changes_at([old], len(aligned))[0]
            yield block

    hits, near, misses = changes_at(noted(), len(aligned))
    hits = hits - spent + float(reader.alpha) * again
    return Changes(hits, near, misses, assessed_trees(aligned.ground).by_topic.add(worth))


def known_before(aligned: Aligned, reader: Reader, block: Encounters) -> np.ndarray:
    """For each meeting that shows its unit, the worth of what earlier results have shown of it."""
    met, known = block.meetings, np.zeros(len(block.meetings))
    shows, first = _showing(aligned, reader, met), np.flatnonzero(block.shown)
    known[shows] = block.worth[met.by_unit.row[shows]]
    known[first] *= (
        shown_before(aligned, met.unit[first], met.result[first]) if reader.overlap == "repeated" else 0.0
    )
    return known


def encounters_of_trees(aligned: Aligned, reader: Reader, model: Navigation) -> Iterator[Encounters]:
    """Assessed trees and the results they meet, each tree shown in full by the first that shows it."""
    worth = assessed_trees(aligned.ground).worth(reader.rel, reader.size)
    rule = reader.tree
    for met in _kept_meetings(aligned, model.call, rule) or _meetings_of(aligned, model, rule):
        shows, shown = _showing(aligned, reader, met), np.zeros(len(met))
        first = shows[first_of_equals(met.unit[shows])]
        shown[first] = worth[met.unit[first]]
        yield Encounters(met, shown, worth[met.first : met.first + len(met.by_unit)])


def _showing(aligned: Aligned, reader: Reader, meetings: Meetings) -> np.ndarray:
    """The meetings that show their tree: with itself or, with `hit="certain"`, with any that leads there."""
    sizes = assessed_trees(aligned.ground).trees.count[meetings.unit]
    shows = (meetings.common == sizes) & (meetings.common == meetings.others)
    return np.flatnonzero(shows | (meetings.chance >= CERTAIN) if reader.hit == "certain" else shows)


def sizes_of_results(aligned: Aligned, size: str) -> np.ndarray:
    """size(t) of results that are nodes; a range, or an unknown node, keeps its own size."""
    return aligned.size if aligned.nodes is None else _sizes_of_nodes(aligned, size)


@once
def _sizes_of_nodes(aligned: Aligned, size: str) -> np.ndarray:
    assert aligned.nodes is not None
    trees = Trees(document_of_result(aligned), *aligned.nodes)
    return np.where(trees.count > 0, trees.sizes(tree_of(aligned.ground), size), aligned.size)
