"""Plain text: paragraphs separated by blank lines, in pages if there are form feeds, under one root."""

from __future__ import annotations

from doxeval.io.documents.base import Parser
from doxeval.io.documents.encoding import decode
from doxeval.io.documents.limits import Limits
from doxeval.io.documents.outline import PARAGRAPH, Outline, paragraphs
from doxeval.io.documents.pages import BREAK, paged_tree
from doxeval.io.documents.tree import TagCodes, Tree
from doxeval.io.documents.wikitext import has_headings, wikitext_tree


def parse_plain(data: bytes, tags: TagCodes, limits: Limits) -> Tree:
    """Paragraphs, and sections if the text has wiki text headings."""
    text = decode(data)
    if has_headings(text):
        return wikitext_tree(text, tags, limits)
    if BREAK in text:
        return paged_tree(text.split(BREAK), tags, limits)
    outline = Outline(text, tags)
    for start, end in paragraphs(text):
        outline.block(PARAGRAPH, start, end)
    return outline.tree(limits)


PARSER = Parser("text", parse_plain)
