"""Prepare a release: `python -m docs.release 0.2.0` states its version and date wherever they are stated."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parent.parent
VERSION = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")
HEADING = re.compile(r"^## \[(?P<version>[^\]]+)\] - Unreleased$", re.MULTILINE)


def prepared(version: str, day: str, read: Callable[[str], str]) -> dict[str, str]:
    """The files that state a version, with this one and its day; an error if there is nothing to release."""
    if not VERSION.fullmatch(version):
        raise SystemExit(f"{version!r} is not a version such as 0.2.0 or 1.0.0rc1")
    changes = read("CHANGELOG.md")
    heading = HEADING.search(changes)
    if heading is None:
        raise SystemExit(
            "CHANGELOG.md has no heading '## [VERSION] - Unreleased': there is nothing to release"
        )
    citation = re.sub(r"^(?:version|date-released): .*\n", "", read("CITATION.cff"), flags=re.MULTILINE)
    return {
        "src/doxeval/core/version.py": _once(
            r'__version__ = "[^"]+"', f'__version__ = "{version}"', read("src/doxeval/core/version.py")
        ),
        "CHANGELOG.md": HEADING.sub(f"## [{version}] - {day}", changes),
        "CITATION.cff": citation.rstrip("\n") + f"\nversion: {version}\ndate-released: {day}\n",
        "conda/meta.yaml": _once(
            r'set version = "[^"]+"', f'set version = "{version}"', read("conda/meta.yaml")
        ),
    }


def _once(pattern: str, instead: str, text: str) -> str:
    changed, count = re.subn(pattern, instead, text)
    assert count == 1, pattern
    return changed


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("name the version: python -m docs.release 0.2.0")
    day = date.today().isoformat()
    for name, text in prepared(sys.argv[1], day, lambda name: (ROOT / name).read_text("utf-8")).items():
        (ROOT / name).write_text(text, encoding="utf-8")
        print(name)
    print(f"Look at the changes, then: git commit -am 'Release {sys.argv[1]}' && git tag v{sys.argv[1]}")
