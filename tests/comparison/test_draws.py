"""Random draws: every order of a topic's scores is as likely as any other, and so is every sign."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doxeval.comparison.resampling import count_blocks, deals_of_words, random_words, sign_blocks
from doxeval.kernels import draws as draws_kernels
from doxeval.kernels.draws import dealt_sums, neighbours
from tests.kernels.test_scan_kernels import plain_module

PLAIN = plain_module("draws")
KINDS = st.sampled_from(["few", "many", "gaps", "infinite", "one"])


@pytest.mark.parametrize("systems", [2, 3, 4])
def test_every_order_is_as_likely_as_any_other(systems: int) -> None:
    draws, deals = 24_000, deals_of_words(systems)
    words = random_words(np.random.default_rng(5), (draws, 1, len(deals)))
    orders = Counter(map(tuple, dealt_sums(np.arange(float(systems))[None].copy(), deals, words).tolist()))
    expected = draws / len(orders)
    assert len(orders) == {2: 2, 3: 6, 4: 24}[systems]
    assert sum((count - expected) ** 2 / expected for count in orders.values()) < 3 * len(orders)


@pytest.mark.parametrize("systems", [1, 2, 5, 20, 300])
def test_words_deal_every_place_once_and_never_run_out(systems: int) -> None:
    places = [list(range(first, last, -1)) for first, last in deals_of_words(systems).tolist()]
    assert [place for dealt in places for place in dealt] == list(range(systems - 1, 0, -1))
    assert all(math.prod(place + 1 for place in dealt) <= 2**32 for dealt in places)


@pytest.mark.parametrize("systems", [5, 20])
def test_sums_are_those_of_a_plain_shuffle_by_exact_fractions(systems: int) -> None:
    values, deals = np.random.default_rng(1).random((7, systems)), deals_of_words(systems)
    words = random_words(np.random.default_rng(2), (4, 7, len(deals)))
    rows = values.copy()
    found = dealt_sums(rows.copy(), deals, words)
    assert np.array_equal(found, PLAIN.dealt_sums(rows.copy(), deals, words))
    for draw in range(4):
        for topic, row in enumerate(rows):
            for word, (first, last) in zip(words[draw, topic].tolist(), deals.tolist(), strict=True):
                fraction = Fraction(word, 2**64)
                for other in range(first, last, -1):
                    place, fraction = divmod(fraction * (other + 1), 1)
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


@given(st.integers(0, 10**6), st.integers(2, 400), st.integers(1, 5))
@settings(max_examples=20)
def test_the_value_at_a_place_is_that_of_the_row_in_order(seed, draws, rows):
    from doxeval.comparison.intervals import values_at

    random = np.random.default_rng(seed)
    drawn = random.integers(0, 30, (rows, draws)) / 7
    place = random.random(rows) * (draws - 1)
    before = np.clip(place.astype(int), 0, draws - 2)
    every = np.arange(rows)
    ordered = np.sort(drawn, axis=1)
    step = ordered[every, before + 1] - ordered[every, before]
    expected = ordered[every, before] + (place - before) * step
    assert values_at(drawn, place)[0] == pytest.approx(expected, abs=1e-15)


@given(st.integers(0, 10**6), st.integers(2, 200), KINDS)
@settings(max_examples=25)
def test_neighbours_are_those_of_the_numbers_in_order(seed, draws, kind):
    random = np.random.default_rng(seed)
    drawn = random.integers(0, 5, (3, draws)) / 7 if kind == "few" else random.normal(0, 1e-3, (3, draws))
    if kind in ("gaps", "infinite"):
        drawn[random.random(drawn.shape) < 0.3] = np.nan if kind == "gaps" else np.inf
    if kind == "one":
        drawn[:] = 0.1
    places = random.integers(-draws - 1, draws, (3, 4))
    expected = np.full((3, 4, 2), np.nan)
    for row, numbers in enumerate(drawn):
        ordered = sorted(numbers[~np.isnan(numbers)].tolist())
        for which, place in enumerate(places[row].tolist()):
            first = place + len(ordered) if place < 0 else place
            for after in (0, 1):
                if 0 <= first + after < len(ordered):
                    expected[row, which, after] = ordered[first + after]
    assert np.array_equal(neighbours(drawn, places), expected, equal_nan=True)
    assert np.array_equal(PLAIN.neighbours(drawn, places), expected, equal_nan=True)


def test_draws_are_counted_and_subtracted_as_numpy_does():
    random = np.random.default_rng(4)
    drawn = random.integers(-9, 9, (5, 60)) / 4
    drawn[1, 7] = np.nan
    least, most, scale = random.integers(-5, 5, 5) / 4, random.integers(-5, 5, 5) / 4, random.random(5)
    one, other = np.array([0, 3, 4]), np.array([2, 2, 0])
    below = np.stack([(drawn < least[:, None]).sum(axis=1), (drawn <= most[:, None]).sum(axis=1)], axis=1)
    size = np.abs(np.nan_to_num(drawn))
    for kernels in (draws_kernels, PLAIN):
        assert np.array_equal(kernels.counts_below(drawn, least, most), below)
        rounded = size * (1 + 1e-15 * random.integers(-3, 4, size.shape))
        less = kernels.subtract_rows(np.concatenate([size, rounded]), one, other, 1e-12)
        assert np.array_equal(less, size[other] - size[one])
        same = np.arange(len(size))
        assert not kernels.subtract_rows(np.concatenate([size, rounded]), same, same + len(size), 1e-12).any()
        count, largest = kernels.farthest(np.nan_to_num(drawn), least, scale)
        assert np.array_equal(count, (size >= least[:, None]).sum(axis=1))
        assert np.array_equal(largest, (size * scale[:, None]).max(axis=0))


@pytest.mark.parametrize("name", ["tau", "spearman"])
def test_many_systems_are_ranked_as_few_are(name, monkeypatch):
    from doxeval.comparison import rankings

    random = np.random.default_rng(3)
    x = random.integers(0, 40, (3, 90)) / 3
    y = np.where(random.random((3, 90)) < 0.5, x, random.integers(0, 40, (3, 90)))
    y[2] = 1.0
    quick = rankings.COEFFICIENTS[name](x, y), rankings.COEFFICIENTS[name](x, x)
    monkeypatch.setattr(rankings, "MOST_BY_PAIRS", 1000)
    slow = rankings.COEFFICIENTS[name](x, y), rankings.COEFFICIENTS[name](x, x)
    assert np.array(quick) == pytest.approx(np.array(slow), abs=1e-14, nan_ok=True)
