"""Expected precision-recall with user modelling: recall reached per result read, reader by reader."""

from __future__ import annotations

import math

import numpy as np

from doxeval.core.grammar import Expression
from doxeval.core.parameters import choice
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.families.navigating import (
    IDEAL_ELEMENTS,
    NAV,
    RECALL,
    STRICT,
    WANTED,
    NavigatingMeasure,
    one_of,
    wanted_elements,
)
from doxeval.reader.fewest import fewest_nodes
from doxeval.reader.ideal_search import precisions


class ExpectedPrumMeasure(NavigatingMeasure):
    """E[least ranks for r ideal elements / first rank with r of them seen], 0 for readers who never do.

    The mean over readers of each reader's ratio, where PRUM takes the ratio of two means; and no reader looks
    beyond the list. ``EPRUM(recall=0.5)`` is r = max(1, ceil(0.5 |I|)), not interpolated. The papers give no
    formula beyond a footnote of ESR, which can be read in two ways. ``ideal=list``: the best list is that of
    the r elements themselves, so a result that shows several of them may raise the value above 1.
    ``ideal=fewest``: it is the fewest nodes that show r of them for certain, possibly by navigation.
    """

    name = "EPRUM"
    user = "Consults and navigates like PRUM's reader; each reader's r is divided by the ranks they needed."
    paper = "ESR footnote 11; PRUM section 2"
    parameters = (
        *(WANTED, RECALL, NAV, IDEAL_ELEMENTS, STRICT),
        choice("ideal", "list fewest", "the best list: the r elements, or the fewest nodes that show them"),
    )
    no_sum = "every reader stops at a different rank, and the value is a mean over readers"
    example = "EPRUM(recall=0.5)"
    variants = (
        "r=1,nav=hierarchical",
        "r=1,ideals=cover",
        "recall=1,quantisation=gen",
        "recall=1,ideal=fewest,nav=t2i(tolerance=0)",
    )

    @property
    def high(self) -> float:
        """One result may show all r elements, which are any number for a share of them."""
        return math.inf if self.given.r is None else float(self.given.r)

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        one_of(self, "r", "recall", needed=True)

    def ignores_grades(self, ground: Ground) -> bool:
        """An element is ideal or not."""
        return True

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        if self.given.ideal == "fewest":
            fewest_nodes(ground, self.search)

    def score(self, aligned: Aligned) -> np.ndarray:
        levels = precisions(aligned, self.search, None, False)
        expected = levels.expected
        if self.given.ideal == "fewest":
            expected = expected * fewest_nodes(aligned.ground, self.search) / (levels.by_topic.place + 1)
        if self.given.r is not None:
            return levels.by_topic.at(expected, self.given.r - 1, np.nan)
        return levels.by_topic.at(expected, wanted_elements(levels.count, self.given.recall) - 1, np.nan)
