"""Sources of bytes: a path, standard input or bytes in memory, decompressed on the way."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np

from doxeval.core.errors import InputError, no_such_file, raise_with_place
from doxeval.core.progress import BYTES, StepTaken, step
from doxeval.io.encodings import Recoder
from doxeval.io.inputs import UnpackingGuard, open_input, unpacked
from doxeval.io.limits import input_limits
from doxeval.kernels.lines import survey

READ_AT_ONCE = 32 << 20
HEAD = 1 << 16
LINE_FEED_BYTE = 10
UTF8_MARK = b"\xef\xbb\xbf"
PARQUET_MARK = b"PAR1"
"""Begins and ends a Parquet file."""
COMPRESSED_SUFFIXES = {".gz", ".zst"}


class Source:
    """Bytes that are read once, from anywhere; `head` can be looked at first.

    `lines` are the numbers of the lines, or that of the first, if the bytes are a part of a file. Text in an
    `encoding` other than UTF-8 (:data:`~doxeval.io.encodings.GUESS`: one that is evident) is converted to
    UTF-8; without one, bytes are unchanged. Inside ``with source:`` anything a reader raises becomes an error
    with the source's name (:func:`doxeval.core.errors.guard`), and reading a file is a step in progress.
    """

    def __init__(
        self,
        origin: str | Path | bytes,
        name: str | None = None,
        lines: int | np.ndarray = 1,
        encoding: str | None = None,
    ) -> None:
        if not isinstance(origin, str | Path | bytes) or origin == "":
            found = "an empty text" if origin == "" else type(origin).__name__
            raise InputError(f"expected a path or bytes, found {found}")
        self.origin = origin
        self.lines = lines
        if isinstance(origin, bytes):
            self.name = name or "<bytes>"
        else:
            self.name = name or ("<stdin>" if str(origin) == "-" else readable(origin))
        self._recoder = Recoder(self.name, encoding)
        self._raw: IO[bytes] | None = None
        self._stream: IO[bytes] | None = None
        self._head: bytes | None = None
        self._head_is_all = False
        self._unread = b""
        self._content: bytes | None = None
        self._unpacking: UnpackingGuard | None = None
        self._state: tuple[int, int] | None = None
        self._reading = ExitStack()
        self._progress: StepTaken | None = None

    @property
    def found_encoding(self) -> str:
        """The encoding detected; empty for UTF-8 and for one that was named."""
        return self._recoder.found

    @property
    def mark(self) -> bytes:
        """The byte order mark at the beginning, which is left out of the content; empty if there is none."""
        return UTF8_MARK if self.head.startswith(UTF8_MARK) else b""

    @property
    def encoding(self) -> str:
        """The encoding, named or detected, that the text was converted from; empty if it was UTF-8."""
        return self._recoder.named or self._recoder.found

    def place(self, line: int) -> str:
        """The place of a line, for a message."""
        return f"{self.name}:{line}"

    def line_numbers(self, at: Any) -> Any:
        """The numbers in the file of lines counted from 0 here."""
        return at + self.lines if isinstance(self.lines, int) else self.lines[at]

    @property
    def path(self) -> Path | None:
        """The file behind this source, if there is one."""
        return None if isinstance(self.origin, bytes) or str(self.origin) == "-" else Path(self.origin)

    @property
    def stem(self) -> str:
        """The file's name without its suffixes for format and compression."""
        if self.path is None:
            return self.name.strip("<>")
        name = self.path
        if name.suffix in COMPRESSED_SUFFIXES:
            name = name.with_suffix("")
        return readable(name.stem)

    @property
    def suffix(self) -> str:
        """The suffix of the format: `.jsonl` for `a.jsonl.gz`."""
        if self.path is None:
            return ""
        name = self.path
        return (name.with_suffix("") if name.suffix in COMPRESSED_SUFFIXES else name).suffix.lower()

    def _opened(self) -> IO[bytes]:
        if self._stream is None:
            raw: IO[bytes]
            if isinstance(self.origin, bytes):
                raw = io.BytesIO(self.origin)
            else:
                try:
                    raw = open_input(self.origin)
                except FileNotFoundError:
                    raise InputError(no_such_file(self.name)) from None
                except OSError as problem:
                    raise InputError(f"{self.name}: cannot be read: {problem.strerror}") from None
            self._raw = raw
            self._state = _state_of(raw)
            self._stream = unpacked(raw)
            if self._stream is not raw and not isinstance(self._stream, io.BufferedReader):
                self._unpacking = UnpackingGuard(self.name, raw, input_limits())
        return self._stream

    @property
    def head(self) -> bytes:
        """The first 64 KiB, decompressed; they are not consumed."""
        if self._head is None:
            try:
                data = self._read_raw(HEAD)
                self._head_is_all = len(data) < HEAD
                self._recoder.begin(data)
                self._head = self._unread = self._recoder.declared(data, self._head_is_all)
                if self._stream is self._raw and self._head is data and self._raw is not None:
                    self._raw.seek(0)
                    self._unread = b""
            except InputError:
                self.close()
                raise
        return self._head

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing but white space; after 64 KiB of it there may be more."""
        return not self.head.removeprefix(UTF8_MARK).strip() and self._head_is_all

    def _read(self, size: int) -> bytes:
        data = self._read_raw(size)
        return self._recoder.declared(data, len(data) < size)

    def _read_raw(self, size: int) -> bytes:
        try:
            stream = self._opened()
            chunks = []
            most = (
                READ_AT_ONCE
                if self._state is None or stream is not self._raw
                else min(READ_AT_ONCE, self._state[0] + 1)
            )
            while size > 0 and (chunk := stream.read(min(size, most))):
                chunks.append(chunk)
                size -= len(chunk)
                if self._unpacking is not None:
                    self._unpacking.add(len(chunk))
                self._tell_progress(len(chunk))
            if size > 0 and self._raw is not None and _state_of(self._raw) != self._state:
                raise InputError(
                    f"{self.name}: changed while it was being read; read it again when it is complete"
                )
            return b"".join(chunks)
        except (InputError, MemoryError):
            raise
        except Exception as problem:
            if isinstance(problem, OSError) and problem.errno is not None:
                raise InputError(f"{self.name}: cannot be read: {problem.strerror}") from None
            raise InputError(f"{self.name}: damaged or truncated compressed data: {problem}") from None

    def _tell_progress(self, size: int) -> None:
        """Count what was read: of a file, which may be packed, how far it is; else the bytes."""
        if self._progress is None:
            return
        if self._state is None or self._raw is None:
            self._progress.done += size
        else:
            self._progress.total, self._progress.done = self._state[0], self._raw.tell()

    def _after_head(self) -> bytes:
        """The bytes looked at as `head`, without a byte order mark."""
        if not self.head.startswith(UTF8_MARK):
            return self._unread
        if not self._unread:
            self._read(len(UTF8_MARK))
        return self._unread.removeprefix(UTF8_MARK)

    def blocks(self, size: int = READ_AT_ONCE) -> Iterator[bytes]:
        """The content in pieces of about `size` bytes that end with a whole line; no byte order mark."""
        return (data for data, _, _ in self.surveyed_blocks(size))

    def surveyed_blocks(self, size: int = READ_AT_ONCE) -> Iterator[tuple[bytes, int, bool]]:
        """The same, each with the number of its line feeds, and whether it is all ASCII without a NUL."""
        for data in self._pieces(size):
            count, plain = survey(data)
            yield data if plain else self._recoder.evident(data), count, plain

    def _pieces(self, size: int) -> Iterator[bytes]:
        rest = self._after_head()
        try:
            while True:
                data = rest + self._read(max(size - len(rest), len(rest), HEAD))
                if len(data) == len(rest):
                    break
                cut = data.rfind(b"\n") + 1
                if len(data) > input_limits().line < _longest_line(data):
                    raise InputError(
                        f"{self.name}: a line is longer than {input_limits().line:,} bytes; is this text? "
                        "To read longer ones: doxeval --max-line SIZE ..."
                    )
                if cut:
                    yield data[:cut]
                rest = data[cut:]
            if rest:
                yield rest
        finally:
            self.close()

    def read(self) -> bytes:
        """Everything at once, without a byte order mark; kept for further calls."""
        if self._content is None:
            parts = [self._after_head()]
            while data := self._read(READ_AT_ONCE):
                parts.append(data)
            self._content = self._recoder.evident(b"".join(parts))
            self.close()
        return self._content

    def read_at_most(self, size: int) -> bytes:
        """The first `size` bytes, regardless of lines; the rest is left unread."""
        try:
            seen = self._unread
            return seen[:size] + self._read(size - len(seen))
        finally:
            self.close()

    def close(self) -> None:
        """Close the file."""
        for stream in (self._stream, self._raw):
            if stream is not None:
                stream.close()

    def __enter__(self) -> Source:
        if not isinstance(self.origin, bytes):
            self._progress = self._reading.enter_context(step(f"reading {self.name}", unit=BYTES))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        self._reading.close()
        if problem is not None:
            raise_with_place(problem, self.name)


def _longest_line(data: bytes) -> int:
    ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == LINE_FEED_BYTE)
    return int(np.diff(ends, prepend=-1, append=len(data)).max()) - 1


def readable(path: str | Path) -> str:
    """A path as text that can be printed in any locale."""
    return os.fsencode(path).decode(errors="replace")


def _state_of(raw: IO[bytes]) -> tuple[int, int] | None:
    """Size and time of change of a regular file, None for anything else."""
    try:
        state = os.fstat(raw.fileno())
    except (OSError, ValueError):
        return None
    return (state.st_size, state.st_mtime_ns) if stat.S_ISREG(state.st_mode) else None
