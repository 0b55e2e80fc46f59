"""The lead, its size, and what of it may be chance: the first sentences of a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from doxeval.comparison.difference import in_shape
from doxeval.comparison.family import default_test, joint_p
from doxeval.comparison.methods import SignificanceTest
from doxeval.comparison.pair_differences import differences_of
from doxeval.comparison.paired import DEFAULT_ALPHA, DRAWS
from doxeval.comparison.standing import Standing, Standings, listed
from doxeval.comparison.tests import TESTS
from doxeval.core.phrases import counted, percent
from doxeval.core.table import shown
from doxeval.core.units import BY_SUFFIX
from doxeval.measurement.base import Measure
from doxeval.scoring.scores import Scores
from doxeval.scoring.selection import of_documents

if TYPE_CHECKING:
    from doxeval.comparison.compare import Comparison

MOST_VALUES = 2_000
"""Measures with more values than this are left for `compare` to test: a verdict must cost next to nothing."""
LEAST = 0.0001
MOST_MEASURES = 3
"""The number of measures of a comparison whose lead is described in full."""


def leads(standings: Standings, told: Sequence[str], comparison: Comparison | None) -> list[str]:
    """The leaders by the measures told, and other leaders by others."""
    if comparison is not None and comparison.baseline is not None:
        return [_against(standings[name], comparison) for name in told]
    best = [standings[name].leaders for name in told]
    others: dict[str, list[str]] = {}
    for standing in standings.values():
        if told and standing.leaders not in best and len(standing.leaders) < len(standing.overall):
            others.setdefault(standing.named(standing.leaders), []).append(standing.measure)
    listing = listed([f"{who} ({', '.join(measures)})" for who, measures in others.items()])
    more = [f"By other measures others lead: {listing}."] if others else []
    return [*(_lead(standings, name, comparison, name == told[0]) for name in told), *more]


def told_measures(
    scores: Scores, standings: Standings, comparison: Comparison | None, by: str | Measure | None
) -> list[str]:
    """The measures whose lead is described: the one asked for, or the first that use text."""
    ranked = sorted(standings, key=of_documents)
    if by is not None:
        return [name for name in ranked if name == scores.measures[scores.position(by)]]
    return ranked[: 1 if comparison is None else MOST_MEASURES]


def headline(standings: Standings, measure: str, comparison: Comparison | None) -> str:
    """The run to use, what it shows, and which may be as good; empty if nothing was tested."""
    standing = standings[measure]
    tested = lead_doubts(standing, comparison)
    if tested is None or standing.scores.runs[standing.leaders[0]].shows_nothing:
        return ""
    if not tested.certain:
        leads = "are first" if standing.leaders[1:] else "is first"
        others = "the others" if tested.doubtful[1:] else standing.named(tested.doubtful)
        return (
            f"Undecided: {standing.named(standing.leaders)} {leads} by {measure}, but "
            f"the lead over {others} may be chance."
        )
    shows = _shown_by(standings, standing.leaders[0]) or f"best by {measure}"
    told = f"Use {_either(standing)}: {shows}."
    if not tested.doubtful:
        better = "They are better" if standing.leaders[1:] else "It is better"
        others = "each of the others" if tested.certain[1:] else standing.named(tested.certain)
        return f"{told} {better} than {others} by {measure}, beyond chance."
    are = "differences" if tested.doubtful[1:] else "difference"
    return f"{told} {standing.named(tested.doubtful)} may be as good by {measure}: the {are} may be chance."


def _is_advised(standing: Standing, tested: LeadDoubts | None) -> bool:
    """Whether the leader can be advised: it is better than some other beyond chance."""
    nothing = standing.scores.runs[standing.leaders[0]].shows_nothing
    return tested is not None and bool(tested.certain) and not nothing


def _either(standing: Standing) -> str:
    return listed([standing.name(run) for run in standing.leaders], "or")


def _shown_by(standings: Standings, run: int, named: str = "") -> str:
    """The share of the relevant text that a run shows within a budget, or in its first results, if known.

    The measure and a run that shows more stand in brackets; the measure does not if it was `named` before.
    """
    shares = {one.cutoff: one for one in standings.values() if one.cutoff[0] == "iR"}
    for (_, amount, unit), one in sorted(shares.items(), key=lambda item: not item[0][2]):
        within = f"within {BY_SUFFIX[unit].told(amount)}" if unit else f"in the first {amount} results"
        within = "in the first result" if within == "in the first 1 results" else within
        best = one.leaders[0]
        more = "" if run in one.leaders else f"{one.name(best)} {percent(one.overall[best])}"
        beside = "; ".join(part for part in (one.measure if one.measure != named else "", more) if part)
        return f"{percent(one.overall[run])} of the relevant text {within}{f' ({beside})' if beside else ''}"
    return ""


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


def _lead(standings: Standings, measure: str, comparison: Comparison | None, advising: bool) -> str:
    """The leader by a measure, by how much, and whether that may be chance; if not, it is the one to use."""
    standing = standings[measure]
    leaders, value = standing.leaders, shown(standing.overall[standing.leaders[0]])
    if len(leaders) == len(standing.overall):
        return f"All {len(leaders)} runs are level by {standing.measure} ({value})."
    second = int(next(run for run in standing.order if run not in leaders))
    gap = abs(standing.overall[leaders[0]] - standing.overall[second])
    told = f"{value}; lower is better" if standing.direction < 0 else value
    tested = lead_doubts(standing, comparison)
    advised = advising and _is_advised(standing, tested)
    leads = "lead" if len(leaders) > 1 else "leads"
    who = f"Use {_either(standing)}: best" if advised else f"{standing.named(leaders)} {leads}"
    shows = f", with {share}" if advised and (share := _shown_by(standings, leaders[0], measure)) else ""
    ahead = f"{shown(gap) if gap >= LEAST else f'less than {LEAST}'} ahead of {standing.named([second])}"
    return f"{who} by {measure} ({told}), {ahead}{shows}; {_chance(standing, tested)}.{_whatever(standing)}"


class LeadDoubts(NamedTuple):
    """The runs behind a leader, best first: those whose distance may be chance, the others, and the test."""

    doubtful: list[int]
    certain: list[int]
    how: str


def lead_doubts(standing: Standing, comparison: Comparison | None) -> LeadDoubts | None:
    """The lead by the test of a comparison or the usual one; None if it is not known, or would cost much."""
    if standing.topics < 2:
        return None
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
        return None
    others = [int(run) for run in standing.order if run not in standing.leaders]
    doubtful = [run for run in others if not p[run] < alpha]
    certain = [run for run in others if p[run] < alpha]
    return LeadDoubts(doubtful, certain, f"({TESTS[test].title}, level {alpha:g})")


def _chance(standing: Standing, tested: LeadDoubts | None) -> str:
    """Whether the lead over others may be chance."""
    if standing.topics < 2:
        return "one topic cannot tell that from chance"
    if tested is None:
        return (
            f"with more than {MOST_VALUES:,} values only 'doxeval compare' tests whether that may be chance"
        )
    doubtful, certain, how = tested
    if len(doubtful) + len(certain) == 1:
        return f"{'that may be chance' if doubtful else 'the lead is significant'} {how}"
    if not (doubtful and certain):
        all_others = "may be chance" if doubtful else "is significant"
        return f"the lead over each of the others {all_others} {how}"
    rest = "the others" if certain[1:] else standing.named(certain)
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
