"""Where chunks stand in the documents.

A chunk is put where its metadata says, if the document's text there is the chunk's. Otherwise its text is
looked for: as it is, and where it does not occur so, with any white space matching any other. A chunk that
occurs in several places is put at the first and told; one that occurs nowhere stays in the list as so much
irrelevant text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePath
from typing import Any

from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.io.locate import locate
from doxeval.tables.documents import Documents

NOWHERE = "(not among the documents)"
SHOWN = 40
TEXTS_AT_HAND = 64


@dataclass(frozen=True)
class Chunk:
    """One retrieved piece: `names` are what its document may be called, -1 stands for an unknown place."""

    text: str
    names: tuple[str, ...] = ()
    start: int = -1
    end: int = -1
    score: float | None = None


class Places:
    """Finds chunks in a collection, and notices what is not clear."""

    def __init__(self, documents: Documents, notices: Notices) -> None:
        if documents.text is None:
            raise UsageError("chunks are looked for in the documents' text; give documents with their text")
        self.documents = documents
        self.notices = notices
        self.text = lru_cache(maxsize=TEXTS_AT_HAND)(documents.text.__getitem__)
        self._by_ending: dict[str, int] = {}
        for number, name in enumerate(documents.ids):
            for ending in _endings(name):
                self._by_ending[ending] = -1 if ending in self._by_ending else number

    def document(self, chunk: Chunk) -> int:
        """The document a chunk names: by its id, its path, or the end of its path; -1 where it names none."""
        for name in chunk.names:
            code = int(self.documents.codes([name])[0])
            if code >= 0:
                return code
        for name in chunk.names:
            for ending in _endings(name):
                if self._by_ending.get(ending, -1) >= 0:
                    return self._by_ending[ending]
        return -1

    def find(self, chunk: Chunk, where: str) -> dict[str, Any]:
        """The columns of a result: `doc` and `spans`."""
        doc = self.document(chunk)
        if doc < 0 and chunk.names:
            self._tell(
                "{count} chunks are from documents that are not among those given", where, chunk.names[0]
            )
            return _elsewhere(chunk)
        if doc < 0:
            return self._anywhere(chunk, where)
        text = self.text(doc)
        if chunk.start >= 0 and _same(text[chunk.start : chunk.end], chunk.text):
            return self._at(doc, chunk.start, chunk.end)
        if chunk.start >= 0:
            self._tell(
                "{count} chunks do not stand where their metadata says; they were looked for",
                where,
                chunk.text,
            )
        places = locate(text, chunk.text)
        if len(places) > 1:
            self._tell(
                "{count} chunks occur several times in their document; the first is used", where, chunk.text
            )
        if not places:
            self._tell(
                "{count} chunks were not found in their document and count as irrelevant", where, chunk.text
            )
            return _elsewhere(chunk)
        return self._at(doc, *places[0])

    def _anywhere(self, chunk: Chunk, where: str) -> dict[str, Any]:
        """A chunk that names no document: looked for in all of them."""
        found = [
            (doc, place) for doc in range(len(self.documents)) for place in locate(self.text(doc), chunk.text)
        ]
        if not found:
            self._tell(
                "{count} chunks were not found in any document and count as irrelevant", where, chunk.text
            )
            return _elsewhere(chunk)
        if len(found) > 1:
            self._tell("{count} chunks occur in several places; the first is used", where, chunk.text)
        doc, place = found[0]
        return self._at(doc, *place)

    def _at(self, doc: int, start: int, end: int) -> dict[str, Any]:
        return {"doc": self.documents.ids[doc], "spans": [[start, min(end, int(self.documents.length[doc]))]]}

    def _tell(self, message: str, where: str, text: str) -> None:
        shown = text if len(text) <= SHOWN else text[:SHOWN] + "..."
        self.notices.add(message, f"{where}: {shown!r}")


def _elsewhere(chunk: Chunk) -> dict[str, Any]:
    """A result as long as the chunk, in no document of the collection."""
    length = len(chunk.text) or max(0, chunk.end - chunk.start)
    return {"doc": NOWHERE, "spans": [[0, length]] if length else []}


def _same(text: str, chunk: str) -> bool:
    """Whether a stretch of a document is a chunk's text, white space aside; chunks may come without text."""
    return not chunk or text == chunk or text.split() == chunk.split()


def _endings(name: str) -> list[str]:
    """A path and its endings, with and without the suffix: `a/b.md`, `a/b`, `b.md`, `b`."""
    parts = PurePath(name.replace("\\", "/")).parts
    tails = ["/".join(parts[at:]) for at in range(len(parts))]
    return [form for tail in tails for form in dict.fromkeys((tail, str(PurePath(tail).with_suffix(""))))]
