"""Normalised extended cumulated gain."""

from __future__ import annotations

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Expression
from doxeval.core.parameters import Parameter
from doxeval.ground.aligned import Aligned
from doxeval.measurement.families.cumulated_gain import (
    PARAMETERS,
    GainMeasure,
    gained_by_best_list,
    gained_by_results,
)
from doxeval.measurement.families.shares import Shares
from doxeval.measurement.families.terms import Terms


class NormalisedExtendedCumulatedGain(GainMeasure):
    """xCG at k / gain of the best list at k.

    The best list takes, of all elements that hold something relevant, always the one with the largest gain
    (`greedy`), or all by their value alone (`sort`), or the most valuable one of every path from a root to a
    leaf (`paths`, INEX's ideal recall base). A run may gain more than the lists of `sort` and `paths`.
    """

    name = "nXCG"
    user = "Reads k results and compares their worth with the best that k results could be."
    paper = "PRUM C.3; Kazai, Lalmas 2005"
    parameters = (
        *PARAMETERS,
        Parameter("mean", "flag", False, "average the values at ranks 1 to k: INEX's MAnXCG"),
    )
    cutoff = "required"
    variants = (*GainMeasure.variants, "mean=true")

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        if self.rank is None:
            raise UsageError(f"{self.label!r}: {self.name} needs a cut-off in ranks, as in {self.example}")

    @property
    def depth(self) -> int:
        """The cut-off, which is always one in ranks."""
        return self.rank or 0

    def defined(self, topics: Aligned) -> np.ndarray:
        best, _ = gained_by_best_list(topics.ground, self.gain, self.depth)
        return super().defined(topics) & (best.counts > 0)

    def terms(self, topics: Aligned) -> list[Terms]:
        """The quotients whose mean is the value: at the cut-off, or at all ranks up to it."""
        gained = gained_by_results(topics, self.gain)
        best, by_best = gained_by_best_list(topics.ground, self.gain, self.depth)
        meaning = "worth of the result / gain of the best list up to the cut-off"
        totals = [best.last(by_best, rank)[topics.topic] for rank in self._ranks]
        return [Terms(topics, gained, total, meaning) for total in totals]

    @property
    def _ranks(self) -> range:
        return range(1 if self.given.mean else self.depth, self.depth + 1)

    def score(self, topics: Aligned) -> np.ndarray:
        values = [terms.at(rank) for terms, rank in zip(self.terms(topics), self._ranks, strict=True)]
        return np.stack(values, axis=1).mean(axis=1)

    def shares(self, topics: Aligned) -> Shares:
        parts = [terms.shares(rank) for terms, rank in zip(self.terms(topics), self._ranks, strict=True)]
        added = np.mean([part.added for part in parts], axis=0)
        return Shares(topics, added, np.zeros(len(topics.count)), parts[0].meaning)
