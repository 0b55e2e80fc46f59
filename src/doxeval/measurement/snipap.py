"""Average precision over snippets (BioASQ)."""

from __future__ import annotations

import numpy as np

from doxeval.core.ragged import quotient
from doxeval.core.strings import encode
from doxeval.ground.aligned import Aligned
from doxeval.measurement.families import chance, questions
from doxeval.measurement.families.bioasq import AverageOfWanted
from doxeval.measurement.families.terms import Terms


class SnippetAveragePrecision(AverageOfWanted):
    """Sum of character precision at the results that show relevant text / min(10, highlighted passages).

    Precision at a result is relevant characters so far / characters so far. Several results may lie in one
    passage, so the value may exceed 1. As scored (``--as-scored``), any result counts whose document, in any
    of its sections, holds relevant text, whether the result shows some or not: a stray semicolon in the
    official scorer ends the condition for that.
    """

    name = "SnipAP"
    question = questions.TEXT
    user = "Reads results to their end until a random one with relevant text, and wants ten of them at most."
    no_draws = chance.EVERY_STOP
    paper = "BioASQ task B Phase A, snippets (Krithara et al., Scientific Data 10:170, 2023)"
    example = "SnipAP"

    def terms(self, aligned: Aligned) -> Terms:
        counts = _of_relevant_documents(aligned) if aligned.conventions.as_scored else aligned.relevant > 0
        precision = quotient(aligned.cumulated(aligned.fresh), aligned.cumulated(aligned.size))
        ground = aligned.ground
        passages = np.bincount(ground.assessments.pair_topic[ground.unit_pair], minlength=len(aligned.count))
        return self.average(
            aligned, counts, precision, passages,
            "precision where relevant text is shown / passages wanted, at most 10",
        )  # fmt: skip


def _of_relevant_documents(aligned: Aligned) -> np.ndarray:
    """Which results come from a document with relevant text in any section, which is called `doc/section`."""
    ground = aligned.ground
    names = [*ground.assessments.docs, *aligned.run.docs]
    codes = encode(name.rpartition("/")[0] or name for name in names)[1].astype(np.int64)
    judged, retrieved = codes[: len(ground.assessments.docs)], codes[len(ground.assessments.docs) :]
    width = 1 + int(codes.max(initial=0))
    pair = np.unique(ground.unit_pair)
    wanted = ground.assessments.pair_topic[pair] * width + judged[ground.assessments.pair_doc[pair]]
    return np.isin(aligned.topic * width + retrieved[aligned.doc], wanted)
