"""Statements are counted like numbers: once, as sets, in singular or plural, whole or streamed."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.cli import group
from doxeval.core.notices import Notice, Notices
from doxeval.core.phrases import agreeing, percent
from doxeval.io.source import Source
from tests.scoring.commands import COMMANDS, write_collection
from tests.sources import texts, trees

GOLD = [{"topic": f"q{at}", "doc": "manual", "start": 0, "end": 27} for at in range(12)]


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def results(topics: list[str], doc: str = "manual", end: int = 27) -> list[dict[str, Any]]:
    return [{"topic": topic, "doc": doc, "rank": 1, "start": 0, "end": end} for topic in topics]


def said(*words: str, **environment: str) -> str:
    done = CliRunner(env=environment).invoke(group, list(words))
    assert done.exit_code == 0, done.output + str(done.exception)
    return done.output


# One place merges notices


NAMED = st.lists(st.tuples(st.sampled_from(["{count} {x|xs}", "y"]), st.sets(st.sampled_from("abcdef"))))


@given(st.lists(NAMED, max_size=4), st.randoms())
def test_notices_merge_as_sets_in_any_order_and_as_often_as_one_likes(parts, random) -> None:
    def collected(part: list[tuple[str, set[str]]]) -> Notices:
        notices = Notices()
        for message, names in part:
            notices.add_names(message, sorted(names))
        return notices

    one_by_one, shuffled = Notices(), [*parts, *parts]
    random.shuffle(shuffled)
    for part in shuffled:
        one_by_one.extend(collected(part))
    expected = {
        message: set().union(*(names for part in parts for found, names in part if found == message))
        for message in {found for part in parts for found, names in part if names}
    }
    assert {notice.message: set(notice.names) for notice in one_by_one} == expected
    for notice in one_by_one:
        assert notice.count == len(expected[notice.message])
        assert str(Notice.of(json.loads(json.dumps(notice.record)))) == str(notice)


@given(
    st.lists(st.tuples(st.sampled_from("rst"), st.integers(1, 9)), max_size=6, unique_by=lambda one: one[0])
)
def test_events_are_counted_once_for_each_place_they_were_found_in(found) -> None:
    parts = []
    for origin, number in found:
        part = Notices()
        part.add("{count} lines refused", count=number)
        parts.append((origin, part))
    total = Notices()
    for origin, part in [*parts, *parts[::-1]]:
        total.extend(part, origin)
    assert [notice.count for notice in total] == ([sum(number for _, number in found)] if found else [])


# One place renders shares


@given(st.fractions(0, 1, max_denominator=10**6), st.integers(0, 2))
def test_none_and_all_are_exact(share, decimals) -> None:
    told = percent(float(share), decimals)
    number = told.removesuffix("%")
    assert (float(number) == 0 if number[0].isdigit() else False) == (share == 0)
    assert (float(number) == 100 if number[0].isdigit() else False) == (share == 1)


def strings(tree: ast.Module) -> Iterator[str]:
    """All texts of a program; what is computed in them is an ellipsis."""
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.value


def test_shares_are_rendered_in_one_place() -> None:
    for path, text in texts().items():
        assert path.name == "phrases.py" or not re.search(r":[+,]?\.\d%\}", text), path


AGREE_WITH_ANY = (
    "can be met at any",
    "…, which … cannot hold",
    "{count} of … …",
    "{count} of … (…) ……",
    "…: {count} …",
)
"""Messages whose words agree with any number, or come from elsewhere."""


def test_every_message_with_a_count_has_a_singular() -> None:
    lacking = [
        (path.name, text)
        for path, tree in trees().items()
        for text in strings(tree)
        if "{count} " in text and "|" not in text and not any(words in text for words in AGREE_WITH_ANY)
    ]
    assert [one for one in lacking if one != ("phrases.py", "{count}")] == []


@given(st.sampled_from(["{count} {line|lines}", "{a|b} {count}", "none"]), st.integers(0, 2000))
def test_words_agree_with_their_number(sentence, count) -> None:
    told = agreeing(sentence, count)
    assert "{" not in told and "|" not in told
    assert (
        told
        in {
            "{count} {line|lines}": (f"{count:,} line" + "s" * (count != 1)),
            "{a|b} {count}": f"{'a' if count == 1 else 'b'} {count:,}",
            "none": "none",
        }[sentence]
    )


# Every example, as a user sees it


def test_topics_without_assessments_are_counted_once_for_all_runs(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", GOLD)
    unknown = [f"u{at}" for at in range(12)]
    runs = [
        write(tmp_path / f"run{at}.jsonl", results([*(f"q{at}" for at in range(12)), *unknown]))
        for at in range(6)
    ]
    told = said("eval", *runs, "-q", gold, "-m", "iR@1")
    assert "12 topics without assessments are ignored" in told and "72" not in told


def test_one_is_one(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", [GOLD[0]])
    run = write(
        tmp_path / "run.jsonl", [*results(["q0", "u0"]), {"topic": "q0", "doc": "d", "start": 9, "end": 1}]
    )
    told = said("eval", run, "-q", gold, "-m", "iR@1")
    assert "1 topic without assessments is ignored" in told
    assert "1 line refused" in told and "mean over 1 topic" in told


def test_nearly_all_is_not_all(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", [row | {"end": 9} for row in GOLD])
    docs = write(tmp_path / "docs.jsonl", [{"doc": "manual", "text": "word " * 2000}])
    run = write(tmp_path / "run.jsonl", results([f"q{at}" for at in range(12)], end=10_000))
    other = write(tmp_path / "other.jsonl", results([f"q{at}" for at in range(11)], end=9))
    told = said("eval", run, other, "-q", gold, "-d", docs, "-m", "iR@5 iP@5")
    assert "100% of the relevant text, but >99% of what `run` shows is irrelevant" in told


def test_a_document_that_is_none_is_not_named(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", GOLD)
    docs = write(tmp_path / "docs.jsonl", [{"doc": "manual", "text": "word " * 20}])
    rows = [{"topic": f"q{at}", "rank": 1, "text": "nobody said so"} for at in range(12)]
    told = said("eval", write(tmp_path / "run.jsonl", rows), "-q", gold, "-d", docs, "-m", "iR@1")
    assert "not among the documents" not in told
    assert "no document of the run was assessed: its text is in none of the documents" in told


def test_topics_of_runs_are_counted_as_they_are_averaged(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", [*GOLD, {"topic": "none", "doc": "manual"}])
    two = write(tmp_path / "two.jsonl", results(["q0", "q1"]))
    three = write(tmp_path / "three.jsonl", results(["q0", "q1", "none"]))
    told = said("eval", two, three, "-q", gold, "-m", "iR@1", "--topics", "run")
    assert "mean over 2 topics; 1 more has no value" in told and "different numbers" not in told


# Every command


COUNTED = re.compile(r"([\d,]+) of (?:the )?([\d,]+) (\w+)")
ONE = re.compile(r"(?<![\d,.])1 (\w+s|\w+ \w+s) (are|have|were|do|count)\b")


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_says_anything_twice_or_of_too_many(name: str, tmp_path: Path, monkeypatch) -> None:
    write_collection(tmp_path)
    lines = (tmp_path / "b.fol").read_text().splitlines(keepends=True)
    (tmp_path / "b.fol").write_text("".join([*lines, "unknown Q0 d1 1 3.5 b 0 40\n"]))
    monkeypatch.chdir(tmp_path)
    told = said(*COMMANDS[name])
    sentences = [re.sub("^(note|warning): ", "", line) for line in told.splitlines() if len(line.split()) > 4]
    assert len(sentences) == len(set(sentences)), sentences
    for count, total, _ in COUNTED.findall(told):
        assert int(count.replace(",", "")) <= int(total.replace(",", "")), told
    assert not ONE.search(told), told


# Streamed and whole


TOPIC = st.sampled_from(["t1", "t2", "t3", "t4", "elsewhere", "nowhere"])
LINE = st.one_of(
    st.tuples(TOPIC, st.sampled_from(["d1", "d2", "d9"]), st.integers(1, 5), st.integers(0, 90)).map(
        lambda line: f"{line[0]} Q0 {line[1]} {line[2]} {9 - line[2]} s {line[3]} 20\n"
    ),
    st.tuples(TOPIC).map(lambda line: f"{line[0]} Q0 d1 no number\n"),
)


@given(st.lists(LINE, min_size=1, max_size=25), st.booleans(), st.sampled_from(["qrels", "run"]))
@settings(max_examples=25, deadline=None)
def test_a_streamed_run_has_the_notices_of_a_whole_one(lines, together, topics) -> None:
    gold = [{"topic": f"t{at}", "doc": "d1", "start": 0, "end": 10, "length": 60} for at in range(1, 6)]
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "s.fol"
        path.write_text("".join(sorted(lines) if together else lines))
        patch.setattr(Source.blocks, "__defaults__", (60,))

        def told(limit: str) -> Any:
            patch.setenv("DOXEVAL_MAX_WHOLE", limit)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    scores = dx.evaluate(path, gold, "iR@3 iP@2", topics=topics)
            except dx.DoxevalError as problem:
                return str(problem)
            return sorted(repr(scores).splitlines()), sorted(
                str(one) for one in scores.notices if "regrouped" not in one.message
            )

        assert told("1") == told("1G")
