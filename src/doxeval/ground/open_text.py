"""Open text: unjudged text that runs show or a pool holds; any part of it may be relevant.

It is represented like assessments, as if all of it were highlighted: the code that counts relevant text also
counts how much of a result is open, and how much of that is new.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from doxeval.core.facts import Facts, once
from doxeval.core.keys import amount_within, find_keys, key_width, keys
from doxeval.core.options import OPTIONS
from doxeval.core.quick_class import dataclass
from doxeval.core.ragged import Ragged
from doxeval.core.strings import distinct, merge_tables
from doxeval.ground.aligned import Aligned
from doxeval.ground.document_names import assessed_codes
from doxeval.ground.ground import Ground, prepare_ground
from doxeval.kernels.stretches import match_pairs
from doxeval.tables.assessments import Ranges, build_assessments
from doxeval.tables.runs import NOWHERE

ASSESSED = OPTIONS["assessed"].choices
"""How documents were assessed: whole, as in INEX, or only in the text highlighted in them.
A document without highlights was assessed whole in either case."""


@dataclass(eq=False)
class Text:
    """Stretches of documents for topics; `doc` is a code of `docs`, `rank` where a run shows each."""

    docs: Sequence[str]
    topic: np.ndarray
    doc: np.ndarray
    start: np.ndarray
    end: np.ndarray
    rank: np.ndarray

    def __len__(self) -> int:
        return len(self.topic)

    def take(self, rows: np.ndarray) -> Text:
        """Some of the stretches, by index in the order given, or by a mask."""
        columns = (column[rows] for column in (self.topic, self.doc, self.start, self.end, self.rank))
        return Text(self.docs, *columns)

    @classmethod
    def joined(cls, parts: Sequence[Text]) -> Text:
        """The stretches of several, one after the other."""
        docs, codes = merge_tables([part.docs for part in parts])
        doc = [code[part.doc] for code, part in zip(codes, parts, strict=True)]
        columns = [
            np.concatenate([np.zeros(0, dtype=np.int64), *(getattr(part, name) for part in parts)])
            for name in ("topic", "start", "end", "rank")
        ]
        topic, start, end, rank = columns
        return cls(docs, topic, np.concatenate([np.zeros(0, dtype=np.int64), *doc]), start, end, rank)


def text_shown(aligned: Aligned) -> Text:
    """The text that a run shows, in reading order; without text that is in no document."""
    result = aligned.result
    found = (aligned.start < NOWHERE).nonzero()[0]
    result, start, end = result[found], aligned.start[found], aligned.end[found]
    topic, rank = aligned.topic[result], aligned.rank[result]
    return Text(aligned.run.docs, topic, aligned.doc[result].astype(np.int64), start, end, rank)


def check_assessed(assessed: str) -> None:
    """Raise an error for a value that is not in :data:`ASSESSED`."""
    OPTIONS["assessed"].check("assessed", assessed)


def open_text(ground: Ground, texts: Iterable[Text], assessed: str = ASSESSED[0]) -> Ground:
    """The open part of some texts, as a ground truth of its own with the same topics.

    Its pairs include documents that were shown and not judged even if none of their text is known.
    """
    check_assessed(assessed)
    text = Text.joined([_unjudged(ground, text, assessed) for text in texts])
    width = max(1, len(text.docs))
    pair_keys, pair = np.unique(text.topic * width + text.doc, return_inverse=True)
    by_pair, start, end = Ragged.gathered(pair, len(pair_keys), text.start, text.end)
    by_pair, start, end = by_pair.merge(start, end)
    topic, doc = np.divmod(pair_keys, width)
    known = assessed_pairs(ground, topic, doc, text.docs)
    row, start, end = cut_out_highlights(ground, known, by_pair, start, end)
    ranges = Ranges(row, start, end, np.ones(len(row)))
    table = build_assessments(ground.topics, text.docs, topic, doc.astype(np.int32), ranges, unit=ground.unit)
    return prepare_ground(table)


def assessed_pairs(ground: Ground, topic: np.ndarray, doc: np.ndarray, docs: Sequence[str]) -> np.ndarray:
    """The assessed pair of topics and documents, given as codes of `docs`; -1 if there is none."""
    table, known = ground.assessments, assessed_codes(ground, docs)[doc].astype(np.int64)
    width = max(1, len(table.docs))
    pairs = table.pair_topic * width + table.pair_doc
    return np.where(known >= 0, find_keys(pairs, topic * width + known), -1)


def _unjudged(ground: Ground, text: Text, assessed: str) -> Text:
    """The text in documents that may have open text."""
    pair = assessed_pairs(ground, text.topic, text.doc, text.docs)
    unjudged = pair < 0
    if assessed == "highlights":
        unjudged |= np.append(ground.pair_grade > 0, False)[pair]
    return text.take(unjudged)


def cut_out_highlights(
    ground: Ground, assessed: np.ndarray, by_pair: Ragged, start: np.ndarray, end: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ranges of pairs, without the highlights of the assessed pair of the same document."""
    if not (assessed >= 0).any():
        return by_pair.row, start, end
    taken, at = ground.relevant_by_pair.take(np.where(assessed >= 0, assessed, 0))
    real = taken.expand(assessed >= 0)
    row, start_of, end_of = taken.row[real], ground.relevant[1][at][real], ground.relevant[2][at][real]
    width = key_width(end, end_of)
    begin, stop = keys(by_pair.row, start, width), keys(by_pair.row, end, width)
    known = keys(row, start_of, width), keys(row, end_of, width)
    cuts = distinct(np.concatenate([begin, stop, *known]))
    pieces = cuts[:-1], cuts[1:]
    kept = (amount_within(*pieces, begin, stop) > 0) & (amount_within(*pieces, *known) == 0)
    first, after = (piece[kept] for piece in pieces)
    return first // width, first % width, first % width + after - first


@once
def with_open_text(aligned: Aligned, opened: Ground) -> Aligned:
    """The same results on open text: `relevant` and `fresh` there count open text, seen or new."""
    table = opened.assessments
    known = assessed_codes(opened, aligned.run.docs).astype(np.int32)
    pair = match_pairs(
        aligned.by_topic.offset,
        aligned.doc,
        known,
        table.pair_offset,
        table.pair_doc,
        len(opened.length),
    )
    return replace(aligned, ground=opened, pair=pair, facts=Facts())
