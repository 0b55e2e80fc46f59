"""Differences of micro averages: topics are resampled with their numerators and denominators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from doxeval.comparison.difference import Difference, moved_most
from doxeval.comparison.family import WITH_ITSELF, corrected, members
from doxeval.comparison.intervals import corrected_ends
from doxeval.comparison.methods import Correction, Interval, SignificanceTest
from doxeval.comparison.pair_differences import differences_of
from doxeval.comparison.resampling import count_blocks, monte_carlo_p, reaches, sign_blocks
from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.ragged import quotient
from doxeval.scoring.scores import Scores

TESTED_BY, WITHIN = "randomisation", "bootstrap"


def pooled_differences(
    scores: Scores, measure: str, direction: int, values: np.ndarray, pairs: Sequence[tuple[int, int]],
    notices: Notices, test: SignificanceTest, correction: Correction, interval: Interval, confidence: float,
    draws: int, seed: int,
) -> list[Difference]:  # fmt: skip
    """All comparisons of micro averages by one measure.

    The test is a randomisation test: in every topic the two runs could have been the other way round. The
    interval is a bootstrap (BCa) over topics.
    """
    if test.name != TESTED_BY or interval.name != WITHIN:
        raise UsageError(
            f"micro averages are tested by {TESTED_BY} and have {WITHIN} intervals, which resample topics; "
            f"not by {test.name} and {interval.name}"
        )
    number = scores.measures.index(measure)
    parts = np.array([run.parts[:, number] for run in scores.runs if run.parts is not None])
    member = members(parts.reshape(len(parts), -1), pairs)
    found = [
        _compared(scores, measure, direction, pair, parts, values, confidence, draws, seed) for pair in pairs
    ]
    adjusted = corrected(np.array([one["p"] for one in found]), member, correction)
    return [
        Difference(**one, adjusted_p=float(p), member="" if place == WITH_ITSELF else f"{measure} {place}")
        for one, p, place in zip(found, adjusted, member.tolist(), strict=True)
    ]


def _compared(
    scores: Scores, measure: str, direction: int, pair: tuple[int, int], parts: np.ndarray,
    values: np.ndarray, confidence: float, draws: int, seed: int,
) -> dict[str, Any]:  # fmt: skip
    """The comparison of one pair of runs, by name of each value, before p-values are corrected."""
    runs = [scores.runs[run] for run in pair]
    both = runs[0].counted & runs[1].counted
    if both.sum() < 2:
        raise UsageError(
            f"{runs[0].name} and {runs[1].name} have fewer than 2 topics in common; a comparison needs 2"
        )
    before, after = (parts[run][:, both] for run in pair)
    means = [float(_pooled(one.sum(axis=1))) for one in (before, after)]
    low, high = pooled_interval(before, after, confidence, draws, seed)
    differences = differences_of(values[pair[0]], values[pair[1]])
    gains = direction * differences
    [(worst, best)] = moved_most(scores.topics, differences[None], direction)
    return {
        "measure": measure, "baseline": runs[0].name, "run": runs[1].name, "topics": int(both.sum()),
        "baseline_mean": means[0], "run_mean": means[1], "difference": means[1] - means[0],
        "low": low, "high": high, "effect": float("nan"), "p": pooled_p(before, after, draws, seed),
        "wins": int((gains > 0).sum()), "ties": int((gains == 0).sum()), "losses": int((gains < 0).sum()),
        "worst": worst, "best": best, "direction": direction,
    }  # fmt: skip


def _pooled(sums: np.ndarray) -> np.ndarray:
    """Numerators / denominators, given in rows 0 and 1; 0 where there is nothing to divide by."""
    return quotient(np.atleast_1d(sums[0]), np.atleast_1d(sums[1])).reshape(np.shape(sums[0]))


def pooled_p(before: np.ndarray, after: np.ndarray, draws: int, seed: int) -> float:
    """Two-sided p of the difference of micro averages; `before[above or below, topic]`.

    A draw exchanges the two runs, numerators and denominators together, in some topics.
    """
    centre, half = (before + after).sum(axis=1) / 2, (after - before) / 2
    seen = np.abs(_pooled(after.sum(axis=1)) - _pooled(before.sum(axis=1)))
    hits = 0
    for signs in sign_blocks(draws, before.shape[1], seed):
        moved = half @ signs.T
        drawn = _pooled(centre[:, None] + moved) - _pooled(centre[:, None] - moved)
        hits += int(reaches(np.abs(drawn), seen).sum())
    return float(monte_carlo_p(np.array([hits]), draws)[0])


def pooled_interval(
    before: np.ndarray, after: np.ndarray, level: float, draws: int, seed: int
) -> tuple[float, float]:
    """The bias-corrected and accelerated interval of the difference; topics are drawn with both runs."""
    difference = _pooled(after.sum(axis=1)) - _pooled(before.sum(axis=1))
    drawn = np.concatenate([
        _pooled(after @ counts.T) - _pooled(before @ counts.T)
        for counts in count_blocks(draws, before.shape[1], seed)
    ])  # fmt: skip
    without = _pooled(after.sum(axis=1)[:, None] - after) - _pooled(before.sum(axis=1)[:, None] - before)
    influence = without.mean() - without
    squares = float((influence**2).sum())
    if squares == 0:
        return float(difference), float(difference)
    acceleration = np.array([float((influence**3).sum()) / (6 * squares**1.5)])
    low, high = corrected_ends(drawn[None], np.array([difference]), acceleration, level)
    return float(low[0]), float(high[0])
