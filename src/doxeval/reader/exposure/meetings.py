"""Meetings: the one idea behind hits, near misses and misses.

Something relevant, a *unit*, is an assessed tree, or the highlighted text of one node. Going down the list,
it *meets* results. A result may show some of the unit, and may lead readers to the rest with a chance p. All
that is expected of a unit follows from two numbers that every meeting changes: how much of its worth is still
*hidden*, and the share of readers by whom it is still *unseen*.

    a meeting shows an amount     hits += amount * unseen;  hidden -= amount
    and leads to the rest by p    unseen *= 1 - p
    what is hidden after it       near miss = hidden * (1 - unseen),  miss = hidden * unseen

A unit worth 10 that meets three results:

    result                          hits   hidden   unseen   near miss   miss
    (before the list)                  0       10        1           0     10
    1  leads to it by p = 0.5          0       10      0.5           5      5
    2  shows 4 of it, p = 0            2        6      0.5           3      3
    3  shows the rest, p = 0           5        0      0.5           0      0

Half of the readers had got to the unit by navigation before results 2 and 3 showed it to them: for these the
hits come too late, and E[Recall-base], their sum with near misses and misses, has shrunk from 10 to 5 (ESR
Eqs. 1-11). :mod:`.meeting_chances` says which units and results meet, and by which p; :mod:`.in_trees` and
:mod:`.in_text` what units are and how much of them a result shows; the compiled loop over the table above is
:func:`doxeval.kernels.exposure.expose_units`. Readers who read on from shown text, character by character,
have no meetings but gaps (:mod:`.reading_on`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from doxeval.core.grammar import Call
from doxeval.core.ragged import Ragged
from doxeval.ground.aligned import Aligned, ByTopic
from doxeval.kernels.exposure import expose_units
from doxeval.reader.navigation.model import Navigation


@dataclass(frozen=True)
class Reader:
    """Everything that decides what is seen: the navigation model and the treatment of relevance and trees.

    `hit` and `overlap` concern assessed trees: which of them are hits (ESR Eq. 6 or its footnote 6), and
    whether their text that earlier results have shown counts as new (ESR Eq. 8) or as repeated (ESR 7.5).
    """

    navigation: Call
    mode: str
    rel: str
    alpha: Fraction
    tree: str
    size: str
    hit: str = "identical"
    overlap: str = "new"


@dataclass(eq=False)
class Exposure(ByTopic):
    """Per topic and rank, cumulated: E[Hits], E[Near-misses], E[Misses] (ESR Eqs. 8-10) and text shown.

    Columns are in the order of the aligned results, `by_topic`; `total` is all there is to gain in each topic
    (T_rel).
    """

    by_topic: Ragged
    hits: np.ndarray
    near: np.ndarray
    misses: np.ndarray
    size: np.ndarray
    total: np.ndarray

    @property
    def gain(self) -> np.ndarray:
        """Hits and near-misses."""
        return self.hits + self.near

    @property
    def base(self) -> np.ndarray:
        """E[Recall-base] (ESR Eq. 11)."""
        return self.hits + self.near + self.misses

    @property
    def total_at_ranks(self) -> np.ndarray:
        """The topic's total, at each of its ranks."""
        return self.by_topic.expand(self.total)


@dataclass(eq=False)
class Changes:
    """The changes of hits, near-misses and misses by each result, and the total of each topic."""

    hits: np.ndarray
    near: np.ndarray
    misses: np.ndarray
    total: np.ndarray

    @classmethod
    def mean(cls, parts: Iterable[tuple[float, Changes]], results: int, total: np.ndarray) -> Changes:
        """The weighted sum over several kinds of readers."""
        mean = cls(np.zeros(results), np.zeros(results), np.zeros(results), total)
        for weight, part in parts:
            mean.hits += weight * part.hits
            mean.near += weight * part.near
            mean.misses += weight * part.misses
        return mean


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
