"""Needs: worked examples, and twins that look at every character."""

from __future__ import annotations

import math
import random
import warnings
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx

GOLD = [
    {"topic": "t", "doc": "a", "start": 0, "end": 10, "need": "who"},
    {"topic": "t", "doc": "b", "start": 5, "end": 10, "need": "who"},
    {"topic": "t", "doc": "a", "start": 20, "end": 30, "need": "when"},
    {"topic": "t", "doc": "a", "start": 40, "end": 42},
    {"topic": "t", "doc": "a", "start": 42, "end": 44},
]
RUN = [
    {"topic": "t", "doc": "a", "rank": 1, "start": 0, "end": 5},
    {"topic": "t", "doc": "b", "rank": 2, "start": 0, "end": 10},
    {"topic": "t", "doc": "a", "rank": 3, "start": 5, "end": 44},
]
BEST = 1 + 1 / math.log2(3) + 1 / 2
WORKED = {
    "NeedRecall@1": 0, "NeedRecall@2": 1 / 3, "NeedRecall@3": 1, "NeedRecall(part=0.5)@1": 1 / 3,
    "NeedRecall(part=0.6)@1": 0, "NeedRecall@15c": 1 / 3, "NeedRecall@14c": 0,
    "Complete@2": 0, "Complete@3": 1, "Complete": 1, "Complete@53c": 0,
    "alphanDCG@3": (1 / math.log2(3) + 2 / 2) / BEST,
    "alphanDCG(part=0.5)@3": (1 + 0.5 / math.log2(3) + (2 + 0.25) / 2) / BEST,
    "alphanDCG(alpha=0)@2": 1 / math.log2(3) / (1 + 1 / math.log2(3)),
    "alphanDCG": (1 / math.log2(3) + 2 / 2) / (BEST + 0.5 / math.log2(5)),
    "alphanDCG(alpha=1)": (1 / math.log2(3) + 2 / 2) / BEST,
    "iR@2": 10 / 29,
}  # fmt: skip


