"""The small changes that are tried: one operator, condition, number, argument or statement at a time."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"), ast.Mod: ("%", "+"), ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"),
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"), ast.And: ("and", "or"), ast.Or: ("or", "and"),
}  # fmt: skip


NOT_RUN = re.compile("TYPE_CHECKING|__main__")
"""Conditions of what only type checkers read, and of modules that are run by their makers."""


@dataclass(frozen=True)
class Mutant:
    """One change: these bytes of a file of the package, replaced."""

    path: str
    line: int
    start: int
    end: int
    before: str
    after: str

    @property
    def room(self) -> str:
        """The room that it changes."""
        return self.path.split("/")[0]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before} -> {self.after}"

    def applied(self, source: bytes) -> bytes:
        """The file with the change in it."""
        return source[: self.start] + self.after.encode() + source[self.end :]


class Changes(ast.NodeVisitor):
    """All changes of one file that could be seen; annotations, docstrings and the like are left alone."""

    def __init__(self, path: str, source: bytes) -> None:
        self.path, self.source = path, source
        self.lines = [0, *(found.end() for found in re.finditer(rb"\n", source))]
        self.found: list[Mutant] = []
        self.visit(ast.parse(source))

    def at(self, node: ast.expr | ast.stmt, end: bool = False) -> int:
        """Where a node begins, or ends, in the file."""
        if end:
            return self.lines[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
        return self.lines[node.lineno - 1] + node.col_offset

    def add(self, line: int, start: int, end: int, after: str) -> None:
        """Record that these bytes can be replaced."""
        before = self.source[start:end].decode()
        self.found.append(Mutant(self.path, line, start, end, before, after))

    def between(self, operator: ast.AST, left: ast.expr, right: ast.expr) -> None:
        """Exchange an operator that is written between two operands."""
        before, after = OPERATORS.get(type(operator), ("", ""))
        start, end = self.at(left, end=True), self.at(right)
        words = re.escape(before.encode()).replace(rb"\ ", rb"\s+")
        found = re.search(words, self.source[start:end]) if before else None
        if found:
            self.add(left.end_lineno or 1, start + found.start(), start + found.end(), after)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self.between(node.op, node.left, node.right)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.between(node.op, node.values[0], node.values[1])
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        self.between(node.ops[0], node.left, node.comparators[0])
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not | ast.USub):
            start = self.at(node)
            self.add(node.lineno, start, start + (4 if isinstance(node.op, ast.Not) else 1), "")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.add(node.lineno, self.at(node), self.at(node, end=True), str(not node.value))
        elif isinstance(node.value, int | float):
            self.add(node.lineno, self.at(node), self.at(node, end=True), f"({node.value!r} + 1)")

    def visit_If(self, node: ast.If) -> None:
        if NOT_RUN.search(ast.unparse(node.test)):
            return
        self.negated(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.negated(node.test)
        self.generic_visit(node)

    def negated(self, test: ast.expr) -> None:
        """Turn a condition into its opposite."""
        start, end = self.at(test), self.at(test, end=True)
        self.add(test.lineno, start, end, f"(not ({self.source[start:end].decode()}))")

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id == "zip":
            node.keywords = []  # strict=True states what holds anyway
        for keyword in node.keywords:
            before = self.source[: self.at(keyword)].rstrip()
            if keyword.arg and before.endswith(b","):
                opened = self.source[self.at(keyword) : self.at(keyword.value)].count(b"(")
                end = self.at(keyword.value, end=True)
                for _ in range(opened):
                    end = self.source.index(b")", end) + 1
                self.add(node.lineno, len(before) - 1, end, "")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self.add(node.lineno, self.at(node), self.at(node, end=True), "pass")
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.add(node.lineno, self.at(node), self.at(node, end=True), "pass")
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and not isinstance(node.value, ast.Constant):
            self.add(node.lineno, self.at(node.value), self.at(node.value, end=True), "None")
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if any("overload" in ast.unparse(decorator) for decorator in node.decorator_list):
            return
        for part in (*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body):
            self.visit(part)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in node.body:  # what a decorator is told keeps the maker, not the user, from mistakes
            self.visit(part)


@cache
def changes_by_room(package: Path) -> dict[str, list[Mutant]]:
    """Every change of every file, room by room."""
    found: dict[str, list[Mutant]] = {}
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        for mutant in Changes(name, path.read_bytes()).found:
            if "/" in name:
                found.setdefault(mutant.room, []).append(mutant)
    return found


def sampled(package: Path, count: int, seed: int, rooms: tuple[str, ...] = ()) -> Iterator[Mutant]:
    """Changes drawn at random, the rooms in turn, so that an early end leaves none out."""
    draw = random.Random(seed)
    by_room = {room: all_ for room, all_ in changes_by_room(package).items() if not rooms or room in rooms}
    drawn = {room: draw.sample(all_, len(all_)) for room, all_ in by_room.items()}
    order = [(turn, room) for room, all_ in drawn.items() for turn in range(len(all_))]
    for turn, room in sorted(order)[:count]:
        yield drawn[room][turn]
