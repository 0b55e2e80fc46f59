"""Whether everything that is needed was shown."""

from __future__ import annotations

import numpy as np

from doxeval.ground.aligned import Aligned
from doxeval.measurement.families.answers import OfNeeds
from doxeval.measurement.families.terms import Terms


class Complete(OfNeeds):
    """1 if the results shown so far have met all needs of the topic, else 0.

    ``Complete@k`` is 1 where ``NeedRecall@k`` is; the mean over topics is the share of questions that can be
    answered from the first k results. The result that meets the last need gets the credit.
    """

    name = "Complete"
    user = "Cannot answer at all until every hop of the question has been read."
    paper = "the all-supporting-facts recall of multi-hop question answering (HotpotQA, 2018), on text"

    def terms(self, aligned: Aligned) -> Terms:
        new, total = self.met(aligned)
        last = (new > 0) & (aligned.cumulated(new) == total)
        return Terms(aligned, aligned.cumulated(last.astype(np.int64)), 1.0, "the last need is met")
