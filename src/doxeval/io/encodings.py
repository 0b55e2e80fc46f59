"""Text that is not UTF-8: as it is said to be, as its mark declares it, or as it clearly is."""

from __future__ import annotations

import codecs
import re

from doxeval.core.errors import InputError, UsageError

GUESS = "guess"
"""Read UTF-8, and what clearly is in another encoding as that."""

UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
LATIN, WINDOWS = "ISO-8859-1", "Windows-1252"
CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f")) + b"\x7f"
UNLIKELY = b"\x81\x8d\x8f\x90\x9d\xfe\xff"
"""Bytes that no Western text has."""

LONE_LETTER = re.compile(rb"(?<![\w\x80-\xfd-])[\xc0-\xfd](?![\w\x80-\xfd-])")
"""A letter of other alphabets than ASCII that stands alone, as few do."""


def encoding_named(name: str) -> str:
    """An encoding that Python knows; an error for any other."""
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise UsageError(f"no encoding is called {name!r}; some are utf-8, latin-1, cp1252, utf-16") from None


class Recoder:
    """Turns bytes into those of UTF-8; `found` is the encoding that it found out by itself."""

    def __init__(self, name: str, encoding: str | None) -> None:
        self.name = name
        self.found = ""
        self._guesses = encoding == GUESS
        self._decided = not self._guesses
        self._decoder: codecs.IncrementalDecoder | None = None
        if encoding not in (None, GUESS):
            self._decode_as(encoding_named(str(encoding)))

    def _decode_as(self, encoding: str) -> None:
        if encoding != "utf-8":
            self._decoder = codecs.getincrementaldecoder(encoding)()

    def begin(self, data: bytes) -> None:
        """Look at the first bytes for a mark that declares an encoding."""
        if not data.startswith(UTF16_MARKS) or self._decoder is not None:
            return
        if not self._guesses:
            raise InputError(f"{self.name}: is UTF-16; convert it to UTF-8 first, with iconv for example")
        self.found = "UTF-16"
        self._decode_as("utf-16")

    def declared(self, data: bytes, final: bool) -> bytes:
        """Bytes of the encoding that was said or declared as those of UTF-8, whole characters only."""
        if self._decoder is None:
            return data
        try:
            return self._decoder.decode(data, final).encode()
        except UnicodeError as problem:
            raise InputError(f"{self.name}: is not text in that encoding: {problem}") from None

    def evident(self, lines: bytes) -> bytes:
        """Whole lines as UTF-8 if they are clearly Western text; the first that are not ASCII decide."""
        if not self._decided and self._decoder is None and not lines.isascii():
            self._decided = True
            self.found = western(lines)
        if self.found in (LATIN, WINDOWS) and not lines.isascii():
            return lines.decode(self.found, errors="replace").encode()
        return lines


def western(lines: bytes) -> str:
    """The Western encoding that text clearly has; none where a line is UTF-8, or holds what no text does.

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
