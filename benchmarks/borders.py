"""How many borders between packages one evaluation crosses: ``python -m benchmarks.borders``.

Every call is watched in which a function of one package of doxeval calls one of another. A package is what
stands directly under `doxeval`: a room, or a module without one. Imports do not count, nor does a generator
that goes on; a caller outside doxeval (as numpy or click) is looked through.
"""

from __future__ import annotations

import sys
from collections import Counter
from functools import cache
from inspect import CO_GENERATOR
from pathlib import Path
from types import FrameType

import doxeval
from doxeval.cli import group
from doxeval.demo import ANSWERS, DOCUMENTS, RUNS

PACKAGE = Path(doxeval.__file__).parent
COMMAND = ["eval", str(RUNS / "sections.jsonl"), "--qrels", str(ANSWERS), "--docs", str(DOCUMENTS)]
MEASURES = "AiP ESRP@10"
FOUNDATIONS = {"core", "kernels"}
"""What every room stands on, as on the standard library."""


@cache
def room(file: str) -> str | None:
    """The package that a file of doxeval belongs to; None for other files and for the top."""
    path = Path(file)
    if not path.is_relative_to(PACKAGE):
        return None
    first = path.relative_to(PACKAGE).parts[0]
    return None if first.startswith("__") else first.removesuffix(".py")


def crossings(*options: str) -> Counter[tuple[str, str]]:
    """How often each border was crossed, as calling and called package."""
    crossed: Counter[tuple[str, str]] = Counter()
    generators: set[FrameType] = set()

    def watch(frame: FrameType, event: str, argument: object) -> None:
        called = room(frame.f_code.co_filename)
        if event != "call" or called is None or frame.f_code.co_name == "<module>" or frame in generators:
            return
        if frame.f_code.co_flags & CO_GENERATOR:
            generators.add(frame)
        caller, above = None, frame.f_back
        while above is not None and caller is None:
            caller, above = room(above.f_code.co_filename), above.f_back
        if caller not in (None, called):
            crossed[str(caller), called] += 1

    sys.setprofile(watch)
    try:
        group.main([*COMMAND, "-m", MEASURES, *options], standalone_mode=False)
    finally:
        sys.setprofile(None)
    return crossed


def main() -> None:
    """Print the borders, the most crossed first."""
    crossed = crossings(*sys.argv[1:])
    packages = {package for border in crossed for package in border}
    for (caller, called), times in crossed.most_common():
        print(f"{times:5d}  {caller} to {called}")
    print(f"{len(packages)} packages, {len(crossed)} borders, crossed {crossed.total()} times")
    between = Counter({border: times for border, times in crossed.items() if not FOUNDATIONS & {*border}})
    print(f"without {' and '.join(sorted(FOUNDATIONS))}: {len(between)} borders, {between.total()} times")


if __name__ == "__main__":
    main()
