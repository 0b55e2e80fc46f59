"""Gain relative to the gain desired within a number of ranks."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.core.parameters import Parameter
from doxeval.ground.aligned import Aligned
from doxeval.measurement.near_miss_reader import ExposedMeasure
from doxeval.reader.exposure.meetings import Exposure

DESIRED = Parameter(
    "l", "number", Fraction(1), "the share of the recall-base desired", low=Fraction(1, 10**6), high=1
)
RANKS_TO_SPEND = Parameter("m", "integer", None, "the ranks to spend on it; by default the cut-off", low=1)


class NormalisedStructuralGain(ExposedMeasure):
    """CG[i] / CD[i] with CG = E[Hits] and CD[i] = i * l * E[Recall-base] / m (ESR Eqs. 23-25).

    Nothing caps CD beyond rank m, nor CG below it: the value can exceed 1.
    """

    name = "NSRCG"
    user = "Wants a share l of everything within m ranks, at a steady pace, and asks if the list keeps up."
    paper = "ESR Eqs. 23-25"
    parameters = (*ExposedMeasure.parameters, DESIRED, RANKS_TO_SPEND)
    relevance_of_nodes = "length"
    example = "NSRCG(l=1,m=10)@10"
    variants = (*ExposedMeasure.variants, "l=0.5", "l=0.5,m=3")

    @property
    def by_rank(self) -> bool:  # type: ignore[override]
        return self.given.m is not None

    @property
    def high(self) -> float:
        """Everything gained at the cut-off or, without one, at the first rank."""
        return float((self.given.m or 1) / self.given.l) / ((self.rank or 1) if self.by_rank else 1)

    def beside(self, aligned: Aligned) -> dict[str, np.ndarray]:
        terms = self.terms(aligned)
        desired = np.multiply(terms.total, aligned.rank if self.by_rank else 1.0)
        return {"CG": terms.gained, "CD": desired}

    def remarks(self, aligned: Aligned, topic: int) -> tuple[str, ...]:
        within = f"{self.given.m} ranks" if self.by_rank else "the ranks so far"
        return (
            f"CG: gained; CD: desired, {float(self.given.l):g} of the recall-base within {within} "
            "(ESR Eqs. 23, 24)",
        )

    def fraction(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.hits, float(self.given.l) * seen.base / (self.given.m or 1)


class NormalisedNavigatedGain(NormalisedStructuralGain):
    """Like ``NSRCG`` with CG[i] = E[Hits] + E[Near-misses], both of the first i results (ESR Eqs. 32-34).

    Eq. 32 prints the near-misses of the whole list; those of the first i results are meant.
    """

    name = "NSRCG2"
    user = "Like the reader of NSRCG, but also counts what they can reach from the results as gained."
    paper = "ESR Eqs. 32-34"
    gained = "hits and near-misses"
    example = "NSRCG2(l=1,m=10)@10"

    def fraction(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.gain, super().fraction(seen)[1]
