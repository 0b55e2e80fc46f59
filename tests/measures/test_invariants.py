"""What must hold for every registered measure, the day it is registered."""

from __future__ import annotations

import itertools
import math
import random
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.measurement.base import Measure, measure_named, measures

TOPICS = ("t2", "t10", "t1")
QUICK = settings(max_examples=12)
TEXT = "Lorem ipsum dolor sit amet, consectetur. "


def document(doc: str, length: int) -> dict:
    """A small tree: article, two sections, two paragraphs in each."""
    nodes = [{"id": "a", "parent": None, "tag": "article", "start": 0, "end": length}]
    half = length // 2
    for number, (start, end) in enumerate([(0, half), (half, length)]):
        nodes.append({"id": f"s{number}", "parent": "a", "tag": "sec", "start": start, "end": end})
        middle = (start + end) // 2
        for part, (left, right) in enumerate([(start, middle), (middle, end)]):
            nodes.append(
                {"id": f"p{number}{part}", "parent": f"s{number}", "tag": "p", "start": left, "end": right}
            )
    return {"doc": doc, "length": length, "text": (TEXT * (1 + length // len(TEXT)))[:length], "nodes": nodes}


DOCUMENTS = [document(f"d{number}", length) for number, length in enumerate((40, 60, 100))]


def registered() -> list[str]:
    """An example of every registered measure that needs nothing beyond documents and assessments."""
    return [
        m.example or m.name
        for m in measures().values()
        if not m.needs - {"tree", "text", "lengths", "aspects"}
    ]


def needs_nodes(measure: Measure) -> bool:
    """Whether a measure only looks at judged nodes."""
    return "tree" in measure.needs


@st.composite
def evaluations(draw: st.DrawFn) -> tuple[list[dict], list[dict]]:
    """Assessments and results over three topics, with repetitions and unknown documents."""
    rng = random.Random(draw(st.integers(0, 10**6)))
    qrels: list[dict] = []
    results: list[dict] = []
    for topic in TOPICS:
        for doc in DOCUMENTS:
            node = rng.choice(doc["nodes"])
            row = {"topic": topic, "doc": doc["doc"]}
            if rng.random() < 0.7:
                row |= {"start": node["start"], "end": node["end"], "aspects": [rng.choice("AB")]}
            qrels.append(row)
        qrels.append({"topic": topic, "doc": "d0", "start": 0, "end": 10, "aspects": ["A"]})
        for rank in range(1, rng.randint(2, 7)):
            doc = rng.choice(DOCUMENTS)
            node = rng.choice(doc["nodes"])
            results.append(
                {"topic": topic, "doc": doc["doc"], "rank": rank, "score": 10.0 - rank,
                 "start": node["start"], "end": node["end"]}
            )  # fmt: skip
    return qrels, results


def evaluate(results, qrels, names, **options) -> dx.Scores:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        return dx.evaluate({"run": results}, qrels, names, documents=DOCUMENTS, **options)


def table(scores: dx.Scores) -> dict[tuple[str, str], float | None]:
    return {(topic, measure): value for _, topic, measure, value in scores.rows(per_topic=True)}


def same(found: dict, expected: dict) -> None:
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        if value is None or found[key] is None:
            assert found[key] is value, key
        else:
            assert found[key] == pytest.approx(value, abs=1e-12), key


@QUICK
@given(evaluations())
def test_values_are_in_their_range(evaluation) -> None:
    qrels, results = evaluation
    scores = evaluate(results, qrels, registered())
    for (topic, name), value in table(scores).items():
        measure = measure_named(name)
        assert value is not None, (topic, name)
        assert measure.low - 1e-12 <= value <= measure.high + 1e-12, (topic, name, value)


@QUICK
@given(evaluations())
def test_an_empty_run_scores_and_never_better(evaluation) -> None:
    qrels, results = evaluation
    empty = evaluate([], qrels, registered())
    full = table(evaluate(results, qrels, registered()))
    for (topic, name), value in table(empty).items():
        measure = measure_named(name)
        assert value is not None and (math.isfinite(value) or value == measure.high), (topic, name)
        if measure.empty_is_worst:
            if measure.higher_is_better:
                assert value <= full[topic, name] + 1e-12, (topic, name)
            else:
                assert value >= full[topic, name] - 1e-12, (topic, name)


def test_a_topic_with_nothing_relevant_has_no_value() -> None:
    qrels = [
        {"topic": "good", "doc": "d0", "start": 0, "end": 10, "aspects": ["A"]},
        {"topic": "none", "doc": "d0"},
    ]
    results = [{"topic": t, "doc": "d0", "rank": 1, "start": 0, "end": 20} for t in ("good", "none")]
    scores = evaluate(results, qrels, registered())
    for name in scores.measures:
        assert scores.value("run", name, "none") is None, name
        assert scores.value("run", name) == scores.value("run", name, "good"), name


@QUICK
@given(evaluations(), st.randoms(use_true_random=False))
def test_the_order_of_lines_and_topics_does_not_matter(evaluation, rng) -> None:
    qrels, results = evaluation
    expected = table(evaluate(results, qrels, registered()))
    rng.shuffle(results)
    documents_of = {}
    for row in qrels:
        documents_of.setdefault((row["topic"], row["doc"]), []).append(row)
    groups = list(documents_of.values())
    rng.shuffle(groups)
    shuffled = [row for group in groups for row in group]
    same(table(evaluate(results, shuffled, registered())), expected)
    unranked = [{k: v for k, v in row.items() if k != "rank"} for row in results]
    same(table(evaluate(unranked, qrels, registered())), expected)


@QUICK
@given(evaluations())
def test_the_names_of_documents_and_topics_do_not_matter(evaluation) -> None:
    qrels, results = evaluation
    new = {"d0": "zz", "d1": "yy", "d2": "é 1"}
    topic = {"t1": "q3", "t2": "q2", "t10": "q1"}

    def renamed(rows):
        return [
            row | {"doc": new[row["doc"]]} | ({"topic": topic[row["topic"]]} if "topic" in row else {})
            for row in rows
        ]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        found = dx.evaluate(
            {"run": renamed(results)}, renamed(qrels), registered(), documents=renamed(DOCUMENTS)
        )
    expected = table(evaluate(results, qrels, registered()))
    translated = {(topic.get(t, t), m): v for (t, m), v in expected.items()}
    same(table(found), translated)


@QUICK
@given(evaluations())
def test_what_claims_to_grow_with_the_cutoff_does(evaluation) -> None:
    qrels, results = evaluation
    for measure in measures().values():
        if not measure.grows or measure.needs - {"tree", "text", "lengths", "aspects"}:
            continue
        base = (measure.example or measure.name).rpartition("@")[0]
        names = [f"{base}@{rank}" for rank in range(1, 9)]
        scores = evaluate(results, qrels, names)
        for topic in TOPICS:
            values = [scores.value("run", name, topic) for name in names]
            assert all(a <= b + 1e-12 for a, b in itertools.pairwise(values)), (names, values)


@QUICK
@given(evaluations())
def test_one_run_does_not_depend_on_the_others_nor_on_the_other_measures(evaluation) -> None:
    qrels, results = evaluation
    expected = table(evaluate(results, qrels, registered()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        both = dx.evaluate({"other": results[:3], "run": results}, qrels, registered(), documents=DOCUMENTS)
        for name in registered():
            alone = dx.evaluate({"run": results}, qrels, name, documents=DOCUMENTS)
            for topic in TOPICS:
                assert alone.value("run", name, topic) == expected[topic, name]
    for (topic, name), value in expected.items():
        assert both.value("run", name, topic) == value


def test_every_measure_says_whom_it_models() -> None:
    for name, measure in measures().items():
        assert measure.user.endswith("."), name
        assert measure.paper, name
        assert measure.__doc__, name
        assert measure_named(measure.example or name).name == name
        for parameter in measure.parameters:
            assert parameter.help, (name, parameter.name)
