"""An assessor's desk: the documents of a pool with their texts, the questions, and the page."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from doxeval import Documents, InputError, Topics
from doxeval.core.errors import nearest
from doxeval.core.phrases import counted
from doxeval.io.placing.library import fingerprint
from doxeval.judging.pool_file import Pool
from doxeval.show.colours import colours
from doxeval.show.page import html_page

ASSETS = Path(__file__).parent / "assets"
SCRIPTS = "text judgement keeping desk reading toolbar aside main"
NEEDS = "needs"
"""The attribute of a topic that names the needs its answers may meet, joined by commas."""


@dataclass(frozen=True)
class Desk:
    """A pool with what an assessor sees: texts by document, `queries` and `needs` of each topic.

    `grades` is the highest grade, `symbols` the classes and functions of documents that are source code.
    """

    pool: Pool
    texts: dict[str, str]
    queries: dict[str, str]
    needs: dict[str, list[str]]
    grades: int = 1
    symbols: dict[str, list[tuple[str, int, int]]] = field(default_factory=dict)

    def shown(self, doc: str) -> dict[str, Any]:
        """How a document that is source code is shown: its colours, its classes and functions."""
        if doc not in self.symbols:
            return {}
        return {"colours": colours(self.texts[doc], doc), "symbols": self.symbols[doc]}

    @cached_property
    def documents(self) -> dict[str, tuple[int, str]]:
        """The length and the fingerprint of each document."""
        return {doc: (len(text), fingerprint(text)) for doc, text in self.texts.items()}

    @cached_property
    def key(self) -> str:
        """A digest of the pool and its texts, by which a page that is opened again finds its judgements."""
        pairs = [(one.topic, one.doc, one.passages) for one in self.pool.documents]
        content = json.dumps([pairs, self.documents], sort_keys=True)
        return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()

    def page(self, assessor: str, offline: bool = False) -> str:
        """The page for one assessor; an `offline` page contains the texts as well."""
        doc = {name: at for at, name in enumerate(self.texts)}
        topic = {name: at for at, name in enumerate(self.queries)}
        data = {
            "assessor": assessor, "key": self.key, "grades": self.grades, "docs": list(doc),
            "topics": [[name, query, self.needs[name]] for name, query in self.queries.items()],
            "pairs": [
                [topic[one.topic], doc[one.doc], one.passages, one.judged] for one in self.pool.documents
            ],
        }  # fmt: skip
        if offline:
            data |= {"texts": list(self.texts.values()), "shown": [self.shown(name) for name in self.texts],
                     "known": self.documents, "queries": self.queries}  # fmt: skip
        return html_page("doxeval judge", data, ASSETS, "judge", SCRIPTS, "" if offline else "'self'")


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
    texts = {name: documents.text[code] for name, code in codes.items()}
    _check_texts(pool, texts)
    queries = {one.topic: one.query for one in pool.documents if one.query} | topics.queries
    asked = {topic: _needs(topics.attributes.get(topic, {}), needs) for topic in dict.fromkeys(
        one.topic for one in pool.documents)}  # fmt: skip
    symbols = {name: documents.symbols(code) for name, code in codes.items() if documents.is_source(code)}
    return Desk(pool, texts, {topic: queries.get(topic, "") for topic in asked}, asked, grades, symbols)


def _check_texts(pool: Pool, texts: Mapping[str, str]) -> None:
    """Refuse a document that is not the one that was pooled: its passages would be elsewhere."""
    marks = {doc: fingerprint(text) for doc, text in texts.items()}
    for one in pool.documents:
        end = max((end for _, end in (*one.passages, *one.judged)), default=0)
        changed = one.fingerprint and one.fingerprint != marks[one.doc]
        if changed or end > len(texts[one.doc]):
            raise InputError(
                f"document {one.doc!r} is not the one that was pooled; give the documents of the pool, or "
                "pool again"
            )


def _needs(attributes: Mapping[str, Any], always: Sequence[str]) -> list[str]:
    told = (need.strip() for need in str(attributes.get(NEEDS, "")).split(","))
    return list(dict.fromkeys([*filter(None, told), *always]))
