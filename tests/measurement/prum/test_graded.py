"""ERRU, GRP and their kin against twins that go through all orders of ties."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from tests.golden.elements import Case
from tests.measurement.prum import twins
from tests.measurement.prum.trees import ancestors, trees

LETTERS = "abcdef"
RELEVANCE = {"3E": Fraction(1), "2E": Fraction(1, 2), "1E": Fraction(1, 4)}
EXPONENT = {"E": 0.875, "S": 0.75, "L": 0.75}


@st.composite
def tied_lists(draw: st.DrawFn) -> list[list[str]]:
    """Up to five results in ties, repeats among them."""
    names = draw(st.lists(st.sampled_from(LETTERS), max_size=5))
    cuts = sorted(draw(st.sets(st.integers(1, max(1, len(names) - 1)), max_size=4)))
    blocks = [names[a:b] for a, b in zip([0, *cuts], [*cuts, len(names)], strict=True)]
    return [block for block in blocks if block]


@settings(max_examples=12)
@given(
    tied_lists(),
    st.dictionaries(st.sampled_from(LETTERS), st.sampled_from([0.25, 0.5, 1]), min_size=1),
    st.data(),
)
def test_erru_reads_ties_in_every_order(tmp_path_factory, blocks, values, data) -> None:
    case = Case({}, list(LETTERS))
    chance = st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0])
    steps = {(a, b): data.draw(chance) for a in LETTERS for b in values if a != b}
    path = case.steps(tmp_path_factory.mktemp("nav") / "steps.csv", [(*pair, p) for pair, p in steps.items()])
    names = {}
    for rank in range(1, 7):
        listed = twins.listed(blocks, rank)
        found = sum(
            Fraction(value)
            * (
                1
                - prod(
                    1 - share * (1 if a == unit else Fraction(steps[a, unit])) for a, share in listed.items()
                )
            )
            for unit, value in values.items()
        )
        names[f"ERRU(nav=matrix(file={path}))@{rank}"] = float(found / Fraction(sum(values.values())))
    assert case.scores(case.run(*blocks), case.judged(rel=values), list(names)) == pytest.approx(
        names, abs=1e-12
    )


@settings(max_examples=12)
@given(trees(), st.data())
def test_erru_on_trees_with_codes(nodes, data) -> None:
    """ERR section 3.4 from the paper's words: exponents as printed, the ancestor rule, distances in words."""
    names = [node["id"] for node in nodes]
    codes = {name: data.draw(st.sampled_from(["3E", "2E", "1E", "3L", "2S", "1S", "0N"])) for name in names}
    codes[names[-1]] = "2E"
    run = data.draw(st.permutations(names))[:3]
    case = Case({"documents": nodes})
    span = {node["id"]: (node["start"], node["end"]) for node in nodes}

    def step(source: str, target: str) -> float:
        if source == target:
            return 1.0
        (a, b), (c, d) = span[source], span[target]
        up, down = target in ancestors(nodes, source), source in ancestors(nodes, target)
        if not up and not down:
            return 1 / (2 + max(c - b, a - d))
        letter = codes[source][1]
        fits = letter == "E" or (up and letter == "S") or (down and letter == "L")
        return (min(b - a, d - c) / max(b - a, d - c)) ** (EXPONENT[letter] if fits else 0.5)

    relevance = {
        name: 0.0
        if any(codes[above] in RELEVANCE for above in ancestors(nodes, name))
        else float(RELEVANCE.get(codes[name], 0))
        for name in names
    }
    seen = {name: 1 - prod(1 - step(source, name) for source in run) for name in names}
    expected = sum(relevance[name] * seen[name] for name in names) / sum(relevance.values())
    found = case.scores(case.run(*([name] for name in run)), case.judged(code=codes), ["ERRU@3"])
    assert found["ERRU@3"] == pytest.approx(expected, abs=1e-12)


def test_erru_takes_full_specificity_for_exact_coverage_and_a_plain_value_for_a_chance() -> None:
    case = Case({}, ["a", "b", "c"])
    codes = case.judged(code={"a": "E2S3", "b": "E3S2", "c": "E3S3"})
    assert case.scores(case.run(["a"]), codes, ["ERRU(nav=none)@1"])["ERRU(nav=none)@1"] == pytest.approx(
        0.5 / 1.5
    )
    values = case.judged(rel={"a": 0.2, "c": 0.6})
    assert case.scores(case.run(["a"]), values, ["ERRU(nav=none)@1"])["ERRU(nav=none)@1"] == pytest.approx(
        0.25
    )
    with pytest.raises(dx.UsageError, match="from 0 to 1"):
        case.scores(case.run(["a"]), case.judged(rel={"a": 3}), ["ERRU@1"])


def test_scores_tie_where_there_are_no_ranks() -> None:
    case = Case({}, ["a", "b", "c"])
    run = [{"topic": "t", "doc": "d", "node": name, "score": 2.0} for name in "ab"]
    found = case.scores(run, case.judged(rel={"a": 1}), ["ERRU(nav=none)@1", "GRP(recall=1)"])
    assert found["ERRU(nav=none)@1"] == pytest.approx(0.5)
    assert found["GRP(recall=1)"] == pytest.approx(1 / 1.5)


