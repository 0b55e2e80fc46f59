"""Gain rank by rank (ESR Eqs. 23-29): relative to the gain desired, or where a desired recall is reached."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from doxeval.core.parameters import Parameter, share
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.base import Measure
from doxeval.measurement.families.terms import Terms
from doxeval.measurement.near_miss_reader import NEARLY, ExposedMeasure, recall_of_base
from doxeval.reader.exposure.meetings import Exposure, Reader

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


STOP_RECALL = share("recall", Fraction(1, 2), "the recall (ESRR) at which the reader stops")


class StructuralPrum(ExposedMeasure):
    """CL(C) / C: gains at the first rank C with ESRR >= recall, else at the last (ESR Eqs. 27-29).

    Relevance is binary, so each relevant unit is worth at most one rank.
    """

    name = "SRPRUM"
    user = (
        "Consults results until the desired share was seen, and asks how much each rank brought on average."
    )
    paper = "ESR Eqs. 27-29"
    parameters = (STOP_RECALL, *ExposedMeasure.parameters)
    relevance = "binary"
    relevance_of_nodes = "binary"
    by_rank = True
    gained = "hits and near-misses"
    example = "SRPRUM(recall=0.5)"
    variants = (*ExposedMeasure.variants, "recall=0.2", "recall=0.9,nav=hierarchical")

    def reader(self, ground: Ground) -> Reader:
        return replace(super().reader(ground), rel="binary")

    def fraction(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.gain, 1.0

    def stop(self, terms: Terms) -> np.ndarray:
        seen = self.exposure(terms.aligned)
        count = terms.aligned.count
        last = count if self.rank is None else np.minimum(count, self.rank)
        reached = np.flatnonzero(recall_of_base(seen) + NEARLY >= float(self.given.recall))
        topic, first = np.unique(terms.aligned.topic[reached], return_index=True)
        stop = last.copy()
        stop[topic] = np.minimum(last[topic], seen.rank[reached[first]])
        return stop

    def beside(self, aligned: Aligned) -> dict[str, np.ndarray]:
        seen = self.exposure(aligned)
        return {"CL": seen.gain, "ESRR": recall_of_base(seen)}

    def remarks(self, aligned: Aligned, topic: int) -> tuple[str, ...]:
        recall, terms = float(self.given.recall), self.terms(aligned)
        stop = int(self.stop(terms)[topic])
        reached = stop and terms.lists.at(self.beside(aligned)["ESRR"], stop - 1)[topic] + NEARLY >= recall
        how = "the first rank with" if reached else "the last rank, since none has"
        return (f"CL: hits and near-misses (ESR Eq. 27); C = {stop}, {how} ESRR >= {recall:g} (Eq. 28)",)

    at_ranks = Measure.at_ranks
