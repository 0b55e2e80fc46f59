"""Curves of a run: a measure at many cut-offs, averaged over topics.

Every point of a curve is the mean of a measure that can be asked for by name (`iP[0.1]`, `iR@10`,
`CE@2000c`), so that a curve always agrees with `doxeval eval`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.grammar import Call, Cutoff, parse_measure
from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import MEASURES, Measure, measure_named
from doxeval.scoring.scores import mean

MOST_RANKS = 50
BUDGETS = (
    100, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10_000, 15_000, 20_000, 30_000, 50_000,
)  # fmt: skip
STEPS, FINE_STEPS = 20, 100
"""Steps of recall from 0 to 1; the fine ones are those of INEX, whose AiP is the mean of 101 points."""
Points = tuple[list[float], list[float]]


@dataclass(frozen=True)
class Curve:
    """A measure at every point of an `axis`, which is ranks, characters or recall.

    The curve goes up to `end`, if given; over recall it has this many `steps`.
    """

    name: str
    title: str
    measure: str
    axis: str
    y_label: str
    end: Fraction | None = None
    steps: int = STEPS

    @property
    def x_label(self) -> str:
        """The label of the horizontal axis."""
        return {"ranks": "rank", "characters": "characters read", "recall": "recall"}[self.axis]

    @property
    def example(self) -> str:
        """The measure of one of its points."""
        return self.at(Fraction(0) if self.axis == "recall" else Fraction(BUDGETS[0]))

    def at(self, point: Fraction) -> str:
        """The measure at a point of the axis, as it is typed."""
        expression = parse_measure(self.measure)
        if self.axis != "recall":
            return str(replace(expression, cutoff=Cutoff(int(point), self.axis)))
        if self._takes_point:
            return str(replace(expression, point=point))
        others = tuple(given for given in expression.call.arguments if given[0] != "recall")
        return str(replace(expression, call=Call(expression.call.name, (*others, ("recall", point)))))

    @property
    def _takes_point(self) -> bool:
        return getattr(MEASURES.find(parse_measure(self.measure).call.name), "point", "none") != "none"

    @property
    def fine(self) -> Curve:
        """The same at the 101 points of INEX, if the measure has a value at any recall, as in `iP[0.01]`."""
        return replace(self, steps=FINE_STEPS) if self.axis == "recall" and self._takes_point else self

    def of(self, text: str) -> Curve:
        """The curve of another measure with its parameters, up to the cut-off or recall typed with it."""
        measure = measure_named(text)
        other = replace(
            self, measure=text, end=self._end(measure), title=f"{measure.label} by {self.x_label}"
        )
        measure_named(other.example)
        label = {"ranks": "{}, cut at each rank", "characters": "{}, cut at each number of characters",
                 "recall": "{}, at each recall"}[self.axis]  # fmt: skip
        return replace(other, y_label=label.format(measure.expression.call))

    def _end(self, measure: Measure) -> Fraction | None:
        """The end of the curve of a measure; an error if it has no such curve."""
        cutoff, point = measure.expression.cutoff, measure.expression.point
        if measure.summed:
            raise UsageError(f"{measure.name} is summed over topics, not averaged; curves show means")
        if self.axis == "recall":
            if measure.point == "none" and "recall" not in {one.name for one in measure.parameters}:
                raise UsageError(f"{self.name} goes over recall, and {measure.name} takes none")
            return point if point is not None else getattr(measure.given, "recall", None)
        if measure.cutoff == "none":
            raise UsageError(f"{self.name} goes over {self.axis}, and {measure.name} takes no cut-off")
        if cutoff is not None and cutoff.unit != self.axis:
            wanted = str(replace(measure.expression, cutoff=Cutoff(cutoff.amount, self.axis)))
            raise UsageError(f"{self.name} goes over {self.axis}, not {cutoff.unit}: {wanted} ends there")
        return None if cutoff is None else Fraction(cutoff.amount)


CURVES = (
    Curve("precision-recall", "Precision at recall", "iP", "recall", "precision (iP[x])"),
    Curve("gain-rank", "Gain by rank", "iR", "ranks", "recall (iR@k)"),
    Curve("gain-characters", "Gain by characters read", "iR", "characters", "recall (iR@nc)"),
    Curve("effort-rank", "Effort by rank", "CE", "ranks", "cumulated effort (CE@k)"),
    Curve("effort-characters", "Effort by characters read", "CE", "characters", "cumulated effort (CE@nc)"),
)


def cutoffs(curve: Curve, deepest: int, longest: int) -> Sequence[Fraction]:
    """The points of a curve: recall points, ranks (all, then some), or budgets up to the `longest`."""
    if curve.axis == "recall":
        points = tuple(Fraction(step, curve.steps) for step in range(curve.steps + 1))
        last = Fraction(1)
    elif curve.axis == "ranks":
        last = Fraction(max(deepest, 1))
        ranks = range(1, int(curve.end or MOST_RANKS) + 1)
        points = tuple(Fraction(rank) for rank in ranks if rank <= 10 or rank % 5 == 0)
    else:
        points, last = tuple(map(Fraction, BUDGETS)), Fraction(max(longest, BUDGETS[0]))
    if curve.end is not None:
        last = min(last, curve.end)
        points = (*(point for point in points if point < curve.end), curve.end)
    return [point for point in points if point <= last]


def drawn(curve: Curve, topics: Aligned, counted: np.ndarray, navigation: str | None = None) -> Points:
    """A curve of one run: its points, and the means over the topics that are `counted`."""
    longest = int(topics.last(topics.cumulated(topics.size)).max(initial=0))
    points = cutoffs(curve, int(topics.count.max(initial=0)), longest)
    measures = [measure_named(curve.at(point), navigation) for point in points]
    values = [mean(np.where(counted, measure(topics), np.nan)) for measure in measures]
    return [float(point) for point in points], values
