"""The numbers of the report: scores, intervals, significance, correlations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from doxeval.comparison.intervals import INTERVALS
from doxeval.comparison.paired import DRAWS
from doxeval.core.errors import DoxevalError
from doxeval.core.table import Table, shown
from doxeval.measurement.base import Measure
from doxeval.scoring.scores import RunScores, Scores

CONFIDENCE = 0.95
TIE_DIGITS = 10
RUNS_TO_RANK = 6
"""With fewer runs only equal or opposite rankings differ from chance at 5% (Kendall's tau, two-sided)."""


class RunColumn(NamedTuple):
    """A column of the leader board beside the measures: a number for each run, empty if it is None.

    `help` says in full what the `title` means; numbers are shown with this many `digits`.
    """

    title: str
    help: str
    value: Callable[[RunScores], float | None]
    digits: int = 0


RUN_COLUMNS = (
    RunColumn("results", "results for all topics", lambda run: run.results),
    RunColumn("unjudged", "results in documents that nobody judged for the topic", lambda run: run.unjudged),
)
"""The columns of the leader board beside the measures."""

BOUNDED = "Means, and their bounds if the unjudged text were judged"


def numbers(values: np.ndarray, digits: int = TIE_DIGITS) -> list[float | None]:
    """A column as in JSON: rounded, None if undefined or infinite.

    Values that rounding would move across a tie between two shown decimals are kept in full.
    """
    return [_rounded(value, digits) if np.isfinite(value) else None for value in values.tolist()]


def _rounded(value: float, digits: int) -> float:
    short = round(value, digits)
    return short if shown(short) == shown(value) else value


def described(measures: Sequence[Measure]) -> list[dict[str, Any]]:
    """The measures: how they are typed, what they are, which user they model, which direction is better."""
    from doxeval.measurement.describe import parameters_of

    return [
        {
            "name": m.label,
            "user": m.user,
            "paper": m.paper,
            "better": 1 if m.higher_is_better else -1,
            "explained": inspect.cleandoc(type(m).__doc__ or "").replace("``", "").split("\n\n"),
            "range": [bound if np.isfinite(bound) else None for bound in (m.low, m.high)],
            "parameters": parameters_of(m),
        }
        for m in measures
    ]


def known_of_runs(scores: Scores, fetched: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """Facts about each run besides its scores; `fetched` is its number of documents for each topic."""
    return [
        {
            "results": run.results,
            "topics": sum(documents > 0 for documents in of_run),
            "unjudged": run.unjudged,
            "notices": [str(notice) for notice in run.notices],
        }
        for run, of_run in zip(scores.runs, fetched, strict=True)
    ]


def columns(scores: Scores) -> list[dict[str, Any]]:
    """The columns beside the measures, with a value for each run."""
    return [
        {
            "title": column.title,
            "help": column.help,
            "digits": column.digits,
            "values": numbers(np.array([column.value(run) for run in scores.runs], dtype=float)),
        }
        for column in RUN_COLUMNS
    ]


def scored(scores: Scores) -> dict[str, Any]:
    """Values per run, measure and topic, and their aggregates over topics, in full precision."""
    return {
        "values": [[numbers(values) for values in run.values] for run in scores.runs],
        "means": [
            [
                value if np.isfinite(value := scores.overall(measure, values)) else None
                for measure, values in zip(scores.measures, run.values, strict=True)
            ]
            for run in scores.runs
        ],
    }


def board_comparisons(scores: Scores, seed: int, notes: list[str]) -> dict[str, Any]:
    """The verdict, intervals of the means, and differences of all pairs of runs with p-values."""
    from doxeval.comparison.compare import compare
    from doxeval.comparison.render import bounds_table, how_tested
    from doxeval.comparison.verdict import verdict
    from doxeval.scoring.scores_table import scores_table

    board: dict[str, Any] = {"intervals": None, "differences": [], "tested": "", "confidence": CONFIDENCE}
    comparison = None
    board["bounds"] = [plain_table(replace(scores_table(scores), title=BOUNDED))] if scores.bounded else []
    try:
        values = np.array([run.values for run in scores.runs])
        runs, measures, topics = values.shape
        if topics > 1:
            low, high = INTERVALS["bootstrap"](values.reshape(-1, topics), CONFIDENCE, DRAWS, seed)
            bounds = np.stack([low, high], axis=1).reshape(runs, measures, 2)
            bounds[:, [measure in scores.summed for measure in scores.measures]] = np.nan
            board["intervals"] = [[numbers(pair) for pair in of_run] for of_run in bounds]
        if runs > 1 and topics > 1:
            comparison = compare(scores, seed=seed)
            board["tested"] = how_tested(comparison)
            board["alpha"] = comparison.alpha
            board["bounds"] += [plain_table(bounds_table(comparison))] if scores.bounded else []
            board["differences"] = [
                [
                    scores.measures.index(d.measure),
                    scores.names.index(d.baseline),
                    scores.names.index(d.run),
                    *numbers(np.array([d.difference, d.low, d.high, d.adjusted_p]), 6),
                    d.wins,
                    d.ties,
                    d.losses,
                ]
                for d in comparison.differences
            ]
    except DoxevalError as problem:
        notes.append(f"Not compared: {problem}")
    return board | {"verdict": verdict(scores, comparison=comparison)}


def sliced(scores: Scores, by: str | None, seed: int) -> dict[str, Any] | None:
    """The table of slices by an attribute of topics; None if none was named."""
    if by is None:
        return None
    from doxeval.comparison.slices import slice_scores

    return plain_table(slice_scores(scores, by=by, confidence=CONFIDENCE, draws=DRAWS, seed=seed).table)


def plain_table(table: Table) -> dict[str, Any]:
    """A table as the page shows it."""
    return {"title": table.title, "header": table.header, "body": table.body, "footer": table.footer}


def correlated(scores: Scores, notes: list[str]) -> dict[str, Any] | None:
    """How similarly the measures rank the runs: Kendall's tau-b; None if there is too little to rank."""
    from doxeval.comparison.correlation import ranking_means
    from doxeval.comparison.difference import directions
    from doxeval.comparison.rankings import COEFFICIENTS

    if len(scores.runs) < 3 or len(scores.measures) < 2:
        return None
    try:
        signed = np.array([run.values for run in scores.runs]) * directions(scores)[:, None]
        means = ranking_means(scores, signed)
    except DoxevalError as problem:
        notes.append(f"No correlations: {problem}")
        return None
    tau = COEFFICIENTS["tau"]
    value = tau(*np.broadcast_arrays(means[:, None], means[None, :]))
    return {"title": tau.title, "value": [numbers(row, 4) for row in value], "enough": RUNS_TO_RANK}
