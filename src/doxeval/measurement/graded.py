"""Precision and recall with degrees of relevance: of elements, at a share of all relevance, of new text.

`GRP` is precision at a share of all relevance, with ties in random order; `GRPng` rewards only unseen text.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from doxeval.core.facts import once
from doxeval.core.keys import key_width, keys
from doxeval.core.parameters import choice
from doxeval.core.ragged import quotient
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.kernels.stretches import paint_first
from doxeval.measurement.families.navigating import (
    IDEAL_ELEMENTS,
    QUANTISATION,
    RECALL,
    UNIVERSE,
    GradedMeasure,
    consulted_values,
)
from doxeval.measurement.families.terms import SumOfTerms, Terms
from doxeval.reader.consulted import consulted, ties
from doxeval.reader.ideal_search import elements_in_all
from doxeval.reader.units_sought import Elements, assessed_elements, tree_of


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


ROUNDING = 1e-12


class GeneralisedRecallPrecision(GradedMeasure):
    """r / (r + j + i s / (k + 1)) at r = recall * the sum of all values (PRUM Eq. 19).

    j is the irrelevance (1 - value) of all elements before the tie in which r is reached, i and k irrelevance
    and relevance in that tie, s what r still lacks there. Results with equal rank (equal score if there is no
    rank) are tied, the nodes of one result are tied with each other, and all elements that were not retrieved
    form a last tie. An element retrieved again is irrelevant.
    """

    name = "GRP"
    user = "Reads elements, tied ones in random order, until a share of all relevance has been found."
    no_draws = "it finds shares of elements, where readers would find whole ones"
    paper = "PRUM Eq. 19 (Raghavan, Jung, Bollmann 1989)"
    parameters = (
        replace(RECALL, default=Fraction(1, 2), low=Fraction(1, 10**6), help="the share of all relevance"),
        IDEAL_ELEMENTS,
        QUANTISATION,
        UNIVERSE,
    )
    empty_is_worst = False
    no_sum = "it is the precision at a single point, where a share of all relevance is reached"
    example = "GRP(recall=0.5)"
    variants = ("recall=0.2,ideals=cover", "recall=1,quantisation=strict", "universe=100")

    def score(self, aligned: Aligned) -> np.ndarray:
        elements = self.elements(aligned.ground)
        read = consulted(aligned)
        value = consulted_values(aligned, elements)
        topic, relevant, irrelevant = self._ties(aligned, value)
        retrieved = np.bincount(aligned.topic[read.result], weights=value, minlength=len(aligned.count))
        missing = elements_in_all(aligned.ground, self.given.universe) - read.nodes
        scores = np.full(len(aligned.count), np.nan)
        offset = np.searchsorted(topic, np.arange(len(aligned.count) + 1))
        for at in np.flatnonzero(elements.total > 0):
            rows = slice(offset[at], offset[at + 1])
            left = elements.total[at] - retrieved[at]
            good = np.append(relevant[rows], left)
            bad = np.append(irrelevant[rows], max(0.0, missing[at] - left))
            scores[at] = precision_at(float(self.given.recall * Fraction(elements.total[at])), good, bad)
        return scores

    def _ties(self, aligned: Aligned, value: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Topic, relevance and irrelevance of every tie; a result without a known node is one element."""
        read = consulted(aligned)
        worth = np.bincount(read.result, weights=value, minlength=len(aligned))
        count = np.maximum(1, np.bincount(read.result, minlength=len(aligned)))
        first, group = np.unique(ties(aligned).first, return_inverse=True)
        relevant = np.bincount(group, weights=worth, minlength=len(first))
        return aligned.topic[first], relevant, np.bincount(group, weights=count - worth, minlength=len(first))


def precision_at(wanted: float, relevant: np.ndarray, irrelevant: np.ndarray) -> float:
    """PRUM Eq. 19 over the ties of one topic."""
    met = np.cumsum(relevant)
    tie = int(np.argmax(met >= wanted * (1 - ROUNDING)))
    lacking = wanted - (met[tie] - relevant[tie])
    before = irrelevant[:tie].sum()
    return float(wanted / (wanted + before + irrelevant[tie] * lacking / (relevant[tie] + 1)))


class GeneralisedRecallPrecisionOfUnseenText(GradedMeasure, SumOfTerms):
    """Values weighted by unseen text (PRUM C.2).

    Precision: sum of q(specificity) * unseen length / sum of unseen lengths. Recall: sum of q(exhaustivity) *
    unseen length / length, over the sum of q(exhaustivity) of all elements. Codes count their grade / 3, a
    plain value without a code counts as both. A result of several nodes has the mean of their values,
    weighted by length; one that shows a part of a node is as much of it.
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
        gained = aligned.cumulated(worth * quotient(unseen, element_lengths(aligned)))
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


def element_lengths(aligned: Aligned) -> np.ndarray:
    """The length of the element that each result is, or is a part of."""
    read = consulted(aligned)
    lengths = aligned.size.copy()
    np.maximum.at(lengths, read.result, tree_of(aligned.ground).lengths(read.doc, read.node))
    return lengths


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
