"""`doxeval eval` as a user meets it: outputs, warnings, exit codes, pipes, interruptions."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group

QRELS = """\
t1 Q0 d1 30 100 0 10:30
t1 Q0 d2 0 50
t2 Q0 d3 20 40 0 0:20
t3 Q0 d3 0 40
"""
FIRST = """\
t1 Q0 d1 1 3.0 sys 0 40
t1 Q0 d9 2 2.0 sys 0 10
t2 Q0 d3 1 3.0 sys 10 10
"""
SECOND = "t1 Q0 d1 1 3.0 sys 10 30\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "first.fol").write_text(FIRST)
    (tmp_path / "second.fol").write_text(SECOND)
    return tmp_path


def doxeval(
    *arguments: str, folder: Path, stdin: str | None = None, **environment
) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "doxeval", *arguments],
        cwd=folder, input=stdin, capture_output=True, text=True, env=os.environ | environment, timeout=60,
    )  # fmt: skip


def evaluate(folder: Path, *arguments: str, **more) -> subprocess.CompletedProcess:
    return doxeval("eval", "--qrels", "qrels.txt", *arguments, folder=folder, **more)


def test_a_table_for_people(files: Path) -> None:
    done = evaluate(files, "first.fol", "second.fol", "-m", "iP@1 iR@1")
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout == (
        "- `first` leads by iP@1 (0.8750), 0.3750 ahead of `second`; that may be chance (randomisation test, "
        "level 0.05).\n\n"
        "run       iP@1     iR@1\n"
        "first   0.8750*  0.7500*\n"
        "second  0.5000   0.5000\n"
        "mean over 2 topics; 1 more has no value: nothing relevant, or less than required; * best value\n"
        "second.fol: 1 of 2 topics has no results (t2)\n"
        "1 run has results in documents not judged for the topic, which count as irrelevant (first 33.3%)\n"
    )


def test_quiet_leaves_the_verdict_out(files: Path) -> None:
    done = evaluate(files, "first.fol", "second.fol", "-m", "iP@1 iR@1", "--quiet")
    assert done.stdout.startswith("run ") and done.stderr == ""


def test_measures_are_chosen_that_suit_the_assessments_and_that_is_said(files: Path) -> None:
    done = doxeval("eval", "first.fol", "second.fol", "-q", "qrels.txt", folder=files)
    assert done.returncode == 0
    assert "no measure was named, and the assessments highlight text: scored by iR@2000c AiP" in done.stderr
    assert "AiP" in done.stdout and "iR@2000c" in done.stdout


@pytest.mark.parametrize("key", ["iP@1", "CE@1", "name"])
def test_the_best_run_comes_first_where_sorted(files: Path, key: str) -> None:
    (files / "third.fol").write_text(SECOND)
    measure = "CE@1" if key == "CE@1" else "iP@1"
    done = evaluate(files, "third.fol", "second.fol", "first.fol", "-m", measure, "--sort", key, "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    values = [float(row["value"]) for row in rows]
    if key == "name":
        assert [row["run"] for row in rows] == ["first", "second", "third"]
    else:
        assert values == sorted(values, reverse=key == "iP@1")


def test_csv_has_full_precision_and_empty_for_undefined(files: Path) -> None:
    done = evaluate(files, "first.fol", "-m", "iP@2", "--per-topic", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["run"], row["topic"], row["measure"]) for row in rows] == [
        ("first", topic, "iP@2") for topic in ("t1", "t2", "t3", "all")
    ]
    assert [row["value"] for row in rows] == ["0.6", "1.0", "", "0.8"]


@pytest.mark.parametrize("form", ["jsonl", "json", "parquet", "md", "latex", "csv", "table"])
def test_every_form_holds_the_same_numbers(files: Path, form: str) -> None:
    done = evaluate(
        files, "first.fol", "second.fol", "-m", "iP@2", "--per-topic", "-f", form, "-o", f"out.{form}"
    )
    assert done.returncode == 0 and done.stdout == ""
    content = (files / f"out.{form}").read_bytes()
    if form in ("jsonl", "json"):
        rows = [json.loads(line) for line in content.splitlines()] if form == "jsonl" else json.loads(content)
        assert [row["value"] for row in rows] == [0.6, 1.0, None, 0.8, 1.0, 0.0, None, 0.5]
    elif form == "parquet":
        import polars

        frame = polars.read_parquet(files / "out.parquet")
        assert frame.columns == ["run", "topic", "measure", "value"]
        assert frame["value"].to_list() == [0.6, 1.0, None, 0.8, 1.0, 0.0, None, 0.5]
    else:
        assert b"0.8" in content and b"second" in content


def test_the_suffix_of_the_output_tells_the_form(files: Path) -> None:
    evaluate(files, "first.fol", "-m", "iP@2", "-o", "scores.csv")
    assert (files / "scores.csv").read_text().startswith("run,topic,measure,value\n")


def test_topics_of_the_run_only(files: Path) -> None:
    whole = evaluate(files, "second.fol", "-m", "iP@1", "-f", "csv")
    own = evaluate(files, "second.fol", "-m", "iP@1", "-f", "csv", "--topics", "run")
    assert whole.stdout.splitlines()[-1].endswith(",0.5") and own.stdout.splitlines()[-1].endswith(",1.0")
    both = evaluate(files, "first.fol", "second.fol", "-m", "iP@1", "--topics", "run")
    assert "runs are averaged over different numbers of topics: 1, 2" in both.stdout


def test_a_run_from_standard_input(files: Path) -> None:
    done = evaluate(files, "-", "-m", "iP@1", stdin=FIRST)
    assert done.stdout.splitlines()[1].split() == ["stdin", "0.8750"]


@pytest.mark.parametrize("pattern", ["*.fol", "?*[td].fol", "[fs]*.fol", "[fs]?*.fol", "**/*.fol"])
def test_patterns_that_the_shell_left_alone(files: Path, pattern: str) -> None:
    done = evaluate(files, pattern, "-m", "iP@1", "--quiet")
    assert [line.split()[0] for line in done.stdout.splitlines()[1:3]] == ["first", "second"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("frist.fol", "-m", "AiP"), "frist.fol: no such file; did you mean 'first.fol'"),
        (("first.fol", "-m", "Aip"), "did you mean 'AiP'"),
        (("first.fol", "-m", ""), "no measure is named"),
        (
            ("first.fol", "-m", "AiP", "--sort", "iP@1"),
            "these scores have no measure 'iP@1'",
        ),
        (("first.fol", "-m", "AiP", "--run-format", "inex-fool"), "did you mean 'inex-fol'"),
        (("first.fol", "-m", "AiP", "-o", "nowhere/out.csv"), "nowhere/out.csv: cannot be written"),
        (("qrels.txt", "-m", "AiP"), "not recognised as run"),
        ((".", "-m", "AiP"), "is a folder"),
    ],
)
def test_mistakes_are_told_without_a_traceback(files: Path, arguments: tuple[str, ...], says: str) -> None:
    done = evaluate(files, *arguments)
    assert done.returncode == 2
    assert says in done.stderr and "Traceback" not in done.stderr
    assert done.stdout == ""


def test_good_lines_survive_bad_ones_and_strict_fails(files: Path) -> None:
    (files / "broken.fol").write_text(FIRST + "t1 Q0 d1 two 1.0 sys 0 10\n")
    easy = evaluate(files, "broken.fol", "-m", "iP@1")
    assert easy.returncode == 0
    assert "1 line refused, expected an integer as field 4 (rank)" in easy.stdout
    assert "broken.fol:4: found 't1 Q0 d1 two 1.0 sys 0 10'" in easy.stdout and easy.stderr == ""
    assert "0.8750" in easy.stdout
    strict = evaluate(files, "broken.fol", "-m", "iP@1", "--strict")
    assert strict.returncode == 1 and "0.8750" in strict.stdout


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ({"set": ("one", "two")}, "1 topic can be answered by any one of several sets of places, 2 in all"),
        ({"assessor": ("ann", "bob")}, "2 assessors have judged; what any of them marked counts"),
    ],
)
def test_what_is_only_worth_knowing_is_told_and_does_not_fail_a_strict_run(
    tmp_path: Path, labels: dict[str, tuple[str, str]], told: str
) -> None:
    rows = [{"topic": "t", "doc": doc, "start": 0, "end": 10} for doc in "ab"]
    gold = [row | {key: values[at] for key, values in labels.items()} for at, row in enumerate(rows)]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold))
    (tmp_path / "run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = doxeval("eval", "run.jsonl", "-q", "gold.jsonl", "-m", "iP@1", "--strict", folder=tmp_path)
    assert done.returncode == 0 and told in done.stdout and done.stderr == ""


def test_several_jobs_give_the_same_numbers(files: Path) -> None:
    arguments = ("first.fol", "second.fol", "-m", "AiP iP[0.01] iR@5", "--per-topic", "-f", "csv")
    assert evaluate(files, *arguments, "--jobs", "2").stdout == evaluate(files, *arguments).stdout


def test_a_closed_pipe_is_no_error(files: Path) -> None:
    command = f"{sys.executable} -m doxeval eval --qrels qrels.txt first.fol -m AiP --per-topic | head -1"
    done = subprocess.run(["bash", "-c", command], cwd=files, capture_output=True, text=True)
    assert done.stdout.startswith("run") and "Traceback" not in done.stderr


def test_interruption_leaves_no_half_written_file(files: Path) -> None:
    os.mkfifo(files / "slow.fol")
    (files / "out.csv").write_text("precious\n")
    arguments = ["--qrels", "qrels.txt", "slow.fol", "-m", "AiP", "-o", "out.csv"]
    started = subprocess.Popen(
        [sys.executable, "-m", "doxeval", "eval", *arguments], cwd=files, stderr=subprocess.PIPE, text=True
    )
    pipe = os.open(files / "slow.fol", os.O_WRONLY)
    try:
        os.write(pipe, FIRST.encode())
        time.sleep(0.2)
        started.send_signal(signal.SIGINT)
        _, told = started.communicate(timeout=30)
    finally:
        os.close(pipe)
        started.kill()
    assert started.returncode == 130
    assert "interrupted" in told and "Traceback" not in told
    assert (files / "out.csv").read_text() == "precious\n"
    assert sorted(path.name for path in files.iterdir()) == [
        "first.fol",
        "out.csv",
        "qrels.txt",
        "second.fol",
        "slow.fol",
    ]


def test_python_and_command_line_agree(files: Path) -> None:
    done = evaluate(files, "first.fol", "-m", "AiP iP@2", "--per-topic", "-f", "jsonl")
    scores = dx.evaluate(files / "first.fol", files / "qrels.txt", "AiP iP@2")
    rows = [tuple(json.loads(line).values()) for line in done.stdout.splitlines()]
    assert rows == list(scores.rows(per_topic=True))


def test_differences_from_a_baseline_stand_beside_the_values(tmp_path: Path) -> None:
    gold = [{"topic": t, "doc": "d", "start": 0, "end": 10} for t in ("t1", "t2")]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold))
    for name, end in (("old", 5), ("new", 8)):
        rows = [row | {"rank": 1, "end": end} for row in gold]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = [str(tmp_path / name) for name in ("old.jsonl", "new.jsonl", "gold.jsonl")]
    words = ["eval", *files[:2], "-q", files[2], "-m", "iR@1", "--quiet", "-b", "old"]
    done = CliRunner().invoke(group, words)
    assert done.stdout.splitlines()[:3] == [
        "run    iR@1",
        "new  0.8000 [+0.3000]*",
        "old  0.5000 [+0.0000]",
    ]
    assert "in brackets: the difference from `old`" in done.stdout
    assert "did you mean 'old'" in str(CliRunner().invoke(group, [*words[:-1], "odl"]).exception)
    assert "--baseline would do nothing" in str(CliRunner().invoke(group, [*words, "-f", "csv"]).exception)


def test_a_pattern_with_two_stars_looks_into_folders_of_folders(files: Path) -> None:
    inner = files / "runs" / "of" / "today"
    inner.mkdir(parents=True)
    for name in ("first", "second"):
        (files / f"{name}.fol").rename(inner / f"{name}.fol")
    done = evaluate(files, "runs/**/*.fol", "-m", "iP@1", "--quiet")
    assert [line.split()[0] for line in done.stdout.splitlines()[1:3]] == ["first", "second"]
    kept = (inner / "first.fol").read_text()
    over = evaluate(files, "runs/**/*.fol", "-m", "iP@1", "-o", str(inner / "first.fol"))
    assert over.returncode != 0 and (inner / "first.fol").read_text() == kept
