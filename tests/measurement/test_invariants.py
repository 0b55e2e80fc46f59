"""What must hold for every registered measure, the day it is registered."""

from __future__ import annotations

import itertools
import math
import random
import warnings
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.core.facts import Facts
from doxeval.core.grammar import Cutoff, parse_measure
from doxeval.core.parameters import keyed
from doxeval.ground.align import align
from doxeval.ground.aligned import Aligned
from doxeval.measurement import base
from doxeval.measurement.base import Measure, measure_named, measures
from doxeval.scoring.evaluation import Evaluation

TOPICS = ("t2", "t10", "t1")
QUICK = settings(max_examples=7)
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


AVAILABLE = {"tree", "aspects"}


def registered(available: set[str] = AVAILABLE) -> list[str]:
    """Every registered measure that needs only what is given, with all sets of parameters it declares."""
    known = [measure for measure in measures().values() if not measure.needs - available]
    return [text for measure in known for text in measure.samples()]


@st.composite
def evaluations(draw: st.DrawFn) -> tuple[list[dict], list[dict]]:
    """Assessed ranges and results over three topics, with repetitions and unknown documents."""
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


@st.composite
def judged(draw: st.DrawFn) -> tuple[list[dict], list[dict]]:
    """The same with judged nodes and retrieved nodes; every topic has one of the highest code."""
    rng = random.Random(draw(st.integers(0, 10**6)))
    by_code = draw(st.booleans())
    qrels: list[dict] = []
    results: list[dict] = []
    for topic in TOPICS:
        for doc in DOCUMENTS:
            best = {"code": "E3S3"} if by_code else {"rel": 1}
            worth = (
                {"code": rng.choice(["E2S3", "E1S1", "E0S0"])}
                if by_code
                else {"rel": rng.choice([0.5, 0.25, 0])}
            )
            first, second = rng.sample([node["id"] for node in doc["nodes"]], 2)
            qrels.append({"topic": topic, "doc": doc["doc"], "node": first, **best})
            qrels.append({"topic": topic, "doc": doc["doc"], "node": second, **worth})
        for rank in range(1, rng.randint(2, 7)):
            doc = rng.choice(DOCUMENTS)
            node = rng.choice(doc["nodes"])["id"]
            results.append(
                {"topic": topic, "doc": doc["doc"], "rank": rank, "score": 10.0 - rank, "node": node}
            )
    return qrels, results


SCORED = {"ranges": registered(), "nodes": registered({"tree"})}
"""The measures that can be scored on what is drawn."""


def options_for(qrels: list[dict]) -> dict[str, str]:
    """Nodes judged by degrees are text only where it is said how."""
    return {"highlighted": "any"} if any("node" in row for row in qrels) else {}


BOTH = st.one_of(
    st.tuples(evaluations(), st.just("ranges")),
    st.tuples(judged(), st.just("nodes")),
)


def evaluate(results, qrels, names, **options) -> dx.Scores:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        options |= options_for(qrels)
        return dx.evaluate({"run": results}, qrels, names, documents=DOCUMENTS, **options)


def aligned(results, qrels, names) -> tuple[Aligned, list[Measure]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        built = Evaluation(qrels, names, DOCUMENTS, **options_for(qrels))
        return align(dx.read_run(results, name="run"), built.ground), list(built.measures)


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
@given(BOTH)
def test_values_are_in_their_range(drawn) -> None:
    (qrels, results), kind = drawn
    names = SCORED[kind]
    scores = evaluate(results, qrels, names)
    for (topic, name), value in table(scores).items():
        measure = measure_named(name)
        assert value is not None, (topic, name)
        assert measure.low - 1e-12 <= value <= measure.high + 1e-12, (topic, name, value)


@QUICK
@given(BOTH)
def test_an_empty_run_scores_and_never_better(drawn) -> None:
    (qrels, results), kind = drawn
    names = SCORED[kind]
    empty = evaluate([], qrels, names)
    full = table(evaluate(results, qrels, names))
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
@given(BOTH, st.randoms(use_true_random=False))
def test_the_order_of_lines_and_topics_does_not_matter(drawn, rng) -> None:
    (qrels, results), kind = drawn
    names = SCORED[kind]
    expected = table(evaluate(results, qrels, names))
    rng.shuffle(results)
    documents_of: dict[tuple[str, str], list[dict]] = {}
    for row in qrels:
        documents_of.setdefault((row["topic"], row["doc"]), []).append(row)
    groups = list(documents_of.values())
    rng.shuffle(groups)
    shuffled = [row for group in groups for row in group]
    same(table(evaluate(results, shuffled, names)), expected)
    unranked = [{k: v for k, v in row.items() if k != "rank"} for row in results]
    same(table(evaluate(unranked, qrels, names)), expected)


@QUICK
@given(BOTH)
def test_the_names_of_documents_and_topics_do_not_matter(drawn) -> None:
    (qrels, results), kind = drawn
    names = SCORED[kind]
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
            {"run": renamed(results)}, renamed(qrels), names, renamed(DOCUMENTS), **options_for(qrels)
        )
    expected = table(evaluate(results, qrels, names))
    translated = {(topic.get(t, t), m): v for (t, m), v in expected.items()}
    same(table(found), translated)


