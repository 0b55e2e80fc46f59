"""DoclingDocument JSON: the body's items in reading order, sections by headings; furniture is left out.

Docling makes these from PDF and office files. The text of each item is a line of the document's text, and its
node has the name that Docling gives it (`#/texts/3`).
"""

from __future__ import annotations

from typing import Any

from doxeval.io.documents.outline import OutlineItem, string_in, tree_of_items, whole_in
from doxeval.io.documents.page_layout import Box, Layout
from doxeval.io.documents.tree import Refused, TagCodes, Tree
from doxeval.io.limits import Limits

DOCLING_TAGS = {
    "title": "title", "section_header": "title", "text": "p", "paragraph": "p", "list_item": "item",
    "code": "code", "caption": "caption", "footnote": "footnote", "formula": "formula",
}  # fmt: skip


def is_docling(value: Any) -> bool:
    """Whether JSON is a DoclingDocument."""
    return isinstance(value, dict) and value.get("schema_name") == "DoclingDocument" and "body" in value


def name_of_docling(value: dict[str, Any]) -> str:
    """The name of a Docling document: that of its file, or its own."""
    return str((value.get("origin") or {}).get("filename") or value.get("name") or "")


def parse_docling(value: dict[str, Any], tags: TagCodes, limits: Limits) -> Tree:
    """The tree and text of a DoclingDocument."""
    return tree_of_items(_items_of_body(value), tags, limits)


def layout_of_docling(value: dict[str, Any]) -> Layout:
    """A box for each item, by its provenance, in the text of :func:`parse_docling`."""
    pieces: list[tuple[float, ...]] = []
    start = 0
    for item in _items_of_body(value):
        for found in (item.provenance or ()) if item.text else ():
            first, last = found.get("charspan") or (0, 0)
            inside = 0 <= first < last <= len(item.text)
            ends = (start + first, start + last) if inside else (start, start + len(item.text))
            pieces.append((found["page_no"], *_box_on_page(value, found), *ends))
        start += len(item.text) + 1 if item.text else 0
    return Layout.of_rows(pieces)


def _box_on_page(document: dict[str, Any], found: dict[str, Any]) -> Box:
    """The box of a provenance, from the lower left corner of its page."""
    box = found["bbox"]
    if box.get("coord_origin") != "TOPLEFT":
        return box["l"], box["b"], box["r"], box["t"]
    height = document["pages"][str(found["page_no"])]["size"]["height"]
    return box["l"], height - box["b"], box["r"], height - box["t"]


def _items_of_body(document: dict[str, Any]) -> list[OutlineItem]:
    """The items of the body in reading order; each may occur once."""
    items: list[OutlineItem] = []
    met: set[int] = set()
    waiting = _below(document["body"], 0)
    while waiting:
        reference, depth = waiting.pop()
        item = _resolve(document, reference)
        if id(item) in met:
            raise Refused("a Docling document in which an item occurs twice", str(reference))
        met.add(id(item))
        label, name = string_in(item, "label"), string_in(item, "self_ref")
        heading = whole_in(item, "level", 1) if label == "section_header" else 0
        if text := _text_of_item(item):
            level = heading or int(label == "title")
            items.append(
                OutlineItem(DOCLING_TAGS.get(label, label or "p"), text, depth, level, name, item.get("prov"))
            )
        elif item.get("children"):
            items.append(OutlineItem(label or "group", "", depth, name=name))
        waiting += _below(item, depth + 1)
    return items


def _below(node: dict[str, Any], depth: int) -> list[tuple[Any, int]]:
    """The references of a node, the last first, with their depth."""
    return [(reference, depth) for reference in reversed(node.get("children") or [])]


def _resolve(document: dict[str, Any], reference: Any) -> dict[str, Any]:
    """The item that a reference such as ``#/texts/3`` names."""
    path = str(reference.get("$ref", "") if isinstance(reference, dict) else "")
    found: Any = document
    for step in path.lstrip("#/").split("/"):
        try:
            found = found[int(step)] if isinstance(found, list) else found[step]
        except (KeyError, IndexError, ValueError, TypeError):
            raise Refused("a Docling document with a reference to nothing", path) from None
    if not isinstance(found, dict):
        raise Refused("a Docling document with a reference to something other than an item", path)
    return found


def _text_of_item(item: dict[str, Any]) -> str:
    """The text of an item; for a table, its cells with a line per row."""
    if item.get("text"):
        return string_in(item, "text")
    data = item.get("data")
    grid = data.get("grid") if isinstance(data, dict) else None
    return "\n".join("\t".join(string_in(cell, "text") for cell in row) for row in grid or ())
