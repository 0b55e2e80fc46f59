"""Found, read, used: how far a trajectory got with what was asked for, and what its use was worth."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from doxeval.core.grammar import Expression
from doxeval.core.parameters import Parameter
from doxeval.core.ragged import quotient
from doxeval.ground.aligned import Aligned
from doxeval.ground.needs import needs_of
from doxeval.ground.stages import STAGES, stages_of, used_by
from doxeval.measurement.base import Measure
from doxeval.measurement.code_search import distinct_size
from doxeval.measurement.families import phrases
from doxeval.measurement.families.inside import Inside
from doxeval.tables.unit import LINES


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

    def inside(self, aligned: Aligned, topic: int) -> list[Inside]:
        """A table of the topic's needs, with the stage of each."""
        rows = list(_needs_told(aligned, topic, stages_of(aligned, Fraction(self.given.part))))
        names = ("need", "stage", "places")
        columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
        return [Inside("stages", columns, ("how far the trajectory got with each need",), 3)]


def _needs_told(aligned: Aligned, topic: int, stage: np.ndarray) -> Iterator[tuple[str, str, str]]:
    """Each need of a topic with its stage and its places, for people."""
    ground, needs = aligned.ground, needs_of(aligned.ground)
    places: dict[int, list[str]] = {}
    for place, need in zip(needs.answers.row.tolist(), needs.need.tolist(), strict=True):
        if needs.topic[need] != topic:
            continue
        at, doc = needs.pieces.slice(place), ground.docs[ground.assessments.pair_doc[needs.pair[place]]]
        first = needs.start[at] + (ground.unit == LINES)
        told = zip(first.tolist(), needs.end[at].tolist(), strict=True)
        places.setdefault(need, []).append(f"{doc}:{','.join(f'{start}-{end}' for start, end in told)}")
    for need, listed in places.items():
        name = (
            ""
            if needs.aspect[need] < 0 or ground.unit_aspects is None
            else ground.unit_aspects.table[needs.aspect[need]]
        )
        yield name or listed[0], STAGES[stage[need]], " or ".join(listed)


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
