"""Chunks belong to a run: each is scored by its own, and chunks can be scored without any run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.cli import group

LENGTH = 60
Range = tuple[int, int]
NAMES = ["IoUomega", "IoUomega(touch=false)"]


def brute_force(gold: list[Range], chunks: list[Range], touch: bool) -> float:
    """The IoU of all characters of the chunks that share one with the gold, or also adjoin it."""
    relevant = {at for start, end in gold for at in range(start, end)}
    reach = {at + step for at in relevant for step in ((-1, 0, 1) if touch else (0,))}
    shown = {at for start, end in chunks if reach & set(range(start, end)) for at in range(start, end)}
    return len(relevant & shown) / len(relevant | shown)


ranges = st.tuples(st.integers(0, LENGTH - 2), st.integers(1, 12)).map(
    lambda one: (one[0], min(LENGTH, one[0] + one[1]))
)
several = st.lists(ranges, min_size=1, max_size=6)


def rows(ranges: list[Range], **more: Any) -> list[dict[str, Any]]:
    return [{"doc": "d", "start": start, "end": end} | more for start, end in ranges]


@given(several, st.dictionaries(st.sampled_from(["a", "b", "c"]), several, min_size=1))
def test_every_run_has_the_value_of_its_own_chunks(gold, chunks) -> None:
    assessments = rows(gold, topic="t", length=LENGTH)
    runs = {name: rows([(0, 5)], topic="t", rank=1) for name in chunks}
    given_chunks = {name: rows(of_run) for name, of_run in chunks.items()}
    for scores in (
        dx.evaluate(runs, assessments, NAMES, chunks=given_chunks),
        dx.evaluate([], assessments, NAMES, chunks=given_chunks),
    ):
        for name, of_run in chunks.items():
            for measure, touch in zip(NAMES, (True, False), strict=True):
                assert scores.value(name, measure) == pytest.approx(brute_force(gold, of_run, touch))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chunks").mkdir()
    gold = rows([(10, 20)], length=LENGTH)
    write("gold.jsonl", [row | {"topic": f"t{at}"} for row in gold for at in range(4)])
    for name, size in (("small", 5), ("large", 20), ("third", 30)):
        cut = [(start, start + size) for start in range(0, LENGTH, size)]
        write(f"chunks/{name}.jsonl", rows(cut))
        write(
            f"{name}.jsonl", [row | {"topic": f"t{at}"} for row in rows(cut[:1], rank=1) for at in range(4)]
        )
    return tmp_path


def write(path: str, content: list[dict[str, Any]]) -> None:
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in content))


def called(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(group, list(words))
    return done.exit_code, f"{done.output}{done.exception or ''}"


ASKED = ["-q", "gold.jsonl", "-m", "IoUomega"]
COMMANDS = {
    "eval": ["eval", "small.jsonl", "large.jsonl"],
    "compare": ["compare", "small.jsonl", "large.jsonl"],
    "gate": ["gate", "small.jsonl", "--baseline", "large.jsonl", "--max-drop", "1"],
    "report": ["report", "small.jsonl", "large.jsonl", "-o", "page.html"],
    "correlate": ["correlate", "small.jsonl", "large.jsonl", "third.jsonl"],
    "plot": ["plot", "small.jsonl", "large.jsonl", "--figure", "means", "-o", "means.svg"],
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("streamed", [False, True])
def test_no_command_lends_the_chunks_of_one_run_to_another(name, streamed, files, monkeypatch) -> None:
    monkeypatch.setenv("DOXEVAL_MAX_WHOLE", "1" if streamed else "1G")
    asked = [*ASKED, "-m", "CE@1"] if name == "correlate" else ASKED
    code, told = called(*COMMANDS[name], *asked, "--chunks", "chunks/small.jsonl")
    assert code != 0 and "there are no chunks of 'large'" in told and "named after it" in told
    every = [word for one in ("small", "large", "third") for word in ("--chunks", f"chunks/{one}.jsonl")]
    code, told = called(*COMMANDS[name], *asked, *every)
    assert code == 0, told
    if name == "eval":
        assert "small    0.5000*" in told and "large    0.2500" in told


def test_each_has_its_own_value_on_the_command_line(files: Path) -> None:
    chunks = ["--chunks", "chunks/small.jsonl", "--chunks", "chunks/large.jsonl"]
    for runs in (["small.jsonl", "large.jsonl"], []):
        code, told = called("eval", *runs, "-q", "gold.jsonl", "-m", " ".join(NAMES), *chunks, "-f", "csv")
        assert code == 0 and "nothing" not in told
        values = dict(line.rsplit(",", 1) for line in told.splitlines()[1:] if line.count(",") == 3)
        assert [values[f"small,all,{name}"] for name in NAMES] == ["0.5", "1.0"]
        assert [values[f"large,all,{name}"] for name in NAMES] == ["0.25", "0.5"]
    code, told = called("eval", "-q", "gold.jsonl", "-m", "IoUomega", *chunks)
    assert "`small` leads by IoUomega" in told and "nothing" not in told


def test_chunks_alone_are_not_scored_by_what_reads_results(files: Path) -> None:
    code, told = called("eval", "-q", "gold.jsonl", "-m", "IoUomega iP@1", "--chunks", "chunks/small.jsonl")
    assert code == 1 and "no run to score, and iP@1 cannot score chunks alone" in told
    assert "give at least one RUN, or the chunks" in called("eval", *ASKED)[1]


def test_two_files_of_one_name_are_refused_and_a_single_run_takes_the_only_chunks(files: Path) -> None:
    assert (
        "two files of chunks are named small"
        in called("eval", "small.jsonl", *ASKED, "--chunks", "chunks/small.jsonl", "--chunks", "small.jsonl")[
            1
        ]
    )
    code, told = called("eval", "small.jsonl", *ASKED, "--chunks", "chunks/large.jsonl")
    assert code == 0 and "small    0.2500" in told
