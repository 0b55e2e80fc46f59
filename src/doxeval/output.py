"""Writing so that nothing is ever half written."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from doxeval.errors import UsageError


@contextlib.contextmanager
def atomic(path: str | Path) -> Iterator[IO[bytes]]:
    """A binary stream that becomes the file only when all went well; `-` is standard output."""
    if str(path) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    import tempfile

    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    except OSError as problem:
        raise UsageError(f"{path}: cannot be written: {problem.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(target)
    except BaseException as problem:
        Path(name).unlink(missing_ok=True)
        if isinstance(problem, OSError):
            raise UsageError(f"{path}: cannot be written: {problem.strerror}") from None
        raise
