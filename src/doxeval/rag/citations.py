"""Citations in answers: found in their text, and checked against the documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from doxeval import UsageError
from doxeval.core.values import quoted
from doxeval.io.placing.folding import fold_letters
from doxeval.io.placing.library import Library
from doxeval.io.placing.place_quotes import FEWEST_QUOTED_LETTERS, place_quote
from doxeval.io.placing.text_index import TextIndex
from doxeval.tables.quotes import LEVELS, Extent, Hint, Placement

REAL, ALTERED, STITCHED, MISATTRIBUTED, MADE_UP = "real", "altered", "stitched", "misattributed", "made up"
CITATION_KINDS = {
    REAL: "stands, letter for letter, in what it is attributed to",
    ALTERED: "stands there with other words",
    STITCHED: "is put together from pieces that stand apart",
    MISATTRIBUTED: "stands elsewhere, not in what it is attributed to",
    MADE_UP: "stands nowhere",
}
"""The kinds of citations, the best first."""

CITATION_MARK = r"\[\s*\d{1,4}(?:\s*[,;\-\u2013]\s*\d{1,4})*\s*\]"
QUOTED = r"[\u201c\u201e]([^\u201c\u201d\u201e]+)[\u201d\u201c]|\u00ab([^\u00ab\u00bb]+)\u00bb|\"([^\"]+)\""
TOKENS = re.compile(rf"(?P<mark>{CITATION_MARK})|{QUOTED}|(?P<stop>[.!?](?=\s|$)|\n)")
NUMBERS = re.compile(r"(\d+)(?:\s*[-\u2013]\s*(\d+))?")
MOST_MARKED = 100
"""How many results one mark such as [1-20] may name."""
FEWEST_WORDS = 3
"""Fewer words between quotation marks, or fewer letters than can be looked for, quote nothing."""
COVERED = 0.9
"""The share of a quote's letters that pieces from several places must hold."""
SPREAD = 1.5
"""Pieces in order within this many times the quote's length are one place, with other words between."""
ANYWHERE = Hint(occurrence="any")


@dataclass
class Cited:
    """One citation; `quote` is empty if a mark names whole results.

    It is attributed to results, by their `numbers` from 1, or to a document, `source`, or to neither. The
    verdict is its `kind`; if it was found, `places` are ranges by document, and `level` says how.
    """

    topic: str
    quote: str = ""
    numbers: tuple[int, ...] = ()
    source: str = ""
    kind: str = MADE_UP
    level: str = ""
    places: list[tuple[str, list[Extent]]] = field(default_factory=list)


def citations_in(topic: str, answer: str) -> Iterator[Cited]:
    """Quotes, each with the marks that follow it in its sentence, and marks without a quote.

    >>> for one in citations_in("q", 'It says "two months of rent" [2]. So it is [1, 3].'):
    ...     print(repr(one.quote), one.numbers)
    'two months of rent' (2,)
    '' (1,)
    '' (3,)
    """
    waiting: list[Cited] = []
    for token in TOKENS.finditer(answer):
        quote = (token[2] or token[3] or token[4] or "").strip()
        if (
            quote
            and len(quote.split()) >= FEWEST_WORDS
            and len(fold_letters(quote).text) >= FEWEST_QUOTED_LETTERS
        ):
            if waiting and waiting[-1].numbers:
                yield from waiting
                waiting = []
            waiting.append(Cited(topic, quote))
        elif token["mark"]:
            numbers = tuple(_numbers(token["mark"]))
            for one in waiting:
                one.numbers += numbers
            if not waiting:
                yield from (Cited(topic, numbers=(number,)) for number in numbers)
        elif token["stop"]:
            yield from waiting
            waiting = []
    yield from waiting


def _numbers(mark: str) -> Iterator[int]:
    for first, last in NUMBERS.findall(mark):
        yield from range(int(first), min(int(last or first), int(first) + MOST_MARKED) + 1)


def citations_of(row: Mapping[str, Any], where: str) -> list[Cited]:
    """The citations of one answer: those given as such (`citations`), else those in its text (`answer`)."""
    topic, given = row.get("topic"), row.get("citations")
    answer = next((row[key] for key in ("answer", "text", "output") if isinstance(row.get(key), str)), None)
    if topic is None or not (isinstance(given, list) or answer is not None):
        found = ", ".join(map(repr, row)) or "nothing"
        raise UsageError(f'{where}: expected {{"topic": ..., "answer": ...}}, found {found}')
    if not isinstance(given, list):
        return list(citations_in(str(topic), answer or ""))
    cited = []
    for citation in given:
        citation = {"quote": citation} if isinstance(citation, str) else citation
        quote, result = (
            (citation.get("quote"), citation.get("result")) if isinstance(citation, Mapping) else (None, None)
        )
        if not ((isinstance(quote, str) and quote.strip()) or (type(result) is int and result > 0)):
            raise UsageError(
                f'{where}: a citation has a "quote", a "result" (its rank) or both, not {quoted(citation)}'
            )
        numbers = (result,) if isinstance(result, int) else ()
        cited.append(
            Cited(
                str(topic), quote if isinstance(quote, str) else "", numbers, str(citation.get("doc") or "")
            )
        )
    return cited


@dataclass
class CitableResult:
    """A result as an answer may cite it."""

    doc: int
    spans: list[Extent]


