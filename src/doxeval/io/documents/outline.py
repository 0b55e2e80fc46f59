"""Trees built from headings, from items in reading order, and from pages; shared by the parsers.

Sections nest by the level of their headings and contain blocks. Offsets of source text (Markdown, wiki text,
plain text) are those of the unchanged source; items, as other tools give them, become a line each. A page is
a node such as `page 12`; form feeds separate pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from doxeval.core.values import quoted
from doxeval.io.documents.tree import ROOT, Events, Refused, TagCodes, Tree, tree_of_nodes
from doxeval.io.limits import Limits

SECTION, HEADING, PARAGRAPH = "sec", "heading", "p"
PAGE, PAGE_BREAK = "page", "\f"
ODD_ITEM = "documents with items that do not fit their format"
LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")


def line_spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each line, including its line break."""
    for match in LINE.finditer(text):
        if match.end() > match.start():
            yield match.span()


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A range without the white space at its ends."""
    part = text[start:end]
    kept = part.strip()
    start += len(part) - len(part.lstrip()) if kept else 0
    return start, start + len(kept)


def paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """The extents of paragraphs, which are separated by blank lines; without white space at their ends."""
    first = None
    for start, end in [*line_spans(text), (len(text), len(text))]:
        blank = not text[start:end].strip()
        if not blank and first is None:
            first = start
        elif blank and first is not None:
            yield trimmed(text, first, start)
            first = None


class Outline:
    """The nodes of one text, added in document order."""

    def __init__(self, text: str, tags: TagCodes) -> None:
        self.text = text
        self.codes = tags
        self.parents = [-1]
        self.tags = [tags[ROOT]]
        self.starts = [0]
        self.ends = [len(text)]
        self.sections = [(0, 0)]

    def heading(self, level: int, start: int, end: int) -> None:
        """Add a heading: it ends the sections of its level and below, and begins one."""
        while self.sections[-1][0] >= level:
            self.sections.pop()
        section = self.block(SECTION, start, end)
        self.sections.append((level, section))
        self.block(HEADING, start, end)

    def block(self, tag: str, start: int, end: int, parent: int | None = None) -> int:
        """Add a node in `parent`, or in the open section; sections extend to their last block."""
        if parent is None:
            parent = self.sections[-1][1]
            for _, section in self.sections[1:]:
                self.ends[section] = end
        else:
            start = min(max(start, self.starts[parent]), self.ends[parent])
            end = max(start, min(end, self.ends[parent]))
        self.parents.append(parent)
        self.tags.append(self.codes[tag])
        self.starts.append(start)
        self.ends.append(end)
        return len(self.parents) - 1

    def tree(self, limits: Limits) -> Tree:
        """The finished tree."""
        tree = tree_of_nodes(self.parents, self.tags, self.starts, self.ends, len(self.text), limits)
        tree.text = self.text
        return tree


@dataclass(frozen=True)
class OutlineItem:
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
        raise Refused(ODD_ITEM, f"expected a string as {key!r}, found {quoted(value)}")
    return value or ""


def whole_in(found: Any, key: str, otherwise: int) -> int:
    """The level under a key of an object, or a default."""
    value = _under(found, key)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise Refused(ODD_ITEM, f"expected a whole number of at least 0 as {key!r}, found {quoted(value)}")
    return value or otherwise


def _under(found: Any, key: str) -> Any:
    if not isinstance(found, dict):
        raise Refused(ODD_ITEM, f"expected an object with {key!r}, found {quoted(found)}")
    return found.get(key)


def tree_of_items(items: Sequence[OutlineItem], tags: TagCodes, limits: Limits) -> Tree:
    """The tree: sections nest by heading level, items by depth; lines are joined by newlines."""
    if not any(item.text for item in items):
        raise Refused("a document without any text")
    events = Events(tags)
    events.begin(ROOT)
    names = [""]
    sections: list[int] = []
    open_items: list[int] = []
    for item in items:
        while open_items and open_items[-1] >= item.depth:
            open_items.pop()
            events.end()
        if item.heading:
            while sections and sections[-1] >= item.heading:
                sections.pop()
                events.end()
        if item.text and events.last():
            events.text("\n")
        if item.heading:
            sections.append(item.heading)
            events.begin(SECTION)
            names.append("")
        events.begin(item.tag)
        names.append(item.name)
        open_items.append(item.depth)
        if item.text:
            events.text(item.text)
    for _ in range(len(open_items) + len(sections) + 1):
        events.end()
    tree = events.tree(limits)
    tree.node_ids = names if any(names) else None
    return tree


def paged_tree(pages: Sequence[str], tags: TagCodes, limits: Limits) -> Tree:
    """The tree of a document from the texts of its pages."""
    outline = Outline(PAGE_BREAK.join(pages), tags)
    names = {}
    start = 0
    for number, text in enumerate(pages, start=1):
        page = outline.block(PAGE, start, start + len(text))
        names[page] = f"{PAGE} {number}"
        for span in paragraphs(text):
            outline.block("p", start + span[0], start + span[1], page)
        start += len(text) + len(PAGE_BREAK)
    tree = outline.tree(limits)
    tree.node_ids = [names.get(node, "") for node in range(len(tree.parent))]
    return tree
