"""Parquet files read safely: a damaged one is an error with its name, even where polars itself breaks."""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO, TYPE_CHECKING

from doxeval.core.errors import InputError

if TYPE_CHECKING:
    import polars


def parquet_frame(origin: bytes | Path, name: str) -> polars.DataFrame:
    """The content of a Parquet file, by its bytes or its path."""
    import polars as pl

    try:
        source = io.BytesIO(origin) if isinstance(origin, bytes) else origin
        return pl.read_parquet(source, hive_partitioning=False, glob=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as problem:
        told = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise InputError(f"{name}: damaged Parquet file: {told}") from None


def parquet_columns(stream: IO[bytes]) -> set[str]:
    """The names of the columns of a Parquet file; none where it is damaged."""
    import polars as pl

    try:
        return set(pl.read_parquet_schema(stream))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return set()
