"""Hits, near misses and misses, and the precisions and recalls made of them (ESR).

Each measure says in `fraction` what it makes of the exposure of a run to its reader: the expected hits, near
misses and misses after every rank (:mod:`doxeval.reader.exposure`).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.kernels.exposure import best_reaching
from doxeval.measurement.characters import most_repeated
from doxeval.measurement.families.averages import POINT_COUNT, MeanOverRecall
from doxeval.measurement.families.terms import Terms
from doxeval.measurement.near_miss_reader import (
    NEARLY,
    ExposedMeasure,
    recall_of_base,
    recall_with_navigation,
)
from doxeval.reader.exposure.meetings import Exposure

TEXT_SHOWN = ("text", "characters shown")


class Hits(ExposedMeasure):
    """E[Hits]: the value of what was retrieved times the chance not to have reached it before (ESR Eq. 8)."""

    name = "Hits"
    user = "Counts what a result itself shows, unless navigating from earlier results had already shown it."
    paper = "ESR Eq. 8"
    grows = True
    unit = "gain"

    def fraction(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.hits, 1.0


class NearMisses(ExposedMeasure):
    """E[Near-misses]: the value of what was not retrieved times the chance to get there (ESR Eq. 10)."""

    name = "NearMisses"
    user = "Counts what they can reach from the results although none of them shows it."
    paper = "ESR Eq. 10"
    unit = "gain"
    gained = "near-misses"

    def fraction(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.near, 1.0


class AllThereIs(ExposedMeasure):
    """A measure that begins with all there is to gain, and changes with every result."""

    def terms(self, aligned: Aligned) -> Terms:
        everything = self.exposure(aligned).total
        return replace(super().terms(aligned), start=everything, empty=everything)


class Misses(AllThereIs):
    """E[Misses]: the value of what was not retrieved times the chance not to get there (ESR Eq. 9)."""

    name = "Misses"
    user = "Counts what they never see, however they navigate."
    paper = "ESR Eq. 9"
    higher_is_better = False
    unit = "gain"
    gained = "misses"

    def fraction(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.misses, 1.0


class RecallBase(AllThereIs):
    """E[Recall-base] = E[Hits] + E[Near-misses] + E[Misses] (ESR Eq. 11).

    It is all there is unless something retrieved had been reached before; a late hit shrinks it.
    """

    name = "RecallBase"
    user = "Asks how much there was to gain from a list like this one."
    paper = "ESR Eq. 11"
    unit = "gain"
    empty_is_worst = False
    gained = "recall-base"

    def fraction(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.base, 1.0


class StructuralPrecision(ExposedMeasure):
    """E[Hits] / k (ESR Eq. 13); past the end of the list k is still the cut-off."""

    name = "ESRP"
    user = "Consults k results and asks how many of them were relevant and new."
    paper = "ESR Eq. 13"
    relevance = "binary"
    by_rank = True

    def fraction(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.hits, 1.0


class StructuralRecall(ExposedMeasure):
    """(E[Hits] + E[Near-misses]) / E[Recall-base] (ESR Eq. 14).

    It can fall with the rank: a result that was reached before comes too late and loses its share.
    """

    name = "ESRR"
    user = "Navigates from the first k results and asks what share of all there is to gain they have seen."
    paper = "ESR Eq. 14"
    relevance = "binary"
    gained = "hits and near-misses"
    high = 1.0

    def fraction(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.gain, seen.base


class StructuralTextPrecision(ExposedMeasure):
    """E[Hits] / sum of the results' sizes (ESR Eq. 18); ``SRiP[x]`` the largest from recall SRiR2 = x on.

    In text mode without navigation it is ``iP``.
    """

    name = "SRiP"
    user = "Reads the results and asks how much of the reading was relevant and not yet known to them."
    paper = "ESR Eq. 18"
    point = "optional"
    divisor = TEXT_SHOWN
    relevance_of_nodes = "length"

    def fraction(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.hits, seen.size

    @property
    def high(self) -> float:
        """1 if a character is worth at most 1; grades and trees may be worth more than their size."""
        given = self.given
        return 1.0 if given.mode == "text" and given.rel in ("auto", "length", "binary") else math.inf

    def stop(self, terms: Terms) -> int | np.ndarray | None:
        """For ``SRiP[x]``, the rank of the largest value among those that reach the recall."""
        if self.expression.point is None:
            return self.rank
        recall = recall_with_navigation(self.exposure(terms.aligned))
        return terms.best_rank(recall + NEARLY >= float(self.expression.point))


class NavigatedTextPrecision(StructuralTextPrecision):
    """(E[Hits] + E[Near-misses]) / sum of the results' sizes (ESR Eq. 30).

    What is reached counts, but not the text on the way: near-misses can lift it above 1.
    """

    name = "SRiP2"
    user = "Reads the results, navigates from them, and compares all they found with the text retrieved."
    paper = "ESR Eq. 30"
    gained = "hits and near-misses"
    high = math.inf

    def fraction(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.gain, seen.size


class StructuralTextRecall(ExposedMeasure):
    """E[Hits] / T_rel (ESR Eq. 19), T_rel the value of everything relevant.

    In text mode without navigation it is ``iR``; with alpha > 0 repetition can lift it above 1.
    """

    name = "SRiR"
    user = "Reads the results and asks how much of everything relevant was shown before they got there."
    paper = "ESR Eq. 19"
    grows = True
    relevance_of_nodes = "length"
    divisor = ("T_rel", "all there is to gain")

    def fraction(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.hits, seen.total_at_ranks

    @property
    def high(self) -> float:
        """Every result may repeat all there is to gain."""
        return most_repeated(float(self.given.alpha), self.rank)


class NavigatedTextRecall(StructuralTextRecall):
    """(E[Hits] + E[Near-misses]) / T_rel (ESR Eq. 31); like ``ESRR`` it can fall with the rank."""

    name = "SRiR2"
    user = "Reads the results, navigates from them, and asks how much of everything relevant they found."
    paper = "ESR Eq. 31"
    grows = False
    gained = "hits and near-misses"

    def fraction(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.gain, seen.total_at_ranks


class AverageOverRecall(MeanOverRecall, ExposedMeasure):
    """The mean over recall points of an exposed measure's values at all ranks."""

    def recall(self, seen: Exposure) -> np.ndarray:
        """Recall at every rank; by default SRiR2."""
        return recall_with_navigation(seen)

    def looked_at(self, aligned: Aligned) -> Aligned:
        """The whole list: exposure is computed once for all cut-offs."""
        return aligned

    def reached(self, aligned: Aligned) -> np.ndarray:
        seen = self.exposure(aligned)
        reached = np.floor((POINT_COUNT - 1) * (self.recall(seen) + NEARLY)).astype(np.int64) + 1
        return np.where(seen.rank <= (self.rank or len(aligned)), np.minimum(reached, POINT_COUNT), 0)

    def best(self, aligned: Aligned) -> np.ndarray:
        values = self.terms(aligned).at_ranks()
        return best_reaching(aligned.by_topic.offset, self.reached(aligned) - 1, values, POINT_COUNT)


