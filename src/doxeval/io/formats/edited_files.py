"""Files whose length is not known, while an agent edits them: the origin of each line that is shown.

A file is a list of pieces: stretches of lines of the file before, lines that the agent wrote, and lines whose
place is unknown. Edits come as hunks of a diff; where a hunk gives no line number, its lines are looked for
among those shown before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import NamedTuple

from doxeval.io.formats.changed_files import OWN, UNTRACED

ENDLESS = 1 << 40


class LineHunk(NamedTuple):
    """Changed lines, each with ' ', '-' or '+' in front; `first` is their place now, 0 if unknown."""

    first: int
    lines: list[str]

    @property
    def before(self) -> list[str]:
        """The lines as they were."""
        return [line[1:] for line in self.lines if line[:1] != "+"]

    @property
    def added(self) -> list[str]:
        """The lines that are new."""
        return [line[1:] for line in self.lines if line[:1] == "+"]


@dataclass
class EditedFile:
    """One file: its pieces (number of lines, origin of the first) and the words of lines shown, by number."""

    pieces: list[tuple[int, int]] = field(default_factory=lambda: [(ENDLESS, 1)])
    words: dict[int, str] = field(default_factory=dict)

    def show(self, first: int, lines: list[str]) -> list[int]:
        """The origin of each line shown, from the first on."""
        self.words.update(enumerate(lines, start=first))
        return self.origins(first, len(lines))

    def origins(self, first: int, size: int) -> list[int]:
        """The origins of some lines.

        >>> EditedFile([(2, 1), (1, OWN), (ENDLESS, 3)]).origins(2, 3)
        [2, 0, 3]
        """
        found: list[int] = []
        at = 1
        for length, origin in self.pieces:
            begin, end = max(first, at), min(first + size, at + length)
            for line in range(begin, end):
                found.append(origin + line - at if origin > 0 else origin)
            at += length
        return found

    def edit(self, hunks: Iterable[LineHunk]) -> list[int] | None:
        """Apply hunks and return the origins of the lines that they remove; None if a place is unknown."""
        removed: list[int] = []
        for hunk in hunks:
            at = hunk.first or self._place_of(hunk.before)
            if not at:
                self.lose()
                return None
            for line in hunk.lines:
                if line[:1] == "-":
                    removed += self.origins(at, 1)
                    self._remove(at)
                else:
                    if line[:1] == "+":
                        self._insert(at)
                    self.words[at] = line[1:]
                    at += 1
        return removed

    def hunk_for(self, old: str, new: str) -> LineHunk | None:
        """The hunk that replaces a text, which may begin and end within lines, if it was shown once."""
        numbers = sorted(self.words)
        text, starts = "", dict[int, int]()
        for number in numbers:
            if number - 1 not in self.words:
                text += "\0"
            starts[len(text)] = number
            text += self.words[number] + "\n"
        if not old or text.count(old) != 1:
            return None
        at = text.index(old)
        begin = text.rfind("\n", 0, at) + 1
        begin = max(begin, text.rfind("\0", 0, at) + 1)
        end = text.find("\n", at + len(old) - old.endswith("\n"))
        before, after = text[begin:end], text[begin:at] + new + text[at + len(old) : end]
        return hunk_of_texts(before, after.removesuffix("\n"), starts[begin])

    def lose(self) -> None:
        """Forget everything: the file was changed in an unknown way."""
        self.pieces, self.words = [(ENDLESS, UNTRACED)], {}

    def _place_of(self, lines: list[str]) -> int:
        """The only place where some lines were shown; 0 if there is none, or are several."""
        if not lines:
            return 0
        starts = [at for at, words in self.words.items() if words == lines[0]]
        found = [at for at in starts if all(self.words.get(at + n) == line for n, line in enumerate(lines))]
        return found[0] if len(found) == 1 else 0

    def _split(self, line: int) -> int:
        """The index of the piece that begins with a line, which is made if needed."""
        at = 1
        for index, (length, origin) in enumerate(self.pieces):
            if at == line:
                return index
            if line < at + length:
                size = line - at
                rest = origin + size if origin > 0 else origin
                self.pieces[index : index + 1] = [(size, origin), (length - size, rest)]
                return index + 1
            at += length
        return len(self.pieces)

    def _remove(self, line: int) -> None:
        begin = self._split(line)
        end = self._split(line + 1)
        del self.pieces[begin:end]
        self.words = {at - (at > line): words for at, words in self.words.items() if at != line}

    def _insert(self, line: int) -> None:
        self.pieces.insert(self._split(line), (1, OWN))
        self.words = {at + (at >= line): words for at, words in self.words.items()}


def hunks_between(before: str, after: str) -> list[LineHunk]:
    r"""The hunks that make one text of another, with their places.

    >>> hunks_between("a\nb\nc\n", "a\nx\ny\nc\n")
    [LineHunk(first=2, lines=['-b', '+x', '+y'])]
    """
    old, new = before.splitlines(), after.splitlines()
    found = []
    for tag, begin, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            lines = [f"-{line}" for line in old[begin:end]] + [f"+{line}" for line in new[first:last]]
            found.append(LineHunk(first + 1, lines))
    return found


def hunk_of_texts(old: str, new: str, first: int = 0) -> LineHunk:
    """The hunk that replaces some lines by others."""
    return LineHunk(
        first, [f"-{line}" for line in old.split("\n")] + [f"+{line}" for line in new.split("\n")]
    )
