"""Files that are not somebody's own source: ignored by git, marked as generated, or binary.

Patterns are those of ``.gitignore``; ``.gitattributes`` marks files by ``linguist-generated``.
"""

from __future__ import annotations

import re
from dataclasses import field
from functools import cache
from typing import Any

from doxeval.core.quick_class import dataclass

SCHEME = "git:"
IGNORE, ATTRIBUTES = ".gitignore", ".gitattributes"
HEADER_LINES, HEAD_BYTES = 10, 8192
GENERATED = re.compile(
    rb"@generated\b|\bcode generated\b.*\bdo not edit\b"
    rb"|\bauto(?:matically)?[ -]?generated\b.*\b(?:do not|don't) edit\b"
    rb"|\bthis file (?:is|was|has been) auto(?:matically)?[ -]?generated\b",
    re.IGNORECASE,
)
GIT_ATTRIBUTES = {
    "linguist-generated": True,
    "linguist-generated=true": True,
    "-linguist-generated": False,
    "!linguist-generated": False,
    "linguist-generated=false": False,
}


def is_git(place: Any) -> bool:
    """Whether documents are named as those of a git repository: ``git:PATH@REVISION``."""
    return isinstance(place, str) and place.startswith(SCHEME)


def is_binary(data: bytes) -> bool:
    """Whether the beginning of a file is that of a binary one, as git decides it."""
    return b"\0" in data[:HEAD_BYTES] and not data.startswith((b"\xff\xfe", b"\xfe\xff"))


def is_generated(data: bytes) -> bool:
    """Whether one of the first ten lines says that a program wrote the file."""
    return any(
        GENERATED.search(line) for line in data[: HEAD_BYTES * 4].split(b"\n", HEADER_LINES)[:HEADER_LINES]
    )


@dataclass
class Patterns:
    """Patterns of a folder and the folders in it; the last that matches a path decides.

    >>> ignored = Patterns()
    >>> ignored.add_ignored("", "build/\\n*.pyc\\n!keep.pyc\\n/docs/*.html")
    >>> [ignored.of(path) for path in ("a/x.pyc", "a/keep.pyc", "docs/a.html", "a/docs/a.html")]
    [True, False, True, None]
    >>> ignored.of("a/build", folder=True), ignored.of("build")
    (True, None)
    """

    rules: list[tuple[str, re.Pattern[str], bool, bool]] = field(default_factory=list)

    def add_ignored(self, folder: str, text: str) -> None:
        """Add the patterns of a ``.gitignore`` in a folder, given relative to the root (empty for itself)."""
        for line in text.splitlines():
            pattern = line.rstrip() if not line.endswith("\\ ") else line
            if pattern and not pattern.startswith("#"):
                negated = pattern.startswith("!")
                self._add(folder, pattern.removeprefix("!"), not negated)

    def add_attributes(self, folder: str, text: str) -> None:
        """Add the patterns of a ``.gitattributes`` that say what is generated."""
        for line in text.splitlines():
            pattern, *attributes = line.split() or [""]
            marks = [GIT_ATTRIBUTES[name] for name in attributes if name in GIT_ATTRIBUTES]
            if marks and not pattern.startswith("#"):
                self._add(folder, pattern, marks[-1])

    def _add(self, folder: str, pattern: str, value: bool) -> None:
        only_folders = pattern.endswith("/")
        try:
            compiled = _compiled(pattern.rstrip("/"))
        except re.error:
            return
        self.rules.append((f"{folder}/" if folder else "", compiled, value, only_folders))

    def of(self, path: str, folder: bool = False) -> bool | None:
        """The answer of the patterns about a path: true, false, or None if none matches."""
        for base, pattern, value, only_folders in reversed(self.rules):
            if (
                path.startswith(base)
                and (folder or not only_folders)
                and pattern.fullmatch(path[len(base) :])
            ):
                return value
        return None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern of git as a regular expression of whole paths."""
    anchored = "/" in pattern
    pattern = pattern.removeprefix("/")
    parts, place = [], 0
    while place < len(pattern):
        letter = pattern[place]
        if pattern.startswith("**/", place) and (place == 0 or pattern[place - 1] == "/"):
            parts.append("(?:.*/)?")
            place += 3
            continue
        if pattern[place:] == "**" and place and pattern[place - 1] == "/":
            parts.append(".*")
            break
        if letter == "*":
            parts.append("[^/]*")
        elif letter == "?":
            parts.append("[^/]")
        elif letter == "[" and (end := pattern.find("]", place + 2)) > 0:
            inner = pattern[place + 1 : end].replace("\\", "\\\\")
            parts.append(f"[{'^' + inner[1:] if inner[0] in '!^' else inner}]")
            place = end
        else:
            if letter == "\\" and place + 1 < len(pattern):
                place += 1
                letter = pattern[place]
            parts.append(re.escape(letter))
        place += 1
    return re.compile(("" if anchored else "(?:.*/)?") + "".join(parts))
