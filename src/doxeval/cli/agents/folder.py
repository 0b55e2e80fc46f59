"""The one folder whose files tools may read, and the way out of it that is closed."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from doxeval.core.errors import InputError, UsageError, nearest

MOST_ENTRIES = 100_000
"""Folders with more entries are not looked through, and refused."""
WORDS = re.compile(r"'([^']*)'|\"([^\"]*)\"|([^(),='\"]+)")
"""The words of a call: what is between its brackets, commas and signs of equality, or in quotes."""


class Folder:
    """A folder to stay in: paths are resolved, links included, and refused if they lead out of it."""

    def __init__(self, path: str | Path) -> None:
        try:
            self.root = Path(path).resolve(strict=True)
        except (OSError, ValueError):
            raise InputError(f"{path}: no such folder") from None
        if not self.root.is_dir():
            raise InputError(f"{path}: is not a folder; name the one that holds the files to look at")

    def paths(self, named: str) -> list[str]:
        """The files and folders that a path or a pattern names, relative to the folder."""
        if any(letter in named for letter in "*?[") and not os.path.lexists(self.root / named):
            pattern = os.path.relpath(self.root / named, self.root)
            self._inside(pattern)
            found = sorted(str(path) for path in self.root.glob(pattern))
            if not found:
                raise InputError(f"{named}: no file of the folder matches")
            return [self.path(path) for path in found]
        return [self.path(named)]

    def path(self, named: str) -> str:
        """A file or folder relative to the folder; an error if it is elsewhere, or not a file."""
        found = self._inside(named)
        try:
            state = found.stat()
        except (OSError, ValueError):
            raise InputError(f"{named}: no such file{self._nearest(named)}") from None
        if stat.S_ISDIR(state.st_mode):
            self._look_through(found, named)
        elif not stat.S_ISREG(state.st_mode):
            raise UsageError(f"{named}: is neither a file nor a folder, and is not read")
        return os.path.relpath(found, self.root)

    def check_call(self, text: str) -> None:
        """Raise an error if a word of a measure or model is a path out of the folder, or of no file."""
        words = (word.strip() for found in WORDS.finditer(text) for word in found.groups() if word)
        for part in {part for word in words for part in (word, *word.split())}:
            exists = os.path.lexists(self.root / part)
            if exists or "/" in part or os.sep in part or Path(part).is_absolute():
                self._inside(part)
            if exists:
                self.path(part)

    def listed(self, named: str = "") -> tuple[list[dict[str, object]], int]:
        """The files in a folder and in those in it, with their sizes; and how many entries were left out."""
        folder = self._inside(named or ".")
        if not folder.is_dir():
            raise InputError(f"{named}: is no folder{self._nearest(named)}")
        rows, left_out = [], 0
        for entry in _few_entries(folder, named or "the folder"):
            if entry.is_dir(follow_symlinks=False):
                continue
            path = os.path.relpath(entry.path, self.root)
            try:
                self.path(path)
            except (InputError, UsageError):
                left_out += 1
                continue
            rows.append({"file": path, "bytes": entry.stat().st_size})
        return sorted(rows, key=lambda row: str(row["file"])), left_out

    def _inside(self, named: str) -> Path:
        """The resolved path; an error, which does not say whether there is such a file, if it is outside."""
        try:
            found = (self.root / named).resolve()
        except (OSError, ValueError, RuntimeError):
            raise UsageError(f"{named!r}: is not a path") from None
        if not found.is_relative_to(self.root):
            raise UsageError(f"{named}: is outside the folder of this server; only files in it are read")
        return found

    def _look_through(self, folder: Path, named: str) -> None:
        """Raise an error if something in a folder is a link that leads out of it, a device or a pipe."""
        for entry in _few_entries(folder, named):
            if entry.is_symlink():
                self._inside(entry.path)
            if not (entry.is_file() or entry.is_dir()):
                raise UsageError(f"{named}: {entry.name} in it is neither a file nor a folder")
            if entry.is_symlink() and entry.is_dir():
                raise UsageError(
                    f"{named}: {entry.name} in it is a link to a folder; name that folder itself"
                )

    def _nearest(self, named: str) -> str:
        folder = (self.root / named).parent
        if not folder.is_dir() or not folder.resolve().is_relative_to(self.root):
            return ""
        return nearest(named, (os.path.relpath(path, self.root) for path in folder.iterdir()))


def _entries(folder: str | Path) -> Iterator[os.DirEntry[str]]:
    """Everything in a folder and in those in it; links are not followed."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    yield from _entries(entry.path)
    except OSError as problem:
        raise InputError(f"{folder}: cannot be read: {problem.strerror}") from None


def _few_entries(folder: str | Path, named: str) -> Iterator[os.DirEntry[str]]:
    """Everything in a folder, which may not have more than :data:`MOST_ENTRIES`."""
    for count, entry in enumerate(_entries(folder)):
        if count >= MOST_ENTRIES:
            raise UsageError(f"{named}: has more than {MOST_ENTRIES:,} entries; name an index or a part")
        yield entry
