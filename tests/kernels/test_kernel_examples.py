"""Every kernel has an example in numbers, and gives it compiled and as plain Python."""

from __future__ import annotations

import ast
import doctest
import importlib
from pathlib import Path

import numpy as np
import pytest

import doxeval.kernels
from tests.kernels.test_scan_kernels import plain_module

SOURCES = {
    path.stem: path
    for path in sorted(Path(doxeval.kernels.__file__).parent.glob("*.py"))
    if path.stem not in ("__init__", "stand_in")
}


def functions(path: Path) -> dict[str, ast.FunctionDef]:
    """The functions of a kernel file that other modules can call."""
    found = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
    compiled_only = ("cython.cfunc", "cython.inline")
    return {
        node.name: node
        for node in found
        if not any(ast.unparse(decorator) in compiled_only for decorator in node.decorator_list)
    }


EXAMPLES = [
    (module, name)
    for module, path in SOURCES.items()
    for name in functions(path)
    if not name.endswith("_plain")
]
HELPERS = {"as_arrays", "behind_one_another", "_index_of_none"}
"""Of a line each, with no formula of their own."""


@pytest.mark.parametrize(("module", "name"), EXAMPLES)
@pytest.mark.parametrize("plain", [True, False], ids=["plain", "as installed"])
def test_the_example_of_a_kernel(module: str, name: str, plain: bool) -> None:
    loaded = plain_module(module) if plain else importlib.import_module(f"doxeval.kernels.{module}")
    node = functions(SOURCES[module])[name]
    names = {**vars(loaded), "np": np}
    test = doctest.DocTestParser().get_doctest(
        ast.get_docstring(node) or "", names, f"{module}.{name}", str(SOURCES[module]), node.lineno
    )
    assert test.examples or name in HELPERS, f"{module}.{name} has no example"
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert not report, "".join(report)
