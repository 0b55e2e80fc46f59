"""Convert one format into another; with documents, nodes, quotes and whole documents become ranges."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from doxeval.core.notices import Notices
from doxeval.ground.document_names import name_run, tell_missing
from doxeval.ground.ground import prepare_ground
from doxeval.ground.locate import find_names, place_texts
from doxeval.io.documents.index import save_documents
from doxeval.io.documents.recognition import holds_documents
from doxeval.io.formats.base import Options
from doxeval.io.formats.places import merge_by_row
from doxeval.io.inputs import reading_once
from doxeval.io.read import read_documents, read_table
from doxeval.io.write import format_to_write, write_table
from doxeval.tables.assessments import Assessments, Ranges
from doxeval.tables.documents import Documents
from doxeval.tables.runs import WHOLE, Run


def run_as_ranges(run: Run, documents: Documents) -> Run:
    """The run with every result as ranges; nodes not found are reported, and their results show nothing."""
    notices = Notices(run.notices)
    run, _ = name_run(place_texts(run, documents, notices), [documents.catalogue], notices)
    codes = documents.codes(run.docs)
    tell_missing("{count} retrieved documents are", run.docs, codes, documents, notices)
    code = codes[run.doc]
    row = run.spans.row
    start, end = run.start, run.end
    if run.nodes is not None:
        _, named_start, named_end = find_names(documents, code, run.nodes)
        named_row = run.nodes.rows.row
        is_found = named_start >= 0
        if not is_found.all():
            notices.add(
                "{count} nodes were not found in the documents and are left out",
                *(run.where(at) for at in named_row[~is_found][:3]),
                count=int((~is_found).sum()),
                lasting=True,
            )
        row = np.concatenate([row, named_row[is_found]])
        start = np.concatenate([start, named_start[is_found]])
        end = np.concatenate([end, named_end[is_found]])
    known_end = np.where(code >= 0, documents.length[code], WHOLE)[row]
    offset, start, end = merge_by_row(row, start, np.where(end >= WHOLE, known_end, end), len(run))
    one_each = bool((np.diff(offset) == 1).all())
    return replace(
        run, start=start, end=end, span_offset=None if one_each else offset, nodes=None, notices=notices
    )


def assessments_as_ranges(assessments: Assessments, documents: Documents) -> Assessments:
    """The assessments with quotes, judged nodes and whole documents as ranges with grades."""
    codes = [code for code in assessments.nodes.code if code] if assessments.nodes is not None else []
    ground = prepare_ground(assessments, documents)
    notices = Notices(ground.assessments.notices, ground.notices)
    if codes:
        notices.add("{count} INEX codes are lost: their nodes become ranges", count=len(codes))
    return replace(
        ground.assessments,
        ranges=Ranges(
            ground.unit_pair,
            ground.unit_start,
            ground.unit_end,
            ground.unit_grade,
            ground.unit_aspects,
            ground.unit_place if len(np.unique(ground.unit_place)) < len(ground.unit_place) else None,
        ),
        length=np.where(ground.length >= 0, ground.length, ground.assessments.length),
        nodes=None,
        quotes=None,
        notices=notices,
    )


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
        return collection.notices
    options = Options(ranges=ranges, merge=merge)
    kind, _, table = read_table(source, kind=kind, format=from_format, options=options, encoding=encoding)
    if documents is not None and kind != "chunks":
        on_documents = run_as_ranges if kind == "run" else assessments_as_ranges
        table = on_documents(table, read_documents(documents))
    lost = write_table(table, target, format_to_write(kind, target, to_format), options)
    table.notices.extend(lost)
    return table.notices
