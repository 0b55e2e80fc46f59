"""F-measure of the text shown."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.core.parameters import Parameter
from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import ALPHA, Measure, register
from doxeval.measurement.families.characters import Shown, ratio
from doxeval.measurement.families.shares import Shares, spread, steps, within_rank


@register
class CharacterF(Measure):
    """F of ``iP@r`` and ``iR@r``: (1 + beta^2) P R / (beta^2 P + R).

    Computed from counts as (1 + beta^2) gain / (beta^2 T_rel + sum of sizes), which is the same number.
    """

    name = "F"
    user = "Reads the results in order and wants little waste and nothing missed, recall beta times as much."
    paper = "Effort section 3.1 (per document there); INEX char_f1 for beta = 1 over a whole run"
    parameters = (
        Parameter("beta", "number", Fraction(1), "how much more recall matters than precision", low=0),
        ALPHA,
    )
    cutoff = "optional"
    example = "F(beta=1)@10"

    @property
    def high(self) -> float:
        return float("inf") if self.given.alpha > 0 else 1.0

    def score(self, topics: Aligned) -> np.ndarray:
        shown = Shown.of(topics, self.given.alpha)
        gain, size = topics.last(shown.gain, self.rank), topics.last(shown.size, self.rank)
        squared = float(self.given.beta**2)
        wanted = shown.scale * topics.ground.total_relevant
        return ratio((1 + squared) * gain, squared * wanted + shown.scale * size)

    def shares(self, topics: Aligned) -> Shares:
        shown = Shown.of(topics, self.given.alpha)
        squared = float(self.given.beta**2)
        below = shown.scale * (squared * topics.ground.total_relevant + topics.last(shown.size, self.rank))
        gain = np.where(within_rank(topics, self.rank), (1 + squared) * steps(topics, shown.gain), 0)
        meaning = "(1 + beta^2) relevant text gained / (beta^2 all relevant text + all text shown)"
        return Shares.of_results(topics, spread(topics, gain, below), meaning)
