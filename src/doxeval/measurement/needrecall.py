"""The share of the needs that were met."""

from __future__ import annotations

from doxeval.ground.aligned import Aligned
from doxeval.measurement.families.answers import OfNeeds
from doxeval.measurement.families.terms import Terms


class NeedRecall(OfNeeds):
    """Share of the topic's needs that the results shown so far have met.

    ``NeedRecall@k`` = needs met / needs. A need (a hop, a nugget, an aspect) is met when the first k results
    together show at least `part` of the text of any one of its places. Without needs in the assessments every
    highlight (touching ones joined) is a need.
    """

    name = "NeedRecall"
    user = "Has several things to find out, and is content with one good place for each."
    paper = "subtopic recall of Zhai, Cohen, Lafferty 2003, on text"

    def terms(self, aligned: Aligned) -> Terms:
        new, total = self.met(aligned)
        return Terms(aligned, aligned.cumulated(new), total, "needs met by this result / needs")
