"""Documents look like documents, and a mark there is the same range as in the raw text, letter by letter."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

import doxeval as dx
from doxeval.demo import DOCUMENTS
from doxeval.judging.pool_file import Pool, PooledDocument, write_pool
from tests.browser.conftest import eventually
from tests.browser.test_judging import SHOWN, judged, marks_are, saved, select, to_the_letter
from tests.io.documents.pdf_files import HEIGHT, pdf_of
from tests.judging.serving import serving

FILES = {
    "page.html": """<html><head><title>Returns</title><style>x{}</style></head><body>
<h1>Returns \U0001f600</h1>
<p>Goods may be <b>returned</b> within
   30 days &lt;script&gt;alert(1)&lt;/script&gt;.</p><ul><li>first</li><li>second <i>one</i></li></ul>
<table><tr><th>Item</th><th>Price</th></tr><tr><td>Pen</td><td>2</td></tr></table>
<pre>code
  here</pre>Loose text.</body></html>""",
    "notes.md": "# Title *it*\n\nA para with **bold** and `code` and [link](http://x \"t\").\n"
    "more &amp; <b>raw</b>.\n\n"
    "- one\n- two\n  1. in\n\n> quoted\n\n| a | b |\n|---|--:|\n| 1 | \U0001f600 22 |\n\n```py\nx = 1\n```\n",
}  # fmt: skip
EVERY_LETTER = """() => {
  const text = document.querySelector('.text').textContent;
  const at = (unit, end) => {
    const walk = document.createTreeWalker(document.querySelector('.text'), NodeFilter.SHOW_TEXT);
    let left = unit, node;
    while ((node = walk.nextNode())) {
      if (left < node.length || (end && left === node.length)) return [node, left];
      left -= node.length;
    }
  };
  let count = 0;
  for (const letter of text) {
    const unit = [...text].slice(0, count).join('').length;
    getSelection().setBaseAndExtent(...at(unit, false), ...at(unit + letter.length, true));
    document.querySelector('.do-h').click();
    document.querySelector('.do-u').click();
    count += 1;
  }
  return count;
}"""
"""Marks every letter on the page, one after the other, and takes the mark back."""


def desk(tmp_path: Path, folder: Path) -> tuple[list[str], dict[str, str]]:
    """A pool of all documents in a folder, and their texts."""
    documents = dx.read_documents(folder)
    texts = dict(zip(documents.ids, documents.text, strict=True))
    pool = [PooledDocument("t1", doc, ((0, len(text)),), query="What?") for doc, text in texts.items()]
    write_pool(Pool(pool), tmp_path / "pool.jsonl")
    return [str(tmp_path / "pool.jsonl"), "--docs", str(folder)], texts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    for name, content in FILES.items():
        (tmp_path / "files" / name).write_text(content)
    return tmp_path / "files"


@pytest.mark.parametrize("raw", [False, True])
def test_every_letter_on_the_page_is_the_same_letter_of_the_text(attend, folder, tmp_path, raw) -> None:
    arguments, texts = desk(tmp_path, folder)
    with serving(tmp_path, arguments=arguments) as served:
        visitor = attend(served.address)
        page = visitor.page
        to_the_letter(page)
        for number, (doc, text) in enumerate(texts.items()):
            eventually(page.title, lambda said, doc=doc: said.startswith(f"t1: {doc} "))
            if raw and not number:
                page.keyboard.press("v")
                eventually(page.locator(".said").inner_text, "raw text")
            eventually(page.locator(".text.rendered").count, 0 if raw else 1)
            eventually(lambda: page.evaluate(SHOWN), text)
            if not raw:
                visitor.picture(f"judge-rendered-{doc}")
                eventually(page.locator(".text script, .text a, .text style").count, 0)
            eventually(lambda: page.evaluate(EVERY_LETTER), len(text))
            page.keyboard.press("d")
        saved(page)
    with sqlite3.connect(served.database) as connection:
        acts = connection.execute("SELECT doc, act FROM acts ORDER BY number").fetchall()
    connection.close()
    drawn: dict[str, list[tuple[int, int]]] = {doc: [] for doc in texts}
    for doc, act in acts:
        drawn[doc] += [(mark["start"], mark["end"]) for mark in json.loads(act).get("adds", [])]
    assert drawn == {doc: [(at, at + 1) for at in range(len(text))] for doc, text in texts.items()}


def test_headings_lists_and_tables_look_like_it(attend, folder, tmp_path) -> None:
    arguments, _ = desk(tmp_path, folder)
    with serving(tmp_path, arguments=arguments) as served:
        page = attend(served.address).page
        kinds = "kind => [...document.querySelectorAll(`.r-${kind}`)].map(one => one.innerText.trim())"
        for doc, expected in (
            ("notes", {"h1": ["Title it"], "li": ["one", "two", "1. in"],
                       "cell": ["a", "b", "1", "\U0001f600 22"], "pre": ["x = 1"], "b": ["bold"],
                       "a": ["link"], "quote": ["quoted"]}),
            ("page", {"h1": ["Returns", "Returns \U0001f600"], "li": ["first", "second one"],
                      "b": ["returned"], "cell": ["Item", "Price", "Pen", "2"],
                      "pre": ["code\n  here"], "i": ["one"]}),
        ):  # fmt: skip
            eventually(page.title, lambda said, doc=doc: said.startswith(f"t1: {doc} "))
            for kind, words in expected.items():
                eventually(lambda kind=kind: page.evaluate(kinds, kind), words)
            eventually(
                lambda: page.evaluate("document.querySelector('.text').innerText"),
                lambda said: "**" not in said and "|---" not in said and "x{}" not in said,
            )
            page.keyboard.press("d")
        saved(page)


def test_the_texts_of_the_demo_are_whole_as_documents(attend, tmp_path) -> None:
    arguments, texts = desk(tmp_path, DOCUMENTS)
    with serving(tmp_path, arguments=arguments) as served:
        visitor = attend(served.address)
        page = visitor.page
        for number, (doc, text) in enumerate(texts.items()):
            page.evaluate("place => { location.hash = `#${place}`; }", number + 1)
            eventually(page.title, lambda said, doc=doc: said.startswith(f"t1: {doc} "))
            eventually(lambda: page.evaluate(SHOWN), text)
            eventually(page.locator(".text.rendered").count, 1)
        visitor.picture("judge-rendered-demo")
        doc, text = next(iter(texts.items()))
        page.evaluate("location.hash = '#1'")
        eventually(page.title, lambda said: said.startswith(f"t1: {doc} "))
        words = text[text.index(". ") + 2 :][:60].rpartition(" ")[0]
        select(page, text, words)
        page.keyboard.press("h")
        marks_are(page, [words])
        page.keyboard.press("v")
        marks_are(page, [words])
        saved(page)
    start = text.index(words)
    assert judged(served.database)["t1", doc] == [(start, start + len(words))]


def test_pages_of_a_pdf_are_pictures_with_their_text_over_them(attend, tmp_path) -> None:
    pytest.importorskip("pypdfium2")
    (tmp_path / "files").mkdir()
    pages = [["The first line of a page", "and caf\u00e9 (second)"], ["Another page."]]
    (tmp_path / "files" / "a.pdf").write_bytes(pdf_of(pages))
    arguments, texts = desk(tmp_path, tmp_path / "files")
    text = texts["a"]
    with serving(tmp_path, arguments=arguments) as served:
        visitor = attend(served.address)
        page = visitor.page
        eventually(lambda: page.evaluate(SHOWN), text)
        eventually(page.locator(".r-page").count, 2)
        pictures = "[...document.querySelectorAll('.r-page')].map(one => one.style.backgroundImage)"
        shown = f"{pictures}.every(one => one.includes('png'))"
        eventually(lambda: page.evaluate(shown), True)
        to_the_letter(page)
        eventually(lambda: page.evaluate(EVERY_LETTER), len(text))
        select(page, text, "(second)")
        page.keyboard.press("h")
        marks_are(page, ["(second)"])
        place = "document.querySelector('mark').getBoundingClientRect().toJSON()"
        over = page.evaluate(f"(() => {{ const a = {place}; "
            "const b = document.querySelector('.r-page').getBoundingClientRect(); "
            "return [(a.left - b.left) / b.width, (a.top - b.top) / b.height]; })()")  # fmt: skip
        (_, box), *_ = dx.read_layout(tmp_path / "files" / "a.pdf").boxes(
            text.index("(sec"), text.index("d)") + 2
        )
        assert over[0] == pytest.approx(box[0] / 300, abs=0.03), "the mark lies over the picture's words"
        assert over[1] == pytest.approx(1 - box[3] / HEIGHT, abs=0.03)
        visitor.picture("judge-pdf")
        assert served.ask("GET", "picture/0/3")[0] == served.ask("GET", "picture/1/1")[0] == 404
        page.keyboard.press("v")
        eventually(page.locator(".r-page").count, 0)
        marks_are(page, ["(second)"])
        saved(page)
    start = text.index("(second)")
    assert judged(served.database)["t1", "a"] == [(start, start + len("(second)"))]
