"""The gate for outputs: no file that is written is one that is read, under whatever name."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

from doxeval.core.errors import UsageError

Identity = tuple[int, int]
BESIDE_DATABASES = ("-wal", "-shm", "-journal")
ANNOTATIONS, ANNOTATED = ".ann", ".txt"
"""brat reads the text beside annotations."""
FILE_OF_CALL = re.compile(r"\bfile=['\"]?([^,()'\"]+)")
"""A file that is a parameter of a measure or a navigation model."""
DATABASE = b"SQLite format 3\0"
"""The first bytes of every SQLite database."""


class Place(NamedTuple):
    """A file or folder: as it was named, where it is, and which it is, if it exists."""

    named: str
    path: str
    identity: Identity | None
    is_folder: bool

    def is_within(self, folder: Place) -> bool:
        """Whether it is the same as another, by name or as a link, or inside of it."""
        if self.identity is not None and self.identity == folder.identity:
            return True
        return f"{self.path}/".startswith(f"{folder.path.rstrip('/')}/")

    def beside(self) -> Iterator[str]:
        """The paths of files that are read with it."""
        yield from (self.path + suffix for suffix in BESIDE_DATABASES)
        if self.path.endswith(ANNOTATIONS):
            yield self.path.removesuffix(ANNOTATIONS) + ANNOTATED

    def holds_link_to(self, identity: Identity) -> bool:
        """Whether something in this folder is another name of a file."""
        for entry in _entries(self.path):
            try:
                if entry.is_symlink() or entry.inode() == identity[1]:
                    state = entry.stat()
                    if (state.st_dev, state.st_ino) == identity:
                        return True
            except OSError:
                continue
        return False


def check_outputs(
    written: Mapping[str, Any],
    read: Mapping[str, Any],
    kept: Iterable[str] = (),
    replaced: tuple[str, str, bool] | None = None,
) -> None:
    """Raise an error if an output is an input, or would be inside of one, or if two outputs are one file.

    Both are paths, or lists of them, or several by name, under what messages call them; anything else is
    passed over, as are devices and pipes. What is `kept` is a folder to add to: it may hold inputs, as
    another folder may not. One input may be `replaced`, by a word that has been said or not.
    """
    inputs = [(name, place) for name, value in read.items() for place in _places(value, sys.stdin)]
    before: list[tuple[str, Place]] = []
    for name, value in written.items():
        for output in _places(value, sys.stdout):
            for other, place in before:
                if output.path == place.path or (output.identity and output.identity == place.identity):
                    raise UsageError(f"{output.named}: would be written twice, as {other} and as {name}")
            before.append((name, output))
            for source, place in inputs:
                if name == source or not _harms(output, place, name in kept):
                    continue
                may_be, word, is_said = replaced or ("", "", False)
                if source == may_be and output.path == place.path and is_said:
                    continue
                hint = f", or replace it with {word}" if source == may_be and not is_said else ""
                raise UsageError(_refusal(output, place, name, source) + hint)


def _harms(output: Place, place: Place, is_kept: bool) -> bool:
    """Whether writing an output could change an input."""
    if output.is_within(place) or output.path in place.beside():
        return True
    if output.is_folder:
        return not is_kept and place.is_within(output)
    return place.is_folder and output.identity is not None and place.holds_link_to(output.identity)


def _refusal(output: Place, place: Place, name: str, source: str) -> str:
    if output.named == place.named:
        return f"{output.named}: is read ({source}) and would be written ({name}); name another {name}"
    how = "is inside" if place.is_folder and output.identity != place.identity else "is"
    if place.is_within(output) and not output.is_within(place):
        how = "contains"
    return (
        f"{output.named}: would be written ({name}), but {how} {place.named}, which is read ({source}); "
        f"name another {name}"
    )


def folder_problem(path: str | Path) -> str:
    """The problem with a folder where a file is to be written; empty if there is none.

    >>> folder_problem("x/")
    'x/: is the name of a folder; name a file, as in x/FILE'
    """
    named = os.fspath(path)
    if named.endswith(os.sep) or Path(named).is_dir():
        kind = "a folder" if Path(named).is_dir() else "the name of a folder"
        return f"{named}: is {kind}; name a file, as in {named.rstrip(os.sep)}{os.sep}FILE"
    return ""


def files_of_calls(value: Any) -> list[str]:
    """The files that calls of measures or models have as a parameter.

    >>> files_of_calls("iP@5 matrix(file=steps.csv)"), files_of_calls(["matrix(file='a b.csv')"])
    (['steps.csv'], ['a b.csv'])
    """
    texts = value if isinstance(value, list | tuple) else [value]
    return [name for text in texts if isinstance(text, str) for name in FILE_OF_CALL.findall(text)]


def is_database(path: str | Path) -> bool:
    """Whether a file is an SQLite database, such as one of judgements."""
    if not Path(path).is_file():
        return False
    try:
        with Path(path).open("rb") as stream:
            return stream.read(len(DATABASE)) == DATABASE
    except OSError:
        return False


def _places(value: Any, stream: IO[str] | None) -> Iterator[Place]:
    """The files and folders that a value names; `-` is a stream."""
    given = list(value.values()) if isinstance(value, Mapping) else value
    for one in given if isinstance(given, list | tuple) else [given]:
        if isinstance(one, str | os.PathLike) and one != "":
            for named in _matching(os.fsdecode(one)):
                place = _place(named, stream)
                if place is not None:
                    yield place


def _matching(named: str) -> list[str]:
    """The path, or those that match it if it is a pattern."""
    if not any(letter in named for letter in "*?[") or os.path.lexists(named):
        return [named]
    import glob

    return glob.glob(named, recursive=True) or [named]  # noqa: PTH207


def _place(named: str, stream: IO[str] | None) -> Place | None:
    """A place by its name; None if it is neither a file nor a folder, and cannot become one."""
    try:
        state = os.stat(stream.fileno() if named == "-" and stream is not None else named)  # noqa: PTH116
    except (OSError, ValueError, AttributeError):
        try:
            return None if named == "-" else Place(named, os.path.realpath(named), None, False)
        except ValueError:  # a letter that no path can have
            return None
    if not (stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode)):
        return None
    path = "-" if named == "-" else os.path.realpath(named)
    return Place(named, path, (state.st_dev, state.st_ino), stat.S_ISDIR(state.st_mode))


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    """Everything in a folder and in those in it."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    yield from _entries(entry.path)
    except OSError:
        return
