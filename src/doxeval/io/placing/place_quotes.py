"""Placing quotes: the most certain level first; hints decide between places, never chance."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from doxeval.io.placing.folding import fold_letters
from doxeval.io.placing.library import Library
from doxeval.io.placing.text_index import TextIndex
from doxeval.tables.quotes import (
    AMBIGUOUS,
    IN_PLACE,
    LEVELS,
    LOST,
    OUTCOMES,
    PAGE,
    Extent,
    Hint,
    Pieces,
    Placement,
)

LIKE_ENOUGH = 0.6
"""The least similarity of an approximate place: below it, unrelated sentences of the same kind match."""
CLEARLY_BETTER = 0.05
"""An approximate place is accepted if the next one is less similar by at least this."""
FEWEST_QUOTED_LETTERS = 12
"""Shorter texts are not searched for approximately."""
FARTHEST_PIECE = 10_000
"""Characters that an ellipsis may leave out."""
FEWEST_AROUND = 8
"""Letters of a prefix or suffix that must be around a place, if it has as many."""
PLACES_KEPT = 100
CERTAIN_LEVELS = (IN_PLACE, *LEVELS[:3])
"""Outcomes after which a quote shows how far the text around it has moved."""
NO_HINT = Hint()

ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.\s?\.\s?\.|…)\s*\]|\(\s*(?:\.\.\.|…)\s*\)|\.{3,}|…)\s*")


@dataclass(frozen=True)
class _Candidates:
    """The places found at one level, with their similarities, in the order of the text."""

    level: str
    places: list[tuple[Pieces, float]]


def place_quote(
    library: Library, doc: int, text: str, hint: Hint = NO_HINT, margins: bool = False
) -> Placement:
    """Find a text in a document, or, for -1, in any.

    Margins of exact matches are computed only if `margins`.
    """
    if doc < 0:
        return _anywhere(library, text, hint, margins)
    index = library.index(doc)
    page = library.page(doc, hint.page) if hint.page else []
    if not text:
        return Placement(PAGE, doc, (tuple(page),), 1.0, 1.0) if page else Placement(LOST, doc)
    if hint.told and _still_there(index, text, hint):
        return in_place(doc, hint)
    section = library.section(doc, hint.section) if hint.section else []
    parts = [part for part in (page, section) if part]
    best: _Candidates | None = None
    for found in _levels(index, text, hint.told[0][0] if hint.told else 0):
        fitting = [place for place in found.places if all(within(part, place[0]) for part in parts)]
        if fitting:
            return _decided(index, doc, text, hint, _Candidates(found.level, fitting), margins)
        best = best or found
    if best is not None:
        return _decided(index, doc, text, hint, best, margins)
    return Placement(LOST, doc, nearest=_nearest(index, text))


def in_place(doc: int, hint: Hint, outcome: str = IN_PLACE) -> Placement:
    """The placement of a quote that is where it was stated to be."""
    if hint.occurrence == "any" and len(hint.told) > 1:
        return Placement(outcome, doc, tuple((place,) for place in hint.told), 1.0, any_of=True)
    return Placement(outcome, doc, (hint.told,), 1.0, 1.0)


def _still_there(index: TextIndex, text: str, hint: Hint) -> bool:
    """Whether a quote is where it is stated to be: in pieces, or in each of several places.

    Offsets that are off by a few characters may lose no letter: a place that differs from the quote is not
    where it stood if the quote itself is around there.
    """
    found = [index.text[start:end] for start, end in hint.told]
    if hint.occurrence in ("all", "any") and all(holds(place, text) for place in found):
        return True
    whole = " ".join(found)
    if whole == text or len(found) > 1 or not holds(whole, text):
        return holds(whole, text)
    if same_words(whole, text) and len(whole) != len(text):
        return True
    (start, end), reach = hint.told[0], len(text)
    if index.whole_letters(end) > end:
        return False
    level, _ = TextIndex(index.text[max(0, start - reach) : end + reach]).places(text)
    return level not in LEVELS[:2]


def same_words(text: str, quote: str) -> bool:
    """Whether two texts are equal apart from white space."""
    return text == quote or text.split() == quote.split()


def holds(text: str, quote: str) -> bool:
    """Whether a stretch of text equals a quote by its letters; a quote without letters must be identical."""
    if same_words(text, quote):
        return True
    letters = fold_letters(quote).text
    return bool(letters) and fold_letters(text).text == letters


def _levels(index: TextIndex, text: str, near: int) -> Iterator[_Candidates]:
    """Matches at each level, the most certain first; finally lines in order, such as rows of a table.

    Of very many places those nearest to one stated are kept, from the beginning if `near` is 0.
    """
    level, places = index.places(text)
    if places:
        nearest = sorted(places, key=lambda place: abs(place[0] - near))[:PLACES_KEPT]
        yield _Candidates(level, [((place,), 1.0) for place in sorted(nearest)])
    yield from _joined_pieces(index, ELLIPSIS.split(text))
    yield from _approximate(index, text)
    yield from _joined_pieces(index, text.splitlines())


def _approximate(index: TextIndex, text: str) -> Iterator[_Candidates]:
    """The places similar to a text, in document order."""
    if len(fold_letters(text).text) >= FEWEST_QUOTED_LETTERS:
        like = sorted(match for match in index.approximate(text) if match.similarity >= LIKE_ENOUGH)
        if like:
            places: list[tuple[Pieces, float]] = [
                ((index.to_words(match.start, match.end),), match.similarity) for match in like
            ]
            yield _Candidates(LEVELS[3], places)


def _joined_pieces(index: TextIndex, parts: Sequence[str]) -> Iterator[_Candidates]:
    """The places of several pieces in order, each as near as possible to the one before."""
    pieces = [part for part in parts if fold_letters(part).text]
    chains: list[tuple[Pieces, float]] = []
    worst = 0
    for number, piece in enumerate(pieces if len(pieces) > 1 else ()):
        level, places = index.places(piece)
        similar = dict.fromkeys(places, 1.0)
        for like in _approximate(index, piece) if not places else ():
            level, similar = like.level, {extents[0]: same for extents, same in like.places}
        if not similar:
            return
        worst = max(worst, LEVELS.index(level))
        chains = _lengthened(chains, similar) if number else [((place,), similar[place]) for place in similar]
    if chains:
        yield _Candidates(LEVELS[worst], sorted(chains)[:PLACES_KEPT])


def _lengthened(
    chains: list[tuple[Pieces, float]], similar: dict[Extent, float]
) -> list[tuple[Pieces, float]]:
    """Chains of pieces, each with the first place of the next one behind it; of several, the shortest."""
    longer: dict[Extent, tuple[Pieces, float]] = {}
    for chain, same in sorted(chains):
        end = chain[-1][1]
        following = [place for place in similar if end <= place[0] <= end + FARTHEST_PIECE]
        if following:
            place = min(following)
            longer[place] = ((*chain, place), min(same, similar[place]))
    return list(longer.values())


def _decided(
    index: TextIndex, doc: int, text: str, hint: Hint, found: _Candidates, margins: bool
) -> Placement:
    """The place or places chosen by the hint; ambiguous if it does not decide."""
    best = max(same for _, same in found.places)
    rivals = [pieces for pieces, same in found.places if best - same < CLEARLY_BETTER]
    if len(rivals) > 1:
        rivals = _closest_by_context(index, hint, rivals)
    if len(rivals) > 1:
        return _by_occurrence(doc, hint.occurrence, found.level, rivals, best)
    (pieces,) = rivals
    similarity = next(same for other, same in found.places if other == pieces)
    second = max((same for other, same in found.places if other != pieces), default=0.0)
    if margins and len(found.places) == 1:
        others = index.approximate(text)
        apart = (match for match in others if match.end <= pieces[0][0] or match.start >= pieces[-1][1])
        second = max((match.similarity for match in apart), default=0.0)
    return Placement(found.level, doc, (pieces,), similarity, max(0.0, similarity - second))


def _by_occurrence(doc: int, which: str, level: str, places: list[Pieces], similarity: float) -> Placement:
    """The places that `occurrence` selects; ambiguous if it selects none."""
    if which == "any":
        return Placement(level, doc, tuple(places), similarity, any_of=True)
    if which == "all":
        return Placement(
            level, doc, (tuple(sorted({one for pieces in places for one in pieces})),), similarity
        )
    number = 1 if which == "first" else int(which or 0)
    if 1 <= number <= len(places):
        return Placement(level, doc, (places[number - 1],), similarity)
    return Placement(AMBIGUOUS, doc, tuple(places), similarity)


def _closest_by_context(index: TextIndex, hint: Hint, places: list[Pieces]) -> list[Pieces]:
    """The places that match most letters of the prefix and suffix; all if there is no difference."""
    prefix, suffix = fold_letters(hint.prefix).text[::-1], fold_letters(hint.suffix).text
    agreeing = []
    for pieces in places:
        before = index.text[max(0, pieces[0][0] - 2 * len(hint.prefix)) : pieces[0][0]]
        after = index.text[pieces[-1][1] : pieces[-1][1] + 2 * len(hint.suffix)]
        agreeing.append(
            _agreeing(prefix, fold_letters(before).text[::-1]) + _agreeing(suffix, fold_letters(after).text)
        )
    most = max(agreeing)
    if most < min(FEWEST_AROUND, max(1, len(prefix) + len(suffix))):
        return places
    return [pieces for pieces, count in zip(places, agreeing, strict=True) if count == most]


def placed_by_neighbours(
    library: Library, texts: Sequence[str], hints: Sequence[Hint], placed: Sequence[Placement]
) -> list[Placement]:
    """The placements, with ambiguous quotes decided by how far the quotes around them have moved.

    A text inserted or removed moves all that follows alike, so that a quote between two whose places are
    certain has moved no less and no more than they have. It is placed if only one of its places fits.
    """
    moved: dict[int, list[tuple[int, int]]] = {}
    for hint, placement in zip(hints, placed, strict=True):
        if hint.told and placement.outcome in CERTAIN_LEVELS and len(placement.places) == 1:
            start = hint.told[0][0]
            moved.setdefault(placement.doc, []).append((start, placement.places[0][0][0] - start))
    for of_one in moved.values():
        of_one.sort()
    return [
        _fitting(library, text, hint, placement, moved.get(placement.doc, []))
        for text, hint, placement in zip(texts, hints, placed, strict=True)
    ]


def _fitting(
    library: Library, text: str, hint: Hint, placement: Placement, moved: list[tuple[int, int]]
) -> Placement:
    """An ambiguous quote at its only place that has moved as those around it have; others as they are."""
    if placement.outcome != AMBIGUOUS or placement.doc < 0 or not hint.told or not moved:
        return placement
    start = hint.told[0][0]
    after = bisect_left(moved, (start, 0))
    around = [shift for _, shift in moved[max(0, after - 1) : after + 1]]
    fitting = [pieces for pieces in placement.places if min(around) <= pieces[0][0] - start <= max(around)]
    if len(fitting) != 1:
        return placement
    level, _ = library.index(placement.doc).places(text)
    return replace(placement, outcome=level or LEVELS[3], places=(fitting[0],))


def _agreeing(first: str, second: str) -> int:
    """The number of letters two texts share before they differ."""
    return next(
        (at for at, (one, other) in enumerate(zip(first, second, strict=False)) if one != other),
        min(len(first), len(second)),
    )


def within(parts: list[Extent], pieces: Pieces) -> bool:
    """Whether a place begins in one of several parts of a document."""
    return any(pieces[0][0] < end and pieces[0][1] > start for start, end in parts)


def _nearest(index: TextIndex, text: str) -> Extent | None:
    """The most similar range, however slight the similarity."""
    return next(((match.start, match.end) for match in index.approximate(text)), None)


def _anywhere(library: Library, text: str, hint: Hint, margins: bool) -> Placement:
    """The place of a text in the collection: in the document that matches best."""
    found: list[Placement] = []
    for docs in library.holders(text) if text else ():
        found += [place_quote(library, doc, text, hint, margins) for doc in docs]
        if any(place.placed and place.outcome != LEVELS[3] for place in found):
            break
    rivals = [place for place in found if place.outcome != LOST]
    if not rivals:
        return next(iter(found), Placement(LOST))
    rivals.sort(key=lambda place: (_sureness(place), -place.similarity))
    best = rivals[0]
    near = [
        place
        for place in rivals[1:]
        if _sureness(place) == _sureness(best) and best.similarity - place.similarity < CLEARLY_BETTER
    ]
    second = max((place.similarity for place in rivals[1:]), default=0.0)
    if near:
        also = tuple(place.doc for place in near)
        return replace(best, outcome=AMBIGUOUS, doc=-1, places=(), margin=0.0, also=(best.doc, *also))
    return replace(best, margin=min(best.margin, best.similarity - second))


def _sureness(place: Placement) -> int:
    """The level of a place, 0 for the most certain; ambiguous ones may be of any level."""
    if place.similarity < 1:
        return len(OUTCOMES)
    return 0 if place.outcome == AMBIGUOUS else OUTCOMES.index(place.outcome)
