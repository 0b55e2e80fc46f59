"""Whatever a command prints fits the terminal: nothing is wider, and no word is broken that fits a line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from doxeval.cli import group, main
from doxeval.core.screen import Screen, fitted, shown_on
from doxeval.core.table import Best, Table
from tests.scoring.commands import COMMANDS, write_collection

WIDTHS = (40, 57, 80, 101)
TEN = "iP@1 iP@2 iP@3 iP@4 iP@5 iR@1 iR@2 iR@3 iR@4 iR@5"
PRINTED = {name: words for name, words in COMMANDS.items() if name != "correlate"} | {
    "ten measures": ["eval", "a.fol", "b.fol", "c.fol", "-q", "qrels.txt", "-m", TEN],
    "per topic": ["eval", "a.fol", "b.fol", "-q", "qrels.txt", "-m", TEN, "--per-topic"],
    "correlate": ["correlate", "a.fol", "b.fol", "c.fol", "-q", "qrels.txt", "-m", TEN],
    "validate": ["validate", "a.fol", "b.fol", "qrels.txt"],
    "measures": ["measures"],
    "measures all": ["measures", "--all"],
    "one measure": ["measures", "AESRP"],
    "formats": ["formats"],
    "navigations": ["navigations"],
    "one navigation": ["navigations", "readon"],
    "convert": ["convert", "a.fol", "made.jsonl"],
    "pool": ["pool", "a.fol", "b.fol", "-d", "documents.jsonl", "-o", "pool.jsonl"],
    "chunk": ["chunk", "documents.jsonl", "--size", "50", "-o", "cut.jsonl"],
    "ceiling": ["ceiling", "chunks.csv", "-q", "qrels.txt", "--runs", "b.fol"],
    "index": ["index", "documents.jsonl", "-o", "made.dox"],
    "anchor": ["anchor", "qrels.txt", "-d", "documents.jsonl", "-o", "anchored.jsonl"],
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PRINTED)
def test_nothing_is_wider_than_the_terminal(name: str, width: int, tmp_path: Path, monkeypatch) -> None:
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    printed = CliRunner(env={"COLUMNS": str(width)}).invoke(group, PRINTED[name])
    assert printed.exit_code == (name == "validate"), printed.exception
    wide = [line for line in printed.output.splitlines() if len(line) > width]
    assert not wide, wide


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("words", [["eval", "nowhere.fol", "-q", "qrels.txt"], ["evaluate"], ["eval", "--of"],
                                   ["eval", "a.fol", "-q", "qrels.txt", "-m", "iP@1 nothing@5"]])  # fmt: skip
def test_no_message_is_wider_and_none_breaks_a_word(words, width, tmp_path, monkeypatch, capsys) -> None:
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["doxeval", *words])

    def told(columns: int) -> str:
        monkeypatch.setenv("COLUMNS", str(columns))
        with pytest.raises(SystemExit):
            main()
        return capsys.readouterr().err

    narrow, wide = told(width), told(9999)
    assert max(map(len, narrow.splitlines())) <= width
    assert narrow.split() == wide.split() or any(len(word) > width - 2 for word in wide.split())


def test_a_table_of_ten_measures_counts_its_stars() -> None:
    for columns in range(1, 14):
        header = ["run", *(f"iP@{at}" for at in range(columns))]
        table = Table(header, [["a", *[Best("0.5000")] * columns], ["b", *["0.2500"] * columns]])
        for width in range(40, 121):
            with shown_on(Screen(width)):
                lines = table.plain().splitlines()
            assert max(map(len, lines)) <= width
            assert sum(line.count("0.5000*") for line in lines) == columns


def test_long_words_wrap_and_others_are_whole() -> None:
    for width in range(10, 60):
        text = f"short words and {'x' * 70}-{'y' * 10} and a-hyphen"
        lines = fitted(text, width, later="  ").splitlines()
        assert max(map(len, lines)) <= width
        assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", text)
        assert all(word in " ".join(lines).split() for word in ("short", "words", "a-hyphen"))


@pytest.mark.parametrize("name", ["measures", "measures all", "one measure", "navigations", "one navigation"])
def test_lists_break_no_word_that_fits(name: str) -> None:
    def words(columns: int) -> list[str]:
        return CliRunner(env={"COLUMNS": str(columns)}).invoke(group, PRINTED[name]).stdout.split()

    wide = words(9999)
    for width in WIDTHS:
        narrow = words(width)
        broken = [word for word in wide if word not in narrow]
        assert all(len(word) > width - 16 for word in broken), broken


@pytest.mark.parametrize("number", ["0.123456789", "12345678.901234"])
def test_names_are_broken_before_numbers_are(number: str) -> None:
    table = Table(["run", "iP@1"], [["a-long-name-of-a-run-with-words", number]])
    for width in range(len(number) + 14, 60):
        with shown_on(Screen(width)):
            assert number in table.plain().split(), width
