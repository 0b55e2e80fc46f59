"""Lines of pages: every letter is in one line, none twice, and lines of tables are cut between columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.show.paged import COLUMN_GAP, _box, _columns, paged
from doxeval.show.report.embedded import whole_pages
from tests.io.documents.pdf_files import pdf_of


@given(st.lists(st.integers(0, 60), max_size=8))
def test_a_line_is_cut_where_letters_are_far_apart(gaps) -> None:
    left = np.cumsum([0, *(10 + gap for gap in gaps)]).astype(float)
    boxes = np.stack([left, np.zeros(len(left)), left + 10, np.full(len(left), 12.0)], axis=1)
    expected = [at + 1 for at, gap in enumerate(gaps) if gap > COLUMN_GAP * 12]
    assert _columns(boxes).tolist() == expected
    assert _columns(boxes[::-1]).tolist() == sorted(len(left) - at for at in expected), "from right to left"


def test_lines_hold_every_letter_once(tmp_path) -> None:
    pytest.importorskip("pypdfium2")
    (tmp_path / "a.pdf").write_bytes(pdf_of([["One line", "and (another) one"], [], ["Three."]]))
    documents = dx.read_documents(tmp_path / "a.pdf")
    text, found = documents.text[0], paged(documents, 0)
    starts = [start for *_, start in found["pages"]]
    assert [text[start : start + 3] for start in starts] == ["One", "\fTh", "Thr"]
    assert " ".join(text[start:end] for start, end, *_ in found["leaves"]).split() == text.split()
    assert [number for _, _, _, number, _ in found["leaves"]] == [1, 1, 3]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.data())
def test_places_are_widened_to_their_pages(sizes, data) -> None:
    starts = [0, *np.cumsum(sizes).tolist()][:-1]
    length = sum(sizes)
    place = sorted(data.draw(st.tuples(st.integers(0, length - 1), st.integers(0, length - 1))))
    ((first, last),) = whole_pages([[place[0], place[1] + 1]], starts, length)
    touched = [at for at, start in enumerate(starts) if start <= place[1] and place[0] < start + sizes[at]]
    assert first == starts[touched[0]] and last == starts[touched[-1]] + sizes[touched[-1]]


def test_pages_of_a_file_that_has_changed_are_not_shown(tmp_path) -> None:
    pytest.importorskip("pypdfium2")
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf_of([["One line"]]))
    documents = dx.read_documents(path)
    assert paged(documents, 0)
    path.write_bytes(pdf_of([["Another line"]]))
    assert paged(documents, 0) == {}
    path.write_bytes(b"%PDF-1.4 no more")
    assert paged(documents, 0) == {}


def test_the_box_of_letters_is_a_share_of_the_page() -> None:
    """From the left, from above, wide, and high."""
    letters = np.array([[10.0, 40.0, 20.0, 50.0], [25.0, 38.0, 30.0, 60.0]])
    assert _box(letters, 100, 200) == [0.1, 0.7, 0.2, 0.11]
