"""The randomised Tukey HSD against a loop over permutations, and against all of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from doxeval.comparison import resampling
from doxeval.comparison.tests import largest_differences, tukey_hsd


def test_all_permutations_of_a_small_case() -> None:
    values = np.array([[0.9, 0.8, 0.7], [0.2, 0.3, 0.6], [0.5, 0.5, 0.1]])
    orders = list(itertools.permutations(range(3)))
    largest = [
        np.ptp(np.array([values[list(order), topic] for topic, order in enumerate(chosen)]).mean(axis=0))
        for chosen in itertools.product(orders, repeat=3)
    ]
    means = values.mean(axis=1)
    p = tukey_hsd(values, 20_000, seed=1)
    for first, second in itertools.combinations(range(3), 2):
        seen = abs(means[first] - means[second])
        wanted = np.mean([value >= seen - 1e-12 for value in largest])
        assert p[first, second] == pytest.approx(wanted, abs=0.015)
        assert p[first, second] == p[second, first]
    assert np.diag(p).tolist() == [1.0, 1.0, 1.0]


def test_a_plain_loop_gives_the_same_distribution() -> None:
    values = np.random.default_rng(0).random((6, 20))
    random = np.random.default_rng(5)
    loop = []
    for _ in range(4_000):
        shuffled = np.array([random.permutation(values[:, topic]) for topic in range(20)])
        loop.append(np.ptp(shuffled.mean(axis=0)))
    ours = largest_differences(values, 4_000, seed=0)
    for share in (0.1, 0.5, 0.9, 0.95):
        assert np.quantile(ours, share) == pytest.approx(np.quantile(loop, share), rel=0.03)


def test_the_size_of_blocks_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).random((5, 7))
    wanted = tukey_hsd(values, 500, 2)
    monkeypatch.setattr(resampling, "BLOCK_NUMBERS", 100)
    assert (tukey_hsd(values, 500, 2) == wanted).all()


def test_the_number_of_threads_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).random((5, 7))
    found = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(resampling, "cores", lambda threads=threads: threads)
        found.append(largest_differences(values, 1234, 2))
    assert len(found[0]) == 1234
    assert (found[0] == found[1]).all() and (found[0] == found[2]).all()


def test_draws_made_together_differ_from_all_others() -> None:
    found = largest_differences(np.random.default_rng(0).random((20, 30)), 1000, 2)
    assert len(np.unique(found)) > 990


def test_two_systems_are_the_randomisation_test() -> None:
    from doxeval.comparison.paired import randomisation_test

    values = np.random.default_rng(3).random((2, 10))
    exact = randomisation_test((values[1] - values[0])[None])[0]
    assert tukey_hsd(values, 20_000, 0)[0, 1] == pytest.approx(exact, abs=0.015)
