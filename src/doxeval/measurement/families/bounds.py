"""Bounds: the smallest and the largest value that further judgements could give.

Open text (:mod:`doxeval.ground.open_text`) may be relevant or not, character by character; all else is as
judged, or irrelevant. For a run, all that matters of an open character is the rank that shows it first. Let g
be the gain at rank k, T the known relevant text, u the open text shown up to k and v the rest of it. If x of
the u and y of the v characters are relevant, the gain at k is g + x and T_rel is T + x + y.

At a rank, ``iP iR F IoU`` are a gain / (b S + c T_rel - d gain), with g <= T. None of them falls with x or
rises with y: the numerator of the derivative by x is b S + c (T + y) - c g, or b S + c (T + y) - d g where
d = c, which is not negative. Their extremes are attained: at (0, v), if only what is still to come is
relevant, and at (u, 0), if only what was shown is. Both are exact.

``iP[x]`` and ``AiP`` choose among ranks. At every rank precision and recall both are smallest at (0, v) and
largest at (u, 0). With each rank in its own case, the largest precision among the ranks that reach a recall
is never more than the smallest value, and never less than the largest: a bound. It is exact for the largest
``iP[x]``, because the rank that has it has a completion; a completion that is the worst for all ranks at
once, or the best for all recall points, need not exist. So the other bounds may be too wide.

A topic in which nothing is known to be relevant has a value only if something open is. Moving a relevant
character to a later rank raises none of these measures, so the worst completion holds the last one there is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from doxeval.core.keys import amount_within, key_width, keys, overlaps
from doxeval.core.quick_class import dataclass
from doxeval.core.ragged import Ragged, sums_by
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground

SeenRanges = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
Fraction = Callable[[Any, Any, Any], tuple[Any, Any]]
"""Numerator and denominator, both linear in the text gained, the text shown and all relevant text."""


@dataclass(eq=False)
class Case:
    """Gain and all relevant text at every rank, each rank in its worst or its best case."""

    gain: np.ndarray
    wanted: np.ndarray


def has_value(aligned: Aligned, opened: Ground) -> np.ndarray:
    """Whether each topic has something relevant, or open text that may be relevant."""
    return aligned.ground.has_relevant | (opened.total_relevant > 0)


def extreme_cases(
    aligned: Aligned, opened: Aligned, scale: int, gain: np.ndarray, more: np.ndarray
) -> tuple[Case, Case]:
    """The worst and the best case of every rank; `gain` is known, `more` is what open text could add."""
    known, still = (
        scale * ground.total_relevant[aligned.topic] for ground in (aligned.ground, opened.ground)
    )
    shown = scale * aligned.cumulated(opened.fresh)
    last = scale * ((known == 0) & (shown == still) & (still > 0))
    return Case(gain + last, known + still - shown + last), Case(gain + more, known + shown)


@dataclass(eq=False)
class Parts:
    """The amounts of text in each topic of which a `fraction` is made, and the open text that was shown.

    `known` is the known relevant text, `still` all open text; `seen` the part of it that was shown: the topic
    of each range, its pair, start and end, sorted by pair and without overlap.
    """

    fraction: Fraction
    gain: np.ndarray
    size: np.ndarray
    known: np.ndarray
    still: np.ndarray
    seen: SeenRanges

    def take(self, topics: Sequence[int]) -> Parts:
        """The same for some topics."""
        place = np.full(len(self.known), -1)
        place[topics] = np.arange(len(topics))
        here = place[self.seen[0]] >= 0
        topic, pair, start, end = (column[here] for column in self.seen)
        gain, size, known, still = (one[topics] for one in (self.gain, self.size, self.known, self.still))
        return Parts(self.fraction, gain, size, known, still, (place[topic], pair, start, end))

    def value(self, gain: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """The value for a gain out of an amount of relevant text."""
        above, below = self.fraction(gain, self.size, wanted)
        return np.divide(above, below, out=np.zeros(len(gain)), where=below > 0)


@dataclass(eq=False)
class Bounds:
    """The smallest and the largest value of each topic, NaN if it has none whatever is relevant."""

    low: np.ndarray
    high: np.ndarray
    parts: Parts | None = None

    def take(self, topics: Sequence[int]) -> Bounds:
        """The same for some topics."""
        parts = None if self.parts is None else self.parts.take(topics)
        return Bounds(self.low[topics], self.high[topics], parts)


def open_ranges_seen(opened: Aligned) -> SeenRanges:
    """The open text that results show, in the form of :class:`Parts`."""
    pair = opened.pair[opened.result]
    there = pair >= 0
    rows, start, end = Ragged.gathered(
        pair[there], len(opened.ground.assessments.pair_doc), opened.start[there], opened.end[there]
    )
    rows, start, end = rows.merge(start, end)
    _, *pieces = opened.ground.relevant
    width = key_width(end, pieces[1])
    piece = [keys(opened.ground.relevant_by_pair.row, place, width) for place in pieces]
    begin, stop = keys(rows.row, start, width), keys(rows.row, end, width)
    at, of = overlaps(begin, stop, *piece)
    first, after = np.maximum(begin[at], piece[0][of]), np.minimum(stop[at], piece[1][of])
    seen = first // width
    return opened.ground.assessments.pair_topic[seen], seen, first % width, first % width + after - first


def joint_bounds(one: Parts, other: Parts) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest difference of two runs under the same judgements, exact.

    Of the open text of a topic, some is seen by one run alone, some by the other alone, some by both (at most
    z of it relevant) and some by none (y). The difference rises with what the one run sees alone and falls
    with what the other does, so both are at an end of their range at the smallest. For ``iP iR F``, with z +
    y fixed, the difference is linear in z; for ``IoU`` it is linear in z with y fixed, and its slope has one
    sign. Either way the extremes lie on the edges of the rectangle of z and y. Along an edge the derivative
    is A / (p + h t)^2 - B / (q + h t)^2, which is 0 at most once: at an end, or there.
    """
    topics = len(one.known)
    shared = sums_by(one.seen[0], _shared(one.seen[1:], other.seen[1:]), topics)
    alone = [sums_by(run.seen[0], run.seen[3] - run.seen[2], topics) - shared for run in (one, other)]
    nobody = one.still - shared - alone[0] - alone[1]
    return (
        _smallest(one, other, alone[0], alone[1], shared, nobody),
        -_smallest(other, one, alone[1], alone[0], shared, nobody),
    )


