"""Pages of PDF files as pictures."""

from __future__ import annotations

import struct
import zlib
from contextlib import closing
from pathlib import Path

import numpy as np

from doxeval.show.paged import PDFIUM

SCALE = 2.0
"""Dots per point of a picture."""


def picture(path: Path, number: int) -> bytes | None:
    """A page of a PDF file, counted from 1, as a PNG picture; None if there is no such page."""
    import pypdfium2

    with PDFIUM, closing(pypdfium2.PdfDocument(path)) as document:
        if not 1 <= number <= len(document):
            return None
        with closing(document[number - 1]) as page:
            dots = page.render(scale=SCALE, rev_byteorder=True).to_numpy()[:, :, :3]
    return _png(np.ascontiguousarray(dots))


def _png(dots: np.ndarray) -> bytes:
    """Rows of red, green and blue as a PNG file (ISO/IEC 15948)."""
    height, width, _ = dots.shape
    rows = np.zeros((height, 1 + 3 * width), dtype=np.uint8)
    rows[:, 1:] = dots.reshape(height, -1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
