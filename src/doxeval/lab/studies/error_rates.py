"""Simulated error rates of the tests.

Under the null hypothesis p-values should be uniform, and in a family of comparisons it should be rare that
any of the runs that do not differ is said to differ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from doxeval import Table
from doxeval.comparison.family import corrected, joint_p, members
from doxeval.comparison.pair_differences import differences_of
from doxeval.comparison.tests import tukey_hsd
from doxeval.core.phrases import counted
from doxeval.core.table import shown
from doxeval.extend import CORRECTIONS, TESTS

COPY_DEVIATION = 0.002
"""The deviation, on every topic, of a run that is nearly a copy of another."""


@dataclass(frozen=True)
class Family:
    """Runs in groups of the same quality: `ahead` is that of each group, `copies` how many runs are alike.

    Runs of a group differ by chance; copies of one of them are exact, or differ by `noise`.
    """

    title: str
    ahead: tuple[float, ...]
    copies: tuple[int, ...]
    noise: float = 0.0

    def values(self, topics: int, random: np.random.Generator) -> np.ndarray:
        """Values of all runs for each topic, skewed as scores are."""
        difficulty = random.beta(1, 3, topics)
        runs = difficulty + np.array(self.ahead)[:, None] + random.normal(0, 0.1, (len(self.ahead), topics))
        alike = np.repeat(runs, self.copies, axis=0)
        return np.clip(alike + random.normal(0, 1, alike.shape) * self.noise, 0, 1)

    @property
    def quality(self) -> list[float]:
        """The quality of each run; those with the same do not differ."""
        return np.repeat(self.ahead, self.copies).tolist()


FAMILIES = (
    Family("two", (0, 0), (1, 1)),
    Family("two, one of them five times", (0, 0), (5, 1)),
    Family("two, one of them nearly five times", (0, 0), (5, 1), COPY_DEVIATION),
    Family("five", (0,) * 5, (1,) * 5),
    Family("five, one of them five times", (0,) * 5, (5, 1, 1, 1, 1)),
    Family("five, one of them nearly five times", (0,) * 5, (5, 1, 1, 1, 1), COPY_DEVIATION),
    Family("three, and one better", (0, 0, 0, 0.05), (1, 1, 1, 1)),
    Family("three, one of them five times, and one better", (0, 0, 0, 0.05), (5, 1, 1, 1)),
    Family(
        "three, one of them nearly five times, and one better", (0, 0, 0, 0.05), (5, 1, 1, 1), COPY_DEVIATION
    ),
    Family("two, and one better nearly five times", (0, 0, 0.05), (1, 1, 5), COPY_DEVIATION),
)

Pairs = list[tuple[int, int]]
Test = Callable[[np.ndarray, Pairs, int, int], np.ndarray]


def _by_tukey(values: np.ndarray, pairs: Pairs, draws: int, seed: int) -> np.ndarray:
    before, after = zip(*pairs, strict=True)
    return joint_p(values, TESTS["tukey"], draws, seed)[before, after]


def _by_shuffles_alone(values: np.ndarray, pairs: Pairs, draws: int, seed: int) -> np.ndarray:
    before, after = zip(*pairs, strict=True)
    return tukey_hsd(values, draws, seed)[before, after]


def _by_pairs(correction: str) -> Test:
    def tested(values: np.ndarray, pairs: Pairs, draws: int, seed: int) -> np.ndarray:
        before, after = map(list, zip(*pairs, strict=True))
        p = TESTS["randomisation"](differences_of(values[before], values[after]), draws, seed)
        return corrected(p, members(values, pairs), CORRECTIONS[correction])

    return tested


METHODS: dict[str, Test] = {
    "tukey": _by_tukey,
    "randomisation, holm": _by_pairs("holm"),
    "randomisation, bonferroni": _by_pairs("bonferroni"),
    "shuffles alone": _by_shuffles_alone,
}
"""All pairs are compared; the last method is Tukey's test without what guards it against copies."""


