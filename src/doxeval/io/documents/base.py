"""The formats of documents: what a parser is, the registry of all of them, and which suffix speaks for which.

A parser is one file in this folder that ends with ``PARSER = Parser(...)`` and is called as its format, or is
handed to :func:`doxeval.register`. Nothing here loads one before it is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

from doxeval.core.errors import UsageError, nearest
from doxeval.core.registry import Registry

if TYPE_CHECKING:
    from doxeval.io.documents.limits import Limits
    from doxeval.io.documents.tree import TagCodes, Tree

JSON, JSON_LINES = "json", "jsonl"
"""The formats in which a file may hold several documents."""

SUFFIXES = {
    ".xml": "xml", ".xhtml": "xml", ".html": "html", ".htm": "html", ".md": "markdown",
    ".markdown": "markdown", ".txt": "text", ".text": "text", ".wiki": "wikitext", ".json": JSON,
    ".jsonl": JSON_LINES, ".ndjson": JSON_LINES, ".pdf": "pdf",
}  # fmt: skip


@dataclass(frozen=True)
class Parser:
    """A format in which a file is one document: its name, and the tree that its bytes stand for."""

    name: str
    parse: Callable[[bytes, TagCodes, Limits], Tree]


def _held(module: ModuleType) -> list[Parser]:
    return [module.PARSER] if hasattr(module, "PARSER") else []


PARSERS: Registry[Parser] = Registry(
    "document format",
    takes=lambda thing: isinstance(thing, Parser),
    package="doxeval.io.documents",
    group="doxeval.parsers",
    held_by=_held,
)


def document_formats() -> list[str]:
    """Every format of documents that a user may name."""
    return [*PARSERS, JSON, JSON_LINES]


def checked_format(name: str | None) -> str:
    """The format a user has named, empty where none was."""
    if name and name not in (JSON, JSON_LINES) and name not in PARSERS:
        known = document_formats()
        raise UsageError(
            f"no document format is called {name!r}{nearest(name, known)} (known: {', '.join(known)})"
        )
    return name or ""
