"""Bytes to text; bytes that are not text are refused, never repaired."""

from __future__ import annotations

import codecs
import re

from doxeval.io.documents.tree import Refused

NOT_TEXT = "not readable as text"
DECLARED_CHARSET = re.compile(rb"""<meta[^>]{1,200}?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
DECLARED_WITHIN = 1024


def decode(data: bytes, encoding: str = "utf-8") -> str:
    """The text without its byte order mark, which takes precedence over the encoding named."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif data.startswith(codecs.BOM_UTF8):
        encoding = "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        found = data[problem.start : problem.start + 1].hex()
        raise Refused(
            NOT_TEXT, f"line {line}: byte 0x{found} at {problem.start} is not {encoding.upper()}"
        ) from None
    if "\0" in text:
        raise Refused(NOT_TEXT, f"a NUL character at {text.index(chr(0))}; is it a binary file?")
    return text


def decode_html(data: bytes) -> str:
    """The text of an HTML file in the encoding it declares, by default UTF-8."""
    match = DECLARED_CHARSET.search(data[:DECLARED_WITHIN])
    if match is None:
        return decode(data)
    name = match[1].decode("ascii")
    try:
        codecs.lookup(name)
    except LookupError:
        raise Refused(NOT_TEXT, f"unknown encoding {name!r}") from None
    return decode(data, name)
