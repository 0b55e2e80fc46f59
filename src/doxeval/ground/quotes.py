"""Answers given as quotes: placed in their documents, and told where they have no place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.io.placing.library import Library, library_of
from doxeval.io.placing.quotes import place_quote
from doxeval.io.placing.text_index import ONLY_LETTERS
from doxeval.tables.assessments import Assessments, Ranges, build_assessments
from doxeval.tables.documents import Documents
from doxeval.tables.quotes import AMBIGUOUS, IN_PLACE, LEVELS, LOST, OUTCOMES, PAGE, Placement, Quotes
from doxeval.tables.runs import Names

SHOWN = 40
PLACES_SHOWN = 5
WAYS = {
    IN_PLACE: "where they were said to stand", LEVELS[0]: "exactly", LEVELS[1]: "but for white space",
    LEVELS[2]: "by letters", LEVELS[3]: "approximately", PAGE: "as whole pages",
}  # fmt: skip


def resolve_quotes(assessments: Assessments, documents: Documents | None) -> Assessments:
    """The assessments with every quote turned into the ranges where it stands; all that is unsure is told.

    Quotes that stand nowhere, or in several places of which nobody says which is meant, are left out; their
    documents count as assessed. Without documents, quotes are taken to stand where they are said to.
    """
    if assessments.quotes is None:
        return assessments
    if documents is None:
        quotes = _as_told(assessments)
    else:
        assessments = anchored(assessments, documents)
        assert assessments.quotes is not None
        quotes = assessments.quotes
        assessments = replace(assessments, notices=_told(assessments, quotes, documents))
    placed = replace(assessments, ranges=_with_quotes(assessments.ranges, quotes), quotes=None)
    return _without_unnamed(placed) if "" in placed.docs else placed


def anchored(assessments: Assessments, documents: Documents, margins: bool = False) -> Assessments:
    """The assessments with what became of each quote; those that named no document name the one found."""
    quotes = assessments.quotes
    if quotes is None:
        return assessments
    if documents.text is None:
        raise UsageError(
            f"{assessments.source or 'the assessments'}: answers are given as quotes, but the documents were "
            "stored without their text; give the documents themselves"
        )
    library = library_of(documents)
    codes = documents.catalogue.find(assessments.docs).codes
    doc = assessments.pair_doc[quotes.pair]
    unnamed = np.array([not name for name in assessments.docs], dtype=bool)[doc]
    placed: list[Placement] = [Placement(LOST)] * len(quotes)
    for row in np.argsort(doc, kind="stable").tolist():
        if codes[doc[row]] >= 0 or unnamed[row]:
            placed[row] = place_quote(
                library, int(codes[doc[row]]), quotes.text[row], quotes.hints[row], margins
            )
    quotes = replace(quotes, placed=placed)
    if unnamed.any():
        return _renamed(replace(assessments, quotes=quotes), unnamed, documents)
    return replace(assessments, quotes=quotes)


def _as_told(assessments: Assessments) -> Quotes:
    """The quotes where they are said to stand; an error where nobody said."""
    quotes = assessments.quotes
    assert quotes is not None
    if not all(hint.told for hint in quotes.hints):
        raise UsageError(
            f"{assessments.source or 'the assessments'}: answers are given as quotes; "
            "the documents they stand in are needed (--docs FILE)"
        )
    return replace(quotes, placed=[Placement(IN_PLACE, places=(hint.told,)) for hint in quotes.hints])


def _renamed(assessments: Assessments, unnamed: np.ndarray, documents: Documents) -> Assessments:
    """The assessments with the documents in which quotes were found that named none."""
    quotes = assessments.quotes
    assert quotes is not None and quotes.placed is not None
    names = {name: code for code, name in enumerate(assessments.docs)}
    topic, doc = assessments.pair_topic, assessments.pair_doc.astype(np.int64)
    pair = quotes.pair.copy()
    found = [row for row in np.flatnonzero(unnamed).tolist() if quotes.placed[row].doc >= 0]
    more = [names.setdefault(documents.ids[quotes.placed[row].doc], len(names)) for row in found]
    pair[found] = len(doc) + np.arange(len(found))
    added = len(found)
    built = build_assessments(
        assessments.topics,
        list(names),
        np.concatenate([topic, topic[quotes.pair[found]]]),
        np.concatenate([doc, np.array(more, dtype=np.int64)]),
        assessments.ranges,
        length=np.concatenate([assessments.length[doc], np.full(added, -1)]),
        bep=np.concatenate([assessments.bep, np.full(added, -1)]),
        floor=None if assessments.floor is None else np.append(assessments.floor, np.zeros(added)),
        nodes=assessments.nodes,
        quotes=replace(quotes, pair=pair),
    )
    return replace(
        assessments, docs=built.docs, pair_offset=built.pair_offset, pair_doc=built.pair_doc, bep=built.bep,
        length=built.length, ranges=built.ranges, nodes=built.nodes, quotes=built.quotes, floor=built.floor,
    )  # fmt: skip


def _without_unnamed(assessments: Assessments) -> Assessments:
    """The assessments without the document of quotes that named none; nothing is left in it."""
    docs = list(assessments.docs)
    unnamed = docs.index("")
    kept = assessments.pair_doc != unnamed
    pair = np.cumsum(kept) - 1
    code = assessments.pair_doc[kept]
    ranges, nodes, floor = assessments.ranges, assessments.nodes, assessments.floor
    return replace(
        assessments,
        docs=docs[:unnamed] + docs[unnamed + 1 :],
        pair_offset=assessments.by_topic.keep_items(kept).offset,
        pair_doc=np.where(code > unnamed, code - 1, code).astype(np.int32),
        bep=assessments.bep[kept],
        length=np.delete(assessments.length, unnamed),
        ranges=replace(ranges, pair=pair[ranges.pair]),
        nodes=None if nodes is None else replace(nodes, pair=pair[nodes.pair]),
        floor=None if floor is None else floor[kept],
    )


def _with_quotes(ranges: Ranges, quotes: Quotes) -> Ranges:
    """Ranges with those of the placed quotes behind them; pieces are one place, alternatives one need."""
    assert quotes.placed is not None
    ways = [
        (row, pieces)
        for row, placement in enumerate(quotes.placed)
        if placement.placed
        for pieces in placement.places
    ]
    found = [(row, place, *extent) for place, (row, pieces) in enumerate(ways) for extent in pieces]
    row, place, start, end = np.array(found, dtype=np.int64).reshape(-1, 4).T
    aspects = _needs(quotes)
    in_pieces = any(len(pieces) > 1 for _, pieces in ways)
    return ranges.with_more(
        Ranges(
            quotes.pair[row], start, end, quotes.grade[row], None if aspects is None else aspects.take(row),
            place if in_pieces else None,
        )
    )  # fmt: skip


def _needs(quotes: Quotes) -> Names | None:
    """What each quote answers; one that any of several places answers is a need, if only its own."""
    assert quotes.placed is not None
    if not any(placement.any_of for placement in quotes.placed):
        return quotes.aspects
    own = [quotes.aspects.of(row) if quotes.aspects is not None else [] for row in range(len(quotes))]
    return Names.of_lists(
        names or ([f"any place of quote {line}"] if placement.any_of else [])
        for names, placement, line in zip(own, quotes.placed, quotes.line.tolist(), strict=True)
    )


def level_counts(placed: Iterable[Placement]) -> dict[str, int]:
    """How many quotes had each outcome, in the order of outcomes."""
    counts = Counter(placement.outcome for placement in placed)
    return {outcome: counts[outcome] for outcome in OUTCOMES if counts[outcome]}


def _told(assessments: Assessments, quotes: Quotes, documents: Documents) -> Notices:
    """How the quotes were placed, and which could not be."""
    assert quotes.placed is not None
    notices = Notices()
    notices.extend(assessments.notices)
    counts = level_counts(quotes.placed)
    found = sum(placement.placed for placement in quotes.placed)
    ways = [f"{count:,} {WAYS[outcome]}" for outcome, count in counts.items() if outcome in WAYS]
    notices.add(
        f"{found:,} of {len(quotes):,} quotes found{': ' * bool(ways)}{', '.join(ways)}",
        harmless=True,
        lasting=counts.get(LEVELS[3], 0) > 0,
    )
    alternatives = [placement for placement in quotes.placed if placement.any_of]
    if alternatives:
        places = sum(len(placement.places) for placement in alternatives)
        notices.add(
            f"{places:,} places are alternatives of {len(alternatives):,} quotes (occurrence: any); measures "
            "of text count every one",
            harmless=True,
            lasting=True,
        )
    library = library_of(documents)
    for row, placement in enumerate(quotes.placed):
        if placement.outcome == AMBIGUOUS:
            notices.add(
                "{count} quotes occur several times and are left out; say which is meant (prefix, suffix, "
                "page, section, or occurrence: first, all, any or a number)",
                f"{where(assessments, quotes, row)} {_places_told(placement, documents)}",
                lasting=True,
            )
        elif placement.outcome == LOST:
            notices.add(
                f"{{count}} quotes were not found in their document and are left out{ONLY_LETTERS}",
                f"{where(assessments, quotes, row)}{did_you_mean(placement, library)}",
                lasting=True,
            )
    return notices


def where(assessments: Assessments, quotes: Quotes, row: int) -> str:
    """A quote for messages: its topic, its document, and how it begins."""
    pair, text = quotes.pair[row], quotes.text[row]
    shown = (
        repr(text if len(text) <= SHOWN else text[:SHOWN] + "...")
        if text
        else f"page {quotes.hints[row].page}"
    )
    names = (assessments.topics[assessments.pair_topic[pair]], assessments.docs[assessments.pair_doc[pair]])
    return f"topic {', '.join(filter(None, names))}: {shown}"


def _places_told(placement: Placement, documents: Documents) -> str:
    if placement.also:
        names = [documents.ids[doc] for doc in placement.also[:PLACES_SHOWN]]
        return f"in {len(placement.also)} documents: {', '.join(names)}"
    starts = [str(pieces[0][0]) for pieces in placement.places]
    return (
        f"{len(starts)} times, at {', '.join(starts[:PLACES_SHOWN])}{', ...' * (len(starts) > PLACES_SHOWN)}"
    )


def did_you_mean(placement: Placement, library: Library) -> str:
    """The nearest text in the document, for a quote that is not there."""
    if placement.nearest is None:
        return ""
    start, end = placement.nearest
    text = " ".join(library.index(placement.doc).text[start:end].split())
    return f"; did you mean {text if len(text) <= 2 * SHOWN else text[: 2 * SHOWN] + '...'!r} at {start}?"
