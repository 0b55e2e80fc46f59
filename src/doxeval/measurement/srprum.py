"""Precision where a desired recall is reached."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from doxeval.core.parameters import Parameter
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.base import register
from doxeval.measurement.families.characters import ratio
from doxeval.measurement.families.exposed import NEARLY, ExposedMeasure, recall_of_base
from doxeval.reader.exposure.expose import Exposure, Reader, expose

RECALL = Parameter(
    "recall", "number", Fraction(1, 2), "the recall (ESRR) at which the reader stops", low=0, high=1
)


@register
class StructuralPrum(ExposedMeasure):
    """CL(C) / C: gains at the first rank C with ESRR >= recall, else at the last (ESR Eqs. 27-29).

    Relevance is made binary, so that each relevant unit is worth at most one rank.
    """

    name = "SRPRUM"
    user = (
        "Consults results until the desired share was seen, and asks how many relevant things a rank brought."
    )
    paper = "ESR Eqs. 27-29"
    parameters = (RECALL, *ExposedMeasure.parameters)
    relevance = "binary"
    example = "SRPRUM(recall=0.5)"

    def reader(self, ground: Ground) -> Reader:
        return replace(super().reader(ground), rel="binary")

    def at_ranks(self, seen: Exposure) -> np.ndarray:
        return ratio(seen.gain, seen.rank)

    def score(self, topics: Aligned) -> np.ndarray:
        seen = expose(topics, self.reader(topics.ground))
        last = topics.count if self.rank is None else np.minimum(topics.count, self.rank)
        reached = np.flatnonzero(recall_of_base(seen) + NEARLY >= float(self.given.recall))
        topic, first = np.unique(topics.topic[reached], return_index=True)
        stop = last.copy()
        stop[topic] = np.minimum(last[topic], seen.rank[reached[first]])
        at = np.where(stop > 0, topics.topic_offset[:-1] + stop - 1, 0)
        value = self.at_ranks(seen)
        return np.where(stop > 0, value[at] if len(value) else 0.0, 0.0)
