"""Text from files does nothing on a terminal, nor in Markdown, nor as the name of a file."""

from __future__ import annotations

import html
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import doxeval
from doxeval.core.harmless import OWN, file_names, markdown_text, visible, visible_cell
from doxeval.core.output import _Terminal
from doxeval.core.table import Best, Marked, Table

HOSTILE = "\x1b[31mred\x1b]0;title\x07\x9b2J\u202e<img src=x onerror=alert(1)>[a](https://x.y)|`b`\r"
PACKAGE = str(Path(doxeval.__file__).parents[1])
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def left(text: str) -> str:
    """Control characters in a text, besides our own colours."""
    return "".join(FORBIDDEN.findall(re.sub(OWN, "", text)))


@given(st.text())
@example(HOSTILE)
@example("\x1b\x1b[0m[31m")
def test_what_is_shown_moves_no_cursor(text):
    assert not left(visible(text)) and not left(visible_cell(text))
    assert "\r" not in visible(text) and "\n" not in visible_cell(text)
    if text.isprintable():
        assert visible(text) == visible_cell(text) == text


@given(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1).map(lambda text: f"a{text}z"))
@example(
    "a<script>alert(1)</script>[a](https://x.y)![b](//x)<https://x.y>www.x.y @you &lt; *b* _c_ `d` ~~e~~z"
)
@example("a\\<b>[a]: https://x.yz")
def test_markdown_shows_a_text_as_it_is(text):
    markdown_it = pytest.importorskip("markdown_it")
    parser = markdown_it.MarkdownIt("gfm-like", {"linkify": False})
    page = parser.render(f"| {markdown_text(text)} |\n| --- |\n| {markdown_text(text)} |\n")
    cells = re.findall("<t[hd]>(.*?)</t[hd]>", page, re.DOTALL)
    assert len(cells) == 2
    for cell in cells:
        assert "<" not in cell and html.unescape(cell) == text
    assert not re.search(r"\w://|\bwww\.", markdown_text(text))


@given(st.lists(st.text()))
@example(["../../gold", "a/../../gold", "..", "", "a", "a"])
def test_names_of_files_stay_in_their_folder(names):
    found = file_names(names)
    assert len(set(found)) == len(found) == len(names)
    for name in found:
        assert os.path.normpath(f"/folder/{name}.x") == f"/folder/{name}.x" and not name.startswith(".")


def test_tables_keep_their_shape_and_marks():
    rows = [[HOSTILE, Best("1.0"), Marked("2\n3", "\u2020")], ["plain", "1", "2"]]
    table = Table(["run", "a", "b\t"], rows, title=HOSTILE, footer=[HOSTILE])
    for form in (table.plain(), table.markdown(), table.latex()):
        assert not left(form)
    assert len(table.plain().splitlines()) == 5 and "1.0*" in table.plain() and "2\\n3\u2020" in table.plain()
    assert (
        "<img" not in table.markdown()
        and not re.search(r"[^\\]\]\(", table.markdown())
        and "**1.0**" in table.markdown()
    )


def printed_on_terminal(words: list[str], folder: Path) -> str:
    """Everything that a command prints, standard output and standard error being a terminal."""
    own, others = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "doxeval", *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=others,
        stderr=others, env=os.environ | {"TERM": "dumb", "PYTHONPATH": PACKAGE},
    )  # fmt: skip
    os.close(others)
    content = b""
    try:
        while piece := os.read(own, 1 << 16):
            content += piece
    except OSError:
        pass
    process.wait(timeout=60)
    os.close(own)
    return content.decode()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    place = {"doc": f"d{HOSTILE}", "start": 0, "end": 10}
    topics = [f"{HOSTILE}{number}" for number in range(3)]
    gold = [{"topic": topic, "query": HOSTILE} for topic in topics] + [
        {"topic": one, **place} for one in topics
    ]
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold))
    for name in ("a\x1b[31m", "b"):
        lines = [json.dumps({"topic": topic, "rank": 1, **place}) + "\n" for topic in topics]
        (folder / f"{name}.jsonl").write_text("".join(lines) + '{"topic": "\x1b[31m\n')
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ["eval", "a\x1b[31m.jsonl", "b.jsonl", "-q", "gold.jsonl", "-m", "iP@1", "--per-topic"],
        ["eval", "a\x1b[31m.jsonl", "b.jsonl", "-q", "gold.jsonl", "-m", "iP@1", "--per-topic", "-f", "csv"],
        ["explain", "--run", "b.jsonl", "-q", "gold.jsonl", "-m", "iP@1", "--topic", f"{HOSTILE}0"],
        ["compare", "a\x1b[31m.jsonl", "b.jsonl", "-q", "gold.jsonl", "-m", "iP@1"],
        ["validate", "a\x1b[31m.jsonl"],
        ["eval", "nowhere\x1b[31m", "-q", "gold.jsonl"],
        ["eval", "b.jsonl", "-q", "gold.jsonl", "-m", "no\x1b[31m"],
        ["nothing\x1b[31m"],
        ["pool", "b.jsonl"],
    ],
    ids=lambda words: " ".join(words).encode("unicode_escape").decode()[:40],
)
def test_no_command_sends_what_it_reads_to_the_terminal(hostile, words):
    told = printed_on_terminal(words, hostile)
    assert re.search(r"\\x1b|\\u001b", told) and not left(told), repr(told)


def test_a_terminal_takes_all_that_is_written() -> None:
    shown = io.BytesIO()
    with io.BufferedWriter(_Terminal(shown)) as stream:
        stream.write(b"tea \x1b[31m hot\n")
    assert b"tea" in shown.getvalue() and b"\x1b" not in shown.getvalue()
