"""The larger part of a report, deflated: lines of JSON that the page unpacks once its first view is drawn."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

LEVEL = 4
LAST_BLOCK = b"\x03\x00"
"""The end of a deflated stream, at the border of a byte."""


class Packed:
    """Lines of JSON in one deflated stream; each ends at a byte, so that its size is known at once."""

    def __init__(self) -> None:
        self._stream = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        self._parts: list[bytes] = []
        self._bytes = len(LAST_BLOCK)

    @property
    def size(self) -> int:
        """The number of bytes that it takes in the page."""
        return _encoded(self._bytes)

    def add(self, line: Any, limit: int | None = None) -> bool:
        """Add a line, unless all lines would then take more bytes of the page than the limit."""
        raw = json.dumps(line, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        unsure = limit is not None and _encoded(self._bytes + len(raw)) > limit
        stream = self._stream.copy() if unsure else self._stream
        part = stream.compress(raw) + stream.flush(zlib.Z_SYNC_FLUSH)
        if unsure and limit is not None and _encoded(self._bytes + len(part)) > limit:
            return False
        self._stream = stream
        self._parts.append(part)
        self._bytes += len(part)
        return True

    def text(self) -> str:
        """The stream as the page holds it: raw deflate in base64.

        >>> packed = Packed()
        >>> packed.add({"name": "</script>"})
        True
        >>> zlib.decompress(base64.b64decode(packed.text()), -zlib.MAX_WBITS)
        b'{"name":"</script>"}\\n'
        """
        return base64.b64encode(b"".join([*self._parts, LAST_BLOCK])).decode()


def _encoded(size: int) -> int:
    return -(-size // 3) * 4
