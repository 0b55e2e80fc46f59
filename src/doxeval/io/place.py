"""Where chunks stand in the documents.

A chunk is put where its metadata says, if the document's text there is the chunk's. Otherwise its text is
looked for: as it is, and where it does not occur so, with any white space matching any other. A chunk that
occurs in several places is put at the first and told; one that occurs nowhere stays in the list as so much
irrelevant text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from doxeval.core.notices import EXAMPLES_KEPT, Notices
from doxeval.io.placing.library import library_of
from doxeval.tables.documents import Documents

NOWHERE = "(not among the documents)"
SHOWN = 40

ELSEWHERE = "are from documents that are not among those given"
MISPLACED = "do not stand where their metadata says; they were looked for"
REPEATED = "occur several times; the first place is used"
MISSING = "were not found in their document and count as irrelevant"
MISSING_ANYWHERE = "were not found in any document and count as irrelevant"
LOST = (ELSEWHERE, MISSING, MISSING_ANYWHERE)
"""What makes a chunk count for nothing, whatever it holds."""


@dataclass(frozen=True)
class Chunk:
    """One retrieved piece: `names` are what its document may be called, -1 stands for an unknown place."""

    text: str
    names: tuple[str, ...] = ()
    start: int = -1
    end: int = -1
    score: float | None = None


def place_chunks(
    chunks: Sequence[Chunk], where: Sequence[str], documents: Documents, notices: Notices, run: str
) -> list[dict[str, Any]]:
    """The columns `doc` and `spans` of each chunk of a run; `where` says in words which one it is."""
    placing = _Placing(chunks, documents)
    rows = [placing.place(chunk, place) for chunk, place in zip(chunks, where, strict=True)]
    placing.tell(notices, run)
    return rows


class _Placing:
    """Finds the chunks of one run in a collection, and remembers what is not clear."""

    def __init__(self, chunks: Sequence[Chunk], documents: Documents) -> None:
        self.documents = documents
        self.library = library_of(documents)
        self.total = len(chunks)
        self.unclear: dict[str, list[str]] = {}
        names = list(dict.fromkeys(name for chunk in chunks for name in chunk.names))
        found = documents.catalogue.find(names)
        own = np.ones(len(names), dtype=bool)
        own[found.renamed] = False
        self.doubtful = found.doubtful
        self.code = dict(zip(names, found.codes.tolist(), strict=True))
        self.own = {name for name, is_own in zip(names, own, strict=True) if is_own}

    def document(self, chunk: Chunk) -> int:
        """The document a chunk names: by the first name that is its own, else by the first that is known."""
        known = [name for name in chunk.names if self.code[name] >= 0]
        best = next((name for name in known if name in self.own), known[0] if known else None)
        return -1 if best is None else self.code[best]

    def place(self, chunk: Chunk, where: str) -> dict[str, Any]:
        """The columns of a result: `doc` and `spans`."""
        doc = self.document(chunk)
        if doc < 0 and chunk.names:
            return self._nowhere(chunk, ELSEWHERE, where, chunk.names[0])
        if doc >= 0 and chunk.start >= 0:
            if _same(self.library.index(doc).text[chunk.start : chunk.end], chunk.text):
                return self._at(doc, chunk.start, chunk.end)
            self._note(MISPLACED, where, chunk.text)
        docs = self.library.holders(chunk.text)[0] if doc < 0 else (doc,)
        found = [(one, place) for one in docs for place in self.library.index(one).places(chunk.text)[1]]
        if not found:
            return self._nowhere(chunk, MISSING_ANYWHERE if doc < 0 else MISSING, where, chunk.text)
        if len(found) > 1:
            self._note(REPEATED, where, chunk.text)
        doc, place = found[0]
        return self._at(doc, *place)

    def _at(self, doc: int, start: int, end: int) -> dict[str, Any]:
        return {"doc": self.documents.ids[doc], "spans": [[start, min(end, int(self.documents.length[doc]))]]}

    def _nowhere(self, chunk: Chunk, why: str, where: str, text: str) -> dict[str, Any]:
        """A result as long as the chunk, in no document of the collection."""
        self._note(why, where, text)
        length = len(chunk.text) or max(0, chunk.end - chunk.start)
        return {"doc": NOWHERE, "spans": [[0, length]] if length else []}

    def _note(self, what: str, where: str, text: str) -> None:
        shown = text if len(text) <= SHOWN else text[:SHOWN] + "..."
        self.unclear.setdefault(what, []).append(f"{where}: {shown!r}")

    def tell(self, notices: Notices, run: str) -> None:
        """Tell what was not clear, and how much of the run it is."""
        for what, places in self.unclear.items():
            share = len(places) / self.total
            notices.add(
                f"{run}: {{count}} of {self.total:,} chunks ({share:.1%}) {what}",
                *(self.doubtful if what == ELSEWHERE else ()),
                *places[:EXAMPLES_KEPT],
                count=len(places),
                lasting=what in LOST,
            )


def _same(text: str, chunk: str) -> bool:
    """Whether a stretch of a document is a chunk's text, white space aside; chunks may come without text."""
    return not chunk or text == chunk or text.split() == chunk.split()
