"""Alternative sets of places: worked examples, and twins that look at every character and every page."""

from __future__ import annotations

import random
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx

GOLD = [
    {"topic": "t", "doc": "a", "start": 0, "end": 10, "set": "one"},
    {"topic": "t", "doc": "b", "start": 0, "end": 10, "set": "one"},
    {"topic": "t", "doc": "c", "start": 5, "end": 8, "set": "two"},
    {"topic": "t", "doc": "d", "start": 0, "end": 4},
]
RUN = [
    {"topic": "t", "doc": "a", "rank": 1, "start": 0, "end": 10},
    {"topic": "t", "doc": "d", "rank": 2, "start": 0, "end": 4},
    {"topic": "t", "doc": "x", "rank": 3, "start": 0, "end": 4},
    {"topic": "t", "doc": "c", "rank": 4, "start": 0, "end": 8},
    {"topic": "t", "doc": "b", "rank": 5, "start": 0, "end": 10},
]
WORKED = {
    "NeedRecall@1": 1 / 3, "NeedRecall@2": 2 / 3, "NeedRecall@4": 1, "Complete@3": 0, "Complete@4": 1,
    "SetRecall@3": 0, "SetRecall@4": 1 / 2, "SetRecall@5": 1, "SetPrecision@4": 1 / 4,
    "SetPrecision@5": 2 / 5,
    "SetRecall(points=true)@1": 0, "SetRecall(points=true)@2": 1 / 2, "SetRecall(points=true)@3": 1,
    "SetPrecision(points=true)@2": 1 / 2, "Complete(points=true)@1": 0, "Complete(points=true)@2": 1,
    "Rprec": 2 / 3, "iR@1": 10 / 27,
}  # fmt: skip


