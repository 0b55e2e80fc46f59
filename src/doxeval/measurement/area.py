"""The area under the curve of a measure over effort."""

from __future__ import annotations

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call, Cutoff, Expression
from doxeval.core.parameters import Parameter
from doxeval.core.ragged import quotient
from doxeval.core.units import UNITS
from doxeval.ground.aligned import Aligned
from doxeval.ground.budget import TextCounter, counter_in
from doxeval.ground.ground import Ground
from doxeval.measurement.base import MEASURES, Measure
from doxeval.measurement.families import phrases
from doxeval.measurement.families.of_measure import OfMeasure
from doxeval.reader.effort.arrivals import arrivals
from doxeval.tables.places import GRAIN


class Area(OfMeasure):
    """The mean of a measure over all efforts from 0 to the cut-off, with the last value kept.

    ``Area(of=iR)@20steps`` is the area under the curve of ``iR@n`` over steps, divided by 20: what is found
    early counts longer. A value holds from the effort at which it is reached to that of the next; before the
    first result it is that of an empty list. Over characters, lines or seconds of recordings, whichever is
    counted, it is known for iR, which grows within results.
    """

    name = "Area"
    question = phrases.EFFORT
    user = (
        "Stops after some effort up to the cut-off, each equally likely, and judges what was found by then."
    )
    paper = "ours, after the area under the curve of recall over effort"
    parameters = (Parameter("of", "call", Call("iR"), "the measure, one with a cut-off", choices=MEASURES),)
    cutoff = "required"
    no_sum = "it is a mean over efforts, not over results"
    no_draws = phrases.EVERY_STOP
    variants = ("of=iP", "of=F(beta=2)")

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression)
        if self.measure.cutoff == "none" or self.ranks_documents or self.counts_in == "documents":
            what = (
                "lists of documents"
                if self.measure.cutoff != "none"
                else f"{self.measure.name}, which takes no cut-off"
            )
            raise UsageError(f"{self.label!r}: the area under a curve is not known for {what}")

    @property
    def measure(self) -> Measure:
        kind = MEASURES.named(self.given.of.name, self.label)
        return kind(Expression(self.given.of, None, None if kind.cutoff == "none" else Cutoff(1)))

    def prepare(self, ground: Ground) -> None:
        unit = UNITS[self.counts_in]
        over_text = unit.name == ground.unit or (unit.of_text and not unit.stated)
        if over_text and (unit.name != ground.unit or self.measure.call != Call("iR")):
            raise UsageError(
                f"{self.label!r}: over text the area is known for iR, in {ground.unit}, in which text is "
                "counted; over ranks and, for trajectories, steps, seconds and cost for any measure with a "
                "cut-off"
            )
        super().prepare(ground)

    def score(self, aligned: Aligned) -> np.ndarray:
        cutoff = self.expression.cutoff
        assert cutoff is not None
        budget, counter = float(cutoff.amount), counter_in(aligned, cutoff.unit)
        if isinstance(counter, TextCounter):
            if cutoff.unit != aligned.ground.unit:
                raise UsageError(f"{self.label!r}: {aligned.run.name} has no steps that state {cutoff.unit}")
            return self._over_text(aligned, int(cutoff.amount * GRAIN[cutoff.unit]))
        spent = np.minimum(counter.spent(aligned), budget)
        following = np.append(spent[1:], budget)
        following[aligned.by_topic.offset[1:][aligned.count > 0] - 1] = budget
        gained = aligned.by_topic.add(self.measure.at_ranks(aligned) * (following - spent))
        first = np.full(len(aligned.count), budget)
        first[aligned.count > 0] = spent[aligned.by_topic.first[aligned.count > 0]]
        nothing = self.measure.cut(aligned.select(np.zeros(len(aligned), dtype=bool)), 1)
        return (gained + np.where(first > 0, nothing * first, 0.0)) / budget

    def _over_text(self, aligned: Aligned, budget: int) -> np.ndarray:
        """The mean of iR@n for n = 0, ..., budget - 1: text met as the p-th counts from n = p on."""
        met = arrivals(aligned)
        length = np.minimum(met.length, np.maximum(0, budget - met.shown)).astype(np.float64)
        counted = length * (budget - met.shown) - length * (length + 1) / 2
        total = np.bincount(met.topic, weights=counted, minlength=len(aligned.count))
        return quotient(total, budget * aligned.ground.total_relevant)

    def cut(self, aligned: Aligned, rank: int) -> np.ndarray:
        return self.with_cutoff(rank).score(aligned)
