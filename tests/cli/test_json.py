"""`--format json` of every command that prints data conforms to its schema; messages and statuses too."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path
from typing import Any, cast

import click
import pytest
from click.testing import CliRunner
from docs.json_page import generated

from doxeval.cli import COMMANDS, FAILURE, FOUND_BY, STATUSES, group, main
from doxeval.cli.json_output import PRINTED, WRITES, printed_by, schema
from doxeval.cli.message_lines import LEVELS
from doxeval.show.budget_table import amount

RUNS = "runs/sections.jsonl runs/paragraphs.jsonl"
SCORED = f"{RUNS} -q answers.jsonl"
CASES = {
    "eval": [
        f"{SCORED} -m 'iR@5 AiP' --per-topic", f"{SCORED} -m iR@5 --by kind --topics-file topics.jsonl",
        f"{SCORED} -m iR@5 --trust answers.jsonl", f"{SCORED} -m iP@5 --bounds",
    ],
    "explain": ["-r runs/sections.jsonl -q answers.jsonl -t q01 -m iR@5"],
    "plot": [f"{SCORED} -m iR --over rank"],
    "budget": [f"{SCORED} -d documents", f"{SCORED} --per-topic --recall 1"],
    "ceiling": ["chunks.jsonl -q answers.jsonl --runs runs/chunks-400.jsonl"],
    "effects": ["swept/*.jsonl -q answers.jsonl -m iR@5 --draws 100"],
    "cite": ["cited.jsonl -r runs/sections.jsonl -d documents -q answers.jsonl"],
    "scores": ["store", "store --per-topic", "store --list"],
    "compare": [
        f"{SCORED} -m iR@5 --bounds", f"{SCORED} -d documents -m iR@5 --as given --as documents",
        f"{SCORED} -m iR@5 --by kind --topics-file topics.jsonl",
    ],
    "diagnose": [
        f"{SCORED} -m iR@5 -d documents", f"{SCORED} -m iR@5 --per-topic",
        f"{SCORED} -m iR@5 --by kind --topics-file topics.jsonl",
    ],
    "gate": ["runs/sections.jsonl -b runs/paragraphs.jsonl -q answers.jsonl -m iR@5 --strict-gold"],
    "correlate": [
        f"{SCORED} runs/sentences.jsonl -m 'iR@5 iP@5'", f"{SCORED} -m iR@5 --outcomes outcomes.jsonl",
    ],
    "agree": ["answers.jsonl answers.jsonl -d documents"],
    "formats": ["", "inex-fol"],
    "validate": [f"{RUNS} broken.jsonl -q answers.jsonl -d documents"],
    "measures": ["", "iR", "P@doc"],
    "navigations": ["", "readon", "--log log.jsonl --docs documents hierarchical"],
    "navigate": ["documents --doc overlap", "documents --nav 'summary()' --steps"],
    "summary": ["documents", "documents --extents", "documents --steps"],
    "simulate": ["runs/sections.jsonl -q answers.jsonl -d documents --readers 20 --nav readon"],
    "config": ["eval", ""],
}  # fmt: skip
NODES = "navigate {}/documents --doc overlap --nav hierarchical -f json"
"""The arguments with which every command that prints data is tried, besides `--format json`."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's files, and others that some commands read."""
    place = tmp_path_factory.mktemp("json") / "demo"
    run = CliRunner()
    assert run.invoke(group, ["demo", "--copy", str(place)]).exit_code == 0
    topics = [f"q{number:02}" for number in range(1, 16)]
    made: dict[str, list[dict]] = {
        "topics.jsonl": [{"topic": topic, "kind": "ab"[at % 2]} for at, topic in enumerate(topics)],
        "outcomes.jsonl": [
            {"topic": topic, "run": run, "solved": (at + len(run)) % 2 == 0}
            for run in ("sections", "paragraphs") for at, topic in enumerate(topics)
        ],
        "cited.jsonl": [{"topic": "q01", "answer": 'It is "an experiment nobody has made" [1], see [2].'}],
        "broken.jsonl": [{"topic": "q01"}],
    }  # fmt: skip
    swept, settings = place / "swept", [(cut, k) for cut in ("sections", "paragraphs") for k in (2, 5)]
    swept.mkdir()
    (swept / "runs.csv").write_text("run,cut,k\n" + "".join(f"{cut}{k},{cut},{k}\n" for cut, k in settings))
    for cut, k in settings:
        (swept / f"{cut}{k}.jsonl").write_bytes((place / "runs" / f"{cut}.jsonl").read_bytes())
    chunked = ["chunk", f"{place}/documents", "--size", "400", "-o", f"{place}/chunks.jsonl"]
    assert run.invoke(group, chunked).exit_code == 0
    for name, rows in made.items():
        (place / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    nodes = [row["to"] for row in json.loads(run.invoke(group, NODES.format(place).split()).stdout)]
    log = [{"doc": "overlap", "route": nodes[at : at + 4]} for at in range(6)]
    (place / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in log), encoding="utf-8")
    (place / "doxeval.toml").write_text("[eval]\nper_topic = false\n", encoding="utf-8")
    words = ["eval", *shlex.split(SCORED.replace("runs/", f"{place}/runs/")), "-m", "iR@5"]
    words[words.index("answers.jsonl")] = str(place / "answers.jsonl")
    assert run.invoke(group, [*words, "--no-config", "--store", str(place / "store")]).exit_code == 0
    return place


