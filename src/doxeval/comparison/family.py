"""The family of comparisons by one measure, for which p-values are corrected together.

Runs with the same value for every topic are one member of it, and no corrected p-value is below that of its
own pair.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from doxeval.comparison.methods import Correction, SignificanceTest
from doxeval.comparison.pair_differences import PairDifferences
from doxeval.comparison.paired import randomisation_tests
from doxeval.comparison.tests import usual_test
from doxeval.core.notices import Notices
from doxeval.scoring.scores import Scores

COPIES = (
    "{count} {run has|runs have} the same value as another for every topic and {counts|count} once in the "
    "family of comparisons"
)
WITH_ITSELF = -1


def originals(values: np.ndarray) -> np.ndarray:
    """For each run the first one with the same values: `values[run, ...]`.

    >>> originals(np.array([[0.5, 1.0], [0.0, 1.0], [0.5, 1.0]])).tolist()
    [0, 1, 0]
    """
    first: dict[bytes, int] = {}
    rows = np.where(np.isnan(values), np.nan, values + 0.0).reshape(len(values), -1)
    return np.array([first.setdefault(row.tobytes(), at) for at, row in enumerate(rows)], dtype=np.int64)


def values_by_run(scores: Scores) -> np.ndarray:
    """All values, `[run, measure, topic]`."""
    return np.array([run.values for run in scores.runs])


def default_test(scores: Scores, baseline: str | None = None) -> str:
    """The test used by default for these runs; a copy of one does not change it."""
    return usual_test(len(np.unique(originals(values_by_run(scores)))), baseline)


def note_copies(scores: Scores, notices: Notices) -> None:
    """Report which runs count as one, and by which measures unless by all."""
    values, names = values_by_run(scores), scores.names
    alike: dict[str, dict[str, list[str]]] = {}
    for at, measure in enumerate(scores.measures):
        for run, first in enumerate(originals(values[:, at]).tolist()):
            if run != first:
                alike.setdefault(names[run], {}).setdefault(names[first], []).append(measure)
    told = []
    for name, firsts in alike.items():
        parts = [
            f" = {first}" + f" by {', '.join(by)}" * (len(by) < len(scores.measures))
            for first, by in firsts.items()
        ]
        told.append(name + ",".join(parts))
    notices.add_names(COPIES, told, harmless=True, lasting=True)


def members(values: np.ndarray, pairs: Sequence[tuple[int, int]]) -> np.ndarray:
    """The member of the family that each pair of runs is; none if it compares a run with its copy."""
    one, other = originals(values)[np.array(pairs, dtype=np.int64).reshape(-1, 2)].T
    compared = np.minimum(one, other) * len(values) + np.maximum(one, other)
    apart = one != other
    _, first, of = np.unique(compared[apart], return_index=True, return_inverse=True)
    found = np.full(len(compared), WITH_ITSELF, dtype=np.int64)
    found[apart] = np.argsort(np.argsort(first))[of]
    return found


def corrected(p: np.ndarray, member: np.ndarray, correction: Correction) -> np.ndarray:
    """P-values corrected over the members of the family, never below the pair's own."""
    adjusted = p.copy()
    _, first, of = np.unique(member, return_index=True, return_inverse=True)
    counts = member[first] != WITH_ITSELF
    if counts.any():
        found = np.ones(len(first))
        found[counts] = correction(p[first[counts]])
        adjusted = np.maximum(p, np.where(member == WITH_ITSELF, p, found[of]))
    return adjusted


def joint_p(values: np.ndarray, test: SignificanceTest, draws: int, seed: int) -> np.ndarray:
    """P-values of all pairs of runs by a joint test, `values[run, topic]` without NaN.

    Runs that hardly differ make the shuffles of a joint test tame, and the lead of all of them over another
    run look rare. So a p-value is at least that of the pair alone, and at least that of the largest
    difference between any two runs where signs flip, which keeps runs as alike as they are.
    """
    distinct, place = np.unique(originals(values), return_inverse=True)
    found = np.ones((len(distinct), len(distinct)))
    if len(distinct) > 1:
        ours = values[distinct]
        first, second = np.triu_indices(len(distinct), 1)
        pairs = np.maximum(*randomisation_tests(PairDifferences(ours, first, second), draws, seed))
        found[first, second] = found[second, first] = pairs
        found = np.maximum(found, test(ours, draws, seed))
    return found[np.ix_(place, place)]
