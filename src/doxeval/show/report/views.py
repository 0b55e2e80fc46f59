"""What the document view shows: per topic the documents, what is relevant in them, and what each run did.

Only text that was assessed as relevant or retrieved is embedded: short documents whole, of long ones the
surroundings of such places.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.ground.ground import Ground
from doxeval.kernels.stretches import merge_ranges

if TYPE_CHECKING:
    from doxeval.show.report.retrieved import InDocument
    from doxeval.tables.documents import Documents

WHOLE_UP_TO = 30_000
"""Documents of at most this many characters are embedded whole."""

AROUND = 1_500
"""Characters kept on either side of a place in longer documents."""

PARTS = ("relevant", "bep", "results", "near", "path")
LAST = 1 << 30
MOST_NODES = 600


@dataclass(eq=False)
class Views:
    """The documents of every topic, gathered run by run."""

    ground: Ground
    docs: dict[str, int] = field(default_factory=dict)
    lengths: list[int] = field(default_factory=list)
    views: dict[tuple[int, int], dict[str, Any]] = field(default_factory=dict)

    def doc(self, name: str, length: int) -> int:
        """The number of a document in the report."""
        number = self.docs.setdefault(name, len(self.docs))
        if number == len(self.lengths):
            self.lengths.append(length)
        self.lengths[number] = max(self.lengths[number], length)
        return number

    def view(self, topic: int, doc: int) -> dict[str, Any]:
        """What is known of a document under a topic."""
        return self.views.setdefault(
            (topic, doc), {"relevant": [], "bep": -1, "results": [], "near": [], "path": []}
        )

    def add_relevant(self) -> None:
        """Every document in which something is relevant."""
        ground = self.ground
        _, start, end = ground.relevant
        topic_of = ground.assessments.pair_topic
        for pair in np.flatnonzero(ground.pair_relevant > 0).tolist():
            code = ground.assessments.pair_doc[pair]
            rows = ground.relevant_by_pair.slice(pair)
            length = max(int(ground.length[code]), int(end[rows].max()))
            view = self.view(int(topic_of[pair]), self.doc(ground.assessments.docs[code], length))
            view["relevant"] = [
                list(span) for span in zip(start[rows].tolist(), end[rows].tolist(), strict=True)
            ]
            view["bep"] = int(ground.assessments.bep[pair])

    def add_run(self, number: int, found: Iterable[InDocument]) -> None:
        """What a run did in documents."""
        for place in found:
            view = self.view(place.topic, self.doc(place.doc, place.length))
            view["results"] += [[number, *result] for result in place.results]
            view["near"] += [[number, *near] for near in place.near]
            if place.path is not None:
                view["path"].append([number, *place.path])

    def listed(self) -> list[list[tuple[int, int]]]:
        """Per topic its documents, those with relevant text and high ranks first: keys of `views`."""
        found: list[list[tuple[int, int]]] = [[] for _ in self.ground.topics]
        for key in self.views:
            found[key[0]].append(key)
        for keys in found:
            keys.sort(key=self._priority)
        return found

    def _priority(self, key: tuple[int, int]) -> tuple[int, bool, int]:
        view = self.views[key]
        best = min((result[1] for result in view["results"]), default=LAST)
        return (best == LAST) + (not view["relevant"]), not view["relevant"], best

    def counts(self) -> list[list[int]]:
        """Per topic how many documents have a view, and how many of them relevant text, before any is cut."""
        rows = [[self.views[key] for key in keys] for keys in self.listed()]
        return [[len(views), sum(bool(view["relevant"]) for view in views)] for views in rows]

    def trim(self, budget: int) -> int:
        """Leave documents out, the last of every topic first, until all take so many bytes; how many went."""
        turns = sorted((place, key) for keys in self.listed() for place, key in enumerate(keys))
        kept: dict[tuple[int, int], dict[str, Any]] = {}
        for _, key in turns:
            budget -= len(json.dumps(_row(0, self.views[key]), separators=(",", ":")))
            if budget < 0:
                break
            kept[key] = self.views[key]
        dropped = len(self.views) - len(kept)
        if dropped:
            names = list(self.docs)
            used = sorted({doc for _, doc in kept})
            number = {doc: at for at, doc in enumerate(used)}
            self.docs = {names[doc]: at for at, doc in enumerate(used)}
            self.lengths = [self.lengths[doc] for doc in used]
            self.views = {(topic, number[doc]): view for (topic, doc), view in kept.items()}
        return dropped

    def topics(self) -> list[list[list[Any]]]:
        """Per topic its documents as rows: the document's number, then :data:`PARTS`."""
        return [[_row(key[1], self.views[key]) for key in keys] for keys in self.listed()]

    def documents(self, source: Documents | None, text_limit: int) -> tuple[list[dict[str, Any]], int]:
        """The documents with their trees and text, and how many had to go without text."""
        places: dict[int, list[list[int]]] = {}
        relevant: set[int] = set()
        for (_, doc), view in self.views.items():
            spans = [span for result in view["results"] for span in result[2]]
            places.setdefault(doc, []).extend([*view["relevant"], *spans])
            relevant |= {doc} if view["relevant"] else set()
        codes = np.full(len(self.docs), -1) if source is None else source.codes(list(self.docs))
        found: list[dict[str, Any]] = [
            {"name": name, "length": self.lengths[number], "text": [], "tree": None}
            for name, number in self.docs.items()
        ]
        left, without = text_limit, 0
        for number in sorted(range(len(found)), key=lambda number: number not in relevant):
            code = int(codes[number])
            if source is None or code < 0:
                continue
            found[number]["length"] = int(source.length[code])
            found[number]["tree"] = _tree(source, code)
            segments = _segments(source, code, places.get(number, []))
            size = sum(len(text.encode()) for _, text in segments)
            if size > left:
                without += 1
                continue
            left -= size
            found[number]["text"] = segments
        return found, without


def _row(doc: int, view: dict[str, Any]) -> list[Any]:
    return [doc, *(view[name] for name in PARTS)]


def _segments(source: Documents, code: int, places: list[list[int]]) -> list[list[Any]]:
    """The text to embed, as `[start, text]`."""
    if source.text is None:
        return []
    text = source.text[code]
    if len(text) <= WHOLE_UP_TO:
        return [[0, text]] if text else []
    start = np.array([max(0, first - AROUND) for first, _ in places], dtype=np.int64)
    end = np.array([min(len(text), last + AROUND) for _, last in places], dtype=np.int64)
    order = np.argsort(start, kind="stable")
    _, start, end = merge_ranges(np.array([0, len(start)], dtype=np.int64), start[order], end[order], True)
    return [[first, text[first:last]] for first, last in zip(start.tolist(), end.tolist(), strict=True)]


def _tree(source: Documents, code: int) -> dict[str, Any]:
    """The upper part of a document's tree, as columns; nodes deeper than fits are left out."""
    rows = slice(source.node_offset[code], source.node_offset[code + 1])
    depth = source.depth[rows]
    deepest = int(depth.max())
    while deepest > 1 and int((depth <= deepest).sum()) > MOST_NODES:
        deepest -= 1
    kept = np.flatnonzero(depth <= deepest)[:MOST_NODES]
    tags, tag = np.unique(source.tag[rows][kept], return_inverse=True)
    return {
        "tags": [source.tags[one] for one in tags],
        "tag": tag.tolist(),
        "depth": depth[kept].tolist(),
        "start": source.start[rows][kept].tolist(),
        "end": source.end[rows][kept].tolist(),
    }
