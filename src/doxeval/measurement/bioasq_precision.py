"""The average precisions of BioASQ, of documents and of snippets: at most ten of anything are wanted."""

from __future__ import annotations

import math

import numpy as np

from doxeval.core.parameters import Parameter
from doxeval.core.ragged import quotient
from doxeval.ground.aligned import Aligned
from doxeval.measurement.families import phrases
from doxeval.measurement.families.terms import SumOfTerms, Terms

MOST = 10


class AverageOfWanted(SumOfTerms):
    """Sum of precision at the results that count / min(10, number wanted)."""

    parameters = (
        Parameter(
            "divisor", "choice", "least", "divisor of the sum: the smaller of ten and the number wanted "
            "(BioASQ since 2020), or always ten (2017 to 2019)", choices=("least", "ten"),
        ),
    )  # fmt: skip
    cutoff = "optional"
    variants = ("divisor=ten",)
    high = math.inf

    def average(
        self, aligned: Aligned, counts: np.ndarray, precision: np.ndarray, wanted: np.ndarray, words: str
    ) -> Terms:
        """The terms, from the precision where a result counts and the number wanted in each topic."""
        total = np.full(len(wanted), MOST) if self.given.divisor == "ten" else np.minimum(MOST, wanted)
        gained = aligned.cumulated(np.where(counts, precision, 0.0))
        return Terms(aligned, gained, total[aligned.topic], words)


class DocumentAveragePrecision(AverageOfWanted):
    """Sum of precision at the relevant documents retrieved / min(10, relevant documents).

    Documents are ranked by their first result; precision is relevant ones so far / documents so far.
    """

    name = "DocAP"
    question = phrases.DOCUMENTS
    user = "Goes down the list of documents until a random relevant one, and wants ten of them at most."
    no_draws = phrases.EVERY_STOP
    paper = "BioASQ task B Phase A, documents (Krithara et al., Scientific Data 10:170, 2023)"
    example = "DocAP"
    reads_text = False

    def terms(self, aligned: Aligned) -> Terms:
        ground = aligned.ground
        first = aligned.first_of_article == np.arange(len(aligned))
        found = first & (aligned.pair >= 0) & (ground.pair_grade[aligned.pair] > 0)
        hits, opened = (aligned.cumulated(column.astype(np.int64)) for column in (found, first))
        precision = quotient(hits, opened)
        relevant = ground.assessments.by_topic.sum((ground.pair_grade > 0).astype(np.int64))
        return self.average(
            aligned, found, precision, relevant,
            "precision at a relevant document / documents wanted, at most 10",
        )  # fmt: skip


class SnippetAveragePrecision(AverageOfWanted):
    """Sum of character precision at the results that show relevant text / min(10, highlighted passages).

    Precision at a result is relevant characters so far / characters so far. Several results may lie in one
    passage, so the value may exceed 1. As scored (``--as-scored``), any result counts whose document holds
    relevant text, whether the result shows some or not: a stray semicolon in the official scorer ends the
    condition for that.
    """

    name = "SnipAP"
    question = phrases.TEXT
    user = "Reads results to their end until a random one with relevant text, and wants ten of them at most."
    no_draws = phrases.EVERY_STOP
    paper = "BioASQ task B Phase A, snippets (Krithara et al., Scientific Data 10:170, 2023)"
    example = "SnipAP"

    def terms(self, aligned: Aligned) -> Terms:
        precision = quotient(aligned.cumulated(aligned.fresh), aligned.cumulated(aligned.size))
        ground = aligned.ground
        passages = np.bincount(ground.assessments.pair_topic[ground.unit_pair], minlength=len(aligned.count))
        return self.average(
            aligned, aligned.relevant > 0, precision, passages,
            "precision where relevant text is shown / passages wanted, at most 10",
        )  # fmt: skip
