"""The numbers of curves: one row per run, measure and point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Unpack

from doxeval.comparison.shapes import scores_in_shapes, side_by_side
from doxeval.core.notices import Notices
from doxeval.core.options import ScoringOptions
from doxeval.core.phrases import counted_from
from doxeval.core.records import Records
from doxeval.core.run_labels import RunLabels, run_labels
from doxeval.core.table import Table, shown
from doxeval.measurement.base import Measures
from doxeval.measurement.listed import listed_measures
from doxeval.scoring.evaluation import Look, NavigationModels, models_of
from doxeval.scoring.inputs import scores_given
from doxeval.scoring.scores import RunScores, Scores
from doxeval.show.curves import Axis, Curve, Points, curves_over, drawn

if TYPE_CHECKING:
    from doxeval.ground.aligned import Aligned
    from doxeval.scoring.evaluation import Evaluation


def curve(
    runs: Any,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    *,
    over: str = "rank",
    shapes: Sequence[str] = (),
    **options: Unpack[ScoringOptions],
) -> Curves:
    """Measures as curves over `rank`, `recall`, `characters`, `documents` or `ideals` (r = 1, 2, ...).

    A trajectory has curves over `steps`, `seconds`, `cost` and `tokens` too, if all its steps state them, and
    recordings over the `seconds` watched.

    A cut-off, recall or r typed with a measure is where its curve ends; several of them, as in
    ``iP@1,5,10``, are its points. Every point is the mean that :func:`doxeval.evaluate` gives for the measure
    there; over rank, a measure without a cut-off is that of the list cut at each rank. With `shapes`, as for
    :func:`doxeval.compare_shapes`, each run has a curve in each. Runs, assessments, documents and options are
    those of :func:`doxeval.evaluate`; instead of them, `runs` may be the scores that it returned.

    >>> answers = [{"topic": "t1", "doc": "d1", "start": 0, "end": 100}]
    >>> results = [
    ...     {"topic": "t1", "doc": "d1", "rank": rank, "start": 60 - 20 * rank, "end": 80 - 20 * rank}
    ...     for rank in (1, 2, 3)
    ... ]
    >>> curve({"mine": results}, answers, "iR iP")
    rank      iR      iP
    1     0.2000  1.0000
    2     0.4000  1.0000
    3     0.6000  1.0000
    mine, mean over 1 topic
    """
    named = [str(measure) for measure in listed_measures(measures)]
    look = CurveLook(tuple(curves_over(named, over, models_of(navigation))))
    examples = [one.example for one in curves_over(named, over)]
    return curves_of(
        shown_scores(runs, assessments, examples, documents, navigation, shapes, options, look), look
    )


def shown_scores(
    runs: Any, assessments: Any, measures: Measures, documents: Any, navigation: NavigationModels,
    shapes: Sequence[str], options: Mapping[str, Any], look: Look | None,
) -> Scores:  # fmt: skip
    """The scores to show of runs, taken as they are or in several shapes."""
    if not shapes:
        return scores_given(runs, assessments, measures, documents, navigation, options, look)
    parts = scores_in_shapes(runs, assessments, measures, documents, navigation, shapes, options, look)
    return side_by_side(parts)


@dataclass(frozen=True)
class CurveLook:
    """Compute the points of curves for an aligned run."""

    curves: tuple[Curve, ...]

    def __call__(self, evaluation: Evaluation, aligned: Aligned, scores: RunScores) -> list[Points]:
        return [drawn(one, aligned, scores.counted, evaluation.navigation) for one in self.curves]


@dataclass(frozen=True)
class CurvePoint:
    """One point of a curve: the mean of the `measure` over the `topics` that have a value.

    `at` is the rank, recall, number of characters, documents or ideal elements.
    """

    run: str
    curve: str
    over: str
    at: float
    measure: str
    value: float | None
    topics: int


@dataclass(eq=False, repr=False)
class Curves(Records):
    """Curves of runs: `means` holds the points, `frame` is a polars frame of them."""

    curves: Sequence[Curve]
    means: list[CurvePoint]
    notices: Notices = field(default_factory=Notices)
    labels: RunLabels = field(default_factory=lambda: run_labels([]))

    @property
    def axis(self) -> Axis:
        """The axis of all curves."""
        return self.curves[0].axis

    @property
    def runs(self) -> list[str]:
        """The names of the runs."""
        return list(dict.fromkeys(point.run for point in self.means))

    def line(self, run: str, one: Curve) -> tuple[list[float], list[float]]:
        """The points of a run's curve; values are NaN where there are none."""
        points = [point for point in self.means if point.run == run and point.curve == one.measure]
        values = [float("nan") if point.value is None else point.value for point in points]
        return [point.at for point in points], values

    @property
    def table(self) -> Table:
        """A row per point and a column per curve; with several runs and measures, a row per measure too."""
        runs, names = self.runs, [one.measure for one in self.curves]
        both = len(runs) > 1 and len(names) > 1
        across = runs if len(runs) > 1 else names
        cells: dict[tuple[str, float], dict[str, str]] = {}
        for point in self.means:
            row = cells.setdefault((point.curve if both else "", point.at), {})
            row[point.run if len(runs) > 1 else point.curve] = shown(point.value)
        order = sorted(cells, key=lambda key: (names.index(key[0]) if both else 0, key[1]))
        body = [
            [*([name] if both else []), f"{at:g}", *(cells[name, at].get(one, "") for one in across)]
            for name, at in order
        ]
        titles = [self.labels.of(one) for one in across] if len(runs) > 1 else across
        header = [*(["measure"] if both else []), self.curves[0].over, *titles]
        return Table(header, body, len(header) - len(across), self._footer(), notices=self.notices)

    def _footer(self) -> list[str]:
        """Notes on what is left out: its only run or measure, the topics averaged, how lists are cut."""
        runs = [self.labels.of(run) for run in self.runs]
        names = runs if len(runs) == 1 else [one.measure for one in self.curves]
        averaged, *more = self.remarks
        more += filter(None, [self.labels.note])
        return [f"{names[0]}, {averaged}" if len(names) == 1 else averaged, *more]

    @property
    def remarks(self) -> list[str]:
        """How many topics the means are over, and which measures are of lists cut at each rank."""
        counts = sorted({point.topics for point in self.means})
        said = f"mean over {counted_from(counts[0], counts[-1], 'topic')}"
        said += " that have a value there" if len(counts) > 1 else ""
        cut = ", ".join(one.measure for one in self.curves if one.cuts_list)
        return [
            said,
            *([f"the list itself is cut at each rank for {cut}"] if cut else []),
        ]


def _plain(at: Fraction, over: str) -> float:
    """A point as a number: whole, except over recall and where an amount has decimals."""
    return int(at) if at.denominator == 1 and over != "recall" else float(at)


def curves_of(scores: Scores, look: CurveLook) -> Curves:
    """The curves that were computed while scoring."""
    points = [
        CurvePoint(
            run.name, one.measure, one.over, _plain(at, one.over), one.at(at),
            None if value != value else value, topics,
        )
        for run in scores.runs
        for one, found in zip(look.curves, run.seen, strict=True)
        for at, value, topics in zip(*found, strict=True)
    ]  # fmt: skip
    return Curves(look.curves, points, scores.notices, scores.labels)
