"""Plain text: paragraphs separated by blank lines, under one root."""

from __future__ import annotations

from doxeval.io.documents.base import Parser
from doxeval.io.documents.encoding import decode
from doxeval.io.documents.limits import Limits
from doxeval.io.documents.outline import PARAGRAPH, Outline, line_spans, trimmed
from doxeval.io.documents.tree import TagCodes, Tree
from doxeval.io.documents.wikitext import has_headings, wikitext_tree


def parse_plain(data: bytes, tags: TagCodes, limits: Limits) -> Tree:
    """Paragraphs; sections too where the text has the headings of wiki text."""
    text = decode(data)
    if has_headings(text):
        return wikitext_tree(text, tags, limits)
    outline = Outline(text, tags)
    first = None
    for start, end in [*line_spans(text), (len(text), len(text))]:
        blank = not text[start:end].strip()
        if not blank and first is None:
            first = start
        elif blank and first is not None:
            outline.block(PARAGRAPH, *trimmed(text, first, start))
            first = None
    return outline.tree(limits)


PARSER = Parser("text", parse_plain)
