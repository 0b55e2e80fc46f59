"""Precision with degrees of relevance."""

from __future__ import annotations

import numpy as np

from doxeval.alignment.aligned import Aligned
from doxeval.ideals.consulted import consulted
from doxeval.measures.base import register
from doxeval.measures.characters import ratio
from doxeval.measures.graded import consulted_values, degrees
from doxeval.measures.navigating import IDEAL_ELEMENTS, QUANTISATION, ElementMeasure


@register
class GeneralisedPrecision(ElementMeasure):
    """Sum of the degrees of relevance of the elements in the list / their number (ERR Eq. 2).

    The nodes of a result count one by one; an element listed again is worth nothing the second time.
    """

    name = "genP"
    user = "Reads k results and asks how relevant the elements were on average."
    paper = "ERR Eq. 2 (Kekalainen, Jarvelin 2002)"
    parameters = (QUANTISATION, IDEAL_ELEMENTS)
    cutoff = "required"
    example = "genP@10"

    def score(self, topics: Aligned) -> np.ndarray:
        read = consulted(topics)
        values = consulted_values(topics, degrees(self, topics, self.given.quantisation))
        worth = topics.cumulated(np.bincount(read.result, weights=values, minlength=len(topics)))
        count = topics.cumulated(np.maximum(1, np.bincount(read.result, minlength=len(topics))))
        return topics.last(ratio(worth, count), self.rank)
