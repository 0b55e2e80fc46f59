"""The scripts in the pages about other tools, which run as they stand, and print what stands below them."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(page for folder in ("integrations", "coming-from") for page in (DOCS / folder).glob("*.md"))
SCRIPT = re.compile(r"(?<!-->\n)```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)
SCRIPTS = {
    f"{page.stem}-{number}": found.groups(default="")
    for page in PAGES
    for number, found in enumerate(SCRIPT.finditer(page.read_text(encoding="utf-8")), 1)
}


def packages_of(script: str) -> set[str]:
    """The packages of others that a script imports."""
    named: list[str] = []
    for node in ast.walk(ast.parse(script)):
        named += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        named += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    return {name.partition(".")[0] for name in named} - sys.stdlib_module_names - {"doxeval"}


OWN = [name for name, (script, _) in SCRIPTS.items() if not packages_of(script)]
"""Those that need nothing but doxeval."""


def absent(name: str) -> None:
    """Skip the test for lack of a package or program; in the environment made for it, fail."""
    (pytest.fail if "DOXEVAL_PEER" in os.environ else pytest.skip)(f"{name} is not installed")


def check_script(name: str, folder: Path) -> None:
    """Run a script in a folder, and compare what it prints with its page; skip it without its packages."""
    script, expected = SCRIPTS[name]
    for package in sorted(packages_of(script)):
        if not find_spec(package):
            absent(package)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert [line.rstrip() for line in done.stdout.splitlines()] == expected.splitlines()
