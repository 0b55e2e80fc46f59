"""The limits that a collection of chunks sets to any retriever: needs held whole, and the best values, exact.

Of a pair of topic and document only the relevant text before each place matters: a chunk is the range between
the amounts before its start and before its end. Chunks taken in the order of their starts gain, each after
the one before it, what lies beyond its own start and that one's end. So the best choice of at most k chunks
is found chunk by chunk, and those of several documents are joined number by number. ``iR`` is largest for the
largest gain. ``IoU`` is a quotient, gain / (sizes + T - gain): for the value v of a choice, another is better
if (1 + v) gain - v sizes > v T, so choices are improved until none is (Dinkelbach). ``iP`` of several chunks
is never more than that of the best one. All is done in whole numbers.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from doxeval.core.ragged import Ragged, quotient
from doxeval.ground.document_names import assessed_codes
from doxeval.ground.ground import Ground
from doxeval.ground.needs import needs_of
from doxeval.measurement.needs_met import covered
from doxeval.tables.runs import Chunks

Range = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Chunks of a document: the relevant text before their starts and before their ends, and their sizes."""
Choices = tuple[np.ndarray, np.ndarray]
"""Of at most 0, 1, 2, ... chunks the best choice's relevant text gained, and the sum of its sizes."""


@dataclass(eq=False)
class ChunkLimits:
    """The best value of each topic by each measure, NaN if nothing is relevant; and what becomes of needs.

    `whole` marks the needs that one chunk holds, `fewest` is the number of chunks that show as much of a need
    as all of them do, `lost` the relevant text of each topic that is in no chunk, white space aside.
    """

    best: dict[str, np.ndarray]
    whole: np.ndarray
    fewest: np.ndarray
    lost: np.ndarray


def limits_of(ground: Ground, chunks: Chunks, most: int) -> ChunkLimits:
    """The limits that chunks set to retrievers that show at most so many of them."""
    pair, start, end = _in_pairs(ground, chunks)
    whole = np.zeros(len(needs_of(ground).topic), dtype=bool)
    whole[covered(needs_of(ground), Fraction(1), np.arange(len(pair)), pair, start, end)[1]] = True
    rows = Ragged.of_rows(pair, len(ground.pair_relevant))
    return ChunkLimits(
        _best(ground, rows, start, end, most), whole, _fewest(ground, rows, start, end),
        _lost(ground, rows, start, end),
    )  # fmt: skip


