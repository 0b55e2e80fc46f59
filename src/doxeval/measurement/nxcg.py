"""Normalised extended cumulated gain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Expression
from doxeval.core.ragged import Ragged
from doxeval.ground.aligned import Aligned
from doxeval.measurement.families.cumulated_gain import (
    GainMeasure,
    gained_by_best_list,
    gained_by_results,
)
from doxeval.measurement.families.terms import SumOfTerms, Terms


class NormalisedExtendedCumulatedGain(GainMeasure, SumOfTerms):
    """xCG at k / gain of the best list at k.

    The best list takes, of all elements that hold something relevant, always the one with the largest gain
    (`greedy`), or all by their value alone (`sort`), or the most valuable one of every path from a root to a
    leaf (`paths`, INEX's ideal recall base). A run may gain more than the lists of `sort` and `paths`.
    """

    name = "nXCG"
    user = "Reads k results and compares their worth with the best that k results could be."
    paper = "PRUM C.3; Kazai, Lalmas 2005"
    cutoff = "required"

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        if self.rank is None:
            raise UsageError(f"{self.label!r}: {self.name} needs a cut-off in ranks, as in {self.example}")

    def defined(self, aligned: Aligned) -> np.ndarray:
        best, _ = self._best(aligned)
        return super().defined(aligned) & (best.counts > 0)

    def terms(self, aligned: Aligned) -> Terms:
        best, by_best = self._best(aligned)
        total = best.last(by_best, self.rank)[aligned.topic]
        meaning = "worth of the result / gain of the best list up to the cut-off"
        return Terms(aligned, gained_by_results(aligned, self.gain), total, meaning)

    def at_ranks(self, aligned: Aligned) -> np.ndarray:
        best, by_best = self._best(aligned, int(aligned.count.max(initial=1)))
        depth = np.minimum(best.counts[aligned.topic], aligned.rank)
        total = np.where(depth > 0, np.append(by_best, 0.0)[best.first[aligned.topic] + depth - 1], 0.0)
        return replace(self.terms(aligned), total=total).at_ranks()

    def _best(self, aligned: Aligned, rank: int | None = None) -> tuple[Ragged, np.ndarray]:
        """The best lists, up to a power of two, so that cut-offs that differ little share them."""
        limit = 1 << ((rank or self.rank or 1) - 1).bit_length()
        return gained_by_best_list(aligned.ground, self.gain, limit)
