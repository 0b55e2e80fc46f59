"""JSON that is not a native document: what other tools made of one, or any other JSON.

Known are DoclingDocument, lists of elements from `unstructured` and lists of pages. Of anything else the
strings are taken in order, joined by newlines; the tags are the keys.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from doxeval.io.documents.docling import is_docling, parse_docling
from doxeval.io.documents.outline import (
    PAGE_BREAK,
    OutlineItem,
    paged_tree,
    string_in,
    tree_of_items,
    whole_in,
)
from doxeval.io.documents.tree import Events, Refused, TagCodes, Tree, decode
from doxeval.io.json_text import NotJson, json_value
from doxeval.io.limits import Limits
from doxeval.io.placing.place_chunks import SOURCES

LIST_ITEM, WHOLE_FILE = "item", "json"
UNSTRUCTURED_TAGS = {
    "Title": "title", "NarrativeText": "p", "UncategorizedText": "p", "Text": "p", "ListItem": "item",
    "Table": "table", "FigureCaption": "caption", "CodeSnippet": "code", "Formula": "formula",
    "Footer": "footer", "Header": "header", "Address": "address", "EmailAddress": "address",
}  # fmt: skip
NOT_IN_A_TAG = re.compile(r"[\s/\[\]]+")
_CLOSE = object()


def load_json(data: bytes) -> Any:
    """The content of a JSON file or line; unpaired surrogates are refused."""
    text = decode(data)
    try:
        return json_value(text)
    except NotJson as problem:
        raise Refused("not JSON", str(problem)) from None


def parse_leaves(value: Any, tags: TagCodes, limits: Limits) -> Tree:
    """A node for every string and every container of one; members of lists have the tag `item`."""
    events = Events(tags)
    unopened: list[str] = []
    waiting: list[tuple[str, Any]] = [(WHOLE_FILE, value)]
    while waiting:
        tag, value = waiting.pop()
        if value is _CLOSE:
            if unopened:
                unopened.pop()
            else:
                events.end()
        elif isinstance(value, str) and value:
            if events.last():
                events.text("\n")
            for above in [*unopened, tag]:
                events.begin(above)
            unopened.clear()
            events.text(value)
            events.end()
        elif isinstance(value, dict | list):
            unopened.append(tag)
            waiting.append((tag, _CLOSE))
            pairs = value.items() if isinstance(value, dict) else ((LIST_ITEM, item) for item in value)
            waiting.extend(
                reversed([(NOT_IN_A_TAG.sub("_", key) or LIST_ITEM, inner) for key, inner in pairs])
            )
    if not events.last():
        raise Refused("JSON without any text")
    return events.tree(limits)


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
            tag = UNSTRUCTURED_TAGS.get(element["type"], element["type"].lower())
            items.append(OutlineItem(tag, text, 0, heading, string_in(element, "element_id")))
    return tree_of_items(items, tags, limits)


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


def tree_of_json(value: Any, tags: TagCodes, limits: Limits) -> Tree:
    """The tree of JSON of any shape."""
    if is_docling(value):
        return parse_docling(value, tags, limits)
    if is_unstructured(value):
        return parse_unstructured(value, tags, limits)
    if is_paged(value):
        return parse_pages(value, tags, limits)
    return parse_leaves(value, tags, limits)


def is_object(value: Any) -> bool:
    """Whether a value is a document of one of these libraries."""
    return _is_docling(value) or _text_of_object(value) is not None


def _is_docling(value: Any) -> bool:
    return hasattr(value, "export_to_dict") and hasattr(value, "body")


def _text_of_object(value: Any) -> str | None:
    """The text of a document of LangChain, Haystack or LlamaIndex; None for anything else."""
    for text, metadata in (("page_content", "metadata"), ("content", "meta"), ("text", "metadata")):
        if hasattr(value, text) and hasattr(value, metadata) and not isinstance(value, Mapping):
            return getattr(value, text) or ""
    return None


def records_of_objects(values: list[Any]) -> list[Any]:
    """Documents of these libraries as records; pages loaded one by one are joined."""
    found: dict[str, Any] = {}
    for at, value in enumerate(values):
        name, record = _record(value) if is_object(value) else ("", value)
        before = found.get(name) if name else None
        if before is not None and "page" in before["metadata"] and "page" in record["metadata"]:
            before["text"] += PAGE_BREAK + record["text"]
        else:
            found[name if name and before is None else f"{PAGE_BREAK}{at}"] = record
    return list(found.values())


def _record(value: Any) -> tuple[str, dict[str, Any]]:
    """The name of a document, and its record: a native one, or Docling's own."""
    if _is_docling(value):
        return "", value.export_to_dict()
    metadata = dict(getattr(value, "metadata", None) or getattr(value, "meta", None) or {})
    names = (metadata.get(key) for key in SOURCES)
    name = next((str(name) for name in names if name), None) or str(_id_of(value) or "")
    return name, {"doc": name, "text": _text_of_object(value), "metadata": metadata}


def _id_of(value: Any) -> Any:
    return getattr(value, "id_", None) or getattr(value, "id", None)
