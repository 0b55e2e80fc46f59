"""Discriminative power (Sakai, SIGIR 2006): the share of pairs of systems that a measure separates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from doxeval.comparison.compare import compare
from doxeval.comparison.paired import ALPHA, DRAWS
from doxeval.core.notices import Notices
from doxeval.core.phrases import percent
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
    scores: Scores, test: str = "bootstrap", alpha: float = ALPHA, draws: int = DRAWS, seed: int = 0
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
