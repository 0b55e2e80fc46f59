"""Average generalised precision, the INEX measure of relevant in context."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.families import chance
from doxeval.measurement.families.document_lists import DocumentListMeasure
from doxeval.measurement.families.terms import Terms


class AverageGeneralisedPrecision(DocumentListMeasure):
    """Mean of gP at the ranks of relevant documents, over all relevant documents of the topic.

    AgP = sum over ranks r of isrel(d_r) gP[r], divided by Trel. A relevant document with score 0 is still a
    recall point. The mean over topics is INEX's MAgP.
    """

    name = "AgP"
    aliases = ("MAgP",)
    user = "Opens documents until a random relevant one, and reads each as the document score says."
    no_draws = chance.EVERY_STOP
    paper = "Effort section 3.1.1; INEX 2007-10 relevant in context"
    example = "AgP(score=aveChP)"
    variants = ("score=aveChP", "score=T2I(n=30)", "score=aveChP,context=false")

    def terms(self, aligned: Aligned) -> Terms:
        opened = self.opened(aligned)
        precision = self.summed_scores(aligned) / opened.rank
        gained = opened.by_topic.cumulate(np.where(opened.is_relevant, precision, 0))
        total = self.relevant(aligned.ground)[opened.topic]
        things = ("document", "documents") if self.given.context else ("result", "passages")
        meaning = "gP at the rank of each relevant {} / relevant {}".format(*things)
        return Terms(aligned, gained, total, meaning, opened)
