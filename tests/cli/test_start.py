"""What is imported before anything is computed: `--version` and all help do without numpy."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from doxeval.cli import COMMANDS
from doxeval.cli.registered import OWN_NAMES, Registered
from doxeval.cli.support import to_type

HELP = """
import sys
import click
from click.testing import CliRunner
from doxeval.cli import COMMANDS, group

def of(command, words):
    yield words
    for name in getattr(command, "commands", {}):
        yield [*words, name]

asked = [["--version"], ["--help"], ["eval", "--no-such-option"]]
for name in COMMANDS:
    asked += ([*words, "--help"] for words in of(group.get_command(click.Context(group), name), [name]))
for words in asked:
    assert CliRunner().invoke(group, words).output
    heavy = {"numpy", "polars", "importlib.metadata"} & set(sys.modules)
    assert not heavy, (words, heavy)
"""
SMALL = """
import sys
from click.testing import CliRunner
from doxeval.cli import group

done = CliRunner().invoke(group, sys.argv[1:])
assert done.exit_code == 0, done.output
print(*sorted({"numpy.ma", "hashlib", "scipy", "polars", "importlib.metadata"} & set(sys.modules)))
"""
DEMO = Path(__file__).parents[2] / "src" / "doxeval" / "demo"


def _python(code: str, *words: object) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_no_help_imports_what_computes() -> None:
    _python(HELP)


def test_a_small_evaluation_imports_nothing_that_takes_long() -> None:
    run, answers = DEMO / "runs" / "sections.jsonl", DEMO / "answers.jsonl"
    assert _python(SMALL, "eval", run, "-q", answers, "-m", "AiP iP@5 iR@5") == ""


@pytest.mark.parametrize("home", OWN_NAMES)
def test_names_that_help_lists_are_those_registered(home: str) -> None:
    module, _, registry = home.rpartition(".")
    assert OWN_NAMES[home].split() == list(getattr(importlib.import_module(f"doxeval.{module}"), registry))


def test_every_option_of_registered_names_knows_them_unopened() -> None:
    commands = [importlib.import_module(f"doxeval.cli.{name}_command").command for name in COMMANDS]
    inner = [one for command in commands for one in getattr(command, "commands", {}).values()]
    kinds = [option.type for command in [*commands, *inner] for option in command.params]
    assert {kind.home for kind in kinds if isinstance(kind, Registered)} == set(OWN_NAMES)


def test_help_lists_what_plug_ins_announce(tmp_path: Path) -> None:
    (tmp_path / "added.py").write_text(
        "from dataclasses import replace\nfrom doxeval.extend import register\n"
        "from doxeval.comparison.tests import TESTS\nregister(replace(TESTS['t'], name='added'))\n"
    )
    (tmp_path / "added-1.0.dist-info").mkdir()
    (tmp_path / "added-1.0.dist-info" / "METADATA").write_text("Name: added\nVersion: 1.0\n")
    announced = "[doxeval.tests]\nadded = added\n"
    (tmp_path / "added-1.0.dist-info" / "entry_points.txt").write_text(announced)
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-m", "doxeval", "gate", "--help"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "|added]" in "".join(done.stdout.split()), done.stdout + done.stderr


def test_choices_are_still_refused_by_name() -> None:
    with pytest.raises(click.BadParameter, match="'tukey'"):
        Registered("comparison.tests.TESTS").convert("tuckey", None, None)


@pytest.mark.parametrize(
    ("started", "found", "typed"),
    [
        ("/elsewhere/bin/doxeval", True, "doxeval"),
        ("/elsewhere/bin/doxeval", False, "/elsewhere/bin/doxeval"),
        ("/elsewhere/doxeval/__main__.py", True, "doxeval"),
        ("/elsewhere/doxeval/__main__.py", False, "/elsewhere/bin/python -m doxeval"),
        ("/elsewhere/bin/pytest", False, "doxeval"),
    ],
)
def test_commands_are_told_as_one_types_them(started: str, found: bool, typed: str, monkeypatch) -> None:
    monkeypatch.setattr("sys.argv", [started])
    monkeypatch.setattr("sys.executable", "/elsewhere/bin/python")
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}" if found else None)
    assert to_type() == typed
