"""Lists of elements from `unstructured`: sections by titles and their depth, one element per line."""

from __future__ import annotations

from typing import Any

from doxeval.io.documents.items import Item, string_in, tree_of_items, whole_in
from doxeval.io.documents.limits import Limits
from doxeval.io.documents.tree import TagCodes, Tree

TAGS = {
    "Title": "title", "NarrativeText": "p", "UncategorizedText": "p", "Text": "p", "ListItem": "item",
    "Table": "table", "FigureCaption": "caption", "CodeSnippet": "code", "Formula": "formula",
    "Footer": "footer", "Header": "header", "Address": "address", "EmailAddress": "address",
}  # fmt: skip


def is_unstructured(value: Any) -> bool:
    """Whether JSON is a list of elements, each with a type and a text."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, dict) and isinstance(one.get("type"), str) and "text" in one for one in value)
        and any("element_id" in one or "metadata" in one for one in value)
    )


def parse_unstructured(value: list[dict[str, Any]], tags: TagCodes, limits: Limits) -> Tree:
    """The tree and text of a list of elements."""
    items = []
    for element in value:
        text = string_in(element, "text")
        if text:
            depth = whole_in(element.get("metadata") or {}, "category_depth", 0)
            heading = depth + 1 if element["type"] == "Title" else 0
            tag, name = TAGS.get(element["type"], element["type"].lower()), string_in(element, "element_id")
            items.append(Item(tag, text, 0, heading, name))
    return tree_of_items(items, tags, limits)
