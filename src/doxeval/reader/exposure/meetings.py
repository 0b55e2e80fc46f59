"""Meetings of units and results: for each unit the results it may be reached from, best first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from doxeval.core.ragged import Ragged, sums_by
from doxeval.ground.aligned import Aligned
from doxeval.kernels.exposure import expose_units
from doxeval.reader.candidates import blocks_of, candidates
from doxeval.reader.navigation.base import Navigation
from doxeval.reader.trees import Trees
from doxeval.reader.units import coverage_letters


@dataclass(eq=False)
class Meetings:
    """The results that the units of a block meet, best first; the first unit has the index `first`.

    `chance` is p(unit; result), `common` the number of nodes that the two share, `others` the number of nodes
    of the result.
    """

    first: int
    by_unit: Ragged
    result: np.ndarray
    chance: np.ndarray
    common: np.ndarray
    others: np.ndarray

    def __len__(self) -> int:
        return len(self.result)

    @property
    def unit(self) -> np.ndarray:
        """The unit of each meeting."""
        return self.first + self.by_unit.row

    def along(self, model: Navigation, aligned: Aligned) -> Meetings:
        """The meetings with the chances of a model that minds the list."""
        if model.minds_list:
            rank = aligned.by_topic.place[self.result] + 1
            self.chance = model.along(self.by_unit, rank, self.chance)
        return self

    def keep(self, matters: np.ndarray) -> Meetings:
        """Only the meetings marked."""
        columns = (self.result, self.chance, self.common, self.others)
        return Meetings(
            self.first, self.by_unit.keep_items(matters), *(column[matters] for column in columns)
        )


@dataclass(eq=False)
class Encounters:
    """Meetings, each with the share of the unit that it shows first; and the worth of every unit."""

    meetings: Meetings
    shown: np.ndarray
    worth: np.ndarray


def changes_at(encounters: Iterable[Encounters], results: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The changes of hits, near-misses and misses by each result."""
    changes = np.zeros(results), np.zeros(results), np.zeros(results)
    for block in encounters:
        met = block.meetings
        expose_units(met.by_unit.offset, met.result, met.chance, block.shown, block.worth, *changes)
    return changes


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
