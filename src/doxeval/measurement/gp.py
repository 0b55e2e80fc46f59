"""Generalised precision of a list of documents."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.families.document_lists import DocumentListMeasure
from doxeval.measurement.families.terms import Terms


class GeneralisedPrecision(DocumentListMeasure):
    """Mean document score of the first r documents.

    gP[r] = sum of S(d_i) over i <= r, divided by r. The results of a document count together at the rank of
    the first. Past the end of a list the sum is still divided by the cut-off (in the INEX tasks the last
    value stays). ``gP[x]`` is the largest gP at a rank where generalised recall is at least x.
    """

    name = "gP"
    user = "Opens r documents, one after another, and reads each as the document score says."
    paper = "Effort section 3.1.1; Kekäläinen and Järvelin 2002; INEX relevant in context"
    point = "optional"
    example = "gP(score=F(beta=0.25))@10"
    variants = ("score=aveChP", "score=T2I(n=30)", "score=aveChP,context=false")

    def terms(self, aligned: Aligned) -> Terms:
        opened, stays = self.opened(aligned), aligned.conventions.past_end == "last"
        meaning = f"the {'document' if self.given.context else 'result'}'s score / the rank"
        return Terms(aligned, self.summed_scores(aligned), 1.0, meaning, opened, by_rank=True, stays=stays)

    def stop(self, terms: Terms) -> int | np.ndarray | None:
        """For ``gP[x]``, the rank of the largest gP among those that reach the recall."""
        point, opened = self.expression.point, terms.opened
        if point is None or opened is None:
            return self.rank
        needed = -(-self.relevant(terms.aligned.ground) * point.numerator // point.denominator)
        return terms.best_rank(opened.by_topic.cumulate(opened.is_relevant) >= needed[opened.topic])
