"""Find results and answers in their documents: nodes, passages and texts become nodes and ranges."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.ragged import Ragged
from doxeval.core.strings import encode
from doxeval.ground.connected import note_unconnected
from doxeval.tables.assessments import Assessments, JudgedNodes, Ranges
from doxeval.tables.line_map import LineMap
from doxeval.tables.runs import WHOLE, Names, Run, enclosed_lines, passage_points

if TYPE_CHECKING:
    from doxeval.ground.ground import Ground
    from doxeval.io.placing.claims import Claim
    from doxeval.tables.documents import Documents


def place_texts(run: Run, documents: Documents | None, notices: Notices) -> Run:
    """The run with every result given as text placed in its document; others are unchanged."""
    if run.texts is None:
        return run
    from doxeval.io.formats.row_places import merge_by_row
    from doxeval.io.placing.place_chunks import Chunk, place_chunks
    from doxeval.io.read import read_layout

    name = run.source or run.name
    if documents is None:
        raise UsageError(
            f"{name}: results are given as text; the documents that hold it are needed (--docs FILE)"
        )
    rows = [row for row, text in enumerate(run.texts) if text]
    own = [run.docs[code] for code in run.doc.tolist()]
    chunks = [
        Chunk(run.texts[row], (own[row],) if own[row] else (), *_told(run, row), claim=_claim(run, row))
        for row in rows
    ]
    placed = place_chunks(chunks, [run.where(row) for row in rows], documents, notices, name, read_layout)
    added = [""] * len(run)
    for at, row in enumerate(rows):
        own[row] = placed.docs[placed.doc[at]]
        added[row] = placed.added[at] if placed.added is not None else ""
    used = np.ones(len(run), dtype=bool)
    used[rows] = False
    used = used[run.spans.row]
    offset, start, end = merge_by_row(
        np.concatenate([run.spans.row[used], np.array(rows, dtype=np.int64)]),
        np.concatenate([run.start[used], placed.start]),
        np.concatenate([run.end[used], placed.end]),
        len(run),
    )
    docs, doc = encode(own)
    one_each = bool((np.diff(offset) == 1).all())
    return replace(
        run, docs=docs, doc=doc, start=start, end=end, span_offset=None if one_each else offset, texts=None,
        claims=None, added=np.array(added, dtype=object) if any(added) else run.added,
    )  # fmt: skip


def _told(run: Run, row: int) -> tuple[int, int]:
    """The stated place of a text; -1 if there is none."""
    spans = run.spans_of(row)
    return spans[0] if len(spans) == 1 and spans[0][1] < WHOLE else (-1, -1)


def _claim(run: Run, row: int) -> Claim:
    """Everything else that is said about the place of a text."""
    from doxeval.io.placing.claims import NOTHING

    return NOTHING if run.claims is None else run.claims[row]


POSITIVE_CODE = re.compile(r"E[1-9].*|[1-9].*")
STRICT_CODES = ("E3S3", "3E")


def match_names(
    documents: Documents, doc: np.ndarray, names: Names
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Node (or -1), start and end of each name; `doc` is the document of each row of `names`.

    A passage has a range but no node; a name not found has the range (-1, -1).
    """
    doc_of_name = names.rows.expand(doc)
    node = documents.resolve(doc_of_name, names.table, names.codes)
    is_node = node >= 0
    start = np.full(len(node), -1, dtype=np.int64)
    end = start.copy()
    start[is_node], end[is_node] = documents.extent(doc_of_name[is_node], node[is_node])
    around = {code: lines for code, name in enumerate(names.table) if (lines := enclosed_lines(name))}
    for name_row in np.flatnonzero(np.isin(names.codes, list(around)) & (doc_of_name >= 0)).tolist():
        doc_row = int(doc_of_name[name_row])
        node[name_row] = _enclosing(documents, doc_row, *around[names.codes[name_row]])
        start[name_row], end[name_row] = documents.extent(doc_row, int(node[name_row]))
    is_node = node >= 0
    passages = {code: points for code, name in enumerate(names.table) if (points := passage_points(name))}
    if passages:
        for name_row in np.flatnonzero(~is_node & (doc_of_name >= 0)).tolist():
            if names.codes[name_row] in passages:
                first, last = passages[names.codes[name_row]]
                begin = documents.point(int(doc_of_name[name_row]), first)
                stop = documents.point(int(doc_of_name[name_row]), last, end=True)
                if 0 <= begin <= stop:
                    start[name_row], end[name_row] = begin, stop
    return node, start, end


def _enclosing(documents: Documents, doc: int, first: int, last: int) -> int:
    """The smallest named node around some lines, counted from 1, or else the root; clipped to the
    document."""
    lines = documents.lines or LineMap(documents)
    count = len(lines.ends(doc))
    start, end = (np.array([place]) for place in (min(first, count) - 1, min(last, count)))
    if documents.lines is None:
        start, end = lines.characters(np.array([doc]), start, end)
    node = int(documents.deepest(np.array([doc]), start, end)[0])
    ids = documents.node_ids
    base = documents.node_offset[doc]
    while node > 0 and (ids is None or not ids[int(base) + node]):
        node = int(documents.parent[base + node])
    return node


def _need_documents(documents: Documents | None, what: str) -> Documents:
    if documents is None:
        raise UsageError(
            f"{what} are given as nodes or paths, which need the documents' trees (--docs FILE); classes and "
            "functions of source code can also be compared by name (--level function)"
        )
    return documents


def ranges_of_judged_nodes(
    assessments: Assessments, documents: Documents | None, doc_index: np.ndarray, notices: Notices
) -> Ranges:
    """The text of every judged node; its place is the row of its judgement."""
    judged = assessments.nodes
    assert judged is not None
    documents = _need_documents(documents, f"{assessments.source or 'the assessments'}: judgements")
    doc = doc_index[assessments.pair_doc[judged.pair]]
    node, start, end = match_names(documents, doc, judged.nodes)
    row = judged.nodes.rows.row
    _note_missing(documents, doc[row], judged.nodes, start, notices, "judged {node is|nodes are}")
    found = node >= 0
    sets = judged.nodes.rows.keep_items(found)
    note_unconnected(documents, doc, sets, node[found], notices, "{judgement|judgements}")
    good = start >= 0
    row = row[good]
    aspects = None if judged.aspects is None else judged.aspects.take(row)
    return Ranges(judged.pair[row], start[good], end[good], grades(judged)[row], aspects, row)


def highlights(judged: JudgedNodes, highlighted: str | None) -> np.ndarray:
    """Whether each judgement counts as text highlighted whole.

    Those of the highest value in the file and of the highest code do (`strict`), or all positive ones.
    """
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
    node, start, end = match_names(documents, doc, run.nodes)
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
                f"{documents.ids[doc[name_row]]}: {names.table[names.codes[name_row]]}"
                f"{documents.hint(int(doc[name_row]), names.table[names.codes[name_row]])}"
                for name_row in missing[:3]
            ),
            count=len(missing),
            lasting=True,
        )