def evaluate(run, gold, names, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        return dx.evaluate({"run": run}, gold, names, **options)


def test_worked_example():
    scores = evaluate(RUN, GOLD, list(WORKED))
    for name, value in WORKED.items():
        assert scores.value("run", name) == pytest.approx(value, abs=1e-12), name


def test_alternatives_stand_beside_the_numbers():
    told = (
        "1 of 3 needs can be met at any one of several places, 2 in all: measures of text count every place"
    )
    assert told in repr(evaluate(RUN, GOLD, "iR@2")) and told in repr(evaluate(RUN, GOLD, "NeedRecall"))
    assert "places" not in repr(evaluate(RUN, GOLD[2:], "iR@2 NeedRecall"))


def test_the_spans_of_a_place_are_met_together_and_judged_nodes_answer_too():
    nodes = [
        {"id": "r", "parent": None, "tag": "a", "start": 0, "end": 60},
        {"id": "p", "parent": "r", "tag": "p", "start": 50, "end": 60},
    ]
    gold = [
        {"topic": "t", "doc": "d", "spans": [[0, 4], [10, 14]], "need": "x"},
        {"topic": "t", "doc": "d", "node": "p", "need": "x"},
    ]
    first = {"topic": "t", "doc": "d", "rank": 1, "start": 0, "end": 10}
    second = {"topic": "t", "doc": "d", "rank": 2, "start": 10, "end": 20}
    third = {"topic": "t", "doc": "d", "rank": 3, "node": "p"}
    documents = [{"doc": "d", "length": 60, "nodes": nodes}]
    found = evaluate(
        [first, second, third], gold, "NeedRecall@1 NeedRecall@2 alphanDCG@2", documents=documents
    )
    assert [value for *_, value in found.rows(False)] == [0, 1, 0]
    found = evaluate([first, third], gold, "NeedRecall@1 NeedRecall alphanDCG", documents=documents)
    assert found.value("run", "NeedRecall@1") == 0 and found.value("run", "NeedRecall") == 1
    assert found.value("run", "alphanDCG") == pytest.approx(1 / math.log2(3) / (1 + 0.5 / math.log2(3)))


def test_explanations_add_up():
    expected: dict[str, list[float]] = {
        "NeedRecall": [0, 1 / 3, 2 / 3],
        "Complete": [0, 0, 1],
        "alphanDCG@3": [0, 1 / math.log2(3) / BEST, 1 / BEST],
    }
    for name, shares in expected.items():
        told = dx.explain(RUN, GOLD, name, topic="t")
        assert [rank.added for rank in told.ranks] == pytest.approx(shares)
        assert sum(shares) == pytest.approx(told.score)


@st.composite
def collections(draw):
    """Places with and without needs, some of several spans, and results that overlap them."""
    rng = random.Random(draw(st.integers(0, 10**6)))

    def ranges(most):
        bounds = sorted(rng.sample(range(16), 2 * rng.randint(1, most)))
        return [list(pair) for pair in zip(bounds[::2], bounds[1::2], strict=True)]

    gold = []
    for number in range(rng.randint(2, 8)):
        row = {"topic": "tu"[number % 2], "doc": rng.choice("ab"), "spans": ranges(2)}
        names = rng.sample("xyz", rng.choice([0, 1, 1, 2]))
        gold.append(row | ({"need": names[0]} if len(names) == 1 else {"aspects": names} if names else {}))
    run = [
        {"topic": topic, "doc": rng.choice("abc"), "rank": rank, "spans": ranges(2)}
        for topic in "tu"
        for rank in range(1, rng.randint(1, 7))
    ]
    part, alpha = draw(st.sampled_from(["1", "0.5", "0.34"])), draw(st.sampled_from(["0.5", "0", "1", "0.3"]))
    return gold, run, part, alpha


def characters(row):
    return {(row["doc"], at) for start, end in row["spans"] for at in range(start, end)}


def needs_of(gold):
    """The places of each need, as sets of characters; every other highlight is a need."""
    needs: dict[Any, list[set]] = {}
    others = set()
    for row in gold:
        names = [row["need"]] if "need" in row else row.get("aspects", [])
        for name in names:
            needs.setdefault(name, []).append(characters(row))
        if not names:
            others |= characters(row)
    while others:
        doc, at = start = min(others)
        highlight = set()
        while (doc, at) in others:
            highlight.add((doc, at))
            at += 1
        others -= highlight
        needs[start] = [highlight]
    return needs


def shows(seen, places, part):
    return any(len(seen & place) >= Fraction(part) * len(place) for place in places)


def brute(gold, run, part, alpha, k):
    needs = needs_of(gold)
    seen = set().union(*(characters(row) for row in run[:k]), set())
    met = [shows(seen, places, part) for places in needs.values()]
    again = 1 - float(Fraction(alpha))
    covers = [
        {name for name, places in needs.items() if shows(characters(row), places, part)} for row in run[:k]
    ]

    def gain(found, before):
        return sum(again ** sum(name in one for one in before) for name in found)

    def gained(lists):
        return sum(gain(found, lists[:at]) / math.log2(2 + at) for at, found in enumerate(lists))

    by_line = {id(row): characters(row) for row in gold if "need" in row or row.get("aspects")}
    places = [*by_line.values(), *(places[0] for name, places in needs.items() if isinstance(name, tuple))]
    left = sorted(places, key=lambda place: (len(place), min(at for _, at in place)))
    best: list[set] = []
    while left:
        worth = [{name for name, others in needs.items() if shows(place, others, part)} for place in left]
        at = max(range(len(left)), key=lambda at: (round(gain(worth[at], best), 12), -at))
        best.append(worth[at])
        left.pop(at)
    return sum(met) / len(met), float(all(met)), gained(covers) / gained(best[:k])


@given(collections(), st.integers(1, 6))
def test_values_are_those_of_the_twin(drawn, k):
    gold, run, part, alpha = drawn
    names = [f"NeedRecall(part={part})@{k}", f"Complete(part={part})@{k}"]
    names += [f"alphanDCG(alpha={alpha},part={part})@{k}"]
    scores = evaluate(run, gold, names)
    for topic in scores.topics:
        judged, shown = ([row for row in rows if row["topic"] == topic] for rows in (gold, run))
        for name, value in zip(names, brute(judged, shown, part, alpha, k), strict=True):
            assert scores.value("run", name, topic) == pytest.approx(value, abs=1e-12), (topic, name)
