"""Precision and recall with degrees of relevance."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.families.navigating import (
    IDEAL_ELEMENTS,
    QUANTISATION,
    GradedMeasure,
    consulted_values,
)
from doxeval.measurement.families.terms import SumOfTerms, Terms
from doxeval.reader.consulted import consulted


class GradedPrecision(GradedMeasure, SumOfTerms):
    """Sum of the degrees of relevance of the elements in the list / their number (ERR Eq. 2).

    The nodes of a result count one by one; an element listed again is worth nothing.
    """

    name = "genP"
    user = "Reads k results and asks how relevant the elements were on average."
    paper = "ERR Eq. 2 (Kekalainen, Jarvelin 2002)"
    parameters = (QUANTISATION, IDEAL_ELEMENTS)
    cutoff = "required"
    variants = ("quantisation=strict", "ideals=cover")
    divides_by_list = True

    def terms(self, aligned: Aligned) -> Terms:
        read = consulted(aligned)
        values = consulted_values(aligned, self.elements(aligned.ground))
        worth = aligned.cumulated(np.bincount(read.result, weights=values, minlength=len(aligned)))
        count = aligned.cumulated(np.maximum(1, np.bincount(read.result, minlength=len(aligned))))
        return Terms(aligned, worth, count, "degree of relevance / elements in the list")


class GradedRecall(GradedMeasure, SumOfTerms):
    """Sum of the degrees of relevance of the elements in the list / that of all elements (ERR Eq. 1).

    An element listed again is worth nothing.
    """

    name = "genR"
    user = "Reads k results and asks how much of all relevance their elements held."
    paper = "ERR Eq. 1 (Kekalainen, Jarvelin 2002)"
    parameters = (QUANTISATION, IDEAL_ELEMENTS)
    cutoff = "required"
    grows = True
    variants = ("quantisation=strict", "ideals=cover")

    def defined(self, aligned: Aligned) -> np.ndarray:
        return self.elements(aligned.ground).total > 0

    def terms(self, aligned: Aligned) -> Terms:
        elements = self.elements(aligned.ground)
        values = consulted_values(aligned, elements)
        worth = np.bincount(consulted(aligned).result, weights=values, minlength=len(aligned))
        total = elements.total[aligned.topic]
        return Terms(aligned, aligned.cumulated(worth), total, "degree of relevance / that of all elements")
