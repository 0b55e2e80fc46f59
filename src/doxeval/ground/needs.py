"""The needs of topics: each with the places that answer it, any one of which is enough."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from doxeval.core.facts import once
from doxeval.core.phrases import counted
from doxeval.core.ragged import Ragged
from doxeval.ground.ground import Ground
from doxeval.tables.runs import WHOLE, Names


@dataclass(eq=False)
class Needs:
    """Needs, `topic` of each and its name (`aspect`, -1: none), and places, `pair` and `size` of each.

    A place has `pieces` of text, `[start, end)`, disjoint and in order; the items of `answers` are, in
    `need`, the needs that it meets.
    """

    topic: np.ndarray
    aspect: np.ndarray
    pair: np.ndarray
    size: np.ndarray
    pieces: Ragged
    start: np.ndarray
    end: np.ndarray
    answers: Ragged
    need: np.ndarray

    def enough(self, part: Fraction) -> np.ndarray:
        """The characters of each place that must be shown: `part` of its text."""
        return -(-self.size * part.numerator // part.denominator)

    def per_topic(self, topics: int) -> np.ndarray:
        """The number of needs of each topic."""
        return np.bincount(self.topic, minlength=topics)


@once
def needs_of(ground: Ground) -> Needs:
    """The needs of all topics: one for each need that ranges name, and one for each other highlight.

    Ranges that name no need are joined where they touch, and each resulting highlight is its own need.
    """
    table, aspects = ground.assessments, ground.unit_aspects or Names.none(len(ground.unit_pair))
    names = max(1, len(aspects.table))
    named = np.flatnonzero(aspects.rows.counts)
    told, first, place = np.unique(ground.unit_place[named], return_index=True, return_inverse=True)
    pieces, start, end = _joined(place, len(told), ground, named)
    pair = ground.unit_pair[named[first]]
    answers, at = aspects.rows.take(named[first])
    key, need = np.unique(
        answers.expand(table.pair_topic[pair]) * names + aspects.codes[at], return_inverse=True
    )

    others = np.flatnonzero(aspects.rows.counts == 0)
    rest, rest_start, rest_end = _joined(ground.unit_pair[others], len(table.pair_doc), ground, others)
    own = np.arange(rest.items)
    return Needs(
        topic=np.append(key // names, table.pair_topic[rest.row]),
        aspect=np.append(key % names, np.full(rest.items, -1)),
        pair=np.append(pair, rest.row),
        size=np.append(pieces.sum(end - start), rest_end - rest_start),
        pieces=Ragged.of_counts(np.append(pieces.counts, np.ones_like(own))),
        start=np.append(start, rest_start),
        end=np.append(end, rest_end),
        answers=Ragged.of_counts(np.append(answers.counts, np.ones_like(own))),
        need=np.append(need, len(key) + own),
    )


def _joined(
    row: np.ndarray, rows: int, ground: Ground, units: np.ndarray
) -> tuple[Ragged, np.ndarray, np.ndarray]:
    """Some units by row, joined where they overlap or touch: rows, starts and ends."""
    gathered = Ragged.gathered(row, rows, ground.unit_start[units], ground.unit_end[units])
    return gathered[0].merge(*gathered[1:])


@once
def note_alternatives(ground: Ground) -> None:
    """Report how many needs can be met at any of several places, all of which are relevant text."""
    if ground.unit_aspects is None or (ground.unit_end == WHOLE).any():
        return
    needs = needs_of(ground)
    places = np.bincount(needs.need, minlength=len(needs.topic))
    several = places > 1
    if several.any():
        ground.notices.add(
            f"{{count}} of {counted(len(places), 'need')} can be met at any one of several places, "
            f"{int(places[several].sum()):,} in all: measures of text count every place",
            count=int(several.sum()),
            harmless=True,
            lasting=True,
        )
