"""One registry for everything that has a name: no collisions, late registration, plug-ins, lazy loading."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import COMMANDS, group
from doxeval.core.errors import UsageError
from doxeval.core.registry import REGISTRIES
from doxeval.extend import NAVIGATIONS, Measure, Navigation, Parameter, register
from tests.core.things import KINDS, THINGS, Counting, registered, session

QRELS = [{"topic": t, "doc": "d1", "start": 0, "end": 30} for t in ("t1", "t2", "t3")]


def _files(folder: Path) -> tuple[list[str], str]:
    runs = []
    for number in range(3):
        rows = [
            {"topic": t, "doc": "d1", "rank": 1, "start": 7 * number + at, "end": 40 + at}
            for at, t in enumerate(("t1", "t2", "t3"))
        ]
        (folder / f"run{number}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        runs.append(str(folder / f"run{number}.jsonl"))
    (folder / "qrels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in QRELS))
    return runs, str(folder / "qrels.jsonl")


def _run(*arguments: str) -> str:
    done = CliRunner().invoke(group, list(arguments))
    assert done.exit_code == 0, f"{arguments}: {done.output} {done.exception!r}"
    return done.stdout


def test_every_kind_has_its_thing_here() -> None:
    assert sorted(registry.kind for registry in REGISTRIES if registry.kind[-6:] != "format") == sorted(
        kind for kind in KINDS if kind[-6:] != "format"
    )


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.kind)
def test_every_name_finds_its_thing_and_a_slip_the_nearest(registry) -> None:
    for thing in registry.all().values():
        for known_as in registry.names_of(thing):
            assert registry.find(known_as) is thing and registry[known_as] is thing and known_as in registry
        assert registry.register(thing) is thing
    assert list(registry) and set(registry) <= set(registry.names()) and len(registry) == len(list(registry))
    slip = next(iter(registry)) + "x"
    with pytest.raises(UsageError, match=f"unknown {registry.kind} '{slip}'"):
        registry[slip]


@pytest.mark.parametrize(("registry", "thing", "name"), THINGS, ids=KINDS)
def test_a_collision_is_an_error_and_changes_nothing(registry, thing, name) -> None:
    with session():
        taken = next(iter(registry))
        theirs = registry[taken]
        if isinstance(thing, type):
            impostor = type("Impostor", (thing,), {"name": taken, "aliases": ()})
        else:
            from dataclasses import replace

            impostor = replace(thing, name=taken)
        with pytest.raises(UsageError, match=f"two {registry.kind}s are named '{taken}'"):
            register(impostor)
        assert registry[taken] is theirs


def test_an_alias_may_not_take_a_name_either() -> None:
    with session(), pytest.raises(UsageError, match="two measures are named 'iP'"):
        register(type("Sly", (Counting,), {"name": "Sly", "aliases": ("iP",)}))
    assert "Sly" not in dx.measures()


def test_a_class_that_is_defined_again_replaces_itself() -> None:
    with session():
        register(Counting)
        again = register(type("Counting", (Counting,), {"__module__": Counting.__module__}))
        assert dx.measures()["Counting"] is again


def test_a_class_that_lacks_something_is_refused_with_what_it_lacks() -> None:
    said = (
        r"the measure tests\..*Bare lacks `user`, a sentence about the reader it models; `paper`, where it "
        r"is defined; `score\(\)`: One value per assessed topic"
    )
    with session(), pytest.raises(UsageError, match=said):
        register(type("Bare", (Measure,), {"name": "Bare", "__module__": __name__}))
    with session(), pytest.raises(UsageError, match=r"Bare lacks `reader`, .*; `pairs\(\)`: "):
        register(type("Bare", (Navigation,), {"name": "bare"}))
    assert "Bare" not in dx.measures()


def test_a_wrong_declaration_is_refused_with_the_right_ones() -> None:
    with pytest.raises(UsageError, match=r"'least' must be one of 'number' .*'integer' .*, not 'int'"):
        Parameter("least", "int", 1, "how much is enough")
    with pytest.raises(UsageError, match="`cutoff` of Cut must be 'required' or 'optional' or 'none'"):
        type("Cut", (Measure,), {"name": "Cut", "cutoff": True})


def test_what_is_none_of_the_kinds_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be registered"):
        register(len)
    with pytest.raises(UsageError, match="is not a navigation model"):
        NAVIGATIONS.register(Counting)


@pytest.mark.parametrize(("registry", "thing", "name"), THINGS, ids=KINDS)
def test_late_registration_is_seen(registry, thing, name) -> None:
    with session():
        assert name not in registry and name not in registry.all()
        assert register(thing) is thing
        assert registry[name] is thing and name in registry.all()
    assert name not in registry


def test_a_sessions_things_appear_on_the_command_line(tmp_path) -> None:
    runs, qrels = _files(tmp_path)
    (tmp_path / "bars.txt").write_text("BARS\nt1|d1|0|30\n")
    scores = ("--qrels", qrels, "-m")
    with registered():
        assert "Counting" in _run("measures") and "Counts results." in _run("measures", "Counts")
        assert "Half" in _run("measures") and "everywhere" in _run("navigations")
        assert "Sees everything" in _run("navigations", "everywhere")
        assert "backwards" in _run("measures", "LE")
        assert "bars" in _run("formats")
        for option in (
            ("--task", "anything"),
            ("--test", "never"),
            ("--interval", "tee"),
            ("--correction", "double"),
        ):
            assert option[1] in _run("compare", "--help"), option
        assert "arr" in _run("correlate", "--help") and "same" in _run("perturb", "--perturbations")
        assert "never" in _run("agree", "--help")
        assert "backwards" in _run("report", "--help")
        assert "1.0000" in _run("eval", runs[0], *scores, "Counting")
        assert "0.5000" in _run("eval", runs[0], *scores, "gP(score=Half)@1")
        assert "run0" in _run("eval", runs[0], *scores, "CE(order=backwards)@3")
        assert "iP@5" in _run("eval", runs[0], "--qrels", qrels, "--task", "anything")
        assert "1.0000" in _run("eval", str(tmp_path / "bars.txt"), *scores, "iP@1", "--topics", "run")
        compared = _run("compare", *runs[:2], *scores, "iR@1", "--test", "never", "--interval", "tee")
        assert "no test" in compared and "Student's again" in compared
        doubled = _run(
            "compare", *runs, *scores, "iR@1", "-b", "run0", "--test", "t", "--correction", "double"
        )
        assert "doubled" in doubled
        assert "r again" in _run("correlate", *runs, *scores, "iR@1 iP@1", "-c", "arr")
        _run("perturb", runs[0], "same", str(tmp_path / "same.jsonl"), "--qrels", qrels)
    done = CliRunner().invoke(group, ["compare", *runs[:2], *scores, "iR@1", "--test", "never"])
    assert done.exit_code == 2 and "never" in done.output


def test_no_command_keeps_a_list_of_registered_names_of_its_own() -> None:
    """Whatever choice on the command line lists the names of a registry changes when the registry does."""
    import importlib

    import click

    options = [
        (name, option)
        for name in COMMANDS
        for option in importlib.import_module(f"doxeval.cli.{name}_command").command.params
        if isinstance(option.type, click.Choice)
    ]
    before = {(name, option.name): tuple(option.type.choices) for name, option in options}
    with registered():
        after = {(name, option.name): tuple(option.type.choices) for name, option in options}
        lists = {tuple(registry)[:-1]: registry.kind for registry in REGISTRIES}
    for place, choices in before.items():
        for own, kind in lists.items():
            if set(own) <= set(choices):
                assert after[place] != choices, f"{place} lists every {kind} but not new ones"


PLUGIN = """
from doxeval.extend import register
from tests.core.things import THINGS
for registry, thing, name in THINGS:
    register(thing)
