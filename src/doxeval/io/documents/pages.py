"""Documents in pages: a node such as `page 12` for each, with paragraphs; form feeds separate pages.

Sources are PDF files, text extracted from them, and lists of pages (``[{"page_idx": 0, "text": ...}]``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from doxeval.io.documents.limits import Limits
from doxeval.io.documents.outline import Outline, paragraphs
from doxeval.io.documents.tree import Refused, TagCodes, Tree

PAGE = "page"
BREAK = "\f"


def page_name(number: int) -> str:
    """The name of the node of a page, counted from 1."""
    return f"{PAGE} {number}"


def paged_tree(pages: Sequence[str], tags: TagCodes, limits: Limits) -> Tree:
    """The tree of a document from the texts of its pages."""
    outline = Outline(BREAK.join(pages), tags)
    names = {}
    start = 0
    for number, text in enumerate(pages, start=1):
        page = outline.block(PAGE, start, start + len(text))
        names[page] = page_name(number)
        for span in paragraphs(text):
            outline.block("p", start + span[0], start + span[1], page)
        start += len(text) + len(BREAK)
    tree = outline.tree(limits)
    tree.node_ids = [names.get(node, "") for node in range(len(tree.parent))]
    return tree


def is_paged(value: Any) -> bool:
    """Whether JSON is a list of pages with their numbers from 0, as parsers of PDF files write it."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(page, dict) and isinstance(page.get("text"), str) for page in value)
        and all(isinstance(page.get("page_idx"), int) for page in value)
    )


def parse_pages(value: list[dict[str, Any]], tags: TagCodes, limits: Limits) -> Tree:
    """The tree of a list of pages, in order; a missing number is an empty page."""
    texts: dict[int, str] = {}
    for page in value:
        if texts.setdefault(page["page_idx"], page["text"]) is not page["text"]:
            raise Refused("a list of pages in which a number occurs twice", f"page_idx {page['page_idx']}")
    if min(texts) < 0 or max(texts) > limits.nodes:
        raise Refused("a list of pages with impossible numbers", f"{min(texts)} to {max(texts)}")
    return paged_tree([texts.get(number, "") for number in range(max(texts) + 1)], tags, limits)
