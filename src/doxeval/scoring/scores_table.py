"""Scores as a readable table, and in every other format."""

from __future__ import annotations

import io
import re
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.core.errors import InputError, UsageError, nearest
from doxeval.core.output import FORMS
from doxeval.core.phrases import agreeing, counted, counted_from
from doxeval.core.records import csv_text, rendered, valid_json
from doxeval.core.table import Best, Table, shown
from doxeval.core.values import is_text, quoted
from doxeval.scoring.selection import best_runs

if TYPE_CHECKING:
    from doxeval.scoring.scores import RunScores, Scores


def scores_table(scores: Scores, per_topic: bool = False, baseline: str | None = None) -> Table:
    """A row per run, or per run and topic with the mean last; a row per measure if that is too wide.

    Differences from the baseline's values stand beside those of the other runs.
    """
    body = []
    scores = scores.listed
    labels = scores.labels
    against = None if baseline is None else scores.runs[scores.names.index(labels.find(baseline))]
    best = [best_runs(scores, measure) for measure in scores.measures]
    for place, run in enumerate(scores.runs):
        means = [_cell(scores.row(run, number)) for number in range(len(scores.measures))]
        if against is not None:
            means = [
                f"{cell} {_difference(scores, number, run, against)}".strip()
                for number, cell in enumerate(means)
            ]
        means = [Best(cell) if place in best[number] else cell for number, cell in enumerate(means)]
        if per_topic:
            for at in np.flatnonzero(run.counted).tolist():
                cells = [_cell(scores.row(run, number, at)) for number in range(len(scores.measures))]
                body.append([labels.of(run.name), scores.topics[at], *cells])
            body.append([labels.of(run.name), "all", *means])
        else:
            body.append([*labels.cells(run.name), *means])
    told = ["run", "topic"] if per_topic else labels.columns
    header = [*told, *scores.measures]
    keys = 2 if per_topic else 1
    lines = footer(scores)
    if against is not None:
        lines.append(f"in brackets: the difference from {labels.said(against.name)}")
    table = Table(header, body, len(told), lines, notices=scores.notices, keys=keys)
    return table if len(told) > 1 else table.upright()


def _difference(scores: Scores, measure: int, run: RunScores, baseline: RunScores) -> str:
    """The value of a run over all topics minus that of the baseline, in brackets; empty if undefined."""
    change = scores.over_topics(run, measure) - scores.over_topics(baseline, measure)
    return "" if change != change else f"[{change:+.4f}]"


def _cell(row: tuple[Any, ...]) -> str:
    """A value with its bounds, if it has any."""
    value, *bounds = row[3:]
    if not bounds or bounds[0] is None:
        return shown(value)
    return f"{shown(value)} [{', '.join(map(shown, bounds))}]".lstrip()


def footer(scores: Scores) -> list[str]:
    """Notes for the reader of the table: topics averaged, topics undefined."""
    if not scores.runs:
        return []
    averaged = [count for run in scores.runs for count in run.averaged.tolist()]
    lines = [f"mean over {counted_from(min(averaged), max(averaged), 'topic')}"]
    if scores.pooled:
        pooled = int(max(run.counted.sum() for run in scores.runs))
        lines = [f"numerators and denominators summed over {counted(pooled, 'topic')} (micro average)"]
    elif undefined := _without_value(scores):
        sentence = "; {count} more {has|have} no value: nothing relevant, or less than required"
        lines[0] += agreeing(sentence, undefined)
    if scores.summed:
        lines[0] += f"; {', '.join(name for name in scores.measures if name in scores.summed)}: summed"
    if scores.bounded:
        lines.append("in brackets: the smallest and the largest value that unjudged text could give")
    return [*lines, *filter(None, [scores.labels.note])]


def _without_value(scores: Scores) -> int:
    """The number of topics that count for some run, but have no value for any."""
    count = np.logical_or.reduce([run.counted for run in scores.runs])
    valued = np.logical_or.reduce([(run.counted & ~np.isnan(run.values)).any(axis=0) for run in scores.runs])
    return int((count & ~valued).sum())


def render(scores: Scores, format: str, per_topic: bool, baseline: str | None = None) -> bytes:
    """The scores in one of :data:`doxeval.core.output.FORMS`; names that no file can hold are refused."""
    if not is_text("".join((*scores.names, *scores.topics))):
        name = next(name for name in (*scores.names, *scores.topics) if not is_text(name))
        raise InputError(f"the name {quoted(name)} is not text, and cannot be written")
    if format not in FORMS:
        known = ", ".join(FORMS)
        raise UsageError(
            f"scores cannot be written as {format!r}{nearest(str(format), FORMS)} (known: {known})"
        )
    if format == "parquet":
        stream = io.BytesIO()
        scores._frame(per_topic, means=True).write_parquet(stream)
        return stream.getvalue()
    if format == "metrics":
        return metrics_text(scores).encode()
    if format == "csv":
        return csv_text(chain([scores.columns], scores.rows(per_topic))).encode()
    return rendered(
        format,
        lambda: [dict(zip(scores.columns, row, strict=True)) for row in scores.rows(per_topic)],
        lambda: [scores_table(scores, per_topic, baseline)],
        scores.columns,
    )


def metrics_text(scores: Scores) -> str:
    """One JSON object with only the means, under names that experiment trackers accept."""
    import json

    return valid_json(json.dumps(metrics_of(scores), indent=1)) + "\n"


NOT_PLAIN = re.compile(r"[^\w.\-]+", re.ASCII)
"""Characters that every tracker accepts in a name: letters, digits, `_`, `.`, `-`."""


def metric_name(text: str) -> str:
    """The name of a measure or run in a form that MLflow, DVC and Weights & Biases accept.

    >>> [metric_name(name) for name in ("iP@5", "iP[0.01]", "tRBP(p=0.8)@10", "AiP")]
    ['iP_at_5', 'iP_0.01', 'tRBP_p_0.8_at_10', 'AiP']
    """
    return NOT_PLAIN.sub("_", text.replace("@", "_at_")).replace("__", "_").strip("_") or "_"


def metrics_of(scores: Scores) -> dict[str, float]:
    """The means by plain names, `run/measure` if there are several runs; undefined ones are left out."""
    found: dict[str, float] = {}
    origin: dict[str, tuple[str, str]] = {}
    for run, _, measure, value in scores.rows(per_topic=False):
        name = metric_name(measure) if len(scores.runs) == 1 else f"{metric_name(run)}/{metric_name(measure)}"
        if name in origin:
            one, other = (" of ".join(pair[::-1]) for pair in (origin[name], (run, measure)))
            raise UsageError(f"{one} and {other} would both be the metric {name!r}; omit one of them")
        origin[name] = run, measure
        if value is None:
            scores.notices.add_names("{count} undefined {mean is|means are} left out of the metrics", [name])
        else:
            found[name] = value
    return found
