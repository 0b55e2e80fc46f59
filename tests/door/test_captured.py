"""Whoever captures output gets output: in memory, in a notebook, or with streams that are closed."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group, main
from doxeval.demo import ANSWERS, DOCUMENTS, RUNS

FILES = [str(RUNS / f"{name}.jsonl") for name in ("sections", "sentences")]
TRUTH = ["-q", str(ANSWERS)]
COMMANDS = {
    "eval": ["eval", *FILES, *TRUTH, "-m", "iP@5"],
    "csv": ["eval", *FILES, *TRUTH, "-m", "iP@5", "-f", "csv"],
    "compare": ["compare", *FILES, *TRUTH, "-m", "iP@5", "--test", "t"],
    "gate": ["gate", FILES[0], "-b", FILES[0], *TRUTH, "-m", "iP@5"],
    "explain": ["explain", "-r", FILES[0], *TRUTH, "-t", "q01", "-m", "iP@5"],
    "budget": ["budget", *FILES, *TRUTH],
    "diagnose": ["diagnose", *FILES, *TRUTH],
    "chunk": ["chunk", str(DOCUMENTS), "--size", "4000"],
    "summary": ["summary", str(DOCUMENTS)],
    "navigate": ["navigate", str(DOCUMENTS), "--nav", "none", "-f", "csv"],
    "measures": ["measures"],
    "validate": ["validate", *FILES],
    "help": ["--help"],
}


class TextOnly:
    """A stream as logging frameworks put it in place of standard output: it only writes text."""

    def __init__(self) -> None:
        self.written: list[str] = []

    def write(self, text: str) -> int:
        assert isinstance(text, str)
        self.written.append(text)
        return len(text)

    def flush(self) -> None:
        pass


def run_in_process(arguments: list[str]) -> None:
    """A command as a program runs it in its own process."""
    with suppress(SystemExit):
        group.main(arguments, prog_name="group")


def closed() -> io.TextIOWrapper:
    stream = io.TextIOWrapper(io.BytesIO())
    stream.close()
    return stream


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "help"])
def test_a_command_prints_into_whatever_is_standard_output(name: str, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    expected = CliRunner().invoke(group, COMMANDS[name], catch_exceptions=False).stdout
    assert expected.strip()
    with redirect_stdout(io.StringIO()) as in_memory:
        run_in_process(COMMANDS[name])
    assert in_memory.getvalue() == expected
    wrapped = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with redirect_stdout(wrapped):
        run_in_process(COMMANDS[name])
    wrapped.flush()
    assert wrapped.buffer.getvalue().decode() == expected


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_runs_without_standard_streams(name: str, monkeypatch, tmp_path: Path) -> None:
    for nothing in (lambda: None, closed):
        with redirect_stdout(nothing()), redirect_stderr(nothing()):
            run_in_process(COMMANDS[name])
            monkeypatch.setattr(sys, "argv", ["doxeval", *COMMANDS[name]])
            try:
                main()
            except SystemExit as end:
                assert not end.code, end.code


def test_an_error_without_standard_error_is_an_exit_status(monkeypatch) -> None:
    for nothing in (lambda: None, closed):
        monkeypatch.setattr(sys, "argv", ["doxeval", "eval", "nothing.jsonl"])
        with redirect_stderr(nothing()), pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == 2


def test_closed_streams_of_a_process_are_no_bug() -> None:
    command = [sys.executable, "-m", "doxeval", *COMMANDS["eval"]]
    for streams in (">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
        done = subprocess.run(["sh", "-c", f'"$0" "$@" {streams}', *command], capture_output=True, text=True)
        assert done.returncode == 0 and "bug" not in done.stderr, (streams, done.stderr)


WRITERS: dict[str, Callable[[str], Any]] = {
    "write_scores": lambda path: dx.write_scores(
        FILES, path, assessments=ANSWERS, measures="iP@5", format="csv"
    ),
    "write_run": lambda path: dx.write_run(FILES[0], path, format="native-run"),
    "write_assessments": lambda path: dx.write_assessments(ANSWERS, path, format="native-assessments"),
    "write_chunks": lambda path: dx.write_chunks(dx.chunk(DOCUMENTS, size=4000), path),
    "write_pool": lambda path: dx.write_pool(dx.pool(FILES[:1], depth=1), path),
    "write_report": lambda path: dx.write_report(FILES[:1], ANSWERS, "iP@5", path=path),
    "convert": lambda path: dx.convert(FILES[0], path, format="native-run"),
    "navigate": lambda path: dx.navigate(DOCUMENTS, "none").write(path, format="csv"),
    "summary": lambda path: dx.summary(DOCUMENTS).write(path, format="json"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_functions_write_into_whatever_is_standard_output(name: str, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    WRITERS[name](str(target))
    with redirect_stdout(io.StringIO()) as in_memory:
        WRITERS[name]("-")
    assert in_memory.getvalue() == target.read_text()
    text_only = TextOnly()
    with redirect_stdout(text_only):
        WRITERS[name]("-")
    assert "".join(text_only.written) == target.read_text()
    for nothing in (None, closed()):
        with redirect_stdout(nothing):
            WRITERS[name]("-")


def test_bytes_are_not_forced_into_a_stream_of_text() -> None:
    with redirect_stdout(io.StringIO()) as in_memory, pytest.raises(dx.UsageError, match="takes only text"):
        dx.write_scores(FILES, "-", assessments=ANSWERS, measures="iP@5", format="parquet")
    assert not in_memory.getvalue()


def test_standard_input_in_memory_is_read_and_a_closed_one_is_named(monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(Path(FILES[0]).read_text()))
    assert len(dx.read_run("-")) == len(dx.read_run(FILES[0]))
    for nothing in (None, closed()):
        monkeypatch.setattr(sys, "stdin", nothing)
        with pytest.raises(dx.InputError, match=r"standard input \(-\) is closed"):
            dx.read_run("-")
