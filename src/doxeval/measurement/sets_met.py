"""Measures of alternative sets of places: which of them results have completed."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction

import numpy as np

from doxeval.core.facts import once
from doxeval.core.grammar import Expression
from doxeval.core.parameters import Parameter
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.ground.need_sets import sets_of
from doxeval.measurement.base import Measure
from doxeval.measurement.families.terms import Shares, Terms
from doxeval.measurement.needs_met import PART, OfNeeds, complete_at, shown_at

POINTS = Parameter(
    "points", "flag", False,
    "true: the results of a set count as one rank, that of the last of them, as in KILT's scorer",
)  # fmt: skip


@once
def points_of_sets(aligned: Aligned, part: Fraction) -> np.ndarray:
    """The rank of each set in the list of points, from 1; 0 for a set that is not complete.

    A set with something found is one point, at the result that was the last to find something of it, in the
    order of the sets; a result that finds nothing is a point of its own.
    """
    sets, results = sets_of(aligned.ground), len(aligned)
    met = sets.met(shown_at(aligned, part), results)
    last = np.full(len(sets.topic), -1, dtype=np.int64)
    found = met < results
    np.maximum.at(last, sets.of[found], met[found])
    nothing = np.setdiff1d(np.arange(results), met[found])
    begun = np.flatnonzero(last >= 0)
    order = np.lexsort((np.append(begun, nothing * 0), np.append(last[begun], nothing)))
    topic = np.append(sets.topic[begun], aligned.topic[nothing])[order]
    ranks = np.zeros(len(sets.topic), dtype=np.int64)
    before = np.searchsorted(topic, topic)
    is_set = order < len(begun)
    ranks[begun[order[is_set]]] = (np.arange(len(order)) - before + 1)[is_set]
    complete = complete_at(aligned, part) < results
    return np.where(complete, ranks, 0)


class OfSets(OfNeeds):
    """A measure of the sets completed; with `points`, ranks are those of sets and of other results."""

    parameters = (PART, POINTS)
    variants = ("part=0.5", "points=true")

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        if self.given.points:
            self.first_ranks_tell = False
            self.no_sum = "the results of a set count as one rank"

    @abstractmethod
    def total(self, aligned: Aligned) -> np.ndarray | float:
        """The number that complete sets are divided by, for each topic or for all."""

    def score(self, aligned: Aligned) -> np.ndarray:
        if not self.given.points:
            return super().score(aligned)
        ranks, topic = points_of_sets(aligned, self.given.part), sets_of(aligned.ground).topic
        counts = (ranks > 0) & (ranks <= (len(aligned) if self.rank is None else self.rank))
        complete = np.bincount(topic[counts], minlength=len(aligned.count))
        return complete / np.maximum(self.total(aligned), 1)

    def shares(self, aligned: Aligned) -> Shares:
        return None if self.given.points else super().shares(aligned)  # type: ignore[return-value]

    def at_ranks(self, aligned: Aligned) -> np.ndarray:
        return Measure.at_ranks(self, aligned) if self.given.points else super().at_ranks(aligned)

    def completed(self, aligned: Aligned) -> np.ndarray:
        """The number of sets completed so far, at each result."""
        at = complete_at(aligned, self.given.part)
        return aligned.cumulated(np.bincount(at, minlength=len(aligned) + 1)[: len(aligned)])


class Complete(OfSets):
    """1 if the results shown so far have met all needs of the topic, else 0.

    ``Complete@k`` is 1 where ``NeedRecall@k`` is; the mean over topics is the share of questions that can be
    answered from the first k results. The result that meets the last need gets the credit. Where a topic can
    be answered by any one of several sets of places, all needs of one of them are enough; with
    ``points=true`` it is then KILT's success_rate@k.
    """

    name = "Complete"
    user = "Cannot answer at all until every hop of the question has been read."
    paper = "the all-supporting-facts recall of multi-hop question answering (HotpotQA, 2018), on text"

    def total(self, aligned: Aligned) -> np.ndarray | float:
        return 1.0

    def score(self, aligned: Aligned) -> np.ndarray:
        return np.minimum(super().score(aligned), 1.0)

    def terms(self, aligned: Aligned) -> Terms:
        sets, results = sets_of(aligned.ground), len(aligned)
        first = np.full(len(aligned.count), results, dtype=np.int64)
        np.minimum.at(first, sets.topic, complete_at(aligned, self.given.part))
        last = np.bincount(first, minlength=results + 1)[:results]
        return Terms(aligned, aligned.cumulated(last), 1.0, "the last need is met")


class SetRecall(OfSets):
    """Share of the topic's alternative sets of places that the results shown so far have completed.

    ``SetRecall@k`` = complete sets / sets. A set is complete when all needs that its places answer have been
    met at places of the set (see ``NeedRecall``). Sets of the same places count once; a topic whose places
    name no set has one of all its needs. With ``points=true`` and a cut-off it is KILT's recall@k.
    """

    name = "SetRecall"
    user = "Wants every complete line of evidence there is, though one would do."
    paper = "recall@k of KILT (Petroni et al. 2021), on text"

    def total(self, aligned: Aligned) -> np.ndarray | float:
        return sets_of(aligned.ground).per_topic(len(aligned.count))

    def no_quotient(self, ground: Ground) -> str:
        return ""

    def quotients(self, aligned: Aligned) -> tuple[np.ndarray, np.ndarray]:
        read = self.read(aligned)
        sets = sets_of(read.ground).per_topic(len(read.count)).astype(np.float64)
        return np.rint(self.score(read) * np.maximum(sets, 1)), sets

    def terms(self, aligned: Aligned) -> Terms:
        total = sets_of(aligned.ground).per_topic(len(aligned.count))[aligned.topic]
        return Terms(aligned, self.completed(aligned), total, "sets completed by this result / sets")


class SetPrecision(OfSets):
    """Complete sets of places, divided by the number of ranks read.

    ``SetPrecision@k`` = sets completed by the first k results / k. With ``points=true`` it is KILT's
    precision@k, which takes k points.
    """

    name = "SetPrecision"
    user = "Looks at k results and asks how many of them closed a line of evidence."
    paper = "precision@k of KILT (Petroni et al. 2021), on text"
    cutoff = "required"
    grows = False

    def total(self, aligned: Aligned) -> np.ndarray | float:
        return aligned.count if self.rank is None else self.rank

    def terms(self, aligned: Aligned) -> Terms:
        return Terms(
            aligned, self.completed(aligned), 1.0, "sets completed by this result / ranks", by_rank=True
        )

    @property
    def high(self) -> float:
        """One result may complete several sets."""
        return float("inf")
