"""A simulation of the tests under the null hypothesis, where p-values should be uniform."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from doxeval import Table
from doxeval.comparison.tests import tukey_hsd
from doxeval.core.table import shown
from doxeval.extend import TESTS

LEVELS = (0.01, 0.05, 0.1, 0.5)
SYSTEMS = 5


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
        body = []
        for name, p in self.p_values.items():
            distance = float(scipy.stats.kstest(p, "uniform").statistic)
            body.append(
                [name, *(f"{self.rejected(name, level):.3f}" for level in LEVELS), shown(distance, 3)]
            )
        experiments = len(next(iter(self.p_values.values())))
        noise = 1.36 / np.sqrt(experiments)
        footer = [
            f"{experiments:,} experiments of {self.topics} topics; a uniform sample stays within {noise:.3f} "
            "in 19 of 20 cases; sign and Wilcoxon p-values are discrete; tukey: a quarter as many",
        ]
        return Table(
            ["test", *(f"p <= {level:g}" for level in LEVELS), "distance from uniform"], body, 1, footer
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
        values = np.clip(difficulty[number] + random.normal(0, 0.1, (SYSTEMS, topics)), 0, 1)
        smallest.append(tukey_hsd(values, draws, seed + number).min())
    found["tukey (smallest p)"] = np.array(smallest)
    return NullSimulation(topics, found)
