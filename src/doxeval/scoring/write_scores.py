"""Scores as files: full precision, columns run, topic, measure, value (low, high)."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from doxeval.core.errors import UsageError, nearest
from doxeval.core.options import ScoringOptions
from doxeval.core.output import FORMS, atomic, form_of
from doxeval.core.records import csv_text, valid_json
from doxeval.core.table import FORMS as TEXT_FORMS
from doxeval.core.table import render_tables
from doxeval.scoring.inputs import scores_given
from doxeval.scoring.scores import Scores
from doxeval.scoring.scores_table import scores_table

if TYPE_CHECKING:
    from doxeval.measurement.base import Measures
    from doxeval.scoring.evaluation import Navigation


def write_scores(
    scores: Any,
    path: str | Path,
    *,
    format: str | None = None,
    per_topic: bool = True,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: Navigation = None,
    **options: Unpack[ScoringOptions],
) -> None:
    """Write scores in the format named, or by the path's suffix: CSV, JSON Lines, Parquet, LaTeX, ...

    The file appears whole or not at all; :func:`doxeval.read_scores` reads the first three back. The format
    `metrics` has only the means, under plain names for experiment trackers. Instead of scores, give runs and
    what :func:`doxeval.evaluate` needs to score them.
    """
    form = format or form_of(path)
    if form not in FORMS:
        raise UsageError(
            f"scores cannot be written as {form!r}{nearest(form, FORMS)} (known: {', '.join(FORMS)})"
        )
    found = scores_given(scores, assessments, measures, documents, navigation, options)
    with atomic(path) as stream:
        stream.write(render(found, form, per_topic))


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
