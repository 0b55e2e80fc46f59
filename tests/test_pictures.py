"""The pictures of the README exist, are small, and show the program as it is now."""

from __future__ import annotations

import json
import re
from pathlib import Path

from docs.pictures import DIGEST, HOME, demo_output, digest  # type: ignore[attr-defined]

PROJECT = Path(__file__).parents[1]


def test_pictures_are_not_old(tmp_path: Path) -> None:
    """They are made by `make pictures`; what they show is told by a digest."""
    kept = json.loads(DIGEST.read_text(encoding="utf-8"))["sha256"]
    now = digest(demo_output(tmp_path / "report.html"))
    assert kept == now, "the demo, the report or the desk has changed: run make pictures, and look at them"


def test_pictures_are_small_and_all_are_used() -> None:
    shown = set(
        re.findall(r'"docs/pictures/([\w-]+\.webp)"', (PROJECT / "README.md").read_text(encoding="utf-8"))
    )
    assert shown == {path.name for path in HOME.glob("*.webp")}
    for name in shown:
        assert 5_000 < (HOME / name).stat().st_size < 400_000, name


def test_the_words_for_the_picture_are_those_of_the_demo(tmp_path: Path) -> None:
    """Whoever cannot see the picture of the answer is told the same answer."""
    told = " ".join(demo_output(tmp_path / "report.html").split())
    run, share, budget = re.search(
        r"Use `([\w-]+)`: .*? with (\d+%) of the relevant text within ([\d,]+ characters)", told
    ).groups()
    (alt,) = re.findall(r'answer-light.*? alt="([^"]+)"', (PROJECT / "README.md").read_text(encoding="utf-8"))
    assert f"use {run}, {share} of the relevant text within {budget}" in alt
