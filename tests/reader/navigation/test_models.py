"""Navigation models one by one: hand-checked chances, files, and what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.reader.navigation.distance import digamma
from doxeval.reader.navigation.model import navigation_named, navigations
from doxeval.reader.summaries.partition import partition_nodes
from tests.reader.exposure import twins

DOCS: list[dict[str, Any]] = [
    {"doc": "d", "length": 100, "nodes": [
        {"id": "r", "parent": None, "tag": "article", "start": 0, "end": 100},
        {"id": "s", "parent": "r", "tag": "sec", "start": 0, "end": 40},
        {"id": "p", "parent": "s", "tag": "p", "start": 0, "end": 10},
        {"id": "q", "parent": "s", "tag": "p", "start": 30, "end": 40},
        {"id": "t", "parent": "r", "tag": "sec", "start": 60, "end": 100},
        {"id": "o", "parent": "t", "tag": "p", "start": 60, "end": 60},
    ]},
]  # fmt: skip
ROUTES = [["r", "s", "p"], ["r", "t"], ["r", "s", "q", "p"]]


@pytest.fixture(scope="module")
def documents() -> dx.Documents:
    return dx.read_documents(DOCS)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(json.dumps({"doc": "d", "route": route}) for route in ROUTES))
    return path


def chance(
    documents: dx.Documents, model: str, source: str, target: str, coverage: str | None = None
) -> float:
    start, end = (np.array([documents.find(0, name)]) for name in (source, target))
    letters = None if coverage is None else np.array([coverage])
    return float(navigation_named(model, documents).chance(np.zeros(1, dtype=int), start, end, letters)[0])


@pytest.mark.parametrize(
    ("model", "source", "target", "value"),
    [
        ("none", "r", "s", 0),
        ("hierarchical", "r", "s", 0.4),
        ("hierarchical", "p", "r", 0.1),
        ("hierarchical", "p", "q", 0),
        ("hierarchical", "o", "r", 0),
        ("hierarchical(normalise=source)", "p", "r", 0.1 / (0.1 + 0.25)),
        ("err", "p", "q", 1 / 22),
        ("err(word=10)", "p", "q", 1 / 4),
        ("err", "r", "s", math.sqrt(0.4)),
        ("t2i(tolerance=20)", "p", "q", 1),
        ("t2i(tolerance=19)", "q", "p", 0),
        ("t2i(tolerance=30,forward=true)", "p", "q", 1),
        ("t2i(tolerance=29,forward=true)", "p", "q", 0),
        ("t2i(tolerance=100,forward=true)", "q", "p", 0),
        ("t2i(scale=5)", "p", "q", 0.25),
        ("t2i(scale=5)", "p", "s", 1),
        ("proximity(A=0.2)", "p", "q", 0.5),
        ("readon(mean=10)", "p", "q", math.exp(-2)),
        ("readon(mean=10)", "q", "p", math.exp(-8)),
        ("readon(mean=10,back=20)", "q", "p", math.exp(-1)),
        ("mix(0.5*hierarchical+0.25*t2i(tolerance=0))", "p", "s", 0.5 * 0.25 + 0.25),
        ("summary(partition=tag,weight=extent)", "p", "r", 1 - 2 / 10),
        ("summary(partition=tag,weight=extent)", "r", "s", 1 - 5 / 10),
        ("summary(partition=node,weight=extent)", "p", "s", 1 - 3 / 10),
        ("summary(partition=node,weight=length)", "p", "t", 1 - 40 / 200),
        ("summary(partition=node,weight=depth)", "p", "o", 1 - (1 / 3) / 4),
        ("summary(partition=\"sec(.*)\",weight=extent)", "p", "r", 1 - 2 / 10),
        ("depthweighted", "p", "r", 1 - 1 / (1 + 1 / 2 + 1 / 3)),
    ],
)  # fmt: skip
def test_chance(documents: dx.Documents, model: str, source: str, target: str, value: float) -> None:
    assert chance(documents, model, source, target) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("model", sorted(twins.DISTANCES))
def test_sums_of_chances_are_those_of_the_gaps_one_by_one(documents: dx.Documents, model: str) -> None:
    found: Any = navigation_named(model, documents)
    chance = twins.DISTANCES[model]
    rows = [
        (low, high, span, length)
        for span, length in ((0, 5), (1, 30), (5, 30), (12, 20))
        for low in range(span + 1)
        for high in range(low, span + 2)
    ]
    low, high, span, length = np.array(rows).T
    for forward in (True, False) if found.reads_back else (True,):
        assert found.sum_one(low, high, forward, length) == pytest.approx(
            [sum(chance(gap, forward, size) for gap in range(a, b)) for a, b, _, size in rows]
        )
    if found.reads_back:
        assert found.sum_both(low, high, span, length) == pytest.approx(
            [
                sum(chance(gap, True, size) * chance(whole - gap, False, size) for gap in range(a, b))
                for a, b, whole, size in rows
            ]
        )


@pytest.mark.parametrize(("letter", "exponent"), [("E", 7 / 8), ("S", 3 / 4), ("L", 1 / 2), ("N", 1 / 2)])
def test_err_minds_coverage(documents: dx.Documents, letter: str, exponent: float) -> None:
    assert chance(documents, "err", "p", "s", letter) == pytest.approx(0.25**exponent)
    assert chance(documents, "err(exponents=prose)", "p", "s", letter) == pytest.approx(
        0.25 ** (1 - exponent)
    )


def test_routes(documents: dx.Documents, log: Path) -> None:
    by_node, by_tag = f"routes(file={log})", f"routes(file={log},partition=tag)"
    assert chance(documents, by_node, "r", "s") == pytest.approx(2 / 3)
    assert chance(documents, by_node, "p", "r") == 0
    assert chance(documents, by_tag, "t", "q") == pytest.approx(1)
    assert chance(documents, f"routes(file={log},partition=tag,abandonment=true)", "t", "q") == pytest.approx(
        2 / 3
    )
    assert chance(documents, f"routes(file={log},smoothing=1)", "r", "t") == pytest.approx(2 / (3 + 5))


def test_routes_tell_refused_lines(documents: dx.Documents, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(
        '{"doc": "d", "route": ["r", "s"]}\nnonsense\n{"doc": "d", "route": ["r", "zz"]}\n{"doc": 3}\n'
    )
    told = [str(notice) for notice in navigation_named(f"routes(file={path})", documents).notices]
    assert len(told) == 3 and any(":2:" in text for text in told) and any(":3:" in text for text in told)


def test_matrix_tells_refused_rows(documents: dx.Documents, tmp_path: Path) -> None:
    path = tmp_path / "nav.csv"
    path.write_text("doc,from,to,p\nd,r,s,0.5\nd,r,nowhere,0.5\nd,r,t,7\n")
    model = navigation_named(f"matrix(file={path})", documents)
    assert len(model.notices) == 2
    assert chance(documents, f"matrix(file={path})", "r", "s") == 0.5
    path.write_text("a,b\n1,2\n")
    with pytest.raises(dx.InputError, match=r"nav\.csv:1: expected the columns"):
        navigation_named(f"matrix(file={path})", documents)


def test_steady_state_of_observed_steps(documents: dx.Documents, log: Path) -> None:
    """Sessions follow one another: article -> sec -> p ... ; counts give the chain's flow, pi its visits."""
    model = f"summary(partition=tag,weight=routes,file={log})"
    visits = {"article": 3, "sec": 3, "p": 3}
    assert chance(documents, model, "p", "r") == pytest.approx(1 - visits["article"] / 9)
    assert chance(documents, model, "r", "s") == pytest.approx(1 - visits["sec"] / 9)


