"""Normalised extended cumulated gain."""

from __future__ import annotations

import math

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Expression
from doxeval.core.parameters import Parameter
from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import register
from doxeval.measurement.families.characters import ratio
from doxeval.measurement.families.cumulated_gain import PARAMETERS, GainMeasure, gained_at


@register
class NormalisedExtendedCumulatedGain(GainMeasure):
    """xCG at k / what the best list has gained at k.

    The best list takes, of all elements that hold something relevant, the one with the largest gain each time
    (`greedy`), or all by their value alone (`sort`), or the most valuable one of every path from a root to a
    leaf (`paths`, INEX's ideal recall base). Against `sort` and `paths` a run may gain more than the list.
    """

    name = "nXCG"
    user = "Reads k results and compares what they were worth with the best that k results could be."
    paper = "PRUM C.3; Kazai, Lalmas 2005"
    parameters = (
        *PARAMETERS,
        Parameter("mean", "flag", False, "the mean of the values at ranks 1 to k: INEX's MAnXCG"),
    )
    cutoff = "required"
    example = "nXCG@10"

    @property
    def high(self) -> float:
        """The greedy list is not always the best, the others need not be."""
        return math.inf

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        if self.rank is None:
            raise UsageError(f"{self.label!r}: {self.name} is cut after ranks, as in {self.example}")

    def score(self, topics: Aligned) -> np.ndarray:
        assert self.rank is not None
        best = self.gain.of_best_list(topics.ground, self.rank)
        ranks = range(1 if self.given.mean else self.rank, self.rank + 1)
        found = [ratio(topics.last(self.gain.of_results(topics), k), gained_at(best, k)) for k in ranks]
        return np.where(np.diff(best[0]) > 0, np.stack(found, axis=1).mean(axis=1), np.nan)
