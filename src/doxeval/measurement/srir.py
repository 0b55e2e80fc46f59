"""Recall of relevant text, hits only."""

from __future__ import annotations

import numpy as np

from doxeval.measurement.base import register
from doxeval.measurement.families.characters import ratio
from doxeval.measurement.families.exposed import ExposedMeasure
from doxeval.reader.exposure.expose import Exposure


@register
class StructuralTextRecall(ExposedMeasure):
    """E[Hits] / T_rel (ESR Eq. 19), T_rel the value of everything relevant.

    In text mode without navigation it is ``iR``; with alpha > 0 repetition can lift it above 1.
    """

    name = "SRiR"
    user = (
        "Reads the results and asks how much of everything relevant they showed before he got there himself."
    )
    paper = "ESR Eq. 19"
    grows = True
    counts = "hits"
    example = "SRiR@10"

    @property
    def high(self) -> float:
        return float("inf") if self.given.alpha > 0 else 1.0

    def at_ranks(self, seen: Exposure) -> np.ndarray:
        return ratio(seen.hits, seen.total_at_ranks)
