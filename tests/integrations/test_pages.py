"""The scripts and sessions in the pages about other tools that need these tools."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tool_pages import OWN, PAGES, SCRIPTS, absent, check_script

SESSIONS = {
    page.stem: blocks
    for page in PAGES
    if (blocks := re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
}


@pytest.mark.parametrize("name", SESSIONS)
def test_sessions_print_what_they_say(name: str, tmp_path: Path) -> None:
    """With the programs of others; tests/test_documentation.py runs our own in all sessions."""
    scripts = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for part in re.split(r"^\$ ", "".join(SESSIONS[name]), flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        words = shlex.split(command)
        if not (program := shutil.which(words[0], path=scripts)):
            absent(words[0])
        environment = os.environ | {"PATH": scripts}
        done = subprocess.run(
            [str(program), *words[1:]], env=environment, capture_output=True, text=True, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout == expected, command


@pytest.mark.parametrize("name", sorted({*SCRIPTS} - {*OWN}))
def test_scripts_run_as_they_stand(name: str, tmp_path: Path) -> None:
    check_script(name, tmp_path)
