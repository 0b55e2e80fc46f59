"""Recall, F and intersection over union of the text shown, and what they share with its precision."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.facts import once
from doxeval.core.grammar import Expression
from doxeval.core.parameters import BETA, Parameter
from doxeval.core.quick_class import dataclass
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.ground.open_text import with_open_text
from doxeval.measurement.base import ALPHA
from doxeval.measurement.families import phrases
from doxeval.measurement.families.bounds import (
    Bounds,
    Case,
    Parts,
    extreme_cases,
    has_value,
    open_ranges_seen,
)
from doxeval.measurement.families.terms import SumOfTerms, Terms
from doxeval.measurement.needs_met import completed_text


@dataclass(frozen=True)
class Shown:
    """Characters cumulated over the ranks of each topic: relevant ones gained, and all that were shown.

    Both are times `scale`, the denominator of alpha, so that they are whole numbers for any alpha: shown
    twice, 10 relevant characters are a gain of 10 + 5 for alpha = 1/2, which is 30 at scale 2.
    """

    gain: np.ndarray
    size: np.ndarray
    scale: int


@once
def shown_by(aligned: Aligned, alpha: Fraction) -> Shown:
    """The gain of a result is rsize = fresh + alpha * repeated relevant text (ESR Eq. 15)."""
    gain = alpha.denominator * aligned.fresh
    if alpha:
        gain = gain + alpha.numerator * (aligned.relevant - aligned.fresh)
    size = alpha.denominator * aligned.cost
    return Shown(aligned.cumulated(gain), aligned.cumulated(size), alpha.denominator)


COMPLETE = Parameter(
    "complete",
    "flag",
    False,
    "true: relevant text counts only once all text of a place it is part of has been shown",
)


@once
def completed_by(aligned: Aligned) -> Shown:
    """The gain of a result is the relevant text of the places that it completes."""
    return Shown(aligned.cumulated(completed_text(aligned)), aligned.cumulated(aligned.cost), 1)


class CharacterMeasure(SumOfTerms):
    """A measure of the text shown, in which repeated relevant text is worth `alpha` of new text.

    Each is a quotient of three amounts of text, which it states in :meth:`fraction`.
    """

    question = phrases.TEXT
    meaning: ClassVar[str]
    unlocked = True

    @abstractmethod
    def fraction(self, gain: Any, size: Any, wanted: Any) -> tuple[Any, Any]:
        """Numerator and denominator, linear in the text gained, the text shown and all relevant text."""

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        if self.given.complete and self.given.alpha:
            raise UsageError(
                f"{self.label!r}: text that is repeated completes nothing; leave out alpha or complete"
            )

    @property
    def alpha(self) -> Fraction:
        """The worth of repeated text."""
        return Fraction(self.given.alpha)

    def shown(self, aligned: Aligned) -> Shown:
        """The text gained and shown so far, at each result."""
        return completed_by(aligned) if self.given.complete else shown_by(aligned, self.alpha)

    def terms(self, aligned: Aligned) -> Terms:
        shown = self.shown(aligned)
        wanted = (shown.scale * aligned.ground.total_relevant)[aligned.topic]
        return Terms(aligned, *self.fraction(shown.gain, shown.size, wanted), self.meaning)

    def no_quotient(self, ground: Ground) -> str:
        return "the rank of a recall point differs by topic" if self.expression.point is not None else ""

    def quotients(self, aligned: Aligned) -> tuple[np.ndarray, np.ndarray]:
        read = self.read(aligned)
        shown = self.shown(read)
        gain, size = (read.last(column, self.rank) for column in (shown.gain, shown.size))
        above, below = self.fraction(gain, size, shown.scale * read.ground.total_relevant)
        return np.asarray(above, dtype=np.float64), np.asarray(below, dtype=np.float64)

    def unbounded(self, ground: Ground) -> str:
        if self.given.complete:
            return "unjudged text could complete any place"
        return "bounds are known only for alpha=0" if self.given.alpha else ""

    def bounds(self, aligned: Aligned, opened: Ground) -> Bounds:
        aligned = self.read(aligned)
        view, shown = with_open_text(aligned, opened), shown_by(aligned, self.alpha)
        could_gain = shown_by(view, self.alpha).gain

        def value(case: Case) -> np.ndarray:
            terms = Terms(aligned, *self.fraction(case.gain, shown.size, case.wanted), self.meaning)
            return np.where(has_value(aligned, opened), terms.at(self.stop_among(terms, case)), np.nan)

        low, high = map(value, extreme_cases(aligned, view, shown.scale, shown.gain, could_gain))
        return Bounds(low, high, None if self.given.alpha else self._parts(aligned, opened))

    def stop_among(self, terms: Terms, case: Case) -> int | np.ndarray | None:
        """Like :meth:`stop`, with every rank a case of its own."""
        return self.rank

    def _parts(self, aligned: Aligned, opened: Ground) -> Parts | None:
        if self.expression.point is not None:
            return None
        read = aligned.top(self.rank)
        gain, size = (read.by_topic.sum(column).astype(np.float64) for column in (read.fresh, read.cost))
        known, still = (ground.total_relevant.astype(np.float64) for ground in (aligned.ground, opened))
        seen = open_ranges_seen(with_open_text(read, opened))
        return Parts(self.fraction, gain, size, known, still, seen)

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


class CharacterRecall(CharacterMeasure):
    """Share of the relevant text that has been shown.

    ``iR@r`` = (sum of rsize over the first r results) / T_rel (ESR Eq. 17). With alpha > 0 repeated text is
    counted again and the value may exceed 1. What chunk evaluation calls *recall* is ``iR@k``.
    """

    name = "iR"
    user = "Reads the results in order and asks how much of all relevant text they have seen."
    paper = "ESR Eq. 17 (HiXEval)"
    parameters = (ALPHA, COMPLETE)
    grows = True
    variants = ("alpha=1", "alpha=0.3", "complete=true")
    meaning = "relevant text gained / all relevant text"

    def fraction(self, gain: Any, size: Any, wanted: Any) -> tuple[Any, Any]:
        return gain, wanted


class CharacterF(CharacterMeasure):
    """F of ``iP@r`` and ``iR@r``: (1 + beta^2) P R / (beta^2 P + R).

    Computed from counts as (1 + beta^2) gain / (beta^2 T_rel + sum of sizes), which is the same number.
    """

    name = "F"
    user = "Reads the results in order and wants little waste and few misses, the latter beta times as much."
    paper = "Effort section 3.1 (per document there); INEX char_f1 for beta = 1 over a whole run"
    parameters = (BETA, ALPHA, COMPLETE)
    example = "F(beta=1)@10"
    variants = ("beta=0.25", "beta=2,alpha=0.5", "complete=true")
    meaning = "(1 + beta^2) relevant text gained / (beta^2 all relevant text + all text shown)"

    @property
    def high(self) -> float:
        """Gains are at most the text shown; with repetition they may exceed the relevant text."""
        return 1.0 if not self.given.alpha else 1 + float(self.given.beta**2)

    def fraction(self, gain: Any, size: Any, wanted: Any) -> tuple[Any, Any]:
        squared = float(self.given.beta**2)
        return (1 + squared) * gain, squared * wanted + size


class IntersectionOverUnion(CharacterMeasure):
    """gain / (sum of sizes + T_rel - gain), gain and sizes as in ``iP@k``.

    Text shown twice counts twice in the sum of sizes: overlapping chunks pay for it. This is the *iou* of
    chunk evaluation.
    """

    name = "IoU"
    user = (
        "Puts the first k results into a context window and asks how close that is to just the relevant text."
    )
    paper = "chunk evaluation (token-wise intersection over union), in characters"
    parameters = (ALPHA, COMPLETE)
    example = "IoU@5"
    variants = ("alpha=1", "complete=true")
    meaning = "relevant text gained / (all text shown + relevant text missed)"

    def fraction(self, gain: Any, size: Any, wanted: Any) -> tuple[Any, Any]:
        return gain, size + wanted - gain
