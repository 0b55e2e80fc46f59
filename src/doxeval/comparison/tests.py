"""The tests by name; among them the randomised Tukey HSD: one test for all pairs of many systems."""

from __future__ import annotations

import numpy as np

from doxeval.comparison.methods import SignificanceTest
from doxeval.comparison.paired import (
    bootstrap_test,
    outweighing,
    randomisation_test,
    sign_test,
    t_test,
    wilcoxon_test,
)
from doxeval.comparison.resampling import (
    DRAWN_TOGETHER,
    ROUNDING,
    block_sizes,
    deals_of_words,
    in_threads,
    just_reached,
    monte_carlo_p,
    random_words,
)
from doxeval.core.registry import Registry
from doxeval.kernels.draws import dealt_sums


def tukey_hsd(values: np.ndarray, permutations: int, seed: int) -> np.ndarray:
    """P-values of all pairs of systems, from `values[system, topic]` without NaN.

    Under the null hypothesis a topic's scores could have come from the systems in any order. Each
    permutation shuffles every topic and notes the largest difference of two systems' means; a pair's
    p-value is the share of permutations that reach its difference (Carterette, TOIS 2012).
    """
    values = outweighing(values.reshape(1, -1)).reshape(values.shape)
    means = values.mean(axis=1)
    seen = np.abs(means[:, None] - means[None, :])
    largest = np.sort(largest_differences(values, permutations, seed))
    reached = permutations - np.searchsorted(largest, just_reached(seen))
    return np.where(seen <= ROUNDING, 1.0, monte_carlo_p(reached, permutations))


def largest_differences(values: np.ndarray, permutations: int, seed: int) -> np.ndarray:
    """The largest difference between two systems' means, for each permutation."""
    systems, topics = values.shape
    deals = deals_of_words(systems)

    def drawn(first: int) -> np.ndarray:
        random = np.random.default_rng([seed, 4, first])
        rows = np.array(values.T, dtype=np.float64, order="C")
        found = []
        for size in block_sizes(min(DRAWN_TOGETHER, permutations - first), topics * len(deals)):
            sums = dealt_sums(rows, deals, random_words(random, (size, topics, len(deals))))
            found.append(sums.max(axis=1) - sums.min(axis=1))
        return np.concatenate(found)

    return in_threads(drawn, permutations, "shuffling the scores of topics") / topics


TUKEY = SignificanceTest("tukey", "randomised Tukey HSD", tukey_hsd, drawn=True, joint=True)
TESTS = Registry(
    "test",
    SignificanceTest("randomisation", "randomisation test", randomisation_test, drawn=True, by_pairs=True),
    SignificanceTest("t", "paired t-test", t_test),
    SignificanceTest("wilcoxon", "Wilcoxon's signed rank test", wilcoxon_test),
    SignificanceTest("sign", "sign test", sign_test),
    SignificanceTest("bootstrap", "paired bootstrap test", bootstrap_test, drawn=True),
    TUKEY,
)


def usual_test(runs: int, baseline: str | None = None) -> str:
    """The test used by default: one for all pairs at once if there are several."""
    return TUKEY.name if runs > 2 and baseline is None else "randomisation"
