"""Parquet files read safely: in a separate process, since malicious pages can crash the one reading them.

That process returns the table as an Arrow file, which is deleted once it is read.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO, TYPE_CHECKING

from doxeval.core.errors import InputError
from doxeval.core.sandbox import SandboxDied, run_sandboxed
from doxeval.core.temporary import temporary_file
from doxeval.io.limits import input_limits

if TYPE_CHECKING:
    import polars

TAIL = 8
"""A Parquet file ends with the length of its metadata and the four bytes it begins with."""
CELL = 16
"""Bytes that a string takes in a table in addition to its letters."""
ROOM = 2 << 30
"""Bytes that reading takes in addition to the content."""


def parquet_frame(origin: bytes | Path, name: str, ours: bool = False) -> polars.DataFrame:
    """The content of a Parquet file, from bytes or a path; bytes that are `ours` are trusted."""
    import polars as pl

    if ours:
        return _read(origin, name)
    limits = input_limits()
    packed = len(origin) if isinstance(origin, bytes) else origin.stat().st_size
    most = max(limits.unsuspicious, min(limits.unpacked, limits.ratio * packed))
    with temporary_file() as handed:
        try:
            lasting = origin if isinstance(origin, bytes) else origin.absolute()
            run_sandboxed(_hand_over, lasting, name, handed, most, memory=ROOM + 4 * most)
        except SandboxDied as end:
            raise InputError(
                f"{name}: damaged or malicious: {end}; if it is neither, it needs more memory "
                "(--max-ratio, --max-unpacked)"
            ) from None
        return pl.read_ipc(handed)


def _hand_over(origin: bytes | Path, name: str, target: Path, most: int) -> None:
    """Read a file and save its table at a path; one larger than `most` bytes is refused."""
    frame = _read(origin, name)
    if (size := frame.estimated_size() + CELL * frame.height * frame.width) > most:
        raise InputError(
            f"{name}: unpacks to {size:,} bytes, more than {most:,} (--max-ratio, --max-unpacked)"
        )
    try:
        frame.write_ipc(target, compression="uncompressed")
    except OSError as problem:
        raise InputError(f"{name}: cannot be unpacked in {target.parent}: {problem.strerror}") from None


def _read(origin: bytes | Path, name: str) -> polars.DataFrame:
    import polars as pl

    try:
        source = io.BytesIO(origin) if isinstance(origin, bytes) else origin
        return pl.read_parquet(source, hive_partitioning=False, glob=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as problem:
        told = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise InputError(f"{name}: damaged Parquet file: {told}") from None


def parquet_columns(stream: IO[bytes]) -> set[str]:
    """The names of the columns of a Parquet file, from its end; empty if it is damaged."""
    try:
        stream.seek(-TAIL, io.SEEK_END)
        tail = stream.read(TAIL)
        stream.seek(-TAIL - int.from_bytes(tail[:4], "little"), io.SEEK_END)
        return run_sandboxed(_columns, tail[4:] + stream.read())
    except (SandboxDied, OSError, ValueError):
        return set()


def _columns(content: bytes) -> set[str]:
    import polars as pl

    try:
        return set(pl.read_parquet_schema(io.BytesIO(content)))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return set()
