"""Scores as files: full precision, columns run, topic, measure, value (low, high)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from doxeval.core.errors import UsageError, nearest
from doxeval.core.options import ScoringOptions
from doxeval.core.output import FORMS, atomic, form_of
from doxeval.scoring.inputs import scores_given
from doxeval.scoring.scores_table import render

if TYPE_CHECKING:
    from doxeval.measurement.base import Measures
    from doxeval.scoring.evaluation import NavigationModels


def write_scores(
    scores: Any,
    path: str | Path,
    *,
    format: str | None = None,
    per_topic: bool = True,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
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
