"""Average interpolated precision, the INEX measure of focused retrieval."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np

from doxeval.core.facts import once
from doxeval.core.ragged import quotient
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.ground.open_text import with_open_text
from doxeval.kernels.interpolate import best_from
from doxeval.measurement.base import ALPHA
from doxeval.measurement.characters import needed_gain, shown_by
from doxeval.measurement.families import phrases
from doxeval.measurement.families.averages import POINT_COUNT, MeanOverRecall
from doxeval.measurement.families.bounds import Bounds, Case, extreme_cases, has_value

RECALL_POINTS = [Fraction(step, POINT_COUNT - 1) for step in range(POINT_COUNT)]


class AverageInterpolatedPrecision(MeanOverRecall):
    """Mean of ``iP[x]`` over the 101 recall points 0, 0.01, ..., 1.

    Its mean over topics is INEX's MAiP.
    """

    name = "AiP"
    aliases = ("MAiP",)
    question = phrases.TEXT
    user = "Stops after a random share of the relevant text, any share from 0 to 1 being equally likely."
    no_draws = phrases.EVERY_STOP
    paper = "INEX 2007-10; ESR section 6.2"
    parameters = (ALPHA,)
    example = "AiP"
    variants = ("alpha=1", "alpha=0.5")
    unlocked = True

    def best(self, aligned: Aligned) -> np.ndarray:
        alpha = Fraction(self.given.alpha)
        shown = shown_by(aligned, alpha)
        precision = quotient(shown.gain, shown.size)
        return best_from(aligned.by_topic.offset, shown.gain, precision, _needed(aligned.ground, alpha))

    def reached(self, aligned: Aligned) -> np.ndarray:
        alpha = Fraction(self.given.alpha)
        gain, needed = shown_by(aligned, alpha).gain, _needed(aligned.ground, alpha)
        lists = zip(needed, pairwise(aligned.by_topic.offset.tolist()), strict=True)
        return np.concatenate([np.searchsorted(row, gain[a:b], "right") for row, (a, b) in lists])

    def unbounded(self, ground: Ground) -> str:
        return "bounds are known only for alpha=0" if self.given.alpha else ""

    def bounds(self, aligned: Aligned, opened: Ground) -> Bounds:
        aligned = self.read(aligned)
        view, shown = with_open_text(aligned, opened), shown_by(aligned, Fraction(0))
        points = np.tile(np.arange(POINT_COUNT), (len(aligned.count), 1))

        def value(case: Case) -> np.ndarray:
            reached = (POINT_COUNT - 1) * case.gain // np.maximum(case.wanted, 1)
            best = best_from(aligned.by_topic.offset, reached, quotient(case.gain, shown.size), points)
            return np.where(has_value(aligned, opened), best.mean(axis=1), np.nan)

        low, high = map(value, extreme_cases(aligned, view, 1, shown.gain, aligned.cumulated(view.fresh)))
        return Bounds(low, high)


@once
def _needed(ground: Ground, alpha: Fraction) -> np.ndarray:
    """For each topic and recall point the gain that reaches it, as a multiple of alpha's denominator."""
    return needed_gain(ground, alpha.denominator, RECALL_POINTS)
