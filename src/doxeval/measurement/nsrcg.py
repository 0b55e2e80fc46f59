"""Gain against the gain somebody desires of so many ranks."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.core.parameters import Parameter
from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import register
from doxeval.measurement.families.characters import ratio
from doxeval.measurement.families.exposed import ExposedMeasure
from doxeval.reader.exposure.expose import Exposure, expose

LEVEL = Parameter(
    "l", "number", Fraction(1), "the share of the recall-base desired", low=Fraction(1, 10**6), high=1
)
RANKS = Parameter(
    "m", "integer", None, "the ranks one is willing to spend on it; the cut-off unless given", low=1
)


@register
class NormalisedStructuralGain(ExposedMeasure):
    """CG[i] / CD[i] with CG = E[Hits] and CD[i] = i * l * E[Recall-base] / m (ESR Eqs. 23-25).

    Nothing caps CD beyond rank m, nor CG below it: the value can exceed 1.
    """

    name = "NSRCG"
    user = "Wants a share l of everything within m ranks, evenly, and asks how far along the list keeps up."
    paper = "ESR Eqs. 23-25"
    parameters = (*ExposedMeasure.parameters, LEVEL, RANKS)
    example = "NSRCG(l=1,m=10)@10"

    def at_ranks(self, seen: Exposure) -> np.ndarray:
        return self._share(self.gain(seen), seen.base, seen.rank, seen.rank)

    def gain(self, seen: Exposure) -> np.ndarray:
        """CG at every rank."""
        return seen.hits

    def _share(self, gain: np.ndarray, base: np.ndarray, rank: np.ndarray, spent: np.ndarray) -> np.ndarray:
        desired = spent if self.given.m is None else self.given.m
        return ratio(gain * desired, rank * float(self.given.l) * base)

    def score(self, topics: Aligned) -> np.ndarray:
        seen = expose(topics, self.reader(topics.ground))
        rank = topics.count if self.rank is None else np.full(len(topics.count), self.rank)
        gain, base = topics.last(self.gain(seen), self.rank), topics.last(seen.base, self.rank)
        return self._share(gain, base, rank, rank)
