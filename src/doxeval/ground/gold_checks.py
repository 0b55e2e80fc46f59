"""Checks of gold: nothing in it is stale or lost, and all of it is within reach of the chunks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from doxeval.core.keys import amount_within, key_width, keys
from doxeval.core.phrases import agreeing, counted
from doxeval.core.ragged import Ragged
from doxeval.ground.document_names import assessed_codes
from doxeval.ground.ground import Ground
from doxeval.ground.placed_quotes import STALE
from doxeval.ground.quote_report import MISSING, SEVERAL
from doxeval.ground.text_unit import chunks_in
from doxeval.tables.runs import Chunks

OUT_OF_REACH = "{is|are} out of reach: the chunks do not hold all of {it|them}"
UNTRUSTED = (STALE, SEVERAL, MISSING)


def gold_problems(ground: Ground, chunks: Chunks | None = None) -> Iterator[str]:
    """The problems of the ground truth: stale and lost answers, and those that no chunk holds."""
    for notices in (ground.assessments.notices, ground.notices):
        yield from (str(notice) for notice in notices if notice.message in UNTRUSTED or notice.refuses)
    if chunks is not None and (
        lost := _out_of_reach(ground, chunks_in(chunks, ground.documents, ground.unit))
    ):
        pair = ground.unit_pair[lost[0]]
        topic = ground.topics[ground.assessments.pair_topic[pair]]
        doc = ground.assessments.docs[ground.assessments.pair_doc[pair]]
        place = f"{ground.unit_start[lost[0]]} to {ground.unit_end[lost[0]]}"
        sentence = f"{{count}} of {counted(len(ground.unit_pair), 'relevant text')} {OUT_OF_REACH}"
        yield f"{agreeing(sentence, len(lost))} (topic {topic}, {doc}: {place})"


def _out_of_reach(ground: Ground, chunks: Chunks) -> list[int]:
    """The relevant texts that the chunks do not hold completely, white space aside."""
    doc = assessed_codes(ground, chunks.docs)[chunks.doc]
    rows, start, end = Ragged.gathered(doc, len(ground.length), chunks.start, chunks.end)
    rows, start, end = rows.merge(start, end)
    unit_doc = ground.assessments.pair_doc[ground.unit_pair].astype(np.int64)
    width = key_width(end, ground.unit_end)
    held = amount_within(
        keys(unit_doc, ground.unit_start, width), keys(unit_doc, ground.unit_end, width),
        keys(rows.row, start, width), keys(rows.row, end, width),
    )  # fmt: skip
    lost = []
    for unit in np.flatnonzero(held < ground.unit_end - ground.unit_start).tolist():
        at = rows.slice(int(unit_doc[unit]))
        places = zip(start[at].tolist(), end[at].tolist(), strict=True)
        if not _is_blank(ground, unit, list(places)):
            lost.append(unit)
    return lost


def _is_blank(ground: Ground, unit: int, held: list[tuple[int, int]]) -> bool:
    """Whether a relevant text has only white space outside the places held."""
    documents = ground.documents
    code = int(ground.doc_index[ground.assessments.pair_doc[ground.unit_pair[unit]]])
    if documents is None or documents.text is None or code < 0:
        return False
    text = list(documents.text[code])
    for start, end in held:
        text[start:end] = [" "] * (end - start)
    return not "".join(text[ground.unit_start[unit] : ground.unit_end[unit]]).strip()
