"""The trees in a file, by the parser named, or else by its suffix or its first bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from doxeval.core.apart import DiedApart, TookTooLong, apart
from doxeval.core.notices import Notices
from doxeval.io.documents.base import JSON, JSON_LINES, PARSERS
from doxeval.io.documents.docling import is_docling, parse_docling
from doxeval.io.documents.json_leaves import load_json, parse_leaves
from doxeval.io.documents.limits import Limits
from doxeval.io.documents.native import is_native, parse_lines, parse_records
from doxeval.io.documents.pages import is_paged, parse_pages
from doxeval.io.documents.refusal import refused_alone
from doxeval.io.documents.tree import Refused, TagCodes, Tree
from doxeval.io.documents.unstructured import is_unstructured, parse_unstructured
from doxeval.io.formats.base import formats
from doxeval.io.formats.native import keys_of_first_line
from doxeval.io.source import HEAD, UTF8_MARK, Source

OWN = "doxeval."
"""Modules that other processes can import; parsers registered in this session exist only here."""

Held = Callable[[Source, Notices], Iterator[dict[str, Any]]]


@dataclass(frozen=True)
class Entry:
    """One unit of parsing: a file, a member of an archive, or some lines of a file of documents.

    `doc` is the document's id unless the content names its own; `data` is None if the file is yet to be read;
    `size` is then that of the file. `line` is the number of the first line.
    """

    name: str
    doc: str
    format: str
    path: Path | None = None
    size: int = 0
    data: bytes | None = None
    line: int = 1

    def content(self, limits: Limits) -> bytes:
        """The bytes, decompressed."""
        origin = self.path if self.data is None else self.data
        assert origin is not None
        data = Source(origin, self.name).read_at_most(limits.document_size + 1)
        if len(data) > limits.document_size:
            raise Refused(f"larger than {limits.document_size:,} bytes", "the limit is --max-document-size")
        return data


def format_of_content(data: bytes) -> str:
    """The format suggested by the first bytes."""
    head = data[:1024].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if head.startswith(b"%pdf-"):
        return "pdf"
    if head.startswith((b"<!doctype html", b"<html")):
        return "html"
    if head.startswith(b"<"):
        return "xml"
    if head.startswith(b'{"'):
        return JSON_LINES if b"\n{" in data.lstrip() else JSON
    return "text"


def _tree_of_json(value: Any, tags: TagCodes, limits: Limits) -> Tree:
    """The tree of a document parsed by another tool, or of the strings of any other JSON."""
    if is_docling(value):
        return parse_docling(value, tags, limits)
    if is_unstructured(value):
        return parse_unstructured(value, tags, limits)
    if is_paged(value):
        return parse_pages(value, tags, limits)
    return parse_leaves(value, tags, limits)


def _holder_of(data: bytes) -> Held | None:
    """The function that yields the documents in a file of assessments; None for other files."""
    head = data[:HEAD].removeprefix(UTF8_MARK).lstrip()
    if b"doc" in keys_of_first_line(head) or b'"DoclingDocument"' in head:
        return None
    holding = (format for format in formats("assessments").values() if format.documents is not None)
    return next((format.documents for format in holding if format.sniff(head)), None)


def _parsed(format: str, data: bytes, tags: TagCodes, limits: Limits) -> Tree:
    """The tree of a document; a large one is parsed in a separate process with a time limit."""
    parser = PARSERS.named(format)
    if len(data) <= parser.quick or not parser.parse.__module__.startswith(OWN):
        return parser.parse(data, tags, limits)
    try:
        names, tree = apart(_parse_alone, format, data, limits, seconds=limits.seconds)
    except TookTooLong:
        took = f"took longer than {limits.seconds:,} seconds"
        raise Refused(took, f"{len(data):,} bytes; the limit is --max-seconds") from None
    except DiedApart as end:
        raise Refused("not readable", f"{end}; perhaps for lack of memory") from None
    tree.tag = np.array([tags[name] for name in names], dtype=np.int32)[tree.tag]
    return tree


def _parse_alone(format: str, data: bytes, limits: Limits) -> tuple[list[str], Tree]:
    tags = TagCodes()
    tree = PARSERS.named(format).parse(data, tags, limits)
    return list(tags), tree


def trees_of(entry: Entry, tags: TagCodes, limits: Limits, notices: Notices) -> Iterator[Tree]:
    """The documents of an entry; those that cannot be read are reported by name and left out."""
    with refused_alone(entry.name, notices):
        data = entry.content(limits)
        format = entry.format or format_of_content(data)
        if format in (JSON, JSON_LINES) and (holder := _holder_of(data)) is not None:
            source = Source(data, entry.name, entry.line)
            yield from parse_records(holder(source, notices), entry.name, tags, limits, notices)
            return
        if format == JSON_LINES:
            yield from parse_lines(data, entry.name, entry.line, tags, limits, notices)
            return
        if format == JSON:
            value = load_json(data)
            if is_native(value) or (isinstance(value, list) and value and all(map(is_native, value))):
                records = value if isinstance(value, list) else [value]
                yield from parse_records(records, entry.name, tags, limits, notices)
                return
            tree = _tree_of_json(value, tags, limits)
        else:
            tree = _parsed(format, data, tags, limits)
        tree.doc, tree.origin, tree.marked = entry.doc, entry.name, data.startswith(UTF8_MARK)
        yield tree
