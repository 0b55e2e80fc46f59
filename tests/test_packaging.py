"""What is installed: the version, the extras, the types, the demo, a command line that starts in a blink."""

from __future__ import annotations

import ast
import doctest
import importlib
import importlib.util
import json
import os
import platform
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.metadata import metadata, requires
from pathlib import Path
from typing import Any, cast

import pytest

import doxeval
from doxeval.core.scipy_here import PARTS
from doxeval.demo import ANSWERS, DOCUMENTS, RUNS
from doxeval.kernels import compiled

PROJECT = Path(__file__).parent.parent
KERNELS_AT_WORK = "AiP iR@2000c PRUM ESRP@10 SRiP2@5 AgP CE@3"
HEAVY = {"polars", "lxml", "scipy", "selectolax", "markdown_it", "ir_measures", "pandas", "pyarrow"}


def doxeval_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "doxeval", *arguments], capture_output=True, text=True, check=True
    )


def test_version_says_which_kernels_run():
    said = doxeval_command("--version").stdout
    assert said.startswith(f"doxeval {doxeval.__version__}, ")
    assert ("compiled kernels" in said) == compiled()
    assert ("plain Python kernels" in said) != compiled()


def test_version_is_told_once():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    assert "version" not in project and project["dynamic"] == ["version"]
    assert doxeval.__version__ == metadata("doxeval")["Version"]
    assert f"[{doxeval.__version__}]" in (PROJECT / "CHANGELOG.md").read_text()


def test_extra_all_holds_every_extra_for_users():
    extras = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    developers = {"all", "test", "lint", "bench", "fuzz"}
    (everything,) = extras["all"]
    held = re.fullmatch(r"doxeval\[(.*)\]", everything)
    assert held is not None
    assert set(held[1].split(",")) == set(extras) - developers
    assert requires("doxeval") is not None


BUILD_ONLY = {"setuptools", "cython"}
BROUGHT = {"anyio", "llama_index"}
"""Modules that come with what needs them: with mcp, and with a splitter that is given."""
MODULES = {
    "markdown-it-py": "markdown_it", "pyarrow": None, "pygamma-agreement": "pygamma_agreement",
    "tree-sitter": "tree_sitter", "tree-sitter-language-pack": "tree_sitter_language_pack", "cwl-eval": None,
}  # fmt: skip
"""Where a distribution's module has another name; None where another library imports it."""


