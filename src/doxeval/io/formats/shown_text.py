"""The output of tools: windows of files with numbered lines, lines that match a search, listings, chunks.

A result is turned into places as in the native form of trajectories, and into names of documents that were
listed without any of their text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from doxeval.io.formats.changed_files import line_ranges
from doxeval.io.formats.field_lines import LARGEST_OFFSET
from doxeval.io.formats.line_places import FILE
from doxeval.io.formats.nested_values import json_inside
from doxeval.io.placing.claims import NOTHING, Claim, claim_of
from doxeval.io.placing.place_chunks import END_KEYS, SOURCES, START_KEYS, TEXTS

Place = dict[str, Any]

NUMBERED = re.compile(r"(?:[ \t]*(\d+)(?:\t|→|:|[ ]?\|[ ]?|$)|L(\d+):[ ]?)(.*)")
"""A line with its number in front, as by `cat -n`, `nl` and the tools of agents."""
MATCHED = re.compile(r"(?P<path>[^\s:][^:\n]*?):(?P<line>\d+)[:-](?P<text>.*)")
"""A line with its file and its number, as by `grep -n`."""
HEADING = re.compile(r"\[([^\[\]\n]+)\]")
LONGEST_NAME = 300
SNIPPETS = (*TEXTS, "snippet", "chunk", "passage", "body")
RESULT_LISTS = ("results", "documents", "docs", "chunks", "matches", "hits", "items", "data")


class ShownLines(NamedTuple):
    """Lines of a file from the first on, numbered from 1, without their numbers."""

    first: int
    lines: list[str]

    @property
    def last(self) -> int:
        """The number of the last line."""
        return self.first + len(self.lines) - 1


class ShownResult(NamedTuple):
    """The content of a result: places, what each says of where it is, and documents that it only names."""

    places: list[Place]
    stated: list[tuple[int, int, Claim]]
    named: list[str]


UNSTATED = (-1, -1, NOTHING)


def windows_in(text: str) -> list[ShownLines]:
    r"""The stretches of numbered lines in a text; other lines are left out.

    >>> windows_in("     4\tdef f():\n     5\t    pass\n\n")
    [ShownLines(first=4, lines=['def f():', '    pass'])]
    >>> windows_in("12 apples and 3 pears")
    []
    """
    found: list[ShownLines] = []
    for line in text.split("\n"):
        match = NUMBERED.fullmatch(line)
        digits = (match[1] or match[2]) if match else ""
        number = int(digits) if 0 < len(digits) < 10 else 0
        if match and found and number == found[-1].last + 1:
            found[-1].lines.append(match[3])
        elif match and number:
            found.append(ShownLines(number, [match[3]]))
    return [window for window in found if len(window.lines) > 1] or _only_line(text, found)


def _only_line(text: str, found: list[ShownLines]) -> list[ShownLines]:
    """A window of one line, with a tab or an arrow behind its number, if there is hardly anything else."""
    others = sum(bool(line.strip()) for line in text.split("\n")) - 1
    if len(found) != 1 or others > 2:
        return []
    return (
        found if re.search(rf"^\s*(?:{found[0].first}[\t→]|L{found[0].first}:)", text, re.MULTILINE) else []
    )


def matches_in(text: str) -> dict[str, list[int]]:
    r"""The lines that a search prints, by file.

    >>> matches_in("src/a.py:3:import re\nsrc/a.py:9:re.sub(a, b)\n--\n")
    {'src/a.py': [3, 9]}
    """
    found: dict[str, list[int]] = {}
    for line in text.split("\n"):
        match = MATCHED.fullmatch(line)
        if match and is_file_name(match["path"]) and 0 < len(match["line"]) < 10:
            found.setdefault(match["path"], []).append(int(match["line"]))
    return found


def files_named(text: str) -> list[str]:
    r"""The files that a listing names, one per line.

    >>> files_named("src/a.py\nREADME.md\n3 files found\n")
    ['src/a.py', 'README.md']
    """
    lines = (line.strip().removeprefix("- ").removeprefix("./") for line in text.split("\n"))
    return list(dict.fromkeys(line for line in lines if is_file_name(line)))


def is_file_name(name: str) -> bool:
    """Whether a text is evidently the name or the address of a file.

    >>> [is_file_name(name) for name in ("src/a.py", "https://a.org/b c", "a tea", "Makefile", "12")]
    [True, False, False, True, False]
    """
    if not 0 < len(name) <= LONGEST_NAME or name != name.strip() or "\n" in name:
        return False
    if name.startswith(("http://", "https://", "file://")):
        return not re.search(r"\s", name)
    return bool(FILE.fullmatch(name)) and not re.search(r"\s{2}|[<>|\"*?]|[.!?,;:] ", name)


def shown_by_search(text: str) -> ShownResult:
    """The content of a search's result: chunks in JSON, matching lines, a listing, or pieces of text.

    Pieces are separated by blank lines; one that begins with a name in brackets on a line of its own is of
    that document.
    """
    if chunks := _chunks_in(json_inside(text)):
        return shown_by_chunks(chunks)
    if matches := matches_in(text):
        places = [{"doc": doc, "lines": line_ranges(lines)} for doc, lines in matches.items()]
        return ShownResult(places, [UNSTATED] * len(places), [])
    lines = [line for line in text.split("\n") if line.strip()]
    names = files_named(text)
    if names and len(names) >= len(lines) - 1:
        return ShownResult([], [], names)
    places = list(_pieces(text))
    return ShownResult(places, [UNSTATED] * len(places), [])


def _pieces(text: str) -> Iterator[Place]:
    doc: Place = {}
    for piece in re.split(r"\n[ \t]*\n\s*", text.strip()):
        head, _, rest = piece.partition("\n")
        if match := HEADING.fullmatch(head.strip()):
            doc, piece = ({"doc": match[1]} if is_file_name(match[1]) else {}), rest
        if piece.strip():
            yield {"text": piece} | doc


def _chunks_in(value: Any) -> list[Any]:
    """The chunks or names in a list, or in an object with one."""
    if isinstance(value, Mapping):
        value = next((value[key] for key in RESULT_LISTS if isinstance(value.get(key), list)), None)
    items = value if isinstance(value, list) else []
    known = (str, Mapping)
    return items if items and all(isinstance(one, known) for one in items) else []


def shown_by_chunks(chunks: list[Any]) -> ShownResult:
    """The content of chunks: text, in the document that their metadata name; without text they are names."""
    places, stated, named = [], [], []
    for chunk in chunks:
        keys = keys_of_chunk(chunk if isinstance(chunk, Mapping) else _of_text(chunk))
        if "text" in keys:
            stated.append(keys.pop("stated", UNSTATED))
            places.append(keys)
        elif "doc" in keys:
            named.append(keys["doc"])
    return ShownResult(places, stated, list(dict.fromkeys(named)))


def _of_text(chunk: str) -> dict[str, str]:
    return {"id": chunk} if is_file_name(chunk) else {"text": chunk}


def keys_of_chunk(chunk: Mapping[str, Any]) -> Place:
    """A chunk as the keys of a line of a run; `stated` is what it says about its place."""
    chunk = chunk["document"] if isinstance(chunk.get("document"), Mapping) else chunk
    metadata = json_inside(chunk.get("metadata") or {})
    metadata = metadata if isinstance(metadata, Mapping) else {}
    text = next((chunk[key] for key in SNIPPETS if isinstance(chunk.get(key), str) and chunk[key]), None)
    found = (str(metadata[key]) for key in SOURCES if isinstance(metadata.get(key), str | int))
    named = next(({"doc": name} for name in found if name), {})
    if text is None:
        own = chunk.get("id") or next((chunk[key] for key in SOURCES if chunk.get(key)), None)
        if not named and not isinstance(own, str | int):
            raise KeyError("content or id of a document")
        return named or {"doc": str(own)}
    start, end = _offset_in(metadata, START_KEYS), _offset_in(metadata, END_KEYS)
    stated = (start, end if end >= 0 else start + len(text), claim_of(metadata))
    return {"text": text} | named | ({"stated": stated} if named else {})


def _offset_in(metadata: Mapping[str, Any], keys: tuple[str, ...]) -> int:
    found = (metadata[key] for key in keys if type(metadata.get(key)) is int)
    return next((offset for offset in found if abs(offset) <= LARGEST_OFFSET), -1)
