"""Writing so that nothing is ever half written."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from doxeval.core.errors import UsageError


@contextlib.contextmanager
def atomic(path: str | Path) -> Iterator[IO[bytes]]:
    """A binary stream that becomes the file only when all went well; `-` is standard output."""
    if str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path)
    part = target.parent / f".{target.name}.{os.getpid()}.{threading.get_ident()}.part"
    try:
        with part.open("wb") as stream:
            yield stream
        part.replace(target)
    except BaseException as problem:
        with contextlib.suppress(OSError):
            part.unlink()
        if isinstance(problem, OSError):
            raise UsageError(f"{path}: cannot be written: {problem.strerror}") from None
        raise


FORMS = ("table", "csv", "jsonl", "json", "parquet", "md", "latex")


def form_of(target: str | Path) -> str:
    """The form that a file's suffix asks for; a table for everything else.

    >>> form_of("scores.csv"), form_of("scores.tex"), form_of("-")
    ('csv', 'latex', 'table')
    """
    suffix = str(target).rpartition(".")[2].lower()
    return {"tex": "latex", "txt": "table", "ndjson": "jsonl"}.get(
        suffix, suffix if suffix in FORMS else "table"
    )
