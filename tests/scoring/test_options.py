"""No command accepts an option and ignores it: each changes what comes out, or is refused."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from doxeval.cli import COMMANDS as NAMES
from doxeval.cli import group
from doxeval.cli.scoring import SCORING_FLAGS
from doxeval.core import workers
from doxeval.core.errors import DoxevalError
from doxeval.core.options import DEFAULTS, ScoringOptions
from tests.scoring.commands import COMMANDS, outcome, run, usual_outcome, write_collection

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

OF_THE_COMMAND_LINE = {"assessments", "documents", "measures", "navigation", "quiet"}
OF_ONE_RUN = ("explain", "simulate")
OF_TWO_ASSESSORS = ("agree",)
OF_BOUNDS = {"bounds", "pool", "assessed"}
WITH_BOUNDS = ("eval", "report", "compare", "gate")
LEFT_OUT = {
    "budget": {"measures", "navigation", "chunks"},
    "agree": {"assessments"},
    "compare": {"shape"},
    "plot": {"shape"},
    "study papers": {
        "measures", "shape", "task", "fix", "as_scored", "rank_by", "chunks", "tokenizer", "store",
    },
}  # fmt: skip
CHANGED = {
    "assessments": ["--qrels", "other.txt"],
    "documents": ["--docs", "missing.dox"],
    "measures": ["-m", "nonsense"],
    "navigation": ["--nav", "nonsense"],
    "topics": ["--topics", "run"],
    "task": ["--task", "focused"],
    "fix": ["--fix"],
    "as_scored": ["--as-scored"],
    "chunks": ["--chunks", "missing.csv"],
    "shape": ["--as", "trees"],
    "highlighted": ["--highlighted", "strict"],
    "tokenizer": ["--tokenizer", "missing.json"],
    "bounds": ["--bounds"],
    "pool": ["--bounds", "--pool", "missing.jsonl"],
    "assessed": ["--assessed", "highlights"],
    "depth": ["--depth", "1"],
    "unjudged": ["--unjudged", "skip"],
    "rank_by": ["--rank-by", "score"],
    "encoding": ["--encoding", "nonsense"],
    "question_attribute": ["--question-attribute", "nonsense"],
    "run_format": ["--run-format", "nonsense"],
    "assessments_format": ["--qrels-format", "nonsense"],
    "executor": ["--executor", "nonsense"],
    "merge": ["--merge", "majority"],
    "average": ["--average", "micro"],
    "unit": ["--unit", "lines"],
    "insertions": ["--insertions", "none"],
    "level": ["--level", "file"],
    "grid": ["--grid", "50"],
    "before": ["--before", "edit"],
    "quiet": ["--quiet"],
}
"""Options whose effect is seen from outside, with a value other than the usual one."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commands_of(owner: click.Group, name: str = "") -> dict[str, click.Command]:
    found: dict[str, click.Command] = {}
    for word in NAMES if owner is group else owner.commands:
        command = owner.get_command(click.Context(owner), word)
        assert command is not None
        full = f"{name} {word}".strip()
        found |= commands_of(command, full) if isinstance(command, click.Group) else {full: command}
    return found


def test_python_and_the_command_line_have_the_same_options() -> None:
    assert set(SCORING_FLAGS) - OF_THE_COMMAND_LINE == set(DEFAULTS) == set(ScoringOptions.__annotations__)


def test_every_command_that_scores_takes_every_option_and_is_in_these_tests() -> None:
    scoring = {
        name: {parameter.name for parameter in command.params if isinstance(parameter, click.Option)}
        for name, command in commands_of(group).items()
        if "unjudged" in {parameter.name for parameter in command.params}
    }
    assert set(scoring) == {name.replace(" means", "").replace(" curves", "") for name in COMMANDS}
    for name, taken in scoring.items():
        left_out = LEFT_OUT.get(name, set()) | (set() if name in WITH_BOUNDS else OF_BOUNDS)
        left_out |= set() if name in ("eval", "compare") else {"average"}
        assert set(SCORING_FLAGS) - taken == left_out, name


