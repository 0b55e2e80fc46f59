"""HTML: the offsets are those of `string(/)` of the tree that a browser would build."""

from __future__ import annotations

from typing import Any

from doxeval.documents.encoding import decode_html
from doxeval.documents.limits import Limits
from doxeval.documents.tree import Events, TagCodes, Tree


def parse_html(data: bytes, tags: TagCodes, limits: Limits) -> Tree:
    """The elements of a page; comments are left out, the text of scripts and styles counts."""
    from selectolax.lexbor import LexborHTMLParser

    found = Events(tags)
    page = LexborHTMLParser(decode_html(data))
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
            found.close()
        elif node.is_text_node:
            found.pieces.append(node.text_content)
        following = node.next if open_nodes else None
        while following is None and open_nodes:
            found.close()
            node = open_nodes.pop()
            following = node.next if open_nodes else None
        if following is None:
            return found.tree(limits)
        node = following
