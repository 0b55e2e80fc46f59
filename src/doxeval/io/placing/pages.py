"""The page of a document that a chunk's metadata mean: loaders count from 0 or from 1, or use labels.

How pages are counted is learned from the chunks whose text occurs once in its document. What they do not
tell is decided by the usual meaning: `page` counts from 0, as in LangChain, the others count from 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from doxeval.io.placing.claims import FROM_ONE, Claim
from doxeval.io.placing.library import Library
from doxeval.tables.quotes import Extent

FROM_ZERO = ("page", "page_idx", "page_index")
"""Keys under which pages usually count from 0."""


class PageNumbers:
    """The pages meant by what metadata state, learned from `certain` places: claim, document and extent."""

    def __init__(self, library: Library, certain: Iterable[tuple[Claim, int, Extent]] = ()) -> None:
        self.library = library
        self._first: dict[str, Counter[int]] = {}
        self._labelled: dict[tuple[int, str], Counter[int]] = {}
        self._shift: dict[int, Counter[int]] = {}
        for claim, doc, extent in certain:
            self._learn(claim, doc, library.page_at(doc, extent[0]))

    def _learn(self, claim: Claim, doc: int, page: int) -> None:
        if claim.page is not None and page and page - claim.page in (0, 1):
            self._first.setdefault(claim.counted, Counter())[page - claim.page] += 1
        if claim.label and page:
            self._labelled.setdefault((doc, claim.label), Counter())[page] += 1
            if claim.label.isascii() and claim.label.isdigit():
                self._shift.setdefault(doc, Counter())[page - int(claim.label)] += 1

    def extents(self, doc: int, claim: Claim) -> list[Extent]:
        """The extent of the page that a claim means; empty if it means none, or none that is known."""
        number = self._number(doc, claim)
        return self.library.page(doc, number) if number is not None and number >= 1 else []

    def _number(self, doc: int, claim: Claim) -> int | None:
        """The page from 1."""
        if claim.page is not None:
            usual = 0 if claim.counted == FROM_ONE or claim.counted not in FROM_ZERO else 1
            learned = self._first.get(claim.counted, Counter())
            if claim.counted == FROM_ONE or learned[0] == learned[1]:
                return claim.page + usual
            return claim.page + int(learned[1] > learned[0])
        if not claim.label:
            return None
        if pages := self._labelled.get((doc, claim.label)):
            return pages.most_common(1)[0][0]
        if not (claim.label.isascii() and claim.label.isdigit()):
            return None
        shifts = self._shift.get(doc)
        return int(claim.label) + (shifts.most_common(1)[0][0] if shifts else 0)