"""


def test_plug_ins_are_found_by_entry_points(tmp_path) -> None:
    groups = {registry.group for registry in REGISTRIES}
    assert "" not in groups and {"doxeval.measures", "doxeval.navigation", "doxeval.formats"} <= groups
    (tmp_path / "plugged.py").write_text(PLUGIN)
    info = tmp_path / "plugged-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("".join(f"[{name}]\nall = plugged\n" for name in sorted(groups)))
    root = Path(__file__).parents[2]
    paths = [str(tmp_path), str(root), str(root / "src")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    for registry, _, name in THINGS:
        home = next(
            f"{module}:{attribute}"
            for module, loaded in list(sys.modules.items())
            if module.startswith("doxeval.")
            for attribute, value in vars(loaded).items()
            if value is registry or (attribute == "REGISTRY_OF" and registry in value.values())
        )
        module, _, attribute = home.partition(":")
        found = f"{attribute}['run']" if attribute == "REGISTRY_OF" else attribute
        code = f"import sys; from {module} import {attribute}; before = 'plugged' in sys.modules\n"
        code += f"print(before, {found}[{name!r}].name, 'plugged' in sys.modules)"
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, cwd=tmp_path
        )
        assert done.stdout.split() == ["False", name, "True"], done.stderr


BROKEN = {
    "import no_such_module_anywhere": "ModuleNotFoundError: No module named",
    "raise SystemExit('needs a licence')": "SystemExit: needs a licence",
    "from doxeval.extend import *\n@register\nclass A(Measure):\n name = 'AiP'": "UsageError: two measures",
}
"""Code of plug-ins that fails, and the reason that is reported; the last one is for measures only."""


@pytest.fixture
def with_broken_plugins(tmp_path: Path) -> dict[str, str]:
    """An environment with a distribution whose entry points fail, each in its way, beside one that works."""
    info = tmp_path / "shaky-2.3.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shaky\nVersion: 2.3\n")
    entries = "shaky0 = shaky0\nshaky1 = shaky1\nworks = works\n"
    groups = {registry.group: entries for registry in REGISTRIES}
    groups["doxeval.measures"] += "shaky2 = shaky2\n"
    (info / "entry_points.txt").write_text("".join(f"[{group}]\n{given}" for group, given in groups.items()))
    for at, code in enumerate(BROKEN):
        (tmp_path / f"shaky{at}.py").write_text(code)
    (tmp_path / "works.py").write_text(PLUGIN)
    root = Path(__file__).parents[2]
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(root), str(root / "src")])}


def _doxeval(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "doxeval", *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_broken_plug_ins_break_nothing_else(with_broken_plugins, tmp_path) -> None:
    (tmp_path / "run.fol").write_text("1 Q0 d1 1 9.5 sys 10 30\n")
    (tmp_path / "qrels.jsonl").write_text('{"topic": "1", "doc": "d1", "start": 10, "end": 40}\n')
    files = [str(tmp_path / "run.fol"), "-q", str(tmp_path / "qrels.jsonl")]
    ours = next(name for registry, _, name in THINGS if registry.kind == "measure")
    for measure in ("AiP", ours):
        done = _doxeval("eval", *files, "-m", measure, env=with_broken_plugins)
        assert done.returncode == 0 and "shaky" not in done.stdout + done.stderr, done.stderr


@pytest.mark.parametrize("arguments", ["measures", "measures No", "eval x -q y -m No", "navigations"])
def test_broken_plug_ins_are_named_where_their_names_would_be(with_broken_plugins, arguments) -> None:
    done = _doxeval(*arguments.split(), env=with_broken_plugins)
    assert done.returncode == (2 if "No" in arguments else 0) and "Traceback" not in done.stderr, done.stderr
    problems = list(BROKEN.values())[: 2 if arguments == "navigations" else 3]
    for at, problem in enumerate(problems):
        told = f"the plug-in 'shaky{at}' of shaky 2.3 \\(doxeval[a-z.]+\\) cannot be loaded: {problem}"
        assert re.search(told, " ".join(done.stderr.split())), done.stderr


FAILING = """
from doxeval.extend import Format, Measure, Navigation, Parser, register


