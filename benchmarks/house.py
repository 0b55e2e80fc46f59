"""The size of the house, and the way that one evaluation takes through it: ``python -m benchmarks.house``.

A line of code is one that is neither blank nor only a comment or a docstring. An option slot is an option or
argument of a command. A walk is one evaluation of the demo by one measure, followed call by call:

- its modules are those of which a function is called;
- its room changes are the calls in which the caller is in another room, looking through callers that are not
  of doxeval, such as numpy or click;
- its depth is the largest number of frames of doxeval that are open at once.

A room is what is directly under `doxeval`. What runs while a module is imported does not count, nor does a
generator that goes on.
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import cache
from inspect import CO_GENERATOR
from pathlib import Path
from types import FrameType

import doxeval

PACKAGE = Path(doxeval.__file__).parent
MEASURES = ("AiP", "ESRP@10")
SPACE = {
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.COMMENT,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def lines_of_code(text: str) -> int:
    """The number of lines of a module that are neither blank nor only comments or docstrings."""
    documented = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    coded = {
        line
        for token in tokens
        if token.type not in SPACE
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(coded - documented)


@cache
def place(file: str) -> tuple[str, str] | None:
    """The room and the module of a file of doxeval; None for other files."""
    path = Path(file)
    if not path.is_relative_to(PACKAGE):
        return None
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[0], ".".join(parts)


class Walk:
    """The calls of one evaluation: the `modules` called, the `borders` crossed, and the `depth` reached."""

    def __init__(self, measure: str) -> None:
        from doxeval.cli import group
        from doxeval.demo import ANSWERS, DOCUMENTS, RUNS

        self.modules: set[str] = set()
        self.borders: Counter[tuple[str, str]] = Counter()
        self.depth = 0
        self._generators: set[FrameType] = set()
        runs = str(RUNS / "sections.jsonl")
        sys.setprofile(self._watch)
        try:
            command = ["eval", runs, "--qrels", str(ANSWERS), "--docs", str(DOCUMENTS), "-m", measure]
            group.main(command, standalone_mode=False)
        finally:
            sys.setprofile(None)

    def _watch(self, frame: FrameType, event: str, argument: object) -> None:
        here = place(frame.f_code.co_filename)
        if event != "call" or here is None or frame in self._generators:
            return
        if frame.f_code.co_flags & CO_GENERATOR:
            self._generators.add(frame)
        stack = list(_frames_of_doxeval(frame))
        if any(name == "<module>" for _, name in stack):
            return
        self.modules.add(here[1])
        self.depth = max(self.depth, len(stack))
        if len(stack) > 1 and stack[1][0] != here[0]:
            self.borders[stack[1][0], here[0]] += 1

    def __str__(self) -> str:
        borders = ", ".join(f"{a} to {b} {times}" for (a, b), times in self.borders.most_common(8))
        return (
            f"{len(self.modules)} modules, {self.borders.total()} room changes, depth {self.depth} "
            f"({borders}, ...)"
        )


def _frames_of_doxeval(frame: FrameType | None) -> Iterator[tuple[str, str]]:
    """The room and the function of every open frame of doxeval, the innermost first."""
    while frame is not None:
        if here := place(frame.f_code.co_filename):
            yield here[0], frame.f_code.co_name
        frame = frame.f_back


def option_slots() -> int:
    """The number of options and arguments of all commands."""
    import click

    from doxeval.cli import COMMANDS, group

    context = click.Context(group)
    commands = [group.get_command(context, name) for name in COMMANDS]
    return sum(len(command.params) for command in commands if command is not None)


def main() -> None:
    """Print the size of every room, and the walks, each in a process of its own."""
    if sys.argv[1:]:
        print(Walk(sys.argv[1]), file=sys.stderr)
        return
    lines, modules = Counter[str](), Counter[str]()
    for path in sorted(PACKAGE.rglob("*.py")):
        room, _ = place(str(path)) or ("", "")
        lines[room] += lines_of_code(path.read_text(encoding="utf-8"))
        modules[room] += 1
    for room, count in [*lines.most_common(), ("all", lines.total())]:
        print(f"{room:<14} {count:>7,} lines {modules.get(room, modules.total()):>5} modules")
    print(f"{len(dir(doxeval))} public names, {option_slots()} option slots")
    for measure in MEASURES:
        command = [sys.executable, "-m", "benchmarks.house", measure]
        walk = subprocess.run(command, capture_output=True, check=True, text=True)
        print(f"-m {measure}: {walk.stderr.strip()}")


if __name__ == "__main__":
    main()
