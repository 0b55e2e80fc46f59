"""Answers given as boxes on the pages of PDF files and Docling documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from doxeval.core.errors import UsageError
from doxeval.tables.documents import Documents
from doxeval.tables.quotes import BOX, JOINT, LOST, Hint, Pieces, Placement

if TYPE_CHECKING:
    from doxeval.io.documents.layout import Layout


def words_of(text: str, pieces: Pieces) -> str:
    """The text in some ranges, joined by an ellipsis."""
    return JOINT.join(text[start:end] for start, end in pieces)


class Boxes:
    """Boxes in documents read from files; one layout is kept at a time."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self._doc = -1
        self._layout: Layout | None = None

    def place(self, doc: int, hint: Hint) -> tuple[Placement, str]:
        """The text in a box, as one place in pieces, and its words; lost if it has no text."""
        if self._layout is None or self._doc != doc:
            self._doc, self._layout = doc, self._read(doc)
        left, bottom, right, top = hint.box
        found = tuple(self._layout.ranges(hint.page, (left, bottom, right, top)))
        if not found or self.documents.text is None:
            return Placement(LOST, doc), ""
        return Placement(BOX, doc, (found,), 1.0, 1.0), words_of(self.documents.text[doc], found)

    def _read(self, doc: int) -> Layout:
        documents = self.documents
        if documents.files is not None and Path(file := documents.files[doc]).is_file():
            from doxeval.io.documents.layout_files import layout_of_file

            layout = layout_of_file(file)
            if layout.end.max(initial=0) <= documents.length[doc]:
                return layout
        raise UsageError(
            f"answers in document {documents.ids[doc]!r} are boxes, but the positions of its text on its "
            "pages are unknown; give PDF files or Docling JSON (--docs FOLDER), not an index or an archive, "
            "or place the boxes in them first: doxeval anchor GOLD --docs FOLDER -o NEW_GOLD"
        )
