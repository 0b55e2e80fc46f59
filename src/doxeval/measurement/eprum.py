"""Expected precision-recall with user modelling: recall reached over results read, reader by reader."""

from __future__ import annotations

import math

import numpy as np

from doxeval.core.grammar import Expression
from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import register
from doxeval.measurement.families.navigating import (
    IDEAL_ELEMENTS,
    NAV,
    QUANTISATION,
    RECALL,
    WANTED,
    NavigatingMeasure,
    at_recall,
    one_of,
    wanted_elements,
)
from doxeval.reader.search import precisions


@register
class ExpectedPrumMeasure(NavigatingMeasure):
    """E[r / first rank with r ideal elements seen], 0 for readers who never get there.

    A ratio for each reader, then the mean over readers, where PRUM takes the ratio of two means; and nobody
    looks beyond the list. ``EPRUM(recall=0.5)`` is r = max(1, ceil(0.5 |I|)), not interpolated. A result that
    shows several ideal elements at once may bring it above 1. The papers give no formula beyond a footnote of
    ESR: this is our reading of it.
    """

    name = "EPRUM"
    user = "Consults and navigates as PRUM's reader does; each reader's r is divided by the ranks he needed."
    paper = "ESR footnote 11; PRUM section 2"
    parameters = (WANTED, RECALL, NAV, IDEAL_ELEMENTS, QUANTISATION)
    no_sum = "every reader stops at a rank of his own, and the value is a mean over readers"
    example = "EPRUM(recall=0.5)"
    variants = ("r=1,nav=hierarchical", "r=1,ideals=cover", "recall=1,quantisation=strict")

    @property
    def high(self) -> float:
        """One result may show all r; of a share of the ideal elements any number."""
        return math.inf if self.given.r is None else float(self.given.r)

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        one_of(self, "r", "recall", needed=True)

    def score(self, topics: Aligned) -> np.ndarray:
        found = precisions(topics, self.search, None, exact=False)
        if self.given.r is not None:
            return at_recall(found.topic_offset, found.expected, self.given.r)
        return at_recall(found.topic_offset, found.expected, wanted_elements(found.count, self.given.recall))
