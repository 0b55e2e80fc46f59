"""Optional text: reading it is neither rewarded nor punished.

It is left out of its document before anything is counted, so it is in no size, no gain and no gap. As it
belongs to one topic, the document without it is a document of its own, named after both. Relevant text is
never left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from doxeval.core.keys import amount_within, key_width, keys
from doxeval.core.notices import Notices
from doxeval.core.ragged import Ragged, running_totals
from doxeval.core.strings import Strings, distinct
from doxeval.ground.scoped import assessments_by_topic, run_by_topic
from doxeval.io.formats.row_places import merge_by_row
from doxeval.tables.assessments import UNKNOWN, Assessments, Ranges
from doxeval.tables.documents import Documents
from doxeval.tables.runs import NOWHERE, WHOLE, Run


@dataclass(eq=False)
class Cuts:
    """The text left out of documents: sorted, disjoint ranges, by the row of `docs`.

    `origin` is the name of each document as it was, and `topics` the topic for which it was cut. The
    collection has `copied_nodes` in cut documents, in place of as many in the uncut ones.
    """

    docs: list[str]
    origin: list[str]
    topics: list[str]
    rows: Ragged
    start: np.ndarray
    end: np.ndarray
    copied_nodes: int = 0

    def shrunk(self, row: np.ndarray, place: np.ndarray) -> np.ndarray:
        """Places in cut documents, given as they were before; row -1 is a document that was not cut."""
        found = place.copy()
        for cut in distinct(row[row >= 0]).tolist():
            here = (row == cut) & (place < NOWHERE)
            found[here] = _shrunk(
                place[here], self.start[self.rows.slice(cut)], self.end[self.rows.slice(cut)]
            )
        return found

    def run(self, run: Run) -> Run:
        """A run in the documents without optional text."""
        own = {
            (topic, origin): row
            for row, (topic, origin) in enumerate(zip(self.topics, self.origin, strict=True))
        }
        renamed = run_by_topic(
            run, lambda topic, doc: self.docs[own[topic, doc]] if (topic, doc) in own else doc
        )
        row_of = {doc: row for row, doc in enumerate(self.docs)}
        rows = np.array([row_of.get(doc, -1) for doc in renamed.docs], dtype=np.int64)
        row = renamed.spans.expand(rows[renamed.doc])
        start, end = self.shrunk(row, run.start), self.shrunk(row, run.end)
        if run.span_offset is None:
            return replace(renamed, start=start, end=end)
        offset, start, end = merge_by_row(run.spans.row, start, end, len(run))
        return replace(renamed, start=start, end=end, span_offset=offset)


def _shrunk(place: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Places without the text in sorted, disjoint ranges."""
    before = running_totals(end - start)[:-1]
    at = np.searchsorted(start, place, side="right") - 1
    inside = np.minimum(place, end[at]) - start[at] + before[at]
    return place - np.where(at >= 0, inside, 0)


def leave_out(
    assessments: Assessments, documents: Documents | None, judged: Ranges | None
) -> tuple[Assessments, Documents | None, Cuts | None]:
    """Assessments and documents without optional text; `judged` are the ranges of relevant nodes.

    A range to the end of a document of unknown length is cut as far as anything else in it reaches.
    """
    optional = assessments.optional
    if optional is None:
        return assessments, documents, None
    rows, start, end = _to_cut(assessments, optional, judged)
    cut = np.flatnonzero(rows.counts)
    pairs = [
        (assessments.topics[assessments.pair_topic[at]], assessments.docs[assessments.pair_doc[at]])
        for at in cut
    ]
    names = _fresh_names(pairs, {*assessments.docs, *(documents.ids if documents is not None else ())})
    picked, at = rows.take(cut)
    cuts = Cuts(
        list(names.values()),
        [doc for _, doc in pairs],
        [topic for topic, _ in pairs],
        picked,
        start[at],
        end[at],
    )
    renamed = assessments_by_topic(assessments, lambda topic, doc: names.get((topic, doc), doc))
    row_of = {doc: row for row, doc in enumerate(cuts.docs)}
    row_of_doc = np.array([row_of.get(doc, -1) for doc in renamed.docs], dtype=np.int64)
    ranges = renamed.ranges
    row = row_of_doc[renamed.pair_doc[ranges.pair]]
    length = np.where(renamed.length >= 0, cuts.shrunk(row_of_doc, renamed.length), UNKNOWN)
    bep = np.where(renamed.bep >= 0, cuts.shrunk(row_of_doc[renamed.pair_doc], renamed.bep), UNKNOWN)
    ranges = replace(ranges, start=cuts.shrunk(row, ranges.start), end=cuts.shrunk(row, ranges.end))
    changed = replace(renamed, ranges=ranges, length=length, bep=bep, optional=None, fingerprints={})
    if documents is None:
        return changed, None, cuts
    longer = _with_cut_copies(documents, cuts)
    cuts.copied_nodes = len(longer.parent) - len(documents.parent)
    return changed, longer, cuts


