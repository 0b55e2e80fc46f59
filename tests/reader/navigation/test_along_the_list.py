"""Readers whose chances depend on the rank, or on what earlier results led to."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from tests.reader.exposure import twins
from tests.reader.navigation.test_models import DOCS

PATIENCE = 0.7
MEASURES = sorted(
    measure.example
    for name, measure in dx.measures().items()
    if any(one.name == "nav" for one in measure.parameters)
)


def single_nodes(seed: int) -> twins.Case:
    """Judged nodes, a run of different nodes, each the outermost with its text, and chances for all pairs."""
    dice = random.Random(seed)
    docs = [twins.grow(dice, name) for name in ("d1", "d2")]
    nodes = [(doc["doc"], node["id"]) for doc in docs for node in doc["nodes"]]
    judged = dice.sample(nodes, min(len(nodes), 3))
    extents = {
        (doc["doc"], node["start"], node["end"]): node["id"] for doc in docs for node in doc["nodes"][::-1]
    }
    shown = [(doc, node) for (doc, start, end), node in extents.items() if start < end]
    listed = dice.sample(shown, min(len(shown), 5))
    case = twins.Case(
        docs,
        [{"topic": "t", "doc": doc, "node": node, "rel": 1} for doc, node in judged],
        [
            {"topic": "t", "doc": doc, "rank": rank, "node": node}
            for rank, (doc, node) in enumerate(listed, 1)
        ],
    )
    twins.draw_chances(case, dice)
    return case


def tired(case: twins.Case) -> twins.Case:
    """The same case with the chances that a tiring reader has from the nodes of this list."""
    rank = {row["node"]: row["rank"] for row in case.run}
    chance = {
        (doc, source, target): p * PATIENCE ** (rank.get(source, 1) - 1)
        for (doc, source, target), p in case.chance.items()
    }
    return twins.Case(case.docs, case.qrels, case.run, chance)


def decided(case: twins.Case) -> twins.Case:
    """The same case with the chances of readers who decide once about each node, given the list so far."""
    chance = dict(case.chance)
    for doc, _, target in case.chance:
        left = 1.0
        for row in case.run:
            if row["doc"] == doc and row["node"] != target:
                key = doc, row["node"], target
                after = min(left, 1 - case.chance.get(key, 0.0))
                chance[key] = 1 - after / left if left else 0.0
                left = after
    return twins.Case(case.docs, case.qrels, case.run, chance)


@settings(max_examples=8)
@given(st.integers(0, 10**6), st.sampled_from(["trees", "text"]))
@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
def test_every_measure_can_be_of_such_readers(
    tmp_path_factory: pytest.TempPathFactory, seed: int, mode: str
) -> None:
    case = single_nodes(seed)
    folder = tmp_path_factory.mktemp("case")
    models = {"tiring(of={},patience=0.7)": tired(case), "deciding(of={})": decided(case)}
    (folder / "plain.csv").write_text(case.matrix())
    for model, twin in models.items():
        (folder / "twin.csv").write_text(twin.matrix())
        found, wanted = (
            dx.evaluate({"run": case.run}, _judged(case, mode), MEASURES, case.docs, navigation=navigation)
            for navigation in (
                model.format(f"matrix(file={folder / 'plain.csv'})"),
                f"matrix(file={folder / 'twin.csv'})",
            )
        )
        for name in MEASURES:
            assert found.value("run", name) == pytest.approx(wanted.value("run", name), nan_ok=True), (
                model,
                name,
            )


def _judged(case: twins.Case, mode: str) -> list[dict]:
    """The judged nodes, or their text highlighted."""
    if mode == "trees":
        return case.qrels
    extents = {node["id"]: (node["start"], node["end"]) for doc in case.docs for node in doc["nodes"]}
    rows = [
        {"topic": "t", "doc": row["doc"], "start": extents[row["node"]][0], "end": extents[row["node"]][1]}
        for row in case.qrels
    ]
    return [row for row in rows if row["start"] < row["end"]] or [
        {"topic": "t", "doc": "d1", "start": 0, "end": 1}
    ]


@pytest.mark.parametrize(
    ("model", "measure", "words"),
    [
        ("tiring(of=readon)", "NearMisses@1", "nearest text shown"),
        ("tiring(of=mix(0.5*readon+0.5*none))", "SRiR2@1", "nearest text shown"),
        ("tiring", "EPRUM(r=1,ideal=fewest)", "in no order"),
        ("deciding", "ERRU@1", "tied at the cut-off"),
        ("tiring(of=deciding)", "PRUM", "already depends on the list"),
        ("mix(0.5*tiring+0.5*none)", "PRUM", "put the mixture into tiring"),
    ],
)
def test_refused_with_a_reason(model: str, measure: str, words: str) -> None:
    qrels = [{"topic": "t", "doc": "d", "start": 0, "end": 40}]
    run = {"run": [{"topic": "t", "doc": "d", "rank": 1, "node": node} for node in "ps"]}
    with pytest.raises(dx.UsageError, match=words):
        dx.evaluate(run, qrels, measure, DOCS, navigation=model)


def test_readers_of_distances_tire_between_nodes() -> None:
    """In trees, and in a mixture in text, each part of it by its own rule."""
    qrels = [{"topic": "t", "doc": "d", "node": "q", "rel": 1}]
    run = {
        "run": [{"topic": "t", "doc": "d", "rank": rank, "node": node} for rank, node in enumerate("tp", 1)]
    }
    value = dx.evaluate(
        run, qrels, "NearMisses@2", DOCS, navigation="tiring(of=t2i(tolerance=19),patience=0.5)"
    )
    assert value.value("run", "NearMisses@2") == 0
    value = dx.evaluate(run, qrels, "NearMisses@2", DOCS, navigation="tiring(of=t2i(scale=10),patience=0.5)")
    assert value.value("run", "NearMisses@2") == pytest.approx(1 - (1 - 10 / 20) * (1 - 0.5 * 10 / 20))
    highlighted = [{"topic": "t", "doc": "d", "start": 12, "end": 20}]
    mixed, half = (
        dx.evaluate(
            run, highlighted, "NearMisses@2", DOCS, navigation=f"tiring(of={model},patience=0.5)"
        ).value("run", "NearMisses@2")
        for model in ("mix(0.5*hierarchical)", "hierarchical")
    )
    assert mixed == pytest.approx(half / 2) and half > 0
