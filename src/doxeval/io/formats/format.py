"""The definition of a format, and the registry of all formats.

A format is one file in this folder that ends with ``FORMAT = Format(...)`` (or ``FORMATS = (...)``), or is
passed to :func:`doxeval.extend.register`, as by a package that announces itself under the entry point group
``doxeval.formats``; it is then recognised, listed and converted like the others.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import IO, TYPE_CHECKING, Any

from doxeval.core.errors import IdleOption, InputError, UsageError, on_one_line, plug_in_of
from doxeval.core.notices import Notices
from doxeval.core.quick_class import dataclass
from doxeval.core.registry import Registry
from doxeval.io.source import PARQUET_MARK, UTF8_MARK, Source

if TYPE_CHECKING:
    from doxeval.io.formats.field_lines import Cut

TABLE_KINDS = ("run", "assessments", "chunks")
OTHER_KINDS = ("documents", "topics")
"""Kinds of what is read beside tables: documents, which a format yields, and the wording of topics."""
LINES_TRIED = 5
TRACES = "otel-spans"
ARCHIVE_MARK = b"PK\x03\x04"


@dataclass(frozen=True)
class Options:
    """Settings for reading and writing that are not in the file itself.

    `name` is the run's name; `ranges` says how a TREC document id carries a range (`doc_offset_length` or
    `doc#start-end`), `question_attribute` which attribute of a trace holds its question; `merge` how the
    judgements of several assessors become one truth (a rule, or the name of one assessor). `insertions` says
    what is relevant where a patch only adds lines; `level` which of several lists of places is meant;
    `verbatim` keeps what the file of a run says beside its table.
    """

    name: str = ""
    ranges: str = ""
    question_attribute: str = ""
    merge: str = ""
    verbatim: bool = False
    insertions: str = ""
    level: str = ""

    def named_after(self, source: Source) -> Options:
        """The same options, with the file's name for a run that was not named."""
        return replace(self, name=self.name or source.stem)


