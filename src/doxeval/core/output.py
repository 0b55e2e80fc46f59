"""Output files that are never half written."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from doxeval.core.errors import UsageError
from doxeval.core.files import folder_problem, is_database
from doxeval.core.harmless import visible
from doxeval.core.screen import is_open, is_terminal
from doxeval.core.temporary import temporary_file

DESCRIPTOR = re.compile(r"/(?:dev|proc/(?:self|thread-self))/fd/(\d+)")
"""System names of the streams that a process has open; `/dev/stdout` is a link to one."""
SYSTEM_ERROR = re.compile(r"\(os error (\d+)\)")
STANDARD_OUTPUT = 1
MOST_LINKS = 40
FIGURE_SUFFIXES = (".png", ".svg", ".pdf")


@contextlib.contextmanager
def atomic(path: str | Path) -> Iterator[IO[bytes]]:
    """A binary stream that becomes the file only if all went well; `-` is standard output.

    Links are followed. Anything but a regular file (a device, a pipe, an open descriptor) is kept and written
    to directly.
    """
    descriptor = STANDARD_OUTPUT if str(path) == "-" else _descriptor(path)
    if descriptor == STANDARD_OUTPUT:
        with _standard_output() as stream:
            yield stream
        return
    if is_folder := folder_problem(path):
        raise UsageError(is_folder)
    try:
        with _replacing(path) if becomes_file(path) else _straight(path, descriptor) as stream:
            yield stream
    except Exception as problem:
        reason = _system_error(problem)
        if reason is None:
            raise
        raise UsageError(f"{path}: cannot be written: {reason}") from None


@contextlib.contextmanager
def _standard_output() -> Iterator[IO[bytes]]:
    """Standard output as a binary stream, whatever has been put in its place: text if that takes only text.

    A program may have no standard output, or have closed it: then nothing is written, as by `print`.
    """
    stream = sys.stdout
    if not is_open(stream):
        yield io.BytesIO()
        return
    flush = getattr(stream, "flush", lambda: None)
    flush()
    if hasattr(stream, "buffer"):
        raw: Any = _Terminal(stream.buffer) if is_terminal(stream) else stream.buffer
        yield raw
        stream.buffer.flush()
        return
    content = io.BytesIO()
    yield content
    try:
        stream.write(content.getvalue().decode())
    except UnicodeDecodeError:
        raise UsageError("standard output takes only text here; name a file to write to") from None
    flush()


class _Terminal(io.RawIOBase):
    """A terminal, to which control characters are written out."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        """Write bytes, which are text."""
        self.stream.write(visible(bytes(content).decode(errors="replace")).encode(errors="replace"))
        return len(content)


@contextlib.contextmanager
def open_streams() -> Iterator[None]:
    """Treat standard streams that were closed as missing, so that what prints to them prints nothing."""
    with contextlib.ExitStack() as stack:
        if not is_open(sys.stdout):
            stack.enter_context(contextlib.redirect_stdout(None))
        if not is_open(sys.stderr):
            stack.enter_context(contextlib.redirect_stderr(None))
        yield


def fill_descriptors() -> None:
    """Open nothing as each standard stream that is closed: else the next file gets its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            if os.open(os.devnull, os.O_RDWR) != number:
                return


def _system_error(problem: Exception) -> str | None:
    """The system's message, even if polars words it differently."""
    if isinstance(problem, OSError):
        return problem.strerror or str(problem)
    told = SYSTEM_ERROR.search(str(problem))
    return os.strerror(int(told[1])) if told else None


def becomes_file(path: str | Path) -> bool:
    """Whether output to a path becomes a regular file: there is one, or nothing, now."""
    return _descriptor(path) is None and (Path(path).is_file() or not Path(path).exists())


def written_file(path: str | Path) -> Path:
    """The file itself, after following links; it need not exist yet."""
    return Path(os.path.realpath(path))


def _descriptor(path: str | Path) -> int | None:
    """The number of the open stream with a name, following links."""
    place = Path(path).absolute()
    for _ in range(MOST_LINKS):
        if match := DESCRIPTOR.fullmatch(str(place)):
            return int(match[1])
        if not place.is_symlink():
            return None
        place = Path(os.path.normpath(place.parent / place.readlink()))
    return None


def _straight(path: str | Path, descriptor: int | None) -> IO[bytes]:
    return open(path if descriptor is None else os.dup(descriptor), "wb")  # noqa: PTH123


@contextlib.contextmanager
def _replacing(path: str | Path) -> Iterator[IO[bytes]]:
    """A stream to a file next to the named one, which it replaces at the end, keeping its permissions.

    The content is on disk before the name, so that a power cut leaves the old file or the new one.
    """
    target = written_file(path)
    with temporary_file(target) as part:
        with part.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            if is_database(target) and not is_database(part):
                raise UsageError(f"{path}: is a database, which nothing else replaces; name another file")
            from shutil import copymode

            copymode(target, part)
        part.replace(target)
    _flush_folder(target.parent)


def _flush_folder(folder: Path) -> None:
    """Have the names in a folder on disk, where a system can; the file itself is there already."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


FORMS = ("table", "csv", "jsonl", "json", "parquet", "md", "latex", "metrics")


def form_of(target: str | Path) -> str:
    """The form for a file's suffix; a table for anything else.

    >>> form_of("scores.csv"), form_of("scores.tex"), form_of("-")
    ('csv', 'latex', 'table')
    """
    suffix = str(target).rpartition(".")[2].lower()
    return {"tex": "latex", "txt": "table", "ndjson": "jsonl"}.get(
        suffix, suffix if suffix in FORMS else "table"
    )


def check_figure_path(path: str | Path) -> str:
    """The suffix of a figure's file; an error if figures cannot be written in this format."""
    suffix = Path(path).suffix.lower()
    if suffix not in FIGURE_SUFFIXES:
        raise UsageError(f"{path}: the name of a figure must end with one of {', '.join(FIGURE_SUFFIXES)}")
    return suffix
