"""The scripts in the pages about other tools run as they stand, and print what stands below them."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs" / "integrations").glob("*.md"))
SCRIPT = re.compile(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)
SCRIPTS = {
    f"{page.stem}-{number}": found.groups(default="")
    for page in PAGES
    for number, found in enumerate(SCRIPT.finditer(page.read_text(encoding="utf-8")), 1)
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_run_as_they_stand(name: str, tmp_path: Path) -> None:
    script, expected = SCRIPTS[name]
    for node in ast.walk(ast.parse(script)):
        named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        named += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        for package in {name.partition(".")[0] for name in named}:
            if not find_spec(package):
                pytest.skip(f"{package} is not installed")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [line.rstrip() for line in done.stdout.splitlines()] == expected.splitlines()