def evaluate(run, gold, names, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        return dx.evaluate({"run": run}, gold, names, **options)


def test_worked_example():
    scores = evaluate(RUN, GOLD, list(WORKED))
    for name, value in WORKED.items():
        assert scores.value("run", name) == pytest.approx(value, abs=1e-12), name
    assert "1 topic can be answered by any one of several sets of places, 2 in all" in repr(scores)


def test_sets_of_the_same_places_are_one():
    gold = [*GOLD, {"topic": "t", "doc": "c", "start": 5, "end": 8, "set": "three"}]
    assert evaluate(RUN, gold, "SetRecall@4")["SetRecall@4"] == 1 / 2


def test_sets_are_written_and_read_back(tmp_path):
    dx.write_assessments(dx.read_assessments(GOLD), tmp_path / "gold.jsonl")
    again = dx.read_assessments(tmp_path / "gold.jsonl")
    assert again.ranges.labels.set.tolist() == ["one", "one", "two", ""]
    assert evaluate(RUN, again, "SetRecall@4")["SetRecall@4"] == 1 / 2


def test_folding_keeps_sets():
    assert evaluate(RUN, GOLD, "SetRecall@4", level="document")["SetRecall@4"] == 1 / 2


@pytest.mark.parametrize(("labels", "complete"), [(("one", "two"), 1), (("one", ""), 0), (("", ""), 0)])
def test_quotes_and_ranges_may_be_alternatives(labels, complete):
    places: list[dict[str, Any]] = [{"quote": "Tea is hot."}, {"start": 12, "end": 24}]
    gold = [{"topic": "t", "doc": "d", "set": name} | at for name, at in zip(labels, places, strict=True)]
    for start, end in ((0, 11), (12, 24)):
        run = [{"topic": "t", "doc": "d", "rank": 1, "start": start, "end": end}]
        scores = evaluate(run, gold, "Complete@1", documents={"d": "Tea is hot. Milk is not."})
        assert scores["Complete@1"] == complete


def test_bounds_of_the_best_set_are_refused():
    with pytest.raises(dx.UsageError, match="sets"):
        evaluate(RUN, GOLD, "Rprec", bounds=True)


@st.composite
def collections(draw):
    """Places in and out of sets, with and without needs, and results that overlap them."""
    rng = random.Random(draw(st.integers(0, 10**6)))

    def extent():
        return sorted(rng.sample(range(12), 2))

    gold = []
    for number in range(rng.randint(2, 9)):
        start, end = extent()
        row = {"topic": "tu"[number % 2], "doc": rng.choice("ab"), "start": start, "end": end}
        row |= {"set": rng.choice("pqr")} if rng.random() < 0.7 else {}
        gold.append(row | ({"need": rng.choice("xy")} if rng.random() < 0.4 else {}))
    run = []
    for topic in "tu":
        for rank in range(1, rng.randint(1, 7)):
            start, end = extent()
            run.append({"topic": topic, "doc": rng.choice("abc"), "rank": rank, "start": start, "end": end})
    return gold, run


def characters(row):
    return frozenset((row["doc"], at) for at in range(row["start"], row["end"]))


def wants_of(places):
    """The needs of a set, each as its alternative places; touching places without a need are one."""
    wants: dict[Any, set] = {}
    for row in places:
        if "need" in row:
            wants.setdefault(row["need"], set()).add(characters(row))
    for group in {row.get("set") for row in places if "need" not in row}:
        rest = set().union(
            *(characters(row) for row in places if "need" not in row and row.get("set") == group)
        )
        while rest:
            doc, at = min(rest)
            highlight = set()
            while (doc, at) in rest:
                highlight.add((doc, at))
                at += 1
            rest -= highlight
            wants[frozenset(highlight)] = {frozenset(highlight)}
    return list(wants.values())


def sets_of(gold):
    """The sets of a topic; those of the same places are one."""
    names = list(dict.fromkeys(row["set"] for row in gold if "set" in row))
    sets = [wants_of([row for row in gold if row.get("set", name) == name]) for name in names or [None]]
    return list(
        {
            tuple(sorted(sorted(map(sorted, want)) for want in wants)).__repr__(): wants for wants in sets
        }.values()
    )


def met(wants, seen):
    return sum(any(place <= seen for place in alternatives) for alternatives in wants)


def brute(gold, run, k):
    sets, seen = sets_of(gold), set().union(*(characters(row) for row in run[:k]), set())
    complete = sum(met(wants, seen) == len(wants) for wants in sets)
    return {
        "NeedRecall": max(met(wants, seen) / len(wants) for wants in sets),
        "Complete": float(complete > 0),
        "SetRecall": complete / len(sets),
        "SetPrecision": complete / k,
    }


@given(collections())
def test_measures_of_sets_equal_their_twins(collection):
    gold, run = collection
    names = [
        f"{name}@{k}" for name in ("NeedRecall", "Complete", "SetRecall", "SetPrecision") for k in (1, 2, 5)
    ]
    scores = evaluate(run, gold, names)
    for topic in scores.topics:
        judged = [row for row in gold if row["topic"] == topic]
        results = [row for row in run if row["topic"] == topic]
        for k in (1, 2, 5):
            for name, value in brute(judged, results, k).items():
                assert scores.value("run", f"{name}@{k}", topic) == pytest.approx(value, abs=1e-12), (name, k)


def completed(gold, run, k):
    """Relevant characters of places all of which are shown, characters shown, and all relevant ones."""
    places = [
        place for wants in sets_of([row | {"set": "one"} for row in gold]) for want in wants for place in want
    ]
    seen = set().union(*(characters(row) for row in run[:k]), set())
    gain = len(set().union(*(place for place in places if place <= seen), set()))
    relevant = len(set().union(*map(characters, gold)))
    return gain, sum(len(characters(row)) for row in run[:k]), relevant


@given(collections())
def test_text_of_incomplete_places_does_not_count(collection):
    gold, run = collection
    plain = [{key: row[key] for key in row if key != "set"} for row in gold]
    names = [
        f"{name}@{k}"
        for name in ("iP(complete=true)", "iR(complete=true)", "F(beta=1,complete=true)")
        for k in (1, 3)
    ]
    scores = evaluate(run, plain, names)
    for topic in scores.topics:
        for k in (1, 3):
            gain, size, wanted = completed(
                [row for row in plain if row["topic"] == topic],
                [row for row in run if row["topic"] == topic],
                k,
            )
            for name, value in {
                "iP(complete=true)": gain / max(size, 1),
                "iR(complete=true)": gain / wanted,
                "F(beta=1,complete=true)": 2 * gain / (wanted + size),
            }.items():
                assert scores.value("run", f"{name}@{k}", topic) == pytest.approx(value), name


@st.composite
def guesses(draw):
    pages = st.sampled_from("abcdefg")
    sets = draw(st.lists(st.sets(pages, min_size=1, max_size=3), min_size=1, max_size=4))
    return sets, draw(st.lists(pages, unique=True, max_size=7))


def points_of_kilt(sets, guess):
    """The points of a list of pages: complete sets are True, begun ones their number, other pages False."""
    left = [set(pages) for pages in sets]
    points: list[int] = []
    for page in guess:
        held = [number for number, pages in enumerate(left) if page in pages]
        for number in held:
            left[number].discard(page)
            points = [point for point in points if point is True or point is False or point != number]
            points.append(number if left[number] else True)
        if not held:
            points.append(False)
    return [point is True for point in points]


@given(guesses())
def test_points_and_r_precision_are_those_of_kilt(case):
    sets, guess = case
    sets = [pages for at, pages in enumerate(sets) if pages not in sets[:at]]
    gold = [
        {"topic": "t", "doc": page, "start": 0, "end": 1, "set": f"s{number}", "length": 1}
        for number, pages in enumerate(sets)
        for page in sorted(pages)
    ]
    run = [
        {"topic": "t", "doc": page, "rank": rank, "start": 0, "end": 1} for rank, page in enumerate(guess, 1)
    ] or [{"topic": "t"}]
    names = [
        f"{name}(points=true)@{k}" for name in ("SetRecall", "SetPrecision", "Complete") for k in (1, 2, 5)
    ]
    scores, points = evaluate(run, gold, [*names, "Rprec"]), points_of_kilt(sets, guess)
    for k in (1, 2, 5):
        found = sum(points[:k])
        assert scores[f"SetRecall(points=true)@{k}"] == pytest.approx(found / len(sets))
        assert scores[f"SetPrecision(points=true)@{k}"] == pytest.approx(found / k)
        assert scores[f"Complete(points=true)@{k}"] == (found > 0)
    best = max(len(pages & set(guess[: len(pages)])) / len(pages) for pages in sets)
    assert scores["Rprec"] == pytest.approx(best)


def test_sets_are_summed_over_topics_in_a_micro_average():
    gold = [*GOLD, {"topic": "u", "doc": "b", "start": 0, "end": 10, "set": "one"}]
    run = [*RUN, {"topic": "u", "doc": "b", "rank": 1, "start": 0, "end": 10}]
    assert evaluate(run, gold, "SetRecall@4")["SetRecall@4"] == pytest.approx((1 / 2 + 1) / 2)
    assert evaluate(run, gold, "SetRecall@4", average="micro")["SetRecall@4"] == pytest.approx(
        (1 + 1) / (2 + 1)
    )
    assert evaluate(run, gold, "SetRecall@5", average="micro")["SetRecall@5"] == 1
