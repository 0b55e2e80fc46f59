"""Parts of scores: some runs or measures, the best runs by a measure, and all runs in that order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import UsageError, nearest
from doxeval.core.strings import natural_key

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


TIED = 1e-12
"""Values that differ by no more, relative to their size, are ties: the order of a sum must not break one."""
BY_NAME = "name"


def tied_with(best: float, values: np.ndarray) -> list[int]:
    """The positions of the values that tie with the best one."""
    found: list[int] = np.flatnonzero(np.abs(values - best) <= TIED * max(1.0, abs(best))).tolist()
    return found


def best_runs(scores: Scores, measure: str) -> list[int]:
    """The runs with the best value by a measure.

    None where all are level, where nobody knows what is better, or where runs have values for other topics.
    """
    at, better = scores.measures.index(measure), scores.meaning(measure).higher_is_better
    defined = ~np.isnan([run.values[at] for run in scores.runs])
    values = np.array([scores.overall(measure, run.values[at]) for run in scores.runs])
    if better is None or not np.isfinite(values).all() or (defined != defined[:1]).any():
        return []
    best = values.max(initial=-np.inf) if better else values.min(initial=np.inf)
    found = tied_with(best, values)
    return [] if len(found) == len(values) else found


def sorted_runs(scores: Scores, key: str | Measure) -> Scores:
    """The same scores with the best run by a measure first, or with runs by `name`; undefined values last."""
    if key == BY_NAME:
        order = sorted(range(len(scores.runs)), key=lambda run_number: natural_key(scores.names[run_number]))
    else:
        number = scores.position(key)
        label = scores.measures[number]
        sign = -1 if scores.meaning(label).higher_is_better is False else 1
        values = [sign * scores.overall(label, run.values[number]) for run in scores.runs]
        order = sorted(
            range(len(values)),
            key=lambda run_number: (values[run_number] != values[run_number], -values[run_number]),
        )
    origin = (
        None
        if scores.origin is None
        else (scores.origin[0], [scores.origin[1][run_number] for run_number in order])
    )
    return replace(scores, runs=[scores.runs[run_number] for run_number in order], origin=origin)
