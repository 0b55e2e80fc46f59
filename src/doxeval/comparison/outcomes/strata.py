"""Cases by difficulty: how many other runs solved the topic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.comparison.outcomes.cases import Cases, one_outcome, too_few
from doxeval.comparison.outcomes.resampled import Sampler

STRATUM_DRAWS = 1_000
"""How many of the draws give the intervals within strata."""


@dataclass(frozen=True)
class Stratum:
    """One measure on the cases of one difficulty; no value if they have one outcome only.

    The interval is over those of the first draws in which outcomes differ; it is missing if there are too few
    topics.
    """

    solved_by_others: int
    measure: str
    cases: int
    topics: int
    successes: int
    value: float | None
    low: float | None
    high: float | None


def difficulty(cases: Cases) -> np.ndarray:
    """For each case how many other runs solved its topic."""
    solved = np.bincount(cases.topic, cases.outcome, minlength=len(cases.topics))
    return (solved[cases.topic] - cases.outcome).astype(np.int64)


def strata(sampler: Sampler, confidence: float) -> list[Stratum]:
    """Every measure within every difficulty; none if outcomes are numbers, or there is one run only."""
    cases = sampler.cases
    if not cases.yes_no or len(np.unique(cases.run)) < 2:
        return []
    level = difficulty(cases)
    return [
        _stratum(sampler, one, number, (level == one) & cases.defined[number], confidence)
        for one in np.unique(level).tolist()
        for number in range(len(cases.measures))
    ]


def _stratum(sampler: Sampler, level: int, measure: int, kept: np.ndarray, confidence: float) -> Stratum:
    cases = sampler.cases.where(kept)
    value = low = high = None
    if not one_outcome(cases):
        sample = sampler.sample(measure, kept, 0 if too_few(cases) else STRATUM_DRAWS)
        value, (low, high) = sample.value, sample.interval(confidence)
    return Stratum(
        level, cases.measures[measure], len(cases), len(np.unique(cases.topic)), int(cases.outcome.sum()),
        value, low, high,
    )  # fmt: skip
