"""Quality against what it takes, such as text shown or cost, and the runs that no other beats in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.comparison.difference import directions
from doxeval.core.errors import UsageError, nearest
from doxeval.core.notices import Notices
from doxeval.core.records import Records
from doxeval.core.run_labels import TAKEN_AMOUNTS, RunLabels, run_labels
from doxeval.core.run_parameters import numbers_of
from doxeval.core.table import Table, shown
from doxeval.scoring.scores import RunScores, Scores
from doxeval.show.layout import IN_LEGEND, drawing
from doxeval.show.style import COLOURS, FULL_PAGE, Sheet, plain, stroke
from doxeval.tables.places import GRAIN

if TYPE_CHECKING:
    from doxeval.ground.aligned import Aligned
    from doxeval.measurement.base import Measure
    from doxeval.scoring.evaluation import Evaluation

HEIGHT = 3.2
"""Inches for the points of a figure."""
MOST_NAMED = 12
"""Most runs of the frontier that a figure names."""
SPARED = {
    **dict.fromkeys(("characters", "lines", "tokens"), "text to read"),
    "cells": "area",
    "seconds": "time",
}
"""What a run needs less of if an amount is smaller, where its name does not say so."""


def on_frontier(values: np.ndarray, amounts: np.ndarray, direction: int = 1) -> np.ndarray:
    """Whether no other run is as good for as little, and better or for less; NaN never is.

    >>> on_frontier(np.array([0.5, 0.7, 0.6, 0.7]), np.array([1.0, 2.0, 3.0, 2.0])).tolist()
    [True, True, False, True]
    """
    worth = direction * values
    order = np.lexsort((-worth, amounts))
    found = np.zeros(len(values), dtype=bool)
    best, least = -np.inf, np.inf
    for at in order.tolist():
        if np.isnan(worth[at]) or np.isnan(amounts[at]):
            continue
        if worth[at] > best or (worth[at] == best and amounts[at] == least):
            found[at] = True
            best, least = worth[at], amounts[at]
    return found


def unbeaten_by(against: str) -> str:
    """Words on the runs of the frontier against an amount.

    >>> unbeaten_by("characters")
    'that no other run beats; none is as good with less text to read, or better with as little'
    """
    spared = SPARED.get(against, against)
    return f"that no other run beats; none is as good with less {spared}, or better with as little"


def mean_text_shown(aligned: Aligned, rank: int | None, counted: np.ndarray) -> float:
    """The mean amount of text that the first results show for the topics that count, in its unit."""
    amounts = aligned.by_topic.sum(aligned.size, rank)[counted] / GRAIN[aligned.ground.unit]
    return float(amounts.mean()) if counted.any() else float("nan")


def text_read(measure: Measure, aligned: Aligned, counted: np.ndarray) -> float:
    """The mean amount of text shown up to the cut-off of a measure; NaN if that sets how much is read."""
    return mean_text_shown(aligned, measure.rank, counted) if measure.counts_in == "ranks" else float("nan")


@dataclass(frozen=True)
class TextLook:
    """Look at how much text a run shows up to the cut-off of the measure."""

    def __call__(self, evaluation: Evaluation, aligned: Aligned, scores: RunScores) -> tuple[str, float]:
        (measure,) = evaluation.measures
        if measure.counts_in != "ranks":
            raise UsageError(f"{measure.label} sets how much is read; weigh a measure at a rank against text")
        return aligned.ground.unit, text_read(measure, aligned, scores.counted)


@dataclass(frozen=True)
class RunForAmount:
    """The value of a run over all topics, what it takes, and whether no other is better in both."""

    run: str
    measure: str
    value: float | None
    against: str
    amount: float | None
    frontier: bool


@dataclass(eq=False, repr=False)
class Frontier(Records):
    """Quality of runs against what it takes, from little to much; `frame` is a polars frame."""

    means: list[RunForAmount]
    notices: Notices = field(default_factory=Notices)
    labels: RunLabels = field(default_factory=lambda: run_labels([]))

    @property
    def table(self) -> Table:
        """A row per run."""
        body = [
            [self.labels.of(one.run), shown(one.amount, 2 if one.amount and one.amount < 100 else 0),
             shown(one.value), "yes" if one.frontier else ""]
            for one in self.means
        ]  # fmt: skip
        first = self.means[0]
        footer = [f"frontier: runs {unbeaten_by(first.against)}"]
        footer += filter(None, [self.labels.note])
        return Table(["run", first.against, first.measure, "frontier"], body, 1, footer, notices=self.notices)


def stated_amounts(scores: Scores, against: str) -> np.ndarray:
    """The amounts given with runs under a name, NaN where there are none."""
    return np.array(list(numbers_of([row.get(against, "") for row in scores.parameters])), dtype=np.float64)


def frontier_of(scores: Scores, against: str | None, text: Sequence[tuple[str, float]] = ()) -> Frontier:
    """Runs by the first measure against an amount: the number given with each, or the `text` it shows."""
    measured = text[0][0] if text else ""
    name = against or measured
    amounts = stated_amounts(scores, name)
    if text and name == measured and np.isnan(amounts).all():
        amounts = np.array([amount for _, amount in text])
    if np.isnan(amounts).all():
        told = sorted({key for row in scores.parameters for key in row})
        known = f"; they have {', '.join(told)}" if told else ""
        raise UsageError(f"no run has a number {name!r}{nearest(name, told)}{known} (see runs.csv)")
    values = np.array([scores.over_topics(run, 0) for run in scores.runs])
    best = on_frontier(values, amounts, int(directions(scores)[0]))
    notices = Notices(scores.notices)
    without = [run for run, amount in zip(scores.names, amounts.tolist(), strict=True) if amount != amount]
    notices.add_names(f"{{count}} {{run has|runs have}} no number {name!r}", without, lasting=True)
    order = np.argsort(np.where(np.isnan(amounts), np.inf, amounts), kind="stable").tolist()
    rows = [
        RunForAmount(
            scores.names[at],
            scores.measures[0],
            _known(values[at]),
            name,
            _known(amounts[at]),
            bool(best[at]),
        )
        for at in order
    ]
    return Frontier(rows, notices, scores.labels)


def amounts_of_all(scores: Scores) -> list[str]:
    """The amounts that all runs state."""
    return [
        name
        for name in TAKEN_AMOUNTS
        if len(scores.runs) and not np.isnan(stated_amounts(scores, name)).any()
    ]


def _known(value: float) -> float | None:
    return None if value != value else float(value)


def frontier_figure(found: Frontier, paper: Sheet = FULL_PAGE) -> Any:
    """Every run as a point; those on the frontier are joined, and named in the legend."""
    points = [one for one in found.means if one.amount is not None and one.value is not None]
    best = [one for one in points if one.frontier]
    note = f"{len(best)} of {len(found.means)} runs on the frontier"
    if len(best) == 1:
        note += f": {found.labels.said(best[0].run)}"
    if len(best) > MOST_NAMED:
        note += f", of which {MOST_NAMED} are named"
    paper = replace(paper, notes=[note, *paper.notes])
    with drawing(paper, HEIGHT) as (figure, (axes,)):
        axes.plot(
            [one.amount for one in points], [one.value for one in points], "o", markersize=4, color="#999999",
            markeredgewidth=0,
        )  # fmt: skip
        axes.plot([one.amount for one in best], [one.value for one in best], linewidth=1, color=COLOURS[0])
        for one in best[:: max(1, -(-len(best) // MOST_NAMED))]:
            look = stroke(found.labels.number(one.run) - 1)
            axes.plot(
                [one.amount], [one.value], marker=look.marker, markersize=5, markeredgewidth=0, linestyle="",
                color=look.colour, label=IN_LEGEND + found.labels.of(one.run),
            )  # fmt: skip
        axes.margins(x=0.05, y=0.08)
        axes.set_xlabel(plain(found.means[0].against))
        axes.set_ylabel(plain(found.means[0].measure))
    return figure
