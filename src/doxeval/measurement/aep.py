"""Average effort-precision."""

from __future__ import annotations

import numpy as np

from doxeval.core.parameters import Parameter
from doxeval.ground.aligned import Aligned
from doxeval.measurement.ep import each_topic
from doxeval.measurement.families.cumulated_gain import PARAMETERS, GainMeasure


class AverageEffortPrecision(GainMeasure):
    """Mean effort-precision, over the gains that the best list reaches after each of its elements.

    ``AEP(points=100)`` is the mean over 100 equal shares of all gain instead. Its mean over topics is INEX's
    MAep.
    """

    name = "AEP"
    aliases = ("MAep",)
    user = "Stops at a random rank of the best list and asks how much longer the run takes to gain as much."
    paper = "Kazai, Lalmas 2005; ESR section 6"
    parameters = (
        *PARAMETERS,
        Parameter("points", "integer", None, "average over equal shares of all gain instead", low=1),
    )
    no_sum = "it compares a rank of the run with a rank of the best list"
    variants = (*GainMeasure.variants, "points=10")

    def score(self, aligned: Aligned) -> np.ndarray:
        if self.given.points is None:
            return each_topic(aligned, self.gain, lambda best: best)
        shares = np.arange(1, self.given.points + 1) / self.given.points
        return each_topic(aligned, self.gain, lambda best: best[-1] * shares)