@settings(max_examples=15)
@given(st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=3), min_size=1, max_size=3), st.data())
def test_grp_is_the_expected_search_length(blocks, data) -> None:
    """With values of 0 and 1: wanted / the mean number read, over all orders of all ties."""
    blocks[-1].append(1)
    total = sum(map(sum, blocks))
    names = [[f"e{tie}.{at}" for at in range(len(block))] for tie, block in enumerate(blocks)]
    case = Case({}, [name for block in names for name in block])
    values = {
        name: v for block, row in zip(names, blocks, strict=True) for name, v in zip(block, row, strict=True)
    }
    size = len(values)
    retrieved = data.draw(st.integers(len(blocks) - 1, len(blocks)))
    run = case.run(*names[:retrieved])
    for wanted in range(1, total + 1):
        share = Fraction(wanted, total)
        if 10**6 % share.denominator:
            continue
        name = f"GRP(recall={float(share)},universe={size})"
        expected = wanted / twins.expected_reading(blocks, wanted)
        assert case.scores(run, case.judged(rel=values), [name])[name] == pytest.approx(
            float(expected), abs=1e-12
        )


def test_values_above_one_are_no_degrees_of_relevance() -> None:
    case = Case({}, ["a", "b"])
    with pytest.raises(dx.UsageError, match="GRP expects degrees"):
        case.scores(case.run(["a"]), case.judged(rel={"a": 2}), ["GRP(recall=0.5)"])


def test_grpng_counts_text_once_whoever_shows_it() -> None:
    nodes = [
        {"id": "a", "doc": "d", "parent": None, "start": 0, "end": 100},
        {"id": "b", "doc": "d", "parent": "a", "start": 0, "end": 10},
    ]
    case = Case({"documents": nodes})
    qrels = case.judged(code={"a": "E3S1", "b": "E3S3"})
    names = ["GRPng@2", "GRPng(side=recall)@2"]
    assert case.scores(case.run(["b"], ["a"]), qrels, names) == pytest.approx(
        {"GRPng@2": (10 + 90 / 3) / 100, "GRPng(side=recall)@2": (1 + 0.9) / 2}
    )
    assert case.scores(case.run(["a"], ["b"]), qrels, names) == pytest.approx(
        {"GRPng@2": 1 / 3, "GRPng(side=recall)@2": 0.5}
    )


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=5))
def test_grpng_takes_a_part_of_a_node_for_as_much_of_it(ends: list[tuple[int, int]]) -> None:
    """A twin that marks characters: no order, overlap or number of parts is worth more than the node."""
    root = {"id": "/a[1]", "start": 0, "end": 100}
    document = {
        "doc": "d",
        "text": "x" * 100,
        "nodes": [root, {"id": "/a[1]/b[1]", "parent": "/a[1]", "start": 0, "end": 60}],
    }
    qrels = [{"topic": "t", "doc": "d", "node": "/a[1]/b[1]", "code": "E3S3"}]
    parts = [sorted(pair) for pair in ends if pair[0] != pair[1]]
    run = [
        {"topic": "t", "doc": "d", "rank": at, "start": start, "end": end}
        for at, (start, end) in enumerate(parts, 1)
    ]
    seen = {place for start, end in parts for place in range(start, end)}
    found = dx.evaluate({"r": run}, qrels, "GRPng(side=recall)@5", [document]).value(
        "r", "GRPng(side=recall)@5"
    )
    assert found == pytest.approx(len(seen) / 60, abs=1e-12)


def test_elements_without_text_are_worth_their_value() -> None:
    """Judged figures hold no characters; a topic with nothing else is scored all the same."""
    nodes = [
        {"id": "a", "doc": "d", "parent": None, "start": 0, "end": 20},
        {"id": "e", "doc": "d", "parent": "a", "start": 5, "end": 5},
        {"id": "f", "doc": "d", "parent": "a", "start": 6, "end": 6},
    ]
    case = Case({"documents": nodes})
    expected = {
        "xCG@1": 0.5, "xCG@2": 1.5, "nXCG@1": 0.5, "gr@2": 1.0, "AEP": 0.75, "GRP(recall=1)": 0.75,
        "genP@1": 0.5, "genR@1": 1 / 3, "PRUM(r=2)": 1.0, "EPRUM(r=1)": 1.0, "ERRU(nav=none)@1": 1 / 3,
    }  # fmt: skip
    scores = case.scores(case.run(["f"], ["e"]), case.judged(rel={"e": 1, "f": 0.5}), list(expected))
    assert scores == pytest.approx(expected)


def test_grpng_counts_results_in_unknown_documents_as_worth_nothing() -> None:
    case = Case({"documents": [{"id": "a", "doc": "d", "parent": None, "start": 0, "end": 100}]})
    run = [
        {"topic": "t", "doc": doc, "rank": rank, "start": 0, "end": 100} for rank, doc in enumerate("de", 1)
    ]
    gold, names = case.judged(code={"a": "E3S3"}), "GRPng@2 GRPng(side=recall)@2"
    with pytest.warns(dx.DoxevalWarning, match="1 retrieved document is not among the documents given"):
        found = dx.evaluate(run, gold, names, case.documents)
    assert [found.value("run", name) for name in found.measures] == [0.5, 1]


def test_results_without_nodes_come_last_or_first() -> None:
    """Those of unknown documents have no worth, and take their place among those read."""
    extents = (("a", None, 30), ("b", "a", 10))
    nodes = [{"id": id, "parent": parent, "tag": id, "start": 0, "end": end} for id, parent, end in extents]
    documents = [{"doc": "d1", "text": "x" * 30, "nodes": nodes}]
    gold = [{"topic": "t", "doc": "d1", "node": "b", "code": "E3S3"}]
    places: list[dict[str, Any]] = [{"doc": "d1", "node": "b"}, {"doc": "nowhere", "start": 0, "end": 5}]
    for order in (places, places[::-1]):
        ranked = [{"topic": "t", "rank": rank, **place} for rank, place in enumerate(order, 1)]
        with pytest.warns(dx.DoxevalWarning):
            scores = dx.evaluate({"run": ranked}, gold, ["GRPng@2", "GRPng(side=recall)@2"], documents)
        assert [scores[name] for name in scores.measures] == pytest.approx([10 / 15, 1.0])
