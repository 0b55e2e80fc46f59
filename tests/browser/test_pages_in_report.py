"""Pages of PDF files in the report: laid out as in the file; of long files those of hits; text on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest

import doxeval as dx
from tests.browser.conftest import eventually
from tests.io.documents.pdf_files import HEIGHT, pdf_of

pytest.importorskip("pypdfium2", reason="pypdfium2 is not installed")
WIDTH = 300
AT = "#view=documents&topic=q1&run=found&doc="
PLACE = """(part) => {
  const [a, b] = [part, part.closest('.r-page')].map((one) => one.getBoundingClientRect());
  return [(a.left - b.left) / b.width, (a.top - b.top) / b.height, (a.right - b.left) / b.width];
}"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of two pages, and one so long that only some of its pages are in the report."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "short.pdf").write_bytes(
        pdf_of([["The first line of a page", "and what was asked for"], ["Another page."]])
    )
    lines = [f"Line {line} of a page that says nothing much." for line in range(17)]
    (folder / "long.pdf").write_bytes(pdf_of([[f"Page {page}.", *lines] for page in range(1, 61)]))
    return folder


@pytest.fixture(scope="module")
def report(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    documents = dx.read_documents(files)
    text = dict(zip(documents.ids, documents.text, strict=True))
    wanted = text["short"].index("what was")
    later = text["long"].index("Page 30.")
    gold = [
        {"topic": "q1", "doc": "short", "start": wanted, "end": wanted + 8},
        {"topic": "q1", "doc": "long", "start": later, "end": later + 8},
    ]
    run = [{**row, "rank": rank} for rank, row in enumerate(gold, 1)]
    target = tmp_path_factory.mktemp("report") / "report.html"
    dx.write_report({"found": run}, gold, "iR@5", files, path=target)
    return target


def test_lines_are_where_they_are_in_the_file(visit, report, files) -> None:
    page = visit(report, f"{AT}short", width=1280).page
    eventually(page.locator(".r-page").count, 2)
    eventually(page.locator(".r-page .hit").inner_text, "what was")
    text = dx.read_documents(files / "short.pdf").text[0]
    (_, box), *_ = dx.read_layout(files / "short.pdf").boxes(
        text.index("what was"), text.index("what was") + 8
    )
    expected = [box[0] / WIDTH, 1 - box[3] / HEIGHT, box[2] / WIDTH]
    eventually(
        lambda: page.locator(".r-page .hit").evaluate(PLACE),
        lambda found: found == pytest.approx(expected, abs=0.04),
    )
    eventually(page.get_by_text("Pages are laid out as in the file").count, 1)
    page.get_by_label("raw text").check()
    eventually(page.locator(".r-page").count, 0)
    eventually(page.locator(".page-number").all_inner_texts, ["page 1", "page 2"])


def test_of_a_long_file_the_pages_of_hits_are_shown_and_the_others_named(visit, report) -> None:
    page = visit(report, f"{AT}long").page
    eventually(
        lambda: page.locator(".r-page").evaluate_all("all => all.map((one) => one.dataset.page)"), ["30"]
    )
    gaps = [f"\u2026 pages {pages} not embedded \u2026" for pages in ("1\u201329", "31\u201360")]
    eventually(page.locator(".gap").all_inner_texts, gaps)
    eventually(page.locator(".r-page .hit").inner_text, "Page 30.")


def test_a_phone_shows_the_text_of_pages_in_its_own_size(visit, report) -> None:
    page = visit(report, f"{AT}short", width=390).page
    size = "one => parseFloat(getComputedStyle(one).fontSize)"
    eventually(lambda: page.locator(".r-page .hit").evaluate(size), lambda found: found >= 14)


def test_questions_say_on_which_page_a_passage_is(visit, report) -> None:
    page = visit(report, "#view=question&topic=q1").page
    heads = page.locator(".gold .card-head .facts")
    eventually(heads.all_inner_texts, lambda told: any(one.startswith("page 30, ") for one in told))
    eventually(page.locator(".card .facts").first.inner_text, lambda told: told.startswith("page 1, "))
