"""Precision of the text shown, hits only."""

from __future__ import annotations

import math

import numpy as np

from doxeval.measurement.families.exposed import NEARLY, ExposedMeasure, recall_with_navigation
from doxeval.measurement.families.terms import Terms
from doxeval.reader.exposure.expose import expose


class StructuralTextPrecision(ExposedMeasure):
    """E[Hits] / sum of the results' sizes (ESR Eq. 18); ``SRiP[x]`` the largest from recall SRiR2 = x on.

    In text mode without navigation it is ``iP``.
    """

    name = "SRiP"
    user = "Reads the results and asks how much of the reading was relevant and not yet known to them."
    paper = "ESR Eq. 18"
    point = "optional"
    divided_by = "size"
    relevance_of_nodes = "length"

    @property
    def high(self) -> float:
        """1 if a character is worth at most 1; grades and trees may be worth more than their size."""
        given = self.given
        return 1.0 if given.mode == "text" and given.rel in ("auto", "length", "binary") else math.inf

    def stop(self, terms: Terms) -> int | np.ndarray | None:
        """For ``SRiP[x]``, the rank of the largest value among those that reach the recall."""
        if self.expression.point is None:
            return self.rank
        seen = expose(terms.aligned, self.reader(terms.aligned.ground))
        return terms.best_rank(recall_with_navigation(seen) + NEARLY >= float(self.expression.point))
