"""Average precision over documents (BioASQ)."""

from __future__ import annotations

import numpy as np

from doxeval.core.ragged import quotient
from doxeval.ground.aligned import Aligned
from doxeval.measurement.families import chance, questions
from doxeval.measurement.families.bioasq import AverageOfWanted
from doxeval.measurement.families.terms import Terms


class DocumentAveragePrecision(AverageOfWanted):
    """Sum of precision at the relevant documents retrieved / min(10, relevant documents).

    Documents are ranked by their first result; precision is relevant ones so far / documents so far.
    """

    name = "DocAP"
    question = questions.DOCUMENTS
    user = "Goes down the list of documents until a random relevant one, and wants ten of them at most."
    no_draws = chance.EVERY_STOP
    paper = "BioASQ task B Phase A, documents (Krithara et al., Scientific Data 10:170, 2023)"
    example = "DocAP"

    @property
    def reads_text(self) -> bool:
        return False

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
