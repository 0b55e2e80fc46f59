r"""Unified diffs: the lines of the old files that a patch changes.

Only the hunks decide where something is changed. Read as `git`, `diff -u` and language models write them:
names in quotes, time stamps after names, lines ended by ``\r\n``, empty context lines that lost their blank,
lines ``\ No newline at end of file``, text before the first file and between files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
GIT_HEADER = "diff --git "
MERGES = ("diff --cc ", "diff --combined ")
NO_FILE = "/dev/null"
PREFIXES = ("a/", "b/")
OTHER_PREFIXES = ("i/", "w/", "c/", "o/")
"""The prefixes of git's option `mnemonicPrefix`: index, work tree, commit, object."""
QUOTED = re.compile(r'\\([0-7]{3}|["\\abfnrtv])')
ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
NO_PLACE = {
    "new file mode": "new {file|files}",
    "Binary files ": "binary {file|files}",
    "GIT binary patch": "binary {file|files}",
    "rename from ": "{file|files} only renamed",
    "copy from ": "{file|files} only copied",
    "old mode ": "{file|files} with only another mode",
}
"""The lines of git's headers that say why a file may have no hunk, and what such files are called."""


@dataclass(frozen=True)
class ChangedLines:
    """Lines `first` to `last` of a file before a change, both included and counted from 1.

    They were removed or replaced or, if `inserted`, are next to lines that were only added. `hunk` counts the
    hunks of old files.
    """

    file: str
    first: int
    last: int
    inserted: bool
    hunk: int


@dataclass
class Diff:
    """The changes of a patch in its order; the files that have none, by the reason; what was not sound."""

    changes: list[ChangedLines] = field(default_factory=list)
    without_place: list[tuple[str, str]] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)
    files: int = 0


@dataclass
class Hunk:
    """A hunk: its file before the change (None for a new one), its first old line, and a mark for each line.

    Marks are `-`, `+` and a blank. `stated` is the number of old lines in its header.
    """

    file: str | None
    first: int
    stated: int
    marks: str

    def changes(self, number: int) -> Iterator[ChangedLines]:
        """Each run of changed lines."""
        if self.file is None:
            return
        line = self.first if self.stated else self.first + 1
        for run in re.finditer(r" +|[-+]+", self.marks):
            removed = run[0].count("-")
            if run[0][0] != " " and removed:
                yield ChangedLines(self.file, line, line + removed - 1, False, number)
            elif run[0][0] != " ":
                ends_here = run.end() == len(self.marks) and self.stated > 0
                first, last = max(1, line - 1), line - 1 if ends_here else line
                if last >= first:
                    yield ChangedLines(self.file, first, last, True, number)
            line += len(run[0]) if run[0][0] == " " else removed


def parse_diff(text: str) -> Diff:
    r"""The changes in a unified diff.

    >>> patch = "--- a/x.py\n+++ b/x.py\n@@ -3,3 +3,3 @@\n one\n-two\n+2\n three\n"
    >>> parse_diff(patch).changes
    [ChangedLines(file='x.py', first=4, last=4, inserted=False, hunk=1)]
    """
    lines = text.split("\n")
    diff, number, row = Diff(), 0, 0
    old: str | None = None
    header = _Header()
    while row < len(lines):
        line = lines[row].rstrip("\r")
        if line.startswith((GIT_HEADER, *MERGES)):
            header.close(diff)
            header, old = _Header(line), None
        elif line.startswith("--- ") and row + 1 < len(lines) and lines[row + 1].startswith("+++ "):
            if header.names:
                header.close(diff)
                header = _Header()
            old, new = _names(line, lines[row + 1])
            header.names = (old or "", new or "")
            row += 1
        elif match := HUNK.match(line):
            hunk, row = _hunk(lines, row, match, old, diff)
            number += old is not None
            header.hunks += 1
            diff.changes += hunk.changes(number)
            continue
        else:
            header.note(line)
        row += 1
    header.close(diff)
    return diff