def run(words: list[str]) -> Any:
    return CliRunner().invoke(group, words)


def test_every_command_prints_json_or_says_what_it_writes_instead() -> None:
    assert {name.split()[0] for name in PRINTED} == set(CASES)
    assert sorted({*CASES, *WRITES}) == sorted(COMMANDS)
    for name in CASES:
        command = group.get_command(click.Context(group), name)
        assert command is not None
        (option,) = (one for one in command.params if one.name == "format")
        assert "json" in cast(click.Choice, option.type).choices, name


@pytest.mark.parametrize(("name", "words"), [(name, words) for name in CASES for words in CASES[name]])
def test_json_conforms_to_its_schema(
    name: str, words: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    found = run(["--errors", "json", name, "--format", "json", *shlex.split(words)])
    assert found.exit_code == (1 if name == "validate" else 0), found.output
    printed = json.loads(found.stdout, parse_constant=pytest.fail)
    check(printed, schema(printed_by(name, shlex.split(words))), name)
    assert printed
    for line in found.stderr.splitlines():
        message = json.loads(line)
        assert message["level"] in LEVELS and message["message"]


def check(value: Any, wanted: dict[str, Any], where: str) -> None:
    """Fail unless a value conforms to a schema of the few words that ours are made of."""
    kinds = wanted.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    assert not kinds or any(KINDS[kind](value) for kind in kinds), (where, value, kinds)
    if isinstance(value, list):
        for at, one in enumerate(value):
            check(one, wanted.get("items", {}), f"{where}[{at}]")
    if isinstance(value, dict) and "properties" in wanted:
        assert set(wanted["required"]) <= set(value) <= set(wanted["properties"]), (where, sorted(value))
        for name, one in value.items():
            check(one, wanted["properties"][name], f"{where}.{name}")


KINDS = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
}


