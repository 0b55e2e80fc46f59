"""Measures of finding code, as the scorers of ContextBench and LocAgent define them."""

from __future__ import annotations

import numpy as np

from doxeval.core.ragged import Ragged, quotient
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.base import Measure
from doxeval.measurement.families import phrases


def distinct_size(aligned: Aligned) -> np.ndarray:
    """The amount of text that the results of each topic show, each part once."""
    known, row = np.unique(aligned.article[aligned.result], return_inverse=True)
    merged, start, end = Ragged.gathered(row, len(known), aligned.start, aligned.end)
    merged, start, end = merged.merge(start, end)
    topic = known // max(1, len(aligned.run.docs))
    size = np.bincount(topic[merged.row], weights=end - start, minlength=len(aligned.ground.topics))
    return size.astype(np.int64) + aligned.by_topic.sum(aligned.added_size)


class DistinctPrecision(Measure):
    """Share of the text shown that is relevant, where text shown again counts once.

    An empty list has the value 0; for the official scorer (``--as-scored``) it is 1.
    """

    name = "DistinctP"
    user = "Reads everything that was retrieved, each part once, and asks how much of it was worth reading."
    paper = "ContextBench (2025), precision"
    cutoff = "optional"
    no_sum = "it is a quotient of sizes of text, each counted once"
    example = "DistinctP"

    def score(self, aligned: Aligned) -> np.ndarray:
        shown = aligned.top(self.rank)
        size = distinct_size(shown)
        values = quotient(shown.by_topic.sum(shown.fresh), size)
        return np.where(size == 0, 1.0, values) if aligned.conventions.as_scored else values


class FirstItems(Measure):
    """A measure of the first k items (files, or classes and functions) of a list."""

    cutoff = "required"
    ranks_documents = True
    question = phrases.DOCUMENTS

    @property
    def reads_text(self) -> bool:
        return False

    def reads_highlights(self, ground: Ground) -> bool:
        return False

    def hits(self, aligned: Aligned) -> tuple[np.ndarray, np.ndarray]:
        """A mask of the first results in relevant documents, and the place of each document in the list."""
        first = aligned.first_of_article == np.arange(len(aligned))
        place = aligned.cumulated(first.astype(np.int64))
        relevant = (aligned.pair >= 0) & (aligned.ground.pair_grade[aligned.pair] > 0)
        return first & relevant & (place <= (self.rank or 0)), place

    def wanted(self, aligned: Aligned) -> np.ndarray:
        """The number of relevant documents of each topic."""
        return aligned.ground.assessments.by_topic.sum((aligned.ground.pair_grade > 0).astype(np.int64))


class AllAmongFirst(FirstItems):
    """1 if all relevant documents are among the first k, else 0.

    For the official scorer (``--as-scored``) it is enough that all of the first k are relevant, if more are.
    """

    name = "Acc"
    user = "Starts to work only if every place that must change is among the first k."
    paper = "LocAgent (2025), Acc@k"
    no_sum = "it is 1 or 0"
    grows = True
    example = "Acc@5"

    def score(self, aligned: Aligned) -> np.ndarray:
        found = aligned.by_topic.sum(self.hits(aligned)[0].astype(np.int64))
        wanted = self.wanted(aligned)
        if aligned.conventions.as_scored:
            wanted = np.minimum(wanted, self.rank or 0)
        return (found == wanted).astype(np.float64)


class AveragePrecisionOfFirst(FirstItems):
    """Sum of precision at the relevant documents among the first k / relevant documents.

    The official scorer (``--as-scored``) divides by k: a perfect list of one item has the value 1 / k.
    """

    name = "LocAP"
    user = "Goes down the list until a random relevant document."
    paper = "LocAgent (2025), MAP@k"
    no_sum = "precision at a document depends on those before it"
    no_draws = phrases.EVERY_STOP
    example = "LocAP@5"

    def score(self, aligned: Aligned) -> np.ndarray:
        hit, place = self.hits(aligned)
        precision = np.where(hit, quotient(aligned.cumulated(hit.astype(np.int64)), place), 0.0)
        total = self.wanted(aligned)
        if aligned.conventions.as_scored:
            total = np.full_like(total, self.rank or 1)
        return quotient(aligned.by_topic.add(precision), total)
