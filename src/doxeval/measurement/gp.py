"""Generalised precision of a list of documents."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.kernels.interpolate import best_from
from doxeval.measurement.base import register
from doxeval.measurement.families.characters import ratio
from doxeval.measurement.families.document_lists import DocumentListMeasure, relevant_documents, within_rank
from doxeval.measurement.families.shares import Shares
from doxeval.reader.effort.opened import Opened, open_documents


@register
class GeneralisedPrecision(DocumentListMeasure):
    """Mean document score of the first r documents.

    gP[r] = sum of S(d_i) over i <= r, divided by r. A document's results count together where the first of
    them stands. Past the end of a list the sum is divided by the cut-off all the same (under the INEX tasks
    the last value stays). ``gP[x]`` is the largest gP at a rank where generalised recall is at least x.
    """

    name = "gP"
    user = "Opens r documents, one after another, and reads in each as the document score says."
    paper = "Effort section 3.1.1; Kekäläinen and Järvelin 2002; INEX relevant in context"
    cutoff = "optional"
    point = "optional"
    example = "gP(score=F(beta=0.25))@10"

    def score(self, topics: Aligned) -> np.ndarray:
        opened = open_documents(topics)
        if self.expression.point is not None:
            needed = -(-relevant_documents(topics.ground) * self.expression.point.numerator
                       // self.expression.point.denominator)  # fmt: skip
            found = np.cumsum(opened.is_relevant)
            before = np.concatenate([[0], found])[opened.topic_offset[:-1]]
            gain = found - before[opened.topic]
            precision = self.generalised_precision(opened)
            return best_from(opened.topic_offset, gain, precision, needed[:, None].astype(np.int64))[:, 0]
        within = within_rank(opened, self.rank)
        return ratio(
            opened.per_topic(np.where(within, self.scores(opened), 0)), self._divisor(topics, opened)
        )

    def _divisor(self, topics: Aligned, opened: Opened) -> np.ndarray:
        """Per topic the rank by which the scores are divided."""
        if self.rank is not None and topics.conventions.past_end == "cutoff":
            return np.full(len(topics.count), float(self.rank))
        return opened.per_topic(within_rank(opened, self.rank))

    def shares(self, topics: Aligned) -> Shares | None:
        if self.expression.point is not None:
            return None
        opened = open_documents(topics)
        gain = np.where(within_rank(opened, self.rank), self.scores(opened), 0)
        added = ratio(gain, self._divisor(topics, opened)[opened.topic])
        return Shares.of_results(topics, opened.per_result(added), "the document's score / the rank")
