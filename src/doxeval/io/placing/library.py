"""The documents of a collection, each searched through an index that is built once and kept."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from functools import cached_property
from hashlib import blake2b
from weakref import WeakKeyDictionary, proxy

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.io.placing.folding import fold_letters
from doxeval.io.placing.text_index import TextIndex, gram_hashes
from doxeval.tables.documents import Documents
from doxeval.tables.quotes import Extent

CHARACTERS_KEPT = 50_000_000
"""Characters of text kept indexed at once; an index takes about ten bytes per character."""
SAMPLED_GRAM = 10
SAMPLED_BITS = 3
"""Length of sampled grams, and leading zeros of their hashes; they say which documents may hold a text."""
HOLDERS = 5
LIKELY_SHARE = 0.5
"""Most documents searched for a text that none holds whole, and the least share of grams they must have."""
TITLE_MARKS = 40
"""Characters beyond the length of a title that are searched for it."""


class Library:
    """A searchable collection; see :func:`library_of`."""

    def __init__(self, documents: Documents) -> None:
        if documents.text is None:
            raise UsageError("finding texts needs the text of the documents; give documents with text")
        self.documents = proxy(documents)
        self.text = documents.text
        self._kept: OrderedDict[int, TextIndex] = OrderedDict()
        self._size = 0
        self._pages: dict[int, list[Extent]] = {}

    def holds_text(self, name: str, text: str) -> bool:
        """Whether the document with a name has exactly this text."""
        return self.text[int(self.documents.codes([name])[0])] == text

    def has_text(self, doc: int) -> bool:
        """Whether the text of a document is known; not that of -1, or of one stored by its length alone."""
        return doc >= 0 and bool(self.text[doc] or not self.documents.length[doc])

    def index(self, doc: int) -> TextIndex:
        """The index of one document."""
        found = self._kept.get(doc)
        if found is not None:
            self._kept.move_to_end(doc)
            return found
        found = self._kept[doc] = TextIndex(self.text[doc])
        self._size += len(found.text)
        while self._size > CHARACTERS_KEPT and len(self._kept) > 1:
            self._size -= len(self._kept.popitem(last=False)[1].text)
        return found

    @cached_property
    def _grams(self) -> tuple[np.ndarray, np.ndarray]:
        """The sampled grams of all documents, sorted, and the document of each."""
        hashes, docs = [np.zeros(0, dtype=np.uint64)], [np.zeros(0, dtype=np.int32)]
        for doc in range(len(self.documents)):
            sampled = _sampled(self.index(doc).letters.text)
            hashes.append(sampled)
            docs.append(np.full(len(sampled), doc, dtype=np.int32))
        joined, of = np.concatenate(hashes), np.concatenate(docs)
        order = np.argsort(joined, kind="stable")
        return joined[order], of[order]

    def holders(self, text: str) -> tuple[list[int], list[int]]:
        """The documents that may hold every letter of a text, and otherwise those most similar to it.

        A document with all letters of a text in a row has all its sampled grams; a text without any of these
        may be in any document.
        """
        wanted = _sampled(fold_letters(text).text)
        if not len(wanted):
            return list(range(len(self.documents))), []
        hashes, docs = self._grams
        first, after = np.searchsorted(hashes, wanted, "left"), np.searchsorted(hashes, wanted, "right")
        votes = np.zeros(len(self.documents), dtype=np.int64)
        for start, end in zip(first.tolist(), after.tolist(), strict=True):
            votes[np.unique(docs[start:end])] += 1
        likely = np.argsort(-votes, kind="stable")[:HOLDERS]
        full = np.flatnonzero(votes == len(wanted)).tolist()
        enough = votes[likely] > LIKELY_SHARE * votes[likely[0]]
        return full, [doc for doc in likely[enough].tolist() if doc not in full]

    def page(self, doc: int, number: int) -> list[Extent]:
        """The extent of a page, counted from 1; empty if the document has no such page, or none at all."""
        return self.pages(doc)[number - 1 : number]

    def page_at(self, doc: int, start: int) -> int:
        """The number, from 1, of the page with an offset; 0 if the document has no pages."""
        return bisect_right([begin for begin, _ in self.pages(doc)], start)

    def pages(self, doc: int) -> list[Extent]:
        """The extents of pages: nodes with the tag `page`, or text between form feeds; none without them."""
        if doc not in self._pages:
            self._pages[doc] = self._find_pages(doc)
        return self._pages[doc]

    def _find_pages(self, doc: int) -> list[Extent]:
        documents = self.documents
        rows = slice(documents.node_offset[doc], documents.node_offset[doc + 1])
        if "page" in documents.tags:
            found = np.flatnonzero(documents.tag[rows] == documents.tags.index("page")) + rows.start
            if len(found):
                return list(zip(documents.start[found].tolist(), documents.end[found].tolist(), strict=True))
        pages = self.index(doc).pages
        return pages if len(pages) > 1 else []

    def extent_of_nodes(self, doc: int, names: tuple[str, ...]) -> Extent | None:
        """From the first to the last of some nodes that are in a document; None if none is."""
        found = [node for name in names if (node := self.documents.find(doc, name)) >= 0]
        if not found:
            return None
        starts, ends = self.documents.extent(doc, np.array(found))
        return int(starts.min()), int(ends.max())

    def section(self, doc: int, title: str) -> list[Extent]:
        """The extents of nodes that have a title as name or beginning; a heading extends to the next."""
        documents, text = self.documents, self.index(doc).text
        node = documents.find(doc, title)
        if node >= 0:
            start, end = documents.extent(doc, node)
            return [(int(start), int(end))]
        wanted = fold_letters(title).text
        rows = np.arange(documents.node_offset[doc] + 1, documents.node_offset[doc + 1])
        found = []
        for row in rows.tolist() if wanted else ():
            start, end = int(documents.start[row]), int(documents.end[row])
            begins = fold_letters(text[start : min(end, start + len(title) + TITLE_MARKS)]).text
            if begins == wanted:
                like = rows[(rows > row) & (documents.tag[rows] == documents.tag[row])]
                found.append((start, int(documents.start[like[0]]) if len(like) else len(text)))
            elif begins.startswith(wanted):
                found.append((start, end))
        return found


def fingerprint(text: str) -> str:
    """A short hash of a document's text."""
    return blake2b(text.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def _sampled(letters: str) -> np.ndarray:
    hashes = gram_hashes(letters, SAMPLED_GRAM)
    return np.unique(hashes[hashes >> np.uint64(64 - SAMPLED_BITS) == 0])


_LIBRARIES: WeakKeyDictionary[Documents, Library] = WeakKeyDictionary()


def library_of(documents: Documents) -> Library:
    """The library of a collection, the same one as long as the collection exists."""
    if documents not in _LIBRARIES:
        _LIBRARIES[documents] = Library(documents)
    return _LIBRARIES[documents]