@pytest.mark.parametrize("option", CHANGED)
@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_changes_what_comes_out_or_is_refused(folder: Path, command: str, option: str) -> None:
    arguments = COMMANDS[command]
    if (command, option) == ("explain", "topics"):
        arguments = ["explain", "--run", "c.fol", "-q", "qrels.txt", "--topic", "t6", "-m", "iP@6"]
    replaced = next((word for word in arguments if word in ("a.fol", "c.fol")), None)
    if option == "quiet" and replaced:
        # Warnings stay in any case; a note that does not is needed, such as one about texts that were placed.
        found = {"topic": "t1", "doc": "d1", "rank": 1, "text": "word " * 4}
        (folder / "a.jsonl").write_text(json.dumps(found))
        arguments = ["a.jsonl" if word == replaced else word for word in arguments]
        arguments += [] if "-d" in arguments or "--docs" in arguments else ["-d", "documents.jsonl"]
    usual = usual_outcome(arguments, folder)
    assert usual[0] == 0, usual[:3]
    assert outcome([*arguments, *CHANGED[option]], folder) != usual


def test_cutoffs_can_be_listed_in_every_command(folder: Path) -> None:
    """They are the measures written out; commands that take one measure refuse both alike."""
    scored = [words for words in COMMANDS.values() if "iP@3" in " ".join(words) and words[0] != "study"]
    assert len(scored) > 5
    for arguments in scored:
        at = arguments.index("-m") + 1
        listed, written = (
            outcome([*arguments[:at], measures, *arguments[at + 1 :]], folder)
            for measures in ("iP@2,3 iR@1..3", "iP@2 iP@3 iR@1 iR@2 iR@3")
        )
        assert listed == written and ("one measure" in listed[1] or "iR@2" in str(listed)), listed[:3]


@pytest.mark.parametrize("command", COMMANDS)
def test_ranges_in_document_ids_are_read(folder: Path, command: str) -> None:
    arguments = [word.replace(".fol", ".trec").replace("qrels.txt", "ids.txt") for word in COMMANDS[command]]
    told = outcome([*arguments, "--ranges", "doc#start-end"], folder)
    assert told[0] == 0, told[:3]
    assert outcome(arguments, folder) != told


@pytest.mark.parametrize("command", COMMANDS)
def test_refused_lines_of_assessments_are_left_out_only_if_told_so(folder: Path, command: str) -> None:
    arguments = [word.replace("qrels.txt", "torn.txt") for word in COMMANDS[command]]
    assert outcome(arguments, folder)[0] != 0
    assert outcome([*arguments, "--keep-going"], folder)[0] == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_jobs_reach_the_workers(folder: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_workers(*_: object) -> None:
        raise DoxevalError("workers were called")

    monkeypatch.setattr(workers, "workers_for", no_workers)
    done = run([*COMMANDS[command], "--jobs", "2"])
    assert ("workers were called" in str(done.exception)) is (command not in OF_ONE_RUN)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_store_is_kept_or_refused(folder: Path, command: str) -> None:
    done = run([*COMMANDS[command], "--store", "kept"])
    refused = "--store would do nothing here" in str(done.exception) or "No such option" in done.output
    assert refused is (command in ("plot curves", "study papers"))
    scored = (1 if command in OF_ONE_RUN else 3) * (2 if command in OF_TWO_ASSESSORS else 1)
    assert refused or len(list((folder / "kept").glob("*/*.parquet"))) == scored


@pytest.mark.parametrize("option", [name for name in SCORING_FLAGS if name not in ("measures", "quiet")])
def test_options_of_runs_are_refused_where_there_are_only_scores(folder: Path, option: str) -> None:
    run(["eval", "a.fol", "b.fol", "-q", "qrels.txt", "-m", "iP@3", "--per-topic", "-o", "scores.csv"])
    values = CHANGED | {
        "added": ["--added", "free"],
        "own": ["--own", "shown"],
        "keep_going": ["--keep-going"],
        "ranges": ["--ranges", "x"],
        "jobs": ["--jobs", "2"],
        "store": ["--store", "k"],
    }
    for command in ("compare",) if option in {*OF_BOUNDS, "average"} else ("compare", "correlate", "plot"):
        more = ["--figure", "means", "-m", "iP@3", "-o", "out.png"] if command == "plot" else []
        done = run([command, "scores.csv", *more, *values[option]])
        assert "would do nothing here" in str(done.exception)
