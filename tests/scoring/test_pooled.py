"""Micro averages: sums of numerators and denominators, and comparisons that resample topics."""

from __future__ import annotations

import random
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.comparison.micro import pooled_interval, pooled_p

QUOTIENTS = ("iP@2", "iR@2", "F(beta=1)@2", "F(beta=2)", "IoU@3", "NeedRecall@2")


def evaluate(run, gold, names, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        return dx.evaluate({"run": run}, gold, names, average="micro", **options)


@st.composite
def collections(draw):
    rng = random.Random(draw(st.integers(0, 10**6)))

    def place():
        start, end = sorted(rng.sample(range(20), 2))
        return {"doc": rng.choice("ab"), "start": start, "end": end}

    gold = [{"topic": topic} | place() for topic in "tuv" for _ in range(rng.randint(1, 3))]
    gold.append({"topic": "nothing", "doc": "a"})
    topics = rng.sample(["t", "u", "v", "nothing"], rng.randint(1, 4))
    run = [
        {"topic": topic, "rank": rank} | place() for topic in topics for rank in range(1, rng.randint(2, 5))
    ]
    return gold, run


def characters(rows):
    return [{(row["doc"], at) for at in range(row["start"], row["end"])} for row in rows if "start" in row]


def highlights(relevant):
    """Highlights of relevant characters, touching ones joined."""
    return {
        frozenset(
            (doc, at)
            for at in range(first, next(end for end in range(first, 99) if (doc, end) not in relevant))
        )
        for doc, first in relevant
        if (doc, first - 1) not in relevant
    }


def brute(gold, run, name):
    """The quotient of sums of a measure, from sets of characters."""
    above = below = Fraction(0)
    cut = {"iP@2": 2, "iR@2": 2, "F(beta=1)@2": 2, "F(beta=2)": 99, "IoU@3": 3, "NeedRecall@2": 2}[name]
    for topic in {row["topic"] for row in gold}:
        relevant = set().union(*characters([row for row in gold if row["topic"] == topic]), set())
        shown = characters(row for row in run if row["topic"] == topic)[:cut]
        gain, size = len(set().union(*shown, set()) & relevant), sum(map(len, shown))
        beta = {"F(beta=1)@2": 1, "F(beta=2)": 4}.get(name, 0)
        needs = highlights(relevant)
        met = sum(need <= set().union(*shown, set()) for need in needs)
        one = {
            "iP@2": (gain, size), "iR@2": (gain, len(relevant)), "IoU@3": (gain, size + len(relevant) - gain),
            "NeedRecall@2": (met, len(needs)),
        }.get(name, ((1 + beta) * gain, beta * len(relevant) + size))  # fmt: skip
        above, below = above + one[0], below + one[1]
    return above / below if below else None


@given(collections())
@settings(max_examples=25)
def test_quotients_are_summed_over_all_topics(case):
    gold, run = case
    scores = evaluate(run, gold, QUOTIENTS)
    for name in QUOTIENTS:
        expected = brute(gold, run, name)
        assert scores[name] == (None if expected is None else pytest.approx(float(expected))), name


def test_the_footer_and_the_rows_say_what_it_is():
    gold = [
        {"topic": "t", "doc": "a", "start": 0, "end": 10},
        {"topic": "u", "doc": "a", "start": 0, "end": 2},
    ]
    run = [{"topic": "t", "doc": "a", "rank": 1, "start": 0, "end": 5}]
    scores = evaluate(run, gold, "iR@1")
    assert scores["iR@1"] == 5 / 12 and "summed over 2 topics (micro average)" in repr(scores)
    assert list(scores.rows(per_topic=False)) == [("run", "all", "iR@1", 5 / 12)]
    assert scores.value("run", "iR@1", "t") == 0.5


@pytest.mark.parametrize("name", ["AiP", "AP", "iP[0.5]", "Complete@2", "Hits@2", "alphanDCG"])
def test_other_measures_are_refused(name):
    gold = [{"topic": "t", "doc": "a", "start": 0, "end": 10}]
    with pytest.raises(dx.UsageError, match=r"has no micro average|documents"):
        evaluate(gold, gold, name)


def test_functions_of_means_refuse_micro_averages():
    gold = [{"topic": topic, "doc": "a", "start": 0, "end": 10} for topic in "tu"]
    scores = evaluate([gold[0] | {"rank": 1}], gold, "iR@1")
    with pytest.raises(dx.UsageError, match="shown by evaluate and tested by compare"):
        dx.correlate(scores)
    assert scores.verdict() == []
    with pytest.raises(dx.UsageError, match="resample topics"):
        dx.compare({"a": gold, "b": gold[:1]}, gold, "iR@1", average="micro", test="t")


def test_comparisons_resample_topics():
    rng = np.random.default_rng(0)
    before = np.array([rng.integers(0, 5, 30), rng.integers(5, 9, 30)], dtype=float)
    after = before + np.array([rng.integers(0, 2, 30), np.zeros(30)])
    p, (low, high) = pooled_p(before, after, 2000, 0), pooled_interval(before, after, 0.95, 2000, 0)
    difference = after[0].sum() / after[1].sum() - before[0].sum() / before[1].sum()
    assert low < difference < high and p < 0.05
    swapped = []
    for _ in range(2000):
        swap = rng.random(30) < 0.5
        one, two = np.where(swap, after, before).sum(axis=1), np.where(swap, before, after).sum(axis=1)
        swapped.append(abs(two[0] / two[1] - one[0] / one[1]) >= difference - 1e-12)
    assert p == pytest.approx(np.mean(swapped), abs=0.02)
    drawn = []
    for _ in range(4000):
        at = rng.integers(0, 30, 30)
        one, two = before[:, at].sum(axis=1), after[:, at].sum(axis=1)
        drawn.append(two[0] / two[1] - one[0] / one[1])
    assert [low, high] == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.01)
    assert pooled_p(before, before, 200, 0) == 1 and pooled_interval(before, before, 0.95, 200, 0) == (0, 0)
