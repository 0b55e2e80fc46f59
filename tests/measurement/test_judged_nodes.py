"""What counts where nodes were judged: one rule for all measures of text, one for each default."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.measurement.base import Measure, measure_named, measures
from doxeval.measurement.describe import describe, list_measures
from doxeval.scoring.evaluation import Evaluation
from tests.measurement.test_invariants import DOCUMENTS

CODES = [
    {"topic": "t", "doc": "d0", "node": "s0", "code": "E1S1"},
    {"topic": "t", "doc": "d0", "node": "p10", "code": "E3S3"},
    {"topic": "t", "doc": "d1", "node": "p00", "code": "E0S0"},
]
OLD_CODES = [
    {"topic": "t", "doc": "d0", "node": "s0", "code": "1L"},
    {"topic": "t", "doc": "d0", "node": "p10", "code": "3E"},
]
GRADES = [
    {"topic": "t", "doc": "d0", "node": "s0", "rel": 0.25},
    {"topic": "t", "doc": "d0", "node": "p10", "rel": 1},
]
PLAIN = [
    {"topic": "t", "doc": "d0", "node": "s0", "rel": 1},
    {"topic": "t", "doc": "d0", "node": "p10", "rel": 1},
    {"topic": "t", "doc": "d1", "node": "p00", "rel": 0},
]
DEGREES = {"codes": CODES, "old codes": OLD_CODES, "grades": GRADES}
RUN = [
    {"topic": "t", "doc": "d0", "rank": 1, "node": "s0"},
    {"topic": "t", "doc": "d0", "rank": 2, "node": "p10"},
    {"topic": "t", "doc": "d1", "rank": 3, "node": "p00"},
]
EXTENT = {node["id"]: (node["start"], node["end"]) for node in DOCUMENTS[0]["nodes"]}


def ranges(*nodes: str, judged: Sequence[dict] = ()) -> list[dict]:
    """The text of nodes of d0, highlighted, and the documents in which something was judged."""
    found = [{"topic": "t", "doc": "d0", "start": EXTENT[one][0], "end": EXTENT[one][1]} for one in nodes]
    return found + [{"topic": "t", "doc": doc} for doc in {row["doc"] for row in judged} - {"d0"}]


GROUND = Evaluation(PLAIN, "PRUM", DOCUMENTS).ground


def of_text(name: str) -> bool:
    """Whether a measure, as it is typed, looks at text where nodes were judged."""
    return measure_named(name).reads_highlights(GROUND)


SAMPLES = [text for one in measures().values() if not one.needs - {"tree"} for text in one.samples()]
TEXT = [text for text in SAMPLES if of_text(text)]
NODES = [text for text in SAMPLES if not of_text(text)]


def values(qrels: list[dict], names: list[str], **options: str) -> dict[str, float | None]:
    scores = dx.evaluate({"run": RUN}, qrels, names, DOCUMENTS, **options)
    return {name: scores.value("run", name) for name in names}


def test_both_kinds_of_measures_are_among_them() -> None:
    assert set(TEXT) >= {"iP@10", "AiP", "gP(score=F(beta=0.25))@10", "CE(screen=300)@10"}
    assert set(NODES) >= {"PRUM(recall=0.5)", "nXCG@10", "SR@10", "SRiP@10", "Judged@10"}


@pytest.mark.parametrize("kind", DEGREES)
def test_measures_of_text_refuse_nodes_judged_by_degrees(kind: str, tmp_path: Path) -> None:
    """Before any run is read."""
    (tmp_path / "run.jsonl").write_text("{ no run\n")
    for name in [*TEXT, "ESRP(mode=text)@3", "PRUM(ideals=cover)"]:
        with pytest.raises(dx.UsageError, match="--highlighted strict"):
            dx.evaluate(tmp_path / "run.jsonl", DEGREES[kind], name, DOCUMENTS)


@pytest.mark.parametrize("kind", DEGREES)
def test_measures_of_nodes_take_them(kind: str) -> None:
    assert None not in values(DEGREES[kind], [*NODES, "AP", "nDCG@3"]).values()


@pytest.mark.parametrize("kind", DEGREES)
@pytest.mark.parametrize(("highlighted", "nodes"), [("strict", ["p10"]), ("any", ["s0", "p10"])])
def test_highlighted_says_which_nodes_are_text(kind: str, highlighted: str, nodes: list[str]) -> None:
    found = values(DEGREES[kind], TEXT, highlighted=highlighted)
    assert found == values(ranges(*nodes, judged=DEGREES[kind]), TEXT)


def test_plain_judged_nodes_are_highlighted_whole() -> None:
    assert values(PLAIN, TEXT) == values(ranges("s0", "p10", judged=PLAIN), TEXT)


@pytest.mark.parametrize(
    ("qrels", "measure", "told"),
    [
        (PLAIN, "iP@1", "the assessments have none"),
        (ranges("s0"), "iP@1", "the assessments have none"),
        (CODES, "PRUM", "none of the measures uses text"),
    ],
)
def test_highlighted_is_refused_where_it_would_do_nothing(qrels, measure: str, told: str) -> None:
    with pytest.raises(dx.UsageError, match=told):
        dx.evaluate({"run": RUN}, qrels, measure, DOCUMENTS, highlighted="any")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files: dict[str, list[dict]] = {"run": RUN, "other": RUN[::-1], "qrels": CODES, "docs": DOCUMENTS}
    for name, rows in files.items():
        ranked = [row | ({"rank": at} if "rank" in row else {}) for at, row in enumerate(rows, 1)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ranked))
    monkeypatch.chdir(tmp_path)
    return tmp_path


GIVEN = ["run.jsonl", "other.jsonl", "-q", "qrels.jsonl", "-d", "docs.jsonl", "-m", "iP@1"]
COMMANDS = {
    "eval": ["eval", *GIVEN],
    "compare": ["compare", *GIVEN],
    "correlate": ["correlate", "-m", "iR@1", *GIVEN],
    "report": ["report", *GIVEN, "-o", "report.html"],
    "gate": ["gate", "run.jsonl", "--baseline", "other.jsonl", *GIVEN[2:]],
    "budget": ["budget", *GIVEN[:-2]],
    "explain": ["explain", "--run", "run.jsonl", "--topic", "t", *GIVEN[2:]],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_codes_and_takes_highlighted(folder: Path, command: str) -> None:
    refused = CliRunner().invoke(group, COMMANDS[command])
    assert "--highlighted strict" in str(refused.exception)
    done = CliRunner().invoke(group, [*COMMANDS[command], "--highlighted", "strict"])
    assert "--highlighted" not in str(done.exception)
    assert done.exit_code != 2 or command == "gate", done.output


def test_a_store_keeps_the_two_readings_apart(folder: Path) -> None:
    found = []
    for highlighted in ("strict", "any", "strict"):
        more = ["--highlighted", highlighted, "--store", "kept", "-f", "csv"]
        found.append(CliRunner().invoke(group, ["eval", *GIVEN, *more]).stdout)
    assert found[0] == found[2] != found[1]


SIZED = ("SRiP", "SRiR", "SRiP2", "SRiR2", "ASRiP", "ASRiP2", "NSRCG", "NSRCG2")
GRADED = ("Hits", "NearMisses", "Misses", "RecallBase", "ESRP", "ESRR", "AESRP")


def relevance_of(name: str, qrels: list[dict]) -> str:
    measure: Any = measure_named(name)
    return measure.reader(Evaluation(qrels, "PRUM", DOCUMENTS).ground).rel


@pytest.mark.parametrize("qrels", [CODES, GRADES, PLAIN])
def test_what_auto_means_on_judged_nodes(qrels) -> None:
    assert {relevance_of(name, qrels) for name in SIZED} == {"length"}
    assert {relevance_of(name, qrels) for name in GRADED} == {"grade"}
    assert relevance_of("SRPRUM", qrels) == "binary"


def test_the_specificity_of_a_code_scales_the_length() -> None:
    """s0 has 20 characters, a third of them relevant; p10 has 10."""
    run = [{"topic": "t", "doc": "d0", "rank": 1, "node": "s0"}]
    for qrels in (CODES, OLD_CODES):
        scores = dx.evaluate({"run": run}, qrels, "SRiP@1 SRiR@1", DOCUMENTS)
        assert scores.value("run", "SRiP@1") == pytest.approx(1 / 3)
        assert scores.value("run", "SRiR@1") == pytest.approx((20 / 3) / (20 / 3 + 10))


def test_nested_nodes_of_a_tree_count_once_where_sizes_do() -> None:
    tree = {"topic": "t", "doc": "d0", "nodes": ["s0", "p00"]}
    for size in ("sum", "union"):
        name = f"SRiP(size={size})@1"
        scores = dx.evaluate({"run": [tree | {"rank": 1}]}, [tree | {"rel": 1}], name, DOCUMENTS)
        assert scores.value("run", name) == 1


@pytest.mark.parametrize("measure", measures().values(), ids=lambda m: m.name)
def test_what_auto_means_is_told(measure: type[Measure]) -> None:
    automatic = {p.name for p in measure.parameters if p.default == "auto"}
    assert set(measure.auto()) == automatic
    for meaning in measure.auto().values():
        assert f"auto: {meaning}" in describe(measure.name)
        assert f"=auto: {meaning}" in list_measures(every=True)