def _shared(one: tuple[np.ndarray, ...], other: tuple[np.ndarray, ...]) -> np.ndarray:
    width = key_width(one[2], other[2])
    return amount_within(*(keys(seen[0], place, width) for seen in (one, other) for place in seen[1:]))


def _smallest(
    one: Parts, other: Parts, mine: np.ndarray, theirs: np.ndarray, both: np.ndarray, none: np.ndarray
) -> np.ndarray:
    """The smallest of one - other: all of `theirs` relevant, and `mine` only if nothing else can be."""
    known, smallest = one.known, np.full(len(one.known), np.inf)

    def look(z: np.ndarray, y: np.ndarray, x: np.ndarray | float = 0.0) -> None:
        total = known + theirs + z + y + x
        difference = one.value(one.gain + z + x, total) - other.value(other.gain + theirs + z, total)
        np.minimum(smallest, difference, out=smallest, where=total > 0)

    nothing = np.zeros(len(known))
    for z in (nothing, both):
        for y in (nothing, none):
            look(z, y)
    look(np.minimum(both, 1), nothing)
    look(nothing, np.minimum(none, 1))
    look(nothing, nothing, np.minimum(mine, 1))
    start = known + theirs
    for y in (nothing, none):
        for z in _turning(one, other, one.gain, other.gain + theirs, start + y, 1, both):
            look(z, y)
    for z in (nothing, both):
        for y in _turning(one, other, one.gain + z, other.gain + theirs + z, start + z, 0, none):
            look(z, y)
    return np.where(np.isinf(smallest), np.nan, smallest)


def _turning(
    one: Parts, other: Parts, gain: np.ndarray, other_gain: np.ndarray, wanted: np.ndarray, gained: int,
    most: np.ndarray,
) -> list[np.ndarray]:  # fmt: skip
    """The whole numbers around the t at which a difference turns, where gains grow by t * `gained`."""
    _, grows = one.fraction(gained, 0, 1)
    below = [one.fraction(amount, run.size, wanted)[1] for run, amount in ((one, gain), (other, other_gain))]
    slope = [gained * part - grows * amount for part, amount in zip(below, (gain, other_gain), strict=True)]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt(slope[1] / slope[0])
        turn = (below[1] - ratio * below[0]) / (grows * (ratio - 1))
    turn = np.where(np.isfinite(turn), turn, 0.0)
    return [np.clip(rounded(turn), 0, most) for rounded in (np.floor, np.ceil)]