def test_json_has_the_numbers_of_the_table(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for words in ("budget", "budget --per-topic"):
        name, *more = words.split()
        rows = json.loads(run([name, *SCORED.split(), *more, "-f", "json"]).stdout)
        table = list(csv.DictReader(run([name, *SCORED.split(), *more, "-f", "csv"]).stdout.splitlines()))
        assert len(rows) == len(table)
        for row, shown in zip(rows, table, strict=True):
            for unit in ("results", "characters"):
                assert shown[unit] == ("never" if row[unit] is None else amount(row[unit]))


def test_the_verdict_and_what_was_assumed_are_beside_json(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    words = ["eval", *SCORED.split(), "-m", "iR@5"]
    table = run(words).stdout
    told = [json.loads(line) for line in run(["--errors", "json", *words, "-f", "json"]).stderr.splitlines()]
    for message in told:
        assert message["message"] in table
    assert {message["level"] for message in told} >= {"verdict", "note"}
    assert "verdict" not in run([*words, "-f", "json"]).stderr


MISTAKES = {
    "an unknown command": (["evil"], "UsageError"),
    "an unknown option": (["eval", "--evil"], "UsageError"),
    "an idle option": (["eval", "runs/sections.jsonl", "-q", "answers.jsonl", "--fix"], "IdleOption"),
    "a missing file": (["eval", "nothing.jsonl", "-q", "answers.jsonl"], "InputError"),
    "an unknown measure": (["eval", "runs/sections.jsonl", "-q", "answers.jsonl", "-m", "iQ"], "UsageError"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_errors_are_json_if_asked_for(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    words, kind = MISTAKES[name]
    for asked in (["--errors", "json"], ["--errors=json"]):
        monkeypatch.setattr("sys.argv", ["doxeval", *asked, *words])
        with pytest.raises(SystemExit) as end:
            main()
        told = capfd.readouterr()
        assert told.out == "" and end.value.code == 2
        message = json.loads(told.err)
        assert (message["level"], message["status"], message["kind"]) == ("error", 2, kind)
    monkeypatch.setattr("sys.argv", ["doxeval", *words])
    with pytest.raises(SystemExit):
        main()
    assert capfd.readouterr().err.replace("\n  ", " ") == f"error: {message['message']}\n"


@pytest.mark.parametrize(
    ("words", "told", "explained"),
    [
        (["evil"], "unknown command 'evil'", "doxeval"),
        (["eval", "--evil"], "no such option", "doxeval eval"),
        (["eval", "--depth", "x"], "invalid value for '--depth'", "doxeval eval"),
        (["eval", "--depth"], "option '--depth' requires an argument", "doxeval eval"),
        (["pool"], "name the runs to pool", "doxeval pool"),
        (["pool", "--depth"], "option '--depth' requires an argument", "doxeval pool"),
        (["scores"], "missing argument 'STORE'", "doxeval scores"),
    ],
)
def test_what_is_mistyped_is_told_with_the_help_that_explains_it(
    words: list[str], told: str, explained: str,
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr("sys.argv", ["doxeval", *words])
    with pytest.raises(SystemExit):
        main()
    said = capfd.readouterr().err.replace("\n  ", " ")
    assert said.startswith(f"error: {told}") and said.endswith(f"{explained} --help' explains)\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_exits_with_2_for_what_it_cannot_do(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (["--no-such-option"], IMPOSSIBLE.get(name, ["no-such-file.jsonl"])):
        monkeypatch.setattr("sys.argv", ["doxeval", "--errors", "json", name, *words])
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == FAILURE
        assert json.loads(capfd.readouterr().err.splitlines()[-1])["status"] == FAILURE


IMPOSSIBLE = {
    "synth": ["made", "--topic-count", "0"],
    "study": ["stability", "no-such-file.jsonl", "-q", "x", "-o", "out"],
}
"""Arguments that a command refuses, unless it is enough to name a file that does not exist."""


def test_statuses_are_documented_for_the_commands_that_use_them() -> None:
    strict = {name for name in COMMANDS if "--strict" in flags(name)} - {"index"}
    assert strict | {"gate"} == set(FOUND_BY)
    page = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
    for status in STATUSES:
        assert f"| {status} |" in page
    assert page == generated(page)


def flags(name: str) -> list[str]:
    command = group.get_command(click.Context(group), name)
    assert command is not None
    return [flag for one in command.params for flag in one.opts]
