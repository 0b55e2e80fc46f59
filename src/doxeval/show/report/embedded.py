"""Text of documents as the report embeds it, with its look and its tree.

Only text that was assessed as relevant or retrieved is embedded: short documents as a whole, long ones
around such places, or the pages that these are on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.kernels.stretches import merge_ranges
from doxeval.show.colours import colours
from doxeval.show.paged import paged
from doxeval.show.rendering import rendering
from doxeval.tables.line_map import line_ends, lines_touched
from doxeval.tables.places import CHARACTERS, LINES

if TYPE_CHECKING:
    from doxeval.tables.documents import Documents

WHOLE_UP_TO = 30_000
"""Documents of at most this many characters are embedded whole."""

AROUND, LINES_AROUND = 1_500, 40
"""Characters, or lines of source code, kept on either side of a place in longer documents."""

COLOURED = 1_000_000
"""Characters of source code in a report that get colours, which take a few seconds."""

LAID_OUT = 1_000
"""Pages of files in a report that are laid out, which takes a few seconds; further files are plain text."""

MOST_NODES = 600


class Embedded:
    """The text of documents as the page embeds it, and its look; colours and layout are for the first ones.

    Segments are `[start, text]`, `start` in the unit of the documents; numbered ones `[start, text, number of
    the first line, colours]`.
    """

    def __init__(self, source: Documents) -> None:
        self.source = source
        self.coloured = 0
        self.pages = 0

    def look(self, code: int) -> dict[str, Any]:
        """The look of a document: its pages, or its blocks; empty if it is shown as it is."""
        if self.source.unit != CHARACTERS or self.source.text is None:
            return {}
        found = paged(self.source, code) if self.pages < LAID_OUT else {}
        self.pages += len(found.get("pages", []))
        return found or rendering(self.source, code)

    def segments(self, code: int, places: list[list[int]], look: dict[str, Any]) -> list[list[Any]]:
        """The text of a document to embed: all of it or, if it is long, around places or on their pages."""
        texts = self.source.in_characters.text
        if texts is None or not texts[code]:
            return []
        text, is_code = texts[code], self.source.is_source(code)
        if is_code or self.source.unit == LINES:
            return self._numbered(text, self.source.ids[code] if is_code else "", places)
        if len(text) <= WHOLE_UP_TO:
            return [[0, text]]
        if look.get("pages"):
            places = whole_pages(places, [page[-1] for page in look["pages"]], len(text))
        reach = 0 if look.get("pages") else AROUND
        return [[first, text[first:last]] for first, last in _around(places, reach, len(text))]

    def _numbered(self, text: str, name: str, places: list[list[int]]) -> list[list[Any]]:
        """Segments of whole lines; `name` is that of source code."""
        ends = line_ends(text)
        bounds = np.append(0, ends)
        spans = np.array(places, dtype=np.int64).reshape(-1, 2)
        if self.source.unit != LINES:
            spans = np.stack(lines_touched(ends, spans[:, 0], spans[:, 1]), axis=1)
        whole = len(text) <= WHOLE_UP_TO
        windows = [(0, len(ends))] if whole else _around(spans.tolist(), LINES_AROUND, len(ends))
        found = []
        for first, last in windows:
            start, part = int(bounds[first]), text[bounds[first] : bounds[last]]
            shades = colours(part, name) if name and self.coloured < COLOURED else []
            self.coloured += len(part) if shades else 0
            found.append([first if self.source.unit == LINES else start, part, first + 1, shades])
        return found


def look_within(look: dict[str, Any], segments: list[list[Any]]) -> dict[str, Any]:
    """The part of a look that concerns the embedded text; numbered lines have none."""
    if any(len(part) > 2 for part in segments):
        return {}
    windows = [(part[0], part[0] + len(part[1])) for part in segments]
    return {
        kind: ranges
        if kind == "pages"
        else [one for one in ranges if any(one[0] < last and first < one[1] for first, last in windows)]
        for kind, ranges in look.items()
    }


def whole_pages(places: list[list[int]], starts: list[int], length: int) -> list[list[int]]:
    """Places widened to the pages that they are on, by where the text of each begins.

    >>> whole_pages([[3, 4], [9, 12]], [0, 5, 10], 15)
    [[0, 5], [5, 15]]
    """
    bounds = np.array([*starts, length])
    spans = np.array(places, dtype=np.int64).reshape(-1, 2)
    first = np.searchsorted(bounds, spans[:, 0], "right") - 1
    last = np.minimum(np.searchsorted(bounds, np.maximum(spans[:, 1], spans[:, 0] + 1)), len(starts))
    return np.stack([bounds[first], bounds[last]], axis=1).tolist()


def _around(places: list[list[int]], reach: int, length: int) -> list[tuple[int, int]]:
    """The ranges within reach of some places, joined where they meet."""
    spans = [(first, last) for first, last in places if first < length]
    start = np.array([max(0, first - reach) for first, _ in spans], dtype=np.int64)
    end = np.array([min(length, last + reach) for _, last in spans], dtype=np.int64)
    order = np.argsort(start, kind="stable")
    _, start, end = merge_ranges(np.array([0, len(start)], dtype=np.int64), start[order], end[order], True)
    return list(zip(start.tolist(), end.tolist(), strict=True))


def shown_tree(source: Documents, code: int) -> dict[str, Any]:
    """The upper part of a document's tree, as columns; deeper nodes that do not fit are left out."""
    rows = slice(source.node_offset[code], source.node_offset[code + 1])
    depth = source.depth[rows]
    deepest = int(depth.max())
    while deepest > 1 and int((depth <= deepest).sum()) > MOST_NODES:
        deepest -= 1
    kept = np.flatnonzero(depth <= deepest)[:MOST_NODES]
    tags, tag = np.unique(source.tag[rows][kept], return_inverse=True)
    ids = source.node_ids if source.is_source(code) else None
    return {
        "tags": [source.tags[one] for one in tags],
        "tag": tag.tolist(),
        "depth": depth[kept].tolist(),
        "start": source.start[rows][kept].tolist(),
        "end": source.end[rows][kept].tolist(),
        **({"name": [ids[int(rows.start + at)] for at in kept]} if ids is not None else {}),
    }
