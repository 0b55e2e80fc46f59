"""The rule of these tests: what a page says is waited for, never asserted at once."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PAGES = {"page", "visitor"}


@pytest.mark.parametrize("path", sorted(HERE.glob("test_*.py")), ids=lambda path: path.stem)
def test_no_assertion_reads_a_page(path) -> None:
    hasty = [
        f"{path.name}:{statement.lineno}"
        for statement in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(statement, ast.Assert)
        for part in ast.walk(statement)
        if (isinstance(part, ast.Name) and part.id in PAGES and not _kept(statement))
    ]
    assert not hasty, f"use eventually(read, expected): {hasty}"


def _kept(statement: ast.Assert) -> bool:
    """Whether only what the visitor noted down is asserted."""
    return any(isinstance(part, ast.Attribute) and part.attr == "complaints" for part in ast.walk(statement))
