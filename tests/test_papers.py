"""The pages on the papers are true: every command prints what stands below it, and nothing is left out.

`python -m tests.test_papers` writes what the commands print into the pages.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from doxeval.cli import group
from doxeval.demo import ANSWERS, DOCUMENTS, RUNS

PAGES = Path(__file__).parent.parent / "docs" / "papers"
SESSION = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
CONTINUED = "\\\n"
TABLES = {"esr": 19, "sr": 3, "effort": 4, "prum": 4, "err": 2}
FIGURES = {"esr": 5, "sr": 6, "effort": 10, "prum": 7, "err": 2}
"""How many tables and figures each paper numbers."""


@contextmanager
def laid_out(folder: Path) -> Iterator[None]:
    """In a folder: the files of the worked examples, and the demo's under `demo`."""
    shutil.copytree(PAGES / "files", folder, dirs_exist_ok=True)
    shutil.copytree(DOCUMENTS, folder / "demo" / "documents")
    shutil.copytree(RUNS, folder / "demo" / "runs")
    shutil.copy(ANSWERS, folder / "demo")
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def printed(command: str) -> str:
    """What a command prints on standard output; it must succeed."""
    program, *words = shlex.split(command)
    words = [path for word in words for path in (_matching(word) or [word])]
    if program != "doxeval":
        return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout
    done = CliRunner(env={"COLUMNS": "100"}).invoke(group, words)
    assert done.exit_code == 0, f"{command}\n{done.output}\n{done.exception!r}"
    return done.stdout


def _matching(word: str) -> list[str]:
    """The files that a shell would put for a pattern such as `runs/*`."""
    return sorted(map(str, Path().glob(word))) if "/*" in word else []


def session_run(session: str) -> str:
    """A session with what its commands print now; a command may go on after a backslash."""
    parts = re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]
    commands = [re.match(r"(?:.*\\\n)*.*\n", part)[0] for part in parts]
    return "".join(f"$ {command}{printed(' '.join(command.split(CONTINUED)))}" for command in commands)


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_every_command_prints_what_the_page_says(page: Path, tmp_path: Path) -> None:
    with laid_out(tmp_path):
        for session in SESSION.findall(page.read_text(encoding="utf-8")):
            assert session_run(session) == session


def numbers(headings: list[str], kind: str) -> set[int]:
    """The numbers of all tables or figures that headings name, as in `Tables 2 and 4` or `Figures 5 to 8`."""
    found: set[int] = set()
    for heading in headings:
        for names in re.findall(rf"{kind}s? (\d+(?:(?:, | and | to )\d+)*)", heading):
            found |= set(map(int, re.findall(r"\d+", names)))
            for first, last in re.findall(r"(\d+) to (\d+)", names):
                found |= set(range(int(first), int(last) + 1))
    return found


@pytest.mark.parametrize("paper", [page.stem for page in PAGES.glob("*.md") if page.stem != "index"])
def test_every_table_and_figure_has_its_entry(paper: str) -> None:
    headings = re.findall(r"^## (.+)$", (PAGES / f"{paper}.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert numbers(headings, "Table") == set(range(1, TABLES[paper] + 1))
    assert numbers(headings, "Figure") == set(range(1, FIGURES[paper] + 1))


def rewrite(page: Path) -> None:
    """Write what the commands print now into a page."""
    with tempfile.TemporaryDirectory() as folder, laid_out(Path(folder)):
        text = page.read_text(encoding="utf-8")
        page.write_text(
            SESSION.sub(lambda found: f"```console\n{session_run(found[1])}```", text), encoding="utf-8"
        )


if __name__ == "__main__":
    for one in sorted(PAGES.glob("*.md")):
        rewrite(one)
