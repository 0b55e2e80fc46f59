"""Figures of an evaluation: curves of runs, means with intervals, differences per topic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.core.errors import UsageError, nearest
from doxeval.ground.align import align
from doxeval.show.charts import bars_with_intervals, curves
from doxeval.show.curves import CURVES, cutoffs, draw

if TYPE_CHECKING:
    from doxeval.scoring.evaluation import Plan
    from doxeval.scoring.scores import Scores
    from doxeval.tables.runs import Run

MEANS, DIFFERENCES = "means", "differences"
KINDS = (*(curve.name for curve in CURVES), MEANS, DIFFERENCES)


def plot(
    runs: Any,
    assessments: Any,
    kind: str = "precision-recall",
    measure: str = "AiP",
    documents: Any | None = None,
    navigation: str | None = None,
    **options: Any,
) -> Any:
    """A matplotlib figure, which notebooks show and `savefig` writes.

    `kind` is precision-recall, gain-rank, gain-characters, effort-rank, effort-characters, means or
    differences; the last two are of `measure`. The other arguments are those of :func:`doxeval.evaluate`.
    """
    from doxeval.io.read import read_assessments, read_documents
    from doxeval.scoring.evaluation import RunLoader, named_runs, plan_evaluation
    from doxeval.tables.assessments import Assessments

    table = assessments if isinstance(assessments, Assessments) else read_assessments(assessments)
    collection = None if documents is None else read_documents(documents)
    plan = plan_evaluation(table, measure, collection, navigation, **options)
    return figure_of(plan, [RunLoader(run, name)() for name, run in named_runs(runs)], kind)


def figure_of(plan: Plan, runs: Sequence[Run], kind: str, baseline: str | None = None) -> Any:
    """The figure of a kind; means and differences are of the plan's first measure."""
    if kind not in KINDS:
        raise UsageError(f"no figure is called {kind!r}{nearest(kind, KINDS)} (known: {', '.join(KINDS)})")
    if kind in (MEANS, DIFFERENCES):
        from doxeval.scoring.scores import Scores

        scores = Scores.gather(plan, [plan.score_run(run) for run in runs])
        return means_figure(scores) if kind == MEANS else differences_figure(scores, baseline)
    curve = next(curve for curve in CURVES if curve.name == kind)
    series = {}
    for run in runs:
        topics = align(run, plan.ground, plan.conventions)
        counted = topics.present if plan.topics == "run" else np.ones(len(topics.count), dtype=bool)
        longest = int(topics.last(topics.cumulated(topics.size)).max(initial=0))
        points = cutoffs(curve, int(topics.count.max(initial=0)), longest)
        series[run.name] = ([float(point) for point in points], draw(curve, topics, points, counted))
    figure = curves(series, curve.x_label, curve.y_label, curve.title)
    if curve.axis == "characters":
        figure.axes[0].set_xscale("log")
    return figure


def means_figure(scores: Scores, confidence: float = 0.95, draws: int = 10_000, seed: int = 0) -> Any:
    """Means of the first measure with bootstrap intervals over topics, best first."""
    from doxeval.comparison.directions import directions
    from doxeval.comparison.intervals import INTERVALS
    from doxeval.scoring.scores import mean

    values = np.array([run.values[0] for run in scores.runs])
    means = np.array([mean(row) for row in values])
    low, high = INTERVALS["bootstrap"](values, confidence, draws, seed)
    order = np.argsort(-int(directions(scores)[0]) * means, kind="stable")
    names = [scores.names[at] for at in order]
    label = f"{scores.measures[0]}, {confidence:.0%} intervals"
    return bars_with_intervals(names, means[order], low[order], high[order], label)


def differences_figure(scores: Scores, baseline: str | None = None) -> Any:
    """The first measure of the last run minus that of the baseline (else the first run), topic by topic."""
    from doxeval.show.style import COLOURS, new_figure

    if len(scores.runs) < 2:
        raise UsageError("differences need two runs")
    names = scores.names
    if baseline is not None and baseline not in names:
        raise UsageError(f"no run is called {baseline!r}{nearest(baseline, names)}")
    first = names.index(baseline) if baseline else 0
    second = next(at for at in reversed(range(len(names))) if at != first)
    difference = scores.runs[second].values[0] - scores.runs[first].values[0]
    known = np.flatnonzero(~np.isnan(difference))
    order = known[np.argsort(-difference[known], kind="stable")]
    figure, axes = new_figure(max(4.0, 1.5 + 0.12 * len(order)), 3.0)
    colour = np.where(difference[order] >= 0, COLOURS[0], COLOURS[1])
    axes.bar(np.arange(len(order)), difference[order], color=colour)
    axes.axhline(0, color="black", linewidth=0.8)
    if len(order) <= 40:
        axes.set_xticks(np.arange(len(order)), [scores.topics[at] for at in order], rotation=90, fontsize=7)
    else:
        axes.set_xticks([])
    axes.set_xlabel(f"{len(order)} topics")
    axes.set_ylabel(f"{scores.measures[0]}: {names[second]} - {names[first]}")
    return figure
