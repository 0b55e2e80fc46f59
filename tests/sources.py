"""The modules of the package, read and parsed once for all tests that look at the code itself."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import doxeval

PACKAGE = Path(doxeval.__file__).parent


@cache
def texts() -> dict[Path, str]:
    """The text of every module, by its path inside the package."""
    return {
        path.relative_to(PACKAGE): path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))
    }


@cache
def trees() -> dict[Path, ast.Module]:
    """Every module, parsed."""
    return {path: ast.parse(text) for path, text in texts().items()}


@cache
def nodes() -> dict[Path, list[ast.AST]]:
    """Everything in every module: its nodes in the order of `ast.walk`."""
    return {path: list(ast.walk(tree)) for path, tree in trees().items()}
