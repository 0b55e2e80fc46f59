"""What is printed and written is the same on other processors, which round sums of products differently."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.approved import test_approved

PROCESSORS = (
    {"OPENBLAS_CORETYPE": "Prescott", "OPENBLAS_NUM_THREADS": "1"},
    {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "2"},
)
"""Settings of the library behind numpy's products: its oldest loops, and newer ones that share the work."""


@pytest.mark.parametrize("settings", PROCESSORS, ids=lambda settings: settings["OPENBLAS_CORETYPE"])
def test_what_was_approved_is_so_on_other_processors(settings: dict[str, str]) -> None:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test_approved.__file__]
    ended = subprocess.run(
        command, cwd=root, env=os.environ | settings, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout[-4000:]
