"""Pages of PDF files: their sizes, and the lines of their text with their places on them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from doxeval.core.errors import DoxevalError
from doxeval.io.read import read_documents, read_layout
from doxeval.tables.documents import Documents

PAGE_BREAK = "\f"
MOST_PAGES = 300
"""Longer files are shown as text."""
COLUMN_GAP = 1.5
"""A line is cut where two letters are this many times its height apart, as in tables."""
PDFIUM = threading.Lock()
"""pdfium must not be used by two threads at the same time."""

Line = tuple[int, int, str, int, list[float]]
"""Start, end, kind, number of the page, and the box: left, top, width and height as shares of the page."""


def pdf_file(documents: Documents, code: int) -> Path | None:
    """The PDF file that a document was read from; None if it was read from something else."""
    path = Path(documents.files[code]) if documents.files is not None else None
    return path if path is not None and path.suffix.lower() == ".pdf" and path.is_file() else None


def paged(documents: Documents, code: int) -> dict[str, Any]:
    """The pages of a PDF file (width, height, where their text begins) and the lines with their boxes.

    Empty if the document is not one, or the file is no longer the one that was read.
    """
    path = pdf_file(documents, code)
    if path is None or documents.text is None:
        return {}
    text = documents.text[code]
    try:
        with PDFIUM:
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
) -> Iterator[Line]:
    """The lines of a page that show something; `letters` are their places in the text, and their boxes."""
    begins, boxes = letters
    for line in said.split("\n"):
        rows = slice(*np.searchsorted(begins, [start, start + len(line)]))
        cuts = _columns(boxes[rows])
        places = [start, *begins[rows][cuts].tolist(), start + len(line)]
        for inside, first, last in zip(np.split(boxes[rows], cuts), places, places[1:], strict=False):
            if len(inside):
                yield first, last, "line", number, _box(inside, *size)
        start += len(line) + 1


def _columns(boxes: np.ndarray) -> np.ndarray:
    """The letters of a line that are far from those before them."""
    left, bottom, right, top = boxes.T
    apart = np.maximum(left[1:] - right[:-1], left[:-1] - right[1:])
    return np.flatnonzero(apart > COLUMN_GAP * np.max(top - bottom, initial=0.0)) + 1


def _box(letters: np.ndarray, width: float, height: float) -> list[float]:
    """The box around some letters, as shares of the page."""
    left, bottom = letters[:, :2].min(axis=0).tolist()
    right, top = letters[:, 2:].max(axis=0).tolist()
    box = left / width, 1 - top / height, (right - left) / width, (top - bottom) / height
    return [round(share, 5) for share in box]


def _sizes(path: Path) -> list[tuple[float, float]]:
    import pypdfium2

    with closing(pypdfium2.PdfDocument(path)) as document:
        return [document.get_page_size(number) for number in range(len(document))]
