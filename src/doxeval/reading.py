"""Read documents, assessments and runs from files, frames or lists of dicts: one way in for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.formats.base import Options, format_named, recognise
from doxeval.formats.source import Source
from doxeval.notices import Notices
from doxeval.tables.assessments import Assessments
from doxeval.tables.runs import Run

if TYPE_CHECKING:
    from doxeval.tables.documents import Documents

Rows = Iterable[Mapping[str, Any]]


def read_run(
    data: str | Path | bytes | Rows | Any, *, format: str | None = None, name: str = "", ranges: str = ""
) -> Run:
    """Read one system's results.

    `data` is a path (`-` for standard input), bytes, a list of dicts or a polars or pandas frame with the
    columns of the native format. The format is recognised from the content unless it is named; `ranges` says
    how TREC document ids carry ranges (see ``doxeval convert --help``).
    """
    options = Options(name=name, ranges=ranges)
    if not isinstance(data, str | Path | bytes):
        from doxeval.formats.frames import run_from_rows

        run = run_from_rows(data, options)
    else:
        source = Source(data)
        if not source.head.strip():
            run = _empty_run(source, options)
        else:
            chosen = format_named("run", format) if format else recognise("run", source)
            run = chosen.read(source, options)
    return run


def _empty_run(source: Source, options: Options) -> Run:
    notices = Notices()
    notices.add(f"{source.name}: is empty; scored as a run that retrieves nothing")
    nothing = np.zeros(0, dtype=np.int64)
    codes = np.zeros(0, dtype=np.int32)
    return Run(
        options.name or source.stem, [], [], codes, codes, nothing, nothing,
        rank=nothing, source=source.name, notices=notices,
    )  # fmt: skip


def read_assessments(data: str | Path | bytes | Rows | Any, *, format: str | None = None) -> Assessments:
    """Read what is relevant: a path, bytes, a list of dicts or a frame, as for :func:`read_run`."""
    if not isinstance(data, str | Path | bytes):
        from doxeval.formats.frames import assessments_from_rows

        return assessments_from_rows(data, Options())
    source = Source(data)
    chosen = format_named("assessments", format) if format else recognise("assessments", source)
    return chosen.read(source, Options())


def read_documents(data: str | Path | Rows | Any, *, format: str | None = None) -> Documents:
    """Read documents: a file, folder, glob, archive or index, a list of dicts or a frame."""
    from doxeval.documents.index import load_documents

    return load_documents(data, format=format)
