"""Plain text: paragraphs separated by blank lines, in pages if there are form feeds, under one root."""

from __future__ import annotations

from doxeval.io.documents.outline import PAGE_BREAK, PARAGRAPH, Outline, paged_tree, paragraphs
from doxeval.io.documents.parser import Parser
from doxeval.io.documents.tree import TagCodes, Tree, decode
from doxeval.io.documents.wikitext import has_headings, wikitext_tree
from doxeval.io.limits import Limits


def parse_plain(data: bytes, tags: TagCodes, limits: Limits) -> Tree:
    """Paragraphs, and sections if the text has wiki text headings."""
    text = decode(data)
    if has_headings(text):
        return wikitext_tree(text, tags, limits)
    if PAGE_BREAK in text:
        return paged_tree(text.split(PAGE_BREAK), tags, limits)
    outline = Outline(text, tags)
    for start, end in paragraphs(text):
        outline.block(PARAGRAPH, start, end)
    return outline.tree(limits)


PARSER = Parser("text", parse_plain)