def imported_modules() -> set[str]:
    """The top-level modules of others that the package imports anywhere, but for Cython's own names."""
    found: set[str] = set()
    for path in Path(doxeval.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    found |= {module.partition(".")[0] for module, _ in PARTS.values()}
    return found - set(sys.stdlib_module_names) - {"doxeval"} - BUILD_ONLY - BROUGHT


def test_what_is_imported_is_declared_and_what_is_declared_is_imported():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    users = re.fullmatch(r"doxeval\[(.*)\]", extras["all"][0])[1].split(",")
    declared = [*project["dependencies"], *(wish for extra in users for wish in extras[extra])]
    names = [re.match(r"[\w-]+", wish)[0] for wish in declared]
    assert {MODULES.get(name, name) for name in names} - {None, "doxeval"} == imported_modules()


NO_CYTHON = """
import sys
sys.modules["cython"] = sys.modules["Cython"] = None
from importlib import import_module
from pkgutil import iter_modules
import doxeval.kernels
for module in iter_modules(doxeval.kernels.__path__):
    import_module("doxeval.kernels." + module.name)
assert doxeval.kernels.compiled() is {compiled}
from doxeval.cli import main
main()
"""


@pytest.mark.parametrize("plain", [False, True])
def test_cython_is_not_needed_at_run_time(plain: bool):
    if not plain and not compiled():
        pytest.skip("the kernels are not compiled")
    environment = {key: value for key, value in os.environ.items() if key != "DOXEVAL_PLAIN_KERNELS"}
    if plain:
        environment["DOXEVAL_PLAIN_KERNELS"] = "1"
    runs = [str(path) for path in sorted(RUNS.glob("*.jsonl"))]
    arguments = ["eval", *runs, "--qrels", str(ANSWERS), "--docs", str(DOCUMENTS), "-m", KERNELS_AT_WORK]
    done = subprocess.run(
        [sys.executable, "-c", NO_CYTHON.format(compiled=not plain), *arguments],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == doxeval_command(*arguments).stdout


CHANGES_THE_PROCESS = re.compile(
    r"os\.environ\[[^]]*\] *=|os\.environ\.(setdefault|update|pop|clear)|os\.(putenv|unsetenv|chdir)"
    r"|field_size_limit|gc\.(set_threshold|disable|freeze)|setrecursionlimit|setlocale|mallopt|madvise"
)


def test_only_the_command_line_changes_the_process_it_runs_in():
    package = Path(doxeval.__file__).parent
    changing = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if CHANGES_THE_PROCESS.search(path.read_text(encoding="utf-8"))
    }
    assert changing == {"__main__.py"}


PAGES_OF_NEW_ARRAYS = """
import resource, numpy as np, doxeval.__main__ as command
command.own_the_process()
np.ones(1 << 18)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(50):
    np.ones(1 << 18)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif("glibc" not in platform.libc_ver()[0], reason="about the allocator of glibc")
def test_the_command_uses_memory_again():
    done = subprocess.run([sys.executable, "-c", PAGES_OF_NEW_ARRAYS], capture_output=True, check=True)
    pages_of_an_array = (8 << 18) // 4096
    assert int(done.stdout) < 5 * pages_of_an_array


ENDS = """
import atexit, gc, sys, threading, doxeval.cli, doxeval.__main__ as command
class Kept:
    def __del__(self): sys.stdout.write("taken apart ")
def run(): sys.stdout.write("done "); {ends}
atexit.register(print, "told ", end="")
kept, doxeval.cli.main = Kept(), run
command.main()
"""


@pytest.mark.parametrize(
    ("ends", "status", "printed"),
    [
        ("", 0, "done told "),
        ("sys.exit(3)", 3, "done told "),
        ("sys.exit('no')", 1, "done told taken apart "),
        ("1 / 0", 1, "done told taken apart "),
        ("import multiprocessing", 0, "done told taken apart "),
        ("threading.Timer(0.1, print, ['late '], {'end': ''}).start()", 0, "done late told taken apart "),
    ],
)
def test_the_command_ends_without_taking_the_interpreter_apart(ends: str, status: int, printed: str):
    done = subprocess.run([sys.executable, "-c", ENDS.format(ends=ends)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (status, printed)


def test_citation_names_one_entity_and_no_version():
    lines = (PROJECT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    authors = lines[lines.index("authors:") + 1 :]
    assert authors[0] == "  - name: The doxeval contributors" and not authors[1].startswith(" ")
    assert not any(line.startswith(("doi", "version", "date-released")) for line in lines)


def test_package_is_typed_and_carries_the_demo():
    package = Path(doxeval.__file__).parent
    assert (package / "py.typed").exists()
    assert (package / "demo" / "questions.jsonl").exists()
    assert len(list((package / "demo" / "documents").glob("*.md"))) >= 10
    data = tomllib.loads((PROJECT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    assert {"py.typed", "demo/**/*"} <= set(data["doxeval"])


def modules_after(statement: str) -> set[str]:
    """The top-level modules loaded once a statement has run in a fresh process."""
    code = (
        f"import sys, json\ntry:\n    {statement}\nexcept SystemExit:\n    pass\n"
        "print()\nprint(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    return set(json.loads(printed.splitlines()[-1]))


def test_help_loads_nothing_heavy():
    loaded = modules_after("sys.argv = ['doxeval', '--help']; from doxeval.cli import main; main()")
    assert "doxeval" in loaded and not loaded & (HEAVY | {"numpy"})


def test_import_loads_nothing_heavy():
    assert not modules_after("import doxeval") & (HEAVY | {"numpy"})
    assert not modules_after("import doxeval; doxeval.evaluate, doxeval.read_run") & HEAVY


def test_the_plug_in_for_pytest_is_announced_and_loads_nothing_heavy():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    (module,) = project["entry-points"]["pytest11"].values()
    assert hasattr(importlib.import_module(module), "pytest_addoption")
    assert not modules_after(f"import {module}") & (HEAVY | {"numpy"})


def test_public_names_exist():
    for name in cast(Any, doxeval).__all__:
        assert getattr(doxeval, name) is not None
    assert set(cast(Any, doxeval).__all__) <= set(dir(doxeval))


def test_kernels_exist_as_plain_python():
    package = Path(doxeval.__file__).parent / "kernels"
    names = {path.name.partition(".")[0] for path in package.iterdir() if path.suffix in (".so", ".pyd")}
    assert all((package / f"{name}.py").exists() for name in names)
    assert importlib.util.find_spec("doxeval.kernels.scan") is not None


def test_readme_examples_print_what_it_says(tmp_path: Path):
    page = (PROJECT / "README.md").read_text(encoding="utf-8")
    (session,) = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        program, *arguments = shlex.split(command)
        assert program == "doxeval"
        done = subprocess.run(
            [sys.executable, "-m", "doxeval", *arguments], capture_output=True, text=True, cwd=tmp_path,
            env=os.environ | {"COLUMNS": "80", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        )  # fmt: skip
        assert (done.stdout, done.stderr) == (expected, "")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    test = doctest.DocTestParser().get_doctest(example, {}, "README", "README.md", 0)
    assert doctest.DocTestRunner().run(test).failed == 0
