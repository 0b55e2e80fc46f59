"""Try mutants, and list those that no test noticed: ``python -m tests.mutants --seed 7 --count 400``."""

from __future__ import annotations

import argparse
import compileall
import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

import coverage
import pytest

from tests.conftest import SLOW
from tests.mutants.changes import Mutant, sampled

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "doxeval"
FOLDER = ROOT / "build" / "mutants"
ELSEWHERE = {
    "approved/test_processors.py", "browser", "judging/test_copies.py", "judging/test_kills.py",
    "judging/test_tutorial.py",
    "show/notebooks/test_executed.py", "show/notebooks/test_outputs.py", "test_action.py",
    "test_contributing.py", "test_packaging.py",
}  # fmt: skip
TESTS = ("tests", *(f"tests/{name}" for name in sorted(SLOW - ELSEWHERE)))
"""What may notice: all quick tests, and those slow ones that run the package in their own process."""
FIRST_FILES = 3
BESIDE_KERNELS = ("__init__.py", "stand_in.py")
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")


class Reached:
    """Which tests reach a line, and how long each takes, as one run of the tests has recorded it."""

    def __init__(self, package: Path) -> None:
        self.package = package
        self.times: dict[str, float] = {}
        for path in FOLDER.glob("reach/times-*.json"):
            self.times |= json.loads(path.read_text())
        self.lines = coverage.CoverageData(str(FOLDER / "reach" / "lines"))
        self.lines.read()
        self.by_file = cache(self.by_line)

    def in_plain_python(self, mutant: Mutant) -> bool:
        """Whether any test reaches the change where nothing is compiled."""
        return any(name in self.times for name in self.by_file(mutant.path).get(mutant.line, []))

    def by_line(self, path: str) -> dict[int, list[str]]:
        """The tests that reach each line of a file."""
        return self.lines.contexts_by_lineno(str(self.package / path))

    def tests(self, mutant: Mutant, seconds: float) -> list[str]:
        """The tests that reach a change, quickest first, as many as fit into the time.

        What runs when a module is imported is reached by every test that reaches anything else in it, or if
        there is nothing else, by the tests of its room.
        """
        lines = self.by_file(mutant.path)
        reaching = lines.get(mutant.line, [""])
        names = {name for name in reaching if name in self.times}
        if "" in reaching:
            names |= {name for tests in lines.values() for name in tests if name in self.times}
        names = names or {name for name in self.times if name.startswith(f"tests/{mutant.room}/")}
        chosen, spent = [], 0.0
        for name in sorted(names, key=lambda name: (self.times[name], name)):
            spent += self.times[name]
            if spent > seconds:
                break
            chosen.append(name)
        return chosen


