"""Figures of an evaluation: curves of runs, means with intervals, differences per topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from doxeval.core.errors import UsageError, nearest
from doxeval.scoring.evaluation import Navigation, scores_of
from doxeval.scoring.options import ScoringOptions
from doxeval.scoring.read_scores import select_measures
from doxeval.scoring.scores import RunScores, Scores
from doxeval.show.charts import bars_by_topic, bars_with_intervals, curves
from doxeval.show.curves import CURVES, Curve, Points, drawn
from doxeval.show.style import PAGE, Paper, lost_letters, width_of

if TYPE_CHECKING:
    from doxeval.ground.aligned import Aligned
    from doxeval.scoring.evaluation import Evaluation

MEANS, DIFFERENCES = "means", "differences"
KINDS = (*(curve.name for curve in CURVES), MEANS, DIFFERENCES)


def plot(
    runs: Any,
    assessments: Any = None,
    kind: str = "precision-recall",
    measure: str | None = None,
    documents: Any = None,
    navigation: Navigation = None,
    *,
    baseline: str | None = None,
    width: str | float = "page",
    font: str = "sans",
    title: str = "",
    **options: Unpack[ScoringOptions],
) -> Any:
    """A matplotlib figure, which notebooks show and `savefig` writes.

    `kind` is precision-recall, gain-rank, gain-characters, effort-rank, effort-characters, means or
    differences. A figure shows one `measure`: by default, curves show iP, iR or CE, and means and differences
    AiP. The curve of a given measure goes up to the cut-off or recall typed with it. `width` is `column`,
    `page` or a number of inches, `font` is `sans` or `serif`; only a `title` is put above the figure. The
    other arguments are those of :func:`doxeval.evaluate`; instead of them, `runs` may be the scores that it
    returned.
    """
    paper = Paper(width_of(width), font, title)
    look = check_figure(kind, [measure] if measure else [], baseline)
    if isinstance(runs, Scores) and measure is not None and look is None:
        runs = select_measures(runs, [measure])
    measures = measure or (look.curve.example if look else "AiP")
    scores = scores_of(runs, assessments, measures, documents, navigation, options, look)
    figure = figure_of(scores, kind, look, baseline, paper)
    lost_letters(paper, scores.names).warn()
    return figure


@dataclass(frozen=True)
class CurveLook:
    """Compute the points of a curve for an aligned run."""

    curve: Curve

    def __call__(self, evaluation: Evaluation, topics: Aligned, scores: RunScores) -> Points:
        return drawn(self.curve, topics, scores.counted, evaluation.navigation)


def check_figure(kind: str, measures: Sequence[str] = (), baseline: str | None = None) -> CurveLook | None:
    """The look at every run that a figure needs beyond the scores; an error for what it cannot show."""
    if kind not in KINDS:
        raise UsageError(f"unknown figure {kind!r}{nearest(kind, KINDS)} (known: {', '.join(KINDS)})")
    if baseline is not None and kind != DIFFERENCES:
        raise UsageError(f"only the figure differences takes a baseline, not {kind}")
    if len(measures) > 1:
        raise UsageError(f"a figure shows one measure, not {', '.join(measures)}")
    curve = next((curve for curve in CURVES if curve.name == kind), None)
    if curve is None:
        return None
    return CurveLook((curve.of(measures[0]) if measures else curve).fine)


def figure_of(
    scores: Scores,
    kind: str,
    look: CurveLook | None = None,
    baseline: str | None = None,
    paper: Paper = PAGE,
) -> Any:
    """The figure of a kind, with the notes on its numbers below it.

    Means and differences show the one measure, curves the points that were computed while scoring.
    """
    paper = replace(paper, notes=[str(notice) for notice in scores.notices.lasting])
    if look is not None:
        curve, series = look.curve, {run.name: run.seen for run in scores.runs}
        return curves(series, curve.x_label, curve.y_label, paper, logarithmic=curve.axis == "characters")
    if len(scores.measures) > 1:
        raise UsageError(f"a figure shows one measure; name one of {', '.join(scores.measures)}")
    if scores.summed:
        raise UsageError(f"{scores.measures[0]} is summed over topics, not averaged; figures show means")
    return means_figure(scores, paper) if kind == MEANS else differences_figure(scores, baseline, paper)


def means_figure(
    scores: Scores, paper: Paper = PAGE, confidence: float = 0.95, draws: int = 10_000, seed: int = 0
) -> Any:
    """Means of the measure with bootstrap intervals over topics, best first."""
    from doxeval.comparison.directions import directions
    from doxeval.comparison.intervals import INTERVALS
    from doxeval.scoring.scores import mean

    values = np.array([run.values[0] for run in scores.runs])
    means = np.array([mean(row) for row in values])
    low, high = INTERVALS["bootstrap"](values, confidence, draws, seed)
    order = np.argsort(-int(directions(scores)[0]) * means, kind="stable")
    names = [scores.names[at] for at in order]
    label = f"{scores.measures[0]}, {confidence:.0%} intervals"
    return bars_with_intervals(names, means[order], low[order], high[order], label, paper)


def differences_figure(scores: Scores, baseline: str | None = None, paper: Paper = PAGE) -> Any:
    """The measure of the other run minus that of the baseline (by default the first run), topic by topic."""
    names = scores.names
    if len(names) != 2:
        raise UsageError(f"differences need two runs, not {len(names)}")
    if baseline is not None and baseline not in names:
        raise UsageError(f"unknown run {baseline!r}{nearest(baseline, names)}")
    first = names.index(baseline) if baseline else 0
    second = 1 - first
    difference = scores.runs[second].values[0] - scores.runs[first].values[0]
    known = np.flatnonzero(~np.isnan(difference))
    order = known[np.argsort(-difference[known], kind="stable")]
    label = f"{scores.measures[0]}: {names[second]} − {names[first]}"
    return bars_by_topic([scores.topics[at] for at in order], difference[order], label, paper)
