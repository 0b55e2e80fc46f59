"""Unify the names of documents in runs and assessments: each document has one name.

If documents are given, their names are used; else those of the assessments. Within one table, names that
differ only by the suffix of a file (`d1`, `d1.txt`) are one document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from doxeval.core.catalogue import Catalogue, some, without_suffix
from doxeval.core.notices import Notices
from doxeval.core.ragged import Ragged
from doxeval.core.strings import Strings, encode
from doxeval.tables.assessments import UNKNOWN, Assessments, merged_beps, note_differing_beps
from doxeval.tables.runs import NO_DOCUMENT

if TYPE_CHECKING:
    from doxeval.ground.ground import Ground
    from doxeval.tables.documents import Documents
    from doxeval.tables.runs import Run

BY_ENDING = "{count} {document is|documents are} identified by the end of {its|their} path"
DOUBTFUL = "{count} {name|names} could {mean|each mean} several documents and {is|are} not matched"


def tell_missing(
    what: str, names: Sequence[str], codes: np.ndarray, documents: Documents, notices: Notices, more: str = ""
) -> None:
    """Report names that are not among the documents given: their code is -1."""
    message = f"{what} not among the documents given, which are named {some(documents.ids)}{more}"
    missing = (names[at] for at in np.flatnonzero(codes < 0).tolist())
    notices.add_names(message, (name for name in missing if name != NO_DOCUMENT), lasting=True)


def assessed_codes(ground: Ground, names: Sequence[str]) -> np.ndarray:
    """The assessed document with each name of a table, -1 for those not assessed."""
    _, code, known = _one_name_each(names, ground.catalogues, Notices())
    return known[code]


def name_run(run: Run, catalogues: Sequence[Catalogue], notices: Notices) -> tuple[Run, np.ndarray]:
    """The run with its documents under the names of the catalogues; unchanged if they agree.

    Also returns the code of each of its documents in the last catalogue, -1 if it has none.
    """
    docs, code, known = _one_name_each(run.docs, catalogues, notices)
    if docs is run.docs:
        return run, known
    reach = None
    if run.reach is not None:
        reach = np.zeros(len(docs), dtype=np.int64)
        np.maximum.at(reach, code, run.reach)
    return replace(run, docs=docs, doc=code[run.doc], reach=reach), known


def name_assessments(assessments: Assessments, documents: Documents | None, notices: Notices) -> Assessments:
    """The assessments with one name for each document; what is stated under several of them is joined."""
    catalogues = [] if documents is None else [documents.catalogue]
    docs, code, _ = _one_name_each(assessments.docs, catalogues, notices)
    if docs is assessments.docs:
        return assessments
    width = max(1, len(docs))
    key = assessments.pair_topic * width + code[assessments.pair_doc]
    pairs, pair = np.unique(key, return_inverse=True)
    bep, differing = merged_beps(pair, assessments.bep, len(pairs))
    note_differing_beps([docs[at] for at in (pairs[differing] % width).tolist()], notices)
    length = np.full(len(docs), UNKNOWN, dtype=np.int64)
    np.maximum.at(length, code, assessments.length)
    ranges, nodes, quotes = assessments.ranges, assessments.nodes, assessments.quotes
    optional = assessments.optional
    return replace(
        assessments,
        docs=docs,
        pair_offset=Ragged.of_rows(pairs // width, len(assessments.topics)).offset,
        pair_doc=(pairs % width).astype(np.int32),
        bep=bep,
        length=length,
        ranges=replace(ranges, pair=pair[ranges.pair]),
        nodes=None if nodes is None else replace(nodes, pair=pair[nodes.pair]),
        quotes=None if quotes is None else replace(quotes, pair=pair[quotes.pair]),
        optional=None if optional is None else replace(optional, pair=pair[optional.pair]),
    )


def _one_name_each(
    names: Sequence[str], catalogues: Sequence[Catalogue], notices: Notices
) -> tuple[Sequence[str], np.ndarray, np.ndarray]:
    """The distinct documents named in a table, and the position among them for each name.

    The names themselves are returned if each is the document's own. Last comes the code of each document in
    the last catalogue, -1 if it has none.
    """
    column = names if isinstance(names, Strings) else Strings.of(names)
    size = len(column)
    unknown, codes = np.ones(size, dtype=bool), np.full(size, -1, dtype=np.int32)
    renamed: dict[int, str] = {}
    for catalogue in catalogues:
        matches = catalogue.find(column)
        renamed |= {row: catalogue.names[matches.codes[row]] for row in matches.renamed if unknown[row]}
        codes = matches.exact
        unknown &= matches.codes < 0
        if matches.by_ending or matches.doubtful:
            notices.add_each(BY_ENDING, matches.by_ending, harmless=True)
            notices.add_each(DOUBTFUL, matches.doubtful, lasting=True)
    renamed |= _with_suffix_and_without(column, unknown, notices)
    if not renamed:
        return names, np.arange(size), codes
    full = column.tolist()
    for row, name in renamed.items():
        full[row] = name
    table, code = encode(full)
    return table, code, catalogues[-1].names.codes(table) if catalogues else codes


def _with_suffix_and_without(names: Strings, unknown: np.ndarray, notices: Notices) -> dict[int, str]:
    """The unknown names that equal another name of the table except for a suffix, with that name."""
    if b"." not in names.blob.tobytes():
        return {}
    rows, bare = without_suffix(names)
    code = names.codes(bare)
    twice = (code >= 0) & unknown[rows]
    rows, code = rows[twice], code[twice]
    claims = np.bincount(code, minlength=1)
    for row, other in zip(rows.tolist(), code.tolist(), strict=True):
        if claims[other] > 1:
            notices.add_names(DOUBTFUL, [f"{names[row]!r} could be {names[other]!r}"], lasting=True)
    return {
        row: names[other]
        for row, other in zip(rows.tolist(), code.tolist(), strict=True)
        if claims[other] == 1
    }
