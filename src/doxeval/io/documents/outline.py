"""Trees of source text: sections nest by the level of their headings and contain blocks.

Shared by Markdown, wiki text and plain text; offsets are those of the unchanged source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from doxeval.io.documents.limits import Limits
from doxeval.io.documents.tree import ROOT, TagCodes, Tree, tree_of_nodes

SECTION, HEADING, PARAGRAPH = "sec", "heading", "p"
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
