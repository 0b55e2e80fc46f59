"""Average precision over snippets (BioASQ)."""

from __future__ import annotations

import math

import numpy as np

from doxeval.core.parameters import Parameter
from doxeval.core.ragged import quotient
from doxeval.core.strings import encode
from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import register
from doxeval.measurement.families.terms import SumOfTerms, Terms

MOST = 10
DIVISOR = Parameter(
    "divisor", "choice", "least", "what the sum is divided by: the least of ten and what is wanted (BioASQ "
    "since 2020), or ten whatever is wanted (2017 to 2019)", choices=("least", "ten"),
)  # fmt: skip


def divided_by(divisor: str, wanted: np.ndarray) -> np.ndarray:
    """What a sum of precisions is divided by, where so much is wanted."""
    return np.full(len(wanted), MOST) if divisor == "ten" else np.minimum(MOST, wanted)


@register
class SnippetAveragePrecision(SumOfTerms):
    """Sum of character precision at the results that show relevant text / min(10, highlighted passages).

    Precision at a result is relevant characters so far / characters so far. Several results may lie in one
    passage, so that the value may exceed 1. As scored (``--as-scored``), any result counts whose document, in
    any of its sections, holds relevant text, whether it shows some or not: a stray semicolon in the official
    scorer ends the condition that asks for that.
    """

    name = "SnipAP"
    user = "Reads results to their end until one with relevant text, ten or fewer of which are wanted."
    paper = "BioASQ task B Phase A, snippets (Krithara et al., Scientific Data 10:170, 2023)"
    parameters = (DIVISOR,)
    cutoff = "optional"
    example = "SnipAP"
    variants = ("divisor=ten",)

    @property
    def high(self) -> float:
        return math.inf

    def terms(self, topics: Aligned) -> Terms:
        counts = _of_relevant_documents(topics) if topics.conventions.as_scored else topics.relevant > 0
        precision = quotient(topics.cumulated(topics.fresh), topics.cumulated(topics.size))
        ground = topics.ground
        passages = np.bincount(ground.assessments.pair_topic[ground.unit_pair], minlength=len(topics.count))
        total = divided_by(self.given.divisor, passages)[topics.topic]
        gained = topics.cumulated(np.where(counts, precision, 0.0))
        return Terms(
            topics, gained, total, "precision where relevant text is shown / passages wanted, at most 10"
        )


def _of_relevant_documents(topics: Aligned) -> np.ndarray:
    """Which results come from a document with relevant text in any section, which is called `doc/section`."""
    ground = topics.ground
    names = [*ground.assessments.docs, *topics.run.docs]
    codes = encode(name.rpartition("/")[0] or name for name in names)[1].astype(np.int64)
    judged, retrieved = codes[: len(ground.assessments.docs)], codes[len(ground.assessments.docs) :]
    width = 1 + int(codes.max(initial=0))
    pair = np.unique(ground.unit_pair)
    wanted = ground.assessments.pair_topic[pair] * width + judged[ground.assessments.pair_doc[pair]]
    return np.isin(topics.topic * width + retrieved[topics.doc], wanted)
