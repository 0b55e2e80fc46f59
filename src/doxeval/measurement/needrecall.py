"""How many of the needs have been met."""

from __future__ import annotations

from doxeval.ground.aligned import Aligned
from doxeval.ground.needs import needs_of
from doxeval.measurement.families.answers import PART, needs_met
from doxeval.measurement.families.terms import SumOfTerms, Terms


class NeedRecall(SumOfTerms):
    """Share of the topic's needs that the results shown so far have met.

    ``NeedRecall@k`` = needs met / needs. A need (a hop, a nugget, an aspect) is met when the first k results
    together show at least `part` of the text of any one of its places. Without needs in the assessments every
    highlight, touching ones joined, is one.
    """

    name = "NeedRecall"
    user = "Has several things to find out, and is content with one good place for each."
    paper = "subtopic recall of Zhai, Cohen, Lafferty 2003, on text"
    parameters = (PART,)
    grows = True
    variants = ("part=0.5",)

    def terms(self, topics: Aligned) -> Terms:
        met = topics.cumulated(needs_met(topics, self.given.part))
        total = needs_of(topics.ground).per_topic(len(topics.count))[topics.topic]
        return Terms(topics, met, total, "needs met with this result / needs")
