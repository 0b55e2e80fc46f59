"""Documents of LangChain, LlamaIndex, Haystack and Docling, recognised by their attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from doxeval.io.placing.place_chunks import SOURCES

PAGE_BREAK = "\f"


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
