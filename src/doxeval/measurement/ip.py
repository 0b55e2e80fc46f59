"""Precision of the text shown: at a rank, within a budget, or interpolated at a recall point."""

from __future__ import annotations

from typing import Any

import numpy as np

from doxeval.ground.ground import Ground
from doxeval.measurement.base import ALPHA
from doxeval.measurement.characters import COMPLETE, CharacterMeasure, needed_gain
from doxeval.measurement.families.bounds import Case
from doxeval.measurement.families.terms import Terms


class CharacterPrecision(CharacterMeasure):
    """Share of the text shown that is relevant.

    ``iP@r`` = (sum of rsize over the first r results) / (sum of their sizes), with rsize = rel - (1 - alpha)
    times the relevant text that was shown before (ESR Eqs. 15, 16). ``iP[x]`` is the largest such precision
    at a rank where recall is at least x, 0 if x is never reached; recall is compared in integers.

    What chunk evaluation calls *precision* is ``iP@k``.

    References: Kamps et al., INEX 2007 evaluation measures; ESR section 6.2.
    """

    name = "iP"
    user = "Reads the results in order, each to its end, and asks how much of the reading was worth it."
    paper = "ESR Eqs. 15, 16 (HiXEval); INEX 2007-10 for iP[x]"
    parameters = (ALPHA, COMPLETE)
    point = "optional"
    variants = ("alpha=1", "alpha=0.5", "complete=true")
    high = 1.0
    meaning = "relevant text gained / all text shown"

    def fraction(self, gain: Any, size: Any, wanted: Any) -> tuple[Any, Any]:
        return gain, size

    def stop(self, terms: Terms) -> int | np.ndarray | None:
        """For ``iP[x]``, the rank of the largest precision among those that reach the recall."""
        if self.expression.point is None:
            return self.rank
        aligned = terms.aligned
        needed = needed_gain(aligned.ground, self.alpha.denominator, [self.expression.point])[:, 0]
        return terms.best_rank(terms.gained >= aligned.by_topic.expand(needed))

    def unbounded(self, ground: Ground) -> str:
        return "" if self.expression.point is None else super().unbounded(ground)

    def stop_among(self, terms: Terms, case: Case) -> int | np.ndarray | None:
        point = self.expression.point
        if point is None:
            return self.rank
        return terms.best_rank(case.gain * point.denominator >= case.wanted * point.numerator)
