"""Text that is not UTF-8: read in the encoding named, declared by its mark, or evident from its bytes."""

from __future__ import annotations

import codecs
import re

from doxeval.core.errors import InputError, UsageError

GUESS = "guess"
"""Read UTF-8; other encodings are read only where they are evident."""

UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
LATIN, WINDOWS = "ISO-8859-1", "Windows-1252"
CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f")) + b"\x7f"
UNLIKELY = b"\x81\x8d\x8f\x90\x9d\xfe\xff"
"""Bytes that occur in no Western text."""

LONE_LETTER = re.compile(rb"(?<![\w\x80-\xfd-])[\xc0-\xfd](?![\w\x80-\xfd-])")
"""A single letter outside ASCII with none beside it, as is usual in Western text."""


def encoding_named(name: str) -> str:
    """The name of an encoding, checked; an error for one that Python does not know."""
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise UsageError(f"unknown encoding {name!r}; examples are utf-8, latin-1, cp1252, utf-16") from None


class Recoder:
    """Converts bytes to UTF-8; `found` is the encoding detected, if none was `named` or declared."""

    def __init__(self, name: str, encoding: str | None) -> None:
        self.name = name
        self.named = self.found = ""
        self._guesses = encoding == GUESS
        self._decided = not self._guesses
        self._decoder: codecs.IncrementalDecoder | None = None
        if encoding not in (None, GUESS):
            self._decode_as(encoding_named(str(encoding)))

    def _decode_as(self, encoding: str) -> None:
        if encoding != "utf-8":
            self.named = encoding
            self._decoder = codecs.getincrementaldecoder(encoding)()

    def begin(self, data: bytes) -> None:
        """Check the first bytes for a mark that declares an encoding."""
        if not data.startswith(UTF16_MARKS) or self._decoder is not None:
            return
        if not self._guesses:
            raise InputError(f"{self.name}: is UTF-16; convert it to UTF-8 first, with iconv for example")
        self.found = "UTF-16"
        self._decode_as("utf-16")

    def declared(self, data: bytes, final: bool) -> bytes:
        """Convert bytes from the encoding named or declared to UTF-8, whole characters only."""
        if self._decoder is None:
            return data
        try:
            return self._decoder.decode(data, final).encode()
        except UnicodeError as problem:
            raise InputError(f"{self.name}: is not text in that encoding: {problem}") from None

    def evident(self, lines: bytes) -> bytes:
        """Convert whole lines to UTF-8 if they are clearly Western text; the first beyond ASCII decide."""
        if not self._decided and self._decoder is None and not lines.isascii():
            self._decided = True
            self.found = western(lines)
        if self.found in (LATIN, WINDOWS) and not lines.isascii():
            return lines.decode(self.found, errors="replace").encode()
        return lines


def western(lines: bytes) -> str:
    """The Western encoding evident from a text; empty where a line is UTF-8 or has bytes no text has.

    >>> western("Kr\\u00fcppel".encode("latin-1")), western("Kr\\u00fcppel".encode())
    ('ISO-8859-1', '')
    """
    if lines.lstrip().startswith(b"<") or lines.translate(None, CONTROLS + UNLIKELY) != lines:
        return ""
    if LONE_LETTER.search(lines):
        return ""
    if any(is_utf8(line) for line in lines.split(b"\n") if not line.isascii()):
        return ""
    has_punctuation = any(0x80 <= byte < 0xA0 for byte in set(lines))
    return WINDOWS if has_punctuation else LATIN


def is_utf8(data: bytes) -> bool:
    """Whether bytes are text in UTF-8."""
    try:
        return data.isascii() or bool(data.decode())
    except UnicodeDecodeError:
        return False
