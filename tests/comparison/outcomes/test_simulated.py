"""Intervals cover what they should and tests keep their level, with topics that succeed and fail together.

Topics differ in difficulty, which moves outcomes and values alike; runs on a topic share it. The long
versions are run by `make study-null`.
"""

from __future__ import annotations

import numpy as np
import pytest

from doxeval.comparison.outcomes.cases import too_few
from doxeval.comparison.outcomes.pairs import OutcomePairs
from doxeval.comparison.outcomes.resampled import Sampler, differences
from doxeval.comparison.outcomes.within import permutation_p
from tests.comparison.outcomes.test_pairs import cases_of

SLOPES = (0.0, 0.6, 0.6)
"""How much values by each of three measures rise with a success; the last two are equally good."""


def sample(topics: int, runs: int, random: np.random.Generator, slopes=SLOPES, numbers: bool = False):
    """Cases of topics whose ease moves outcomes and values."""
    topic = np.repeat(np.arange(topics), runs)
    ease = random.normal(0, 1.5, topics)[topic]
    latent = ease + random.logistic(size=len(topic)) - 0.7
    outcome = np.round(latent, 1) if numbers else (latent > 0).astype(float)
    gained = latent if numbers else outcome
    values = [np.round(0.5 * ease + slope * gained + random.normal(0, 1, len(topic)), 1) for slope in slopes]
    return cases_of(topic.astype(float), outcome, *values)


def truth(numbers: bool = False) -> list[float]:
    """The concordance of each measure over very many topics, each with one run."""
    cases = sample(60_000, 1, np.random.default_rng(99), numbers=numbers)
    found = []
    for values in cases.values:
        pairs = OutcomePairs(values, cases.outcome)
        found.append((pairs.higher + pairs.equal / 2) / (pairs.higher + pairs.equal + pairs.lower))
    return found


def coverage(experiments: int, topics: int, runs: int, draws: int, numbers: bool = False) -> tuple:
    """How often intervals contain the truth, the band contains all differences, and it tells equals apart."""
    wanted = np.array(truth(numbers))
    inside, all_inside, wrong = np.zeros(3), 0, 0
    for seed in range(experiments):
        cases = sample(topics, runs, np.random.default_rng([seed, topics]), numbers=numbers)
        if too_few(cases):
            continue
        sampler = Sampler(cases, draws, seed)
        samples = [sampler.sample(at, cases.defined[at]) for at in range(3)]
        ends = np.array([one.interval(0.95) for one in samples])
        inside += (ends[:, 0] <= wanted) & (wanted <= ends[:, 1])
        pairs = differences(sampler, samples, 0.95)
        real = [wanted[0] - wanted[1], wanted[0] - wanted[2], 0.0]
        all_inside += all(one.low <= d <= one.high for one, d in zip(pairs, real, strict=True))
        wrong += pairs[2].told_apart
    return inside / experiments, all_inside / experiments, wrong / experiments


def level(experiments: int, topics: int, runs: int, draws: int) -> list[float]:
    """How often the test within topics finds something by a measure that follows difficulty alone."""
    p = [
        permutation_p(sample(topics, runs, np.random.default_rng([seed, 5]), (0.0,)), draws, seed)[0]
        for seed in range(experiments)
    ]
    return [float(np.mean([one is not None and one <= at for one in p])) for at in (0.01, 0.05, 0.1, 0.5)]


def error(share: float, experiments: int) -> float:
    """Four standard errors of a share."""
    return 4 * (share * (1 - share) / experiments) ** 0.5


def test_intervals_cover_and_the_test_keeps_its_level_in_few_experiments() -> None:
    inside, all_inside, wrong = coverage(120, 80, 3, 200)
    assert (inside > 0.95 - error(0.95, 120)).all()
    assert all_inside > 0.95 - error(0.95, 120) and wrong < 0.05 + error(0.05, 120)
    for share, at in zip(level(200, 30, 3, 200), (0.01, 0.05, 0.1, 0.5), strict=True):
        assert share <= at + error(at, 200)


def test_a_measure_that_follows_difficulty_alone_predicts_across_topics_and_not_within() -> None:
    """It is the reason for looking within topics: between them, an easy topic is enough."""
    cases = sample(400, 3, np.random.default_rng(1), (0.0, 0.6))
    sampler = Sampler(cases, 200, 0)
    assert sampler.sample(0, cases.defined[0]).interval(0.95)[0] > 0.55
    nothing, something = permutation_p(cases, 2_000, 0)
    assert nothing > 0.05 > 0.001 > something


@pytest.mark.simulation
@pytest.mark.parametrize(("topics", "runs"), [(40, 1), (40, 10), (100, 3), (200, 5)])
def test_coverage(topics: int, runs: int) -> None:
    experiments = 2_000
    inside, all_inside, wrong = coverage(experiments, topics, runs, 1_000)
    print(f"\n{topics} topics, {runs} runs: intervals {inside}, band {all_inside}, equals told apart {wrong}")
    assert (inside > 0.93 - error(0.95, experiments)).all() and (inside < 0.97).all()
    assert all_inside > 0.93 - error(0.95, experiments) and wrong < 0.03 + error(0.05, experiments)


@pytest.mark.simulation
def test_coverage_where_outcomes_are_numbers() -> None:
    inside, all_inside, wrong = coverage(1_000, 60, 3, 500, numbers=True)
    print(f"\nnumbers: intervals {inside}, band {all_inside}, equals told apart {wrong}")
    assert (inside > 0.93 - error(0.95, 1_000)).all() and all_inside > 0.93 - error(0.95, 1_000)
    assert wrong < 0.03 + error(0.05, 1_000)


@pytest.mark.simulation
@pytest.mark.parametrize("runs", [2, 3, 10])
def test_level_within_topics(runs: int) -> None:
    experiments = 4_000
    shares = level(experiments, 40, runs, 1_000)
    print(f"\n{runs} runs: rejected {shares}")
    for share, at in zip(shares, (0.01, 0.05, 0.1, 0.5), strict=True):
        assert share <= at + error(at, experiments)
        if runs == 10:  # with few runs, few sums are possible, and p-values are larger than they need be
            assert share > at - error(at, experiments) - 0.1 * at
