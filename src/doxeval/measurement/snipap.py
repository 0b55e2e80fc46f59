"""Average precision over snippets (BioASQ)."""

from __future__ import annotations

import numpy as np

from doxeval.core.ragged import quotient
from doxeval.ground.aligned import Aligned
from doxeval.measurement.families import chance, questions
from doxeval.measurement.families.bioasq import AverageOfWanted
from doxeval.measurement.families.terms import Terms


class SnippetAveragePrecision(AverageOfWanted):
    """Sum of character precision at the results that show relevant text / min(10, highlighted passages).

    Precision at a result is relevant characters so far / characters so far. Several results may lie in one
    passage, so the value may exceed 1. As scored (``--as-scored``), any result counts whose document holds
    relevant text, whether the result shows some or not: a stray semicolon in the official scorer ends the
    condition for that.
    """

    name = "SnipAP"
    question = questions.TEXT
    user = "Reads results to their end until a random one with relevant text, and wants ten of them at most."
    no_draws = chance.EVERY_STOP
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