@dataclass(eq=False)
class FamilyErrors:
    """The share of experiments in which runs that do not differ were said to: `error[family, method]`."""

    error: np.ndarray
    experiments: int
    topics: int
    level: float

    def of(self, title: str, method: str) -> float:
        """The error of a method on a family."""
        return float(self.error[[one.title for one in FAMILIES].index(title), [*METHODS].index(method)])

    def table(self) -> Table:
        """A row per family."""
        body = [
            [one.title, *(f"{error:.3f}" for error in row)]
            for one, row in zip(FAMILIES, self.error.tolist(), strict=True)
        ]
        footer = [
            f"{counted(self.experiments, 'experiment')} of {counted(self.topics, 'topic')}; the share in "
            f"which any two runs that do not differ have p <= {self.level:g}"
        ]
        return Table(["runs", *METHODS], body, 1, footer)


def simulate_families(
    experiments: int = 1000, topics: int = 40, draws: int = 1000, level: float = 0.05, seed: int = 0
) -> FamilyErrors:
    """Compare all pairs of runs in families of which some or all do not differ."""
    error = np.zeros((len(FAMILIES), len(METHODS)))
    for at, family in enumerate(FAMILIES):
        random = np.random.default_rng([seed, 9, at])
        quality = family.quality
        pairs = list(combinations(range(len(quality)), 2))
        same = np.array([quality[one] == quality[other] for one, other in pairs])
        for number in range(experiments):
            values = family.values(topics, random)
            for method, test in enumerate(METHODS.values()):
                error[at, method] += (test(values, pairs, draws, seed + number)[same] <= level).any()
    return FamilyErrors(error / experiments, experiments, topics, level)


TEST_LEVELS = (0.01, 0.05, 0.1, 0.5)
NULL_SYSTEMS = 5


@dataclass(eq=False)
class NullSimulation:
    """P-values of each test on systems that do not differ; for tukey the smallest one of each experiment."""

    topics: int
    p_values: dict[str, np.ndarray]

    def rejected(self, test: str, level: float) -> float:
        """The share of experiments in which a test rejects at a level."""
        return float((self.p_values[test] <= level).mean())

    def table(self) -> Table:
        """Rejection rates, which should not exceed the levels, and the distance from uniform."""
        from doxeval.core.scipy_here import stats

        body = []
        for name, p in self.p_values.items():
            distance = float(stats.kstest(p, "uniform").statistic)
            body.append(
                [name, *(f"{self.rejected(name, level):.3f}" for level in TEST_LEVELS), shown(distance, 3)]
            )
        experiments = len(next(iter(self.p_values.values())))
        noise = 1.36 / np.sqrt(experiments)
        footer = [
            f"{experiments:,} experiments of {self.topics} topics; a uniform sample stays within {noise:.3f} "
            "in 19 of 20 cases; sign and Wilcoxon p-values are discrete; tukey: a quarter as many",
        ]
        return Table(
            ["test", *(f"p <= {level:g}" for level in TEST_LEVELS), "distance from uniform"], body, 1, footer
        )


def simulate_null(
    experiments: int = 2000, topics: int = 40, draws: int = 1000, seed: int = 0
) -> NullSimulation:
    """Run every test on pairs of systems with the same distribution of scores, skewed as scores are."""
    random = np.random.default_rng([seed, 8])
    difficulty = random.beta(1, 3, (experiments, topics))
    noise = random.normal(0, 0.1, (2, experiments, topics))
    differences = np.clip(difficulty + noise[0], 0, 1) - np.clip(difficulty + noise[1], 0, 1)
    found = {name: test(differences, draws, seed) for name, test in TESTS.all().items() if not test.joint}
    smallest = []
    for number in range(max(1, experiments // 4)):
        values = np.clip(difficulty[number] + random.normal(0, 0.1, (NULL_SYSTEMS, topics)), 0, 1)
        smallest.append(tukey_hsd(values, draws, seed + number).min())
    found["tukey (smallest p)"] = np.array(smallest)
    return NullSimulation(topics, found)
