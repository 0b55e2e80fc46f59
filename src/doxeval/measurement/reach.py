"""The amount of reading needed to reach a recall."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.core.grammar import Expression
from doxeval.core.parameters import Parameter, share
from doxeval.core.units import OF_STEPS, OF_TEXT
from doxeval.ground.aligned import Aligned
from doxeval.ground.budget import TextCounter, counter_in
from doxeval.measurement.base import Measure
from doxeval.measurement.families import phrases
from doxeval.reader.effort.arrivals import arrivals

COUNTED_IN = (*OF_TEXT, "results", *OF_STEPS)


class Reach(Measure):
    """The least budget n for which ``iR@n`` is at least the recall wanted.

    Counted in characters shown (``iR@4000c``), words, tokens or results, including repeated text, or in the
    steps, seconds, cost or tokens of a trajectory, spent up to the end of the step that gets there. A run
    that never gets there would have to be read for ever: its value is infinite, and so is a mean that
    includes it. ``doxeval budget`` separates how often a run gets there from how soon.
    """

    name = "Reach"
    question = phrases.EFFORT
    user = "Reads the results in order and stops once they have seen the share of relevant text they want."
    paper = "ours, after Cooper's expected search length (1968), in text instead of documents"
    parameters = (
        share("recall", Fraction(1, 2), "share of the relevant text to see"),
        Parameter("unit", "choice", COUNTED_IN[0], "the unit in which reading is counted", choices=COUNTED_IN,
                  in_characters=True),
    )  # fmt: skip
    higher_is_better = False
    no_sum = "it is the amount read, not what is gained by it"
    unit = "characters"
    high = float("inf")
    example = "Reach(recall=0.5)"
    variants = ("recall=0.2,unit=results", "recall=0.9,unit=words")

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        self.unit = self.given.unit

    @property
    def counts_in(self) -> str:
        return "ranks" if self.given.unit == "results" else self.given.unit

    def score(self, aligned: Aligned) -> np.ndarray:
        share = self.given.recall
        total = aligned.ground.total_relevant.astype(object)
        needed = np.array(
            [-(-count * share.numerator // share.denominator) for count in total], dtype=np.int64
        )
        met = arrivals(aligned)
        left = needed[met.topic] - met.fresh
        there = np.flatnonzero((left > 0) & (left <= met.length))
        reached = np.where(needed == 0, 0.0, np.inf)
        reached[met.topic[there]] = self._read(aligned, met.span[there], (met.start + left)[there])
        return reached

    def _read(self, aligned: Aligned, span: np.ndarray, place: np.ndarray) -> np.ndarray:
        """The amount read up to a place in a range."""
        counter = counter_in(aligned, self.counts_in)
        if isinstance(counter, TextCounter):
            return counter.read_until(aligned, span, place)
        return counter.spent(aligned)[aligned.result[span]]