def test_summary_that_was_saved(documents: dx.Documents, tmp_path: Path) -> None:
    from doxeval.reader.summaries.structure import summarise

    for partition in ("tag", "path", "path+children", "depth"):
        summary, _ = summarise(documents, partition, "length")
        assert summary.steady.sum() == pytest.approx(1)
        assert summary.extent.sum() == 6
        (tmp_path / "summary.json").write_text(summary.to_json())
        saved = f"summary(file={tmp_path / 'summary.json'})"
        fresh = f"summary(partition={partition},weight=length)"
        for target in "stpqo":
            assert chance(documents, saved, "r", target) == chance(documents, fresh, "r", target)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("hierachical", "did you mean 'hierarchical'"),
        ("t2i", "tolerance or a scale"),
        ("t2i(tolerance=1,scale=2)", "tolerance or a scale"),
        ("matrix", "name the file"),
        ("routes", "name the log"),
        ("links", "name the file"),
        ("mix(0.7*none+0.4*none)", "at most 1"),
        ("mix(hierarchical)", "expected terms"),
        ("summary(partition=paht)", "did you mean 'path'"),
        ("summary(partition=p[*])", "matches no node"),
        ("summary(partition=^/)", "into one class"),
        ("depthweighted(partition=zz.*)", "matches no node"),
        ("depthweighted(partition=.?)", "into one class"),
        ("summary(weight=routes)", "needs the log"),
        ("hierarchical(normalise=target)", "one of none, source"),
        ("readon(mean=0)", "at least"),
    ],
)
def test_refused(documents: dx.Documents, model: str, words: str) -> None:
    with pytest.raises(dx.UsageError, match=words):
        navigation_named(model, documents)


