"""Unfinished files have names of their own, and are removed when not needed or when this process ends.

Only `kill -9` leaves something behind.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_makers: dict[Path, int] = {}
"""The process that makes each unfinished file: a fork of it must not remove it."""


@contextmanager
def unfinished(target: Path | None = None) -> Iterator[Path]:
    """A hidden path next to a target, or among temporary files; removed at the end if it still exists."""
    target = target or _temporary()
    path = target.with_name(f".{target.name}.{os.getpid()}.{os.urandom(4).hex()}.part")
    _makers[path] = os.getpid()
    try:
        yield path
    finally:
        _remove(path)


@contextmanager
def workshop(target: Path | None = None) -> Iterator[Path]:
    """A folder for unfinished files."""
    import shutil  # noqa: F401 - needed when a signal removes it, too late to import

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
    """Remove the unfinished temporary files of another process of this machine that has ended."""
    for path in _temporary().parent.glob(f".*.{process}.*.part"):
        _remove(path)


def _temporary() -> Path:
    from tempfile import gettempdir

    return Path(gettempdir(), "doxeval")


@atexit.register
def remove_unfinished() -> None:
    """Remove all unfinished files of this process."""
    for path in [path for path, maker in list(_makers.items()) if maker == os.getpid()]:
        _remove(path)
