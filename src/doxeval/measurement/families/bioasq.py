"""Shared by the average precisions of BioASQ: at most ten of anything are wanted."""

from __future__ import annotations

import math

import numpy as np

from doxeval.core.parameters import Parameter
from doxeval.ground.aligned import Aligned
from doxeval.measurement.families.terms import SumOfTerms, Terms

MOST = 10


class AverageOfWanted(SumOfTerms):
    """Sum of precision at the results that count / min(10, number wanted)."""

    parameters = (
        Parameter(
            "divisor", "choice", "least", "divisor of the sum: the smaller of ten and the number wanted "
            "(BioASQ since 2020), or always ten (2017 to 2019)", choices=("least", "ten"),
        ),
    )  # fmt: skip
    cutoff = "optional"
    variants = ("divisor=ten",)

    @property
    def high(self) -> float:
        return math.inf

    def average(
        self, aligned: Aligned, counts: np.ndarray, precision: np.ndarray, wanted: np.ndarray, words: str
    ) -> Terms:
        """The terms, from the precision where a result counts and the number wanted in each topic."""
        total = np.full(len(wanted), MOST) if self.given.divisor == "ten" else np.minimum(MOST, wanted)
        gained = aligned.cumulated(np.where(counts, precision, 0.0))
        return Terms(aligned, gained, total[aligned.topic], words)
