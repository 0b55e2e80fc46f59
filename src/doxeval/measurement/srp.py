"""Structural relevance per rank."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import register
from doxeval.measurement.families.characters import ratio
from doxeval.measurement.families.shares import Shares, spread
from doxeval.measurement.sr import StructuralRelevance


@register
class StructuralRelevancePrecision(StructuralRelevance):
    """SR / k (SR Eq. 2); past the end of the list k is still the cut-off."""

    name = "SRP"
    user = "Consults k trees and asks how much new relevance each brought on average."
    paper = "SR Eq. 2; ESR Eq. 12"
    grows = False
    example = "SRP@10"

    def shares(self, topics: Aligned) -> Shares:
        rank = topics.count if self.rank is None else np.full(len(topics.count), self.rank)
        sum_of = super().shares(topics)
        return Shares.of_results(topics, spread(topics, sum_of.added, rank), f"{sum_of.meaning}, per rank")

    def score(self, topics: Aligned) -> np.ndarray:
        rank = topics.count if self.rank is None else np.full(len(topics.count), self.rank)
        return ratio(super().score(topics), rank)