@dataclass(frozen=True)
class Format:
    """One file format of one kind: `run`, `assessments`, `chunks`, `documents` or `topics`.

    `sniff` looks at the first bytes (at most 64 KiB) and returns whether they are in this format; where
    several formats agree, the one with the highest `priority` is taken. `write` is None for formats that are
    only read; `holds` names what the format can store (see :mod:`doxeval.io.write`), and anything else is
    reported as lost. Binary formats write bytes, all others text. `cut` finds the topics of a block of lines;
    None if a file can only be read whole. `documents` yields the native documents in a file, for formats that
    may hold some. `several` reads files of one topic each as one run, as folders of them are; the second
    source is the folder. A format that `merges` does so while it is read; one that holds `patches` knows
    places where lines are only added; for one that may hold `traces` callers can name the attribute with the
    question.
    `sample` is a small file in the format, `broken` a few lines that must be refused, with their line number,
    wherever they occur: the tests try every format with both.
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
    sample: bytes | Callable[[], bytes] = b""
    broken: tuple[bytes, ...] = ()
    cut: Cut | None = None
    documents: Callable[[Source, Notices], Iterator[dict[str, Any]]] | None = None
    several: Callable[[list[Source], Source, Options], Any] | None = None
    merges: bool = False
    patches: bool = False
    traces: bool = False

    def table(self, source: Source, options: Options) -> Any:
        """The table in a source; any failure of the reader becomes an error that names the source."""
        if options.insertions and not self.patches:
            raise IdleOption(
                "insertions", f"--insertions would do nothing: {source.name} ({self.name}) holds no patches"
            )
        if not self.traces:
            refuse_question(options, source.name, self.name)
        with source:
            table = self.read(source, options)
        if self.kind == "assessments" and not self.merges:
            from doxeval.io.formats.merging import merged_table

            return merged_table(table, options.merge)
        return table


def refuse_question(options: Options, name: str, format: str) -> None:
    """Raise an error if an attribute of traces is named for anything else."""
    if options.question_attribute:
        raise UsageError(f"{name}: a question attribute applies to traces ({TRACES}), but this is {format}")


TRIED_FIRST = ("inex_fol", "inex_assessments", "genomics", "trec")
"""Modules whose formats are tried first: they are recognised with certainty, and the rest need not load."""
TRIED_FIRST_IF_JSON = ("native",)
"""The same for what begins with a brace."""


PACKAGE = "doxeval.io.formats"


def _formats_in(kind: str, module: ModuleType) -> list[Format]:
    """The formats of a kind that a module declares."""
    single = getattr(module, "FORMAT", None)
    declared = getattr(module, "FORMATS", () if single is None else (single,))
    return [format for format in declared if format.kind == kind]


def _is_format(kind: str, thing: Any) -> bool:
    return isinstance(thing, Format) and thing.kind == kind


REGISTRY_OF: dict[str, Registry[Format]] = {
    kind: Registry(
        f"{kind} format",
        takes=partial(_is_format, kind),
        package=PACKAGE,
        group="doxeval.formats",
        held_by=partial(_formats_in, kind),
    )
    for kind in (*TABLE_KINDS, *OTHER_KINDS)
}


def formats(kind: str) -> dict[str, Format]:
    """Every format of a kind, by name, in the order in which they are tried."""
    ranked = sorted(REGISTRY_OF[kind].all().values(), key=lambda format: (-format.priority, format.name))
    return {format.name: format for format in ranked}


def format_named(kind: str, name: str) -> Format:
    """The format with a name; an error with the nearest names if there is none."""
    return REGISTRY_OF[kind][name]


def _tried_first(text: bytes) -> tuple[str, ...]:
    if text.startswith(PARQUET_MARK):
        return ("parquet",)
    return TRIED_FIRST_IF_JSON if text.startswith(b"{") else TRIED_FIRST


def recognise(kind: str, source: Source) -> Format:
    """The format of a kind that matches the content."""
    text = source.head.removeprefix(UTF8_MARK).lstrip()
    for module in _tried_first(text):
        for format in _formats_in(kind, importlib.import_module(f"{PACKAGE}.{module}")):
            if format.sniff(text):
                return format
    return _candidates(source, (kind,))[0]


def can_be_run(source: Source) -> bool:
    """Whether content matches a format of runs, or one of assessments that has a twin for runs."""
    from doxeval.io.formats import parquet

    try:
        best = _candidates(source, TABLE_KINDS)
    except InputError:
        return False
    if best[0] in parquet.FORMATS:
        return parquet.kind_of(source) == "run"
    text = source.head.removeprefix(UTF8_MARK).lstrip()
    runs = formats("run")
    return any(one.kind == "run" or (one.name in runs and runs[one.name].sniff(text)) for one in best)


def recognise_any(source: Source, kinds: Sequence[str] = TABLE_KINDS) -> Format:
    """The format, of any of the kinds, that matches the content."""
    best = _candidates(source, kinds)
    if len({format.kind for format in best}) > 1:
        from doxeval.io.formats import parquet

        if best[0] not in parquet.FORMATS:
            found = " or ".join(f"{format.kind} ({format.name})" for format in best)
            raise InputError(f"{source.name}: could be {found}; choose with --kind")
        kind = parquet.kind_of(source)
        best = [format for format in best if format.kind == kind]
    return best[0]


def _candidates(source: Source, kinds: Sequence[str]) -> list[Format]:
    """The formats of highest priority that match the first line, or one of the next few."""
    text = source.head.removeprefix(UTF8_MARK).lstrip()
    wanted = " or ".join(kinds)
    if not text:
        source.close()
        if source.is_empty:
            raise InputError(f"{source.name}: is empty; expected {wanted}")
        raise InputError(
            f"{source.name}: begins with 64 KiB of white space; expected {wanted}; name the format"
        )
    known = [format for kind in kinds for format in formats(kind).values()]
    rest = text
    failed: dict[str, None] = {}
    for _ in range(LINES_TRIED):
        found = [format for format in known if _matches(format, rest, failed)]
        if found:
            return [format for format in found if format.priority == max(f.priority for f in found)]
        rest = rest.partition(b"\n")[2].lstrip()
    source.close()
    first = text.split(b"\n", 1)[0][:80].decode(errors="replace")
    raise InputError(
        f"{source.name}: not recognised as {wanted}{_other_kind(text, kinds)}; its first line is {first!r}. "
        f"Name the format if it is one of: {', '.join(dict.fromkeys(f.name for f in known))}"
        f"{''.join(f'; {failure}' for failure in failed)}"
        f"{''.join(REGISTRY_OF[kind].failures_told for kind in kinds[:1])}"
    )


def _matches(format: Format, text: bytes, failed: dict[str, None]) -> bool:
    """Whether a text is in a format; one of a plug-in that fails is not, and is added to `failed`."""
    try:
        return format.sniff(text)
    except Exception as problem:
        plug_in = plug_in_of(problem)
        if not plug_in:
            raise
        failed[f"the plug-in {plug_in} failed (format {format.name}): {on_one_line(problem)}"] = None
        return False


def _other_kind(text: bytes, kinds: Sequence[str]) -> str:
    """A hint such as `` but as run (inex-fol)``, for arguments in the wrong order."""
    others = [format for kind in TABLE_KINDS if kind not in kinds for format in formats(kind).values()]
    found = [f"{format.kind} ({format.name})" for format in others if format.sniff(text)]
    if not found and text.startswith(ARCHIVE_MARK):
        found = ["an archive or index of documents (--docs)"]
    return f" but as {found[0]}" if found else ""
