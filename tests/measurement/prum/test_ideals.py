"""Ideal elements: from judged nodes, from codes by a quantisation, from highlights."""

from __future__ import annotations

import pytest

import doxeval as dx
from doxeval.ground.ground import prepare_ground
from doxeval.reader.quantisation import COVERAGE, EX_SPEC, QUANTISATIONS, read_quantisation
from doxeval.reader.units_sought import assessed_elements
from tests.golden.elements import Case

NODES = [
    {"id": "art", "doc": "d", "parent": None, "start": 0, "end": 100},
    {"id": "s1", "doc": "d", "parent": "art", "start": 0, "end": 40},
    {"id": "p1", "doc": "d", "parent": "s1", "start": 0, "end": 20},
    {"id": "p2", "doc": "d", "parent": "s1", "start": 20, "end": 40},
    {"id": "s2", "doc": "d", "parent": "art", "start": 50, "end": 100},
    {"id": "empty", "doc": "d", "parent": "s2", "start": 50, "end": 50},
]


def ideals(qrels: list[dict], how: str = "auto", quantisation: str = "gen") -> dict[str, float]:
    documents = dx.read_documents(Case({"documents": NODES}).documents)
    elements = assessed_elements(
        prepare_ground(dx.read_assessments(qrels), documents), how, quantisation
    ).positive
    return {NODES[node]["id"]: value for node, value in zip(elements.node, elements.value, strict=True)}


def highlight(*ranges: tuple[int, int]) -> list[dict]:
    return [{"topic": "t", "doc": "d", "start": start, "end": end} for start, end in ranges]


def test_highlights_become_the_maximal_nodes_inside_or_the_deepest_around() -> None:
    assert ideals(highlight((0, 40))) == {"s1": 1.0}
    assert ideals(highlight((0, 45))) == {"s1": 1.0}
    assert ideals(highlight((20, 40))) == {"p2": 1.0}
    assert ideals(highlight((3, 9))) == {"p1": 1.0}
    assert ideals(highlight((10, 60))) == {"p2": 1.0}
    assert ideals(highlight((42, 48))) == {"art": 1.0}
    assert ideals(highlight((50, 100))) == {"s2": 1.0}


def test_highlights_are_joined_where_they_touch() -> None:
    assert ideals(highlight((0, 20), (20, 40))) == {"s1": 1.0}
    assert ideals(highlight((0, 20), (21, 40))) == {"p1": 1.0, "p2": 1.0}
    assert ideals(highlight((0, 25), (10, 40))) == {"s1": 1.0}


def test_judged_nodes_are_taken_as_they_are() -> None:
    case = Case({"documents": NODES})
    qrels = case.judged(code={"art": "E3S1", "s1": "E3S3", "p1": "E0S0"})
    assert ideals(qrels) == {"art": 0.75, "s1": 1.0}
    assert ideals(qrels, quantisation="strict") == {"s1": 1.0}
    assert ideals(qrels, quantisation="spec") == pytest.approx({"art": 1 / 3, "s1": 1.0})
    assert ideals(case.judged(rel={"p1": 0.3, "p2": 0})) == {"p1": 0.3}


def test_judged_nodes_and_highlights_can_be_chosen_from() -> None:
    qrels = [*Case({"documents": NODES}).judged(rel={"p1": 0.5}), *highlight((50, 100))]
    assert ideals(qrels, "judged") == {"p1": 0.5}
    assert ideals(qrels, "cover") == {"p1": 1.0, "s2": 1.0}
    assert ideals(qrels, "auto") == {"p1": 0.5, "s2": 1.0}


def test_a_node_judged_twice_counts_with_its_higher_value() -> None:
    case = Case({"documents": NODES})
    assert ideals([*case.judged(rel={"p1": 0.5}), *case.judged(rel={"p1": 1, "p2": 0})]) == {"p1": 1.0}


