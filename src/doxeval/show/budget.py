"""How much of each run must be read to reach a recall: a table from the scores of the measure Reach."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from doxeval.core.table import Table
from doxeval.scoring.scores import RunScores, Scores

NEVER = "never"


def reach_measure(recall: str, unit: str) -> str:
    """The measure behind one cell."""
    return f"Reach(recall={recall},unit={unit})"


def budget_table(scores: Scores, recalls: Sequence[str], units: Sequence[str], per_topic: bool) -> Table:
    """A row a run and recall (and topic): how many topics reach it, and after how much, in each unit.

    Means are over the topics that reach the recall; a system that gives up early would otherwise look quick.
    """
    body = []
    for run in scores.runs:
        for recall in recalls:
            found = np.array(
                [run.values[scores.measures.index(reach_measure(recall, unit))] for unit in units]
            )
            if per_topic:
                for at in np.flatnonzero(run.counted & ~np.isnan(found[0])):
                    reached = "yes" if np.isfinite(found[0, at]) else "no"
                    cells = [amount(value) for value in found[:, at]]
                    body.append([run.name, scores.topics[at], recall, reached, *cells])
            body.append([run.name, *(["all"] if per_topic else []), recall, *_mean_cells(run, found)])
    header = ["run", *(["topic"] if per_topic else []), "recall", "reached", *units]
    note = "amounts are means over the topics that reach the recall; repeated text counts again"
    return Table(header, body, 2 if per_topic else 1, [note])


def _mean_cells(run: RunScores, found: np.ndarray) -> list[str]:
    defined = run.counted & ~np.isnan(found[0])
    reached = defined & np.isfinite(found[0])
    means = found[:, reached].mean(axis=1) if reached.any() else np.full(len(found), np.inf)
    return [f"{reached.sum()} of {defined.sum()}", *map(amount, means)]


def amount(value: float) -> str:
    """An amount of reading as the table shows it: whole, or with one decimal.

    >>> amount(1200.0), amount(3.25), amount(float("inf"))
    ('1200', '3.2', 'never')
    """
    if not np.isfinite(value):
        return NEVER
    return str(int(value)) if value == int(value) else f"{value:.1f}"
