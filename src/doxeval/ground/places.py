"""Find nodes in their documents: names of nodes and of passages become nodes and ranges."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.ragged import Ragged
from doxeval.ground.connected import note_unconnected
from doxeval.tables.assessments import Assessments, JudgedNodes, Ranges
from doxeval.tables.runs import Names, Run, passage_points

if TYPE_CHECKING:
    from doxeval.ground.ground import Ground
    from doxeval.tables.documents import Documents

POSITIVE_CODE = re.compile(r"E[1-9].*|[1-9].*")
STRICT_CODES = ("E3S3", "3E")


def find_names(
    documents: Documents, doc: np.ndarray, names: Names
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Node (or -1), start and end of each name; `doc` is the document of each row of `names`.

    A passage has a range but no node; a name not found has the range (-1, -1).
    """
    doc_of_name = names.rows.expand(doc)
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
        raise UsageError(f"{what} are given as nodes or paths, which need the documents' trees (--docs FILE)")
    return documents


def ranges_of_judged_nodes(
    assessments: Assessments, documents: Documents | None, doc_index: np.ndarray, notices: Notices
) -> Ranges:
    """The text of every judged node; its place is the row of its judgement."""
    judged = assessments.nodes
    assert judged is not None
    documents = _need_documents(documents, f"{assessments.source or 'the assessments'}: judgements")
    doc = doc_index[assessments.pair_doc[judged.pair]]
    node, start, end = find_names(documents, doc, judged.nodes)
    row = judged.nodes.rows.row
    _note_missing(documents, doc[row], judged.nodes, start, notices, "judged {node is|nodes are}")
    found = node >= 0
    sets = judged.nodes.rows.keep_items(found)
    note_unconnected(documents, doc, sets, node[found], notices, "judgements")
    good = start >= 0
    row = row[good]
    aspects = None if judged.aspects is None else judged.aspects.take(row)
    return Ranges(judged.pair[row], start[good], end[good], grades(judged)[row], aspects, row)


def highlights(judged: JudgedNodes, highlighted: str | None) -> np.ndarray:
    """Which judgements count as text highlighted whole: those of the highest value in the file and of the
    highest code (`strict`), or all positive ones."""
    if highlighted != "strict":
        return grades(judged) > 0
    best = judged.value == np.nanmax(judged.value, initial=0.0)
    by_code = np.isin(np.array(judged.code, dtype="U4"), STRICT_CODES)
    return np.where(np.isnan(judged.value), by_code, best & (judged.value > 0))


def degrees(judged: JudgedNodes) -> str:
    """The codes or the different values of judgements, if some are more relevant than others."""
    codes = sorted({code for code in judged.code if code})
    values = np.unique(judged.value[judged.value > 0])
    if codes:
        return f"the codes {', '.join(codes[:3])}{', ...' * (len(codes) > 3)}"
    if len(values) < 2:
        return ""
    return f"the values {', '.join(f'{value:g}' for value in values[:3])}{', ...' * (len(values) > 3)}"


def grades(judged: JudgedNodes) -> np.ndarray:
    """The value of each judgement; for INEX codes 1 if relevant to any degree, else 0."""
    positive = [1.0 if POSITIVE_CODE.fullmatch(code) else 0.0 for code in judged.code]
    return np.where(np.isnan(judged.value), positive, judged.value)


def places_of_nodes(
    run: Run, rows: np.ndarray, ground: Ground, notices: Notices
) -> tuple[tuple[Ragged, np.ndarray, np.ndarray], tuple[Ragged, np.ndarray]]:
    """Ranges (by result, start, end) and nodes (by result, node) of the results `rows` of a run.

    The nodes of a result show their text once, however they nest; a result whose node is unknown keeps its
    place and shows nothing.
    """
    assert run.nodes is not None
    documents = _need_documents(ground.documents, f"{run.source or run.name}: results")
    doc = documents.codes(run.docs)[run.doc]
    node, start, end = find_names(documents, doc, run.nodes)
    result = run.nodes.rows.row
    _note_missing(documents, doc[result], run.nodes, start, notices, "retrieved {node is|nodes are}")

    group = np.concatenate([run.spans.row, result[start >= 0]])
    all_start = np.concatenate([run.start, start[start >= 0]])
    all_end = np.concatenate([run.end, end[start >= 0]])
    position = np.full(len(run), -1, dtype=np.int64)
    position[rows] = np.arange(len(rows))
    by_row, *ranges = Ragged.gathered(position[group], len(rows), all_start, all_end)
    has_node = node >= 0
    return by_row.joined(*ranges), Ragged.gathered(position[result[has_node]], len(rows), node[has_node])


def with_roots(nodes: tuple[Ragged, np.ndarray] | None, whole: np.ndarray) -> tuple[Ragged, np.ndarray]:
    """Nodes of results, with the root for each result that is a `whole` document: a document is its root."""
    if nodes is None:
        return Ragged.of_counts(whole), np.zeros(int(whole.sum()), dtype=np.int64)
    rows, node = nodes
    return Ragged.of_counts(rows.counts + whole), np.insert(node, rows.first[whole], 0)


def _note_missing(
    documents: Documents, doc: np.ndarray, names: Names, start: np.ndarray, notices: Notices, what: str
) -> None:
    """Report names that are not in their documents, with the nearest that are."""
    missing = np.flatnonzero((start < 0) & (doc >= 0))
    if len(missing):
        notices.add(
            f"{{count}} {what} not in {{its document and counts|their documents and count}} as empty",
            *(
                f"{documents.ids[doc[at]]}: {names.table[names.codes[at]]}"
                f"{documents.hint(int(doc[at]), names.table[names.codes[at]])}"
                for at in missing[:3]
            ),
            count=len(missing),
            lasting=True,
        )
