"""The scripts in the pages about other tools that need nothing but doxeval."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tool_pages import OWN, check_script


@pytest.mark.parametrize("name", OWN)
def test_scripts_run_as_they_stand(name: str, tmp_path: Path) -> None:
    check_script(name, tmp_path)