def _to_cut(
    assessments: Assessments, optional: Ranges, judged: Ranges | None
) -> tuple[Ragged, np.ndarray, np.ndarray]:
    """The optional text of each pair that is not relevant, in sorted, disjoint ranges."""
    pairs = len(assessments.pair_doc)
    length = assessments.length[assessments.pair_doc[optional.pair]]
    known = np.where((optional.end >= WHOLE) & (length >= 0), length, optional.end)
    offset, start, end = merge_by_row(optional.pair, optional.start, np.minimum(known, NOWHERE), pairs)
    rows = Ragged(offset)
    relevant = assessments.ranges if judged is None else assessments.ranges.with_more(judged)
    positive = relevant.grade > 0
    held = merge_by_row(relevant.pair[positive], relevant.start[positive], relevant.end[positive], pairs)
    held_end = np.minimum(held[2], NOWHERE)
    width = key_width(end, held_end)
    first, after = keys(rows.row, start, width), keys(rows.row, end, width)
    relevant_keys = keys(Ragged(held[0]).row, held[1], width), keys(Ragged(held[0]).row, held_end, width)
    bounds = distinct(np.concatenate([first, after, *relevant_keys]))
    pieces = bounds[:-1], bounds[1:]
    kept = (amount_within(*pieces, first, after) > 0) & (amount_within(*pieces, *relevant_keys) == 0)
    begin, stop = pieces[0][kept], pieces[1][kept]
    row = begin // width
    return Ragged.of_rows(row, pairs), begin % width, begin % width + stop - begin


def _fresh_names(pairs: list[tuple[str, str]], taken: set[str]) -> dict[tuple[str, str], str]:
    """A name for each cut document that no other has."""
    names: dict[tuple[str, str], str] = {}
    for topic, doc in pairs:
        name = f"{doc} [{topic}]"
        while name in taken:
            name += "'"
        taken.add(name)
        names[topic, doc] = name
    return names


def _with_cut_copies(documents: Documents, cuts: Cuts) -> Documents:
    """The documents, followed by a copy of each cut one without the text left out."""
    code = documents.codes(cuts.origin)
    known = np.flatnonzero(code >= 0)
    source = code[known]
    nodes, at = documents.nodes.take(source)
    row = nodes.expand(known)
    start, end = (cuts.shrunk(row, column[at]) for column in (documents.start, documents.end))
    texts = None
    if documents.text is not None:
        texts = Strings.of(
            [
                *documents.text,
                *(
                    _cut_text(documents.text[doc], cuts, cut)
                    for doc, cut in zip(source.tolist(), known.tolist(), strict=True)
                ),
            ]
        )

    def longer(column: Strings | None, rows: np.ndarray) -> Strings | None:
        return None if column is None else Strings.of([*column, *(column[place] for place in rows.tolist())])

    return replace(
        documents,
        ids=Strings.of([*documents.ids, *(cuts.docs[cut] for cut in known.tolist())]),
        length=np.append(documents.length, cuts.shrunk(known, documents.length[source])),
        node_offset=np.append(documents.node_offset, documents.node_offset[-1] + nodes.offset[1:]),
        parent=np.append(documents.parent, documents.parent[at]),
        tag=np.append(documents.tag, documents.tag[at]),
        depth=np.append(documents.depth, documents.depth[at]),
        start=np.append(documents.start, start),
        end=np.append(documents.end, end),
        node_length=None if documents.node_length is None else np.append(documents.node_length, end - start),
        node_ids=longer(documents.node_ids, at),
        text=texts,
        metadata=longer(documents.metadata, source),
        files=longer(documents.files, source),
        notices=Notices(documents.notices),
    )


def _cut_text(text: str, cuts: Cuts, row: int) -> str:
    parts, place = [], 0
    here = cuts.rows.slice(row)
    for start, end in zip(cuts.start[here].tolist(), cuts.end[here].tolist(), strict=True):
        parts.append(text[place:start])
        place = end
    return "".join([*parts, text[place:]])
