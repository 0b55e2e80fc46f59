"""Curves of a run: any measure along an axis, averaged over topics.

Every point of a curve is the mean of a measure that can be asked for by name (`iP[0.1]`, `iR@10`,
`CE@2000c`, `PRUM(r=2)`), so that a curve always agrees with `doxeval eval`. A measure without a cut-off is
scored on the list cut at each rank, as with `--depth`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from doxeval.core.errors import UsageError, nearest
from doxeval.core.grammar import Call, Cutoff, Expression, parse_measure
from doxeval.core.parameters import keyed
from doxeval.core.units import UNITS, Unit
from doxeval.ground.aligned import Aligned
from doxeval.ground.budget import counter_in
from doxeval.measurement.base import MEASURES, Measure, measure_named, values_of
from doxeval.measurement.families.flat import DocumentMeasure
from doxeval.measurement.families.navigating import ElementMeasure
from doxeval.measurement.listed import measure_names
from doxeval.scoring.scores import mean
from doxeval.scoring.under_models import with_model
from doxeval.tables.places import CHARACTERS, LINES

MOST_RANKS = 50
BUDGETS = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50)
"""Points of curves over text, as multiples of the usual amount of its unit."""
STEPS, FINE_STEPS = 20, 100
"""Steps of recall from 0 to 1; the fine ones are those of INEX, whose AiP is the mean of 101 points."""


@dataclass(frozen=True)
class Axis:
    """An axis that a curve goes over: cut-offs in a `unit`, or else the values of a `parameter`.

    `label` names the axis, `each` says how a measure is taken at its points; `usual` is the measure drawn
    unless another is named.
    """

    label: str
    each: str
    usual: str
    unit: str = ""
    parameter: str = ""
    logarithmic: bool = False


def _axis_of(unit: Unit) -> Axis:
    """The axis of cut-offs in a unit other than ranks."""
    label = f"{unit.name} read" if unit.of_text else unit.name
    return Axis(label, f"cut at each number of {unit.name}", "iR", unit.name, logarithmic=unit.of_text)


AXES = {
    "rank": Axis("rank", "cut at each rank", "iR", unit="ranks"),
    "recall": Axis("recall", "at each recall", "iP", parameter="recall"),
    **{name: _axis_of(unit) for name, unit in UNITS.items() if name != "ranks"},
    "ideals": Axis("ideal elements wanted", "for each number of ideal elements", "PRUM", parameter="r"),
}


class Points(NamedTuple):
    """The points of a curve of one run: where, the means, and the number of topics with a value there."""

    at: list[Fraction]
    values: list[float]
    topics: list[int]


@dataclass(frozen=True)
class Curve:
    """A measure at every point of the axis that it goes `over`.

    `typed` are the points typed with the measure: if there is one, the curve ends there; if there are
    several, it has these points. Over recall it has this many `steps` otherwise.
    """

    measure: str
    over: str
    typed: tuple[Fraction, ...] = ()
    name: str = field(default="", compare=False)
    title: str = ""
    labelled: str = ""
    steps: int = STEPS

    @property
    def axis(self) -> Axis:
        """The axis."""
        return AXES[self.over]

    @property
    def y_label(self) -> str:
        """The label of the vertical axis."""
        return self.labelled or f"{self.measure}, {self.axis.each}"

    @property
    def example(self) -> str:
        """The measure of one of its points."""
        usual = Fraction(1, 2) if self.over == "recall" else Fraction(1)
        return self.at(self.typed[0] if self.typed else usual)

    def at(self, point: Fraction) -> str:
        """The measure at a point of the axis, as it is typed."""
        typed = parse_measure(self.measure)
        if self.axis.unit:
            amount = int(point) if UNITS[self.axis.unit].whole else point
            cutoff = None if self.cuts_list else Cutoff(amount, self.axis.unit)
            return str(replace(typed, cutoff=cutoff))
        if self._takes_point:
            return str(replace(typed, point=point))
        given = (*typed.call.arguments, (self.axis.parameter, point))
        return str(replace(typed, call=Call(typed.call.name, given)))

    @cached_property
    def cuts_list(self) -> bool:
        """Whether the list is cut at each rank, because the measure takes no cut-off."""
        if self.over != "rank":
            return False
        typed = parse_measure(self.measure)
        kind = MEASURES.find(typed.call.name)
        if kind is not None:
            return kind.cutoff == "none" or typed.point is not None
        if DocumentMeasure.is_at_recall(typed.call.name):
            return True
        try:
            measure_named(str(replace(typed, cutoff=Cutoff(1))))
        except UsageError:
            return True
        return False

    @property
    def cuts(self) -> bool:
        """Whether the list is cut anew for every point."""
        return self.cuts_list or self.axis.unit not in ("", "ranks")

    @property
    def _takes_point(self) -> bool:
        return self.over == "recall" and _takes_point(parse_measure(self.measure).call.name)

    @property
    def _least(self) -> Fraction:
        """The least recall that the measure takes."""
        parameters = getattr(MEASURES.find(parse_measure(self.measure).call.name), "parameters", ())
        lows = (one.low for one in parameters if one.name == self.axis.parameter)
        return Fraction(next(lows, None) or 0)

    @property
    def fine(self) -> Curve:
        """The same at the 101 points of INEX, if the measure has a value at any recall, as in `iP[0.01]`."""
        return replace(self, steps=FINE_STEPS) if self._takes_point else self

    @cached_property
    def unit(self) -> str:
        """The unit of its values."""
        return measure_named(self.example).unit

    def points(self, aligned: Aligned) -> list[Fraction]:
        """The points typed, or the usual ones: as far as the one typed, or as the lists go."""
        if len(self.typed) > 1:
            return list(self.typed)
        end = self.typed[0] if self.typed else self._last(aligned)
        return [*(point for point in self._usual(end, self._is_stated(aligned)) if point < end), end]

    def _is_stated(self, aligned: Aligned) -> bool:
        """Whether amounts of the axis are any numbers, or the steps of a trajectory state them."""
        unit = UNITS.get(self.axis.unit)
        return unit is not None and (not unit.whole or (bool(unit.stated) and aligned.run.steps is not None))

    def _last(self, aligned: Aligned) -> Fraction:
        if self.over == "recall":
            return Fraction(1)
        if self.over == "ideals":
            measure = measure_named(self.example)
            assert isinstance(measure, ElementMeasure)
            return Fraction(
                max(1, int(measure.elements(aligned.ground).positive.by_topic.counts.max(initial=1)))
            )
        unit = UNITS[self.axis.unit]
        spent = counter_in(aligned, unit.name).spent(aligned)
        if self._is_stated(aligned):
            most = Fraction(float(spent.max(initial=0.0)))
            step = _round_step(most / STEPS)
            return max(step, step * math.ceil(most / step))
        longest = int(spent.max(initial=1))
        if unit.of_text:
            first, *more = _budgets(unit)
            return max([first, *(budget for budget in more if budget <= longest)])
        deepest = min(MOST_RANKS, longest)
        return Fraction(deepest if deepest <= 10 else deepest // 5 * 5)

    def _usual(self, end: Fraction, stated: bool) -> Iterator[Fraction]:
        """The usual points up to an end: equal steps of what is `stated`, and of recall."""
        if stated:
            step = _round_step(end / STEPS)
            step = max(step, Fraction(1)) if UNITS[self.axis.unit].whole else step
            yield from (step * times for times in range(1, STEPS + 1))
        elif self.over == "recall":
            steps = (Fraction(step, self.steps) for step in range(self.steps + 1))
            yield from (step for step in steps if step >= self._least)
        elif self.axis.unit and UNITS[self.axis.unit].of_text:
            yield from _budgets(UNITS[self.axis.unit])
        else:
            every = 1 if self.over == "ideals" else 5
            yield from (Fraction(one) for one in range(1, int(end)) if one <= 10 or one % every == 0)


def _round_step(least: Fraction) -> Fraction:
    """The smallest of 1, 2 and 5 times a power of ten that is not below an amount.

    >>> [str(_round_step(Fraction(least))) for least in ("0", "0.03", "7", "1200")]
    ['1', '1/20', '10', '2000']
    """
    if not least:
        return Fraction(1)
    power = Fraction(10) ** math.floor(math.log10(least))
    return next(power * times for times in (1, 2, 5, 10, 20) if power * times >= least)


def _budgets(unit: Unit) -> list[Fraction]:
    """The points of a curve over text."""
    return list(dict.fromkeys(Fraction(max(1, round(unit.usual * share))) for share in BUDGETS))


CURVES = (
    Curve("iP", "recall", (), "precision-recall", "Precision at recall", "precision (iP[x])"),
    Curve("iR", "rank", (), "gain-rank", "Gain by rank", "recall (iR@k)"),
    Curve("iR", "characters", (), "gain-characters", "Gain by characters read", "recall (iR@nc)"),
    Curve("CE", "rank", (), "effort-rank", "Effort by rank", "cumulated effort (CE@k)"),
    Curve(
        "CE", "characters", (), "effort-characters", "Effort by characters read", "cumulated effort (CE@nc)"
    ),
)
"""The curves that have names."""
GAIN_BY_LINES = Curve("iR", "lines", (), "gain-lines", "Gain by lines read", "recall (iR@nl)")
"""Stands in a report for the gain by characters, where text is counted in lines."""


def curves_in(unit: str) -> list[Curve]:
    """The curves of a report on text counted in a unit; effort counts screens, which are of characters."""
    if unit == CHARACTERS:
        return list(CURVES)
    kept = [curve for curve in CURVES if curve.over != CHARACTERS and curve.measure != "CE"]
    return [*kept, *([GAIN_BY_LINES] if unit == LINES else [])]


def curves_over(
    measures: str | Measure | Iterable[str | Measure], over: str, models: Sequence[str] = ()
) -> list[Curve]:
    """The curves of measures as typed, each under every navigation model if there are several."""
    if over not in AXES:
        raise UsageError(f"unknown axis {over!r}{nearest(over, AXES)} (known: {', '.join(AXES)})")
    texts = measure_names(measures) or [AXES[over].usual]
    typed: dict[str, list[Fraction]] = {}
    for text in texts:
        measure, point = _without_point(text, over)
        typed.setdefault(measure, []).extend([] if point is None else [point])
    found = [Curve(measure, over, tuple(sorted(set(points)))).fine for measure, points in typed.items()]
    for curve in found:
        if measure_named(curve.example).summed:
            raise UsageError(f"{curve.measure} is summed over topics, not averaged; curves show means")
    if len(models) < 2:
        return found
    return [
        replace(curve, measure=with_model(curve.measure, model)) if model else curve
        for curve in found
        for model in (models if measure_named(curve.example).takes_navigation else [""])
    ]


def _without_point(text: str, over: str) -> tuple[str, Fraction | None]:
    """A measure without its cut-off, recall or number of ideals, and that; an error if it takes none."""
    typed, axis = parse_measure(text), AXES[over]
    kind = MEASURES.find(typed.call.name)
    if kind is None and typed.call.name not in DocumentMeasure.names():
        measure_named(text)
    if axis.unit:
        of_documents = "none" if DocumentMeasure.is_at_recall(typed.call.name) else "optional"
        return _without_cutoff(typed, axis, over, kind.cutoff if kind is not None else of_documents)
    if over == "recall" and _takes_point(typed.call.name):
        return str(replace(typed, point=None)), typed.point
    if kind is None or axis.parameter not in {one.name for one in kind.parameters}:
        raise UsageError(f"{typed.call.name} has no curve over {over}: it takes no {axis.label}")
    given = keyed(kind.parameters, typed.call, text)
    point = given.pop(axis.parameter, None)
    call = Call(typed.call.name, tuple(given.items()))
    return str(replace(typed, call=call)), point if isinstance(point, Fraction) else None


def _takes_point(name: str) -> bool:
    """Whether a measure, ours or one of documents, has a value at a recall point, as in ``iP[0.1]``."""
    kind = MEASURES.find(name)
    return kind.point != "none" if kind is not None else DocumentMeasure.is_at_recall(name)


def _without_cutoff(typed: Expression, axis: Axis, over: str, taken: str) -> tuple[str, Fraction | None]:
    if taken == "none" and over != "rank":
        raise UsageError(
            f"{typed.call.name} has no curve over {over}: it takes no cut-off; over rank, the list is cut"
        )
    cutoff = typed.cutoff
    if cutoff is not None and cutoff.unit != axis.unit:
        wanted = replace(typed, cutoff=Cutoff(cutoff.amount, axis.unit))
        raise UsageError(f"the curve goes over {over}, not {cutoff.unit}: {wanted} ends there")
    return str(replace(typed, cutoff=None)), None if cutoff is None else Fraction(cutoff.amount)


def drawn(curve: Curve, aligned: Aligned, counted: np.ndarray, navigation: str | None = None) -> Points:
    """A curve of one run: its points, and the means over the topics that are `counted`."""
    points = curve.points(aligned)
    measures = [measure_named(curve.at(point), navigation) for point in points]
    if curve.cuts:
        cuts = [int(point) if curve.cuts_list else None for point in points]
        values = np.array(
            [_at_a_cut(measure, aligned, rank) for measure, rank in zip(measures, cuts, strict=True)]
        )
    else:
        values = values_of(measures, aligned)
    values = np.where(counted, values, np.nan)
    means, known = [mean(row) for row in values], (~np.isnan(values)).sum(axis=1)
    return Points(points, means, known.tolist())


def _at_a_cut(measure: Measure, aligned: Aligned, rank: int | None) -> np.ndarray:
    """The values of a measure that cuts the list, or of the list cut at a rank; the cut list is not kept."""
    with aligned.facts.passing(Aligned):
        return measure(aligned.top(rank))
