"""Compressed files: recognised by their first bytes, unpacked while read, checked for size and damage."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import IO, Any

from doxeval.core.errors import InputError
from doxeval.io.limits import InputLimits

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
XZ_MAGIC = b"\xfd7zXZ\x00"
BZIP2_MAGIC = b"BZh", b"1AY&SY"
ZSTD_PIECE = 1 << 13


@dataclass
class Watch:
    """Watches how much a compressed file unpacks to."""

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
            ratio = self.size // max(1, self._read())
            if ratio > self.limits.ratio:
                raise InputError(
                    f"{self.name}: unpacks to {ratio:,} times its size, as archive bombs do; if it is none, "
                    "read it with: doxeval --max-ratio NUMBER ..."
                )

    def _read(self) -> int:
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