@pytest.mark.parametrize("written", ["p*", "c", "p*|c"])
@pytest.mark.parametrize("model", ["summary({})", "depthweighted({})", "routes(file=LOG,{})"])
def test_partitions_have_their_names_in_the_papers(
    documents: dx.Documents, log: Path, model: str, written: str
) -> None:
    ours = {"p*": "path", "c": "children", "p*|c": "path+children"}[written]
    typed, plain = (model.replace("LOG", str(log)).format(f"partition={name}") for name in (written, ours))
    found = [
        chance(documents, text, source, target)
        for text in (typed, plain)
        for source, target in ("rs", "rt", "sp", "tq")
    ]
    assert found[:4] == found[4:] and any(found)
    assert navigation_named(typed, documents).call == navigation_named(plain, documents).call


def test_children_are_told_apart_by_their_tags(documents: dx.Documents) -> None:
    classes = partition_nodes(documents, "c")
    assert [classes.names[code] for code in classes.code] == ["{sec}", "{p}", "{}", "{}", "{p}", "{}"]


@pytest.mark.parametrize(
    ("mapping", "words"),
    [({"zz": "x"}, "matches no node"), (dict.fromkeys(["article", "sec", "p"], "x"), "one class")],
)
def test_a_map_that_tells_nothing_apart(documents: dx.Documents, tmp_path: Path, mapping, words: str) -> None:
    (tmp_path / "map.json").write_text(json.dumps(mapping))
    with pytest.raises(dx.UsageError, match=words):
        navigation_named(f"summary(partition={tmp_path / 'map.json'})", documents)


def test_fields_of_a_log_that_nobody_reads_are_told(documents: dx.Documents, tmp_path: Path) -> None:
    rows = [
        {"doc": "d", "route": ["r", "s"], "count": 25},
        {"doc": "d", "rotue": ["r", "s"]},
        {"doc": "d", "route": ["r", "t"], "count": 3},
    ]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, rows)))
    told = "\n".join(
        str(one) for one in navigation_named(f"routes(file={tmp_path / 'log.jsonl'})", documents).notices
    )
    assert "2 lines have an unknown field 'count', which is ignored" in told
    assert "an unknown field 'rotue', which is ignored; did you mean 'route'?" in told
    assert "1 line refused" in told


def test_models_that_need_trees_say_so() -> None:
    with pytest.raises(dx.UsageError, match="--docs"):
        navigation_named("summary", None)


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_nesting_is_climbing(seed: int) -> None:
    case = twins.tree_case(seed)
    documents = dx.read_documents(case.docs)
    for at, doc in enumerate(case.docs):
        nodes = doc["nodes"]
        first, second = (axis.ravel() for axis in np.indices((len(nodes), len(nodes))))
        got = documents.nested(np.full(len(first), at), first, second)
        wanted = [
            twins.holds(nodes[a], nodes[b], nodes) or twins.holds(nodes[b], nodes[a], nodes)
            for a, b in zip(first, second, strict=True)
        ]
        assert got.tolist() == wanted


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_chances_are_chances_and_shares_add_up(seed: int) -> None:
    case = twins.tree_case(seed)
    documents = dx.read_documents(case.docs)
    models = ["hierarchical", "err", "t2i(tolerance=3)", "proximity(A=1)", "readon(mean=4)", "depthweighted"]
    models += ["summary(partition=path,weight=extent)", "summary(partition=node,weight=length)"]
    normalised = ["hierarchical(normalise=source)", "err(normalise=source)", "proximity(normalise=source)"]
    for at, doc in enumerate(case.docs):
        count = len(doc["nodes"])
        source, target = (axis.ravel() for axis in np.indices((count, count)))
        other = source != target
        here = np.full(other.sum(), at)
        for name in models + normalised:
            chances = navigation_named(name, documents).chance(here, source[other], target[other])
            assert ((chances >= 0) & (chances <= 1 + 1e-12)).all(), name
            if name in normalised:
                leaving = np.bincount(source[other], weights=chances, minlength=count)
                assert np.all((np.abs(leaving - 1) < 1e-9) | (leaving == 0))


def test_every_model_explains_itself() -> None:
    for name, model in navigations().items():
        assert (
            name == model.name
            and model.reader.endswith(".")
            and model.paper
            and model.example.startswith(name)
        )


def test_digamma() -> None:
    scipy = pytest.importorskip("scipy.special")
    x = np.concatenate([np.geomspace(1e-3, 1e9, 200), np.arange(1, 30)])
    assert np.allclose(digamma(x), scipy.digamma(x), rtol=1e-13, atol=1e-13)


def test_steady_state_solver_agrees_with_the_closed_form() -> None:
    pytest.importorskip("scipy")
    from doxeval.reader.summaries.structure import reversible_steady_state, steady_state

    first, second, weight = np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3]), np.array([1.0, 2.0, 0.5, 3.0])
    closed = reversible_steady_state(first, second, weight, np.ones(4))
    both = steady_state(
        np.concatenate([first, second]), np.concatenate([second, first]), np.concatenate([weight, weight]), 4
    )
    assert both == pytest.approx(closed)
