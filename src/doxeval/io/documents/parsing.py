"""The trees in a file, by the parser named, or else by its suffix or its first bytes.

Also whether a path holds documents at all, rather than a run, assessments or chunks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from doxeval.core.catalogue import DOCUMENT_SUFFIXES
from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.core.sandbox import SandboxDied, SandboxTimeout, run_sandboxed
from doxeval.io.documents.gitfiles import is_generated
from doxeval.io.documents.json_documents import load_json, tree_of_json
from doxeval.io.documents.native_documents import is_native, parse_lines, parse_records
from doxeval.io.documents.parser import (
    CODE_SUFFIXES,
    JSON,
    JSON_LINES,
    SOURCE,
    Parser,
    parser_named,
)
from doxeval.io.documents.tree import Refused, TagCodes, Tree, refused_alone
from doxeval.io.formats.chunking import sniff_chunks_jsonl
from doxeval.io.formats.format import formats, recognise_any
from doxeval.io.formats.native import keys_of_first_line
from doxeval.io.formats.parquet import sniff as is_parquet
from doxeval.io.inputs import open_input
from doxeval.io.limits import Limits
from doxeval.io.parquet_files import parquet_columns
from doxeval.io.source import HEAD, UTF8_MARK, Source

GENERATED = "{count} {file|files} left out: a header says that {it is|they are} generated"
PICTURES = (
    "{count} PDF {file has|files have} no text, only pages of pictures: pages and regions of {it|them} can "
    "be scored; recognise {its|their} text (OCR) to score that"
)
LANGUAGES = frozenset(CODE_SUFFIXES.values())
OWN_MODULES = "doxeval."
"""Modules that other processes can import; parsers registered in this session exist only here."""
COLLECTION_SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".dox")
FIRST_ELEMENT = re.compile(rb"<([A-Za-z][\w.:-]*)")
TABLE_NAME = re.compile(
    rb"submission|(runs?|results?|assessments?|judge?ments?|qrels?|topics?|query|queries)$"
)
"""Names of elements in which the records of a run, assessments or topics are."""
OF_ANYTHING = {"", "text", JSON, JSON_LINES}
"""Formats of files that may hold anything; those of all other suffixes hold documents."""

DocumentsIn = Callable[[Source, Notices], Iterator[dict[str, Any]]]


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


def _reader_of_documents(data: bytes) -> DocumentsIn | None:
    """The function that yields the documents in a file that another tool made; None for other files."""
    head = data[:HEAD].removeprefix(UTF8_MARK).lstrip()
    if b"doc" in keys_of_first_line(head) or b'"DoclingDocument"' in head:
        return None
    known = [*formats("documents").values(), *formats("assessments").values()]
    return next(
        (known.documents for known in known if known.documents is not None and known.sniff(head)), None
    )


def _parsed_tree(format: str, data: bytes, tags: TagCodes, limits: Limits) -> Tree:
    """The tree of a document; a large one is parsed in a separate process with a time limit."""
    parser = parser_named(format)
    if len(data) <= parser.quick or not _module(parser).startswith(OWN_MODULES):
        return parser.parse(data, tags, limits)
    try:
        names, tree = run_sandboxed(_parse_in_sandbox, format, data, limits, seconds=limits.seconds)
    except SandboxTimeout:
        took = f"took longer than {limits.seconds:,} seconds"
        raise Refused(took, f"{len(data):,} bytes; the limit is --max-seconds") from None
    except SandboxDied as end:
        raise Refused("not readable", f"{end}; perhaps for lack of memory") from None
    tree.tag = np.array([tags[name] for name in names], dtype=np.int32)[tree.tag]
    return tree


def _module(parser: Parser) -> str:
    """The module of a parser's function."""
    return getattr(parser.parse, "func", parser.parse).__module__


def _parse_in_sandbox(format: str, data: bytes, limits: Limits) -> tuple[list[str], Tree]:
    tags = TagCodes()
    tree = parser_named(format).parse(data, tags, limits)
    return list(tags), tree


def trees_of(entry: Entry, tags: TagCodes, limits: Limits, notices: Notices) -> Iterator[Tree]:
    """The documents of an entry; those that cannot be read are reported by name and left out."""
    with refused_alone(entry.name, notices):
        data = entry.content(limits)
        format = entry.format or format_of_content(data)
        if (format == SOURCE or format in LANGUAGES) and is_generated(data):
            notices.add(GENERATED, entry.name, harmless=True)
            return
        if format in (JSON, JSON_LINES) and (documents_in := _reader_of_documents(data)) is not None:
            source = Source(data, entry.name, entry.line)
            yield from parse_records(documents_in(source, notices), entry.name, tags, limits, notices)
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
            tree = tree_of_json(value, tags, limits)
        else:
            tree = _parsed_tree(format, data, tags, limits)
            if format == "pdf" and not (tree.text or "").strip():
                notices.add(PICTURES, entry.name, lasting=True)
        tree.doc, tree.origin, tree.marked = entry.doc, entry.name, data.startswith(UTF8_MARK)
        yield tree


def holds_documents(path: str) -> bool:
    """Whether a path clearly holds documents.

    A folder, archive or index; JSON Lines or Parquet that name documents and no topics; XML, HTML, Markdown,
    wikitext or PDF that is not a known format of anything else, nor XML that calls itself a run or the like.
    Plain text and other JSON may be anything.
    """
    if Path(path).is_dir() or path.lower().endswith(COLLECTION_SUFFIXES):
        return True
    source = Source(path)
    try:
        if is_parquet(source.head):
            with open_input(path) as stream:
                columns = parquet_columns(stream)
            return "doc" in columns and "topic" not in columns and bool(columns & {"nodes", "text", "length"})
        keys = keys_of_first_line(source.head.lstrip())
        if keys:
            told = b"doc" in keys and b"topic" not in keys and bool(keys & {b"nodes", b"text", b"length"})
            return told and not sniff_chunks_jsonl(source.head.lstrip())
        of_documents = DOCUMENT_SUFFIXES.get(Path(path).suffix.lower(), "") not in OF_ANYTHING
        return of_documents and not _calls_itself_table(source.head) and not _is_table(source)
    finally:
        source.close()


def _calls_itself_table(head: bytes) -> bool:
    """Whether the first element of a text is named like a run, assessments or topics."""
    root = FIRST_ELEMENT.search(head)
    return root is not None and TABLE_NAME.search(root[1].lower()) is not None


def _is_table(source: Source) -> bool:
    try:
        recognise_any(source)
    except InputError:
        return False
    return True