class Checker:
    """Checks citations against documents and the results of their topics."""

    def __init__(
        self, library: Library, names: Sequence[str], results: Mapping[str, list[CitableResult]]
    ) -> None:
        self.library, self.names, self.results = library, names, results

    def check(self, cited: Cited, source: int) -> None:
        """Decide of what kind a citation is and where it is; `source` is the document it names, or -1."""
        results = self.results.get(cited.topic, [])
        named = [results[number - 1] for number in cited.numbers if 0 < number <= len(results)]
        if not cited.quote:
            cited.kind = REAL if named else MADE_UP
            cited.places = [(self.names[result.doc], result.spans) for result in named if result.doc >= 0]
            return
        sources = [*named, *([CitableResult(source, [])] if source >= 0 else [])]
        attributed = bool(cited.numbers or cited.source)
        if not attributed:
            sources = results
        placements = [(self._placed(result, cited.quote), result) for result in sources]
        sure = next(
            (
                (placement, result)
                for placement, result in placements
                if placement and placement.outcome != LEVELS[3]
            ),
            None,
        )
        like = max(
            (placement for placement, _ in placements if placement),
            key=lambda placement: placement.similarity,
            default=None,
        )
        elsewhere = None if sure else self._elsewhere(cited.quote)
        if sure and sure[0]:
            self._at(cited, REAL, sure[0])
        elif elsewhere:
            self._at(cited, MISATTRIBUTED if attributed else REAL, elsewhere)
        elif pieces := self._pieces(cited, [result.doc for result in sources]):
            cited.kind, cited.level = STITCHED, LEVELS[2]
            cited.places = pieces
        elif like:
            self._at(cited, ALTERED, like)
        elif far := self._like_elsewhere(cited.quote):
            self._at(cited, MISATTRIBUTED if attributed else ALTERED, far)

    def _at(self, cited: Cited, kind: str, found: Placement) -> None:
        cited.kind, cited.level = kind, found.outcome
        cited.places = [(self.names[found.doc], list(found.places[0]))]

    def _placed(self, source: CitableResult, quote: str) -> Placement | None:
        """The place of a quote in a document, or in the part that was shown if only that was."""
        if source.doc < 0:
            return None
        found = place_quote(self.library, source.doc, quote, ANYWHERE)
        within = [
            pieces for pieces in found.places
            if not source.spans or all(_meet(piece, source.spans) for piece in pieces)
        ]  # fmt: skip
        if not found.placed or not within:
            return None
        return Placement(found.outcome, found.doc, (within[0],), found.similarity)

    def _elsewhere(self, quote: str) -> Placement | None:
        """The place of a quote, letter for letter, in any document."""
        for doc in self.library.holders(quote)[0]:
            level, places = self.library.index(doc).places(quote)
            if places:
                return Placement(level, doc, ((places[0],),), 1.0)
        return None

    def _like_elsewhere(self, quote: str) -> Placement | None:
        found = place_quote(self.library, -1, quote, ANYWHERE)
        return found if found.placed and found.places else None

    def _pieces(self, cited: Cited, docs: list[int]) -> list[tuple[str, list[Extent]]]:
        """The pieces of a quote that are apart, by document; none if it is not such a patchwork."""
        retrieved = [one.doc for one in self.results.get(cited.topic, [])]
        likely = dict.fromkeys([*docs, *retrieved, *self.library.holders(cited.quote)[1]])
        order = [doc for doc in likely if doc >= 0]
        found, letters = _patchwork([self.library.index(doc) for doc in order], cited.quote)
        enough = letters >= COVERED * len(fold_letters(cited.quote).text)
        if len(found) < 2 or not enough or _together(found, len(cited.quote)):
            return []
        by_doc: dict[str, list[Extent]] = {}
        for at, place in found:
            by_doc.setdefault(self.names[order[at]], []).append(place)
        return [(name, sorted(places)) for name, places in by_doc.items()]


def _meet(piece: Extent, spans: Sequence[Extent]) -> bool:
    """Whether at least half of a piece lies in some spans."""
    shared = sum(max(0, min(piece[1], end) - max(piece[0], start)) for start, end in spans)
    return 2 * shared >= piece[1] - piece[0]


def _together(found: Sequence[tuple[int, Extent]], length: int) -> bool:
    """Whether pieces are in order, close to each other, in one document."""
    places, one = [place for _, place in found], len({at for at, _ in found}) == 1
    return one and places == sorted(places) and places[-1][1] - places[0][0] <= SPREAD * length


def _patchwork(indexes: Sequence[TextIndex], quote: str) -> tuple[list[tuple[int, Extent]], int]:
    """The longest pieces of a quote, in whole words, that are in some documents; and their letters."""
    words = [(match.start(), match.end()) for match in re.finditer(r"\S+", quote)]
    found: list[tuple[int, Extent]] = []
    letters = first = 0
    while first < len(words):
        best: tuple[int, int, Extent] | None = None
        for number, index in enumerate(indexes):
            after = first
            low, high = first + FEWEST_WORDS, len(words)
            while low <= high:
                middle = (low + high) // 2
                places = index.places(quote[words[first][0] : words[middle - 1][1]])[1]
                if places:
                    after, place = middle, places[0]
                    low = middle + 1
                else:
                    high = middle - 1
            if after > first and (best is None or after > best[0]):
                best = after, number, place
        if best is None:
            first += 1
            continue
        letters += len(fold_letters(quote[words[first][0] : words[best[0] - 1][1]]).text)
        found.append((best[1], best[2]))
        first = best[0]
    return found, letters
