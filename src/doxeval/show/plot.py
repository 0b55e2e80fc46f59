"""Figures of an evaluation: curves of runs, means with intervals, differences per topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from doxeval.comparison.compare import Comparison
from doxeval.comparison.correlation import Correlation
from doxeval.comparison.outcomes.result import OutcomeCorrelation
from doxeval.comparison.rankings import COEFFICIENTS
from doxeval.core.errors import UsageError, nearest
from doxeval.core.notices import Notices
from doxeval.core.options import ScoringOptions
from doxeval.core.output import FIGURE_SUFFIXES, check_figure_path
from doxeval.core.phrases import counted, stated
from doxeval.core.run_labels import some_names
from doxeval.measurement.base import Measures
from doxeval.measurement.listed import listed_measures, measure_names
from doxeval.scoring.evaluation import NavigationModels, models_of
from doxeval.scoring.inputs import scores_in
from doxeval.scoring.scores import Scores
from doxeval.scoring.selection import lead_of
from doxeval.show.charts import (
    bars_by_topic,
    bars_with_intervals,
    heat_map,
    panels,
    points_with_intervals,
)
from doxeval.show.curves import AXES, CURVES, curves_over
from doxeval.show.frontier import Frontier, TextLook, frontier_figure, frontier_of
from doxeval.show.points import CurveLook, Curves, curves_of, shown_scores
from doxeval.show.style import FULL_PAGE, Sheet, inches_of, lost_letters, save_figure
from doxeval.tables.places import CHARACTERS, LINES

MEANS, DIFFERENCES, PARETO = "means", "differences", "pareto"
MOST_CURVES, MOST_BARS = 25, 40
"""Most runs whose curves, and most rows whose intervals, one figure shows."""
MOST_PANELS = 6
"""Most measures whose outcomes one figure shows."""
FIGURE_KINDS = (*(curve.name for curve in CURVES), MEANS, DIFFERENCES, PARETO)


def plot(
    runs: Any,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    path: str | Path | None = None,
    *,
    figure: str | None = None,
    over: str | None = None,
    shapes: Sequence[str] = (),
    log_axis: bool = False,
    baseline: str | None = None,
    against: str | None = None,
    width: str | float = "page",
    font: str = "sans",
    title: str = "",
    **options: Unpack[ScoringOptions],
) -> Any:
    """A matplotlib figure, which notebooks show; written to `path` (.png, .svg or .pdf) if one is given.

    `over` is rank, recall, characters, lines, documents or ideals, and draws the curves of
    :func:`doxeval.curve`: a panel per measure, or for one run all measures of the same unit in one;
    `log_axis` makes the axis logarithmic. `figure` is means, differences, or the name of a curve:
    precision-recall (the default), gain-rank, gain-characters, gain-lines, effort-rank or effort-characters.
    By default curves show iP, iR or CE, and means and differences AiP. The figure pareto shows a measure
    (iR@5) `against` the text shown, or a number given with runs such as cost, and names the runs that none
    beats in both. With `shapes`, as for :func:`doxeval.compare_shapes`, each run is shown in each. `width` is
    `column`, `page` or a number of inches, `font` is `sans` or `serif`; only a `title` is put above the
    figure. The other arguments are those of :func:`doxeval.evaluate`; instead of them, `runs` may be scores,
    a comparison (its differences with intervals) or a correlation (a heat map; with outcomes, these against
    the values).
    """
    if path is not None:
        check_figure_path(path)
    if isinstance(runs, Comparison | Correlation | OutcomeCorrelation):
        drawn = result_figure(runs, Sheet(inches_of(width), font, title))
    else:
        asked = asked_figure(
            figure, over, measures, baseline, models_of(navigation), log_axis, width, font, title, against
        )
        scores = asked.scores(runs, assessments, documents, navigation, shapes, options)
        drawn = asked.drawn(scores)
        lost_letters(asked.paper, scores.labels.labels).warn()
    if path is not None:
        save_figure(drawn, path)
    return drawn


@dataclass(frozen=True)
class AskedFigure:
    """A figure that was asked for: the measures to score, and the curves to look at, if it shows any.

    The measures were `named`, or are the usual ones.
    """

    kind: str
    measures: list[str]
    look: CurveLook | TextLook | None = None
    baseline: str | None = None
    log: bool = False
    named: bool = False
    paper: Sheet = FULL_PAGE
    against: str | None = None

    def scores(
        self, runs: Any, assessments: Any, documents: Any, navigation: NavigationModels,
        shapes: Sequence[str], options: ScoringOptions,
    ) -> Scores:  # fmt: skip
        """The scores to show of runs, looked at for the curves."""
        wanted = self.measures if self.look is not None or self.named or scores_in(runs) is None else ()
        return shown_scores(runs, assessments, wanted, documents, navigation, shapes, options, self.look)

    def check_numbers(self, output: str) -> None:
        """Refuse to write numbers where there are no curves."""
        if self.look is None and self.kind != PARETO:
            raise UsageError(
                f"{output}: {self.kind} can only be drawn: the name of the figure must end with one of "
                f"{', '.join(FIGURE_SUFFIXES)}; 'doxeval compare' prints the numbers"
            )

    def save(self, scores: Scores, path: str) -> Notices:
        """Write the figure to a file; returns notices of letters that its font does not have."""
        save_figure(self.drawn(scores), path)
        return lost_letters(self.paper, scores.labels.labels)

    def numbers(self, scores: Scores) -> Curves | Frontier:
        """The numbers of the figure."""
        if self.kind == PARETO:
            text = [run.seen for run in scores.runs] if self.look is not None else []
            return frontier_of(scores, self.against, text)
        assert isinstance(self.look, CurveLook)
        return curves_of(scores, self.look)

    def drawn(self, scores: Scores) -> Any:
        """The figure, with the notes on its numbers below it."""
        paper = self.paper
        notes = [str(notice) for notice in scores.notices.lasting]
        if self.kind == PARETO:
            weighed = self.numbers(scores)
            assert isinstance(weighed, Frontier)
            return frontier_figure(weighed, replace(paper, notes=[*map(str, weighed.notices.lasting)]))
        if self.look is None:
            return figure_of(scores, self.kind, self.baseline, replace(paper, notes=notes))
        chosen, left_out = best_of(scores, MOST_CURVES)
        found = self.numbers(chosen)
        assert isinstance(found, Curves)
        varies = len({point.topics for point in found.means}) > 1
        notes = [*left_out, *found.remarks[not varies :], *notes]
        return curves_figure(found, replace(paper, notes=notes), self.log)


def best_of(scores: Scores, most: int) -> tuple[Scores, list[str]]:
    """The best runs where a figure cannot show all, in the order given, and a note on the others."""
    if len(scores.runs) <= most:
        return scores, []
    listed = scores.listed
    left_out = [scores.labels.of(name) for name in listed.names[most:]]
    best = [name for name in scores.names if name in set(listed.names[:most])]
    by = "" if (lead := lead_of(scores)) is None else f", the best by {lead}"
    return scores.select(best), [
        f"{most} of {len(scores.runs)} runs are drawn{by}; left out: {some_names(left_out, 4)}"
    ]


def asked_figure(
    kind: str | None = None,
    over: str | None = None,
    measures: Measures = (),
    baseline: str | None = None,
    models: Sequence[str] = (),
    log: bool = False,
    width: str | float = "page",
    font: str = "sans",
    title: str = "",
    against: str | None = None,
) -> AskedFigure:
    """The figure of a kind, or over an axis; an error for what it cannot show."""
    paper = Sheet(inches_of(width), font, title)
    if kind is not None and over is not None:
        raise UsageError(f"{kind} is drawn over its own axis; give either a figure or an axis")
    kind = kind or (FIGURE_KINDS[0] if over is None else "")
    if kind and kind not in FIGURE_KINDS:
        raise UsageError(
            f"unknown figure {kind!r}{nearest(kind, FIGURE_KINDS)} (known: {', '.join(FIGURE_KINDS)})"
        )
    if baseline is not None and kind != DIFFERENCES:
        raise UsageError(f"only the figure differences takes a baseline, not {kind or 'curves'}")
    if against is not None and kind != PARETO:
        raise UsageError(f"only the figure pareto weighs runs against something, not {kind or 'curves'}")
    named = [str(measure) for measure in listed_measures(measures)]
    if kind in (MEANS, DIFFERENCES, PARETO):
        if len(several := measure_names(measures)) > 1:
            raise UsageError(f"{kind} show one measure, not {', '.join(several)}")
        usual = ["iR@5"] if kind == PARETO else ["AiP"]
        text = TextLook() if kind == PARETO and against in (None, CHARACTERS, LINES) else None
        return AskedFigure(kind, named or usual, text, baseline, False, bool(named), paper, against)
    known = next((curve for curve in CURVES if curve.name == kind), None)
    axis = over or (known.over if known else "")
    found = [known.fine] if known and not named else curves_over(named, axis, models)
    if log and (AXES[axis].logarithmic or axis == "recall"):
        told = "recall begins at 0" if axis == "recall" else "that of characters always is"
        raise UsageError(f"a logarithmic axis would do nothing here: {told}")
    bare = found if len(models) < 2 else curves_over(named, axis)
    examples = [curve.example for curve in bare]
    return AskedFigure(kind, examples, CurveLook(tuple(found)), log=log, paper=paper)


def result_figure(result: Comparison | Correlation | OutcomeCorrelation, paper: Sheet) -> Any:
    """The differences of a comparison with their intervals, or what a correlation found."""
    paper = replace(paper, notes=[str(notice) for notice in result.notices.lasting])
    if isinstance(result, OutcomeCorrelation):
        return outcome_figure(result, paper)
    if isinstance(result, Correlation):
        title = paper.title or COEFFICIENTS[result.coefficient].title
        return heat_map(result.rows, result.columns, result.value, replace(paper, title=title))
    rows = result.differences
    if len(rows) > MOST_BARS:
        rows = sorted(rows, key=lambda d: -abs(d.difference))[:MOST_BARS]
        note = f"the {MOST_BARS} largest of {len(result.differences)} differences; csv has all"
        paper = replace(paper, notes=[note, *paper.notes])
    labels = result.scores.labels
    values, low, high = (np.array([getattr(d, name) for d in rows]) for name in ("difference", "low", "high"))
    names = [f"{d.measure}: {labels.of(d.run)} − {labels.of(d.baseline)}" for d in rows]
    label = f"difference, {stated(result.confidence)} intervals"
    return bars_with_intervals(names, values, low, high, label, paper)


def outcome_figure(result: OutcomeCorrelation, paper: Sheet) -> Any:
    """The outcome against the value of each measure, in bins with intervals; of many measures the best."""
    shown = result.predictors[:MOST_PANELS]
    parts = []
    for one in shown:
        bins = [each for each in result.bins if each.measure == one.measure and np.isfinite(each.value)]
        ends = np.array([[each.low, each.high] for each in bins], dtype=np.float64).T
        label = f"{one.measure}, {result.coefficient} {one.value:.3f}" + " (explored)" * (one.explored > 1)
        parts.append(([each.value for each in bins], [each.mean for each in bins], ends, label))
    notes = [f"bins of about the same number of cases; {stated(result.confidence)} intervals"]
    if len(shown) < len(result.predictors):
        notes.append(
            f"the {len(shown)} of {len(result.predictors)} measures with the highest {result.coefficient}"
        )
    names = {one.measure for one in shown}
    if infinite := sum(each.cases for each in result.bins if each.measure in names and np.isinf(each.value)):
        notes.append(f"not shown: {counted(infinite, 'case')} in bins with infinite values")
    y_label = f"share {result.outcome}" if result.yes_no else f"mean {result.outcome}"
    paper = replace(paper, notes=[*notes, *paper.notes])
    return points_with_intervals(parts, y_label, paper, (-0.02, 1.02) if result.yes_no else None)


def curves_figure(points: Curves, paper: Sheet = FULL_PAGE, log: bool = False) -> Any:
    """A panel per measure with the runs as series; for one run, the measures if they have the same unit."""
    curves, labels = points.curves, points.labels
    numbers = [labels.number(run) - 1 for run in points.runs]
    if len(points.runs) == 1 and len({curve.unit for curve in curves}) == 1:
        lines = {curve.measure: points.line(points.runs[0], curve) for curve in curves}
        parts = [(lines, curves[0].y_label if len(curves) == 1 else f"value, {points.axis.each}")]
        numbers = []
    else:
        alone = len(curves) == 1
        parts = [
            (
                {labels.of(run): points.line(run, curve) for run in points.runs},
                curve.y_label if alone else curve.measure,
            )
            for curve in curves
        ]
    return panels(parts, points.axis.label, paper, log or points.axis.logarithmic, numbers=numbers)


def figure_of(scores: Scores, kind: str, baseline: str | None = None, paper: Sheet = FULL_PAGE) -> Any:
    """The figure of means or differences by one measure."""
    if len(scores.measures) > 1:
        raise UsageError(f"a figure shows one measure; name one of {', '.join(scores.measures)}")
    if scores.summed:
        raise UsageError(f"{scores.measures[0]} is summed over topics, not averaged; figures show means")
    return means_figure(scores, paper) if kind == MEANS else differences_figure(scores, baseline, paper)


def means_figure(
    scores: Scores, paper: Sheet = FULL_PAGE, confidence: float = 0.95, draws: int = 10_000, seed: int = 0
) -> Any:
    """Means of the measure with bootstrap intervals over topics, best first."""
    from doxeval.comparison.difference import directions
    from doxeval.comparison.intervals import INTERVALS
    from doxeval.scoring.scores import mean

    scores, left_out = best_of(scores, MOST_BARS)
    paper = replace(paper, notes=[*left_out, *paper.notes])
    values = np.array([run.values[0] for run in scores.runs])
    means = np.array([mean(row) for row in values])
    low, high = INTERVALS["bootstrap"](values, confidence, draws, seed)
    order = np.argsort(-int(directions(scores)[0]) * means, kind="stable")
    names = [scores.labels.of(scores.names[at]) for at in order]
    label = f"{scores.measures[0]}, {stated(confidence)} intervals"
    return bars_with_intervals(names, means[order], low[order], high[order], label, paper)


def differences_figure(scores: Scores, baseline: str | None = None, paper: Sheet = FULL_PAGE) -> Any:
    """The measure of the other run minus that of the baseline (by default the first run), topic by topic."""
    names = scores.names
    if len(names) != 2:
        raise UsageError(f"differences need two runs, not {len(names)}")
    first = 0 if baseline is None else names.index(scores.labels.find(baseline))
    second = 1 - first
    difference = scores.runs[second].values[0] - scores.runs[first].values[0]
    known = np.flatnonzero(~np.isnan(difference))
    order = known[np.argsort(-difference[known], kind="stable")]
    after, before = (scores.labels.of(names[at]) for at in (second, first))
    label = f"{scores.measures[0]}: {after} − {before}"
    return bars_by_topic([scores.topics[at] for at in order], difference[order], label, paper)