def test_named_quantisations_on_both_scales() -> None:
    known = {*EX_SPEC, *COVERAGE}
    for name, table in QUANTISATIONS.items():
        assert set(table) <= known, name
        assert all(0 <= value <= 1 for value in table.values())
        assert table["E3S3"] == table["3E"] == 1
        assert table.get("E0S0", 0) == table.get("0N", 0) == 0
    for exhaustivity in "123":
        assert QUANTISATIONS["gen"][f"{exhaustivity}E"] == QUANTISATIONS["gen"][f"E{exhaustivity}S3"]
        assert QUANTISATIONS["err"][f"{exhaustivity}E"] == QUANTISATIONS["err"][f"E{exhaustivity}S3"]


def test_a_quantisation_from_a_file(tmp_path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("code,value\nE3S3, 1\ne2s3,0.9  # nearly\n\n1E,0.1\n")
    assert read_quantisation(str(path)) == {"E3S3": 1.0, "E2S3": 0.9, "1E": 0.1}
    case = Case({}, ["a", "b"])
    name = f"genP(quantisation={path})@1"
    found = case.scores(case.run(["a"]), case.judged(code={"a": "E2S3", "b": "E3S3"}), [name])
    assert found[name] == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("E3S3,1\nE2S9,1\n", r"bad.csv:2: expected a code such as E2S3 or 3E, found 'E2S9'; did you mean"),
        ("E3S3,much\n", "bad.csv:1: expected a number after the comma, found 'much'"),
        ("E3S3,1\nE3S3,1\n", "bad.csv:2: E3S3 already has a value"),
        ("E3S3,-1\n", "bad.csv:1: expected a value of at least 0"),
        ("# nothing\n", "bad.csv: expected lines such as E3S3,1"),
    ],
)
def test_a_bad_quantisation_file_is_refused(tmp_path, text, complaint) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(dx.InputError, match=complaint):
        read_quantisation(str(path))


def test_results_in_unknown_documents_and_nodes_use_their_rank() -> None:
    case = Case({}, ["a", "b"])
    run = [
        {"topic": "t", "doc": "nowhere", "rank": 1, "start": 0, "end": 9},
        {"topic": "t", "doc": "d", "rank": 2, "node": "no-such-node"},
        {"topic": "t", "doc": "d", "rank": 3, "node": "a"},
    ]
    with pytest.warns(dx.DoxevalWarning):
        found = case.scores(
            run, case.judged(rel={"a": 1}), ["PRUM(r=1,universe=9)", "genP@3", "GRP(recall=1)"]
        )
    assert found == pytest.approx({"PRUM(r=1,universe=9)": 1 / 3, "genP@3": 1 / 3, "GRP(recall=1)": 1 / 3})


def test_the_model_given_for_all_measures_is_used_where_none_is_named() -> None:
    case = Case({"documents": NODES})
    qrels, run = case.judged(rel={"p1": 1}), case.run(["s1"])
    scores = dx.evaluate(
        {"run": run},
        qrels,
        ["EPRUM(r=1)", "EPRUM(r=1,nav=none)"],
        documents=case.documents,
        navigation="hierarchical",
    )
    assert scores.value("run", "EPRUM(r=1)") == pytest.approx(0.5)
    assert scores.value("run", "EPRUM(r=1,nav=none)") == 0


def test_plain_values_have_exact_coverage() -> None:
    """ERR's reader minds the coverage of where he is: a plain value tells E, be it 0, in every measure."""
    docs = [
        {"doc": "d", "length": 100, "nodes": [
            {"id": "r", "parent": None, "tag": "a", "start": 0, "end": 100},
            {"id": "s", "parent": "r", "tag": "sec", "start": 0, "end": 25},
        ]},
    ]  # fmt: skip
    qrels = [
        {"topic": "t", "doc": "d", "node": "r", "rel": 0},
        {"topic": "t", "doc": "d", "node": "s", "rel": 1},
    ]
    run = dx.read_run([{"topic": "t", "doc": "d", "rank": 1, "node": "r"}], name="run")
    scores = dx.evaluate(run, qrels, "ERRU@1 NearMisses@1", docs, "err")
    for name in ("ERRU@1", "NearMisses@1"):
        assert scores.value("run", name) == pytest.approx(0.25 ** (7 / 8))
