"""Tables on a screen: they know its width, mark the best, and are coloured on a terminal alone."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.core.harmless import BOLD
from doxeval.core.screen import Screen, bullets, filled, shown_on, standard_output
from doxeval.core.table import Best, Table
from doxeval.demo import ANSWERS, RUNS

EVAL = [
    "eval",
    *map(str, sorted(RUNS.glob("*.jsonl"))),
    "-q",
    str(ANSWERS),
    "-m",
    "AiP iP@5 iR@5 IoU@5 F@5 CE@5",
]
COMPARE = ["compare", *EVAL[1:]]


def piped(*arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "doxeval", *arguments], capture_output=True, text=True,
        env=os.environ | environment, check=True,
    )  # fmt: skip
    return done.stdout


IMPATIENT = """
from doxeval.core import progress
progress.PATIENCE = progress.BETWEEN_DRAWINGS = 0.001
from doxeval.cli import main
main()
"""


def on_a_terminal(
    *arguments: str, stream: str = "stdout", impatient: bool = False, **environment: str
) -> str:
    """What a terminal of 24 lines and 80 columns is sent, steps that take no time included if asked for."""
    ours, theirs = pty.openpty()
    streams: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: theirs}
    process = subprocess.Popen(
        [sys.executable, *(("-c", IMPATIENT) if impatient else ("-m", "doxeval")), *arguments], **streams,
        env={"TERM": "xterm", **os.environ, **environment},
    )  # fmt: skip
    os.close(theirs)
    sent = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        sent += part
    os.close(ours)
    assert process.wait() == 0
    return sent.decode()


@pytest.mark.parametrize(("arguments", "width"), [(EVAL, 60), (COMPARE, 80), (["measures"], 60)])
def test_no_line_is_wider_than_the_columns_told(arguments: list[str], width: int) -> None:
    lines = piped(*arguments, COLUMNS=str(width)).splitlines()
    assert max(map(len, lines)) <= width
    free = piped(*arguments).splitlines()
    assert max(map(len, free)) > width
    assert set(" ".join(free).split()) == set(" ".join(lines).split())


def test_a_file_is_of_any_width(tmp_path: Path) -> None:
    target = tmp_path / "scores.txt"
    piped(*EVAL, "-o", str(target), COLUMNS="40")
    assert max(map(len, target.read_text().splitlines())) > 80


def test_the_best_value_shines_on_a_terminal_alone() -> None:
    assert BOLD in on_a_terminal(*EVAL)
    assert BOLD not in piped(*EVAL) and "0.5827*" in piped(*EVAL)


@pytest.mark.parametrize(
    ("words", "environment"), [((), {"NO_COLOR": "1"}), ((), {"TERM": "dumb"}), (("--no-color",), {})]
)
def test_colours_can_be_refused(words: tuple[str, ...], environment: dict[str, str]) -> None:
    sent = on_a_terminal(*EVAL, *words, **environment)
    assert "\x1b" not in sent and "0.5827*" in sent


cells = st.text("abc -01.", min_size=1, max_size=12)


@given(
    st.integers(1, 6), st.lists(cells, min_size=1, max_size=5, unique=True), st.integers(40, 90), st.data()
)
def test_a_narrow_table_has_every_cell_under_its_header(columns, names, width, data) -> None:
    body = [[name, *(data.draw(cells) for _ in range(columns))] for name in names]
    table = Table(["run", *(f"measure{at}" for at in range(columns))], body)
    with shown_on(Screen(width)):
        printed = table.plain()
    assert all(len(line) <= width for line in printed.splitlines())
    blocks = printed.split("\n\n")
    assert sum(len(block.splitlines()[0].split()) - 1 for block in blocks) == columns
    assert all(len(block.splitlines()) == len(names) + 1 for block in blocks)


def test_names_that_leave_no_room_are_cut_in_their_middle_and_numbered_if_they_would_be_alike() -> None:
    long = "a-very-long-name-of-a-system-with-{}-in-the-middle-and-a-tail-{}"
    apart = Table(["run", "AiP"], [[long.format("x", 1), "0.5000"], [long.format("x", 2), "0.6000"]])
    alike = Table(["run", "AiP"], [[long.format("x", 1), "0.5000"], [long.format("y", 1), "0.6000"]])
    with shown_on(Screen(40)):
        assert max(map(len, apart.plain().splitlines())) <= 40 and "…" in apart.plain()
        printed = alike.plain().splitlines()
        assert max(map(len, printed)) <= 40 and len(printed) == 3
        assert [line[:2] for line in printed[1:]] == ["1 ", "2 "] and printed[1].count("…") == 1


def test_the_best_is_bold_where_there_is_bold() -> None:
    table = Table(["run", "AiP"], [["a", Best("0.5000")], ["b", "0.2500"]])
    assert table.plain().splitlines() == ["run     AiP", "a    0.5000*", "b    0.2500", "* best value"]
    assert "**0.5000**" in table.markdown() and r"\textbf{0.5000}" in table.latex()
    assert "<strong>0.5000</strong>" in table.html()


def test_sentences_are_filled_only_where_there_is_a_width() -> None:
    said = "one two three four five six seven"
    assert bullets([said]) == f"- {said}\n\n" and bullets([]) == ""
    with shown_on(Screen(12)):
        assert filled(said, "- ", "  ").splitlines()[:2] == ["- one two", "  three four"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["synth", "{folder}/made", "--topic-count", "3"], "writing the collection"),
        (COMPARE, "testing differences by measure"),
        ([*EVAL, "-o", "{folder}/report.html"], "writing the report"),
    ],
    ids=["synth", "compare", "report"],
)
def test_what_takes_long_says_so_on_a_terminal(tmp_path: Path, arguments: list[str], says: str) -> None:
    command = [part.format(folder=tmp_path) for part in arguments]
    command[0] = "report" if "report" in says else command[0]
    assert says in on_a_terminal(*command, stream="stderr", impatient=True)
    quietly = [part.replace("/made", "/quietly") for part in command]
    assert says not in on_a_terminal(*quietly, "--quiet", stream="stderr", impatient=True)


@pytest.mark.parametrize(
    ("columns", "width"),
    [("60", 60), ("", None), ("0", None), ("\u00b2", None), ("9" * 5000, None), ("-3", None)],
)
def test_columns_that_are_no_number_are_ignored(
    monkeypatch: pytest.MonkeyPatch, columns: str, width: int | None
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert standard_output().width == width
