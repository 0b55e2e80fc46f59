"""Ways to cut a document into ranges. Each leaves out nothing but white space between the pieces."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from doxeval import Chunks, Documents, Notices, UsageError
from doxeval.core.errors import nearest
from doxeval.tables.quotes import Extent

PARAGRAPH = re.compile(r"\S.*?(?=\n\s*\n|\Z)", re.DOTALL)
SENTENCE = re.compile(r"\S.*?(?:[.?!:](?=\s)|(?=\n\s*\n)|\Z)", re.DOTALL)
BREAKS = ("\n\n", "\n", ". ", " ")
"""Where to cut a piece that is too long, the best place first."""


@dataclass(frozen=True)
class Cutting:
    """How to cut: the unit, the most characters of a chunk (None: any), characters shared by neighbours."""

    unit: str = "size"
    size: int | None = None
    overlap: int = 0

    def __post_init__(self) -> None:
        if self.unit not in CUTTERS and not re.fullmatch(r"<[^<>]+>", self.unit):
            raise UsageError(
                f"documents are cut by {', '.join(CUTTERS)} or by nodes with a tag, as in <p>; "
                f"not by {self.unit!r}{nearest(self.unit, CUTTERS)}"
            )
        if self.unit == "size" and self.size is None:
            raise UsageError("cutting by size needs a size in characters")
        if self.size is not None and self.size < 1:
            raise UsageError(f"size is at least 1, not {self.size}")
        if not 0 <= self.overlap < (self.size or 1):
            raise UsageError(f"overlap lies between 0 and the size ({self.size}), not {self.overlap}")


def windows(text: str, size: int, overlap: int = 0) -> list[Extent]:
    """Windows of `size` characters, each beginning `size - overlap` after the one before.

    >>> windows("abcdefgh", 4, 2)
    [(0, 4), (2, 6), (4, 8), (6, 8)]
    """
    return [(start, min(start + size, len(text))) for start in range(0, len(text), size - overlap)]


def matches(pattern: re.Pattern[str], text: str) -> list[Extent]:
    """Every place where the pattern matches."""
    return [match.span() for match in pattern.finditer(text)]


def between(starts: list[int], length: int) -> list[Extent]:
    """From each start to the next; text before the first belongs to it."""
    places = sorted({0, *starts})
    return list(zip(places, [*places[1:], length], strict=True)) if length else []


def _sections(documents: Documents, doc: int, text: str) -> list[Extent]:
    """From each inner node (one that holds others: a section, a list) to the next."""
    rows = slice(documents.node_offset[doc], documents.node_offset[doc + 1])
    parent = documents.parent[rows]
    holds = np.zeros(len(parent), dtype=bool)
    holds[parent[parent >= 0]] = True
    section = holds & (documents.depth[rows] > 1) & ~np.isin(documents.tag[rows], _inline(documents))
    return between([_line_start(text, start) for start in documents.start[rows][section].tolist()], len(text))


def _line_start(text: str, place: int) -> int:
    """The start of a place's line if only marks come before it, such as those of a heading."""
    start = text.rfind("\n", 0, place) + 1
    return place if re.search(r"\w", text[start:place]) else start


def _inline(documents: Documents) -> list[int]:
    """Codes of tags that contain others but are not sections."""
    return [
        code
        for code, tag in enumerate(documents.tags)
        if tag in ("list", "item", "table", "row", "quote", "p")
    ]


CUTTERS: dict[str, Callable[[Documents, int, str], list[Extent]]] = {
    "document": lambda documents, doc, text: [(0, len(text))] if text else [],
    "section": _sections,
    "paragraph": lambda documents, doc, text: matches(PARAGRAPH, text),
    "sentence": lambda documents, doc, text: matches(SENTENCE, text),
    "size": lambda documents, doc, text: [(0, len(text))] if text else [],
}


def cut_document(documents: Documents, doc: int, cutting: Cutting) -> list[Extent]:
    """The chunks of one document; units that are longer than the size are cut further."""
    if documents.text is None:
        raise UsageError("chunks are cut from text; give documents with their text")
    text = documents.text[doc]
    if cutting.unit == "size":
        assert cutting.size is not None
        return windows(text, cutting.size, cutting.overlap)
    if cutting.unit in CUTTERS:
        units = CUTTERS[cutting.unit](documents, doc, text)
    else:
        units = _tagged(documents, doc, cutting.unit[1:-1])
    if cutting.size is None:
        return units
    return [piece for unit in units for piece in _fitting(text, *unit, cutting.size, cutting.overlap)]


def _tagged(documents: Documents, doc: int, tag: str) -> list[Extent]:
    """The topmost nodes with a tag."""
    if tag not in documents.tags:
        raise UsageError(f"no node has the tag {tag!r}{nearest(tag, documents.tags)}")
    rows = slice(documents.node_offset[doc], documents.node_offset[doc + 1])
    found = documents.tag[rows] == documents.tags.index(tag)
    extents: list[Extent] = []
    for start, end in zip(
        documents.start[rows][found].tolist(), documents.end[rows][found].tolist(), strict=True
    ):
        if end > start and (not extents or start >= extents[-1][1]):
            extents.append((start, end))
    return extents


def _fitting(text: str, start: int, end: int, size: int, overlap: int) -> Iterator[Extent]:
    """A unit in pieces of at most `size` characters, cut between paragraphs, lines, sentences or words."""
    while end - start > size:
        breaks = (text.rfind(mark, start + size // 2, start + size) + len(mark) for mark in BREAKS)
        stop = next((place for place in breaks if place > start + size // 2), start + size)
        yield start, stop
        start = max(start + 1, stop - overlap)
    yield start, end


def chunk(documents: Any, *, cut: Any = "size", size: int | None = None, overlap: int = 0) -> Chunks:
    """Cut documents into chunks.

    `cut` is size (windows), document, section, paragraph, sentence, or a tag as in ``<p>``; units longer than
    `size` are cut at the best break. It may also be a splitter of LangChain, LlamaIndex or chonkie, or any
    function from a text to its pieces: texts, pairs of start and end, or what these splitters return, each
    located in its document. Documents are a table or anything :func:`doxeval.read_documents` takes.

    >>> chunks = chunk({"d1": "One. Two, and more.\\n\\nThree."}, cut="sentence")
    >>> list(zip(chunks.start.tolist(), chunks.end.tolist(), strict=True))
    [(0, 4), (5, 19), (21, 27)]
    >>> chunk({"d1": "One. Two."}, cut=lambda text: text.split(". "))
    <Chunks: 2 chunks, 1 document>
    """
    from doxeval import read_documents

    if isinstance(cut, str):
        return cut_all(read_documents(documents), Cutting(cut, size, overlap))
    from doxeval.rag.splitters import split_all

    if size is not None or overlap:
        raise UsageError("a splitter has sizes of its own; leave out size and overlap")
    return split_all(read_documents(documents), cut)


def cut_all(documents: Documents, cutting: Cutting) -> Chunks:
    """The chunks of all documents, in order."""
    extents = [cut_document(documents, doc, cutting) for doc in range(len(documents))]
    flat = [extent for of_doc in extents for extent in of_doc]
    return Chunks(
        docs=documents.ids,
        doc=np.repeat(np.arange(len(documents), dtype=np.int32), [len(of_doc) for of_doc in extents]),
        start=np.array([start for start, _ in flat], dtype=np.int64),
        end=np.array([end for _, end in flat], dtype=np.int64),
        notices=Notices(),
    )
