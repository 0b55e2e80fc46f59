"""Generalised recall-precision that rewards only unseen text."""

from __future__ import annotations

import numpy as np

from doxeval.core.facts import once
from doxeval.core.keys import key_width, keys
from doxeval.core.parameters import choice
from doxeval.core.ragged import quotient
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.kernels.stretches import paint_first
from doxeval.measurement.families.navigating import IDEAL_ELEMENTS, GradedMeasure
from doxeval.measurement.families.terms import SumOfTerms, Terms
from doxeval.reader.consulted import consulted
from doxeval.reader.units import Elements, assessed_elements, tree_of


class GeneralisedRecallPrecisionOfUnseenText(GradedMeasure, SumOfTerms):
    """Values weighted by unseen text (PRUM C.2).

    Precision: sum of q(specificity) * unseen length / sum of unseen lengths. Recall: sum of q(exhaustivity) *
    unseen length / length, over the sum of q(exhaustivity) of all elements. Codes count their grade / 3, a
    plain value without a code counts as both. A result of several nodes has the mean of their values,
    weighted by length.
    """

    name = "GRPng"
    user = "Reads results in order, skips text seen before, and values each by how specific it is."
    paper = "PRUM C.2 (Goevert, Kazai, Fuhr, Lalmas 2003)"
    parameters = (
        choice("side", "precision recall", "which of the two"),
        IDEAL_ELEMENTS,
    )
    cutoff = "required"
    variants = ("side=recall", "side=recall,ideals=cover")

    def elements(self, ground: Ground) -> Elements:
        side = "spec" if self.given.side == "precision" else "exh"
        return assessed_elements(ground, self.given.ideals, side, by_code=True)

    def defined(self, aligned: Aligned) -> np.ndarray:
        if self.given.side == "precision":
            return super().defined(aligned)
        return self.elements(aligned.ground).total > 0

    def terms(self, aligned: Aligned) -> Terms:
        unseen, elements = unseen_sizes(aligned), self.elements(aligned.ground)
        worth = mean_values(aligned, elements)
        if self.given.side == "precision":
            total = aligned.cumulated(unseen)
            return Terms(
                aligned, aligned.cumulated(worth * unseen), total, "value * unseen text / unseen text"
            )
        gained = aligned.cumulated(worth * quotient(unseen, aligned.size))
        total = elements.total[aligned.topic]
        return Terms(aligned, gained, total, "value * share of unseen text / that of all elements")


def mean_values(aligned: Aligned, elements: Elements) -> np.ndarray:
    """The worth of each result: the mean over its nodes, weighted by length."""
    read = consulted(aligned)
    at = elements.find(read.pair, read.node)
    value = np.where(at >= 0, elements.value[at] if len(elements) else 0.0, 0.0)
    length = tree_of(aligned.ground).lengths(read.doc, read.node)
    worth = np.bincount(read.result, weights=value * length, minlength=len(aligned))
    return quotient(worth, np.bincount(read.result, weights=length, minlength=len(aligned)))


@once
def unseen_sizes(aligned: Aligned) -> np.ndarray:
    """The characters of each result that earlier results of its topic have not shown."""
    result = aligned.result
    _, group = np.unique(aligned.article[result], return_inverse=True)
    width = key_width(aligned.end)
    begin, end = keys(group, aligned.start, width), keys(group, aligned.end, width)
    cuts = np.unique(np.concatenate([begin, end]))
    pieces = np.diff(cuts)
    first = paint_first(np.searchsorted(cuts, begin), np.searchsorted(cuts, end), result, len(pieces))
    painted = first >= 0
    return np.bincount(first[painted], weights=pieces[painted], minlength=len(aligned)).astype(np.int64)
