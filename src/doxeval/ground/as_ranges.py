"""Nodes, passages, quotes and whole documents as plain ranges, for formats that hold only these."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from doxeval.core.notices import Notices
from doxeval.ground.ground import prepare_ground
from doxeval.ground.naming import name_run, tell_missing
from doxeval.ground.places import find_names
from doxeval.ground.texts import place_texts
from doxeval.io.formats.places import merge_by_row
from doxeval.tables.assessments import Assessments, Ranges
from doxeval.tables.documents import Documents
from doxeval.tables.runs import WHOLE, Run


def run_as_ranges(run: Run, documents: Documents) -> Run:
    """The run with every result as ranges; nodes not found are reported, and their results show nothing."""
    notices = Notices(run.notices)
    run, _ = name_run(place_texts(run, documents, notices), [documents.catalogue], notices)
    codes = documents.codes(run.docs)
    tell_missing("{count} retrieved {document is|documents are}", run.docs, codes, documents, notices)
    code = codes[run.doc]
    row = run.spans.row
    start, end = run.start, run.end
    if run.nodes is not None:
        _, named_start, named_end = find_names(documents, code, run.nodes)
        named_row = run.nodes.rows.row
        found = named_start >= 0
        if not found.all():
            notices.add(
                "{count} {node was|nodes were} not found in the documents and {is|are} left out",
                *(run.where(at) for at in named_row[~found][:3]),
                count=int((~found).sum()),
                lasting=True,
            )
        row = np.concatenate([row, named_row[found]])
        start = np.concatenate([start, named_start[found]])
        end = np.concatenate([end, named_end[found]])
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
