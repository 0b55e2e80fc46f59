"""Precision where a desired recall is reached."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from doxeval.core.parameters import share
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.base import Measure
from doxeval.measurement.families.terms import Terms
from doxeval.measurement.near_miss_reader import NEARLY, ExposedMeasure, recall_of_base
from doxeval.reader.exposure.meetings import Exposure, Reader

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
