"""Convert one format into another; with documents, nodes, quotes and whole documents become ranges."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from doxeval.core.notices import Notices
from doxeval.ground.document_names import name_run, tell_missing
from doxeval.ground.ground import prepare_ground
from doxeval.ground.locate import match_names, place_texts
from doxeval.ground.text_unit import run_in
from doxeval.io.documents.index import write_documents
from doxeval.io.formats.format import Options
from doxeval.io.formats.row_places import merge_by_row
from doxeval.io.inputs import reading_once
from doxeval.io.read import read_any, read_documents
from doxeval.io.write import format_to_write, has_steps, write_table
from doxeval.tables.assessments import Assessments, Ranges
from doxeval.tables.documents import Documents
from doxeval.tables.places import CHARACTERS
from doxeval.tables.runs import WHOLE, Run


def run_as_ranges(run: Run, documents: Documents) -> Run:
    """The run with every result as ranges; nodes not found are reported, and their results show nothing."""
    notices = Notices(run.notices)
    run = run_in(run, documents, CHARACTERS, notices) if run.texts is not None else run
    run, _ = name_run(place_texts(run, documents, notices), [documents.catalogue], notices)
    codes = documents.codes(run.docs)
    if (codes[run.doc[run.spans.row]] >= 0).all():
        run = run_in(run, documents, CHARACTERS, notices)
    tell_missing("{count} retrieved {document is|documents are}", run.docs, codes, documents, notices)
    code = codes[run.doc]
    row = run.spans.row
    start, end = run.start, run.end
    if run.nodes is not None:
        _, named_start, named_end = match_names(documents, code, run.nodes)
        named_row = run.nodes.rows.row
        is_found = named_start >= 0
        if not is_found.all():
            notices.add(
                "{count} {node was|nodes were} not found in the documents and {is|are} left out",
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
    steps = run.steps
    if steps is not None:
        steps = replace(steps, used=run_as_ranges(steps.used, documents))
    return replace(
        run, start=start, end=end, span_offset=None if one_each else offset, nodes=None, notices=notices,
        steps=steps,
    )  # fmt: skip


def assessments_as_ranges(assessments: Assessments, documents: Documents) -> Assessments:
    """The assessments with quotes, judged nodes and whole documents as ranges with grades."""
    codes = [code for code in assessments.nodes.code if code] if assessments.nodes is not None else []
    ground = prepare_ground(assessments, documents)
    notices = Notices(ground.assessments.notices, ground.notices)
    if codes:
        notices.add(
            "{count} INEX {code is lost: its node becomes a range|codes are lost: their nodes become ranges}",
            count=len(codes),
        )
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
    replace: bool = False,
) -> Notices:
    """Convert a run, assessments, chunks or documents into another format; returns what was refused or lost.

    `data` is a file, a table, or rows in memory, which are a run unless their `kind` (run, assessments,
    chunks or documents) is named. Formats are recognised by content and suffix unless they are named:
    `input_format` of what is read, `format` of what is written. Warns of what that cannot hold and of errors
    in the data. With `documents`, nodes, quotes and whole documents become ranges; `ranges`, `encoding` and
    `merge` are as for :func:`doxeval.read_run` and its siblings. The file at `path` may be the one that is
    read only with `replace`.
    """
    options = Options(ranges=ranges, merge=merge)
    held, _, table = read_any(data, kind, input_format, options, encoding)
    if held == "documents":
        write_documents(table, path)
        if kind is None:
            told = f"{table.source}: converted as documents; --kind names anything else"
            table.notices.add(told, harmless=True)
    else:
        if documents is not None and held != "chunks":
            on_documents = run_as_ranges if held == "run" else assessments_as_ranges
            table = on_documents(table, read_documents(documents))
        chosen = format_to_write(held, path, format, steps=has_steps(table))
        lost = write_table(table, path, chosen, options)
        table.notices.extend(lost)
    table.notices.warn()
    notices: Notices = table.notices
    return notices
