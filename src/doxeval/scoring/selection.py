"""Parts of scores: some runs or measures, the best runs by a measure, and all runs in that order."""

from __future__ import annotations

import re
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
    return replace(_in_order(scores, [scores.names.index(name) for name in names]), unscored=[])


def select_measures(scores: Scores, measures: Sequence[str | Measure]) -> Scores:
    """Only some measures, in that order and under these names; one that is named twice is there once."""
    picked = list({str(measure): scores.position(measure) for measure in measures}.values())
    meanings = {str(measure): scores.meaning(measure) for measure in measures}
    runs = [run.of_measures(picked) for run in scores.runs]
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
    values = np.array([scores.over_topics(run, at) for run in scores.runs])
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
        values = [sign * scores.over_topics(run, number) for run in scores.runs]
        order = sorted(
            range(len(values)),
            key=lambda run_number: (values[run_number] != values[run_number], -values[run_number]),
        )
    return replace(_in_order(scores, order), ordered=True)


def _in_order(scores: Scores, order: Sequence[int]) -> Scores:
    """The runs at these positions, with what they were scored from and the labels they have among all."""
    origin = scores.origin and (scores.origin[0], [scores.origin[1][at] for at in order])
    return replace(scores, runs=[scores.runs[at] for at in order], origin=origin, labelled=scores.labels)


def of_documents(measure: str) -> bool:
    """Whether a measure uses only documents."""
    from doxeval.measurement.families.flat import WELL_KNOWN

    match = re.match(r"\w+", measure)
    return match is not None and match[0] in WELL_KNOWN


def lead_of(scores: Scores) -> str | None:
    """The measure by which runs are listed and the verdict opens; None if they cannot be compared.

    It is the first one that uses text, else the first, of those of known direction by which all runs have
    finite values for the same topics.
    """
    for measure in sorted(scores.measures, key=of_documents):
        values = np.array([run.values[scores.measures.index(measure)] for run in scores.runs])
        defined = ~np.isnan(values)
        alike = len(values) > 0 and (defined == defined[0]).all() and defined.any()
        if alike and not np.isinf(values).any() and scores.meaning(measure).higher_is_better is not None:
            return measure
    return None


def listed_runs(scores: Scores) -> Scores:
    """The same scores in the order in which people see them: as they were sorted, else the leader first."""
    lead = None if scores.ordered else lead_of(scores)
    return scores if lead is None else sorted_runs(scores, lead)
