"""Convert one format into another; with documents, nodes, quotes and whole documents become ranges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from doxeval.core.notices import Notices
from doxeval.ground.as_ranges import assessments_as_ranges, run_as_ranges
from doxeval.io.documents.index import save_documents
from doxeval.io.documents.recognition import holds_documents
from doxeval.io.formats.base import Options
from doxeval.io.inputs import reading_once
from doxeval.io.read import read_documents, read_table
from doxeval.io.write import format_to_write, write_table


def convert(
    source: str | Path,
    target: str | Path,
    *,
    from_format: str | None = None,
    to_format: str | None = None,
    kind: str | None = None,
    documents: Any | None = None,
    ranges: str = "",
    encoding: str | None = None,
    merge: str = "",
) -> None:
    """Convert the run, assessments, chunks or documents in a file into another format.

    Formats are recognised by content and suffix unless they are named, and so is the `kind` (run,
    assessments, chunks or documents). Warns of what the target cannot hold and of errors in the source.
    `documents`, `ranges`, `encoding` and `merge` are as for :func:`doxeval.read_run` and its siblings.
    """
    converted(source, target, from_format, to_format, kind, documents, ranges, encoding, merge).warn()


@reading_once()
def converted(
    source: str | Path, target: str | Path, from_format: str | None, to_format: str | None, kind: str | None,
    documents: Any | None, ranges: str, encoding: str | None, merge: str,
) -> Notices:  # fmt: skip
    """Like :func:`convert`; returns notices of what was refused or lost."""
    if kind == "documents" or (kind is None and not from_format and holds_documents(str(source))):
        collection = read_documents(source, format=from_format)
        save_documents(collection, target)
        notices = Notices(collection.notices)
        notices.add(f"{source}: converted as documents; --kind names anything else", harmless=True)
        return notices
    options = Options(ranges=ranges, merge=merge)
    kind, _, table = read_table(source, kind=kind, format=from_format, options=options, encoding=encoding)
    if documents is not None and kind != "chunks":
        on_documents = run_as_ranges if kind == "run" else assessments_as_ranges
        table = on_documents(table, read_documents(documents))
    lost = write_table(table, target, format_to_write(kind, target, to_format), options)
    table.notices.extend(lost)
    return table.notices
