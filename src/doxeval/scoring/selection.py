"""Some runs or measures of scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from doxeval.core.errors import UsageError, nearest

if TYPE_CHECKING:
    from doxeval.measurement.base import Measure
    from doxeval.scoring.scores import Scores


def select_runs(scores: Scores, names: Sequence[str]) -> Scores:
    """Only the named runs, in that order."""
    for name in names:
        if name not in scores.names:
            raise UsageError(f"there are no scores for a run {name!r}{nearest(name, scores.names)}")
    return replace(
        scores, runs=[scores.runs[scores.names.index(name)] for name in names], unscored=[], origin=None
    )


def select_measures(scores: Scores, measures: Sequence[str | Measure]) -> Scores:
    """Only some measures, in that order and under these names; one that is named twice is there once."""
    picked = list({str(measure): scores.position(measure) for measure in measures}.values())
    meanings = {str(measure): scores.meaning(measure) for measure in measures}
    runs = [
        replace(run, values=run.values[picked], seen=None, bounds=run.bounds_of(picked))
        for run in scores.runs
    ]
    return replace(scores, measures=list(meanings), runs=runs, unscored=[], meanings=meanings, origin=None)
