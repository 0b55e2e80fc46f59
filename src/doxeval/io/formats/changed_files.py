"""Files that an agent changes while it reads them: which line of a file now was which line before.

An edit replaces some lines. Those it keeps are known by their words, if they were shown before; all others
are the agent's own. If a file has other lines than its known edits explain, its lines have no known place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import NamedTuple

OWN, UNTRACED = 0, -1
"""In place of a line before: a line that the agent wrote, and one whose place is unknown."""


class Window(NamedTuple):
    """A window of a file: the file's number of lines, and some lines with their numbers in front."""

    file: str
    total: int
    first: int
    size: int
    numbered: str

    @property
    def last(self) -> int:
        """The number of the last line."""
        return self.first + self.size - 1

    @property
    def lines(self) -> list[str]:
        """The lines without their numbers."""
        return [line.partition(":")[2] for line in self.numbered.split("\n")[: self.size]]


@dataclass
class ChangedFile:
    """A file with its number of lines now, and the `origin` of each line; None while it is unchanged.

    `windows` are those shown since the last change.
    """

    total: int
    origin: list[int] | None = None
    windows: list[Window] = field(default_factory=list)

    def show(self, window: Window) -> list[int] | None:
        """The origin of each line in a window; None if the file is unchanged.

        A file of another length has changed in an unknown way.
        """
        if window.total != self.total:
            self.total, self.origin, self.windows = window.total, [UNTRACED] * window.total, []
        self.windows.append(window)
        if self.origin is None:
            return None
        known = self.origin[window.first - 1 : window.last]
        return [*known, *[UNTRACED] * (window.size - len(known))]

    def edit(self, first: int, last: int, lines: list[str], total: int) -> list[int]:
        """Replace lines and return the origins of those replaced; `total` is the number of lines after it.

        If the lines given do not explain that number, all from the first on are lost.
        """
        last = min(last, self.total)
        origin = list(range(1, self.total + 1)) if self.origin is None else self.origin
        replaced = origin[first - 1 : last]
        if self.total - len(replaced) + len(lines) == total:
            behind = origin[last:]
            origin = [*origin[: first - 1], *self._kept(first, replaced, lines), *behind]
        else:
            origin = [*origin[: first - 1], *[UNTRACED] * (total - first + 1)][:total]
        self.total, self.origin, self.windows = total, origin, []
        return replaced

    def _kept(self, first: int, replaced: list[int], lines: list[str]) -> list[int]:
        """The origins of the new lines: those of equal lines among the replaced ones, if these were shown."""
        origin = [OWN] * len(lines)
        words = self._words(first, len(replaced))
        if words is not None:
            for block in SequenceMatcher(None, words, lines, autojunk=False).get_matching_blocks():
                origin[block.b : block.b + block.size] = replaced[block.a : block.a + block.size]
        return origin

    def _words(self, first: int, size: int) -> list[str] | None:
        """The words of some lines; None if they were not shown in one window since the last change."""
        for window in reversed(self.windows):
            if window.first <= first and first + size <= window.last + 1:
                return window.lines[first - window.first : first - window.first + size]
        return None


def line_ranges(origin: list[int]) -> list[list[int]]:
    """Lines of the file before as ranges [first, last], in ascending order, each line once.

    >>> line_ranges([4, 5, 0, 6, 9, -1])
    [[4, 6], [9, 9]]
    """
    found: list[list[int]] = []
    for line in sorted({line for line in origin if line > 0}):
        if found and found[-1][1] == line - 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    return found
