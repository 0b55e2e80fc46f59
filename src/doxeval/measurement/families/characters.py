"""What the character-level measures share: text gained and text shown, rank by rank, in exact integers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from doxeval.core.facts import once
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.families.terms import SumOfTerms


@dataclass(frozen=True)
class Shown:
    """Cumulated over the ranks of each topic: `gain` (relevant text, times `scale`) and `size` (all text).

    `scale` is the denominator of alpha, so that gains are integers whatever the tolerance to repetition.
    """

    gain: np.ndarray
    size: np.ndarray
    scale: int


@once
def shown_by(topics: Aligned, alpha: Fraction) -> Shown:
    """rsize = fresh + alpha * repeated (ESR Eq. 15), cumulated."""
    gain = alpha.denominator * topics.fresh
    if alpha:
        gain = gain + alpha.numerator * (topics.relevant - topics.fresh)
    return Shown(topics.cumulated(gain), topics.cumulated(topics.cost), alpha.denominator)


class CharacterMeasure(SumOfTerms):
    """A measure of the text shown, repeated relevant text being worth `alpha` of what it was at first."""

    unlocked = True

    def shown(self, topics: Aligned) -> Shown:
        """Gain and size at every rank."""
        return shown_by(topics, Fraction(self.given.alpha))

    def wanted(self, topics: Aligned) -> np.ndarray:
        """All relevant text of the topic, at every rank, in the unit of gains."""
        scale = Fraction(self.given.alpha).denominator
        return (scale * topics.ground.total_relevant)[topics.topic]

    @property
    def high(self) -> float:
        return most_repeated(float(self.given.alpha), self.rank)


def most_repeated(alpha: float, rank: int | None) -> float:
    """The largest gain in shares of the relevant text: every result may repeat all of it."""
    return 1.0 if not alpha else math.inf if rank is None else 1 + alpha * (rank - 1)


def needed_gain(ground: Ground, scale: int, points: Sequence[Fraction], as_scored: bool) -> np.ndarray:
    """Per topic and recall point the least gain whose recall reaches it: gain >= x * T_rel, exactly.

    As INEX scores it the level reached is floor(100 * recall) in double precision, which denies a recall of
    exactly .29, .57 and .58 its level.
    """
    whole = int(scale * ground.total_relevant.max(initial=0))
    exact = np.int64 if whole * max(point.numerator for point in points) < 1 << 62 else object
    total = (scale * ground.total_relevant).astype(exact)[:, None]
    above = np.array([point.numerator for point in points], dtype=exact)
    below = np.array([point.denominator for point in points], dtype=exact)
    needed = (-(-(above * total) // below)).astype(np.int64)
    if as_scored:
        recall = needed / np.maximum(total, 1).astype(np.float64)
        needed += np.floor(100 * recall) < 100 * above // below
    return needed
