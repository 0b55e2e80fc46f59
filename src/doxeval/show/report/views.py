"""Data of the document view: the documents of each topic, their relevant text, and what each run did."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from doxeval.ground.ground import Ground
from doxeval.show.report.embedded import Embedded, look_within, shown_tree

if TYPE_CHECKING:
    from doxeval.show.report.retrieved import InDocument
    from doxeval.show.report.topics_shown import Chosen
    from doxeval.tables.documents import Documents

LEVEL = 4
LAST_BLOCK = b"\x03\x00"
"""The end of a deflated stream, at the border of a byte."""


class Packed:
    """Lines of JSON in one deflated stream; each ends at a byte, so that its size is known at once."""

    def __init__(self) -> None:
        self._stream = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        self._parts: list[bytes] = []
        self._bytes = len(LAST_BLOCK)

    @property
    def size(self) -> int:
        """The number of bytes that it takes in the page."""
        return _encoded(self._bytes)

    def add(self, line: Any, limit: int | None = None) -> bool:
        """Add a line, unless all lines would then take more bytes of the page than the limit."""
        return self.add_json(_json(line), limit)

    def add_json(self, line: bytes, limit: int | None) -> bool:
        """The same of a line that is JSON already."""
        raw = line + b"\n"
        unsure = limit is not None and _encoded(self._bytes + len(raw)) > limit
        stream = self._stream.copy() if unsure else self._stream
        part = stream.compress(raw) + stream.flush(zlib.Z_SYNC_FLUSH)
        if unsure and limit is not None and _encoded(self._bytes + len(part)) > limit:
            return False
        self._stream = stream
        self._parts.append(part)
        self._bytes += len(part)
        return True

    def text(self) -> str:
        """The stream as the page holds it: raw deflate in base64.

        >>> packed = Packed()
        >>> packed.add({"name": "</script>"})
        True
        >>> zlib.decompress(base64.b64decode(packed.text()), -zlib.MAX_WBITS)
        b'{"name":"</script>"}\\n'
        """
        return base64.b64encode(b"".join([*self._parts, LAST_BLOCK])).decode()


def _encoded(size: int) -> int:
    return -(-size // 3) * 4


def _json(thing: Any) -> bytes:
    return json.dumps(thing, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


LAST = 1 << 30
AT_ONCE = 64
"""The number of documents of topics whose places are packed together, as long as there is room."""


@dataclass(frozen=True)
class Contained:
    """The packed documents of a report, how many bytes are their text, and how much was left out."""

    packed: str
    text: int
    unfollowed: int
    unopened: int
    without_text: int


@dataclass(eq=False)
class Gathering:
    """A document of a topic while all runs are asked about it, in the order in which the page takes it."""

    relevant: list[list[int]] = field(default_factory=list)
    bep: int = -1
    results: list[list[Any]] = field(default_factory=list)
    near: list[list[Any]] = field(default_factory=list)
    path: list[list[int]] = field(default_factory=list)
    opened: list[list[int]] = field(default_factory=list)

    def add(self, number: int, place: InDocument) -> None:
        """Add what a run did there."""
        self.results += [[number, *result] for result in place.results]
        self.opened.append([number, place.opened])
        self.near += [[number, *near] for near in place.near]
        if place.path is not None:
            self.path.append([number, *place.path])


class View(NamedTuple):
    """A document of a topic, `gathered` as JSON, which takes a tenth of the memory, and its `best` rank."""

    gathered: bytes
    relevant: bool
    best: int

    @classmethod
    def of(cls, one: Gathering) -> View:
        """The view of what was gathered."""
        best = min((result[1] for result in one.results), default=LAST)
        return cls(_json(list(vars(one).values()))[1:-1], bool(one.relevant), best)

    @property
    def priority(self) -> tuple[int, bool, int]:
        """The order of views: those with relevant text and high ranks first."""
        return (self.best == LAST) + (not self.relevant), not self.relevant, self.best

    @property
    def places(self) -> tuple[list[list[int]], list[list[int]]]:
        """The relevant ranges, and those that results show."""
        relevant, _, results, *_ = json.loads(b"[%b]" % self.gathered)
        return relevant, [span for result in results for span in result[2]]


@dataclass(eq=False)
class Views:
    """The documents of every topic shown, gathered topic by topic."""

    ground: Ground
    topics: Chosen
    docs: dict[str, int] = field(default_factory=dict)
    lengths: list[int] = field(default_factory=list)
    views: dict[tuple[int, int], View] = field(default_factory=dict)
    trajectories: list[dict[str, Any]] = field(default_factory=list)

    def doc(self, name: str, length: int) -> int:
        """The number of a document in the report."""
        number = self.docs.setdefault(name, len(self.docs))
        if number == len(self.lengths):
            self.lengths.append(length)
        self.lengths[number] = max(self.lengths[number], length)
        return number

    def add_topic(self, topic: int, found: Iterable[Iterable[InDocument]]) -> None:
        """Add every document in which something is relevant, and what each run did in documents."""
        gathered: dict[int, Gathering] = {}
        self._add_relevant(int(self.topics.rows[topic]), gathered)
        for number, of_run in enumerate(found):
            for place in of_run:
                gathered.setdefault(self.doc(place.doc, place.length), Gathering()).add(number, place)
        self.views |= {(topic, doc): View.of(one) for doc, one in gathered.items()}

    def _add_relevant(self, topic: int, gathered: dict[int, Gathering]) -> None:
        ground = self.ground
        _, start, end = ground.relevant
        for pair in range(*ground.assessments.pair_offset[topic : topic + 2].tolist()):
            if ground.pair_relevant[pair] > 0:
                code = ground.assessments.pair_doc[pair]
                rows = ground.relevant_by_pair.slice(pair)
                length = max(int(ground.length[code]), int(end[rows].max()))
                spans = zip(start[rows].tolist(), end[rows].tolist(), strict=True)
                gathered[self.doc(ground.assessments.docs[code], length)] = Gathering(
                    list(map(list, spans)), int(ground.assessments.bep[pair])
                )

    def add_trajectory(self, number: int, pages: Iterable[dict[str, Any]]) -> None:
        """Add what the steps of a run did for each topic."""
        self.trajectories += [{"run": number, **page} for page in pages]

    def listed(self) -> list[list[tuple[int, int]]]:
        """The documents of each topic as keys of `views`, those with relevant text and high ranks first."""
        found: list[list[tuple[int, int]]] = [[] for _ in self.topics.rows]
        for key in self.views:
            found[key[0]].append(key)
        for keys in found:
            keys.sort(key=lambda key: self.views[key].priority)
        return found

    def counts(self) -> list[list[int]]:
        """The documents of each topic with a view, and those with relevant text, before any is cut."""
        rows = [[self.views[key] for key in keys] for keys in self.listed()]
        return [[len(views), sum(view.relevant for view in views)] for views in rows]

    def pack(self, source: Documents | None, size: int) -> Contained:
        """Pack what fits into this many bytes: trajectories, places in documents, then their trees and text.

        Trajectories may take a third of them and, if there is text, these and places half. Every topic gets
        its first documents before any gets more, and relevant documents get their text first.
        """
        packed = Packed()
        followed = [packed.add({"trajectory": one}, size // 3) for one in self._in_turn()]
        used = self._pack_places(
            packed, size if source is None or source.in_characters.text is None else size // 2
        )
        names = list(self.docs)
        length = self._lengths(source, names)
        packed.add({"docs": [[names[doc], length[doc]] for doc in used]})
        before = packed.size
        missing = self._pack_texts(packed, source, used, size) if source is not None else 0
        dropped = len(self.views) - sum(map(len, used.values()))
        return Contained(packed.text(), packed.size - before, followed.count(False), dropped, missing)

    def _in_turn(self) -> list[dict[str, Any]]:
        """The trajectories, those of all runs for a topic before any for the next."""
        return sorted(self.trajectories, key=lambda one: (one["topic"], one["run"]))

    def _pack_places(self, packed: Packed, limit: int) -> dict[int, list[int]]:
        """Pack places; return the documents that can be opened, sorted by number, and their topics."""
        turns = sorted((place, key) for keys in self.listed() for place, key in enumerate(keys))
        used: dict[int, list[int]] = {}
        first, step = 0, AT_ONCE
        while first < len(turns):
            keys = [key for _, key in turns[first : first + step]]
            number = dict(zip(dict.fromkeys([*used, *(doc for _, doc in keys)]), count(), strict=False))
            rows = [b"[%d,%d,%b]" % (key[0], number[key[1]], self.views[key].gathered) for key in keys]
            if packed.add_json(b'{"views":[%b]}' % b",".join(rows), limit):
                first += step
                for topic, doc in keys:
                    used.setdefault(doc, []).append(topic)
            elif step == 1:
                break
            else:
                step = 1
        return used

    def _lengths(self, source: Documents | None, names: list[str]) -> list[int]:
        if source is None:
            return self.lengths
        codes = source.codes(names)
        return np.where(codes >= 0, source.length[codes], self.lengths).tolist()

    def _pack_texts(self, packed: Packed, source: Documents, used: dict[int, list[int]], limit: int) -> int:
        """Pack trees and text of the documents that can be opened; return how many there was no room for."""
        codes, missing, texts = source.codes(list(self.docs)).tolist(), 0, Embedded(source)
        known = [(number, doc) for number, doc in enumerate(used) if codes[doc] >= 0]
        views = {doc: [self.views[topic, doc] for topic in topics] for doc, topics in used.items()}
        for number, doc in sorted(known, key=lambda one: not any(view.relevant for view in views[one[1]])):
            relevant, shown = zip(*(view.places for view in views[doc]), strict=True)
            places = [span for spans in (*relevant, *shown) for span in spans]
            look = texts.look(codes[doc])
            text = texts.segments(codes[doc], places, look)
            line = [number, text, shown_tree(source, codes[doc]), look_within(look, text)]
            missing += not packed.add({"text": line}, limit)
        return missing
