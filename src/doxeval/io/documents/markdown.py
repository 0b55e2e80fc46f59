"""Markdown (CommonMark and tables): sections by headings, and blocks; offsets are those of the source.

A block's extent is its source without the white space around it; a paragraph's or heading's begins with its
text, after the marks of headings, lists and quotes.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from doxeval.io.documents.outline import HEADING, PARAGRAPH, Outline, line_spans, trimmed
from doxeval.io.documents.parser import Parser
from doxeval.io.documents.tree import TagCodes, Tree, decode
from doxeval.io.documents.wikitext import has_headings, wikitext_tree
from doxeval.io.limits import Limits

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

DEEPEST_BLOCKS = 100
"""Blocks nested deeper than this become text of the block around them."""

MARKDOWN_TAGS = {
    "paragraph_open": PARAGRAPH, "heading_open": HEADING, "bullet_list_open": "list",
    "ordered_list_open": "list", "list_item_open": "item", "blockquote_open": "quote", "table_open": "table",
    "tr_open": "row", "fence": "code", "code_block": "code", "html_block": "html",
}  # fmt: skip


@cache
def _block_parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST_BLOCKS}).enable("table")
    parser.core.ruler.disable("inline")
    return parser


def parse_markdown(data: bytes, tags: TagCodes, limits: Limits) -> Tree:
    """Sections and blocks; a text with headings of wiki text and none of Markdown is read as wiki text."""
    text = decode(data)
    tokens = _block_parser().parse(text)
    if has_headings(text) and not any(token.type == "heading_open" for token in tokens):
        return wikitext_tree(text, tags, limits)
    outline = Outline(text, tags)
    lines = list(line_spans(text))
    open_blocks: list[int | None] = []
    for at, token in enumerate(tokens):
        if token.nesting < 0:
            open_blocks.pop()
            continue
        around = next((block for block in reversed(open_blocks) if block is not None), None)
        block = None
        if token.type in MARKDOWN_TAGS and token.map and not token.hidden:
            start, end = _extent(text, lines, token, tokens[at + 1] if token.nesting else token)
            if token.type == "heading_open" and around is None:
                outline.heading(int(token.tag[1]), start, end)
            else:
                block = outline.block(MARKDOWN_TAGS[token.type], start, end, around)
        if token.nesting > 0:
            open_blocks.append(block)
    return outline.tree(limits)


def _extent(text: str, lines: list[tuple[int, int]], token: Token, content: Token) -> tuple[int, int]:
    """The extent of a block in the source."""
    first, last = token.map if token.map else (0, 0)
    last = min(last, len(lines))
    start, end = trimmed(text, lines[first][0], lines[max(first, last - 1)][1])
    if content.type == "inline" and content.content:
        words = content.content.split("\n")
        found = text.find(words[0].strip(), start, end)
        start = found if found >= 0 else start
        found = text.rfind(words[-1].strip(), start, end)
        end = found + len(words[-1].strip()) if found >= 0 else end
    return start, end


PARSER = Parser("markdown", parse_markdown, quick=4 << 10)
