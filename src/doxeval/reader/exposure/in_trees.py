"""Exposure for assessed and retrieved trees, compared as sets of nodes (ESR sections 4, 5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from doxeval.core.facts import once
from doxeval.core.grammar import Call
from doxeval.core.keys import find_keys, first_of_equals, key_width, keys
from doxeval.core.ragged import Ragged, quotient
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.reader.consulted import document_of_result, result_trees, results_by_pair
from doxeval.reader.exposure.meeting_chances import blocks_if_few, meet
from doxeval.reader.exposure.meetings import Changes, Encounters, Meetings, Reader, changes_at
from doxeval.reader.navigation.model import CERTAIN_FROM, Navigation, navigation_of
from doxeval.reader.node_trees import Trees
from doxeval.reader.relevant_text import owned_text
from doxeval.reader.units_sought import assessed_trees, judged_places, tree_of


@once
def text_of_units(ground: Ground) -> tuple[Ragged, np.ndarray, np.ndarray]:
    """The ranges of every assessed tree: the text of its nodes, or the highlighted text that it owns."""
    units = assessed_trees(ground)
    if judged_places(ground) is not None:
        nodes = units.trees.nodes
        start, end = tree_of(ground).extent(units.trees.doc[nodes.row], units.trees.node)
        return nodes.merge(start, end)
    text = owned_text(ground)
    width = key_width(text.node)
    known = keys(units.pair, units.trees.node, width)
    unit = find_keys(known, keys(text.pair, text.node, width))
    ranges, start, end = Ragged.gathered(unit[text.owner], len(units), text.pieces.start, text.pieces.end)
    return ranges, start, end


def shown_before(aligned: Aligned, unit: np.ndarray, result: np.ndarray) -> np.ndarray:
    """The share of each unit's text that results before the given one show, every character counted once."""
    by_pair, by_rank = results_by_pair(aligned)
    pair, width = assessed_trees(aligned.ground).pair[unit], max(1, len(aligned))
    first = by_pair.first[pair]
    count = np.searchsorted(keys(by_pair.row, by_rank, width), keys(pair, result, width)) - first
    earlier = Ragged.of_counts(count)
    before = by_rank[earlier.expand(first) + earlier.place]
    spans, at = aligned.spans.take(before)
    ranges, start, end = text_of_units(aligned.ground)
    asked = earlier.row[spans.row]
    met, piece = ranges.take(unit[asked])
    first = np.maximum(met.expand(aligned.start[at]), start[piece])
    last = np.maximum(np.minimum(met.expand(aligned.end[at]), end[piece]), first)
    shown = Ragged.gathered(met.expand(asked), len(unit), first, last)
    merged, first, last = shown[0].merge(*shown[1:])
    return quotient(merged.sum(last - first), ranges.sum(end - start)[unit])


def _meetings_of(aligned: Aligned, model: Navigation, rule: str) -> Iterator[Meetings]:
    """The meetings of assessed and retrieved trees, which do not depend on relevance."""
    units, results = assessed_trees(aligned.ground), result_trees(aligned, assessed=not model.crosses)
    for met in meet(model, aligned, units.trees, units.pair, results, rule):
        yield met.along(model, aligned).keep((met.chance > 0) | (met.common > 0))


@once
def _kept_meetings(aligned: Aligned, navigation: Call, rule: str) -> list[Meetings] | None:
    return blocks_if_few(_meetings_of(aligned, navigation_of(aligned.ground, navigation), rule))


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
    return np.flatnonzero(shows | (meetings.chance >= CERTAIN_FROM) if reader.hit == "certain" else shows)


def sizes_of_results(aligned: Aligned, size: str) -> np.ndarray:
    """size(t) of results that are nodes; a range, or an unknown node, keeps its own size."""
    return aligned.size if aligned.nodes is None else _sizes_of_nodes(aligned, size)


@once
def _sizes_of_nodes(aligned: Aligned, size: str) -> np.ndarray:
    assert aligned.nodes is not None
    trees = Trees(document_of_result(aligned), *aligned.nodes)
    return np.where(trees.count > 0, trees.sizes(tree_of(aligned.ground), size), aligned.size)


class Account(NamedTuple):
    """A tree after a result that concerns it, or without any: E(a) as hit, near-miss and miss (ESR Eqs. 1-3).

    `chance` is p(a; t_j) from this result (Eq. 4), `reached` p(a; R_j) from all so far (Eq. 5).
    """

    unit: int
    result: int | None
    worth: float
    chance: float | None
    reached: float
    hit: float
    near: float
    miss: float


def accounts(aligned: Aligned, reader: Reader, topic: int) -> list[Account]:
    """The entries of all assessed trees of a topic, tree by tree, best result first."""
    wanted = range(*assessed_trees(aligned.ground).by_topic.offset[topic : topic + 2].tolist())
    model = navigation_of(aligned.ground, reader.navigation)
    entries: list[Account] = []
    for block in encounters_of_trees(aligned, reader, model):
        known, first = known_before(aligned, reader, block), block.meetings.first
        for at in range(len(block.worth)):
            if first + at in wanted:
                entries += _entries(block, known, at, float(reader.alpha))
    return entries


def _entries(block: Encounters, known: np.ndarray, at: int, alpha: float) -> Iterator[Account]:
    met, unit, worth = block.meetings, block.meetings.first + at, float(block.worth[at])
    hidden, unseen, hit = worth, 1.0, 0.0
    rows = met.by_unit.slice(at)
    if rows.start == rows.stop:
        yield Account(unit, None, worth, None, 0.0, 0.0, 0.0, worth)
    for row in range(rows.start, rows.stop):
        shown, chance = float(block.shown[row]), float(met.chance[row])
        hit += max(shown - known[row], 0.0) * unseen + alpha * known[row]
        hidden -= shown
        unseen *= 1.0 - chance
        near, miss = hidden * (1.0 - unseen), hidden * unseen
        yield Account(unit, int(met.result[row]), worth, chance, 1.0 - unseen, float(hit), near, miss)
