"""Hypothetical systems against their definitions, on random trees; the studies that compare them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.cli import group
from doxeval.ground.ground import prepare_ground
from doxeval.lab.studies.papers.err_tables import relevant_units
from doxeval.lab.studies.papers.material import Size, Synthetic, coded_assessments
from doxeval.lab.studies.papers.stereotypes import ERR_SYSTEMS, PRUM_SYSTEMS, stereotypes
from doxeval.lab.studies.study import study_papers
from doxeval.reader.units_sought import assessed_elements
from tests.measurement.prum.trees import ancestors, trees

CODES = {"3E": 1, "2E": 0.5, "1E": 0.25, "3L": 0, "1S": 0}


def material(nodes: list[dict], codes: dict[str, str]):
    documents = dx.read_documents([{"doc": "d", "nodes": nodes}])
    judged = [{"topic": "t", "doc": "d", "node": name, "code": code} for name, code in codes.items()]
    return documents, prepare_ground(dx.read_assessments(judged), documents)


def returned(run: dx.Run, documents: dx.Documents) -> list[tuple[str, float]]:
    """The ids of the nodes of a run, in its order, with score or rank."""
    names = [run.nodes.of(row)[0] for row in range(len(run))]
    worth = run.score if run.score is not None else run.rank
    return [
        (documents.node_ids[documents.find(0, name)], float(w)) for name, w in zip(names, worth, strict=True)
    ]


@settings(max_examples=12)
@given(trees(), st.data())
def test_every_system_returns_what_err_says(nodes, data) -> None:
    names = [node["id"] for node in nodes]
    codes = data.draw(st.dictionaries(st.sampled_from(names), st.sampled_from(sorted(CODES)), min_size=1))
    codes[data.draw(st.sampled_from(names))] = "3E"
    documents, ground = material(nodes, codes)
    exact = {name for name, code in codes.items() if code[1] == "E"}
    relevant = [name for name in names if name in exact and not exact & set(ancestors(nodes, name))]
    length = {node["id"]: node["end"] - node["start"] for node in nodes}
    children = {name: [n["id"] for n in nodes if n["parent"] == name] for name in names}
    answers = {
        "perfect": lambda name: [name],
        "document": lambda name: [names[0]],
        "parent": lambda name: ancestors(nodes, name)[:1] or [name],
        "ancestors": lambda name: [name, *ancestors(nodes, name)],
        "biggest child": lambda name: [max(children[name], key=length.get, default=name)],
    }
    for run in stereotypes(ERR_SYSTEMS, ground, relevant_units(ground), ties=True):
        expected: dict[str, float] = {}
        for name in relevant:
            for one in answers[run.name](name):
                expected[one] = max(expected.get(one, 0), CODES[codes[name]])
        found = returned(run, documents)
        assert dict(found) == expected and len(found) == len(expected)
        assert run.rank is None and [score for _, score in found] == sorted(expected.values(), reverse=True)
        if run.name == "perfect":
            judged = [{"topic": "t", "doc": "d", "node": name, "code": code} for name, code in codes.items()]
            assert dx.evaluate(run, judged, "ERRU@9", documents).value("perfect", "ERRU@9") == pytest.approx(
                1
            )


@settings(max_examples=12)
@given(trees(), st.data())
def test_prums_engines_list_ideals_before_or_after_their_ancestors(nodes, data) -> None:
    names = [node["id"] for node in nodes]
    ideal = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    documents, ground = material(nodes, dict.fromkeys(ideal, "E3S3"))
    elements = assessed_elements(ground, quantisation="strict").positive
    runs = {
        run.name: [name for name, _ in returned(run, documents)]
        for run in stereotypes(PRUM_SYSTEMS, ground, elements, ties=False)
    }
    in_order = [name for name in names if name in ideal]
    assert runs["ideal"] == in_order
    for engine, step in (("good", 1), ("bad", -1)):
        steps = [one for name in in_order for one in [name, *ancestors(nodes, name)][::step]]
        assert runs[engine] == list(dict.fromkeys(steps))
    above = [[name, *ancestors(nodes, name)] for name in ideal]
    assert runs["entry point"] == [next(one for one in above[0] if all(one in line for line in above))]


def test_nothing_is_derived_if_nothing_is_ideal() -> None:
    _, ground = material([{"id": "a", "parent": None, "start": 0, "end": 9}], {"a": "3L"})
    with pytest.raises(dx.UsageError, match="no node was judged ideal"):
        stereotypes(ERR_SYSTEMS, ground, relevant_units(ground), ties=True)


def test_highlights_become_codes() -> None:
    nodes = [
        {"id": "a", "parent": None, "start": 0, "end": 60},
        {"id": "s", "parent": "a", "start": 10, "end": 40},
        {"id": "p", "parent": "s", "start": 10, "end": 20},
        {"id": "q", "parent": "s", "start": 20, "end": 40},
        {"id": "t", "parent": "a", "start": 45, "end": 50},
        {"id": "u", "parent": "a", "start": 52, "end": 55},
    ]
    documents = dx.read_documents([{"doc": "d", "nodes": nodes}])
    places = [(10, 40), (45, 50), (52, 55)]
    marked = dx.read_assessments(
        [{"topic": "t", "doc": "d", "start": start, "end": end} for start, end in places]
    )
    judged = coded_assessments(marked, documents).nodes
    codes = {
        documents.node_ids[documents.find(0, judged.nodes.of(row)[0])]: code
        for row, code in enumerate(judged.code)
    }
    assert codes == {"a": "3L", "s": "3E", "p": "1S", "q": "1S", "t": "2E", "u": "1E"}


@pytest.fixture(scope="module")
def coded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two documents with coded elements."""
    folder = tmp_path_factory.mktemp("coded")
    nodes = [
        ("a", None, 0, 90),
        ("s", "a", 5, 60),
        ("p", "s", 10, 30),
        ("q", "s", 30, 60),
        ("u", "a", 60, 90),
    ]
    rows = [dict(zip(("id", "parent", "start", "end"), node, strict=True)) for node in nodes]
    documents = [{"doc": doc, "nodes": rows} for doc in ("d", "e")]
    codes = [("d", "s", "3E"), ("d", "a", "3L"), ("d", "p", "2S"), ("e", "q", "2E"), ("e", "s", "2L")]
    judged = [{"topic": "t", "doc": doc, "node": node, "code": code} for doc, node, code in codes]
    files: dict[str, list[dict]] = {"docs": documents, "qrels": judged}
    for name, lines in files.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def test_own_assessments_are_enough_and_figures_have_the_scores_of_eval(coded: Path, tmp_path: Path) -> None:
    qrels, docs = (str(coded / f"{name}.jsonl") for name in ("qrels", "docs"))
    command = [
        "study",
        "papers",
        "--paper",
        "err",
        "--paper",
        "prum",
        "-q",
        qrels,
        "-d",
        docs,
        "--no-figures",
    ]
    done = CliRunner().invoke(group, [*command, "--nav", "err(word=1)", "-o", str(tmp_path)])
    assert done.exit_code == 0, (done.output, done.exception)
    with (tmp_path / "err-figure-1.csv").open() as stream:
        ratio = {row["system"]: row for row in csv.DictReader(stream)}
    with (tmp_path / "err-figure-2.csv").open() as stream:
        precision = {row["system"]: row for row in csv.DictReader(stream)}
    assert set(ratio) == set(ERR_SYSTEMS)
    for name in ratio:
        path = tmp_path / f"err-{name.replace(' ', '-')}.jsonl"
        scores = dx.evaluate(path, qrels, "ERRU@1 ERRU@5 GRP(recall=0.3)", docs, "err(word=1)")
        run = scores.names[0]
        assert ratio[name]["1"] == f"{scores.value(run, 'ERRU@1'):.4f}"
        assert ratio[name]["5"] == f"{scores.value(run, 'ERRU@5'):.4f}"
        assert precision[name]["0.3"] == f"{scores.value(run, 'GRP(recall=0.3)'):.4f}"
        assert scores.value(run, "ERRU@5") == dx.evaluate(
            path, tmp_path / "err-qrels.jsonl", "ERRU@5", docs, "err(word=1)"
        ).value(run, "ERRU@5")
    text = (tmp_path / "report.md").read_text()
    assert "PRUM(recall=0.1,nav=err(word=1))" in text and "prum-entry-point.jsonl" in text


def test_synthetic_systems_show_what_err_found(tmp_path: Path) -> None:
    """By GRP, ancestors beat the perfect system; by ERRU they do not."""
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    study_papers(tmp_path, Synthetic(Size(topics=0.1, documents=300), seed=1), ["err"], 1)
    assert all((tmp_path / f"err-figure-{number}.png").stat().st_size > 1000 for number in (1, 2))
    with (tmp_path / "err-order.csv").open() as stream:
        _, *rows = csv.reader(stream)
    places = {row[0]: (float(row[2]), float(row[4])) for row in rows}
    assert places["perfect"][0] == 1 and places["perfect"][1] > places["ancestors"][1]


def test_the_normal_approximation_is_as_good_as_prum_says(tmp_path: Path) -> None:
    study_papers(
        tmp_path,
        Synthetic(Size(topics=0.1, systems=0.1, results=20, documents=300), seed=1),
        ["prum"],
        1,
        figures=False,
    )
    with (tmp_path / "prum-normal.csv").open() as stream:
        errors = {row["elements"]: float(row["mean of the largest error"]) for row in csv.DictReader(stream)}
    assert round(errors["10"], 2) == 0.01
