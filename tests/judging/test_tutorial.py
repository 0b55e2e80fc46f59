"""The tutorial on judging goes through as it stands, with two assessors who keep to a rule."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.judging.serving import serving

PAGE = Path(__file__).parent.parent.parent / "docs" / "tutorial-judging.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
OVERLOOKED = 5


def steps(text: str) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """Every block of the page, its language, and its commands with what they print; a script is one."""
    for found in BLOCK.finditer(text):
        language, body = found.groups()
        parts = re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]
        commands = [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]
        yield found[0], language, [(body, "")] if language == "python" else commands


@dataclass
class Folder:
    """A folder in which the page is followed; what it tells to install is there already."""

    path: Path
    judged: set[tuple[str, str]] = field(default_factory=set)

    def run(self, command: str, script: str = "") -> str:
        """Do what a command says, and return what it prints."""
        if script == "python":
            (self.path / "search.py").write_text(command, encoding="utf-8")
            return ""
        program, *words = shlex.split(command)
        if program == "pip":
            return ""
        if words[0] == "judge":
            self.judge(words)
            return ""
        call = [sys.executable, *(["-m", "doxeval"] if program == "doxeval" else []), *words]
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            call, capture_output=True, text=True, cwd=self.path, check=False, env=os.environ | {"PATH": path}
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout

    def judge(self, words: list[str]) -> None:
        """Two assessors judge all documents of a pool: one marks answers, the other whole paragraphs."""
        named = [str(self.path / word) if (self.path / word).exists() else word for word in words[1:]]
        asked, people = (
            named[: named.index("--to")],
            [words[at + 1] for at, w in enumerate(words) if w == "--assessor"],
        )
        answers = [json.loads(line) for line in (self.path / "demo/answers.jsonl").read_text().splitlines()]
        pooled = [json.loads(line) for line in Path(asked[0]).read_text().splitlines()]
        with serving(self.path, arguments=asked, people=tuple(people)) as served:
            for line in (line for line in pooled if "doc" in line):
                topic, doc = line["topic"], line["doc"]
                text = (self.path / f"demo/documents/{doc}.md").read_text(encoding="utf-8")
                marks = [
                    (row["start"], row["end"], at)
                    for at, row in enumerate(row for row in answers if "start" in row)
                    if (row["topic"], row["doc"]) == (topic, doc)
                ]
                for person, address in served.addresses.items():
                    own = marks if person == "ann" else _paragraphs(marks, text)
                    added = [{"id": f"{topic}{at}", "start": start, "end": end} for start, end, at in own]
                    assert served.act({"adds": added, "done": True}, topic, doc, address=address)[0] == 200


def _paragraphs(marks: list[tuple[int, int, int]], text: str) -> list[tuple[int, int, int]]:
    """The paragraphs around marks, all but every fifth of them."""
    found = []
    for start, end, at in marks:
        if at % OVERLOOKED:
            after = text.find("\n\n", end)
            found.append((text.rfind("\n\n", 0, start) + 2, after if after >= 0 else len(text), at))
    return found


def test_the_tutorial_on_judging_goes_through(tmp_path: Path) -> None:
    for needed in ("bm25s", "starlette", "uvicorn"):
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    folder = Folder(tmp_path)
    for _, language, parts in steps(PAGE.read_text(encoding="utf-8")):
        for command, printed in parts:
            assert folder.run(command, language) == printed, command
