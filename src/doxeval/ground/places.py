"""Nodes on their documents: names of nodes and of passages become nodes and ranges."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.ground.naming import document_codes
from doxeval.tables.assessments import Assessments
from doxeval.tables.ranges import joined_ranges
from doxeval.tables.runs import Names, Run, passage_points

if TYPE_CHECKING:
    from doxeval.ground.ground import Ground
    from doxeval.tables.documents import Documents

POSITIVE_CODE = re.compile(r"E[1-9].*|[1-9].*")


def find_names(
    documents: Documents, doc: np.ndarray, names: Names
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Node (or -1), start and end of each name; `doc` is the document of each row of `names`.

    A passage has a range but no node; what cannot be found has the range (-1, -1).
    """
    doc_of_name = np.repeat(doc, np.diff(names.offset))
    node = documents.resolve(doc_of_name, names.table, names.codes)
    found = node >= 0
    start = np.full(len(node), -1, dtype=np.int64)
    end = start.copy()
    start[found], end[found] = documents.extent(doc_of_name[found], node[found])
    passages = {code: points for code, name in enumerate(names.table) if (points := passage_points(name))}
    if passages:
        for at in np.flatnonzero(~found & (doc_of_name >= 0)):
            if names.codes[at] in passages:
                first, last = passages[names.codes[at]]
                begin = documents.point(int(doc_of_name[at]), first)
                stop = documents.point(int(doc_of_name[at]), last, end=True)
                if 0 <= begin <= stop:
                    start[at], end[at] = begin, stop
    return node, start, end


def _need_documents(documents: Documents | None, what: str) -> Documents:
    if documents is None:
        raise UsageError(f"{what} are given as nodes or paths; the documents' trees are needed (--docs FILE)")
    return documents


def ranges_of_judged_nodes(
    assessments: Assessments, documents: Documents | None, doc_index: np.ndarray, notices: Notices
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Pair, start, end and grade of the text of every node that was judged relevant."""
    judged = assessments.nodes
    assert judged is not None
    documents = _need_documents(
        documents, f"{assessments.source or 'the assessments'}: what is relevant: judgements"
    )
    doc = doc_index[assessments.pair_doc[judged.pair]]
    _node, start, end = find_names(documents, doc, judged.nodes)
    row = np.repeat(np.arange(len(judged)), np.diff(judged.nodes.offset))
    _note_missing(documents, doc[row], judged.nodes, start, notices, "judged nodes are")
    value = np.where(np.isnan(judged.value), [_is_positive(code) for code in judged.code], judged.value)
    good = start >= 0
    return judged.pair[row[good]], start[good], end[good], value[row[good]]


def _is_positive(code: str) -> float:
    """1 for an INEX code that says relevant to some degree, else 0."""
    return 1.0 if POSITIVE_CODE.fullmatch(code) else 0.0


def places_of_nodes(run: Run, rows: np.ndarray, ground: Ground, notices: Notices):  # type: ignore[no-untyped-def]
    """Ranges `(start, end, offset)` and nodes `(offset, node)` of the results `rows` of a run.

    A result's nodes show their text once, however they nest; a result whose node is unknown stays in its
    place and shows nothing.
    """
    assert run.nodes is not None
    documents = _need_documents(ground.documents, f"{run.source or run.name}: results")
    doc = document_codes(documents, run.docs)[run.doc]
    node, start, end = find_names(documents, doc, run.nodes)
    result = np.repeat(np.arange(len(run)), np.diff(run.nodes.offset))
    _note_missing(documents, doc[result], run.nodes, start, notices, "retrieved nodes are")

    own = (
        np.arange(len(run))
        if run.span_offset is None
        else np.repeat(np.arange(len(run)), np.diff(run.span_offset))
    )
    group = np.concatenate([own, result[start >= 0]])
    all_start = np.concatenate([run.start, start[start >= 0]])
    all_end = np.concatenate([run.end, end[start >= 0]])
    position = np.full(len(run), -1, dtype=np.int64)
    position[rows] = np.arange(len(rows))
    spans = _grouped(position[group], len(rows), all_start, all_end)
    offset, starts, ends = joined_ranges(spans[0], spans[1], spans[2])
    has_node = node >= 0
    nodes = _grouped(position[result[has_node]], len(rows), node[has_node])
    return (starts, ends, offset), (nodes[0], nodes[1])


def with_roots(
    nodes: tuple[np.ndarray, np.ndarray] | None, whole: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes of results, with the root for each result that is a `whole` document: a document is its root."""
    offset, node = (
        nodes if nodes is not None else (np.zeros(len(whole) + 1, dtype=np.int64), np.zeros(0, np.int64))
    )
    more = np.concatenate([[0], np.cumsum(whole)])
    return offset + more, np.insert(node, offset[:-1][whole], 0)


def _grouped(group: np.ndarray, groups: int, *columns: np.ndarray) -> tuple[np.ndarray, ...]:
    """Columns sorted by group (and by the first column within it), without rows of group -1, with offsets."""
    order = np.lexsort((columns[0], group))
    order = order[group[order] >= 0]
    offset = np.zeros(groups + 1, dtype=np.int64)
    np.cumsum(np.bincount(group[order], minlength=groups), out=offset[1:])
    return (offset, *(column[order] for column in columns))


def _note_missing(documents, doc, names: Names, start, notices: Notices, what: str) -> None:  # type: ignore[no-untyped-def]
    """Tell which names stand for nothing in documents that are there, with the nearest that do."""
    missing = np.flatnonzero((start < 0) & (doc >= 0))
    if len(missing):
        notices.add(
            f"{{count}} {what} not in their documents and count as empty",
            *(
                f"{documents.ids[doc[at]]}: {names.table[names.codes[at]]}"
                f"{documents.hint(int(doc[at]), names.table[names.codes[at]])}"
                for at in missing[:3]
            ),
            count=len(missing),
            lasting=True,
        )
