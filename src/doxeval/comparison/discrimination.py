"""Two ways to tell how far a measure can be relied on to order systems.

Discriminative power (Sakai, SIGIR 2006) is the share of pairs of systems that it separates; stability over
topic sets (Voorhees and Buckley, SIGIR 2002) says how often other topics would disagree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from doxeval.comparison.compare import compare
from doxeval.comparison.paired import DEFAULT_ALPHA, DRAWS
from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.phrases import counted, percent
from doxeval.core.table import Table, shown
from doxeval.scoring.scores import Scores


@dataclass(eq=False)
class Discrimination:
    """For each measure the achieved significance levels of all pairs of systems, in ascending order.

    `needed` is the smallest mean difference from which on all larger ones are significant: what a
    difference in a table must be to mean something. NaN if the largest difference is not significant.
    """

    measures: list[str]
    levels: np.ndarray
    power: np.ndarray
    needed: np.ndarray
    test: str
    alpha: float
    notices: Notices = field(default_factory=Notices)

    def table(self) -> Table:
        """Measures from the most to the least discriminating."""
        order = np.argsort(-self.power, kind="stable")
        body = [
            [
                self.measures[at],
                percent(self.power[at], 1),
                shown(self.needed[at]),
                shown(float(np.median(self.levels[at]))),
            ]
            for at in order
        ]
        pairs = self.levels.shape[1]
        footer = [f"{pairs} pairs of systems, {self.test} test, p < {self.alpha:g}"]
        header = ["measure", "pairs separated", "difference needed", "median p"]
        return Table(header, body, 1, footer, notices=self.notices)


def discriminative_power(
    scores: Scores, test: str = "bootstrap", alpha: float = DEFAULT_ALPHA, draws: int = DRAWS, seed: int = 0
) -> Discrimination:
    """Test all pairs of systems by every measure; no correction, or the randomised Tukey HSD.

    The direction does not matter: p-values are two-sided, differences are taken by size.
    """
    found = compare(
        scores, test=test, correction="none", interval="t", alpha=alpha, draws=draws, seed=seed,
        higher_is_better=scores.measures,
    )  # fmt: skip
    levels, power, needed = [], [], []
    for measure in scores.measures:
        rows = [d for d in found.differences if d.measure == measure]
        p = np.array([d.p for d in rows])
        levels.append(np.sort(p))
        power.append(float((p < alpha).mean()))
        needed.append(_needed(np.array([abs(d.difference) for d in rows]), p < alpha))
    return Discrimination(
        scores.measures, np.array(levels), np.array(power), np.array(needed), found.test, alpha,
        scores.notices,
    )  # fmt: skip


def _needed(sizes: np.ndarray, significant: Sequence[bool] | np.ndarray) -> float:
    """The smallest size such that it and everything larger is significant."""
    order = np.argsort(-sizes, kind="stable")
    misses = np.flatnonzero(~np.asarray(significant)[order])
    first = int(misses[0]) if len(misses) else len(order)
    return float(sizes[order[first - 1]]) if first else float("nan")


SPLITS = 500
BINS = 10


@dataclass(eq=False)
class Stability:
    """`rate[measure, size]`: how often two disjoint topic sets of a size order a pair of systems differently.

    `by_difference[measure, size, bin]` is the same for pairs whose difference in the first set falls in a
    bin; bins are shares `edges` of the largest difference of means. NaN if no pair fell into the bin.
    """

    measures: list[str]
    sizes: list[int]
    rate: np.ndarray
    by_difference: np.ndarray
    edges: np.ndarray
    splits: int
    seed: int
    notices: Notices = field(default_factory=Notices)

    def table(self) -> Table:
        """Measures by topic-set sizes."""
        body = [
            [name, *(percent(value, 1) for value in row)]
            for name, row in zip(self.measures, self.rate, strict=True)
        ]
        footer = [
            f"swap rates over {self.splits} pairs of disjoint topic sets of each size, seed {self.seed}"
        ]
        return Table(["measure", *map(str, self.sizes)], body, 1, footer, notices=self.notices)


def swap_rates(
    scores: Scores, sizes: list[int] | None = None, splits: int = SPLITS, seed: int = 0
) -> Stability:
    """Swap rates of all pairs of systems; a pair that ties in one of the sets is half a swap.

    Each split shuffles the topics once, and all sizes take their two sets from its beginning: with the order
    3, 1, 4, 2 and a size of 2, {3, 1} is compared with {4, 2}. A pair that differs by d in the first set is
    in the bin ``BINS * d / largest difference of means``, so bins can be compared across measures.
    """
    values = np.array([run.values for run in scores.runs])
    shared = ~np.isnan(values).any(axis=(0, 1))
    values = values[:, :, shared]
    topics = int(shared.sum())
    if topics < 4 or len(scores.runs) < 2:
        raise UsageError(
            f"{counted(len(scores.runs), 'run')} on {counted(topics, 'shared topic')}; swaps need 2 runs and "
            "4 topics"
        )
    sizes = sizes or sorted({max(1, topics // 2 * part // 5) for part in range(1, 6)})
    if max(sizes) > topics // 2:
        raise UsageError(
            f"two disjoint sets of {max(sizes)} topics need {2 * max(sizes)}; there are {topics}"
        )
    first, second = np.triu_indices(len(scores.runs), 1)
    largest = np.abs(values.mean(axis=2)[first] - values.mean(axis=2)[second]).max(axis=0)
    random = np.random.default_rng([seed, 5])
    swapped = np.zeros((len(scores.measures), len(sizes), BINS))
    seen = np.zeros_like(swapped)
    for _ in range(splits):
        order = random.permutation(topics)
        for at, size in enumerate(sizes):
            left, right = (
                values[:, :, order[part]].mean(axis=2) for part in (slice(size), slice(size, 2 * size))
            )
            here, there = left[first] - left[second], right[first] - right[second]
            disagreement = (1 - np.sign(here) * np.sign(there)) / 2
            bins = np.minimum(
                BINS - 1, (BINS * np.abs(here) / np.where(largest > 0, largest, 1)).astype(np.int64)
            )
            for measure in range(len(scores.measures)):
                seen[measure, at] += np.bincount(bins[:, measure], minlength=BINS)
                swapped[measure, at] += np.bincount(
                    bins[:, measure], disagreement[:, measure], minlength=BINS
                )
    return Stability(
        scores.measures,
        sizes,
        swapped.sum(axis=2) / seen.sum(axis=2),
        np.where(seen > 0, swapped / np.maximum(1, seen), np.nan),
        np.arange(BINS + 1) / BINS,
        splits,
        seed,
        scores.notices,
    )
