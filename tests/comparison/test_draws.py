"""Random draws: every order of a topic's scores is as likely as any other, and so is every sign."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from doxeval.comparison.resampling import count_blocks, random_words, sign_blocks
from doxeval.kernels.draws import dealt_sums


@pytest.mark.parametrize("systems", [2, 3, 4])
def test_every_order_is_as_likely_as_any_other(systems: int) -> None:
    draws = 24_000
    words = random_words(np.random.default_rng(5), (draws, 1, systems // 2 + 1))
    orders = Counter(map(tuple, dealt_sums(np.arange(float(systems))[None].copy(), words).tolist()))
    expected = draws / len(orders)
    assert len(orders) == {2: 2, 3: 6, 4: 24}[systems]
    assert sum((count - expected) ** 2 / expected for count in orders.values()) < 3 * len(orders)


def test_sums_are_those_of_a_plain_shuffle() -> None:
    values = np.random.default_rng(1).random((7, 5))
    words = random_words(np.random.default_rng(2), (4, 7, 3))
    rows = values.copy()
    found = dealt_sums(rows.copy(), words)
    for draw in range(4):
        for topic, row in enumerate(rows):
            for other in range(4, 0, -1):
                word = int(words[draw, topic, other // 2])
                half = word >> 32 if other % 2 else word % 2**32
                place = half * (other + 1) >> 32
                row[other], row[place] = row[place], row[other]
        assert found[draw] == pytest.approx(rows.sum(axis=0), rel=1e-14)
        assert np.sort(rows, axis=1).tolist() == np.sort(values, axis=1).tolist()


def test_signs_and_samples_are_even() -> None:
    signs = np.concatenate(list(sign_blocks(4000, 70, 3)))
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert np.abs(signs.mean(axis=0)).max() < 5 / np.sqrt(4000)
    counts = np.concatenate(list(count_blocks(4000, 70, 3)))
    assert (counts.sum(axis=1) == 70).all()
    assert np.abs(counts.mean(axis=0) - 1).max() < 5 / np.sqrt(4000)
