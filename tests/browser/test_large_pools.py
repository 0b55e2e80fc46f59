"""A large pool comes to the page in parts, and is judged as a small one is."""

from __future__ import annotations

import time

import doxeval as dx
from doxeval.judging.pool_file import PooledDocument
from tests.browser.conftest import eventually
from tests.browser.test_judging import judged, saved
from tests.judging.serving import serving

TOPICS, EACH = 40, 500
TEXTS = {f"d{number}": f"Text {number}. It has two sentences." for number in range(EACH)}
POOL = [
    PooledDocument(f"t{topic}", doc, ((0, 6),), query=f"What is {topic}?")
    for topic in range(TOPICS)
    for doc in TEXTS
]


def test_a_large_pool_is_judged_where_one_likes(attend, tmp_path) -> None:
    with serving(tmp_path, texts=TEXTS, pool=POOL) as served:
        content = served.ask("GET", "")[1]
        assert len(content) < 150_000, "the page does not hold the pool"
        begin = time.monotonic()
        visitor = attend(served.address)
        page = visitor.page
        eventually(page.locator(".text").inner_text, lambda said: said.startswith("Text 0."))
        print(f"{len(POOL):,} documents: first text after {time.monotonic() - begin:.2f} s")
        page.keyboard.press("s")
        page.keyboard.press("h")
        page.keyboard.press("d")
        eventually(page.title, lambda said: said.startswith("t0: d1 "))
        page.evaluate("location.hash = '#600'")
        eventually(page.title, lambda said: said.startswith("t1: d99 "))
        eventually(page.locator("nav").nth(1).inner_text, lambda said: "(100 of 500)" in said)
        page.keyboard.press("0")
        eventually(page.title, lambda said: said.startswith("t1: d100 "))
        page.keyboard.press("j")
        page.keyboard.press("d")
        eventually(page.title, lambda said: said.startswith("t1: d102 "))
        page.keyboard.press("J")
        eventually(page.title, lambda said: said.startswith("t2: d0 "))
        page.keyboard.press("u")
        eventually(page.title, lambda said: said.startswith("t1: d101 "))
        page.keyboard.press("r")
        saved(page)
        eventually(page.locator(".progress").inner_text, lambda said: "3 of 20,000 documents judged" in said)
        page.evaluate("location.hash = ''")
        page.reload()
        page.wait_for_selector("body[data-ready]")
        eventually(page.title, lambda said: said.startswith("t0: d1 "))
        eventually(page.locator(".docs").inner_text, lambda said: "440 after these" in said)
        eventually(page.locator(".docs button").first.inner_text, lambda said: "relevant" in said)
        asked = [url.rpartition("/")[2] for url in visitor.requests if "/pairs/" in url]
        assert len(asked) < 10, "parts of the pool come when they are needed"
    found = judged(tmp_path / "judgements.db")
    assert found == {("t0", "d0"): [(0, 7)], ("t1", "d99"): [], ("t1", "d101"): []}


def test_a_mark_in_a_large_pool_is_kept_at_once(tmp_path) -> None:
    with serving(tmp_path, texts=TEXTS, pool=POOL) as served:
        taken = []
        for number in range(20):
            begin = time.monotonic()
            mark = {"adds": [{"id": f"m{number}", "start": 0, "end": 4}]}
            assert served.act(mark, topic=f"t{number}", doc=f"d{number}")[0] == 200
            taken.append(time.monotonic() - begin)
        print(f"a mark takes {1000 * sorted(taken)[10]:.1f} ms")
        assert sorted(taken)[10] < 0.05
        assert served.ask("GET", "pairs/20000")[0] == served.ask("GET", "siblings/40")[0] == 404
    assert len(dx.read_assessments(served.database).ranges.start) == 20
