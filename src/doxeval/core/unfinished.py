"""What is unfinished has a name of its own, and is gone when it is not needed or this process ends.

Only `kill -9` leaves something behind.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_makers: dict[Path, int] = {}
"""The process that makes each unfinished thing: a fork of it must not take it away."""


@contextmanager
def unfinished(target: Path | None = None) -> Iterator[Path]:
    """A hidden name beside a target, or where temporary files go; what is there at the end is removed."""
    target = target or _temporary()
    path = target.with_name(f".{target.name}.{os.getpid()}.{os.urandom(4).hex()}.part")
    _makers[path] = os.getpid()
    try:
        yield path
    finally:
        _remove(path)


@contextmanager
def workshop(target: Path | None = None) -> Iterator[Path]:
    """A folder for what is unfinished."""
    import shutil  # noqa: F401 - a signal, at which it is removed, is no time for imports

    with unfinished(target) as folder:
        folder.mkdir()
        yield folder


def _remove(path: Path) -> None:
    if path.is_dir():
        from shutil import rmtree

        rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()
    _makers.pop(path, None)


def remove_unfinished_of(process: int | None) -> None:
    """Remove what another process of this machine, which is no more, has left among the temporary files."""
    for path in _temporary().parent.glob(f".*.{process}.*.part"):
        _remove(path)


def _temporary() -> Path:
    from tempfile import gettempdir

    return Path(gettempdir(), "doxeval")


@atexit.register
def remove_unfinished() -> None:
    """Remove all that this process has not finished."""
    for path in [path for path, maker in list(_makers.items()) if maker == os.getpid()]:
        _remove(path)
