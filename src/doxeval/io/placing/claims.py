"""Claims of loaders and splitters about the place of a chunk, besides offsets in its document.

Pages (LangChain's `page`, from 0; `page_number` of Haystack and unstructured, from 1; `page_no` of Docling),
labels of pages (LlamaIndex), sections (headings of Docling and of splitters of Markdown), elements (Docling,
unstructured), boxes on pages (Docling), and the order of chunks (numbers, or links to the ones before and
after, as in LlamaIndex). No framework is imported; everything is found by its key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from doxeval.core.values import is_number, name_of

PAGES = ("page", "page_number", "page_no", "page_num", "page_idx", "page_index")
LABEL = "page_label"
SECTIONS = ("section", "section_title", "heading", "headings", "header_path")
HEADER = re.compile(r"header[ _]?\d|h[1-6]", re.IGNORECASE)
"""Keys under which splitters of Markdown and HTML keep the headings above a chunk."""
CHUNK_NUMBERS = ("split_id", "chunk_index", "chunk_number", "chunk_id", "chunk_idx", "chunk_no", "chunk")
ELEMENTS = ("element_id", "self_ref")
DOCLING = "dl_meta"
"""The key under which loaders keep Docling's metadata of a chunk."""
FROM_ONE = "page, counted from 1"
"""The way in which pages are counted in native files."""


class Claim(NamedTuple):
    """A claim about the place of a chunk.

    `page` is a number as stated; pages stated under the same key, `counted`, are counted alike. `order` is
    the chunk's number in its document; `own`, `before` and `after` are the identities of the chunk and of
    those around it; `boxes` are (page from 1, left, bottom, right, top).
    """

    page: int | None = None
    counted: str = ""
    label: str = ""
    sections: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    boxes: tuple[tuple[float, ...], ...] = ()
    order: int | None = None
    own: str = ""
    before: str = ""
    after: str = ""


NOTHING = Claim()


def claim_of(metadata: Mapping[str, Any]) -> Claim:
    """The claim that metadata makes about the place of a chunk.

    >>> claim_of({"source": "a.pdf", "page": 3, "page_label": "iv", "Header 1": "Setup"})[:4]
    (3, 'page', 'iv', ('Setup',))
    """
    if DOCLING in metadata:
        return _of_docling(metadata[DOCLING])
    counted, page = next(_numbers(metadata, PAGES), ("", None))
    label = metadata.get(LABEL)
    elements = (metadata[key] for key in ELEMENTS if isinstance(metadata.get(key), str))
    return Claim(
        page,
        counted,
        str(label) if isinstance(label, str | int) and not isinstance(label, bool) else "",
        tuple(_sections(metadata)),
        tuple(elements),
        order=next(_numbers(metadata, CHUNK_NUMBERS), ("", None))[1],
    )


def as_mapping(meta: Any) -> Mapping[str, Any]:
    """Docling's metadata of a chunk, an object or JSON, as a mapping."""
    found = meta.model_dump(mode="json", by_alias=True) if hasattr(meta, "model_dump") else meta
    return found if isinstance(found, Mapping) else {}


def _of_docling(meta: Any) -> Claim:
    meta = as_mapping(meta)
    items = [item for item in meta.get("doc_items") or () if isinstance(item, Mapping)]
    places = [place for item in items for place in item.get("prov") or () if isinstance(place, Mapping)]
    pages = [place["page_no"] for place in places if isinstance(place.get("page_no"), int)]
    headings = [str(heading) for heading in meta.get("headings") or ()]
    return Claim(
        pages[0] if pages else None,
        "page_no",
        sections=tuple(headings[-1:]),
        nodes=tuple(str(item["self_ref"]) for item in items if item.get("self_ref")),
        boxes=tuple(box for place in places for box in _box(place)),
    )


def _box(place: Mapping[str, Any]) -> Iterator[tuple[float, ...]]:
    """The box of an item in points from the lower left corner of its page."""
    box, page = place.get("bbox"), place.get("page_no")
    if isinstance(box, Mapping) and isinstance(page, int) and box.get("coord_origin") == "BOTTOMLEFT":
        edges = [box.get(edge) for edge in ("l", "b", "r", "t")]
        if all(is_number(edge) for edge in edges):
            left, bottom, right, top = (float(str(edge)) for edge in edges)
            yield (page, min(left, right), min(bottom, top), max(left, right), max(bottom, top))


def _numbers(metadata: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """The whole numbers under some keys, which may be written as text."""
    for key in keys:
        value = name_of(metadata.get(key))
        if value and value.isascii() and value.isdigit():
            yield key, int(value)


def _sections(metadata: Mapping[str, Any]) -> Iterator[str]:
    """The heading right above a chunk."""
    above = [value for key, value in sorted(metadata.items(), key=str) if HEADER.fullmatch(str(key))]
    for key in SECTIONS:
        value = metadata.get(key)
        parts = value.strip("/").split("/") if key == "header_path" and isinstance(value, str) else [value]
        above += parts if not isinstance(value, list | tuple) else value
    yield from [text for text in above if isinstance(text, str) and text][-1:]
