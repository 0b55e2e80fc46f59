"""Source code on the report and on the judging page: numbers of lines, colours, and the function's name."""

from __future__ import annotations

from pathlib import Path

import pytest

import doxeval as dx
from doxeval.io.documents.code import has_grammars
from doxeval.judging.pool_file import Pool, PooledDocument, write_pool
from tests.browser.conftest import LOOKS, PICTURES, eventually, serious
from tests.judging.serving import serving

pytestmark = pytest.mark.skipif(not has_grammars(), reason="needs the extra code")

CART = '''class Cart:
    """What somebody wants to buy: 🛒."""

    def add(self, item, count=1):
        if count < 1:  # <b>no</b> markup
            raise ValueError("count")
        self.items.append((item, count))


def parse(line):
    name, price = line.split(",")
    return name, float(price)
'''
NUMBERS = "element => element.dataset.numbers.split('\\n').map(Number)"
FAMILY = "element => getComputedStyle(element).fontFamily"
PLAIN = "element => getComputedStyle(element.closest('.code')).color"
COLOUR = "element => getComputedStyle(element).color"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("code")
    (folder / "src").mkdir()
    (folder / "src/cart.py").write_text(CART)
    # Long enough to be embedded in parts.
    (folder / "src/long.py").write_text("".join(f"def f{at}():\n    return {at}\n\n\n" for at in range(2000)))
    return folder


GOLD = [
    {"topic": "t", "doc": "src/cart.py", "start_line": 5, "end_line": 6},
    {"topic": "t", "doc": "src/long.py", "start_line": 4001, "end_line": 4002},
]
RESULTS = [
    {"topic": "t", "doc": "src/cart.py", "start_line": 4, "end_line": 5},
    {"topic": "t", "doc": "src/long.py", "start_line": 4001, "end_line": 4001},
]


@pytest.mark.parametrize("unit", ["lines", "characters"])
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_the_report_shows_code_as_code(browser, folder, tmp_path, unit, width, scheme):
    target = tmp_path / "report.html"
    dx.write_report({"mine": RESULTS}, GOLD, "iR iP", folder, path=target, unit=unit)
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    problems = []
    page.on("pageerror", lambda problem: problems.append(str(problem)))
    page.goto(f"{target.as_uri()}#view=question&topic=t")
    card = page.locator(".cards .card").first
    eventually(lambda: card.locator(".symbol").inner_text(), "Cart.add")
    lines = card.locator(".lines")
    eventually(lambda: lines.evaluate(NUMBERS), [4, 5])
    eventually(lambda: lines.evaluate(FAMILY), lambda family: "monospace" in family)
    keyword = card.locator(".code-k").first
    eventually(keyword.inner_text, "def")
    eventually(lambda: keyword.evaluate(COLOUR) != keyword.evaluate(PLAIN), True)
    eventually(lines.inner_text, lambda text: "<b>no</b> markup" in text)
    hit = page.locator("mark.hit").first
    eventually(hit.inner_text, lambda text: text.strip().startswith("if count < 1"))
    eventually(lambda: serious(page), [])
    page.screenshot(path=PICTURES / f"code-question-{unit}-{width}.png", full_page=True)
    page.goto(f"{target.as_uri()}#view=documents&topic=t&doc=src/cart.py")
    eventually(lambda: page.locator(".text.code .lines").count(), 1)
    eventually(lambda: page.locator(".text .lines").evaluate(NUMBERS), list(range(1, 13)))
    hit = page.locator(".text .lines .hit")
    eventually(hit.inner_text, lambda text: text.strip().startswith("if count < 1"))
    eventually(lambda: serious(page), [])
    page.screenshot(path=PICTURES / f"code-document-{unit}-{width}.png")
    page.goto(f"{target.as_uri()}#view=documents&topic=t&doc=src/long.py")
    eventually(lambda: page.locator(".text.code .gap").count(), 2)
    numbers = page.locator(".text .lines").evaluate(NUMBERS)
    shown = page.locator(".text .lines").text_content().split("\n")
    eventually(lambda: shown[numbers.index(4001)], lambda line: line.endswith("def f1000():"))
    assert numbers[0] == 4001 - 40 and problems == []
    page.close()


def test_the_judging_page_shows_code_as_code_and_marks_what_is_selected(browser, folder, tmp_path):
    start, end = CART.index("    def add"), CART.index("\n\n\ndef parse")
    pool = [PooledDocument("t", "src/cart.py", ((start, end),), query="How is an item added?")]
    write_pool(Pool(pool), tmp_path / "pool.jsonl")
    page = browser.new_page()
    arguments = [str(tmp_path / "pool.jsonl"), "--docs", str(folder)]
    with serving(tmp_path, arguments=arguments) as served:
        page.goto(served.address)
        page.wait_for_selector(".text.code .block")
        shown = "[...document.querySelectorAll('.block')].map(block => block.textContent).join('')"
        eventually(lambda: page.evaluate(shown), CART)
        block = page.locator(".block").first
        eventually(lambda: block.evaluate(NUMBERS), list(range(1, 13)))
        eventually(lambda: block.evaluate(FAMILY), lambda family: "monospace" in family)
        eventually(page.locator(".code-k").first.inner_text, "class")
        eventually(lambda: page.locator("article > .symbol").inner_text(), "Cart.add")
        page.keyboard.press("n")
        page.keyboard.press("h")
        page.wait_for_selector("#saved[data-state=saved]")
        eventually(lambda: serious(page), [])
        page.screenshot(path=PICTURES / "code-judging.png")
    marked = dx.read_assessments(served.database).ranges
    assert (marked.start.tolist(), marked.end.tolist()) == ([start + 4], [end]), "it begins with a word"
    page.close()
