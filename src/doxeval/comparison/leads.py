"""The lead, its size, and what of it may be chance: the first sentences of a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from doxeval.comparison.difference import in_shape
from doxeval.comparison.family import default_test, joint_p
from doxeval.comparison.methods import SignificanceTest
from doxeval.comparison.paired import DEFAULT_ALPHA, DRAWS, differences_of
from doxeval.comparison.standing import Standing, Standings, listed, of_documents
from doxeval.comparison.tests import TESTS
from doxeval.core.phrases import counted
from doxeval.core.table import shown
from doxeval.measurement.base import Measure
from doxeval.scoring.scores import Scores

if TYPE_CHECKING:
    from doxeval.comparison.compare import Comparison

MOST_VALUES = 2_000
"""Measures with more values than this are left for `compare` to test: a verdict must cost next to nothing."""
LEAST = 0.0001
MOST_MEASURES = 3
"""The number of measures of a comparison whose lead is described in full."""


def leads(
    scores: Scores, standings: Standings, comparison: Comparison | None, by: str | Measure | None
) -> list[str]:
    """The leaders by the most important measures, and other leaders by others."""
    ranked = sorted(standings, key=of_documents)
    if by is not None:
        told = [name for name in ranked if name == scores.measures[scores.position(by)]]
    else:
        told = ranked[: 1 if comparison is None else MOST_MEASURES]
    if comparison is not None and comparison.baseline is not None:
        return [_against(standings[name], comparison) for name in told]
    best = [standings[name].leaders for name in told]
    others: dict[str, list[str]] = {}
    for standing in standings.values():
        if told and standing.leaders not in best and len(standing.leaders) < len(scores.runs):
            others.setdefault(standing.named(standing.leaders), []).append(standing.measure)
    listing = listed([f"{who} ({', '.join(measures)})" for who, measures in others.items()])
    more = [f"By other measures others lead: {listing}."] if others else []
    return [*(_lead(standings[name], comparison) for name in told), *more]


def changes(comparison: Comparison) -> list[str]:
    """How many runs are better, by each measure, in other shapes than in the first."""
    first, *others = comparison.shapes
    found = []
    for measure in comparison.scores.measures:
        for shape in others:
            pairs = [
                d
                for d in comparison.differences
                if d.measure == measure and in_shape(d.run, shape) is not None
            ]
            better, worse = ([d for d in pairs if sign * d.gain > 0] for sign in (1, -1))
            are = "is" if 1 in (len(better), len(pairs)) else "are"
            sure = [sum(map(comparison.significant, some)) for some in (better, worse)]
            found.append(
                f"By {measure}, {len(better)} of {counted(len(pairs), 'run')} {are} better as {shape} "
                f"than as {first} ({sure[0]} significantly), {len(worse)} worse ({sure[1]})."
            )
    return found


def _lead(standing: Standing, comparison: Comparison | None = None) -> str:
    """The leader by a measure, by how much, and whether that may be chance."""
    leaders, value = standing.leaders, shown(standing.overall[standing.leaders[0]])
    if len(leaders) == len(standing.overall):
        return f"All {len(leaders)} runs are level by {standing.measure} ({value})."
    second = int(next(run for run in standing.order if run not in leaders))
    gap = abs(standing.overall[leaders[0]] - standing.overall[second])
    told = f"{value}; lower is better" if standing.direction < 0 else value
    who = (
        f"{standing.named(leaders)} {'lead' if len(leaders) > 1 else 'leads'} by {standing.measure} ({told})"
    )
    ahead = f"{shown(gap) if gap >= LEAST else f'less than {LEAST}'} ahead of {standing.named([second])}"
    return f"{who}, {ahead}; {_chance(standing, comparison)}.{_whatever(standing)}"


def _chance(standing: Standing, comparison: Comparison | None) -> str:
    """Whether the lead over others may be chance, by the test of a comparison or the usual one."""
    if standing.topics < 2:
        return "one topic cannot tell that from chance"
    if comparison is not None:
        test, alpha, p = (
            comparison.test,
            comparison.alpha,
            _compared(standing, comparison, standing.leaders[0]),
        )
    elif standing.values.size <= MOST_VALUES:
        test = default_test(standing.scores)
        alpha, p = DEFAULT_ALPHA, _tested(standing, TESTS[test])
    else:
        return "'doxeval compare' tests whether that may be chance"
    others = [int(run) for run in standing.order if run not in standing.leaders]
    doubtful = [run for run in others if not p[run] < alpha]
    certain = [run for run in others if p[run] < alpha]
    how = f"({TESTS[test].title}, level {alpha:g})"
    if len(others) == 1:
        return f"{'that may be chance' if doubtful else 'the lead is significant'} {how}"
    if not (doubtful and certain):
        all_others = "may be chance" if doubtful else "is significant"
        return f"the lead over each of the others {all_others} {how}"
    rest = standing.named(certain) if len(certain) < len(doubtful) else "the others"
    return f"the lead over {standing.named(doubtful)} may be chance, that over {rest} is significant {how}"


def _tested(standing: Standing, test: SignificanceTest) -> np.ndarray:
    """P-values of the leader against each run, as in :func:`doxeval.comparison.compare.compare`."""
    values, leader = standing.values[:, ~np.isnan(standing.values[0])], standing.leaders[0]
    if test.joint:
        return joint_p(values, test, DRAWS, 0)[leader]
    return np.array([test(differences_of(values[[leader]], other[None]), DRAWS, 0)[0] for other in values])


def _compared(standing: Standing, comparison: Comparison, with_run: int) -> np.ndarray:
    """Corrected p-values of one run against each other, NaN if they were not compared."""
    names, found = standing.scores.names, np.full(len(standing.overall), np.nan)
    for pair in comparison.differences:
        sides = [pair.baseline, pair.run]
        if pair.measure == standing.measure and names[with_run] in sides:
            sides.remove(names[with_run])
            found[names.index(sides[0])] = pair.adjusted_p
    return found


def _against(standing: Standing, comparison: Comparison) -> str:
    """A text on the runs that are better or worse than the baseline, and those that may be so by chance."""
    names, measure = standing.scores.names, standing.measure
    baseline = names.index(str(comparison.baseline))
    p, gains = (
        _compared(standing, comparison, baseline),
        standing.direction * (standing.overall - standing.overall[baseline]),
    )
    others = [int(run) for run in standing.order if run != baseline]
    groups = {
        "better": [run for run in others if p[run] < comparison.alpha and gains[run] > 0],
        "worse": [run for run in others if p[run] < comparison.alpha and gains[run] < 0],
        "not significantly different": [run for run in others if not p[run] < comparison.alpha],
    }
    parts = [f"{what}: {_with_gains(standing, baseline, runs)}" for what, runs in groups.items() if runs]
    how = f"({TESTS[comparison.test].title}, level {comparison.alpha:g})"
    against = f"Against {standing.name(baseline)} by {measure} ({shown(standing.overall[baseline])})"
    return f"{against}, {'; '.join(parts)} {how}."


def _with_gains(standing: Standing, baseline: int, runs: Sequence[int]) -> str:
    return listed(
        [f"{standing.name(run)} ({standing.overall[run] - standing.overall[baseline]:+.4f})" for run in runs]
    )


def _whatever(standing: Standing) -> str:
    """Whether unjudged text could change who leads, in a sentence; empty unless requested."""
    if not standing.scores.bounded:
        return ""
    bounds = [standing.scores.bounds(name, standing.measure) for name in standing.scores.names]
    ends = [sorted(standing.direction * end for end in pair) for pair in bounds if pair is not None]
    if len(ends) < len(standing.overall):
        return ""
    most = max(high for run, (_, high) in enumerate(ends) if run not in standing.leaders)
    sure = all(ends[run][0] > most for run in standing.leaders)
    return f" The unjudged text {'cannot' if sure else 'may'} change who leads."
