"""The needs of topics: each with the places that answer it, any one of which is enough."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from doxeval.core.facts import once
from doxeval.core.phrases import counted
from doxeval.core.quick_class import dataclass
from doxeval.core.ragged import Ragged
from doxeval.core.strings import encode
from doxeval.ground.ground import Ground
from doxeval.tables.runs import WHOLE, Names


@dataclass(eq=False)
class Needs:
    """Needs, `topic` of each and its name (`aspect`, -1: none), and places, `pair`, `size` and `set` of each.

    A place has `pieces` of text, `[start, end)`, disjoint and in order; the items of `answers` are, in
    `need`, the needs that it meets. `set` is the code of the place's set among the names of the labels, -1
    if it belongs to every set of its topic.
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
    set: np.ndarray

    def enough(self, part: Fraction) -> np.ndarray:
        """The characters of each place that must be shown: `part` of its text."""
        return -(-self.size * part.numerator // part.denominator)

    def per_topic(self, topics: int) -> np.ndarray:
        """The number of needs of each topic."""
        return np.bincount(self.topic, minlength=topics)


@once
def needs_of(ground: Ground) -> Needs:
    """The needs of all topics: one for each need that ranges name, and one for each other highlight.

    Ranges of a set that name no need are joined where they touch, and each resulting highlight is its own
    need, the same one in every set that has it.
    """
    table, aspects = ground.assessments, ground.unit_aspects or Names.none(len(ground.unit_pair))
    names, set_of_unit = max(1, len(aspects.table)), _sets_of_units(ground)
    named = np.flatnonzero(aspects.rows.counts)
    told, first, place = np.unique(ground.unit_place[named], return_index=True, return_inverse=True)
    pieces, start, end = _joined(place, len(told), ground, named)
    pair = ground.unit_pair[named[first]]
    answers, at = aspects.rows.take(named[first])
    key, need = np.unique(
        answers.expand(table.pair_topic[pair]) * names + aspects.codes[at], return_inverse=True
    )

    others = np.flatnonzero(aspects.rows.counts == 0)
    sets = int(set_of_unit.max(initial=-1)) + 2
    group, code = np.unique(ground.unit_pair[others] * sets + set_of_unit[others] + 1, return_inverse=True)
    rest, rest_start, rest_end = _joined(code, len(group), ground, others)
    rest_pair, rest_set = (group // sets)[rest.row], (group % sets)[rest.row] - 1
    own, own_need = _distinct_highlights(rest_pair, rest_start, rest_end, rest_set)
    return Needs(
        topic=np.append(key // names, table.pair_topic[rest_pair[own]]),
        aspect=np.append(key % names, np.full(len(own), -1)),
        pair=np.append(pair, rest_pair),
        size=np.append(pieces.sum(end - start), rest_end - rest_start),
        pieces=Ragged.of_counts(np.append(pieces.counts, np.ones_like(rest_pair))),
        start=np.append(start, rest_start),
        end=np.append(end, rest_end),
        answers=Ragged.of_counts(np.append(answers.counts, np.ones_like(rest_pair))),
        need=np.append(need, len(key) + own_need),
        set=np.append(set_of_unit[named[first]], rest_set),
    )


def _sets_of_units(ground: Ground) -> np.ndarray:
    """The code of each unit's set, by name; -1 if it has none."""
    if ground.unit_labels is None:
        return np.full(len(ground.unit_pair), -1, dtype=np.int64)
    _, codes = encode(["", *ground.unit_labels.set.tolist()])
    return codes[1:].astype(np.int64) - 1


def _distinct_highlights(
    pair: np.ndarray, start: np.ndarray, end: np.ndarray, in_set: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """One row of each distinct highlight, in order, and for each row the number of its highlight."""
    if (in_set < 0).all():
        return np.arange(len(pair)), np.arange(len(pair))
    _, first, code = np.unique(np.stack([pair, start, end]), axis=1, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    return first[order], number[code.reshape(-1)]


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
    each = np.unique(np.stack([needs.need, needs.answers.expand(same_places(needs))]), axis=1)[0]
    places = np.bincount(each, minlength=len(needs.topic))
    several = places > 1
    if several.any():
        ground.notices.add(
            f"{{count}} of {counted(len(places), 'need')} can be met at any one of several places, "
            f"{int(places[several].sum()):,} in all: measures of text count every place",
            count=int(several.sum()),
            harmless=True,
            lasting=True,
        )


def same_places(needs: Needs) -> np.ndarray:
    """The number of each place's text: one that several sets have is the same place."""
    extents = list(zip(needs.start.tolist(), needs.end.tolist(), strict=True))
    known: dict[tuple[int, tuple[tuple[int, int], ...]], int] = {}
    return np.array(
        [
            known.setdefault((pair, tuple(extents[needs.pieces.slice(place)])), len(known))
            for place, pair in enumerate(needs.pair.tolist())
        ],
        dtype=np.int64,
    )
