"""Effects of parameters: a brute-force twin over blocks of runs, and the comparison of two runs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.comparison.compare import compare
from doxeval.comparison.effects import effects
from doxeval.scoring.scores import RunScores, Scores

TOPICS = 6


def swept(rows: list[dict[str, str]], values: np.ndarray) -> Scores:
    """Scores of runs with parameters."""
    runs = [
        RunScores(f"r{at}", values[at][None], np.ones(TOPICS, dtype=bool), 1, 0, parameters=row)
        for at, row in enumerate(rows)
    ]
    return Scores(["AiP"], [f"t{at}" for at in range(TOPICS)], runs)


def marginals(rows: list[dict[str, str]], values: np.ndarray, name: str) -> dict[str, np.ndarray] | None:
    """The mean of each value of a parameter, in every topic, by going through all blocks."""
    levels = sorted({row[name] for row in rows if name in row})
    found: dict[str, list[np.ndarray]] = {level: [] for level in levels}
    for block in {tuple(sorted((k, v) for k, v in row.items() if k != name)) for row in rows}:
        own = {
            level: [at for at, row in enumerate(rows) if row == dict(block) | {name: level}]
            for level in levels
        }
        if all(own.values()):
            for level, members in own.items():
                found[level].append(values[members].mean(axis=0))
    return {level: np.mean(means, axis=0) for level, means in found.items()} if found[levels[0]] else None


designs = st.lists(
    st.sampled_from([{"a": a, "b": b} for a, b in product("123", "xy")]), min_size=2, max_size=12
)


@given(designs, st.integers(0, 99))
def test_an_effect_is_what_blocks_of_otherwise_equal_runs_differ_by(rows, seed) -> None:
    values = np.random.default_rng(seed).random((len(rows), TOPICS)).round(3)
    scores = swept(rows, values)
    vary = [name for name in "ab" if len({row[name] for row in rows}) > 1]
    wanted = {}
    for name in vary:
        means = marginals([{k: row[k] for k in vary} for row in rows], values, name)
        if means is not None:
            overall = {level: mean.mean() for level, mean in means.items()}
            wanted[name] = max(overall.values()) - min(overall.values())
    if not wanted:
        with pytest.raises(dx.UsageError, match=r"no two runs differ|no parameters that vary"):
            effects(scores, draws=100)
        return
    found = {one.parameter: one for one in effects(scores, draws=100).means if not one.with_parameter}
    assert {name: one.effect for name, one in found.items()} == pytest.approx(wanted, abs=1e-12)
    assert all(one.low - 1e-9 <= one.effect <= one.high + 1e-9 and 0 <= one.p <= 1 for one in found.values())


@given(st.integers(0, 99))
def test_an_interaction_is_the_largest_difference_of_differences_and_shares_add_up(seed) -> None:
    rows = [{"a": a, "b": b} for a, b in product("123", "xyz")]
    values = np.random.default_rng(seed).random((9, TOPICS))
    means = {(row["a"], row["b"]): values[at].mean() for at, row in enumerate(rows)}
    wanted = max(
        abs(means[v, x] - means[w, x] - means[v, y] + means[w, y])
        for v, w, x, y in product("123", "123", "xyz", "xyz")
    )
    found = effects(swept(rows, values), draws=100).means
    (a, b), (c, d) = found[-1].better.split(", "), found[-1].worse.split(", ")
    assert means[a, b] - means[c, b] - means[a, d] + means[c, d] == pytest.approx(wanted, abs=1e-12)
    assert found[-1].with_parameter and found[-1].effect == pytest.approx(wanted, abs=1e-12)
    assert sum(one.share for one in found) == pytest.approx(1)


@given(st.integers(0, 99))
def test_two_runs_have_the_effect_that_their_comparison_has(seed) -> None:
    values = np.random.default_rng(seed).random((2, TOPICS))
    scores = swept([{"size": "1"}, {"size": "2"}], values)
    (one,) = effects(scores, draws=500).means
    low, high = sorted(["r0", "r1"], key=lambda name: values[int(name[1])].mean())
    pair = compare(scores, baseline=low, test="randomisation", draws=500).between("AiP", low, high)
    assert (one.effect, one.low, one.high, one.p) == (pair.difference, pair.low, pair.high, pair.p)
    assert one.share == pytest.approx(1)


def test_lower_is_better_where_a_measure_says_so_and_amounts_are_no_parameters() -> None:
    scores = swept(
        [{"size": "1", "cost": "3"}, {"size": "2", "cost": "4"}], np.array([[1.0] * TOPICS, [2.0] * TOPICS])
    )
    scores.measures = ["CE@5"]
    (one,) = effects(scores, draws=100).means
    assert (one.parameter, one.better, one.worse, one.effect) == ("size", "1", "2", -1.0)


def test_a_measure_that_is_summed_has_no_effects() -> None:
    gold = [{"topic": topic, "doc": "d", "start": 0, "end": 10} for topic in ("t1", "t2")]
    runs = {
        f"r{size}": [
            {"run": "", "parameters": {"size": size}},
            *({"topic": topic, "doc": "d", "rank": 1, "start": 0, "end": size} for topic in ("t1", "t2")),
        ]
        for size in (5, 6)
    }
    with pytest.raises(dx.UsageError, match="means, but NumRet, NumRel is summed over topics"):
        dx.effects(runs, gold, "iR@1 NumRet NumRel")


def test_what_cannot_be_told_is_named() -> None:
    rows = [{"a": "1", "b": "x"}, {"a": "2", "b": "x"}, {"a": "3", "b": "y"}, {"a": "3", "b": "x"}]
    found = effects(swept(rows, np.random.default_rng(0).random((4, TOPICS))), draws=100)
    assert [one.named for one in found.means] == ["a", "b"]
    assert found.means[0].runs == 3 and "What moves AiP, all else being equal" in found.sentences[0]
    with pytest.raises(dx.UsageError, match="have no parameters that vary"):
        effects(swept([{}, {}], np.zeros((2, TOPICS))))
