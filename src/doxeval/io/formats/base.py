"""What a format is, and the registry of all of them.

A format is one file in this folder that ends with ``FORMAT = Format(...)`` (or ``FORMATS = (...)``); it is
then recognised, listed and converted by itself.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import IO, Any

from doxeval.core.errors import InputError, UsageError, nearest
from doxeval.io.source import UTF8_MARK, Source

KINDS = ("run", "assessments", "chunks")
LINES_TRIED = 5
ARCHIVE_MARK = b"PK\x03\x04"


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
    one with the highest `priority` is taken. `write` is None where the format is only read; `holds` names
    what it can write (see :mod:`doxeval.io.write`), the rest is told as lost. A binary format writes bytes,
    all others text.
    """

    name: str
    kind: str
    summary: str
    sniff: Callable[[bytes], bool]
    read: Callable[[Source, Options], Any]
    write: Callable[[Any, IO[Any], Options], None] | None = None
    holds: Callable[[Options], frozenset[str]] = lambda options: frozenset()
    priority: int = 0
    binary: bool = False
    suffixes: tuple[str, ...] = ()


COMMON = ("inex_fol", "inex_assessments", "native")
"""Modules whose formats are looked at first: their shapes are certain, and the others need not be loaded."""


@cache
def formats(kind: str) -> dict[str, Format]:
    """Every format of a kind, by name, the ones to be tried first in front."""
    import doxeval.io.formats as package

    found = [f for module in pkgutil.iter_modules(package.__path__) for f in _formats_of(module.name)]
    ranked = sorted((f for f in found if f.kind == kind), key=lambda f: (-f.priority, f.name))
    return {format.name: format for format in ranked}


def _formats_of(module: str) -> tuple[Format, ...]:
    loaded = importlib.import_module(f"doxeval.io.formats.{module}")
    single = getattr(loaded, "FORMAT", None)
    return getattr(loaded, "FORMATS", () if single is None else (single,))


def format_named(kind: str, name: str) -> Format:
    """The format a user has named."""
    known = formats(kind)
    if name not in known:
        raise UsageError(
            f"no {kind} format is called {name!r}{nearest(name, known)} (known: {', '.join(known)})"
        )
    return known[name]


def recognise(kind: str, source: Source) -> Format:
    """The format of a kind whose shape the content has."""
    text = source.head.removeprefix(UTF8_MARK).lstrip()
    for module in COMMON:
        for format in _formats_of(module):
            if format.kind == kind and format.sniff(text):
                return format
    return _candidates(source, (kind,))[0]


def recognise_any(source: Source, kinds: Sequence[str] = KINDS) -> Format:
    """The format, of whatever kind, whose shape the content has."""
    best = _candidates(source, kinds)
    if len({format.kind for format in best}) > 1:
        from doxeval.io.formats.parquet import FORMATS, kind_of

        if best[0] not in FORMATS:
            found = " or ".join(f"{format.kind} ({format.name})" for format in best)
            raise InputError(f"{source.name}: may be {found}; say which with --kind")
        kind = kind_of(source)
        best = [format for format in best if format.kind == kind]
    return best[0]


def _candidates(source: Source, kinds: Sequence[str]) -> list[Format]:
    """The formats with the highest priority that know the first line, or one of the next few."""
    text = source.head.removeprefix(UTF8_MARK).lstrip()
    wanted = " or ".join(kinds)
    if not text:
        source.close()
        raise InputError(f"{source.name}: is empty; expected {wanted}")
    known = [format for kind in kinds for format in formats(kind).values()]
    rest = text
    for _ in range(LINES_TRIED):
        found = [format for format in known if format.sniff(rest)]
        if found:
            return [format for format in found if format.priority == max(f.priority for f in found)]
        rest = rest.partition(b"\n")[2].lstrip()
    source.close()
    first = text.split(b"\n", 1)[0][:80].decode(errors="replace")
    raise InputError(
        f"{source.name}: not recognised as {wanted}{_other_kind(text, kinds)}; its first line is {first!r}. "
        f"Name the format if it is one of: {', '.join(dict.fromkeys(f.name for f in known))}"
    )


def _other_kind(text: bytes, kinds: Sequence[str]) -> str:
    """A hint such as `` but as run (inex-fol)``, for files that were swapped."""
    others = [format for kind in KINDS if kind not in kinds for format in formats(kind).values()]
    found = [f"{format.kind} ({format.name})" for format in others if format.sniff(text)]
    if not found and text.startswith(ARCHIVE_MARK):
        found = ["an archive or index of documents (--docs)"]
    return f" but as {found[0]}" if found else ""
