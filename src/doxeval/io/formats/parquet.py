"""The native tables as Parquet: the same columns as the JSON Lines, and the fastest way in."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import IO, Any

import numpy as np

from doxeval.core.errors import InputError, UsageError
from doxeval.core.notices import Notices
from doxeval.io.formats.build_tables import collect_assessments
from doxeval.io.formats.columns import KIND_OF_KEY, Rows, column_of_flat, rows_of_columns
from doxeval.io.formats.format import Format, Options, refuse_question
from doxeval.io.formats.native import EVERYTHING, IN_STEPS, ONLY_IN_ASSESSMENTS, ONLY_IN_RUNS
from doxeval.io.formats.rows_out import assessment_rows, result_rows
from doxeval.io.formats.step_lines import run_of_rows
from doxeval.io.parquet_files import flat_table_in, parquet_columns, parquet_frame
from doxeval.io.source import PARQUET_MARK, Source
from doxeval.tables.assessments import Assessments
from doxeval.tables.places import CHARACTERS
from doxeval.tables.runs import Run


def sniff(head: bytes) -> bool:
    """The first four bytes of every Parquet file."""
    return head.startswith(PARQUET_MARK)


def kind_of(source: Source) -> str:
    """Whether a Parquet file holds a run or assessments, by its columns."""
    found = _columns(source)
    if _are_spans(found):
        return "run"
    columns = {name.encode() for name in found}
    if b"instance_id" in columns and columns & {b"patch", b"model_patch", b"gold_context"}:
        return "run" if b"model_patch" in columns else "assessments"
    if b"topic" not in columns:
        raise InputError(
            f"{source.name}: Parquet without a column 'topic'; if it holds documents, use --kind documents"
        )
    if columns >= IN_STEPS:
        return "run"
    if columns & ONLY_IN_RUNS and not columns & ONLY_IN_ASSESSMENTS:
        return "run"
    return "assessments"


def _are_spans(columns: Iterable[str]) -> bool:
    """Whether the columns are those of spans, which have no topics."""
    if "topic" in columns:
        return False
    from doxeval.io.formats.spans import are_columns_of_spans

    return are_columns_of_spans(columns)


def _columns(source: Source) -> Iterable[str]:
    """The names of the columns of a file."""
    return parquet_columns(BytesIO(source.read())) or _frame_of_source(source).columns


def _frame_of_source(source: Source) -> Any:
    return parquet_frame(source.read(), source.name)


def _instances(source: Source, patch: str) -> list[tuple[int, Any]] | None:
    """The rows of SWE-bench with their numbers; None for other columns."""
    found = _columns(source)
    if not {"instance_id", patch} <= set(found) or "topic" in found:
        return None
    return list(enumerate(_frame_of_source(source).to_dicts(), start=1))


def _rows_of_source(source: Source) -> Rows:
    table = flat_table_in(source.read())
    if table is None:
        from doxeval.io.formats.frames import rows_of

        return rows_of(_frame_of_source(source), source.name)
    columns = {name: column_of_flat(name, column) for name, column in table.columns.items()}
    return rows_of_columns(columns, table.size, source.name)


def read_run(source: Source, options: Options) -> Run:
    """Read a run, also one of SWE-bench predictions, or the spans of a trace."""
    if _are_spans(_columns(source)):
        from doxeval.io.formats.other_tools import ToolFile
        from doxeval.io.formats.traces import run_of_records

        file = ToolFile(source, Notices())
        spans = enumerate(_frame_of_source(source).to_dicts(), start=1)
        return run_of_records(file, spans, options.named_after(source))
    refuse_question(options, source.name, "parquet")
    if (records := _instances(source, "model_patch")) is not None:
        from doxeval.io.formats.patches import PatchFile, run_of_predictions

        return run_of_predictions(records, PatchFile(source, Notices()), options)
    return run_of_rows(_rows_of_source(source), options.named_after(source))


def read_assessments(source: Source, options: Options) -> Assessments:
    """Read assessments, also those in rows of SWE-bench and ContextBench."""
    if (records := _instances(source, "gold_context")) is not None:
        from doxeval.io.formats.contextbench import context_lines
        from doxeval.io.formats.other_tools import ToolFile, assessments_of_lines

        file = ToolFile(source, Notices())
        return assessments_of_lines(list(context_lines(records, file)), file)
    if (records := _instances(source, "patch")) is not None:
        from doxeval.io.formats.patches import PatchFile, assessments_of_rows

        return assessments_of_rows(records, PatchFile(source, Notices()), options)
    if options.insertions:
        raise UsageError(f"--insertions would do nothing: {source.name} holds no patches")
    return collect_assessments(_rows_of_source(source))


def run_frame(run: Run) -> Any:
    """A run as a polars frame with the native columns."""
    from doxeval.core.polars_here import polars as pl

    plain = run.nodes is None and run.span_offset is None and run.texts is None and run.unit == CHARACTERS
    plain = plain and run.added is None and run.own is None and run.apart is None
    if not plain or (run.end > 1 << 60).any() or len(np.unique(run.topic)) < len(run.topics):
        return _frame_of(result_rows(run))
    columns = {
        "topic": pl.Series(run.topics, dtype=pl.String).gather(run.topic),
        "doc": pl.Series(run.docs, dtype=pl.String).gather(run.doc),
    }
    columns |= {"rank": pl.Series(run.rank)} if run.rank is not None else {}
    columns |= {"score": pl.Series(run.score)} if run.score is not None else {}
    columns |= {"start": pl.Series(run.start), "end": pl.Series(run.end)}
    frame = pl.DataFrame(columns)
    return frame.with_columns(pl.lit(run.tag).alias("run")) if run.tag else frame


def _frame_of(rows: Iterable[dict[str, Any]]) -> Any:
    from doxeval.core.polars_here import polars as pl

    listed = list(rows)
    keys = dict.fromkeys(("topic", "doc", *(key for row in listed for key in row)))
    ranges, names = pl.List(pl.List(pl.Int64)), pl.List(pl.String)
    own = {"spans": ranges, "lines": ranges, "nodes": names, "aspects": names, "box": pl.List(pl.Float64)}
    own |= dict.fromkeys(("moments", "regions"), pl.List(pl.List(pl.Float64)))
    own |= {"region": pl.List(pl.Float64), "cells": ranges}
    plain = {"text": pl.String, "integer": pl.Int64, "number": pl.Float64}
    schema = {key: own.get(key) or plain[KIND_OF_KEY.get(key, "text")] for key in keys}
    if "optional" in schema:
        schema["optional"] = pl.Boolean
    return pl.DataFrame(listed, schema=schema)


def _bytes_of(rows: list[dict[str, Any]]) -> bytes:
    stream = BytesIO()
    _frame_of(rows).write_parquet(stream)
    return stream.getvalue()


def write_run(run: Run, stream: IO[bytes], options: Options) -> None:
    """Write a run."""
    run_frame(run).write_parquet(stream)


def write_assessments(assessments: Assessments, stream: IO[bytes], options: Options) -> None:
    """Write assessments; attributes that are called like a column of numbers cannot stand in it."""
    named = {name for told in assessments.attributes.values() for name in told}
    if taken := sorted(name for name in named if KIND_OF_KEY.get(name, "text") != "text"):
        raise InputError(
            f"the attribute {taken[0]!r} of topics cannot be written as parquet, which has a column of "
            "numbers or lists by this name; write JSON Lines"
        )
    _frame_of(assessment_rows(assessments)).write_parquet(stream)


FORMATS = (
    Format(
        name="parquet",
        kind="run",
        summary="Parquet with the columns of native-run, or a frame of spans from Phoenix",
        traces=True,
        sniff=sniff,
        read=read_run,
        write=write_run,
        holds=lambda options: EVERYTHING,
        binary=True,
        suffixes=(".parquet",),
        sample=lambda: _bytes_of([{"topic": "1", "doc": "d1", "rank": 1, "start": 0, "end": 3}]),
    ),
    Format(
        name="parquet",
        kind="assessments",
        summary="Parquet with the columns of native-assessments",
        patches=True,
        sniff=sniff,
        read=read_assessments,
        write=write_assessments,
        holds=lambda options: EVERYTHING,
        binary=True,
        suffixes=(".parquet",),
        sample=lambda: _bytes_of([{"topic": "1", "doc": "d1", "start": 0, "end": 3}]),
    ),
)
