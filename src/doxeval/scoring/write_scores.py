"""Scores as files: full precision, columns run, topic, measure, value (low, high)."""

from __future__ import annotations

import io
from pathlib import Path

from doxeval.core.csv_out import csv_text
from doxeval.core.errors import UsageError, nearest
from doxeval.core.output import FORMS, atomic, form_of
from doxeval.core.records import valid_json
from doxeval.core.table import FORMS as TEXT_FORMS
from doxeval.core.table import render_tables
from doxeval.scoring.scores import Scores
from doxeval.scoring.scores_table import scores_table

COLUMNS = ("run", "topic", "measure", "value")


def write_scores(
    scores: Scores, target: str | Path, *, format: str | None = None, per_topic: bool = True
) -> None:
    """Write scores in the form named, or by the target's suffix: CSV, JSON Lines, Parquet, LaTeX, ...

    The file appears whole or not at all; :func:`doxeval.read_scores` reads the first three back. The form
    `metrics` has only the means, under plain names for experiment trackers.
    """
    form = format or form_of(target)
    if form not in FORMS:
        raise UsageError(
            f"scores cannot be written as {form!r}{nearest(form, FORMS)} (known: {', '.join(FORMS)})"
        )
    with atomic(target) as stream:
        stream.write(render(scores, form, per_topic))


def render(scores: Scores, format: str, per_topic: bool) -> bytes:
    """The scores in one of :data:`doxeval.core.output.FORMS`."""
    if format == "parquet":
        stream = io.BytesIO()
        scores._frame(per_topic, means=True).write_parquet(stream)
        return stream.getvalue()
    if format in TEXT_FORMS:
        text = render_tables([scores_table(scores, per_topic)], format)
    else:
        writers = {"csv": separated_text, "jsonl": jsonl_text, "json": json_text, "metrics": metrics_text}
        text = writers[format](scores, per_topic)
    return (text if text.endswith("\n") else text + "\n").encode()


def separated_text(scores: Scores, per_topic: bool) -> str:
    """Comma-separated values; an undefined value is empty."""
    rows = (
        (*row[:3], *("" if number is None else repr(number) for number in row[3:]))
        for row in scores.rows(per_topic)
    )
    return csv_text([scores.columns, *rows])


def jsonl_text(scores: Scores, per_topic: bool) -> str:
    """One JSON object per line; undefined values are null, infinite ones a number too large for a float."""
    import json

    rows = (dict(zip(scores.columns, row, strict=True)) for row in scores.rows(per_topic))
    return "".join(valid_json(json.dumps(row, ensure_ascii=False)) + "\n" for row in rows)


def json_text(scores: Scores, per_topic: bool) -> str:
    """One JSON list."""
    import json

    rows = [dict(zip(scores.columns, row, strict=True)) for row in scores.rows(per_topic)]
    return valid_json(json.dumps(rows, ensure_ascii=False, indent=1))


def metrics_text(scores: Scores, per_topic: bool) -> str:
    """One JSON object with only the means, under names that experiment trackers accept."""
    import json

    from doxeval.scoring.metrics import metrics_of

    return valid_json(json.dumps(metrics_of(scores), indent=1))
