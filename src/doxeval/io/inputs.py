"""Inputs, opened in one way, and unpacked.

A pipe, which can be read only once, gives the same bytes each time. Compressed files are recognised by their
first bytes, unpacked while they are read, and checked for size and damage.
"""

from __future__ import annotations

import io
import os
import stat
import sys
import threading
from contextlib import ContextDecorator
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from doxeval.core.errors import InputError
from doxeval.core.forks import in_child
from doxeval.core.quick_class import dataclass
from doxeval.core.settings import is_worker
from doxeval.io.limits import InputLimits

FETCHED_AT_ONCE = 1 << 20
BUFFER = 1 << 16
"""Bytes read at once, enough for most documents."""
OWN_DESCRIPTORS = ("/proc/", "/dev/fd")
GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
XZ_MAGIC = b"\xfd7zXZ\x00"
BZIP2_MAGIC = b"BZh", b"1AY&SY"
ZSTD_PIECE = 1 << 13


class _Pipe:
    """The bytes of a pipe read so far, kept in an unnamed file; more are fetched on demand."""

    def __init__(self, stream: IO[bytes]) -> None:
        from tempfile import TemporaryFile

        self.stream = stream
        self.kept = TemporaryFile()  # noqa: SIM115
        self.size = 0
        self.ended = False
        self.lock = threading.Lock()

    def fetch(self, size: int | None) -> None:
        """Fetch until at least `size` bytes are there, or all (None), or the pipe ends."""
        while not self.ended and (size is None or self.size < size):
            data = self.stream.read1(FETCHED_AT_ONCE)  # type: ignore[attr-defined]
            self.kept.seek(self.size)
            self.kept.write(data)
            self.size += len(data)
            self.ended = not data

    def read_at(self, position: int, size: int) -> bytes:
        with self.lock:
            self.fetch(position + size)
            self.kept.seek(position)
            return self.kept.read(size)

    def close(self) -> None:
        """Close the file and the pipe; standard input stays open."""
        self.kept.close()
        if self.stream is not getattr(sys.stdin, "buffer", None):
            self.stream.close()


class _View(io.RawIOBase):
    """A pipe as a separate file that starts at the beginning; `only` if it will not be opened again."""

    def __init__(self, pipe: _Pipe, only: bool) -> None:
        self.pipe = pipe
        self.only = only
        self.position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.pipe.read_at(self.position, len(buffer))
        buffer[: len(data)] = data
        self.position += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if whence == os.SEEK_END:
            with self.pipe.lock:
                self.pipe.fetch(None)
        self.position = offset + (0, self.position, self.pipe.size)[whence]
        return self.position

    def close(self) -> None:
        super().close()
        if self.only:
            self.pipe.close()


_pipes: dict[tuple[int, int], _Pipe] = {}
_depth = 0
_lock = threading.Lock()


@in_child
def _leave_pipes_to_parent() -> None:
    """A fork reads what its parent has not read yet of a pipe, and waits for none of its threads."""
    global _lock
    _lock = threading.Lock()
    _pipes.clear()


class reading_once(ContextDecorator):
    """While active (during a command or call), a pipe opened again gives the same bytes as before."""

    def __enter__(self) -> None:
        global _depth
        with _lock:
            _depth += 1

    def __exit__(self, *_: object) -> None:
        global _depth
        with _lock:
            _depth -= 1
            while not _depth and _pipes:
                _pipes.popitem()[1].close()


def open_input(path: str | Path) -> IO[bytes]:
    """Open a file, pipe, device or standard input (`-`) from its first byte on; seekable."""
    if str(path) != "-" and lasts(path):
        return open(path, "rb", BUFFER)  # noqa: PTH123 - much faster for many small files
    if is_worker():
        raise InputError(
            f"{path}: can be read only by the process that was started with it; put it into a file, or "
            "omit --jobs and --executor"
        )
    with _lock:
        pipe = _pipes.get(key := _identity(path))
        if pipe is None:
            pipe = _Pipe(_standard_input() if str(path) == "-" else Path(path).open("rb"))  # noqa: SIM115
            if _depth:
                _pipes[key] = pipe
    return io.BufferedReader(_View(pipe, only=pipe not in _pipes.values()))


def _standard_input() -> IO[bytes]:
    """Standard input as a binary stream, whatever has been put in its place."""
    if sys.stdin is None or sys.stdin.closed:
        raise InputError("standard input (-) is closed; name a file")
    return sys.stdin.buffer if hasattr(sys.stdin, "buffer") else io.BytesIO(sys.stdin.read().encode())


