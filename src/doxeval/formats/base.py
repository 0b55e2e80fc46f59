"""What a format is, and the registry of all of them.

A format is one file in this folder that ends with ``FORMAT = Format(...)``; it is then recognised, listed
and converted by itself.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import IO, Any

from doxeval.errors import InputError, UsageError, nearest
from doxeval.formats.source import Source


@dataclass(frozen=True)
class Options:
    """What a caller may tell a reader beyond the file itself.

    `name` is the run's name; `ranges` says how a TREC document id carries a range (`doc_offset_length` or
    `doc#start-end`).
    """

    name: str = ""
    ranges: str = ""


@dataclass(frozen=True)
class Format:
    """One file format of one kind of table: `run`, `assessments`, `documents` or `chunks`.

    `sniff` looks at the first bytes (at most 64 KiB) and says whether this is it; where several agree, the
    one with the highest `priority` is taken. `write` is None where the format is only read. A binary format
    writes bytes, all others text.
    """

    name: str
    kind: str
    summary: str
    sniff: Callable[[bytes], bool]
    read: Callable[[Source, Options], Any]
    write: Callable[[Any, IO[Any]], None] | None = None
    priority: int = 0
    binary: bool = False
    suffixes: tuple[str, ...] = ()


@cache
def formats(kind: str) -> dict[str, Format]:
    """Every format of a kind, by name, the ones to be tried first in front."""
    import doxeval.formats as package

    found = []
    for module in pkgutil.iter_modules(package.__path__):
        loaded = importlib.import_module(f"{package.__name__}.{module.name}")
        found.extend(f for f in getattr(loaded, "FORMATS", (getattr(loaded, "FORMAT", None),)) if f is not None)
    ranked = sorted((f for f in found if f.kind == kind), key=lambda f: (-f.priority, f.name))
    return {format.name: format for format in ranked}


def format_named(kind: str, name: str) -> Format:
    """The format a user has named."""
    known = formats(kind)
    if name not in known:
        raise UsageError(
            f"no {kind} format is called {name!r}{nearest(name, known)} (known: {', '.join(known)})"
        )
    return known[name]


def recognise(kind: str, source: Source) -> Format:
    """The format whose shape the content has."""
    head = source.head
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text:
        for format in formats(kind).values():
            if format.sniff(text):
                return format
        first = text.split(b"\n", 1)[0][:80].decode(errors="replace")
        raise InputError(
            f"{source.name}: not recognised as {kind}; its first line is {first!r}. "
            f"Name the format if it is one of: {', '.join(formats(kind))}"
        )
    raise InputError(f"{source.name}: is empty; expected {kind}")
