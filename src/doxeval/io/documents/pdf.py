"""PDF files: the text of each page as read by pdfium, and the positions of its characters (extra `pdf`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

from doxeval.core.errors import MissingExtra
from doxeval.io.documents.outline import PAGE_BREAK, paged_tree
from doxeval.io.documents.page_layout import Box, Layout
from doxeval.io.documents.parser import Parser
from doxeval.io.documents.tree import Refused, TagCodes, Tree
from doxeval.io.limits import Limits


def _pages(data: bytes) -> Iterator[tuple[Any, str]]:
    """The pages of a PDF file with their texts, one open at a time; unreadable files are refused."""
    try:
        import pypdfium2
    except ImportError:
        raise MissingExtra("pdf", "reading PDF files") from None
    try:
        with closing(pypdfium2.PdfDocument(data)) as document:
            for number in range(len(document)):
                with closing(document[number]) as page, closing(page.get_textpage()) as text:
                    yield text, text.get_text_range().replace("\r\n", "\n")
    except pypdfium2.PdfiumError as problem:
        raise Refused("not a readable PDF file", str(problem)) from None


def parse_pdf(data: bytes, tags: TagCodes, limits: Limits) -> Tree:
    """The text of a PDF file, with a node for each page; pages of pictures have no text."""
    return paged_tree([text for _, text in _pages(data)], tags, limits)


def layout_of_pdf(data: bytes) -> Layout:
    """A box for each visible character in the text of :func:`parse_pdf`."""
    pieces: list[tuple[float, ...]] = []
    start = 0
    for number, (page, text) in enumerate(_pages(data), start=1):
        pieces.extend((number, *box, start + at, start + at + 1) for at, box in _boxes(page, text))
        start += len(text) + len(PAGE_BREAK)
    return Layout.of_rows(pieces)


def _boxes(page: Any, text: str) -> Iterator[tuple[int, Box]]:
    """The offset and the box of each character of a page that is not white space.

    pdfium counts UTF-16 units, and two for the end of a line.
    """
    from pypdfium2 import raw

    unit = 0
    for at, letter in enumerate(text):
        if not letter.isspace() and (index := raw.FPDFText_GetCharIndexFromTextIndex(page, unit)) >= 0:
            yield at, page.get_charbox(index, loose=True)
        unit += 2 if letter == "\n" or ord(letter) > 0xFFFF else 1


PARSER = Parser("pdf", parse_pdf)