class AverageStructuralPrecision(AverageOverRecall):
    """Mean of ``ESRP`` over the 101 recall points (recall ESRR); its mean over topics is MAESRP."""

    name = "AESRP"
    aliases = ("MAESRP",)
    user = "Stops after a random share of all there is to gain, any share from 0 to 1 being equally likely."
    paper = "ESR section 7, Eqs. 13, 14"
    relevance = "binary"
    by_rank = True
    example = "AESRP"

    def fraction(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.hits, 1.0

    def recall(self, seen: Exposure) -> np.ndarray:
        return recall_of_base(seen)


class AverageStructuralTextPrecision(AverageOverRecall):
    """Mean of ``SRiP[x]`` over the 101 recall points (recall SRiR2); its mean over topics is MASRiP."""

    name = "ASRiP"
    aliases = ("MASRiP",)
    user = "Stops after a random share of the relevant text, and asks how much of the reading was new."
    paper = "ESR section 7, Eqs. 18, 31"
    divisor = TEXT_SHOWN
    relevance_of_nodes = "length"
    example = "ASRiP"

    def fraction(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.hits, seen.size


class AverageNavigatedTextPrecision(AverageOverRecall):
    """Mean of ``SRiP2[x]`` over the 101 recall points (recall SRiR2); its mean over topics is MASRiP2."""

    name = "ASRiP2"
    aliases = ("MASRiP2",)
    user = "Stops after a random share of the relevant text, and counts what could be reached as well."
    paper = "ESR section 7, Eqs. 30, 31"
    gained = "hits and near-misses"
    divisor = TEXT_SHOWN
    relevance_of_nodes = "length"
    example = "ASRiP2"

    def fraction(self, seen: Exposure) -> tuple[np.ndarray, np.ndarray | float]:
        return seen.gain, seen.size
