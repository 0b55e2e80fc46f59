"""Convert one format into another; with documents, nodes, quotes and whole documents become ranges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from doxeval.core.notices import Notices
from doxeval.ground.as_ranges import assessments_as_ranges, run_as_ranges
from doxeval.io.documents.index import write_documents
from doxeval.io.formats.format import Options
from doxeval.io.inputs import reading_once
from doxeval.io.read import read_any, read_documents
from doxeval.io.write import format_to_write, write_table


@reading_once()
def convert(
    data: Any,
    path: str | Path,
    *,
    kind: str | None = None,
    documents: Any = None,
    input_format: str | None = None,
    format: str | None = None,
    ranges: str = "",
    encoding: str | None = None,
    merge: str = "",
) -> Notices:
    """Convert a run, assessments, chunks or documents into another format; returns what was refused or lost.

    `data` is a file, a table, or rows in memory, which are a run unless their `kind` (run, assessments,
    chunks or documents) is named. Formats are recognised by content and suffix unless they are named:
    `input_format` of what is read, `format` of what is written. Warns of what that cannot hold and of errors
    in the data. With `documents`, nodes, quotes and whole documents become ranges; `ranges`, `encoding` and
    `merge` are as for :func:`doxeval.read_run` and its siblings.
    """
    options = Options(ranges=ranges, merge=merge)
    held, _, table = read_any(data, kind, input_format, options, encoding)
    if held == "documents":
        write_documents(table, path)
    else:
        if documents is not None and held != "chunks":
            on_documents = run_as_ranges if held == "run" else assessments_as_ranges
            table = on_documents(table, read_documents(documents))
        lost = write_table(table, path, format_to_write(held, path, format), options)
        table.notices.extend(lost)
    table.notices.warn()
    notices: Notices = table.notices
    return notices
