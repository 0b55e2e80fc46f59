"""Reports on quotes: how they were placed, and why some could not be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from doxeval.core.errors import nearest
from doxeval.core.notices import Notices
from doxeval.core.phrases import counted, percent
from doxeval.io.placing.library import Library, library_of
from doxeval.io.placing.place_quotes import within
from doxeval.io.placing.text_index import ONLY_LETTERS
from doxeval.tables.assessments import Assessments
from doxeval.tables.documents import Documents
from doxeval.tables.quotes import (
    AMBIGUOUS,
    AS_STATED,
    BOX,
    IN_PLACE,
    LEVELS,
    OUTCOMES,
    PAGE,
    RENAMED,
    SYMBOL,
    Placement,
    Quotes,
)

SEVERAL = (
    "{count} {quote occurs|quotes occur} several times and {is|are} left out; say which is meant (prefix, "
    "suffix, page, section, or occurrence: first, all, any or a number)"
)
MISSING = (
    f"{{count}} {{quote was|quotes were}} not found in {{its|their}} document and {{is|are}} left out"
    f"{ONLY_LETTERS}"
)
EMPTY = "{count} {box has|boxes have} no text in {it|them} and {is|are} left out"
OFF_PAGE = "{count} {quote is|quotes are} on another page than stated"
MOVED = (
    "{count} {quote is|quotes are} not where stated; the {place where it was|places where they were} found "
    "{is|are} used"
)
LETTERS_SHOWN = 40
NAMES_COMPARED = 1000
PLACES_SHOWN = 5
WAYS = {
    IN_PLACE: "where stated", LEVELS[0]: "exactly", LEVELS[1]: "but for white space",
    LEVELS[2]: "by letters", LEVELS[3]: "approximately", SYMBOL: "by name",
    RENAMED: "under another name", AS_STATED: "as stated, without text to compare",
    PAGE: "as whole pages", BOX: "by their boxes",
}  # fmt: skip


def level_counts(placed: Iterable[Placement]) -> dict[str, int]:
    """The number of quotes with each outcome, in the order of outcomes."""
    counts = Counter(placement.outcome for placement in placed)
    return {outcome: counts[outcome] for outcome in OUTCOMES if counts[outcome]}


def told_of_quotes(assessments: Assessments, documents: Documents) -> Notices:
    """The notices of assessments, including how their quotes were placed and which could not be."""
    quotes = assessments.quotes
    assert quotes is not None and quotes.placed is not None
    notices = Notices(assessments.notices)
    counts = level_counts(quotes.placed)
    found = sum(placement.placed for placement in quotes.placed)
    ways = [f"{count:,} {WAYS[outcome]}" for outcome, count in counts.items() if outcome in WAYS]
    notices.add(
        f"{found:,} of {counted(len(quotes), 'quote')} found{': ' * bool(ways)}{', '.join(ways)}",
        harmless=True,
        lasting=counts.get(LEVELS[3], 0) > 0,
    )
    alternatives = [placement for placement in quotes.placed if placement.any_of]
    if alternatives:
        places = sum(len(placement.places) for placement in alternatives)
        notices.add(
            f"{counted(places, 'place')} are alternatives of {counted(len(alternatives), 'quote')} "
            "(occurrence: any); measures of text count each of them",
            harmless=True,
            lasting=True,
        )
    library = library_of(documents)
    for row, placement in enumerate(quotes.placed):
        if placement.placed and (page := quotes.hints[row].page):
            part = library.page(placement.doc, page)
            if part and not within(part, placement.places[0]):
                notices.add(OFF_PAGE, where(assessments, quotes, row))
        if placement.outcome in LEVELS and (told := quotes.hints[row].told):
            found_at = f"at {placement.places[0][0][0]}, stated {told[0][0]}"
            notices.add(MOVED, f"{where(assessments, quotes, row)} {found_at}", lasting=True)
        if not placement.placed:
            notices.add(
                _fault(quotes, row, placement), _why(assessments, quotes, row, documents), lasting=True
            )
    return notices


def _fault(quotes: Quotes, row: int, placement: Placement) -> str:
    """The notice under which a quote without a place is counted."""
    if placement.outcome == AMBIGUOUS:
        return SEVERAL
    is_box = quotes.hints[row].box and not quotes.text[row] and placement.doc >= 0
    return EMPTY if is_box else MISSING


def where(assessments: Assessments, quotes: Quotes, row: int) -> str:
    """A quote for messages: its topic, its document, and its first words."""
    pair, text, hint = quotes.pair[row], quotes.text[row], quotes.hints[row]
    place = f"{'a box on ' * bool(hint.box)}page {hint.page}" if hint.page else "a box without text"
    shown = repr(text if len(text) <= LETTERS_SHOWN else text[:LETTERS_SHOWN] + "...") if text else place
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
    shortened = text if len(text) <= 2 * LETTERS_SHOWN else text[: 2 * LETTERS_SHOWN] + "..."
    return f"; did you mean {shortened!r} at {start}?"


def _why(assessments: Assessments, quotes: Quotes, row: int, documents: Documents) -> str:
    """The reason why a quote has no place, in words."""
    assert quotes.placed is not None
    placement = quotes.placed[row]
    if placement.outcome == AMBIGUOUS:
        return f"{where(assessments, quotes, row)} {_places_told(placement, documents)}"
    name = assessments.docs[assessments.pair_doc[quotes.pair[row]]]
    if name and placement.doc < 0:
        near = nearest(name, documents.ids[:NAMES_COMPARED])
        return f"{where(assessments, quotes, row)}; there is no such document{near}"
    return f"{where(assessments, quotes, row)}{did_you_mean(placement, library_of(documents))}"


def unplaced(assessments: Assessments, documents: Documents) -> Iterator[str]:
    """Each quote that has no place, and why."""
    quotes = assessments.quotes
    for row, placement in enumerate(quotes.placed or () if quotes is not None else ()):
        if quotes is not None and not placement.placed:
            yield f"{placement.outcome}: {_why(assessments, quotes, row, documents)}"


def level_table(assessments: Assessments) -> str:
    """The number of quotes found at each level, with their least similarity and margin."""
    placed = (assessments.quotes.placed if assessments.quotes is not None else None) or []
    found = sum(placement.placed for placement in placed)
    lines = [
        f"{found:,} of {counted(len(placed), 'quote, page or range', 'quotes, pages and ranges')} placed"
    ]
    for outcome, count in level_counts(placed).items():
        of_it = [placement for placement in placed if placement.outcome == outcome]
        line = f"  {outcome:<12} {count:>9,} {percent(count / len(placed), 1):>7}"
        if of_it[0].placed and outcome != IN_PLACE:
            line += f"   similarity >= {min(place.similarity for place in of_it):.2f}"
            line += f", margin >= {min(place.margin for place in of_it):.2f}"
        lines.append(line)
    return "\n".join(lines)
