"""The pool file: what assessors read, one line for each document of a topic; see docs/judging.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from doxeval import InputError, Notices
from doxeval.core.output import atomic
from doxeval.core.phrases import counted
from doxeval.core.values import is_number, name_of, quoted
from doxeval.extend import Source, json_at
from doxeval.tables.glimpse import FirstRows, Glimpsed, clipped, ranges_shown

VERSION = 1
Passages = tuple[tuple[int, int], ...]
Suggested = dict[str, tuple[tuple[int, int, float], ...]]
"""Start, end and grade of what a model or a rule suggests, by its name; empty if it found nothing."""


@dataclass(frozen=True)
class PooledDocument:
    """The part of a document to judge for a topic: `passages`, sorted and without overlap, in code points.

    `judged` is what was judged in it before. `length` (-1 if unknown) and `fingerprint` ("" if
    unknown, else :func:`doxeval.io.placing.library.fingerprint`) are those of the text that was pooled.
    `runs` is how many runs show each passage, those aside that show all of the document; empty if unknown.
    `suggested` is what models or rules suggest, for assessors to confirm, correct or reject.
    """

    topic: str
    doc: str
    passages: Passages
    judged: Passages = ()
    query: str = ""
    length: int = -1
    fingerprint: str = ""
    runs: tuple[int, ...] = ()
    suggested: Suggested = field(default_factory=dict)

    @property
    def characters(self) -> int:
        """How much there is to read."""
        return sum(end - start for start, end in self.passages)


@dataclass(frozen=True)
class Retrieved:
    """A passage of the pool of which a run shows some text, and the first rank at which it does."""

    topic: str
    doc: str
    start: int
    end: int
    run: str
    rank: int


@dataclass(frozen=True, repr=False)
class Pool(Glimpsed):
    """Documents in the order in which assessors see them, and how they were chosen.

    Which run `retrieved` what is not written with them: assessors must not see it.
    """

    documents: list[PooledDocument]
    made: dict[str, Any] = field(default_factory=dict)
    retrieved: list[Retrieved] = field(default_factory=list, compare=False)
    notices: Notices = field(default_factory=Notices, compare=False)

    def __len__(self) -> int:
        return len(self.documents)

    def __repr__(self) -> str:
        return f"<Pool: {self.told()}>"

    def _first_rows(self, count: int) -> FirstRows:
        first = self.documents[:count]
        rows = [[one.topic, clipped(one.query), one.doc, ranges_shown(list(one.passages))] for one in first]
        return ["topic", "question", "document", "to judge"], rows, len(self), "documents"

    @property
    def characters(self) -> int:
        """How much there is to read."""
        return sum(document.characters for document in self.documents)

    def told(self) -> str:
        """How much there is to read, in one line."""
        topics = len({document.topic for document in self.documents})
        documents, characters = counted(len(self), "document"), counted(self.characters, "character")
        return f"{counted(topics, 'topic')}, {documents}, {characters} to judge"


def write_pool(
    pool: str | Path | bytes | Pool, path: str | Path, *, sources: str | Path | None = None
) -> None:
    """Write a pool as JSON Lines; the first line says how it was made.

    Which run retrieved what of it is written to the file `sources`, if one is named.
    """
    made = read_pool(pool)
    with atomic(path) as stream:
        for line in ({"pool": VERSION, **made.made}, *map(_line, made.documents)):
            stream.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
    if sources is None:
        return
    with atomic(sources) as stream:
        for found in made.retrieved:
            stream.write(json.dumps(asdict(found), ensure_ascii=False).encode() + b"\n")


def _line(document: PooledDocument) -> dict[str, Any]:
    """The keys of a document that are not empty."""
    told = {
        "topic": document.topic, "query": document.query, "doc": document.doc,
        "passages": document.passages, "runs": document.runs, "judged": document.judged,
        "length": None if document.length < 0 else document.length, "fingerprint": document.fingerprint,
        "suggested": document.suggested or None,
    }  # fmt: skip
    return {key: value for key, value in told.items() if value not in ("", (), None) or key == "passages"}


def read_pool(data: str | Path | bytes | Pool) -> Pool:
    """Read a pool from a path or bytes; a line that does not fit is an error with its place.

    A pool is returned unchanged.
    """
    if isinstance(data, Pool):
        return data
    made: dict[str, Any] = {}
    documents: dict[tuple[str, str], PooledDocument] = {}
    with Source(data) as source:
        for number, line in enumerate(source.read().split(b"\n"), 1):
            if not line.strip():
                continue
            place = source.place(number)
            told = json_at(place, line)
            if not isinstance(told, dict):
                raise InputError(f"{place}: expected a JSON object, found {quoted(told)}")
            if "pool" in told and not documents and not made:
                made = _header(place, told)
                continue
            document = _document(place, told)
            if documents.setdefault((document.topic, document.doc), document) is not document:
                raise InputError(
                    f"{place}: document {document.doc!r} of topic {document.topic!r} is in the pool twice; "
                    "give each document of a topic one line with all its passages"
                )
    if not made and not documents:
        raise InputError(f"{source.name}: expected a pool, as 'doxeval pool' writes it, found nothing")
    return Pool(list(documents.values()), {key: value for key, value in made.items() if key != "pool"})


def _header(place: str, told: dict[str, Any]) -> dict[str, Any]:
    if told["pool"] != VERSION:
        raise InputError(f"{place}: expected a pool of version {VERSION}, found {quoted(told['pool'])}")
    return told


def _document(place: str, told: Mapping[str, Any]) -> PooledDocument:
    topic, doc = (name_of(told.get(key)) for key in ("topic", "doc"))
    if not topic or not doc or "passages" not in told:
        expected = '{"topic": "q1", "doc": "d1", "passages": [[10, 60]]}'
        raise InputError(f"{place}: expected a line such as {expected}, found {quoted(dict(told))}")
    length, query, mark = told.get("length", -1), told.get("query", ""), told.get("fingerprint", "")
    if type(length) is not int or length < -1:
        raise InputError(f"{place}: expected a whole number as 'length', found {quoted(length)}")
    for key, text in (("query", query), ("fingerprint", mark)):
        if not isinstance(text, str):
            raise InputError(f"{place}: expected a text as {key!r}, found {quoted(text)}")
    passages, judged = (_ranges(place, key, told.get(key, []), length) for key in ("passages", "judged"))
    runs = told.get("runs", [])
    if not _are_counts(runs) or len(runs) not in (0, len(passages)):
        raise InputError(
            f"{place}: expected as 'runs' how many runs show each of {counted(len(passages), 'passage')}, "
            f"found {quoted(runs)}"
        )
    suggested = _suggested(place, told.get("suggested", {}), length)
    return PooledDocument(topic, doc, passages, judged, query, length, mark, tuple(runs), suggested)


def _suggested(place: str, given: Any, length: int) -> Suggested:
    """Ranges by the name of what suggests them, each with a grade, which is 1 unless it is given."""
    found: Suggested = {}
    for name, ranges in given.items() if isinstance(given, dict) else [("", given)]:
        rows = ranges if isinstance(ranges, list) else [ranges]
        if not name.strip() or not all(_is_suggestion(row, length) for row in rows):
            raise InputError(
                f"{place}: expected as 'suggested' ranges by their source, such as {{\"model\": [[10, 60]]}} "
                f"or, with a grade, [10, 60, 2], found {quoted(given)}"
            )
        found[name] = tuple((row[0], row[1], float(row[2] if len(row) > 2 else 1)) for row in rows)
    return found


def _is_suggestion(row: Any, length: int) -> bool:
    return (
        isinstance(row, list)
        and len(row) in (2, 3)
        and all(type(offset) is int for offset in row[:2])
        and 0 <= row[0] < row[1]
        and (length < 0 or row[1] <= length)
        and all(is_number(grade) and 0 < grade < float("inf") for grade in row[2:])
    )


def _are_counts(value: Any) -> bool:
    return isinstance(value, list) and all(type(one) is int and one >= 0 for one in value)


def _ranges(place: str, key: str, given: Any, length: int) -> Passages:
    """Ranges that are sorted, apart, and within the document if its length is known."""
    found = []
    before = 0
    for one in given if isinstance(given, list) else [given]:
        pair = one if isinstance(one, list) and len(one) == 2 else [one]
        if not all(type(offset) is int for offset in pair) or not before <= pair[0] < pair[-1]:
            raise InputError(
                f"{place}: expected as {key!r} ranges [start, end] in order that do not overlap, "
                f"found {quoted(one)}"
            )
        found.append((pair[0], pair[1]))
        before = pair[1]
    if 0 <= length < before:
        raise InputError(f"{place}: {key!r} reach to {before}, but the document has {length} characters")
    return tuple(found)
