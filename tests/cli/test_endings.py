"""How a command ends, whatever stops it: the message, the status, and what goes to which stream."""

from __future__ import annotations

import io
import json
import sys
from email.message import Message
from importlib.metadata import Distribution, EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from doxeval.cli import _main, group, message_lines
from doxeval.core.registry import Registry


class Ended(Exception):
    """Stands for the end of the process."""


def ending(problem: BaseException, monkeypatch: pytest.MonkeyPatch, *, form: str = "text") -> Any:
    """The status with which a command ends that a problem stops."""

    def stopped(**options: Any) -> None:
        raise problem

    def leave(status: int) -> None:
        raise Ended(status)

    monkeypatch.setattr(group, "main", stopped)
    monkeypatch.setattr(group, "debug", False, raising=False)
    monkeypatch.setattr(message_lines, "form", form)
    monkeypatch.setattr("os._exit", leave)
    with pytest.raises((SystemExit, Ended)) as end:
        _main()
    return end.value.args[0]


@pytest.mark.parametrize(
    ("problem", "status", "told"),
    [
        (KeyboardInterrupt(), 130, "interrupted; files are as they were before"),
        (OSError(28, "No space left on device", "out.csv"), 2, "error: out.csv: No space left on device"),
        (OSError("it is gone"), 2, "error: output: it is gone"),
        (MemoryError(), 2, "error: not enough memory; --max-whole SIZE scores large runs in smaller pieces"),
    ],
)
def test_a_command_that_is_stopped_says_by_what_in_one_line(
    problem: BaseException, status: int, told: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert ending(problem, monkeypatch) == status
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", f"{told}\n")


@pytest.mark.parametrize(
    ("problem", "facts"),
    [
        (KeyboardInterrupt(), {"level": "error", "status": 130}),
        (OSError(28, "No space left", "out.csv"), {"level": "error", "status": 2, "kind": "OSError"}),
    ],
)
def test_programs_are_told_the_status_and_the_kind(
    problem: BaseException, facts: dict[str, Any], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    ending(problem, monkeypatch, form="json")
    told = json.loads(capsys.readouterr().err)
    assert {name: told.get(name) for name in facts} == facts
    assert told["message"] in ("interrupted; files are as they were before", "out.csv: No space left")


def test_a_reader_that_goes_away_is_told_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    assert ending(BrokenPipeError(), monkeypatch) == 141
    assert stream.closed


@pytest.mark.parametrize("announced", [True, False])
def test_a_failure_in_the_code_of_a_plug_in_names_it(
    announced: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Added(Distribution):
        metadata = Message()  # type: ignore[assignment]
        version = "1.0"
        entry_points = EntryPoints([EntryPoint("x", "added.inner:X", "doxeval.measures")])

        def read_text(self, filename: str) -> None:
            return None

        def locate_file(self, path: Any) -> Path:
            return Path(path)

    Added.metadata["Name"] = "added"
    monkeypatch.setattr("importlib.metadata.distributions", lambda: [Added()] if announced else [])
    space: dict[str, Any] = {"__name__": "added.inner"}
    exec("def stopped(**options):\n    raise ZeroDivisionError('by nothing')", space)
    monkeypatch.setattr(group, "main", space["stopped"])
    monkeypatch.setattr(group, "debug", False, raising=False)
    monkeypatch.setattr(sys, "argv", ["doxeval", "eval", "a b"])
    with pytest.raises(SystemExit) as end:
        _main()
    told = " ".join(capsys.readouterr().err.split())
    assert "by nothing" in told and end.value.code == (2 if announced else 70)
    assert ("added 1.0" in told, "this is a bug in doxeval" in told) == (announced, not announced)
    assert ("doxeval eval 'a b'" in told) == (not announced)


@pytest.mark.parametrize("command", ["measures", "navigations", "formats"])
def test_a_list_ends_with_the_plug_ins_that_are_missing_from_it(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    failure = "added 1.0 could not be loaded"
    monkeypatch.setattr(Registry, "failures", property(lambda registry: [failure]))
    done = CliRunner().invoke(group, [command])
    assert done.exit_code == 0 and failure not in done.stdout
    told = done.stderr.splitlines()
    assert told and set(told) == {f"warning: {failure}"}
    assert not CliRunner().invoke(group, [command, "--format", "json", "readon"]).stderr.startswith("warning")
