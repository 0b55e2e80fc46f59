"""The native tables as Parquet: the same columns as the JSON Lines, and the fastest way in."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import IO, Any

import numpy as np

from doxeval.core.errors import InputError, UsageError
from doxeval.core.notices import Notices
from doxeval.io.formats.build_tables import build_run, collect_assessments
from doxeval.io.formats.columns import KIND_OF_KEY, Rows
from doxeval.io.formats.format import Format, Options
from doxeval.io.formats.frames import rows_of
from doxeval.io.formats.native import EVERYTHING, ONLY_IN_ASSESSMENTS, ONLY_IN_RUNS
from doxeval.io.formats.patches import PatchFile, assessments_of_rows, run_of_predictions
from doxeval.io.formats.rows_out import assessment_rows, result_rows
from doxeval.io.parquet_files import PARQUET_MAGIC, parquet_columns, parquet_frame
from doxeval.io.source import Source
from doxeval.tables.assessments import Assessments
from doxeval.tables.places import LINES
from doxeval.tables.runs import Run


def sniff(head: bytes) -> bool:
    """The first four bytes of every Parquet file."""
    return head.startswith(PARQUET_MAGIC)


def kind_of(source: Source) -> str:
    """Whether a Parquet file holds a run or assessments, by its columns."""
    found = parquet_columns(BytesIO(source.read())) or _frame_of_source(source).columns
    columns = {name.encode() for name in found}
    if b"instance_id" in columns and columns & {b"patch", b"model_patch"}:
        return "run" if b"model_patch" in columns else "assessments"
    if b"topic" not in columns:
        raise InputError(
            f"{source.name}: Parquet without a column 'topic'; if it holds documents, use --kind documents"
        )
    if columns & ONLY_IN_RUNS and not columns & ONLY_IN_ASSESSMENTS:
        return "run"
    return "assessments"


def _frame_of_source(source: Source) -> Any:
    return parquet_frame(source.read(), source.name)


def _instances(source: Source, patch: str) -> list[tuple[int, Any]] | None:
    """The rows of SWE-bench with their numbers; None for other columns."""
    found = parquet_columns(BytesIO(source.read())) or _frame_of_source(source).columns
    if not {"instance_id", patch} <= set(found) or "topic" in found:
        return None
    return list(enumerate(_frame_of_source(source).to_dicts(), start=1))


def _rows_of_source(source: Source) -> Rows:
    return rows_of(_frame_of_source(source), source.name)


def read_run(source: Source, options: Options) -> Run:
    """Read a run, also one of SWE-bench predictions."""
    if (records := _instances(source, "model_patch")) is not None:
        return run_of_predictions(records, PatchFile(source, Notices()), options)
    return build_run(_rows_of_source(source), options.named_after(source))


def read_assessments(source: Source, options: Options) -> Assessments:
    """Read assessments, also those in SWE-bench rows."""
    if (records := _instances(source, "patch")) is not None:
        return assessments_of_rows(records, PatchFile(source, Notices()), options)
    if options.insertions:
        raise UsageError(f"--insertions would do nothing: {source.name} holds no patches")
    return collect_assessments(_rows_of_source(source))


def run_frame(run: Run) -> Any:
    """A run as a polars frame with the native columns."""
    import polars as pl

    plain = run.nodes is None and run.span_offset is None and run.texts is None and run.unit != LINES
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
    import polars as pl

    listed = list(rows)
    keys = dict.fromkeys(("topic", "doc", *(key for row in listed for key in row)))
    ranges, names = pl.List(pl.List(pl.Int64)), pl.List(pl.String)
    own = {"spans": ranges, "lines": ranges, "nodes": names, "aspects": names, "box": pl.List(pl.Float64)}
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
        summary="Parquet with the columns of native-run",
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
