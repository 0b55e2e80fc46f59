"""The tasks of INEX: what is refused, with which words, and what repairing makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.cli.eval_command import command
from doxeval.ground.tasks.presets import TASKS
from tests.cases import Case, cases

QRELS = [
    {"topic": "1", "doc": "a", "start": 10, "end": 40, "bep": 12, "length": 100},
    {"topic": "1", "doc": "b", "start": 0, "end": 5, "length": 50},
]


def fol(*results: tuple[str, int, int]) -> str:
    """A run in the official format; its ranks say nothing, its order does."""
    lines = (f"1 Q0 {doc} 9 0.5 tag {start} {end - start}\n" for doc, start, end in results)
    return "".join(lines)


@pytest.fixture
def run(tmp_path: Path):
    def write(*results: tuple[str, int, int]) -> str:
        path = tmp_path / "system.fol"
        path.write_text(fol(*results))
        return str(path)

    return write


def complaint(path: str, task: str) -> list[str]:
    with pytest.raises(dx.InputError) as refused:
        dx.evaluate(path, QRELS, task=task)
    return str(refused.value).replace(str(Path(path).parent) + "/", "").splitlines()


def test_overlap_is_refused_with_every_line(run) -> None:
    path = run(("a", 0, 20), ("b", 0, 5), ("a", 15, 30), ("a", 20, 25), ("a", 40, 50))
    lines = complaint(path, "focused")
    assert lines[0].startswith("system.fol: not a run of the focused task")
    assert lines[1:] == [
        "  system.fol:3: topic 1, document a: overlaps the result at system.fol:1",
        "  system.fol:4: topic 1, document a: overlaps the result at system.fol:3",
    ]


def test_scattered_articles_are_refused(run) -> None:
    lines = complaint(run(("a", 0, 20), ("b", 0, 5), ("a", 20, 30), ("b", 6, 8)), "ric")
    assert [line.split(":")[1] for line in lines[1:]] == ["3", "4"]
    assert "is separated from the result of the same document at system.fol:1" in lines[1]


def test_further_entry_points_are_refused(run) -> None:
    lines = complaint(run(("a", 0, 20), ("a", 30, 40)), "bic")
    assert lines[1:] == [
        "  system.fol:2: topic 1, document a: is a further entry point; the first one is at system.fol:1"
    ]


def test_thorough_takes_everything(run) -> None:
    scores = dx.evaluate(run(("a", 0, 20), ("a", 10, 40), ("b", 0, 5)), QRELS, "iP", task="thorough")
    assert scores.value("system", "iP") == pytest.approx(35 / 45)
    full = dx.evaluate(run(("a", 0, 20), ("a", 10, 40), ("b", 0, 5)), QRELS, "iP")
    assert full.value("system", "iP") == pytest.approx(35 / 55)


def test_repairs_are_told_and_make_the_run_legal(run) -> None:
    path = run(("a", 0, 20), ("b", 0, 5), ("a", 15, 30), ("a", 16, 18))
    with pytest.warns(dx.DoxevalWarning) as told:
        scores = dx.evaluate(path, QRELS, "iP iR gP@1", task="ric", fix=True)
    words = " ".join(str(warning.message) for warning in told)
    assert "1 result was moved up" in words
    assert "1 overlapping result was trimmed" in words and "1 result was dropped" in words
    assert scores.value("system", "iP") == pytest.approx(25 / 35)
    assert scores.value("system", "iR") == pytest.approx(25 / 35)


@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
@given(cases(), st.sampled_from(["focused", "ric", "bic", "t2i"]))
def test_a_repaired_run_is_legal_and_shows_the_same_text(case: Case, task: str) -> None:
    from doxeval.ground.align import align
    from doxeval.ground.aligned import Conventions
    from doxeval.ground.ground import prepare_ground

    ground = prepare_ground(dx.read_assessments(case.qrels()))
    conventions = TASKS[task].conventions(Conventions(fix=True))
    fixed = align(dx.read_run(case.run()), ground, conventions)
    for rule in TASKS[task].rules:
        assert not len(rule.find(fixed).result)
    text: dict[str, set[int]] = {}
    for at, (doc, _) in enumerate(case.results):
        if task != "bic" or doc not in text:
            text.setdefault(doc, set()).update(case.shown(at)[1])
    found: dict[str, set[int]] = {doc: set() for doc in text}
    for span, result in enumerate(fixed.result):
        doc = fixed.run.docs[fixed.doc[result]]
        characters = set(range(fixed.start[span], fixed.end[span]))
        if task != "bic":
            assert not characters & found[doc]
        found[doc] |= characters
    assert found == text


def test_the_files_order_rules_and_gp_stays_past_the_end(run) -> None:
    path = run(("b", 0, 5), ("a", 10, 40))
    scores = dx.evaluate(path, QRELS, "gP@1 gP@2 gP@50", task="ric")
    assert [scores.value("system", name) for name in scores.measures] == [1, 1, 1]
    assert dx.evaluate(path, QRELS, "gP@50").value("system", "gP@50") == pytest.approx(2 / 50)


def test_each_task_brings_its_measures_and_topics(run) -> None:
    path = run(("a", 12, 40))
    for task in TASKS:
        scores = dx.evaluate(path, [*QRELS, {"topic": "2", "doc": "a", "start": 0, "end": 5}], task=task)
        assert scores.runs[0].counted.sum() == 1
        assert any(
            name.startswith(("MAiP", "MAgP", "SnipAP", "DocAP", "DistinctP", "LocAP"))
            for name in scores.measures
        )
    entry = dx.evaluate(path, QRELS, task="bic")
    assert entry.value("system", "gP(score=BEP(n=500))@1") == 1
    every = dx.evaluate(
        path, [*QRELS, {"topic": "2", "doc": "a", "start": 0, "end": 5}], task="ric", topics="qrels"
    )
    assert every.runs[0].counted.sum() == 2


def test_on_the_command_line(run, tmp_path: Path) -> None:
    import json

    qrels = tmp_path / "qrels.jsonl"
    qrels.write_text("".join(json.dumps(row) + "\n" for row in QRELS))
    path = run(("a", 0, 20), ("b", 0, 5), ("a", 10, 30))
    refused = CliRunner().invoke(command, [path, "-q", str(qrels), "--task", "ric"])
    assert refused.exit_code != 0 and isinstance(refused.exception, dx.InputError)
    fixed = CliRunner().invoke(command, [path, "-q", str(qrels), "--task", "ric", "--fix"])
    assert fixed.exit_code == 0 and "MAgP" in fixed.stdout and "moved up" in fixed.stderr


def test_mistakes_are_explained(run) -> None:
    with pytest.raises(dx.UsageError, match="did you mean 'focused'"):
        dx.evaluate(run(("a", 0, 5)), QRELS, task="focussed")
    with pytest.raises(dx.UsageError, match="--task"):
        dx.evaluate(run(("a", 0, 5)), QRELS, "AiP", fix=True)


def test_results_that_are_nodes_can_be_grouped() -> None:
    nodes = [
        {"id": "r", "parent": None, "tag": "a", "start": 0, "end": 30},
        {"id": "s", "parent": "r", "tag": "s", "start": 0, "end": 10},
        {"id": "t", "parent": "r", "tag": "s", "start": 10, "end": 30},
    ]
    documents = [{"doc": doc, "length": 30, "nodes": nodes} for doc in "ab"]
    places = [("a", "s"), ("b", "t"), ("a", "t"), ("b", "s")]
    run = [{"topic": "1", "doc": doc, "rank": at, "node": node} for at, (doc, node) in enumerate(places, 1)]
    qrels = [{"topic": "1", "doc": "a", "start": 5, "end": 15}]
    with pytest.warns(dx.DoxevalWarning, match="moved up"):
        scores = dx.evaluate({"r": run}, qrels, "gP@1 iR", documents=documents, task="ric", fix=True)
    assert scores.value("r", "iR") == 1
    assert scores.value("r", "gP@1") == pytest.approx((1 + 1 / 16) * 10 / (10 / 16 + 30))


def test_tasks_of_code_have_the_measures_that_their_papers_report() -> None:
    assert TASKS["contextbench"].measures == "iR DistinctP"
    found = TASKS["locagent"].measures.split()
    assert found[:4] == ["Acc@1", "Acc@3", "Acc@5", "Acc@10"] and len(found) == 20
    assert {name.partition("@")[2] for name in found} == {"1", "3", "5", "10"}