def fails(*_):
    raise KeyError("mine")


@register
class Falls(Measure):
    '1 / 0.'
    name = "Falls"
    user = "Falls."
    paper = "none"
    example = "Falls"
    score = fails


@register
class Lost(Navigation):
    'Nowhere.'
    name = "lost"
    reader = "Gets lost."
    paper = "none"
    example = "lost"
    pairs = fails


register(Format("falls", "run", "fails", fails, fails))
register(Parser("crumbling", fails))
"""
NAMED = "the plug-in shaky 2.3 failed"
FAILURES = {
    "eval run.jsonl -q qrels.jsonl -m Falls": f"error: {NAMED}: KeyError: 'mine'",
    "eval run.jsonl run2.jsonl -q qrels.jsonl -m Falls --jobs 2": f"error: {NAMED}: KeyError: 'mine'",
    "eval run.jsonl -q qrels.jsonl -d documents -m ESRP@5 --nav lost": f"error: {NAMED}: KeyError: 'mine'",
    "eval odd.ssv -q qrels.jsonl -m AiP": f"{NAMED} (format falls): KeyError: 'mine'",
    "validate run.jsonl --input-format falls": f"run.jsonl: {NAMED}: KeyError: 'mine'",
    "index documents --input-format crumbling -o d.dox": f"{NAMED} (documents/d1.md: KeyError: 'mine')",
}
"""Commands that use a part of the plug-in, and what they report."""


def test_a_plug_in_that_fails_in_use_is_named_and_breaks_nothing_else(tmp_path) -> None:
    info = tmp_path / "shaky-2.3.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shaky\nVersion: 2.3\n")
    groups = ("measures", "navigation", "formats", "parsers")
    (info / "entry_points.txt").write_text("".join(f"[doxeval.{name}]\nfalls = falls\n" for name in groups))
    (tmp_path / "falls.py").write_text(FAILING)
    (tmp_path / "odd.ssv").write_text("topic,doc\n")
    for name in ("run.jsonl", "run2.jsonl"):
        (tmp_path / name).write_text('{"topic": "1", "doc": "d1", "rank": 1, "start": 10, "end": 20}\n')
    (tmp_path / "qrels.jsonl").write_text('{"topic": "1", "doc": "d1", "start": 10, "end": 40}\n')
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "d1.md").write_text(
        "# One\n\nSome text is here.\n\n# Two\n\nMore of it is here.\n"
    )
    root = Path(__file__).parents[2]
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(root), str(root / "src")])}

    def run(command: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-m", "doxeval", *command.split()]
        return subprocess.run(words, env=env, capture_output=True, text=True, cwd=tmp_path)

    for command, reported in FAILURES.items():
        done = run(command)
        printed = " ".join((done.stdout + done.stderr).split())
        status = 1 if command.startswith("validate") else 2
        assert done.returncode == status and reported in printed, (command, printed)
        assert "bug in doxeval" not in printed and "not readable" not in printed, (command, printed)
    for command in (
        "eval run.jsonl -q qrels.jsonl -m AiP",
        "measures",
        "navigations",
        "index documents -o d.dox",
    ):
        done = run(command)
        assert done.returncode == 0 and "failed" not in done.stderr, (command, done.stderr)


def test_a_name_loads_no_more_than_its_module() -> None:
    code = """
import sys, doxeval
doxeval.measure("AiP")
loaded = [name for name in sys.modules if name.startswith("doxeval.measurement.")]
print(len(loaded), "doxeval.measurement.prum" in loaded, "importlib.metadata" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    count, other, metadata = done.stdout.split()
    assert int(count) < 13 and other == metadata == "False", done.stdout + done.stderr
