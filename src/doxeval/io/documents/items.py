"""Documents given as items in reading order: each is a line of the text, and headings open sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from doxeval.core.values import shown
from doxeval.io.documents.limits import Limits
from doxeval.io.documents.outline import SECTION
from doxeval.io.documents.tree import ROOT, Events, Refused, TagCodes, Tree

ODD_ITEM = "documents with items that do not fit their format"


@dataclass(frozen=True)
class Item:
    """One item: `depth` counts the items around it; `heading` is its level, 0 for other items.

    `provenance` is the tool's record of where the item is on its pages.
    """

    tag: str
    text: str
    depth: int = 0
    heading: int = 0
    name: str = ""
    provenance: Any = None


def string_in(found: Any, key: str) -> str:
    """The string under a key of an object, empty if there is none."""
    value = _under(found, key)
    if not isinstance(value, str | None):
        raise Refused(ODD_ITEM, f"expected a string as {key!r}, found {shown(value)}")
    return value or ""


def whole_in(found: Any, key: str, otherwise: int) -> int:
    """The level under a key of an object, or a default."""
    value = _under(found, key)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise Refused(ODD_ITEM, f"expected a whole number of at least 0 as {key!r}, found {shown(value)}")
    return value or otherwise


def _under(found: Any, key: str) -> Any:
    if not isinstance(found, dict):
        raise Refused(ODD_ITEM, f"expected an object with {key!r}, found {shown(found)}")
    return found.get(key)


def tree_of_items(items: Sequence[Item], tags: TagCodes, limits: Limits) -> Tree:
    """The tree: sections nest by heading level, items by depth; lines are joined by newlines."""
    if not any(item.text for item in items):
        raise Refused("a document without any text")
    found = Events(tags)
    found.begin(ROOT)
    names = [""]
    sections: list[int] = []
    open_items: list[int] = []
    for item in items:
        while open_items and open_items[-1] >= item.depth:
            open_items.pop()
            found.end()
        if item.heading:
            while sections and sections[-1] >= item.heading:
                sections.pop()
                found.end()
        if item.text and found.last():
            found.text("\n")
        if item.heading:
            sections.append(item.heading)
            found.begin(SECTION)
            names.append("")
        found.begin(item.tag)
        names.append(item.name)
        open_items.append(item.depth)
        if item.text:
            found.text(item.text)
    for _ in range(len(open_items) + len(sections) + 1):
        found.end()
    tree = found.tree(limits)
    tree.node_ids = names if any(names) else None
    return tree
