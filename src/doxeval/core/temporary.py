"""Temporary files and folders, removed when they are not needed any more or when this process ends.

Their names are hidden and unique, and tell which process made them; only `kill -9` leaves some behind.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LONGEST_NAME = 255
"""Bytes that the name of a file may have on all usual systems."""
_makers: dict[Path, int] = {}
"""The process that made each temporary file: a fork of it must not remove it."""


@contextmanager
def temporary_file(target: Path | None = None) -> Iterator[Path]:
    """A path next to a target, or in the system's temporary folder; removed at the end if it still exists."""
    target = target or _in_system_folder()
    ending = f".{os.getpid()}.{os.urandom(4).hex()}.part"
    begin = os.fsencode(f".{target.name}")[: LONGEST_NAME - len(ending)]
    path = target.with_name(os.fsdecode(begin) + ending)
    _makers[path] = os.getpid()
    try:
        yield path
    finally:
        _remove(path)


@contextmanager
def temporary_folder(target: Path | None = None) -> Iterator[Path]:
    """A folder next to a target, or in the system's temporary folder; removed at the end with its files."""
    import shutil  # noqa: F401 - needed when a signal removes it, too late to import

    with temporary_file(target) as folder:
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


def remove_files_of(process: int | None) -> None:
    """Remove what another process of this machine, which has ended, left in the system's temporary folder."""
    for path in _in_system_folder().parent.glob(f".*.{process}.*.part"):
        _remove(path)


def _in_system_folder() -> Path:
    from tempfile import gettempdir

    return Path(gettempdir(), "doxeval")


@atexit.register
def remove_all_files() -> None:
    """Remove all temporary files of this process."""
    for path in [path for path, maker in list(_makers.items()) if maker == os.getpid()]:
        _remove(path)
