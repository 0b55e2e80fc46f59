"""Read documents, assessments and runs from files, frames or lists of dicts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.core.errors import IdleOption, InputError, UsageError, guard, nearest
from doxeval.core.notices import Notices
from doxeval.core.phrases import counted
from doxeval.io.encodings import GUESS
from doxeval.io.formats.format import (
    TABLE_KINDS,
    Options,
    format_named,
    formats,
    recognise,
    recognise_any,
)
from doxeval.io.source import Source
from doxeval.tables.assessments import Assessments
from doxeval.tables.page_cells import on_grid
from doxeval.tables.places import AREA
from doxeval.tables.runs import Run

if TYPE_CHECKING:
    from doxeval.io.documents.page_layout import Layout
    from doxeval.io.formats.format import Format
    from doxeval.tables.documents import Documents
    from doxeval.tables.runs import Chunks
    from doxeval.tables.wordings import Topics

RowsGiven = Iterable[Mapping[str, Any]]


def read_run(
    data: str | Path | bytes | RowsGiven | Any,
    *,
    input_format: str | None = None,
    name: str = "",
    ranges: str = "",
    encoding: str | None = None,
    question_attribute: str = "",
    verbatim: bool = False,
    level: str | None = None,
    grid: int | None = None,
) -> Run:
    """Read one system's results.

    `data` is a path (`-` for standard input; a folder of trajectories or patches), bytes, a list of dicts or
    a polars or pandas frame with the columns of the native format, or of spans. The format is recognised from
    the content unless it is named; `ranges` says how TREC document ids carry ranges (see
    ``doxeval convert --help``). Text is read as UTF-8, as another
    encoding that is evident, or in the `encoding` named. `question_attribute` names the attribute of a trace
    that holds the question. `verbatim` keeps what an INEX file says, even in lines that are refused, for its
    official scorer (`as_scored`). Regions of pages become cells of a `grid`, 1,000 in a row by default. A
    table of results is returned unchanged, or under the `name` given.
    """
    if isinstance(data, Run):
        return replace(data, name=name) if name else data
    options = Options(name, ranges, question_attribute, verbatim=verbatim, level=level or "")
    with on_grid(grid):
        run: Run = _read_kind("run", data, input_format, options, encoding)
    return run


def read_assessments(
    data: str | Path | bytes | RowsGiven | Any,
    *,
    input_format: str | None = None,
    ranges: str = "",
    encoding: str | None = None,
    merge: str = "",
    insertions: str | None = None,
    level: str | None = None,
    grid: int | None = None,
) -> Assessments:
    """Read assessments from a path, bytes, a list of dicts or a frame, as for :func:`read_run`.

    A table of assessments is returned unchanged. For judgements by several assessors, `merge`
    says what counts: `union` (the default), `majority`, `intersection`, or the name of one assessor; with
    `best` or `mean` they are kept apart, and runs are scored against each. Where a
    patch only adds lines, `insertions` says what is relevant: the lines before and after (`neighbours`), the
    named node around them (`enclosing`), or nothing (`none`). Where a file has places of several levels,
    `level` says which: `file`, `module`, `class` or `function`. Regions become cells of a `grid`.
    """
    if isinstance(data, Assessments):
        if grid not in (None, data.grid):
            raise IdleOption("grid", f"the assessments are already read, on a grid of {data.grid:,}")
        if insertions:
            raise IdleOption("insertions", "insertions would do nothing: the assessments are already read")
        if not merge:
            return data
        from doxeval.io.formats.merging import merged_table

        return merged_table(data, merge)
    options = Options(ranges=ranges, merge=merge, insertions=insertions or "", level=level or "")
    with on_grid(grid):
        assessments: Assessments = _read_kind("assessments", data, input_format, options, encoding)
    if grid is not None and AREA not in (assessments.unit, assessments.apart and assessments.apart.unit):
        raise IdleOption("grid", f"grid={grid} would do nothing: no pages are measured in area")
    return assessments


def read_chunks(data: str | Path | bytes | RowsGiven | Any, *, input_format: str | None = None) -> Chunks:
    """Read the list of all chunks of a collection (doc, start, end): CSV, JSON Lines, dicts or a frame.

    A table of chunks is returned unchanged.
    """
    from doxeval.tables.runs import Chunks

    if isinstance(data, Chunks):
        return data
    chunks: Chunks = _read_kind("chunks", data, input_format, Options())
    return chunks


def read_documents(
    data: str | Path | bytes | Iterable[str | Path] | Mapping[str, Any] | RowsGiven | Any,
    *,
    input_format: str | None = None,
) -> Documents:
    """Read documents from any supported source; a table of documents is returned unchanged.

    Sources are a file, folder, glob, archive or index, or a list of these; native JSON Lines as bytes or from
    standard input (`-`); `{name: text}`; a document or a list of documents as dicts, or as objects of
    LangChain, LlamaIndex, Haystack or Docling; a polars or pandas frame.
    """
    from doxeval.io.documents.index import load_documents

    return load_documents(data, input_format)


def read_topics(data: Topics | Mapping[str, Any] | str | Path | bytes | None) -> Topics:
    """Read the wording and the attributes of topics; no data are no topics.

    `data` is a file of JSON Lines (`topic`, `query`, attributes) or of lines `topic TAB query`, or a mapping
    from topics to their wording, or to dicts. Topics are returned unchanged.

    >>> read_topics({"q1": "why?", "q2": {"query": "when?", "hops": 2}}).attributes
    {'q2': {'hops': '2'}}
    """
    from doxeval.io.topics import topics_of

    return topics_of(data)


def read_layout(data: str | Path | bytes) -> Layout:
    """Read where the text of a document is on its pages, from a PDF file or Docling JSON.

    `layout.ranges(page, box)` are the ranges of the text in a box, `layout.boxes(start, end)` the boxes of a
    range: (left, bottom, right, top) in points from the lower left corner of the page, pages counted from 1.
    """
    from doxeval.io.documents.docling import is_docling, layout_of_docling
    from doxeval.io.documents.json_documents import load_json
    from doxeval.io.documents.parsing import format_of_content
    from doxeval.io.documents.pdf import layout_of_pdf
    from doxeval.io.documents.tree import Refused

    with Source(data) as source:
        content = source.read()
        try:
            if format_of_content(content) == "pdf":
                return layout_of_pdf(content)
            if is_docling(document := load_json(content)):
                return layout_of_docling(document)
        except Refused as problem:
            raise InputError(f"{source.name}: no layout: {problem}") from None
        raise InputError(f"{source.name}: expected a PDF file or a DoclingDocument as JSON")


def read_any(
    data: Any,
    kind: str | None,
    format: str | None,
    options: Options = Options(),  # noqa: B008
    encoding: str | None = None,
) -> tuple[str, str, Any]:
    """Read data of any kind: its kind, the format of a file ("" if it is none), and the table.

    Rows in memory are a run unless their kind is named.
    """
    from doxeval.io.documents.parsing import holds_documents
    from doxeval.tables.documents import Documents
    from doxeval.tables.runs import Chunks

    tables = {Run: "run", Assessments: "assessments", Chunks: "chunks", Documents: "documents"}
    if type(data) in tables:
        return tables[type(data)], "", data
    known = (*TABLE_KINDS, "documents")
    if kind is not None and kind not in known:
        raise UsageError(f"kind must be one of {', '.join(known)}, not {kind!r}{nearest(str(kind), known)}")
    is_path = isinstance(data, str | Path)
    if is_path and kind in (None, "run") and _is_folder_of_steps(Path(data), kind):
        return "run", format or "folder", _read_kind("run", data, format, options, encoding)
    if kind == "documents" or (is_path and not kind and not format and holds_documents(str(data))):
        return "documents", "", read_documents(data, input_format=format)
    if not is_path and not isinstance(data, bytes):
        return kind or "run", "", _read_kind(kind or "run", data, format, options, encoding)
    return read_table(data, kind=kind, format=format, options=options, encoding=encoding)


def _is_folder_of_steps(path: Path, kind: str | None) -> bool:
    """Whether a path is a folder that must be a run, or clearly is one: it holds trajectories."""
    if not path.is_dir():
        return False
    from doxeval.io.formats.folders import begins_with_session, folder_of_topics
    from doxeval.io.formats.swe_agent import FORMAT

    if kind == "run":
        return True
    return folder_of_topics(path, FORMAT.name) is not None or begins_with_session(path)


def read_table(
    path: str | Path | bytes,
    *,
    kind: str | None = None,
    format: str | None = None,
    options: Options = Options(),  # noqa: B008
    encoding: str | None = None,
) -> tuple[str, str, Any]:
    """Read a file of any kind; returns the kind (run, assessments or chunks), the format and the table."""
    if path and not isinstance(path, bytes) and Path(path).is_dir():
        table = _read_folder(Path(path), format, options, encoding)
        return "assessments", format or "folder", table
    with _text_source(path, encoding) as source:
        if format:
            chosen = format_named(kind or _kind_of_format(format), format)
        else:
            chosen = recognise_any(source, (kind,) if kind else TABLE_KINDS)
        return chosen.kind, chosen.name, _table(chosen, source, options)


def _kind_of_format(name: str) -> str:
    """The kind of a format, by name; an unknown name is an error with the nearest ones."""
    kinds = [kind for kind in TABLE_KINDS if name in formats(kind)]
    if len(kinds) > 1:
        raise UsageError(f"{name} can hold {' or '.join(kinds)}; choose with --kind")
    if not kinds:
        known = [known for kind in TABLE_KINDS for known in formats(kind)]
        raise UsageError(f"unknown format {name!r}{nearest(name, known)} (known: {', '.join(known)})")
    return kinds[0]


def _read_kind(
    kind: str, data: Any, format: str | None, options: Options, encoding: str | None = None
) -> Any:
    """Read data as a kind of table; an empty file is a run without results, but not assessments."""
    if not isinstance(data, str | Path | bytes):
        from doxeval.io.formats.frames import table_from_rows

        with guard(f"the {kind} given"):
            table = table_from_rows(kind, data, options)
            if kind == "assessments":
                from doxeval.io.formats.merging import merged_table

                table = merged_table(table, options.merge)
            return _with_something_left(table)
    if kind == "assessments" and data and not isinstance(data, bytes) and Path(data).is_dir():
        return _read_folder(Path(data), format, options, encoding)
    if kind == "run" and not isinstance(data, bytes) and Path(data).is_dir():
        from doxeval.io.formats.folders import read_folder_as_run

        return read_folder_as_run(Path(data), format, options)
    with _text_source(data, encoding) as source:
        if kind == "run" and source.is_empty:
            return _empty_run(source, options)
        chosen = format_named(kind, format) if format else recognise(kind, source)
        return _table(chosen, source, options)


def _table(chosen: Format, source: Source, options: Options) -> Any:
    """The table in a source of a known format; an error for an option that the format has no use for."""
    return _with_something_left(chosen.table(source, options), source, options.verbatim)


def _read_folder(folder: Path, format: str | None, options: Options, encoding: str | None) -> Assessments:
    """The files of a folder that have the suffix of an annotation tool, as one table of assessments."""
    from doxeval.io.formats.beir import file_of_folder
    from doxeval.io.formats.other_tools import joined_assessments
    from doxeval.io.formats.patches import SUFFIXES as PATCH_SUFFIXES

    if (qrels := file_of_folder(folder, "assessments")) is not None:
        return _read_kind("assessments", qrels, format, options, encoding)
    known = formats("assessments").values() if format is None else [format_named("assessments", format)]
    suffixes = {suffix for one in known if format or one.write is None for suffix in one.suffixes}
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in suffixes and path.is_file())
    if not files:
        expected = f"files named {' or '.join(f'*{suffix}' for suffix in sorted(suffixes))}"
        raise InputError(f"{folder}: a folder without {expected}; expected such a folder, or a file")
    tables, empty = [], []
    for path in files:
        try:
            tables.append(_read_kind("assessments", path, format, options, encoding))
        except InputError as problem:
            if path.suffix not in PATCH_SUFFIXES:
                raise
            empty.append(str(problem))
    if not tables:
        raise InputError(empty[0])
    joined = joined_assessments(tables, str(folder))
    joined.notices.add_each(
        "{count} {patch is|patches are} left out: nothing is relevant", empty, lasting=True
    )
    return joined


def _text_source(data: str | Path | bytes, encoding: str | None = None) -> Source:
    return Source(data, encoding=encoding or GUESS)


def _with_something_left(table: Any, source: Source | None = None, verbatim: bool = False) -> Any:
    """The table, with a notice of its encoding if detected; an error if nothing in a file is part of it.

    A run that keeps its lines `verbatim` has something left in any case.
    """
    size = len(table.pair_doc) if isinstance(table, Assessments) else len(table)
    if isinstance(table, Run) and table.steps is not None:
        size += len(table.steps)
    if not size and not verbatim and (refusals := table.notices.refusals):
        raise InputError(f"{'; '.join(map(str, refusals))}; nothing is left")
    if not size and not verbatim and source is not None:
        _refuse_nothing(table, source)
    if source is not None and source.found_encoding:
        note_encoding(source, table.notices)
    return table


def _refuse_nothing(table: Any, source: Source) -> None:
    """Raise an error for a file of assessments that has none, or one of whose records nothing was used.

    A run without results is one that retrieves nothing, which is said.
    """
    told = "; ".join(map(str, table.notices))
    if isinstance(table, Assessments):
        queries = (
            f": found only the queries of {counted(len(table.queries), 'topic')}" if table.queries else ""
        )
        raise InputError(f"{source.name}: holds no assessments{queries}{f' ({told})' if told else ''}")
    if isinstance(table, Run) and not table.topics:
        if told:
            raise InputError(f"{source.name}: holds no results ({told})")
        table.notices.add(f"{source.name}: holds no results; scored as a run that retrieves nothing")


def note_encoding(source: Source, notices: Notices) -> None:
    """Add a notice about a file that is not UTF-8."""
    notices.add(
        f"{source.name}: is not UTF-8; read as {source.found_encoding} (see --encoding)",
        harmless=True,
    )


def _empty_run(source: Source, options: Options) -> Run:
    notices = Notices()
    notices.add(f"{source.name}: is empty; scored as a run that retrieves nothing")
    nothing = np.zeros(0, dtype=np.int64)
    codes = np.zeros(0, dtype=np.int32)
    return Run(
        options.name or source.stem, [], [], codes, codes, nothing, nothing,
        rank=nothing, source=source.name, notices=notices,
    )  # fmt: skip
