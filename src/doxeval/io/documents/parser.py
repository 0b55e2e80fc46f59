"""Formats of documents: the definition of a parser, the registry of all parsers, and their suffixes.

A parser is one file in this folder that ends with ``PARSER = Parser(...)`` and is named after its format, or
is passed to :func:`doxeval.extend.register`. Nothing here loads one before it is needed: the suffixes of
those here are in :data:`doxeval.core.catalogue.DOCUMENT_SUFFIXES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

from doxeval.core.errors import UsageError, nearest
from doxeval.core.registry import Registry

if TYPE_CHECKING:
    from doxeval.io.documents.tree import TagCodes, Tree
    from doxeval.io.limits import Limits

JSON, JSON_LINES = "json", "jsonl"
"""The formats in which a file may hold several documents."""

CODE_SUFFIXES = {
    ".py": "python", ".pyi": "python", ".pyw": "python", ".js": "javascript", ".jsx": "javascript",
    ".mjs": "javascript", ".cjs": "javascript", ".ts": "typescript", ".mts": "typescript",
    ".cts": "typescript", ".tsx": "tsx", ".java": "java", ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp",
    ".cxx": "cpp", ".hh": "cpp", ".hpp": "cpp", ".hxx": "cpp", ".cs": "csharp", ".go": "go", ".rs": "rust",
    ".rb": "ruby", ".rake": "ruby", ".php": "php",
}  # fmt: skip
"""The suffixes of source code that has a tree; any other file that holds text is its text."""
SOURCE = "source"
"""The format of a file whose suffix says nothing, or that is read as text with lines whatever it says."""


@dataclass(frozen=True)
class Parser:
    """A format with one document per file: its name, and a function from bytes to a tree.

    Any document of up to `quick` bytes is parsed within seconds.
    """

    name: str
    parse: Callable[[bytes, TagCodes, Limits], Tree]
    quick: int = 64 << 10


def _parsers_in(module: ModuleType) -> list[Parser]:
    own = [module.PARSER] if hasattr(module, "PARSER") else []
    return [*own, *getattr(module, "LANGUAGE_PARSERS", ())]


PARSERS: Registry[Parser] = Registry(
    "document format",
    takes=lambda thing: isinstance(thing, Parser),
    package="doxeval.io.documents",
    group="doxeval.parsers",
    held_by=_parsers_in,
)


@cache
def parser_named(format: str) -> Parser:
    """The parser of a format; that of a programming language without loading all others."""
    if format == SOURCE or format in CODE_SUFFIXES.values():
        from doxeval.io.documents.code import LANGUAGE_PARSERS

        return next(parser for parser in LANGUAGE_PARSERS if parser.name == format)
    return PARSERS.named(format)


def document_formats() -> list[str]:
    """Every format of documents that can be named."""
    return [*PARSERS, JSON, JSON_LINES]


def checked_format(name: str | None) -> str:
    """The format named by the user, empty if none was."""
    if name and name not in (JSON, JSON_LINES) and name not in PARSERS:
        known = document_formats()
        raise UsageError(
            f"unknown document format {name!r}{nearest(name, known)} (known: {', '.join(known)})"
            f"{PARSERS.failures_told}"
        )
    return name or ""
