"""Documents that look like documents: which ranges of a text are headings, items, cells, or only markup.

Nothing of the text is changed or left out: a page puts every character where it is, in an element of the
kind that is stated here, and hides those that are markup. So a place on the page is the place in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from doxeval.tables.documents import Documents

HEADINGS = {"title": "h1", "st": "h2", "heading": "h2", **{f"h{level}": f"h{level}" for level in range(1, 7)}}
BLOCKS = {
    **HEADINGS, "p": "p", "li": "li", "item": "li", "dt": "p", "dd": "li", "td": "cell", "th": "cell",
    "entry": "cell", "row": "row", "pre": "pre", "code": "pre", "blockquote": "quote", "quote": "quote",
    "caption": "p", "figcaption": "p", "style": "hidden", "script": "hidden", "template": "hidden",
    "table": "table", "div": "p", "section": "p", "article": "p", "body": "p", "html": "p", "bdy": "p",
    "sec": "p",
}  # fmt: skip
"""Tags whose text stands on its own, by what it looks like."""
INLINE = {
    "b": "b",
    "strong": "b",
    "em": "i",
    "i": "i",
    "it": "i",
    "code": "code",
    "tt": "code",
    "kbd": "code",
}
ROWS = ("tr", "row")
HOLDING = {"quote", "li", "cell"}
"""Kinds of blocks that look alike with a paragraph in them."""
TELLING = {"h1", "h2", "h3", "h4", "h5", "h6", "li", "cell", "row", "pre", "quote"}
"""Kinds without which a text looks no different."""
MARKS = re.compile(
    r"(?P<b>(\*\*|__)(?=\S)(?:.+?)(?<=\S)\2)|(?P<code>`[^`\n]+`)|(?P<a>\[[^\]\n]+\]\([^)\n]*\))"
    r"|(?P<i>(?<![\w*])\*(?=[^\s*])[^*\n]+(?<=[^\s*])\*(?![\w*]))"
)
ONLY_MARKS = re.compile(r"[\s#>*+|:=`~_-]*")
ITEM = re.compile(r"[-*+][ \t]+")
CELL = re.compile(r"(?:\\.|`[^`\n]*`|[^|\\\n])+")
FENCE = re.compile(r"(`{3,}|~{3,})[^\n]*\n|\n[ \t]*(`{3,}|~{3,})[ \t]*$")
LONGEST = 400_000
"""Longer texts are shown as they are."""

Leaf = tuple[int, int, str, int]
"""Start, end, kind, and the row of a cell."""


def rendering(documents: Documents, code: int) -> dict[str, Any]:
    """The blocks and the inline ranges of a document's text; empty if it looks no different with them."""
    assert documents.text is not None
    text = documents.text[code]
    if documents.is_source(code) or len(text) > LONGEST:
        return {}
    rows = documents.nodes.slice(code)
    tags = [documents.tags[tag] for tag in documents.tag[rows].tolist()]
    extents = list(zip(documents.start[rows].tolist(), documents.end[rows].tolist(), strict=True))
    is_markdown = "heading" in tags or "item" in tags or "row" in tags
    nodes = [(start, end, tag) for (start, end), tag in zip(extents, tags, strict=True) if end > start]
    leaves = list(_leaves(nodes, text, is_markdown))
    if not any(kind in TELLING for _, _, kind, _ in leaves):
        return {}
    inline = [(start, end, INLINE[tag]) for start, end, tag in nodes if tag in INLINE and not is_markdown]
    if is_markdown:
        inline = [each for leaf in leaves for each in _inline(text, leaf)]
    return {"leaves": leaves, "inline": sorted(inline)}


def _leaves(nodes: list[tuple[int, int, str]], text: str, is_markdown: bool) -> Iterator[Leaf]:
    """The text in order, cut into what belongs to one block."""
    row = 0
    blocks = []
    for start, end, tag in nodes:
        row += tag in ROWS
        if tag in BLOCKS and (is_markdown or tag != "code"):
            blocks.append((start, end, _kind(text, start, tag, is_markdown), row))
    for leaf in _innermost(blocks):
        start, end, kind, number = leaf
        only = ONLY_MARKS.fullmatch(text, start, end) if is_markdown else not text[start:end].strip()
        if kind == "row":
            yield from _cells(text, leaf)
        elif only:
            yield start, end, "markup", number
        else:
            yield leaf


def _kind(text: str, start: int, tag: str, is_markdown: bool) -> str:
    if tag == "heading" and is_markdown:
        before = text[text.rfind("\n", 0, start) + 1 : start]
        return f"h{min(6, max(1, before.count('#') or 2))}"
    return BLOCKS[tag]


def _innermost(blocks: list[Leaf]) -> Iterator[Leaf]:
    """Pieces of text, each with the innermost of the nested blocks around it."""
    around: list[Leaf] = []
    place = 0
    for block in [*blocks, (_last_end(blocks), _last_end(blocks), "", 0)]:
        while around and around[-1][1] <= block[0]:
            closed = around.pop()
            if closed[1] > place:
                yield place, closed[1], closed[2], closed[3]
                place = closed[1]
        if around and block[0] > place:
            yield place, block[0], around[-1][2], around[-1][3]
        place = max(place, block[0])
        held = around and block[2] == "p" and around[-1][2] in HOLDING
        around.append((block[0], block[1], *around[-1][2:]) if held else block)


def _last_end(blocks: list[Leaf]) -> int:
    """The end of the last of some blocks."""
    return max((end for _, end, _, _ in blocks), default=0)


def _cells(text: str, leaf: Leaf) -> Iterator[Leaf]:
    """The cells of a row of a table in Markdown."""
    start, end, _, row = leaf
    for cell in CELL.finditer(text, start, end):
        words = cell[0].strip()
        if words:
            begin = cell.start() + cell[0].index(words)
            yield begin, begin + len(words), "cell", row


def _inline(text: str, leaf: Leaf) -> Iterator[tuple[int, int, str]]:
    """Emphasis, code and links in a block of Markdown, with their marks."""
    start, end, kind, _ = leaf
    if kind == "pre":
        for fence in FENCE.finditer(text, start, end):
            yield *fence.span(), "markup"
        return
    item = ITEM.match(text, start, end) if kind == "li" else None
    if item:
        yield *item.span(), "markup"
    for found in MARKS.finditer(text, start, end):
        first, last = found.span()
        name = found.lastgroup or next(key for key, value in found.groupdict().items() if value)
        size = 2 if name == "b" else 1
        closing = text.rindex("](", first, last) if name == "a" else last - size
        yield first, first + size, "markup"
        yield first + size, closing, name
        yield closing, last, "markup"
