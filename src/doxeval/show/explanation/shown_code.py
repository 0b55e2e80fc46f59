"""Results that are source code, shown as code: line numbers, colours, the class or function above each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from itertools import groupby

import numpy as np

from doxeval.core.screen import BOLD, PLAIN, filled, screen
from doxeval.core.table import Table
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.io.placing.definitions import without_blanks
from doxeval.show.colours import colours
from doxeval.tables.documents import Documents
from doxeval.tables.line_map import line_ends, lines_touched
from doxeval.tables.places import LINES

MOST_RESULTS, MOST_LINES = 10, 12
"""Results that are shown, and lines of each."""
ON_SCREEN = {"k": "\033[35m", "s": "\033[32m", "c": "\033[90m", "m": "\033[33m", "f": "\033[34m",
             "d": "\033[36m", "b": "\033[36m"}  # fmt: skip
ON_PAGE = {"k": "#a626a4", "s": "#2f8f3a", "c": "#808080", "m": "#b0660a", "f": "#3069c8", "d": "#7a5fc0",
           "b": "#0a8087"}  # fmt: skip
"""Colours that can be read on light and on dark ground."""


@dataclass(frozen=True)
class CodeLine:
    """A line of a result: its number from 1, its text, and whether anything in it is relevant."""

    line: int
    text: str
    relevant: bool


@dataclass(frozen=True)
class Excerpt:
    """The first lines of a result in source code, and the class or function that it is in."""

    rank: int
    doc: str
    symbol: str
    lines: list[CodeLine]
    left_out: int = 0

    @property
    def title(self) -> str:
        """The place of the result: its file, and the class or function."""
        return f"{self.doc}::{self.symbol}" if self.symbol else self.doc


def symbol_around(documents: Documents, doc: int, start: int, end: int) -> str:
    """The smallest class or function that contains a range, else the first that it touches; or nothing."""
    symbols = documents.symbols(doc)
    if symbols and documents.text is not None:
        start, end = without_blanks(documents.text[doc], start, end)
    around = [(stop - begin, name) for name, begin, stop in symbols if begin <= start and end <= stop]
    if around:
        return min(around)[1]
    if start <= 0 and end >= documents.length[doc]:
        return ""
    return next((name for name, begin, stop in symbols if begin < end and start < stop), "")


def excerpts(aligned: Aligned, rows: range, ranks: np.ndarray) -> list[Excerpt]:
    """The results in some rows of an aligned run that are source code, as far as they are shown."""
    documents = aligned.ground.documents
    if documents is None or documents.in_characters.text is None:
        return []
    found: list[Excerpt] = []
    for row, rank in zip(rows, ranks.tolist(), strict=True):
        doc = int(documents.codes([aligned.run.docs[aligned.doc[row]]])[0])
        if doc >= 0 and documents.is_source(doc) and len(found) < MOST_RESULTS:
            found.append(_excerpt(aligned, documents, row, doc, rank))
    return found


def _excerpt(aligned: Aligned, documents: Documents, row: int, doc: int, rank: int) -> Excerpt:
    texts = documents.in_characters.text
    assert texts is not None
    text, spans = texts[doc], aligned.spans.slice(row)
    start, end = aligned.start[spans], aligned.end[spans]
    shown = _lines_of(text, start, end, documents.unit)
    relevant = set(_relevant_lines(aligned.ground, int(aligned.pair[row]), text))
    lines = text.split("\n")
    symbol = symbol_around(documents, doc, int(start.min()), int(end.max())) if len(start) else ""
    kept = [CodeLine(at + 1, lines[at].rstrip("\r"), at in relevant) for at in shown[:MOST_LINES]]
    return Excerpt(rank, documents.ids[doc], symbol, kept, len(shown) - len(kept))


def _lines_of(text: str, start: np.ndarray, end: np.ndarray, unit: str) -> list[int]:
    """The lines in ranges of a text, counted from 0."""
    first, after = (start, end) if unit == LINES else lines_touched(line_ends(text), start, end)
    found = {line for a, b in zip(first.tolist(), after.tolist(), strict=True) for line in range(a, b)}
    return sorted(found)


def _relevant_lines(ground: Ground, pair: int, text: str) -> list[int]:
    if pair < 0:
        return []
    _, start, end = ground.relevant
    rows = ground.relevant_by_pair.slice(pair)
    return _lines_of(text, start[rows], end[rows], ground.unit)


@dataclass(repr=False)
class CodeTable(Table):
    """Excerpts of source code; every renderer that has no colours shows the cells of a table."""

    excerpts: list[Excerpt] = field(default_factory=list)

    @classmethod
    def of(cls, shown: list[Excerpt]) -> CodeTable:
        """The table of some excerpts."""
        body = [
            [str(one.rank) if not at else "", one.title if not at else "", str(line.line),
             "+" if line.relevant else "", line.text]
            for one in shown
            for at, line in enumerate(one.lines)
        ]  # fmt: skip
        footer = ["+: lines with relevant text"]
        if any(one.left_out for one in shown):
            footer.append(f"the first {MOST_LINES} lines of each result are shown")
        return cls(["rank", "result", "line", "", "code"], body, 5, footer, excerpts=shown)

    def plain(self) -> str:
        """The lines with their numbers, below the name of each class or function."""
        return "\n".join([*self._written(), *map(filled, self.below)])

    def _written(self) -> Iterator[str]:
        colour = screen().colour
        for one in self.excerpts:
            title = f"{one.rank}  {one.title}"
            yield f"{BOLD}{title}{PLAIN}" if colour else title
            for line, parts in _coloured(one):
                text = "".join(
                    f"{ON_SCREEN[kind]}{part}{PLAIN}" if colour and kind else part for kind, part in parts
                )
                yield f"{line.line:>6} {'+' if line.relevant else ' '} {text}".rstrip()
            if one.left_out:
                yield f"{'':>6}   ... {one.left_out:,} more lines"

    def html(self) -> str:
        """The same for notebooks, in a fixed width."""
        found = []
        for one in self.excerpts:
            rows = [
                f"{line.line:>6} {'+' if line.relevant else ' '} " + "".join(
                    f'<span style="color:{ON_PAGE[kind]}">{escape(part)}</span>' if kind else escape(part)
                    for kind, part in parts
                )
                for line, parts in _coloured(one)
            ]  # fmt: skip
            found.append(
                f"<p>{one.rank}  <code>{escape(one.title)}</code></p><pre>{chr(10).join(rows)}</pre>"
            )
        return "".join([*found, *(f"<p>{escape(line)}</p>" for line in self.below)])


def _coloured(one: Excerpt) -> Iterator[tuple[CodeLine, list[tuple[str, str]]]]:
    """Each line with its parts, each of a kind of token."""
    text = "\n".join(line.text for line in one.lines)
    runs = colours(text, one.doc)
    units = text.encode("utf-16-le", "surrogatepass")
    kinds = [kind for size, kind in zip(runs[::2], runs[1::2], strict=True) for _ in range(int(size))]
    kinds += [""] * (len(units) // 2 - len(kinds))
    at = 0
    for line in one.lines:
        of_letters = []
        for letter in line.text:
            of_letters.append((str(kinds[at]), letter))
            at += 1 + (ord(letter) > 0xFFFF)
        at += 1
        groups = groupby(of_letters, lambda pair: pair[0])
        yield line, [(kind, "".join(letter for _, letter in group)) for kind, group in groups]
