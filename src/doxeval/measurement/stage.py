"""Found, read, used: how far a trajectory got with what was asked for, and what its use was worth."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.core.grammar import Expression
from doxeval.core.parameters import Parameter
from doxeval.core.ragged import quotient
from doxeval.ground.aligned import Aligned
from doxeval.ground.need_stages import STAGES, stages_of, used_by
from doxeval.ground.needs import needs_of
from doxeval.measurement.base import Measure
from doxeval.measurement.code_search import distinct_size
from doxeval.measurement.families import phrases


class OfSteps(Measure):
    """A measure of what the steps of a trajectory did."""

    needs = frozenset({"steps"})
    question = phrases.STEPS
    paper = "ours, for trajectories of agents"


class Stage(OfSteps):
    """Share of the needs that got to a stage and no further: used, read, opened, found or never.

    A need is used if an edit, cite or answer step names it; else read if an open or read step showed it (or a
    search step, in a run without such steps); else opened if one showed other text of its document; else
    found if a search step showed or named it or its document; else never. The five shares add up to 1. With
    `least` it is the share that got at least that far. Without needs, every merged highlight is one.
    """

    name = "Stage"
    user = "Searches, opens, reads and uses, and asks where what was asked for was lost on the way."
    parameters = (
        Parameter("stage", "choice", STAGES[0], "the stage", choices=STAGES),
        Parameter("least", "flag", False, "count what got at least that far"),
        Parameter("part", "number", 0, "share of one of its places that must be shown or named; 0: any of it",
                  low=0, high=1),
    )  # fmt: skip
    empty_is_worst = False
    no_sum = "it counts needs, and what was used is no result"
    example = "Stage(used)"
    variants = ("stage=read,least=true", "stage=opened", "stage=found", "stage=never", "stage=read,part=1")

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        self.higher_is_better = self.given.least or self.given.stage in ("used", "read")

    def score(self, aligned: Aligned) -> np.ndarray:
        needs, wanted = needs_of(aligned.ground), STAGES.index(self.given.stage)
        stage = stages_of(aligned, Fraction(self.given.part))
        counts = stage <= wanted if self.given.least else stage == wanted
        topics = len(aligned.count)
        return quotient(np.bincount(needs.topic[counts], minlength=topics), needs.per_topic(topics))


class UsedPrecision(OfSteps):
    """Share of the text used that is relevant: of what edit, cite and answer steps name, each part once.

    If nothing was used, the value is 0.
    """

    name = "UsedP"
    user = "Looks only at what was edited, cited or answered with, and asks how much of it was relevant."
    no_sum = "what was used is no result"
    example = "UsedP"

    def score(self, aligned: Aligned) -> np.ndarray:
        used = used_by(aligned)
        return quotient(used.by_topic.sum(used.fresh), distinct_size(used))


class UsedRecall(OfSteps):
    """Share of the relevant text that was used: that edit, cite or answer steps name."""

    name = "UsedR"
    user = (
        "Looks only at what was edited, cited or answered with, and asks how much of all relevant text it is."
    )
    no_sum = "what was used is no result"
    example = "UsedR"

    def score(self, aligned: Aligned) -> np.ndarray:
        used = used_by(aligned)
        return quotient(used.by_topic.sum(used.fresh), aligned.ground.total_relevant)