@QUICK
@given(BOTH)
def test_what_claims_to_grow_with_the_cutoff_does(drawn) -> None:
    (qrels, results), kind = drawn
    names = SCORED[kind]
    topics, chosen = aligned(results, qrels, [name for name in names if measure_named(name).grows])
    for measure in chosen:
        curve = measure.curve(topics)
        for first, after in itertools.pairwise(topics.by_topic.offset.tolist()):
            assert (np.diff(curve[first:after]) >= -1e-12).all(), (measure, curve[first:after])


@settings(QUICK, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=BOTH, rank=st.integers(1, 4))
def test_what_need_not_be_looked_at_changes_no_digit(monkeypatch, drawn, rank) -> None:
    (qrels, results), kind = drawn
    names = [name for name in SCORED[kind] if measure_named(name).rank is not None]
    names = [str(replace(parse_measure(name), text="", cutoff=Cutoff(rank, "ranks"))) for name in names]
    topics, chosen = aligned(results, qrels, names)
    found = []
    for worth_cutting in (1 << 40, 0):
        monkeypatch.setattr(base, "WORTH_CUTTING", worth_cutting)
        with closing(replace(topics, facts=Facts())) as again:
            found.append({measure.label: measure(again).tolist() for measure in chosen})
    for label, values in found[0].items():
        np.testing.assert_array_equal(found[1][label], values, err_msg=label)


@QUICK
@given(BOTH)
def test_a_curve_has_the_value_of_every_cutoff(drawn) -> None:
    (qrels, results), kind = drawn
    names, uncut = SCORED[kind], ("Bpref", "SetP")
    of_documents = ["nDCG@3", "nDCG(dcg=exp-log2)@3", *uncut]
    topics, chosen = aligned(results, qrels, [*names, "iP[0.3]", "gP[0.5]", "SRiP[0.2]", *of_documents])
    place = np.arange(len(topics)) - topics.by_topic.offset[topics.topic]
    for measure in chosen:
        curve = measure.curve(topics)
        for rank in (1, 2, 4):
            here = place == rank - 1
            if measure.cutoff == "none" or measure.expression.point is not None or measure.label in uncut:
                found = measure(topics.top(rank))
            else:
                expression = replace(measure.expression, cutoff=Cutoff(rank))
                found = measure_named(str(expression))(topics)
            np.testing.assert_allclose(
                curve[here], found[topics.topic[here]], atol=1e-12, err_msg=measure.label
            )


@QUICK
@given(BOTH)
def test_one_run_does_not_depend_on_the_others_nor_on_the_other_measures(drawn) -> None:
    (qrels, results), kind = drawn
    names = SCORED[kind]
    expected = table(evaluate(results, qrels, names))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        both = dx.evaluate(
            {"other": results[:3], "run": results}, qrels, names, DOCUMENTS, **options_for(qrels)
        )
    for (topic, name), value in expected.items():
        assert both.value("run", name, topic) == value
    topics, chosen = aligned(results, qrels, names)
    for measure in chosen:
        alone = measure(replace(topics, facts=Facts()))
        for topic, number in topics.ground.topic_codes.items():
            assert alone[number] == expected[topic, measure.label], measure


@pytest.mark.parametrize("measure", measures().values(), ids=lambda m: m.name)
def test_every_parameter_is_tried(measure) -> None:
    tried = {
        key for text in measure.samples()
        for key in keyed(measure.parameters, parse_measure(text).call, text)
    }  # fmt: skip
    assert {parameter.name for parameter in measure.parameters} <= tried


@pytest.mark.parametrize("measure", measures().values(), ids=lambda m: m.name)
def test_a_measure_is_a_sum_over_results_or_says_why_not(measure) -> None:
    is_sum = measure.shares is not Measure.shares
    assert is_sum == (not measure.no_sum)


def test_every_measure_says_whom_it_models() -> None:
    for name, measure in measures().items():
        assert measure.user.endswith("."), name
        assert measure.paper, name
        assert measure.__doc__, name
        assert measure_named(measure.example or name).name == name
        for parameter in measure.parameters:
            assert parameter.help, (name, parameter.name)
