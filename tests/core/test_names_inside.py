"""One name for one thing inside the package: modules, and whatever modules import from each other."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

from tests.sources import trees

SAME_MODULES = {"__init__", "files", "inputs", "phrases"}
"""Files on disk and as arguments; inputs as bytes and as arguments; phrases of messages and of measures."""
SAME_NAMES = {"ORDERS"}
"""The orders in which documents are read, and those in which passages are judged."""


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package by its dotted name, parsed."""
    return {".".join(("doxeval", *path.with_suffix("").parts)): tree for path, tree in trees().items()}


def defined(tree: ast.Module) -> Iterator[str]:
    """The names that a module defines itself."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets:
            yield from (name.id for name in ast.walk(target or ast.Pass()) if isinstance(name, ast.Name))


def test_no_two_modules_share_a_name() -> None:
    homes = defaultdict(list)
    for module in modules():
        homes[module.rpartition(".")[2]].append(module)
    shared = {name: found for name, found in homes.items() if len(found) > 1 and name not in SAME_MODULES}
    assert not shared


def test_a_name_that_modules_import_is_one_thing() -> None:
    homes = defaultdict(set)
    own = {module: set(defined(tree)) for module, tree in modules().items()}
    for tree in modules().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                for name in own.get(node.module or "", set()) & {alias.name for alias in node.names}:
                    homes[name].add(node.module)
    shared = {name: found for name, found in homes.items() if len(found) > 1}
    assert set(shared) == SAME_NAMES, shared
