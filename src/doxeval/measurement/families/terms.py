"""Measures of the form sum of terms / total: the terms are stated once, and everything else follows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from doxeval.core.keys import first_of_equals
from doxeval.core.quick_class import dataclass
from doxeval.core.ragged import Ragged, quotient
from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import Measure, Presence

if TYPE_CHECKING:
    from doxeval.ground.aligned import Aligned
    from doxeval.reader.effort.opened import Opened


@dataclass(eq=False)
class Shares:
    """The part of its topic's value that each result of `aligned` has `added`, and the `rest` per topic.

    They add up to the value of the measure (to 1e-12, tested for every measure that has shares). The rest is
    due to no result, such as the effort of ranks past the end of a list. `meaning` says in one line what is
    added.
    """

    aligned: Aligned
    added: np.ndarray
    rest: np.ndarray
    meaning: str

    def totals(self) -> np.ndarray:
        """The value of each topic."""
        return np.bincount(self.aligned.topic, weights=self.added, minlength=len(self.rest)) + self.rest


@dataclass(eq=False)
class Terms:
    """`gained` / `total` at every rank of the lists of `aligned`, of results or of the documents `opened`.

    A term is what a row adds to `gained`, which is cumulated over the ranks of a topic and begins, for each
    topic, with `start`. `total` is the denominator, for each row or the same for all; `by_rank` multiplies it
    by the rank, which past the end of a list is the cut-off unless the last value `stays`. `empty` is the
    value, for each topic, if nothing was read or the total is 0. `meaning` says what a term is.
    """

    aligned: Aligned
    gained: np.ndarray
    total: np.ndarray | float
    meaning: str
    opened: Opened | None = None
    start: np.ndarray | float = 0.0
    empty: np.ndarray | float = 0.0
    by_rank: bool = False
    stays: bool = False

    @property
    def lists(self) -> Ragged:
        """The rows of the topics' lists, grouped by topic."""
        return (self.aligned if self.opened is None else self.opened).by_topic

    def at(self, rank: int | np.ndarray | None) -> np.ndarray:
        """The value of each topic at a rank, the same for all or one each; None: at the end of its list."""
        topic = np.arange(len(self.aligned.count))
        above, below = self._fraction(topic, self._ranks(rank))
        return quotient(above, below, self.empty)

    def at_ranks(self) -> np.ndarray:
        """The value at every rank, in the order of the aligned results."""
        topic = self.aligned.topic
        above, below = self._fraction(topic, self.aligned.rank)
        return quotient(above, below, np.broadcast_to(self.empty, len(self.aligned.count))[topic])

    def shares(self, rank: int | np.ndarray | None) -> Shares:
        """The share of each result in the value at a rank."""
        lists, ranks = self.lists, self._ranks(rank)
        _, below = self._fraction(np.arange(len(lists)), ranks)
        start = np.broadcast_to(np.asarray(self.start, dtype=np.float64), len(lists))
        before = np.append(0.0, self.gained[:-1]) if len(self.gained) else self.gained
        step = self.gained - np.where(lists.place == 0, lists.expand(start), before)
        read = lists.place < lists.expand(ranks)
        added = quotient(np.where(read, step, 0.0), lists.expand(below))
        if self.opened is not None:
            added = self.opened.per_result(added)
        return Shares(self.aligned, added, quotient(start, below, self.empty), self.meaning)

    def best_rank(self, reached: np.ndarray) -> np.ndarray:
        """For each topic the rank of the largest value among the rows in `reached`; else 0."""
        lists, ranks = self.lists, np.zeros(len(self.lists), dtype=np.int64)
        below = np.multiply(self.total, lists.place + 1.0 if self.by_rank else 1.0)
        value = quotient(self.gained, np.broadcast_to(below, lists.items))
        value[~reached] = -1.0
        held = np.flatnonzero(lists.counts)
        best = np.maximum.reduceat(value, lists.offset[held]) if len(held) else value
        rows = np.flatnonzero(reached & (value == np.repeat(best, lists.counts[held])))
        first = rows[first_of_equals(lists.row[rows])]
        ranks[lists.row[first]] = first - lists.first[lists.row[first]] + 1
        return ranks

    def _ranks(self, rank: int | np.ndarray | None) -> np.ndarray:
        counts = self.lists.counts
        return counts if rank is None else np.broadcast_to(np.asarray(rank, dtype=np.int64), len(counts))

    def _fraction(self, topic: np.ndarray, rank: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Numerators and denominators of topics at ranks; denominators are 0 if nothing was read."""
        lists = self.lists
        depth = np.minimum(rank, lists.counts[topic])
        if not lists.items:
            return np.zeros(len(topic)), np.zeros(len(topic))
        row = np.where(depth > 0, lists.offset[topic] + depth - 1, 0)
        below = np.broadcast_to(self.total, lists.items)[row].astype(np.float64)
        if self.by_rank:
            below = below * (depth if self.stays else rank)
        return self.gained[row], np.where(depth > 0, below, 0.0)


class SumOfTerms(Measure):
    """A measure that states its terms, and where the reader stops, if not at the cut-off."""

    first_ranks_tell = True
    cutoff: ClassVar[Presence] = "optional"

    @abstractmethod
    def terms(self, aligned: Aligned) -> Terms:
        """The value at every rank, as a sum of terms / total."""

    def stop(self, terms: Terms) -> int | np.ndarray | None:
        """The rank at which the reader stops, for each topic or for all; None: at the end of the list."""
        return self.rank

    def score(self, aligned: Aligned) -> np.ndarray:
        terms = self.terms(aligned)
        return terms.at(self.stop(terms))

    @classmethod
    def values_of_all(cls, measures: Sequence[SumOfTerms], aligned: Aligned) -> list[np.ndarray]:
        """The values; measures that differ only in their rank or recall point share their terms."""
        alike: dict[Any, list[SumOfTerms]] = {}
        values: dict[SumOfTerms, np.ndarray] = {}
        for measure in measures:
            ranked = measure.rank is not None
            if cls.score is not SumOfTerms.score or (ranked and cls.at_ranks is not SumOfTerms.at_ranks):
                values[measure] = measure(aligned)
            else:
                budget = None if ranked else measure.expression.cutoff
                alike.setdefault((measure.call, ranked, budget), []).append(measure)
        for group in alike.values():
            deepest = max(group, key=lambda measure: measure.rank or 0)
            read = deepest.read(aligned)
            terms = deepest.terms(read)
            for measure in group:
                values[measure] = measure.where_defined(terms.at(measure.stop(terms)), read)
        return [values[measure] for measure in measures]

    def shares(self, aligned: Aligned) -> Shares:
        terms = self.terms(aligned)
        return terms.shares(self.stop(terms))

    def at_ranks(self, aligned: Aligned) -> np.ndarray:
        if self.expression.point is not None:
            return super().at_ranks(aligned)
        return self.terms(aligned).at_ranks()
