"""Whether a path holds documents rather than a run, assessments or chunks."""

from __future__ import annotations

import re
from pathlib import Path

from doxeval.core.errors import InputError
from doxeval.io.documents.base import SUFFIXES
from doxeval.io.formats.base import recognise_any
from doxeval.io.formats.native import keys_of_first_line
from doxeval.io.formats.parquet import sniff
from doxeval.io.inputs import open_input
from doxeval.io.parquet import parquet_columns
from doxeval.io.source import Source

COLLECTIONS = (".zip", ".tar", ".tar.gz", ".tgz", ".dox")
ROOT = re.compile(rb"<([A-Za-z][\w.:-]*)")
TABLE = re.compile(
    rb"submission|runs?\b|results?\b|assessments?\b|judg(e)?ments?\b|qrels?\b|topics?\b|quer(y|ies)\b"
)
MARKED_UP = {"xml", "html", "markdown", "wikitext", "pdf"}


def holds_documents(path: str) -> bool:
    """Whether a path clearly holds documents.

    A folder, archive or index; JSON Lines or Parquet that name documents and no topics; XML, HTML, Markdown,
    wikitext or PDF that is not a known format of anything else, nor XML that calls itself a run or the like.
    Plain text and other JSON may be anything.
    """
    if Path(path).is_dir() or path.lower().endswith(COLLECTIONS):
        return True
    source = Source(path)
    try:
        if sniff(source.head):
            with open_input(path) as stream:
                columns = parquet_columns(stream)
            return "doc" in columns and "topic" not in columns and bool(columns & {"nodes", "text", "length"})
        keys = keys_of_first_line(source.head.lstrip())
        if keys:
            return b"doc" in keys and b"topic" not in keys and bool(keys & {b"nodes", b"text", b"length"})
        marked_up = SUFFIXES.get(Path(path).suffix.lower()) in MARKED_UP
        return marked_up and not _calls_itself_table(source.head) and not _is_table(source)
    finally:
        source.close()


def _calls_itself_table(head: bytes) -> bool:
    """Whether the first element of a text is named like a run, assessments or topics."""
    root = ROOT.search(head)
    return root is not None and TABLE.search(root[1].lower()) is not None


def _is_table(source: Source) -> bool:
    try:
        recognise_any(source)
    except InputError:
        return False
    return True
