"""Documents that come as items in reading order: each a line of the text, headings open sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from doxeval.io.documents.limits import Limits
from doxeval.io.documents.outline import SECTION
from doxeval.io.documents.tree import ROOT, Events, Refused, TagCodes, Tree


@dataclass(frozen=True)
class Item:
    """One item: `depth` counts the items around it; `heading` is its level, 0 where it is none.

    `provenance` is what a tool says of where the item stands on its pages.
    """

    tag: str
    text: str
    depth: int = 0
    heading: int = 0
    provenance: Any = None


def tree_of_items(items: Sequence[Item], tags: TagCodes, limits: Limits) -> Tree:
    """Sections nest by the levels of their headings, items by their depth; lines are joined by newlines."""
    if not any(item.text for item in items):
        raise Refused("a document without any text")
    found = Events(tags)
    found.open(ROOT)
    sections: list[int] = []
    open_items: list[int] = []
    for item in items:
        while open_items and open_items[-1] >= item.depth:
            open_items.pop()
            found.close()
        if item.heading:
            while sections and sections[-1] >= item.heading:
                sections.pop()
                found.close()
        if item.text and found.pieces:
            found.pieces.append("\n")
        if item.heading:
            sections.append(item.heading)
            found.open(SECTION)
        found.open(item.tag)
        open_items.append(item.depth)
        if item.text:
            found.pieces.append(item.text)
    for _ in range(len(open_items) + len(sections) + 1):
        found.close()
    return found.tree(limits)