def plain_copy(folder: Path) -> Path:
    """Copy the package without compiled kernels, as byte code too; return the folder that holds it."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(
        PACKAGE, folder / "doxeval", ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    )
    compileall.compile_dir(folder, quiet=1)
    return folder


def record(jobs: int, tests: Sequence[str]) -> None:
    """Run the tests once on a plain copy, and record what each and its processes reach, for later samples."""
    reach = FOLDER / "reach"
    shutil.rmtree(reach, ignore_errors=True)
    reach.mkdir(parents=True)
    plain = plain_copy(FOLDER / "recorded")
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, (plain, Path(__file__).parent, ROOT))),
        "DOXEVAL_REACH": str(reach),
        "DOXEVAL_REACH_PACKAGE": str(plain / "doxeval"),
    }
    command = (*PYTEST, "-p", "tests.mutants.reach", "-n", str(jobs), *tests)
    subprocess.run(command, cwd=ROOT, env=environment, check=False)
    combined = coverage.Coverage(data_file=str(reach / "lines"), config_file=False)
    combined.combine([str(reach)])
    combined.save()


def tried(mutant: Mutant, reached: Reached, tree: Path, seconds: float) -> str:
    """Return what became of a mutant: killed, survived, or unreached.

    The examples in the changed module are run first, and the tests of the files with most of them:
    importing the others takes longer than they do.
    """
    tests = reached.tests(mutant, seconds)
    if not tests:
        return "unreached"
    examples = ["--doctest-modules", f"{tree / 'doxeval' / mutant.path}"]
    common = [name for name, _ in Counter(map(file_of, tests)).most_common(FIRST_FILES)]
    first = [name for name in tests if file_of(name) in common]
    path = tree / "doxeval" / mutant.path
    source = path.read_bytes()
    try:
        path.write_bytes(mutant.applied(source))
        if mutant.room == "kernels" and not reached.in_plain_python(mutant) and not compiled(path):
            return "killed"
        rest = [name for name in tests if file_of(name) not in common]
        for part in (examples if mutant.room != "kernels" else [], first, rest):
            taken = sum(reached.times.get(name, 0) for name in part)
            if part and not passes(part, tree, 60 + 5 * taken):
                return "killed"
    finally:
        path.write_bytes(source)
        for module in path.parent.glob("*.so"):
            module.unlink()
    return "survived"


def compiled(kernel: Path) -> bool:
    """Compile a changed kernel, which has loops that only C takes, beside its source; whether that works."""
    with TemporaryDirectory() as work:
        kernels = Path(work, "src", "doxeval", "kernels")
        shutil.copytree(kernel.parent, kernels)
        for other in {*kernels.glob("*.py")} - {kernels / name for name in (*BESIDE_KERNELS, kernel.name)}:
            other.unlink()
        shutil.copy(ROOT / "setup.py", work)
        subprocess.run(
            (sys.executable, "setup.py", "-q", "build_ext"),
            cwd=work,
            capture_output=True,
            check=False,
        )
        for module in Path(work).rglob("*.so"):
            shutil.copy(module, kernel.parent)
    return any(kernel.parent.glob("*.so"))


def file_of(test: str) -> str:
    """The file of a test."""
    return test.partition("::")[0]


def passes(tests: list[str], tree: Path, limit: float) -> bool:
    """Whether all tests pass with the package of a folder, before the time is over."""
    arguments = tree / "tests.txt"
    arguments.write_text("\n".join(tests))
    environment = os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    command = (*PYTEST, "-x", "-n", "0", f"@{arguments}")
    try:
        ended = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return ended.returncode in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


def table(results: list[tuple[Mutant, str]]) -> str:
    """A line for each room, and the mutants to look at."""
    fates = ("killed", "survived", "unreached")
    counts = Counter((mutant.room, fate) for mutant, fate in results)
    rows: list[tuple[str, ...]] = [("room", *fates)]
    rows += [
        (room, *(str(counts[room, fate]) for fate in fates)) for room in sorted({m.room for m, _ in results})
    ]
    rows.append(("all", *(str(sum(found == fate for _, found in results)) for fate in fates)))
    lines = [
        "".join(f"{cell:>12}" if column else f"{cell:<14}" for column, cell in enumerate(row)) for row in rows
    ]
    return "\n".join([*lines, "", *(f"{fate}  {mutant}" for mutant, fate in results if fate != "killed")])


def main() -> None:
    """Try mutants until enough were tried or the time is over."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--count", type=int, default=400, help="how many mutants are tried, the rooms in turn"
    )
    parser.add_argument("--seconds", type=float, default=3600, help="after how long no further one is tried")
    parser.add_argument(
        "--each", type=float, default=60, help="seconds of tests for one mutant, quickest first"
    )
    parser.add_argument("--rooms", nargs="*", default=(), help="only these rooms")
    parser.add_argument("--tests", nargs="*", default=TESTS, help="only these tests may notice")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--again", action="store_true", help="record anew which tests reach which lines")
    given = parser.parse_args()
    if given.again or not (FOLDER / "reach" / "lines").exists():
        record(given.jobs, given.tests)
    package = FOLDER / "recorded" / "doxeval"
    reached = Reached(package)
    trees: SimpleQueue[Path] = SimpleQueue()
    for job in range(given.jobs):
        trees.put(plain_copy(FOLDER / str(job)))
    end = time.monotonic() + given.seconds
    results: list[tuple[Mutant, str]] = []

    def attempt(mutant: Mutant) -> None:
        if time.monotonic() < end:
            tree = trees.get()
            results.append((mutant, tried(mutant, reached, tree, given.each)))
            trees.put(tree)
            print(f"{len(results)}: {results[-1][1]}  {mutant}", file=sys.stderr, flush=True)

    with ThreadPoolExecutor(given.jobs) as pool:
        list(pool.map(attempt, sampled(package, given.count, given.seed, tuple(given.rooms))))
    print(table(results))


if __name__ == "__main__":
    main()
