"""Shared by the character-level measures: text gained and text shown, rank by rank, in exact integers."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from doxeval.core.facts import once
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.ground.open_text import with_open_text
from doxeval.measurement.families import questions
from doxeval.measurement.families.bounds import (
    Bounds,
    Case,
    Parts,
    extreme_cases,
    has_value,
    open_ranges_seen,
)
from doxeval.measurement.families.terms import SumOfTerms, Terms
from doxeval.measurement.families.weights import Weights


@dataclass(frozen=True)
class Shown:
    """Cumulated over the ranks of each topic: `gain` (relevant text, times `scale`) and `size` (all text).

    `scale` is the denominator of alpha, so gains are integers for any tolerance to repetition.
    """

    gain: np.ndarray
    size: np.ndarray
    scale: int


@once
def shown_by(aligned: Aligned, alpha: Fraction) -> Shown:
    """rsize = fresh + alpha * repeated (ESR Eq. 15), cumulated."""
    gain = alpha.denominator * aligned.fresh
    if alpha:
        gain = gain + alpha.numerator * (aligned.relevant - aligned.fresh)
    return Shown(aligned.cumulated(gain), aligned.cumulated(aligned.cost), alpha.denominator)


class CharacterMeasure(SumOfTerms):
    """A measure of the text shown, in which repeated relevant text is worth `alpha` of new text.

    It is a quotient of gain, text shown and all relevant text, with `weights` that each measure states.
    """

    question = questions.TEXT
    meaning: ClassVar[str]

    @property
    @abstractmethod
    def weights(self) -> Weights:
        """The weights of the quotient."""

    def terms(self, aligned: Aligned) -> Terms:
        shown = self.shown(aligned)
        return self.quotient(aligned, shown.gain, shown.scale * shown.size, self.wanted(aligned))

    def quotient(self, aligned: Aligned, gain: np.ndarray, size: np.ndarray, wanted: np.ndarray) -> Terms:
        """The quotient at every rank, of columns in the unit of gains."""
        total = self.weights.total(gain, size, wanted)
        return Terms(aligned, self.weights.times * gain, total, self.meaning)

    unlocked = True

    def shown(self, aligned: Aligned) -> Shown:
        """Gain and size at every rank."""
        return shown_by(aligned, Fraction(self.given.alpha))

    def wanted(self, aligned: Aligned) -> np.ndarray:
        """All relevant text of the topic, at every rank, in the unit of gains."""
        scale = Fraction(self.given.alpha).denominator
        return (scale * aligned.ground.total_relevant)[aligned.topic]

    def unbounded(self, ground: Ground) -> str:
        alone = self.expression.point is None and not (self.weights.wanted or self.weights.less)
        return "" if alone or not self.given.alpha else "bounds are known only for alpha=0"

    def bounds(self, aligned: Aligned, opened: Ground) -> Bounds:
        aligned = self.read(aligned)
        view, shown = with_open_text(aligned, opened), self.shown(aligned)
        could_gain = shown_by(view, Fraction(self.given.alpha)).gain

        def value(case: Case) -> np.ndarray:
            terms = self.quotient(aligned, case.gain, shown.scale * shown.size, case.wanted)
            return np.where(has_value(aligned, opened), terms.at(self.stop_among(terms, case)), np.nan)

        low, high = map(value, extreme_cases(aligned, view, shown.scale, shown.gain, could_gain))
        return Bounds(low, high, None if self.given.alpha else self._parts(aligned, opened))

    def stop_among(self, terms: Terms, case: Case) -> int | np.ndarray | None:
        """Like :meth:`stop`, with every rank a case of its own."""
        return self.rank

    def _parts(self, aligned: Aligned, opened: Ground) -> Parts | None:
        if self.expression.point is not None:
            return None
        read = aligned if self.rank is None else aligned.top(self.rank)
        gain, size = (read.by_topic.sum(column).astype(np.float64) for column in (read.fresh, read.cost))
        known, still = (ground.total_relevant.astype(np.float64) for ground in (aligned.ground, opened))
        seen = open_ranges_seen(with_open_text(read, opened))
        return Parts(self.weights, gain, size, known, still, seen)

    @property
    def high(self) -> float:
        return most_repeated(float(self.given.alpha), self.rank)


def most_repeated(alpha: float, rank: int | None) -> float:
    """The largest gain in shares of the relevant text: every result may repeat all of it."""
    return 1.0 if not alpha else math.inf if rank is None else 1 + alpha * (rank - 1)


def needed_gain(ground: Ground, scale: int, points: Sequence[Fraction]) -> np.ndarray:
    """For each topic and recall point the least gain that reaches it: gain >= x * T_rel, exactly."""
    whole = int(scale * ground.total_relevant.max(initial=0))
    exact = np.int64 if whole * max(point.numerator for point in points) < 1 << 62 else object
    total = (scale * ground.total_relevant).astype(exact)[:, None]
    above = np.array([point.numerator for point in points], dtype=exact)
    below = np.array([point.denominator for point in points], dtype=exact)
    return (-(-(above * total) // below)).astype(np.int64)
