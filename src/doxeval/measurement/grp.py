"""Generalised recall-precision: precision at a share of all relevance, with ties in random order."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.families.navigating import (
    IDEAL_ELEMENTS,
    QUANTISATION,
    RECALL,
    UNIVERSE,
    GradedMeasure,
    consulted_values,
)
from doxeval.reader.consulted import consulted, ties
from doxeval.reader.ideal_search import elements_in_all

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