def _identity(path: str | Path) -> tuple[int, int]:
    try:
        state = os.fstat(sys.stdin.fileno()) if str(path) == "-" else os.stat(path)  # noqa: PTH116
    except (io.UnsupportedOperation, AttributeError, ValueError):
        return -1, -1
    return state.st_dev, state.st_ino


def is_input(path: str | Path) -> bool:
    """Whether a path can be read: a file, a pipe or a device, not a folder."""
    try:
        return not stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116
    except (OSError, ValueError):
        return False


def lasts(path: str | Path) -> bool:
    """Whether other processes find the same regular file at a path; true if it is missing."""
    try:
        mode = os.lstat(path).st_mode
        if is_link := stat.S_ISLNK(mode):
            mode = os.stat(path).st_mode  # noqa: PTH116
        if not stat.S_ISREG(mode):
            return stat.S_ISDIR(mode)
        return not _leads_through_descriptor(str(path), is_link)
    except (OSError, ValueError):
        return True


_real_folder = lru_cache(maxsize=1024)(os.path.realpath)


def _leads_through_descriptor(path: str, is_link: bool) -> bool:
    """Whether a path, or a link on its way, names an open file of this process, as /dev/fd/3 does."""
    path = path if os.path.isabs(path) else os.path.abspath(path)  # noqa: PTH100, PTH117
    while True:
        folder = _real_folder(os.path.dirname(path))  # noqa: PTH120
        if f"{folder}/".startswith(OWN_DESCRIPTORS):
            return True
        if not is_link:
            return False
        link = os.path.join(folder, os.path.basename(path))  # noqa: PTH118, PTH119
        path = os.path.join(folder, os.readlink(link))  # noqa: PTH115, PTH118
        is_link = os.path.islink(path)  # noqa: PTH114


@dataclass
class UnpackingGuard:
    """Checks how much a compressed file unpacks to."""

    name: str
    packed: IO[bytes]
    limits: InputLimits
    size: int = 0

    def add(self, size: int) -> None:
        """Count more bytes; an error if they are too many, in total or for the size of the file."""
        self.size += size
        if self.size > self.limits.unpacked:
            raise InputError(
                f"{self.name}: unpacks to more than {self.limits.unpacked:,} bytes; "
                "to read more: doxeval --max-unpacked SIZE ..."
            )
        if self.size > self.limits.unsuspicious:
            ratio = self.size // max(1, self._packed_bytes_read())
            if ratio > self.limits.ratio:
                raise InputError(
                    f"{self.name}: unpacks to {ratio:,} times its size, as archive bombs do; if it is none, "
                    "read it with: doxeval --max-ratio NUMBER ..."
                )

    def _packed_bytes_read(self) -> int:
        """Packed bytes read so far; the number unpacked if the file cannot tell."""
        try:
            return self.packed.tell()
        except OSError:
            return self.size


class ZstdStream:
    """The frames of a zstd stream, unpacked; unlike the library's reader it notices truncation."""

    def __init__(self, packed: IO[bytes]) -> None:
        self.packed = packed
        self.frame: Any = None
        self.rest = b""
        self.ready = b""

    def read(self, size: int) -> bytes:
        """Up to `size` bytes, none at the end of the last frame."""
        while not self.ready:
            piece = self.rest or self.packed.read(ZSTD_PIECE)
            self.rest = b""
            if not piece:
                if self.frame is not None:
                    raise EOFError("the compressed data ends in the middle")
                return b""
            self._unpack(piece)
        given, self.ready = self.ready[:size], self.ready[size:]
        return given

    def _unpack(self, piece: bytes) -> None:
        import zstandard

        if self.frame is None:
            self.frame = zstandard.ZstdDecompressor().decompressobj()
        self.ready = self.frame.decompress(piece)
        if self.frame.eof:
            self.rest, self.frame = self.frame.unused_data, None

    def close(self) -> None:
        """Close the packed stream."""
        self.packed.close()


def unpacked(raw: IO[bytes]) -> IO[bytes]:
    """`raw`, or a stream that decompresses it, depending on the first bytes."""
    buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw)  # type: ignore[type-var]
    magic = buffered.peek(10)[:10]
    if magic.startswith(GZIP_MAGIC):
        import gzip

        return gzip.GzipFile(fileobj=buffered)  # type: ignore[return-value]
    if magic.startswith(ZSTD_MAGIC):
        return ZstdStream(buffered)  # type: ignore[return-value]
    if magic.startswith(XZ_MAGIC):
        import lzma

        return lzma.LZMAFile(buffered)
    if (magic[:3], magic[4:]) == BZIP2_MAGIC:
        import bz2

        return bz2.BZ2File(buffered)
    return buffered