def _in_pairs(ground: Ground, chunks: Chunks) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each pair with relevant text the chunks of its document that show some: pair, start and end."""
    doc = assessed_codes(ground, chunks.docs)[chunks.doc]
    by_doc, start, end = Ragged.gathered(doc, len(ground.length), chunks.start, chunks.end)
    pair = np.flatnonzero(ground.pair_relevant > 0)
    held, at = by_doc.take(ground.assessments.pair_doc[pair])
    pair, start, end = held.expand(pair), start[at], end[at]
    shows = ground.relevant_in(pair, start, end) > 0
    return pair[shows], start[shows], end[shows]


def _best(
    ground: Ground, rows: Ragged, start: np.ndarray, end: np.ndarray, most: int
) -> dict[str, np.ndarray]:
    pair, size = rows.row, end - start
    before, upto = (ground.relevant_in(pair, np.zeros_like(start), place) for place in (start, end))
    total = np.where(ground.has_relevant, ground.total_relevant, 0)
    topic = ground.assessments.pair_topic[pair]
    single, recall, union = (np.zeros(len(total)) for _ in range(3))
    np.maximum.at(single, topic, quotient(upto - before, size))
    by_topic, pairs = Ragged.gathered(ground.assessments.pair_topic, len(total), np.arange(len(rows)))
    for at in np.unique(topic).tolist():
        slices = [rows.slice(row) for row in pairs[by_topic.slice(at)].tolist() if rows.counts[row]]
        ranges = [(before[part], upto[part], size[part]) for part in slices]
        gain, shown = _joint_choice(ranges, most, 1, 0)
        recall[at] = gain / total[at]
        union[at] = _best_union(ranges, most, gain, shown, int(total[at]))
    values = {"iR": recall, "iP": single, "IoU": union}
    return {name: np.where(total > 0, one, np.nan) for name, one in values.items()}


def _best_union(ranges: list[Range], most: int, gain: int, shown: int, total: int) -> float:
    """The largest IoU, improved from a choice until no other is better."""
    while True:
        below = shown + total - gain
        better, shows = _joint_choice(ranges, most, below + gain, gain)
        if better * below <= gain * (shows + total - better):
            return gain / below
        gain, shown = better, shows


def _joint_choice(ranges: list[Range], most: int, worth: int, price: int) -> tuple[int, int]:
    """Gain and sizes of at most so many chunks of several documents, for which worth and price are best."""
    gain, shown = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for one in ranges:
        more, sizes = _choices(*one, most, worth, price)
        gains, sums = gain[:, None] + more, shown[:, None] + sizes
        taken = np.add.outer(np.arange(len(gain)), np.arange(len(more)))
        value = worth * gains - price * sums
        best = []
        for count in range(min(most, len(gain) + len(more) - 2) + 1):
            open_to = np.where(taken <= count, value, value.min())
            best.append(int(open_to.argmax()))
        gain, shown = gains.reshape(-1)[best], sums.reshape(-1)[best]
    return int(gain[-1]), int(shown[-1])


def _choices(
    before: np.ndarray, upto: np.ndarray, size: np.ndarray, most: int, worth: int, price: int
) -> Choices:
    """The best choices among the chunks of a document, in the order of their starts."""
    least = min(most, len(size))
    gain, shown = (np.zeros((least + 1, len(size)), dtype=np.int64) for _ in range(2))
    for at in range(len(size)):
        gain[1:, at], shown[1:, at] = upto[at] - before[at], size[at]
        if not at or least < 2:
            continue
        fresh = upto[at] - np.maximum(upto[:at], before[at])
        gains, sums = gain[1:-1, :at] + fresh, shown[1:-1, :at] + size[at]
        last = (worth * gains - price * sums).argmax(axis=1)
        rows = np.arange(least - 1)
        joined, added = gains[rows, last], sums[rows, last]
        better = worth * joined - price * added > worth * gain[2:, at] - price * shown[2:, at]
        gain[2:, at] = np.where(better, joined, gain[2:, at])
        shown[2:, at] = np.where(better, added, shown[2:, at])
    with_none = [np.append(np.zeros((least + 1, 1), dtype=np.int64), one, axis=1) for one in (gain, shown)]
    last = (worth * with_none[0] - price * with_none[1]).argmax(axis=1)
    return with_none[0][np.arange(least + 1), last], with_none[1][np.arange(least + 1), last]


def _fewest(ground: Ground, rows: Ragged, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """For each need the fewest chunks at the place of which most can be shown; 0 if nothing can."""
    needs = needs_of(ground)
    furthest = rows.cumulate(end, np.maximum)
    found = np.full((len(needs.topic), 2), np.iinfo(np.int64).max)
    for place, (first, after) in enumerate(pairwise(needs.pieces.offset.tolist())):
        pair = rows.slice(int(needs.pair[place]))
        pieces = list(zip(needs.start[first:after].tolist(), needs.end[first:after].tolist(), strict=True))
        cost = _cover(pieces, start[pair].tolist(), furthest[pair].tolist())
        for need in needs.need[needs.answers.slice(place)].tolist():
            found[need] = min(tuple(found[need].tolist()), cost)
    return found[:, 1]


def _cover(pieces: list[tuple[int, int]], starts: list[int], furthest: list[int]) -> tuple[int, int]:
    """The text of pieces that no chunk shows, and the fewest chunks that show the rest: from the left, each
    time the one that reaches furthest."""
    missed = count = 0
    at = -1
    for begin, stop in pieces:
        at = max(at, begin)
        while at < stop:
            last = bisect_right(starts, at)
            if last and furthest[last - 1] > at:
                count, at = count + 1, furthest[last - 1]
                continue
            beyond = min(starts[last], stop) if last < len(starts) else stop
            missed, at = missed + beyond - at, beyond
    return missed, count


def _lost(ground: Ground, rows: Ragged, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """For each topic the relevant text in no chunk; white space is not missed where the text is known."""
    held, start, end = rows.merge(start, end)
    inside = Ragged.of_rows(held.row, len(rows)).sum(ground.relevant_in(held.row, start, end))
    lost = ground.pair_relevant - inside
    _, relevant_start, relevant_end = ground.relevant
    documents = ground.documents
    for pair in np.flatnonzero(lost).tolist():
        code = int(ground.doc_index[ground.assessments.pair_doc[pair]])
        if documents is None or documents.text is None or code < 0 or ground.unit != "characters":
            continue
        text, part = documents.text[code], ground.relevant_by_pair.slice(pair)
        places = list(zip(start[held.slice(pair)].tolist(), end[held.slice(pair)].tolist(), strict=True))
        lost[pair] = sum(
            len("".join(text[first:after].split()))
            for begin, stop in zip(relevant_start[part].tolist(), relevant_end[part].tolist(), strict=True)
            for first, after in _gaps(begin, stop, places)
        )
    return ground.assessments.by_topic.sum(lost)


def _gaps(begin: int, stop: int, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The parts of a range outside disjoint places in order."""
    edges = [begin, *(min(max(edge, begin), stop) for place in places for edge in place), stop]
    return [(first, after) for first, after in zip(edges[::2], edges[1::2], strict=True) if after > first]
