"""Effort from any document score: what is missing to a perfect one."""

from __future__ import annotations

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call
from doxeval.core.parameters import Parameter
from doxeval.ground.ground import Ground
from doxeval.reader.effort.opened import Opened
from doxeval.reader.effort.score import DOCUMENT_SCORES, EffortScore, score_named


class Waste(EffortScore):
    """Effort that grows from the least to NR as a document score S(d) falls from 1 to 0.

    ES(d) = least + (NR - least)(1 - S(d)); `scale` holds the two numbers, in the paper 1 and 5. In cumulated
    effort the score alone says the same: ``CE(score=BEP)@10`` is ``CE(score=Waste(of=BEP))@10``.
    """

    name = "Waste"
    user = "Reads each document as the document score says; what falls short of a perfect reading is effort."
    paper = "Effort sections 4.2.1, 7 leave the effort function open; this one is ours"
    parameters = (
        Parameter("of", "call", Call("aveChP"), "a document score from 0 to 1", choices=DOCUMENT_SCORES),
        Parameter("scale", "text", "1/5", "the least effort, then that of an irrelevant document"),
    )

    def __init__(self, call: Call, where: str) -> None:
        super().__init__(call, where)
        if len(self.steps) != 2:
            raise UsageError(
                f"{where!r}: {self.given.of.name} falls evenly from 1 to 0, so its scale has two numbers, "
                f"as in 1/5, not {self.given.scale!r}"
            )
        self.of = score_named(self.given.of, where, effort=False)

    def prepare(self, ground: Ground) -> None:
        self.of.prepare(ground)

    def score(self, opened: Opened) -> np.ndarray:
        return self.high - (self.high - self.low) * self.of(opened)
