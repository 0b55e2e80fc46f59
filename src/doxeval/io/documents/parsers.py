"""The trees of a file, by the parser that was named, that its suffix or that its first bytes speak for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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

Held = Callable[[Source, Notices], Iterator[dict[str, Any]]]


@dataclass(frozen=True)
class Entry:
    """Something to be parsed: a file, a member of an archive, or some lines of a file of documents.

    `doc` is the document's id unless the content names its own; `data` is None where the file is still to
    be read; `line` is the number of the first line.
    """

    name: str
    doc: str
    format: str
    path: Path | None = None
    data: bytes | None = None
    line: int = 1

    def content(self, limits: Limits) -> bytes:
        """The bytes, decompressed."""
        origin = self.path if self.data is None else self.data
        assert origin is not None
        data = Source(origin, self.name).read_at_most(limits.document_size + 1)
        if len(data) > limits.document_size:
            raise Refused(f"larger than {limits.document_size:,} bytes", "--max-document-size allows more")
        return data


def format_of_content(data: bytes) -> str:
    """The format that the first bytes speak for."""
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
    """A document that another tool has taken apart, or any other JSON by its strings."""
    if is_docling(value):
        return parse_docling(value, tags, limits)
    if is_unstructured(value):
        return parse_unstructured(value, tags, limits)
    if is_paged(value):
        return parse_pages(value, tags, limits)
    return parse_leaves(value, tags, limits)


def _holder_of(data: bytes) -> Held | None:
    """What yields the documents of a file of assessments that holds some, None where it is no such file."""
    head = data[:HEAD].removeprefix(UTF8_MARK).lstrip()
    if b"doc" in keys_of_first_line(head):
        return None
    holding = (format for format in formats("assessments").values() if format.documents is not None)
    return next((format.documents for format in holding if format.sniff(head)), None)


def trees_of(entry: Entry, tags: TagCodes, limits: Limits, notices: Notices) -> Iterator[Tree]:
    """The documents of an entry; what cannot be read is noted with the file's name and left out."""
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
            tree = PARSERS.named(format).parse(data, tags, limits)
        tree.doc, tree.origin = entry.doc, entry.name
        yield tree
