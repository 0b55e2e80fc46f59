"""One identity for each document, however it is named.

The name of a document is its path without suffix. A run, assessments, chunks or a retriever may use the name
itself, the name with the suffix of its file (``lease.txt``) or without further ones (``report`` for
``report.pdf.txt``), with backslashes, a path that ends with it (``/home/me/contracts/lease.txt``), or the end
of its path (``lease``). The documents meant are those that share the most complete spelling with a name; if
these are several, it is not matched, and reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from functools import cached_property
from os.path import splitext

import numpy as np

from doxeval.core.quick_class import dataclass
from doxeval.core.strings import Strings

DOCUMENT_SUFFIXES = {
    ".xml": "xml", ".xhtml": "xml", ".html": "html", ".htm": "html", ".md": "markdown",
    ".markdown": "markdown", ".txt": "text", ".text": "text", ".wiki": "wikitext", ".json": "json",
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".pdf": "pdf",
}  # fmt: skip
"""The suffixes of documents, each with the name of its parser (:mod:`doxeval.io.documents.parser`)."""
FILE_SUFFIXES = (
    *DOCUMENT_SUFFIXES, ".doc", ".docx", ".odt", ".rtf", ".ppt", ".pptx", ".xls", ".xlsx", ".csv", ".tsv",
    ".rst", ".adoc", ".tex", ".epub", ".eml",
)  # fmt: skip
"""The suffixes recognised as those of files; anything else after a dot belongs to the name."""

CAPITALS = b"AZ"
NAMES_SHOWN = 3


def spellings(name: str) -> list[str]:
    r"""A name as a path, with forward slashes and no `./` in front; then without its suffixes, one by one.

    >>> spellings(".\\contracts\\report.pdf.TXT"), spellings("NYT.0001"), spellings(".txt")
    (['contracts/report.pdf.TXT', 'contracts/report.pdf', 'contracts/report'], ['NYT.0001'], ['.txt'])
    """
    path = name.replace("\\", "/").removeprefix("file://")
    while path.startswith("./"):
        path = path[2:]
    found = [path]
    while True:
        bare, suffix = splitext(found[-1])  # noqa: PTH122 - several times faster than a Path
        if suffix.lower() not in FILE_SUFFIXES:
            return found
        found.append(bare)


def is_absolute(path: str) -> bool:
    """Whether a path is absolute: `/a`, `C:/a`, `https://a`."""
    return path.startswith("/") or ":/" in path


def endings(path: str) -> list[str]:
    """The proper endings of a path, the longest first.

    >>> endings("/a/b/c")
    ['a/b/c', 'b/c', 'c']
    """
    return [path[at + 1 :] for at, letter in enumerate(path) if letter == "/" and at + 1 < len(path)]


def some(names: Sequence[str]) -> str:
    """The first few names, for a message.

    >>> some(["a", "b", "c", "d"])
    "'a', 'b', 'c', ..."
    """
    return ", ".join(map(repr, names[:NAMES_SHOWN])) + (", ..." if len(names) > NAMES_SHOWN else "")


@dataclass
class Found:
    """The document with each name (-1: none), and names that were not clear.

    `exact` is the same for the documents' own names alone; `renamed` are the rows with another name;
    `by_ending` lists those matched by the end of a path, `doubtful` those that could mean several documents,
    with both sides.
    """

    codes: np.ndarray
    exact: np.ndarray
    renamed: list[int] = field(default_factory=list)
    by_ending: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)

    def take(self, row: int, code: int) -> None:
        """Assign a document with another name to a row."""
        self.codes[row] = code
        self.renamed.append(row)


class Catalogue:
    """Documents by all the names they may have.

    >>> found = Catalogue(["contracts/lease", "nda"]).find(["/x/nda.txt", "lease.txt", "other"])
    >>> found.codes.tolist(), found.by_ending
    ([1, 0, -1], ["'/x/nda.txt' is 'nda'", "'lease.txt' is 'contracts/lease'"])
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names if isinstance(names, Strings) else Strings.of(names)

    @cached_property
    def _has_parts(self) -> bool:
        return _has_parts(self.names)

    @cached_property
    def _stems(self) -> tuple[Strings, np.ndarray]:
        each = stems(self.names)
        return Strings.distinct_at(each.blob.tobytes(), each.offset[:-1], each.offset[1:])

    def find(self, names: Sequence[str]) -> Found:
        """Look names up, all those of one table together: exactly, else as paths, else by their endings."""
        column = names if isinstance(names, Strings) else Strings.of(names)
        exact = self.names.codes(column)
        found = Found(exact.astype(np.int64), exact)
        if (found.codes < 0).any() and (rows := self._alike(column, found.codes < 0)):
            _settle(self, column, rows, found)
        return found

    def _alike(self, column: Strings, missing: np.ndarray) -> list[int]:
        """The missing names whose last part, without suffix, is that of some document."""
        if not (self._has_parts or _has_parts(column)):
            return []
        rows = np.flatnonzero(missing)
        return rows[self._stems[0].codes(stems(column, rows)) >= 0].tolist()

    def candidates(self, names: Iterable[str]) -> list[int]:
        """The documents whose last part, without suffix, is that of some of the names."""
        distinct, own = self._stems
        wanted = np.zeros(len(distinct), dtype=bool)
        wanted[distinct.codes(stems(Strings.of(names)))] = True
        return np.flatnonzero(wanted[own]).tolist()


