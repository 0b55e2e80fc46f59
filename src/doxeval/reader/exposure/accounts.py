"""The account of every assessed tree: what each result did to its hit, near-miss and miss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.reader.exposure.changes import Reader
from doxeval.reader.exposure.meetings import Encounters
from doxeval.reader.exposure.tree_mode import encounters_of_trees, known_before
from doxeval.reader.models import navigation_of
from doxeval.reader.units import assessed_trees


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
