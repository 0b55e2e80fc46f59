"""An assessor's desk: the documents of a pool with their texts, the questions, and the page."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from doxeval import Documents, InputError, Topics
from doxeval.core.errors import nearest
from doxeval.core.phrases import counted
from doxeval.core.strings import index_of
from doxeval.io.placing.library import fingerprint
from doxeval.judging.judging_progress import AssessorProgress, Pair
from doxeval.judging.pictures import picture
from doxeval.judging.pool_file import Pool
from doxeval.show.colours import colours
from doxeval.show.page import html_page
from doxeval.show.paged import paged, pdf_file
from doxeval.show.rendering import rendering

ASSETS = Path(__file__).parent / "assets"
SCRIPTS = (
    "text judgement keeping desk snapping borders suggestions rendering reading disputes standing toolbar "
    "aside main"
)
WINDOW = 100
"""Pairs of the pool that the page gets at a time."""
NEEDS = "needs"
"""The attribute of a topic that names the needs its answers may meet, joined by commas."""


@dataclass(frozen=True)
class Desk:
    """A pool with what an assessor sees: its documents, by their `codes` in the `library`, and the questions.

    `queries` and `needs` are those of each topic, `grades` is the highest grade.
    """

    pool: Pool
    library: Documents
    codes: dict[str, int]
    queries: dict[str, str]
    needs: dict[str, list[str]]
    grades: int = 1

    def text(self, doc: str) -> str:
        """The text of a document."""
        assert self.library.text is not None
        return self.library.text[self.codes[doc]]

    def opened(self, doc: str, pictures: bool = True) -> dict[str, Any]:
        """A document as the page shows it: its text, its nodes, how it looks, and what source code has.

        Without `pictures`, which the page fetches one by one, PDF files are shown as text.
        """
        code, text = self.codes[doc], self.text(doc)
        shown: dict[str, Any] = {"text": text, "nodes": self._nodes(code)}
        shown["rendering"] = (pictures and paged(self.library, code)) or rendering(self.library, code)
        if self.library.is_source(code):
            shown |= {"colours": colours(text, doc), "symbols": self.library.symbols(code)}
        return shown

    def picture(self, doc: str, number: int) -> bytes | None:
        """A page of a document as a picture, counted from 1; None if it has none."""
        path = pdf_file(self.library, self.codes[doc])
        return None if path is None else picture(path, number)

    def _nodes(self, code: int) -> list[int]:
        """Start and end of each node that holds text, one after the other."""
        rows = self.library.nodes.slice(code)
        extents = np.stack([self.library.start[rows], self.library.end[rows]], axis=1)
        return np.unique(extents[extents[:, 1] > extents[:, 0]], axis=0).ravel().tolist()

    @cached_property
    def documents(self) -> dict[str, tuple[int, str]]:
        """The length and the fingerprint of each document."""
        texts = ((doc, self.text(doc)) for doc in self.codes)
        return {doc: (len(text), fingerprint(text)) for doc, text in texts}

    @cached_property
    def key(self) -> str:
        """A digest of the pool and its texts, by which a page that is opened again finds its judgements."""
        digest = hashlib.blake2b(digest_size=8)
        for one in self.pool.documents:
            digest.update(repr((one.topic, one.doc, one.passages)).encode())
        digest.update(json.dumps(self.documents, sort_keys=True).encode())
        return digest.hexdigest()

    def prepare(self) -> None:
        """Find what every page needs, so that the first does not wait for it."""
        self.key, self.places, self.of_topic, self._numbers  # noqa: B018

    @cached_property
    def pairs(self) -> list[Pair]:
        """The topic and the document of each line of the pool."""
        return [(one.topic, one.doc) for one in self.pool.documents]

    @cached_property
    def places(self) -> dict[Pair, int]:
        """The place of each pair in the pool."""
        return {pair: at for at, pair in enumerate(self.pairs)}

    @cached_property
    def _numbers(self) -> tuple[dict[str, int], dict[str, int]]:
        return index_of(list(self.queries)), index_of(list(self.codes))

    @cached_property
    def of_topic(self) -> dict[str, list[int]]:
        """The pairs of each topic, by their places in the pool."""
        found: dict[str, list[int]] = {topic: [] for topic in self.queries}
        for at, (topic, _) in enumerate(self.pairs):
            found[topic].append(at)
        return found

    def siblings(self, number: int) -> list[tuple[int, str]]:
        """The pairs of a topic: place in the pool, and document."""
        places = self.of_topic[list(self.queries)[number]]
        return [(at, self.pairs[at][1]) for at in places]

    def window(self, at: int, progress: AssessorProgress | None = None, size: int = WINDOW) -> dict[str, Any]:
        """The part of the pool around a place: its pairs, their topics, and what was done to them so far."""
        first = at // size * size
        lines = self.pool.documents[first : first + size]
        topic, doc = self._numbers
        rows = [
            [topic[one.topic], doc[one.doc], one.doc, one.passages, one.judged, one.runs, one.suggested]
            for one in lines
        ]
        told = {
            topic[name]: [name, self.queries[name], self.needs[name], len(self.of_topic[name])]
            for name in dict.fromkeys(one.topic for one in lines)
        }
        acts = [] if progress is None else list(progress.of(self.pairs[first : first + size]))
        return {"first": first, "pairs": rows, "topics": told, "acts": acts}

    def page(self, assessor: str, progress: AssessorProgress | None = None) -> str:
        """The page for one assessor, at the first document not judged.

        A page without `progress` is used offline, and contains the pool and its texts.
        """
        firsts = [places[0] for places in self.of_topic.values()]
        data = {"assessor": assessor, "key": self.key, "grades": self.grades, "count": len(self.pool),
                "window": WINDOW, "firsts": firsts}  # fmt: skip
        if progress is None:
            opened = [self.opened(name, pictures=False) for name in self.codes]
            data |= {"part": self.window(0, None, len(self.pool)), "known": self.documents, "opened": opened,
                     "queries": self.queries,
                     "siblings": [self.siblings(at) for at in range(len(self.queries))]}  # fmt: skip
        else:
            states = progress.states(self.places)
            open_pairs = (at for at, pair in enumerate(self.pairs) if not progress.is_done(pair))
            data |= {"part": self.window(next(open_pairs, 0), progress), "states": states,
                     "last": progress.last, "spent": progress.spent, "rules": progress.rules}  # fmt: skip
        return html_page("doxeval judge", data, ASSETS, "judge", SCRIPTS, "'self'" if progress else "")


def desk_of(
    pool: Pool, documents: Documents, topics: Topics, grades: int = 1, needs: Sequence[str] = ()
) -> Desk:
    """A desk with the texts of a pool; a document that is missing, or not as it was pooled, is an error."""
    if not len(pool):
        raise InputError("the pool contains nothing to judge")
    if documents.text is None:
        raise InputError(f"{documents.source}: holds no texts; judging needs documents that can be read")
    names = list(dict.fromkeys(one.doc for one in pool.documents))
    codes = dict(zip(names, documents.catalogue.find(names).codes.tolist(), strict=True))
    missing = [name for name, code in codes.items() if code < 0]
    if missing:
        near = nearest(missing[0], documents.ids)
        raise InputError(
            f"{len(missing):,} of {counted(len(names), 'document')} of the pool not among those given; "
            f"{missing[0]!r} is the first{near}"
        )
    queries = {one.topic: one.query for one in pool.documents if one.query} | topics.queries
    asked = {topic: _needs(topics.attributes.get(topic, {}), needs) for topic in dict.fromkeys(
        one.topic for one in pool.documents)}  # fmt: skip
    wording = {topic: queries.get(topic, "") for topic in asked}
    desk = Desk(pool, documents.in_characters, codes, wording, asked, grades)
    _check_texts(pool, desk.documents)
    return desk


def _check_texts(pool: Pool, known: Mapping[str, tuple[int, str]]) -> None:
    """Refuse a document that is not the one that was pooled: its passages would be elsewhere."""
    for one in pool.documents:
        length, mark = known[one.doc]
        proposed = (row[1] for ranges in one.suggested.values() for row in ranges)
        end = max((*(end for _, end in (*one.passages, *one.judged)), *proposed), default=0)
        if (one.fingerprint and one.fingerprint != mark) or end > length:
            raise InputError(
                f"document {one.doc!r} is not the one that was pooled; give the documents of the pool, or "
                "pool again"
            )


def _needs(attributes: Mapping[str, Any], always: Sequence[str]) -> list[str]:
    told = (need.strip() for need in str(attributes.get(NEEDS, "")).split(","))
    return list(dict.fromkeys([*filter(None, told), *always]))
