"""What bears on the numbers stands with them: under every table, on the scores, every time."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import doxeval as dx
from doxeval.cli import group

TEXT = "Press the red button twice. Then wait for the green light."
GOLD = [{"topic": f"q{at}", "doc": "manual", "start": 0, "end": 27} for at in range(12)]
RUN = [{"topic": f"q{at}", "doc": "manual", "rank": 1, "start": 0, "end": 27} for at in range(10)]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    write(tmp_path / "gold.jsonl", GOLD)
    write(tmp_path / "run.jsonl", RUN)
    write(tmp_path / "other.jsonl", [row | {"end": 20} for row in RUN])
    write(tmp_path / "third.jsonl", [row | {"end": 10} for row in RUN])
    write(tmp_path / "docs.jsonl", [{"doc": "manual", "text": TEXT}])
    return tmp_path


def write(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def call(files: Path, *arguments: str) -> Result:
    paths = [str(files / one) if (files / one).exists() and one else one for one in arguments]
    return CliRunner().invoke(group, paths)


def test_the_second_call_says_it_too() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("once")
        for _ in range(2):
            scores = dx.evaluate(RUN, GOLD, "iR@1")
            assert "run: 2 of 12 topics have no results (q10; q11)" in repr(scores)
            assert "have no results" in scores._repr_html_()
            assert any("have no results" in str(notice) for notice in scores.notices)


@pytest.mark.parametrize("form", ["table", "md", "latex"])
@pytest.mark.parametrize("command", ["eval", "compare"])
def test_warnings_stand_with_the_numbers(files: Path, command: str, form: str) -> None:
    """All that a strict run fails on: here a topic that was not assessed, and runs over other topics."""
    more = [*RUN, {"topic": "q99", "doc": "manual", "rank": 1, "start": 0, "end": 9}]
    write(files / "run.jsonl", more)
    write(files / "other.jsonl", RUN[:7])
    given = ("run.jsonl", "other.jsonl", "-q", "gold.jsonl", "-m", "iR@1", "--topics", "run", "-f", form)
    done = call(files, command, *given, "-o", str(files / "out"), "--quiet")
    said = " ".join((files / "out").read_text().replace("%", "").split())
    assert done.exit_code == 0 and "1 topic without assessments is ignored (q99)" in said
    assert command == "compare" or "runs are averaged over different numbers of topics: 7, 10" in said
    with pytest.warns(dx.DoxevalWarning):
        scores = dx.evaluate({"run": more, "other": RUN[:7]}, GOLD, "iR@1", topics="run")
    assert {str(one) for one in scores.notices.failures} <= set(str(scores).splitlines())


def test_what_could_not_be_located_stands_under_the_table_twice() -> None:
    def lost(question: str) -> list[dict]:
        return [
            {"doc": "manual", "text": "Press the red button twice."},
            {"doc": "manual", "text": "Nobody said so."},
        ]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(2):
            scores = dx.score_retriever(lost, {"q0": "?"}, GOLD, "iR@2", {"manual": TEXT})
            assert "1 of 2 chunks (50.0%) was not found in its document" in repr(scores)


def test_no_document_meets() -> None:
    with pytest.warns(dx.DoxevalWarning, match="no document of the run was assessed"):
        scores = dx.evaluate([row | {"doc": "elsewhere"} for row in RUN], GOLD, "iR@1")
    assert "the run has 'elsewhere', the assessments have 'manual'" in repr(scores)
    assert scores.value("run", "iR@1") == 0


@pytest.mark.parametrize(
    "command",
    [
        ("eval", "run.jsonl", "--qrels", "gold.jsonl", "-m", "iR@1"),
        ("eval", "run.jsonl", "--qrels", "gold.jsonl", "-m", "iR@1", "-f", "md"),
        ("eval", "run.jsonl", "--qrels", "gold.jsonl", "-m", "iR@1", "-f", "csv"),
        ("compare", "run.jsonl", "other.jsonl", "--qrels", "gold.jsonl", "-m", "iR@1"),
        ("gate", "run.jsonl", "--baseline", "other.jsonl", "--qrels", "gold.jsonl", "-m", "iR@1"),
        ("report", "run.jsonl", "--qrels", "gold.jsonl", "-m", "iR@1", "-o", "report.html"),
        ("budget", "run.jsonl", "--qrels", "gold.jsonl"),
        ("budget", "run.jsonl", "--qrels", "gold.jsonl", "-f", "md"),
        ("diagnose", "run.jsonl", "--qrels", "gold.jsonl", "-m", "iR@1"),
        ("explain", "--run", "run.jsonl", "--qrels", "gold.jsonl", "--topic", "q1"),
        ("explain", "--run", "run.jsonl", "--qrels", "gold.jsonl", "--topic", "q1", "-f", "json"),
        ("plot", "run.jsonl", "--qrels", "gold.jsonl", "-o", "curve.svg"),
        ("plot", "run.jsonl", "--qrels", "gold.jsonl", "--figure", "means", "-o", "means.svg"),
        ("plot", "run.jsonl", "other.jsonl", "-q", "gold.jsonl", "--figure", "differences", "-o", "all.svg"),
        ("correlate", "run.jsonl", "other.jsonl", "third.jsonl", "--qrels", "gold.jsonl", "-m", "iR@1 CE@1"),
        ("correlate", "run.jsonl", "other.jsonl", "third.jsonl", "--qrels", "gold.jsonl", "-m", "iR@1 CE@1",
         "--heatmap", "map.svg"),
        ("study", "stability", "run.jsonl", "other.jsonl", "--qrels", "gold.jsonl", "-m", "iR@1",
         "-o", "study"),
        ("study", "discrimination", "run.jsonl", "other.jsonl", "--qrels", "gold.jsonl", "-m", "iR@1",
         "-o", "study"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_every_command_says_it(
    files: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    result = call(files, *command)
    assert result.exit_code == 0, result.output
    made = [files / name for name in command if name.endswith((".html", ".svg"))]
    made += sorted((files / "study").glob("*.md")) if command[0] == "study" else []
    printed = result.output if command[0] == "gate" or "csv" in command else result.stdout
    for written in [path.read_text() for path in made] or [printed]:
        plain = written if command[0] == "report" else " ".join(re.sub("<[^>]*>", " ", written).split())
        assert "2 of 12 topics have no results" in plain


def test_refused_assessments_fail_unless_told_to_go_on(files: Path) -> None:
    write(files / "gold.jsonl", [*GOLD, {"topic": "q1", "doc": "manual", "start": 9, "end": 3}])
    for command in (
        ("eval", "run.jsonl"), ("compare", "run.jsonl", "other.jsonl"),
        ("gate", "run.jsonl", "--baseline", "other.jsonl"), ("correlate", "run.jsonl", "other.jsonl"),
    ):  # fmt: skip
        given = (*command, "--qrels", "gold.jsonl", "-m", "iR@1 iP@1")
        result = call(files, *given)
        assert result.exit_code != 0 and "gold.jsonl:13" in str(result.exception), command
        assert "--keep-going" in str(result.exception)
        assert "gold.jsonl:13" not in str(call(files, *given, "--keep-going").exception)
    kept = call(files, "eval", "run.jsonl", "--qrels", "gold.jsonl", "-m", "iR@1", "--keep-going")
    assert kept.exit_code == 0 and "1 line refused" in kept.output


@pytest.mark.parametrize("read", [dx.read_run, dx.read_assessments])
def test_every_line_refused_is_an_error(read) -> None:
    with pytest.raises(dx.InputError, match="nothing is left"):
        read([{"topic": "t", "doc": "d", "start": 5, "end": 1}])


def test_a_run_can_say_that_a_topic_was_asked_in_vain(tmp_path: Path) -> None:
    rows = [*RUN[:2], {"topic": "q7"}]
    write(tmp_path / "run.jsonl", rows)
    for run in (dx.read_run(rows), dx.read_run(tmp_path / "run.jsonl")):
        assert (len(run), run.topics) == (2, ["q0", "q1", "q7"])
        scores = dx.evaluate(run, GOLD, "iR@1", topics="run")
        assert scores.value(run.name, "iR@1") == pytest.approx(2 / 3)
    for target in ("again.jsonl", "again.parquet"):
        dx.convert(tmp_path / "run.jsonl", tmp_path / target, kind="run")
        again = dx.read_run(tmp_path / target)
        assert (len(again), again.topics) == (2, ["q0", "q1", "q7"])


def test_results_given_as_text_are_located_on_the_command_line_or_refused(files: Path) -> None:
    found = {"doc": "manual", "rank": 1}
    wording = "red button twice. Then wait"
    for text in ("text", "content", "page_content"):
        write(files / "run.jsonl", [{"topic": f"q{at}", text: wording} | found for at in range(12)])
        given = ("eval", "run.jsonl", "--qrels", "gold.jsonl", "-m", "iR@1 iP@1")
        refused = call(files, *given)
        assert refused.exit_code != 0 and "--docs" in str(refused.exception)
        result = call(files, *given, "--docs", "docs.jsonl")
        assert result.exit_code == 0 and "0.6296  0.6296" in result.output
    assert "as text" in str(call(files, "convert", "run.jsonl", "out.fol").exception)


def test_texts_without_a_document_are_looked_for_everywhere(files: Path) -> None:
    run = [{"topic": "q0", "rank": 1, "text": "red button twice. Then wait"}]
    assert dx.evaluate(run, GOLD[:1], "iR@1", {"manual": TEXT}).value("run", "iR@1") == pytest.approx(17 / 27)


@pytest.mark.parametrize("key", ["quote", "answer", "text"])
def test_gold_by_its_usual_names(key: str) -> None:
    gold = [{"topic": "q0", "doc": "manual", key: "Press the red button twice."}]
    assert dx.evaluate(RUN[:1], gold, "iR@1", {"manual": TEXT}).value("run", "iR@1") == 1.0


def test_text_beside_a_range_is_no_quote() -> None:
    gold = [{"topic": "q0", "doc": "manual", "start": 0, "end": 27, "text": "whatever", "answer": "Twice."}]
    with pytest.raises(dx.InputError, match="could both be the 'quote'"):
        dx.read_assessments(gold)
    del gold[0]["answer"]
    assert dx.read_assessments(gold).quotes is None


def test_chunks_that_meet_nothing_are_told(files: Path) -> None:
    write(files / "chunks.jsonl", [{"doc": "elsewhere", "start": 0, "end": 5}])
    with pytest.warns(dx.DoxevalWarning, match="chunks: no document of the chunks was assessed"):
        scores = dx.evaluate(RUN, GOLD, "IoUomega", chunks=str(files / "chunks.jsonl"))
    assert "the chunks have 'elsewhere', the assessments have 'manual'" in repr(scores)
