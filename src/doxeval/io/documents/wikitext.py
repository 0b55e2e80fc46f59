"""Wiki text: headings such as ` = = Plot = = ` or `== Plot ==` on separate lines, one paragraph per line."""

from __future__ import annotations

import re

from doxeval.io.documents.outline import PARAGRAPH, Outline, line_spans, trimmed
from doxeval.io.documents.parser import Parser
from doxeval.io.documents.tree import TagCodes, Tree, decode
from doxeval.io.limits import Limits

SIGNS = r"=(?: ?=){0,5}"
HEADING_LINE = re.compile(
    rf"^[ \t]*({SIGNS})[ \t]*([^=\s](?:[^\r\n]*[^=\s])?)[ \t]*({SIGNS})[ \t]*\r?$", re.MULTILINE
)


def heading_level(line: str) -> int:
    """The level of a heading line, 0 for any other line.

    >>> heading_level(" = = Plot = = "), heading_level("== Plot =="), heading_level("a = b")
    (2, 2, 0)
    """
    match = HEADING_LINE.match(line.rstrip("\r\n"))
    if match is None:
        return 0
    before, after = match[1].count("="), match[3].count("=")
    return before if before == after else 0


def has_headings(text: str) -> bool:
    """Whether some line is a heading of wiki text."""
    return any(heading_level(match[0]) for match in HEADING_LINE.finditer(text))


def parse_wikitext(data: bytes, tags: TagCodes, limits: Limits) -> Tree:
    """Sections by their headings, and paragraphs."""
    return wikitext_tree(decode(data), tags, limits)


def wikitext_tree(text: str, tags: TagCodes, limits: Limits) -> Tree:
    """The tree of a decoded text."""
    outline = Outline(text, tags)
    for span in line_spans(text):
        start, end = trimmed(text, *span)
        if level := heading_level(text[slice(*span)]):
            outline.heading(level, start, end)
        elif end > start:
            outline.block(PARAGRAPH, start, end)
    return outline.tree(limits)


PARSER = Parser("wikitext", parse_wikitext)
