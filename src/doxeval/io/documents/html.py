"""HTML: offsets are those of `string(/)` of the tree that a browser would build.

Where the text of two blocks would run together (`<h1>Returns</h1><p>Returns are free`), a newline is put
between them.
"""

from __future__ import annotations

import codecs
import re
from typing import Any

from doxeval.io.documents.parser import Parser
from doxeval.io.documents.tree import NOT_TEXT, Events, Refused, TagCodes, Tree, decode, too_many_nodes
from doxeval.io.limits import Limits

OPEN_BLOCKS = (
    "address|article|aside|blockquote|center|details|dialog|dir|div|dl|fieldset|figcaption|figure|footer|form|h1|h2"
    "|h3|h4|h5|h6|header|hgroup|listing|main|menu|nav|ol|optgroup|pre|search|section|summary|table|ul"
)
BLOCK_TAG = re.compile(rf"<(/?)(?:{OPEN_BLOCKS})[\s/>]", re.IGNORECASE)
BLOCKS = frozenset(
    f"{OPEN_BLOCKS}|body|br|caption|dd|dt|hr|legend|li|option|p|tbody|td|tfoot|th|thead|title|tr".split("|")
)
"""Elements whose text is on lines, or in cells, of its own."""
ANY_TAG = re.compile(
    r"<(/?)(?:(a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])|[a-z])", re.IGNORECASE
)
SELECT, OPTION = re.compile("<select", re.IGNORECASE), re.compile("<opt", re.IGNORECASE)
LONG_TAG = re.compile(r"<[a-z][^>]{10000,}", re.IGNORECASE)
DECLARED_CHARSET = re.compile(rb"""<meta[^>]{1,200}?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
DECLARED_WITHIN = 1024
MARGIN = 10
"""Tags in scripts and comments are counted with the others, so the count must exceed the limit by far."""


def _open_blocks_exceed(text: str, limit: int) -> bool:
    """Whether more than `limit` blocks are open at once.

    The parser goes through all open elements at each block: its time is quadratic in the nesting, half a
    minute for a hostile page of 500 KB.
    """
    if text.count("<") <= limit:
        return False
    level = 0
    for tag in BLOCK_TAG.finditer(text):
        level = max(0, level - 1) if tag[1] else level + 1
        if level > limit:
            return True
    return False


def _most_nodes(text: str) -> int:
    """An upper bound on the nodes of a page: formatting left open is repeated in every block."""
    nodes = level = 0
    for tag in ANY_TAG.finditer(text):
        if tag[2]:
            level = max(0, level - 1) if tag[1] else level + 1
        elif not tag[1]:
            nodes += 1 + level
    return nodes


def _most_siblings(text: str) -> int:
    """The most options of a list, or attributes of a tag: time is quadratic in both."""
    options = max(map(len, map(OPTION.findall, SELECT.split(text)[1:])), default=0)
    return max(options, max((len(tag[0].split()) for tag in LONG_TAG.finditer(text)), default=0))


class _Blocks(Events):
    """A page as parsed, with a newline wherever a block would run into the text before."""

    ended = False
    """Whether a block has ended since the last text."""

    def open(self, tag: str) -> None:
        """Begin an element."""
        if tag in BLOCKS:
            self.part()
        self.begin(tag)

    def close(self, tag: str) -> None:
        """End the element opened last."""
        self.end()
        self.ended |= tag in BLOCKS

    def show(self, text: str) -> None:
        """Add a piece of text."""
        if text:
            if self.ended and not text[0].isspace():
                self.part()
            self.ended = False
            self.text(text)

    def part(self) -> None:
        """Separate what follows from the text before."""
        if self.last() and not self.last()[-1].isspace():
            self.text("\n")


def _decoded_page(data: bytes) -> str:
    """The text of an HTML file in the encoding it declares, by default UTF-8."""
    match = DECLARED_CHARSET.search(data[:DECLARED_WITHIN])
    if match is None:
        return decode(data)
    name = match[1].decode("ascii")
    try:
        codecs.lookup(name)
    except LookupError:
        raise Refused(NOT_TEXT, f"unknown encoding {name!r}") from None
    return decode(data, name)


def parse_html(data: bytes, tags: TagCodes, limits: Limits) -> Tree:
    """The elements of a page; comments are left out, the text of scripts and styles counts."""
    from selectolax.lexbor import LexborHTMLParser

    text = _decoded_page(data)
    if _open_blocks_exceed(text, MARGIN * limits.depth):
        raise Refused(f"nested deeper than {limits.depth:,} levels", "open blocks; the limit is --max-depth")
    if text.count("<") ** 2 > limits.nodes and (nodes := _most_nodes(text)) > limits.nodes:
        raise too_many_nodes(nodes, limits)
    if (siblings := _most_siblings(text)) > limits.siblings:
        raise Refused(
            f"a list or a tag of more than {limits.siblings:,} parts",
            f"{siblings:,} options or attributes; the limit is --max-siblings",
        )
    found = _Blocks(tags)
    page = LexborHTMLParser(text)
    node: Any = page.root
    open_nodes = []
    while True:
        if node.is_element_node:
            found.open(node.tag)
            child = node.first_child
            if child is not None:
                open_nodes.append(node)
                node = child
                continue
            found.close(node.tag)
        elif node.is_text_node:
            found.show(node.text_content)
        following = node.next if open_nodes else None
        while following is None and open_nodes:
            node = open_nodes.pop()
            found.close(node.tag)
            following = node.next if open_nodes else None
        if following is None:
            return found.tree(limits)
        node = following


PARSER = Parser("html", parse_html)