class _Header:
    """The lines about one file before its hunks."""

    def __init__(self, line: str = "") -> None:
        self.line = line
        self.names: tuple[str, str] | None = None
        self.renamed = ""
        self.reason = "combined diffs of merges" if line.startswith(MERGES) else ""
        self.hunks = 0

    def note(self, line: str) -> None:
        """Take in a line that says what happened to the file."""
        for start, reason in NO_PLACE.items():
            if line.startswith(start):
                self.reason = reason
        if line.startswith(("rename from ", "copy from ")):
            self.renamed = _unquoted(line.partition(" from ")[2])

    def close(self, diff: Diff) -> None:
        """Count the file, and note it if it has no place before the change."""
        if not self.line and self.names is None:
            return
        diff.files += 1
        old, new = self.names or ("", "")
        if self.names is not None and not old:
            diff.without_place.append(("new {file|files}", new))
        elif not self.hunks:
            diff.without_place.append((self.reason or "{file|files} without a hunk", old or self.name))

    @property
    def name(self) -> str:
        """The name in git's first line, where both names are the same."""
        if self.renamed:
            return self.renamed
        rest = self.line.removeprefix(GIT_HEADER)
        if rest.endswith('"'):
            return _without_prefix(_unquoted(rest[rest.rindex(' "') + 1 :]))
        return rest[len(rest) // 2 + 1 :][2:]


def _hunk(lines: list[str], at: int, match: re.Match[str], old: str | None, diff: Diff) -> tuple[Hunk, int]:
    """The hunk whose header is line `at`, and the number of the line after it.

    It has as many lines as its header says, or ends at the first line that belongs to no hunk.
    """
    header = at
    left, right = int(match[2] or 1), int(match[4] or 1)
    marks = []
    at += 1
    while at < len(lines) and (left > 0 or right > 0):
        mark = lines[at][:1].strip("\r") or " "
        if mark not in "-+ \\":
            break
        if mark != "\\":
            left -= mark != "+"
            right -= mark != "-"
            marks.append(mark)
        at += 1
    if left or right:
        diff.damage.append(f"line {header + 1} of the patch: its hunk has not as many lines as it says")
    return Hunk(old, int(match[1]), int(match[2] or 1), "".join(marks)), at


def _names(minus: str, plus: str) -> tuple[str | None, str | None]:
    """The names of a file before and after the change; None where there is none."""
    old, new = (_unquoted(line[4:].rstrip("\r").split("\t")[0].strip()) for line in (minus, plus))
    if _is_mnemonic(old, new):
        old, new = (name if name == NO_FILE else name[2:] for name in (old, new))
        return _none(old), _none(new)
    return _none(_without_prefix(old)), _none(_without_prefix(new))


def _is_mnemonic(old: str, new: str) -> bool:
    """Whether both names have prefixes of git's other kind: different ones before the same name."""
    told = [name for name in (old, new) if name != NO_FILE]
    return (
        len(told) == 2
        and all(name.startswith(OTHER_PREFIXES) for name in told)
        and old[:2] != new[:2]
        and old[2:] == new[2:]
    )


def _none(name: str) -> str | None:
    return None if name == NO_FILE else name


def _without_prefix(name: str) -> str:
    return name[2:] if name.startswith(PREFIXES) else name


def _unquoted(name: str) -> str:
    r"""A name without git's quotes.

    >>> _unquoted('"a/na\\303\\257ve.py"'), _unquoted("a/b c.py")
    ('a/naïve.py', 'a/b c.py')
    """
    if len(name) < 2 or not (name[0] == name[-1] == '"'):
        return name
    parts, at = [], 0
    inner = name[1:-1]
    for found in QUOTED.finditer(inner):
        code = ESCAPES[found[1]] if found[1] in ESCAPES else int(found[1], 8) & 255
        parts += [inner[at : found.start()].encode("utf-8", "surrogatepass"), bytes([code])]
        at = found.end()
    return b"".join([*parts, inner[at:].encode("utf-8", "surrogatepass")]).decode("utf-8", "replace")
