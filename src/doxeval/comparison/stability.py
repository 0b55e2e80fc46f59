"""Topic-set size stability (Voorhees and Buckley, SIGIR 2002): how often other topics would disagree."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.phrases import counted, percent
from doxeval.core.table import Table
from doxeval.scoring.scores import Scores

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
    """Swap rates of all pairs of systems; a pair that ties in one of the sets is half a swap."""
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