def _settle(catalogue: Catalogue, names: Strings, rows: list[int], found: Found) -> None:
    """Find the documents of names that are not their own: one name per document, or it is doubtful."""
    paths = {row: spellings(names[row]) for row in rows}
    known = {code: catalogue.names[code] for code in catalogue.candidates(names[row] for row in rows)}
    by_path, by_ending = _grouped_by_path(known)
    taken: dict[tuple[int, bool], set[str]] = {}
    for code in set(found.codes.tolist()) & set(known):
        taken[code, False] = {spellings(known[code])[-1]}
    loose: list[tuple[int, int]] = []
    for row, path in paths.items():
        if len(same := by_path.find(path)) == 1:
            found.take(row, same[0])
            taken.setdefault((same[0], False), set()).add(path[-1])
            continue
        longer = (by_path.find(spellings(ending)) for ending in endings(path[0]))
        possible = same or next(filter(None, longer), []) or by_ending.find(path)
        if len(possible) == 1:
            loose.append((row, possible[0]))
            taken.setdefault((possible[0], is_absolute(path[0])), set()).add(path[-1])
        elif possible:
            found.doubtful.append(f"{names[row]!r} could be {some([known[code] for code in possible])}")
    for row, code in loose:
        if len(taken[code, is_absolute(paths[row][0])]) > 1:
            found.doubtful.append(f"{names[row]!r} could be {known[code]!r}")
        else:
            found.take(row, code)
            found.by_ending.append(f"{names[row]!r} is {known[code]!r}")


class _Spelled(dict[str, list[int]]):
    """Documents by every spelling of their paths."""

    def add(self, path: str, code: int) -> None:
        """Add a document with a path."""
        for spelled in spellings(path):
            self.setdefault(spelled, []).append(code)

    def find(self, path: list[str]) -> list[int]:
        """The documents that share the most complete of some spellings."""
        return next((self[spelled] for spelled in path if spelled in self), [])


def _grouped_by_path(known: dict[int, str]) -> tuple[_Spelled, _Spelled]:
    """Documents by their path, and by each of its proper endings."""
    by_path, by_ending = _Spelled(), _Spelled()
    for code, name in known.items():
        by_path.add(name, code)
        for ending in endings(spellings(name)[0]):
            by_ending.add(ending, code)
    return by_path, by_ending


def stems(names: Strings, rows: np.ndarray | slice = slice(None)) -> Strings:
    """The last part of each name, or of some, without the suffixes of a file.

    >>> stems(Strings.of(["a/b.pdf.txt", "b", "c"]))
    ['b', 'b', 'c']
    """
    begin, end = names.offset[:-1][rows], names.offset[1:][rows]
    separators = np.flatnonzero((names.blob == ord("/")) | (names.blob == ord("\\")))
    dots = np.flatnonzero(names.blob == ord("."))
    part = np.maximum(_last_of(separators, begin, end) + 1, begin)
    while ((bare := _without_suffix(names.blob, part, _last_of(dots, part, end), end)) < end).any():
        end = bare
    return Strings.at(names.blob.tobytes(), part, end)


def _last_of(marks: np.ndarray, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The last of some ascending places within each range, -1 if there is none.

    >>> _last_of(np.array([1, 3, 8]), np.array([0, 5, 4]), np.array([4, 9, 7])).tolist()
    [3, 8, -1]
    """
    last = np.concatenate([[-1], marks])[np.searchsorted(marks, end)]
    return np.where(last >= begin, last, -1)


def without_suffix(names: Strings) -> tuple[np.ndarray, Strings]:
    """The rows of the names that have the suffix of a file, and these names without it."""
    begin, end = names.offset[:-1], names.offset[1:]
    dots = _last_of(np.flatnonzero(names.blob == ord(".")), begin, end)
    bare = _without_suffix(names.blob, begin, dots, end)
    rows = np.flatnonzero(bare < end)
    return rows, Strings.at(names.blob.tobytes(), begin[rows], bare[rows])


def _has_parts(names: Strings) -> bool:
    """Whether any name has a folder or a dot; otherwise it has only one form."""
    letters = names.blob.tobytes()
    return b"/" in letters or b"\\" in letters or b"." in letters


def _without_suffix(blob: np.ndarray, begin: np.ndarray, dot: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The end of each name without the suffix of a file, which begins at its last dot."""
    rows = np.flatnonzero((dot > begin) & (end - dot <= max(map(len, FILE_SUFFIXES))))
    if not len(rows):
        return end
    last = Strings.at(blob.tobytes(), dot[rows], end[rows])
    small = np.where((last.blob >= CAPITALS[0]) & (last.blob <= CAPITALS[1]), last.blob | 32, last.blob)
    end = end.copy()
    cut = rows[Strings.of(FILE_SUFFIXES).codes(Strings(last.offset, small)) >= 0]
    end[cut] = dot[cut]
    return end
