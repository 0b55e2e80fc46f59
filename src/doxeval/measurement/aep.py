"""Average effort-precision."""

from __future__ import annotations

import numpy as np

from doxeval.core.parameters import Parameter
from doxeval.ground.aligned import Aligned
from doxeval.measurement.ep import each_topic
from doxeval.measurement.families.cumulated_gain import PARAMETERS, GainMeasure


class AverageEffortPrecision(GainMeasure):
    """Mean of the effort-precision at what the best list has gained after each of its elements.

    ``AEP(points=100)`` is the mean over 100 equal shares of all gain instead. Its mean over topics is INEX's
    MAep.
    """

    name = "AEP"
    aliases = ("MAep",)
    user = (
        "Stops at some rank of the best list, every one being equally likely, and asks how late the run is."
    )
    paper = "Kazai, Lalmas 2005; ESR section 6"
    parameters = (
        *PARAMETERS,
        Parameter("points", "integer", None, "so many equal shares of all gain instead", low=1),
    )
    no_sum = "it compares two ranks, that of the run and that of the best list"
    variants = (*GainMeasure.variants, "points=10")

    def score(self, topics: Aligned) -> np.ndarray:
        if self.given.points is None:
            return each_topic(topics, self.gain, lambda best: best)
        shares = np.arange(1, self.given.points + 1) / self.given.points
        return each_topic(topics, self.gain, lambda best: best[-1] * shares)
