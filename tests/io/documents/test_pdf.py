"""PDF files, text in pages, and where it stands on them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.io.documents.pdf import parse_pdf
from doxeval.io.documents.tree import TagCodes
from doxeval.io.limits import Limits
from tests.io.documents.pdf_files import LEADING, LEFT, SIZE, TOP, pdf_of

PAGES = [["The quick brown fox", "jumps over the dog."], ["(Nothing else.)", "Ends here."], ["Third page"]]
LINE = st.text("abcdefgXYZ (é).", min_size=3, max_size=20).filter(lambda line: line == line.strip())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "report.pdf"
    path.write_bytes(pdf_of(PAGES))
    return path


def test_the_text_of_a_pdf_is_that_of_its_pages(file: Path) -> None:
    documents = dx.read_documents(file)
    assert list(documents.ids) == ["report"] and not len(documents.notices)
    assert documents.text is not None and documents.text[0] == "\f".join("\n".join(page) for page in PAGES)
    for number, lines in enumerate(PAGES, start=1):
        node = documents.node_named(0, f"page {number}")
        start, end = documents.extent(0, node)
        assert documents.text[0][start:end] == "\n".join(lines)
        assert documents.find(0, f"/article[1]/page[{number}]") == node


@pytest.mark.parametrize("place", [{"page": 2}, {"node": "page 2"}, {"path": "/article[1]/page[2]"}])
def test_a_page_is_gold_and_a_result(file: Path, place: dict) -> None:
    gold = [
        {"topic": "t", "doc": "report.pdf", **({"node": "page 2"} if "page" in place else place), "rel": 1}
    ]
    run = [{"topic": "t", "doc": "report", "rank": 1, **place}]
    scores = dx.evaluate(run, gold, "iP iR", file)
    assert [scores.value("run", name) for name in ("iP", "iR")] == [1, 1]
    words = [{"topic": "t", "doc": "report", "quote": "Ends here."}]
    assert dx.evaluate(run, words, "iR", file).value("run", "iR") == 1


def test_a_page_of_a_result_is_a_remark_beside_another_place(file: Path) -> None:
    base = {"topic": "t", "doc": "report", "rank": 1, "page": 3}
    for place in ({"start": 0, "end": 5}, {"text": "The q"}, {"node": "page 1"}):
        run = dx.read_run([base | place])
        assert not len(run.notices) and (run.nodes is None or run.nodes.of(0) == ["page 1"])
    refused = dx.read_run([base, base | {"page": 0}])
    assert len(refused) == 1 and "counted from 1" in str(refused.notices.refusals[0])


def test_readers_navigate_by_pages(file: Path) -> None:
    run = [{"topic": "t", "doc": "report", "rank": 1, "node": "/article[1]/page[2]/p[1]"}]
    gold = [{"topic": "t", "doc": "report", "node": "page 2", "rel": 1}]
    found = dx.evaluate(run, gold, "PRUM(nav=none) PRUM(nav=hierarchical)", file)
    assert found.value("run", "PRUM(nav=none)") < found.value("run", "PRUM(nav=hierarchical)")


def test_a_pdf_without_text_says_so(tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(pdf_of([[], []]))
    documents = dx.read_documents(tmp_path / "scan.pdf")
    told = "1 PDF file has no text, only pages of pictures"
    assert list(documents.ids) == ["scan"] and told in "; ".join(map(str, documents.notices))
    assert [name for name in documents.node_ids if name] == ["page 1", "page 2"]
    (tmp_path / "other.pdf").write_bytes(pdf_of(PAGES))
    documents = dx.read_documents(tmp_path)
    assert list(documents.ids) == ["other", "scan"] and told in "; ".join(map(str, documents.notices))


@pytest.mark.parametrize("data", [b"%PDF-1.4\nnothing", b"", pdf_of(PAGES)[:200]])
def test_a_damaged_pdf_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.pdf").write_bytes(data)
    with pytest.raises(dx.InputError, match=r"a\.pdf"):
        dx.read_documents(tmp_path / "a.pdf")


def test_a_missing_extra_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(dx.DoxevalError, match=r"pip install 'doxeval\[pdf\]'"):
        dx.read_documents(file)


@given(st.lists(st.lists(LINE, min_size=1, max_size=4), min_size=1, max_size=3))
def test_boxes_and_ranges_are_each_others_inverse(pages: list[list[str]]) -> None:
    layout = dx.read_layout(pdf_of(pages))
    text = "\f".join("\n".join(page) for page in pages)
    assume(parse_pdf(pdf_of(pages), TagCodes(), Limits()).text == text)
    assert "".join(text[at] for at in layout.start) == "".join(text.split())
    place = 0
    for number, lines in enumerate(pages, start=1):
        for row, line in enumerate(lines):
            [(page, box)] = layout.boxes(place, place + len(line))
            base = TOP - row * LEADING
            assert (
                page == number
                and box[0] >= LEFT - 2
                and base - SIZE < box[1] <= base < box[3] < base + LEADING
            )
            assert layout.ranges(page, box) == [(place, place + len(line))]
            place += len(line) + 1
        assert layout.ranges(number, (0, 0, 1000, 1000)) == [(place - len("\n".join(lines)) - 1, place - 1)]
    assert (
        layout.ranges(1, (0, 0, 5, 5))
        == layout.ranges(99, (0, 0, 900, 900))
        == cast(Any, layout.boxes(9999, 10000))
        == []
    )


def test_a_box_upside_down_is_refused() -> None:
    with pytest.raises(dx.UsageError, match="lower left corner"):
        dx.read_layout(pdf_of(PAGES)).ranges(1, (0, 50, 10, 20))
    with pytest.raises(dx.InputError, match="expected a PDF file or a DoclingDocument"):
        dx.read_layout(b'{"a": 1}')


def docling(origin: str) -> bytes:
    def prov(page: int, top: int, span: tuple[int, int]) -> dict:
        edges = {"t": top, "b": top - 10} if origin == "BOTTOMLEFT" else {"t": 100 - top, "b": 110 - top}
        return {"page_no": page, "bbox": {"l": 0, "r": 50, **edges, "coord_origin": origin}, "charspan": span}

    texts = [
        {"label": "title", "text": "Title", "prov": [prov(1, 90, (0, 5))]},
        {"label": "text", "text": "One two", "prov": [prov(1, 40, (0, 3)), prov(2, 90, (4, 7))]},
    ]
    children = [{"$ref": f"#/texts/{at}"} for at in range(len(texts))]
    pages = {str(number): {"size": {"width": 60, "height": 100}} for number in (1, 2)}
    value = {"schema_name": "DoclingDocument", "body": {"children": children}, "texts": texts, "pages": pages}
    return json.dumps(value).encode()


@pytest.mark.parametrize("origin", ["BOTTOMLEFT", "TOPLEFT"])
def test_the_provenance_of_docling_is_a_layout(tmp_path: Path, origin: str) -> None:
    (tmp_path / "a.json").write_bytes(docling(origin))
    documents, layout = dx.read_documents(tmp_path / "a.json"), dx.read_layout(tmp_path / "a.json")
    assert documents.text is not None
    text = documents.text[0]
    assert [text[a:b] for a, b in layout.ranges(1, (0, 20, 60, 45))] == ["One"]
    assert [text[a:b] for a, b in layout.ranges(1, (0, 0, 60, 100))] == ["Title\nOne"]
    assert [text[a:b] for a, b in layout.ranges(2, (10, 82, 20, 88))] == ["two"]
    assert layout.boxes(6, 13) == [(1, (0, 30, 50, 40)), (2, (0, 80, 50, 90))]


def test_pages_of_text_and_lists_of_pages_are_nodes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One.\n\nTwo.\fThree.\f")
    pages = [{"page_idx": 2, "text": "Last"}, {"page_idx": 0, "text": "First.\n\nSecond."}]
    (tmp_path / "b.json").write_text(json.dumps(pages))
    documents = dx.read_documents(tmp_path)
    assert documents.text is not None and list(documents.text) == [
        "One.\n\nTwo.\fThree.\f",
        "First.\n\nSecond.\f\fLast",
    ]
    assert [documents.path(0, node) for node in range(6)] == [
        "/article[1]", "/article[1]/page[1]", "/article[1]/page[1]/p[1]", "/article[1]/page[1]/p[2]",
        "/article[1]/page[2]", "/article[1]/page[2]/p[1]",
    ]  # fmt: skip
    start, end = documents.extent(1, documents.node_named(1, "page 3"))
    assert documents.text[1][start:end] == "Last"
    twice = [{"page_idx": 0, "text": "a"}, {"page_idx": 0, "text": "b"}]
    (tmp_path / "c.json").write_text(json.dumps(twice))
    assert "occurs twice" in str(dx.read_documents(tmp_path).notices.refusals[0])


def test_real_pdfs_have_the_text_that_was_made_of_them(reference: Path) -> None:
    folder = reference / "data" / "quotes" / "financebench"
    for path in (folder / "pdfs").glob("*.pdf"):
        documents = dx.read_documents(path)
        expected = (folder / "documents" / f"{path.stem}.txt").read_text()
        assert documents.text is not None and documents.text[0] == expected
        assert documents.find(0, f"page {expected.count(chr(12)) + 1}") > 0
    path = folder / "pdfs" / "PEPSICO_2023_8K_dated-2023-05-05.pdf"
    layout, text = dx.read_layout(path), dx.read_documents(path).text[0]
    printed = [at for at, letter in enumerate(text) if not letter.isspace()]
    assert len(layout.start) >= 0.99 * len(printed)
    for start in range(0, len(text), 97):
        for page, box in layout.boxes(start, start + 200):
            assert any(a < start + 200 and b > start for a, b in layout.ranges(page, box))
            assert all(text.count("\f", 0, a) + 1 == page for a, b in layout.ranges(page, box))


def test_parsed_pages_of_a_real_collection(reference: Path) -> None:
    documents = dx.read_documents(reference / "data" / "quotes" / "ohr" / "gt")
    assert len(documents) == 40 and "page" in documents.tags and not documents.notices.refusals
