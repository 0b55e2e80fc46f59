"""One vocabulary: docs/vocabulary.md has every flag and every public parameter, each with one meaning."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from docs.vocabulary import (
    PAGE,
    commands_in,
    flags,
    options_of_commands,
    page,
    parameters,
    shared_beginning,
)

import doxeval as dx
from doxeval.cli import group
from doxeval.core.calls import OTHER_WORDS

TEXT = PAGE.read_text(encoding="utf-8")


def table_under(title: str) -> list[dict[str, str]]:
    """The rows of the table in a chapter, by its header."""
    (chapter,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)
    lines = [line for line in chapter.splitlines() if line.startswith("|")]
    header, _, *body = ([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines)
    return [dict(zip(header, row, strict=True)) for row in body]


def codes(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


WORDS, FLAGS, WITHOUT = map(table_under, ("Words", "Flags", "Parameters without a flag"))


def test_the_table_of_flags_is_that_of_the_code() -> None:
    assert page() == TEXT, "docs/vocabulary.md is old; run: python -m docs.vocabulary"


def test_every_flag_of_every_command_is_in_the_table_once() -> None:
    listed = Counter(flag for row in FLAGS for flag in codes(row["flag"]))
    taken = {
        flag
        for _, command in [*commands_in(group), ("", group)]
        for one in command.params
        if isinstance(one, click.Option)
        for flag in (*one.opts, *one.secondary_opts)
    }
    assert set(listed) == taken and set(listed.values()) == {1}


def test_a_flag_means_the_same_in_every_command() -> None:
    """Its help begins with the same words, which no other flag's does; its parameter has the same name."""
    meanings = Counter(flag.meaning for flag in flags())
    assert set(meanings.values()) == {1}
    for flag, taken in options_of_commands().items():
        options = [option for _, option in taken]
        assert shared_beginning([str(option.help) for option in options]), flag
        assert len({option.name.removesuffix("s") for option in options}) == 1, flag
        assert len({option.is_flag for option in options}) == 1, flag
        assert len({tuple(sorted(option.secondary_opts)) for option in options}) <= 2, flag


def test_short_flags_belong_to_one_flag() -> None:
    longs: dict[str, set[str]] = {}
    for flag, taken in options_of_commands().items():
        for _, option in taken:
            for spelling in option.opts:
                if not spelling.startswith("--"):
                    longs.setdefault(spelling, set()).add(flag)
    assert longs and all(len(found) == 1 for found in longs.values()), longs


def test_every_public_parameter_is_in_a_table_once() -> None:
    beside = {name for row in FLAGS for name in codes(row["parameter"])}
    alone = [codes(row["parameter"])[0] for row in WITHOUT]
    assert len(set(alone)) == len(alone) and not beside & set(alone)
    assert beside | set(alone) == set(parameters())
    for row in WITHOUT:
        (name,) = codes(row["parameter"])
        assert row["meaning"] and set(codes(row["functions"])) <= set(parameters()[name]), name


def test_words_name_flags_parameters_and_columns_that_exist() -> None:
    known = {flag for row in FLAGS for flag in codes(row["flag"])}
    for row in WORDS:
        assert set(codes(row["flag"])) <= known, row
        assert set(codes(row["parameter"])) <= set(parameters()), row
    assert len({row["word"] for row in WORDS}) == len(WORDS)


def others_for(row: dict[str, str]) -> set[str]:
    """The words of others, as parameters would be called."""
    return {word.strip(" `").replace(" ", "_") for word in row["others say"].split(",")} - {""}


@pytest.mark.parametrize("row", WORDS, ids=lambda row: row["word"])
def test_a_function_called_with_a_word_of_others_says_what_it_is_called_here(row: dict[str, str]) -> None:
    for parameter in codes(row["parameter"]):
        functions = [name for name in parameters()[parameter] if hasattr(dx, name) and name != "Evaluation"]
        for other in others_for(row) & set(OTHER_WORDS.get(parameter, "").split()):
            with pytest.raises(dx.UsageError, match=f"takes {parameter}=, not {other}="):
                getattr(dx, functions[0])(**{other: "x"})


GIVEN = {
    "assessments": "assessments",
    "documents": "document",
    "measures": "measure",
    "navigation": "navigation model",
}


@pytest.mark.parametrize("parameter", GIVEN)
def test_the_page_has_every_word_that_functions_know_for_what_is_given(parameter: str) -> None:
    (row,) = [row for row in WORDS if row["word"] == GIVEN[parameter]]
    ours = {row["word"], row["word"].removesuffix("s"), row["word"].replace(" ", "_")}
    known = {word.removesuffix("s") for word in (*others_for(row), *ours)}
    assert {word.removesuffix("s") for word in OTHER_WORDS[parameter].split()} <= known


RESULT = {"topic": "t", "doc": "d", "rank": 1}


def test_columns_by_the_names_of_others_are_accepted(tmp_path: Path) -> None:
    from doxeval.io.formats.build_tables import QUOTE_NAMES
    from doxeval.io.topics import QUERY_KEYS, topics_of

    listed = {row["word"]: codes(row["others say"]) for row in WORDS}
    assert set(listed["query"]) == set(QUERY_KEYS) - {"query"} and set(listed["quote"]) == set(QUOTE_NAMES)
    documents = {"d": "One is here. Two is there."}
    for name in listed["quote"]:
        found = dx.read_assessments([{"topic": "t", "doc": "d", name: "Two is there."}])
        assert dx.evaluate([RESULT], found, "iR@1", documents).value("run", "iR@1") == 1
    for name in listed["query"]:
        (tmp_path / "topics.jsonl").write_text(json.dumps({"topic": "t", name: "what?"}))
        assert topics_of(tmp_path / "topics.jsonl").queries == {"t": "what?"}


def test_assessments_can_be_given_by_either_flag() -> None:
    from doxeval.demo import ANSWERS, RUNS

    run = str(sorted(RUNS.glob("*.jsonl"))[0])
    outputs = {
        CliRunner().invoke(group, ["eval", run, flag, str(ANSWERS), "-m", "AiP"]).output
        for flag in ("--qrels", "--assessments", "-q")
    }
    assert len(outputs) == 1 and "AiP" in outputs.pop()
