"""Success against the value of a measure: cases in bins of about the same size, with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from doxeval.comparison.outcomes.cases import Cases

BINS = 8


@dataclass(frozen=True)
class Bin:
    """The cases with values from `first` to `last`: their mean value, and mean outcome with an interval.

    The interval is Wilson's, with topics in place of cases as the number of trials, since runs on one topic
    succeed together; for outcomes that are numbers it is normal, with the variance of topics as clusters.
    """

    measure: str
    first: float
    last: float
    cases: int
    topics: int
    value: float
    mean: float
    low: float | None
    high: float | None


def binned(cases: Cases, measure: int, sign: int, confidence: float, bins: int = BINS) -> list[Bin]:
    """The cases in bins of nearly equal size; equal values are in the same bin.

    `sign` is that by which values were turned; bins have the values as they are.
    """
    some = cases.where(cases.defined[measure])
    values = some.values[measure] * sign
    _, of_value, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle = (np.cumsum(counts) - counts / 2) / len(values)
    number = np.minimum((middle * bins).astype(np.int64), bins - 1)[of_value]
    found = []
    for one in np.unique(number):
        kept = number == one
        inside, here = some.where(kept), values[kept]
        low, high = _interval(inside, confidence)
        found.append(
            Bin(
                cases.measures[measure], float(here.min()), float(here.max()), len(inside),
                len(np.unique(inside.topic)), float(here.mean()), float(inside.outcome.mean()), low, high,
            )
        )  # fmt: skip
    return found


def _interval(cases: Cases, confidence: float) -> tuple[float | None, float | None]:
    from statistics import NormalDist

    z = NormalDist().inv_cdf((1 + confidence) / 2)
    topics, mean = len(np.unique(cases.topic)), float(cases.outcome.mean())
    if cases.yes_no:
        centre = (mean + z * z / (2 * topics)) / (1 + z * z / topics)
        width = z * np.sqrt(mean * (1 - mean) / topics + z * z / (4 * topics**2)) / (1 + z * z / topics)
        return float(max(0.0, min(centre - width, mean))), float(min(1.0, max(centre + width, mean)))
    if topics < 2:
        return None, None
    spread = np.bincount(cases.topic, cases.outcome - mean)
    error = np.sqrt(topics / (topics - 1) * (spread**2).sum()) / len(cases)
    return float(mean - z * error), float(mean + z * error)
