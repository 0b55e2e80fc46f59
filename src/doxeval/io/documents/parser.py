"""Formats of documents: the definition of a parser, the registry of all parsers, and their suffixes.

A parser is one file in this folder that ends with ``PARSER = Parser(...)`` and is named after its format, or
is passed to :func:`doxeval.extend.register`. Nothing here loads one before it is needed: the suffixes of
those here are in :data:`doxeval.core.catalogue.DOCUMENT_SUFFIXES`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

from doxeval.core.errors import UsageError, nearest
from doxeval.core.quick_class import dataclass
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


DOTTED = re.compile(r"(?P<commit>[^:]*@[^:]*:)?(?P<parts>[^\W\d]\w*(?:[.:]{1,2}[^\W\d]\w*)+)")
"""A name through modules, of a file of a commit or of any other."""


def files_of_module(name: str) -> Iterator[tuple[str, str]]:
    """The files that a dotted name may be in, the longest path first, and the rest of it; none for others.

    >>> [(file, rest) for file, rest in files_of_module("shop.cart.Cart") if file.endswith(".py")]
    [('shop/cart/Cart.py', ''), ('shop/cart/Cart.py', 'Cart'), ('shop/cart/Cart/__init__.py', ''), \
('shop/cart.py', 'Cart'), ('shop/cart.py', 'cart.Cart'), ('shop/cart/__init__.py', 'Cart'), \
('shop.py', 'cart.Cart'), ('shop.py', 'shop.cart.Cart'), ('shop/__init__.py', 'cart.Cart')]
    """
    match = DOTTED.fullmatch(name)
    if match is None:
        return
    commit, parts = match["commit"] or "", re.split("[.:]+", match["parts"])
    for size in range(len(parts), 0, -1):
        path, rest = commit + "/".join(parts[:size]), ".".join(parts[size:])
        for suffix in CODE_SUFFIXES:
            yield f"{path}{suffix}", rest
            # In some languages a file is named after its class.
            yield f"{path}{suffix}", ".".join(parts[size - 1 :])
        yield f"{path}/__init__.py", rest


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
