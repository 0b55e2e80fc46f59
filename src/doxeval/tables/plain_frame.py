"""Foreign frames, restricted to plain types of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars


def plain_frame(frame: polars.DataFrame) -> polars.DataFrame:
    """The same frame with decimals, as written by DuckDB, as floats or integers, even in lists and structs.

    Columns of 128-bit integers become 64-bit ones if these can hold all values.

    >>> import polars as pl
    >>> plain_frame(pl.DataFrame({"score": ["1.5"], "rank": ["2"]}).cast(pl.Decimal(4, 1))).rows()
    [(1.5, 2.0)]
    """
    import polars as pl

    schema = frame.schema
    plain = {name: _plain(dtype) for name, dtype in schema.items()}
    if any(dtype != schema[name] for name, dtype in plain.items()):
        frame = frame.cast({name: dtype for name, dtype in plain.items() if dtype != schema[name]})
    wide = [series for series in frame if series.dtype in (pl.Int128, pl.UInt128)]
    if not wide:
        return frame
    narrow = [series.cast(pl.Int64, strict=False) for series in wide]
    return frame.with_columns(
        new for new, old in zip(narrow, wide, strict=True) if new.null_count() == old.null_count()
    )


def _plain(dtype: Any) -> Any:
    """The plain type for a type."""
    import polars as pl

    if isinstance(dtype, pl.Decimal):
        return pl.Float64() if dtype.scale else pl.Int128()
    if isinstance(dtype, pl.List | pl.Array):
        inner = _plain(dtype.inner)
        return dtype if inner == dtype.inner else pl.List(inner)
    if isinstance(dtype, pl.Struct):
        return pl.Struct({field.name: _plain(field.dtype) for field in dtype.fields})
    return dtype
