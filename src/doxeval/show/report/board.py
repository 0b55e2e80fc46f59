"""The numbers of the report: scores, intervals, significance, correlations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from doxeval.comparison.intervals import INTERVALS
from doxeval.comparison.paired import DRAWS
from doxeval.comparison.standing import listed
from doxeval.core.errors import DoxevalError
from doxeval.core.table import Table, shown
from doxeval.core.units import OF_TEXT
from doxeval.measurement.base import Measure
from doxeval.scoring.scores import RunScores, Scores
from doxeval.scoring.selection import lead_of
from doxeval.show.frontier import amounts_of_all, frontier_of, unbeaten_by

if TYPE_CHECKING:
    from doxeval.comparison.advice import Advice

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
            "budget": m.expression.cutoff is not None and m.expression.cutoff.unit in OF_TEXT,
        }
        for m in measures
    ]


def known_of_runs(scores: Scores, topics: Sequence[int]) -> list[dict[str, Any]]:
    """Facts about each run besides its scores; `topics` is for how many it has results."""
    return [
        {
            "results": run.results,
            "topics": answered,
            "unjudged": run.unjudged,
            "notices": [str(notice) for notice in run.notices],
        }
        for run, answered in zip(scores.runs, topics, strict=True)
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


def scored(scores: Scores, shown: np.ndarray) -> dict[str, Any]:
    """Values per run, measure and topic shown, and aggregates over all topics, in full precision."""
    return {
        "values": [[numbers(values[shown]) for values in run.values] for run in scores.runs],
        "means": [
            [
                value if np.isfinite(value := scores.overall(measure, values)) else None
                for measure, values in zip(scores.measures, run.values, strict=True)
            ]
            for run in scores.runs
        ],
    }


def board_comparisons(scores: Scores, seed: int, notes: list[str], against: str = "") -> dict[str, Any]:
    """The answer, intervals of the means, and differences of all pairs of runs with p-values."""
    from doxeval.comparison.advice import advice_of
    from doxeval.comparison.compare import compare
    from doxeval.comparison.render import bounds_table, how_tested
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
    found = agreement_told(scores, against) if against else advice_of(scores, comparison)
    measure = scores.measures.index(found.measure) if found.measure else -1
    return board | {"answer": asdict(found) | {"measure": measure}}


def agreement_told(scores: Scores, against: str) -> Advice:
    """The answer where the runs are assessors, and another assessor's highlights are the truth."""
    from doxeval.comparison.advice import Advice

    measure = scores.measures[0]
    told = [f"{shown(scores.overall(measure, run.values[0]), 2)} for {run.name}" for run in scores.runs]
    return Advice(
        f"How far others agree with {against}: {measure} is {listed(told)}.",
        [f"1 is the same text, 0 none in common; all numbers are against {against}, who is no truth."],
        ["Settle the questions below first: there assessors differ most (doxeval judge shows disputes)."],
        measure, [int(np.argmax([scores.overall(measure, run.values[0]) for run in scores.runs]))],
    )  # fmt: skip


def reading_of(shown_text: Sequence[np.ndarray], seed: int) -> list[list[float | None]]:
    """For each run the mean text that its first results show, and the bounds of its interval."""
    values = np.array(shown_text)
    known = values[:, ~np.isnan(values).all(axis=0)]
    if not known.shape[1]:
        return [[None] * 3 for _ in values]
    means = np.array([np.nanmean(row) if not np.isnan(row).all() else np.nan for row in known])
    low, high = means, means
    if known.shape[1] > 1:
        low, high = INTERVALS["bootstrap"](known, CONFIDENCE, DRAWS, seed)
    return [numbers(np.array(row), 1) for row in zip(means, low, high, strict=True)]


def sliced(scores: Scores, by: str | None, seed: int) -> dict[str, Any] | None:
    """The table of slices by an attribute of topics; None if none was named."""
    if by is None:
        return None
    from doxeval.comparison.slices import slice_scores

    return plain_table(slice_scores(scores, by=by, confidence=CONFIDENCE, draws=DRAWS, seed=seed).table)


def effects_shown(scores: Scores, seed: int) -> list[dict[str, Any]]:
    """The table of effects of the runs' parameters; none if there are no effects to tell."""
    from doxeval.comparison.effects import effects

    averaged = [name for name in scores.measures if name not in scores.summed]
    try:
        return [plain_table(effects(scores.select(measures=averaged), seed=seed).table)]
    except DoxevalError:
        return []


def weighed(
    scores: Scores, unit: str, text: Sequence[Sequence[float]], depths: Sequence[int | None]
) -> list[dict[str, Any]]:
    """Runs by the measure that leads against the text they show and what they took, and the frontier of each.

    `text` is for each run and measure what is shown up to its rank, which is in `depths`. Frontiers are lists
    of runs by their place, from little to much; `depth` is 0 if amounts were stated, None if of all results.
    """
    lead = lead_of(scores)
    if lead is None or len(scores.runs) < 2:
        return []
    by_lead, at = scores.select(measures=[lead]), scores.measures.index(lead)
    place = {name: run for run, name in enumerate(scores.names)}
    shows, stated, found = [(unit, of_run[at]) for of_run in text], amounts_of_all(scores), []
    for against in dict.fromkeys([unit, *stated]):
        if against not in stated and np.isnan([amount for _, amount in shows]).all():
            continue
        rows = sorted(frontier_of(by_lead, against, shows).means, key=lambda row: place[row.run])
        best = [run for run, row in enumerate(rows) if row.frontier]
        found.append({
            "against": against, "measure": at, "depth": 0 if against in stated else depths[at],
            "x": [row.amount for row in rows], "y": [row.value for row in rows],
            "frontier": sorted(best, key=lambda run: rows[run].amount or 0), "said": unbeaten_by(against),
        })  # fmt: skip
    return found


def plain_table(table: Table) -> dict[str, Any]:
    """A table as the page shows it; counts have separators of thousands."""
    body = [[*row[: table.names], *map(_separated, row[table.names :])] for row in table.body]
    return {
        "title": table.title,
        "header": table.header,
        "body": body,
        "names": table.names,
        "footer": table.footer,
    }


def _separated(cell: str) -> str:
    return f"{int(cell):,}" if cell.isdecimal() else cell


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
