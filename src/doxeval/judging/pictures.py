"""Pages of PDF files as pictures, with the lines of their text in their places."""

from __future__ import annotations

import struct
import threading
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from doxeval import Documents, DoxevalError, read_documents, read_layout

PAGE_BREAK = "\f"
SCALE = 2.0
"""Dots per point of a picture."""
MOST_PAGES = 300
"""Longer files are shown as text."""
_LOCK = threading.Lock()
"""pdfium must not be used by two threads at the same time."""


def pdf_file(documents: Documents, code: int) -> Path | None:
    """The PDF file that a document was read from; None if it was read from something else."""
    path = Path(documents.files[code]) if documents.files is not None else None
    return path if path is not None and path.suffix.lower() == ".pdf" and path.is_file() else None


def paged(documents: Documents, code: int) -> dict[str, Any]:
    """The pages of a PDF file (width, height, where their text begins) and the lines with their boxes.

    A box is left, top, width and height as shares of the page. Empty if the document is not one, or the file
    is no longer the one that was read.
    """
    path = pdf_file(documents, code)
    if path is None or documents.text is None:
        return {}
    text = documents.text[code]
    try:
        with _LOCK:
            again, layout, sizes = read_documents(path), read_layout(path), _sizes(path)
    except DoxevalError:
        return {}
    texts = text.split(PAGE_BREAK)
    if again.text is None or again.text[0] != text or len(texts) != len(sizes) or len(sizes) > MOST_PAGES:
        return {}
    leaves, pages, start = [], [], 0
    for number, (said, size) in enumerate(zip(texts, sizes, strict=True), 1):
        pages.append([*size, start])
        leaves += list(_lines(said, start, number, size, (layout.start, layout.box)))
        start += len(said) + len(PAGE_BREAK)
    return {"leaves": leaves, "inline": [], "pages": pages}


def _lines(
    said: str, start: int, number: int, size: tuple[float, float], letters: tuple[np.ndarray, np.ndarray]
) -> Iterator[tuple[int, int, str, int, list[float]]]:
    """The lines of a page that show something; `letters` are their places in the text, and their boxes."""
    width, height = size
    begins, boxes = letters
    for line in said.split("\n"):
        inside = boxes[slice(*np.searchsorted(begins, [start, start + len(line)]))]
        if len(inside):
            left, bottom = inside[:, :2].min(axis=0).tolist()
            right, top = inside[:, 2:].max(axis=0).tolist()
            box = [left / width, 1 - top / height, (right - left) / width, (top - bottom) / height]
            yield start, start + len(line), "line", number, [round(share, 5) for share in box]
        start += len(line) + 1


def _sizes(path: Path) -> list[tuple[float, float]]:
    import pypdfium2

    with closing(pypdfium2.PdfDocument(path)) as document:
        return [document.get_page_size(number) for number in range(len(document))]


def picture(path: Path, number: int) -> bytes | None:
    """A page of a PDF file, counted from 1, as a PNG picture; None if there is no such page."""
    import pypdfium2

    with _LOCK, closing(pypdfium2.PdfDocument(path)) as document:
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
