"""Several references: each topic has the best of their values, or the mean, as twins find by hand."""

from __future__ import annotations

import random
import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx

GOLD = [
    {"topic": "t", "doc": "a", "start": 0, "end": 10, "assessor": "ann"},
    {"topic": "t", "doc": "a", "start": 0, "end": 40, "assessor": "bo"},
    {"topic": "u", "doc": "a", "start": 20, "end": 30, "assessor": "bo"},
]
RUN: list[dict[str, Any]] = [
    {"topic": "t", "doc": "a", "rank": 1, "start": 0, "end": 20},
    {"topic": "u", "doc": "a", "rank": 1, "start": 0, "end": 25},
]
MEASURES = ("iP@2", "iR@2", "F(beta=1)@1", "CE(screen=5)@2", "Complete@2")


def evaluate(run, gold, names, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        return dx.evaluate({"run": run}, gold, names, **options)


def test_best_mean_one_and_all():
    values = {
        rule: evaluate(RUN, GOLD, "iR@1 iP@1", merge=rule)
        for rule in ("best", "mean", "union", "ann", "majority")
    }
    of_t = {rule: scores.value("run", "iR@1", "t") for rule, scores in values.items()}
    assert of_t == {"best": 1.0, "mean": 0.75, "union": 0.5, "ann": 1.0, "majority": 1.0}
    assert values["best"].value("run", "iR@1", "u") == 0.5 and values["ann"].value("run", "iR@1", "u") is None
    assert values["best"].reference("run", "iR@1", "t") == "ann"
    assert values["best"].reference("run", "iP@1", "t") == "bo"
    assert values["mean"].reference("run", "iP@1", "t") is None
    assert "best value over 2 references (ann, bo; --merge best)" in repr(values["best"])
    assert "2 assessors have judged; what any of them marked counts" in repr(evaluate(RUN, GOLD, "iR@1"))


def test_references_in_lines_score_runs_in_characters():
    documents = {"a": "one\ntwo\nthree\n"}
    gold = [
        {"topic": "t", "doc": "a", "start_line": 1, "end_line": last, "assessor": name}
        for name, last in (("ann", 2), ("bo", 1))
    ]
    run = [{"topic": "t", "doc": "a", "rank": 1, "start": 0, "end": 6}]
    scores = dx.evaluate({"run": run}, gold, "iR@1 iP@1", documents, merge="best")
    assert [scores.value("run", name, "t") for name in scores.measures] == [1.0, 1.0]
    assert [scores.reference("run", name, "t") for name in scores.measures] == ["bo", "ann"]
    assert "best value over 2 references (ann, bo; --merge best)" in repr(scores)
    values = [
        dx.evaluate({"run": run}, gold, "iR@1", documents, merge=name).value("run", "iR@1", "t")
        for name in ("ann", "bo")
    ]
    assert values == [6 / 8, 1.0]


def test_chosen_topics_and_measures_keep_their_references():
    scores = evaluate(RUN, GOLD, "iR@1 iP@1", merge="best")
    assert [scores.reference("run", name, "t") for name in scores.measures] == ["ann", "bo"]
    assert scores.select(measures=["iP@1"]).reference("run", "iP@1", "t") == "bo"


def test_an_explanation_names_the_reference():
    told = dx.explain(RUN, GOLD, "iP@1", topic="t", merge="best")
    assert (told.reference, told.score, told.total_relevant) == ("bo", 1.0, 40)
    assert told.sum == pytest.approx(told.score) and "by the reference bo" in told.title
    with pytest.raises(dx.UsageError, match="follow one of them"):
        dx.explain(RUN, GOLD, "iP@1", topic="t", merge="mean")


def test_what_cannot_be_combined_is_refused(tmp_path):
    for options in ({"store": tmp_path}, {"average": "micro"}):
        with pytest.raises(dx.UsageError, match="cannot be combined"):
            evaluate(RUN, GOLD, "iR@1", merge="best", **options)
    with pytest.raises(dx.UsageError, match="would do nothing"):
        evaluate(RUN, [{"topic": "t", "doc": "a", "start": 0, "end": 1}], "iR@1", merge="best")
    with pytest.raises(dx.UsageError, match="nor an assessor in the assessments"):
        evaluate(RUN, GOLD, "iR@1", merge="cy")


def test_comparisons_pair_topics_not_references():
    other = [row | {"end": row["end"] + 5} for row in RUN]
    found = dx.compare({"a": RUN, "b": other}, GOLD, "iR@1", merge="best")
    assert found.differences[0].topics == 2
    assert found.differences[0].difference == pytest.approx((1.0 - 0.5) / 2)


@st.composite
def judged(draw):
    rng = random.Random(draw(st.integers(0, 10**6)))

    def place():
        start, end = sorted(rng.sample(range(30), 2))
        return {"doc": rng.choice("ab"), "start": start, "end": end}

    gold = [
        {"topic": rng.choice("tu"), "assessor": rng.choice(["ann", "bo", "cy"])} | place()
        for _ in range(rng.randint(2, 10))
    ]
    run = [{"topic": topic, "rank": rank} | place() for topic in "tu" for rank in range(1, rng.randint(2, 5))]
    return gold, run


@given(judged(), st.sampled_from(["best", "mean"]))
@settings(max_examples=25)
def test_bounds_hold_whatever_is_judged(case, rule):
    gold, run = case
    run = [row | {"doc": "unjudged"} if number % 3 == 0 else row for number, row in enumerate(run)]
    names = "iP@2 iR@3 F(beta=1)@2"
    scores = evaluate(run, gold, names, merge=rule, bounds=True)
    rng = random.Random(len(gold))
    shown = {
        (row["topic"], at)
        for row in run
        if row["doc"] == "unjudged"
        for at in range(row["start"], row["end"])
    }
    for _ in range(4):
        marked = [one for one in sorted(shown) if rng.random() < rng.random()]
        people = sorted({row["assessor"] for row in gold})
        more = [
            {"topic": topic, "doc": "unjudged", "start": at, "end": at + 1, "assessor": person}
            for topic, at in marked
            for person in people
        ]
        judged_too = evaluate(run, [*gold, *more], names, merge=rule)
        for topic in scores.topics:
            for name in names.split():
                low, high = scores.bounds("run", name, topic)
                assert low - 1e-9 <= judged_too.value("run", name, topic) <= high + 1e-9, (name, topic)


@given(judged())
@settings(max_examples=25)
def test_values_equal_those_of_each_reference_alone(case):
    gold, run = case
    each = []
    docs = [{"topic": row["topic"], "doc": row["doc"]} for row in gold]
    for name in sorted({row["assessor"] for row in gold}):
        own = [{key: row[key] for key in row if key != "assessor"} for row in gold if row["assessor"] == name]
        each.append(evaluate(run, [*own, *docs], MEASURES))
    best, mean = (evaluate(run, gold, MEASURES, merge=rule) for rule in ("best", "mean"))
    for name in MEASURES:
        for topic in best.topics:
            values = [one.value("run", name, topic) for one in each]
            known = [value for value in values if value is not None]
            pick = max if best.meaning(name).higher_is_better else min
            assert best.value("run", name, topic) == pytest.approx(pick(known))
            assert mean.value("run", name, topic) == pytest.approx(sum(known) / len(known))
