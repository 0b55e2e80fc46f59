"""Every view of the report, laid out: nothing overlaps, nothing is cut, nothing is wider than the screen.

What is compared are boxes, not pictures: the lines of text as the browser places them, each within the part
of its scrolling frame that can be seen. Headings are on one line, and counts have separators (layout.js).
"""

from __future__ import annotations

import random
import re
from functools import cache
from itertools import product
from pathlib import Path
from urllib.parse import quote

import pytest

import doxeval as dx
from tests.browser import test_trajectory_page as trajectories
from tests.browser.conftest import eventually, serious

TEXTS = {
    "latin": "The report opens with an answer, and says how sure it is. ",
    "arabic": "يبدأ التقرير بالإجابة ويذكر مدى الثقة بها. ",
    "cjk": "报告以答案开头,并说明其可靠程度。評価の結果は最初の画面に表示される。",
    "code": "def answer(question):\n    return lookup(question, deep=True)  # as asked\n\n\n",
    "pdf": "Words on a page of a file. ",
}
WIDTHS = (1440, 1024, 390)
LONG = "text-embedding-3-large_hybrid-bm25-k1=0.9-b=0.4-size={}-over={}"

AGENTS, ASSESSORS = "agents", "assessors"
TROUBLE = (Path(__file__).parent / "layout.js").read_text(encoding="utf-8")


def documents_of(kind: str, folder: Path) -> object:
    """Six documents of one kind of text."""
    text = TEXTS[kind] * 12
    if kind == "pdf":
        from tests.io.documents.pdf_files import pdf_of

        pytest.importorskip("pypdfium2", reason="pypdfium2 is not installed")
        (folder / "pdf").mkdir(exist_ok=True)
        for at in range(6):
            pages = [[TEXTS[kind]] * 6, [f"Page two of {at}"] * 6]
            (folder / "pdf" / f"file{at}.pdf").write_bytes(pdf_of(pages))
        return folder / "pdf"
    suffix = ".py" if kind == "code" else ""
    heads = "" if kind == "code" else f"# {TEXTS[kind][:20]}\n\n"
    return {f"{kind}-document-{at}{suffix}": f"{heads}{text}\n\n{text}" for at in range(6)}


@cache
def report_of(folder: Path, runs: int, topics: int, kind: str, long_names: bool) -> Path:
    """A report on made runs over made documents."""
    dice = random.Random(runs + topics)
    documents = documents_of(kind, folder)
    names = dx.read_documents(documents).ids
    gold, asked = [], {}
    for topic in range(topics):
        doc = names[topic % 6]
        gold.append({"topic": f"q{topic}", "doc": doc, "start": 40, "end": 110, "kind": "ab"[topic % 2]})
        asked[f"q{topic}"] = f"{TEXTS[kind if kind != 'code' else 'latin'].strip()} {topic % 999}?"
    made = {}
    for run in range(runs):
        label = LONG.format(200 + 10 * run, run % 7) if long_names else f"run{run}"
        made[label] = [
            {"topic": f"q{topic}", "doc": names[dice.randrange(6) if rank > 1 + run % 2 else topic % 6],
             "rank": rank, "start": (start := dice.randrange(0, 80)), "end": start + 40}
            for topic in range(topics) for rank in range(1, 4)
        ]  # fmt: skip
    target = folder / f"{runs}-{topics}-{kind}-{long_names}.html"
    dx.write_report(
        made,
        gold,
        "AiP iR@2000c iP@5",
        documents,
        path=target,
        topics_file=asked,
        by="kind",
        title=f"{kind} {runs}",
    )
    return target


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("layout")


@cache
def other_report(folder: Path, kind: str) -> Path:
    """A report on agents, whose questions are divided, or on how far assessors agree."""
    target = folder / f"{kind}.html"
    if kind == AGENTS:
        gold = [{**row, "kind": "ab"[at % 2]} for at, row in enumerate(trajectories.GOLD)]
        asked = {"q1": "Where is the total of an order worked out?", "q2": "What reads the third part?"}
        runs = {f"agent-with-a-long-name-{name}": steps for name, steps in trajectories.RUNS.items()}
        dx.write_report(runs, gold, "iR iP", trajectories.TEXTS, path=target, by="kind", topics_file=asked)
        return target
    documents = documents_of("latin", folder)
    said = {
        person: [
            {
                "topic": f"q{topic}",
                "doc": f"latin-document-{topic % 6}",
                "start": 40 * topic,
                "end": end + 40 * topic,
            }
            for topic in range(8)
        ]
        for person, end in (("an-assessor-with-a-long-name", 100), ("bob", 80), ("cat", 30))
    }
    dx.write_report(dx.agree(said, documents), path=target)
    return target


def asked_report(folder: Path, asked: tuple[int, int, str, bool] | str) -> Path:
    """The report on a kind of input, or on made runs of a number, topics, a kind of text and names."""
    return other_report(folder, asked) if isinstance(asked, str) else report_of(folder, *asked)


def addresses_of(page) -> list[str]:
    """Every view, the documents of a topic, the questions of a class, and the steps of an agent."""
    page.wait_for_selector("nav.tabs a")
    tabs = page.locator("nav.tabs a")
    views = tabs.evaluate_all(
        "all => all.map((tab) => new URLSearchParams(tab.hash.slice(1)).get('view') || 'answer')"
    )
    data = page.evaluate(
        "(({ topics, diagnosis, runs }) => ({ topic: topics[0][0], run: runs[0], classes: diagnosis "
        "&& diagnosis.classes.map((one) => one.name).filter((_, at) => diagnosis.runs[0].counts[at]) }))"
        "(JSON.parse(document.getElementById('data').textContent))"
    )
    found = [f"view={view}" for view in views] + [f"view=documents&topic={quote(data['topic'])}"]
    found += [f"view=fails&class={quote(data['classes'][0])}"] if data["classes"] else []
    step = f"view=trajectories&topic={quote(data['topic'])}&run={quote(data['run'])}&step=2"
    return [*found, step] if "trajectories" in views else found


def shown(page, address: str) -> None:
    """Go to an address of the page, and wait until it is drawn."""
    page.evaluate("address => { location.hash = address; }", f"#{address}")
    page.wait_for_selector(f"main[data-view={address.split('&')[0].split('=')[1]}]")
    page.wait_for_function("!document.querySelector('main .empty[role=status]')")


def looked_through(visit, report: Path, width: int, scheme: str, name: str, pictures: bool = False) -> None:
    """Go through all views of one page, and look at the boxes of each."""
    visitor = visit(report, width=width, scheme=scheme)
    page = visitor.page
    found = {}
    for address in addresses_of(page):
        shown(page, address)
        if trouble := page.evaluate(TROUBLE, width):
            found[address] = trouble
        if pictures:
            visitor.picture(f"layout-{name}-{width}-{scheme}-{re.sub('[^a-z]+', '-', address)}")
    shown(page, "view=documents")
    opened = page.locator("table.documents tbody a").first
    if opened.count():
        opened.click()
        page.wait_for_selector(".paper")
        if trouble := page.evaluate(TROUBLE, width):
            found["a document"] = trouble
        visitor.picture(f"layout-{name}-{width}-{scheme}-document")
    assert found == {}


SOME = [
    ((2, 15, "latin", False), (1440, "light")), ((2, 15, "latin", False), (390, "dark")),
    ((20, 15, "arabic", True), (1440, "light")), ((20, 15, "arabic", True), (390, "dark")),
    ((2, 15, "code", False), (1024, "dark")), ((2, 15, "pdf", False), (1024, "light")),
    (AGENTS, (1024, "light")), (AGENTS, (390, "dark")),
    (ASSESSORS, (1024, "dark")), (ASSESSORS, (390, "light")),
    ((2, 1100, "latin", False), (1440, "light")),
]  # fmt: skip


@pytest.mark.parametrize(("asked", "look"), SOME, ids=str)
def test_views_are_laid_out(visit, folder, asked, look: tuple[int, str]) -> None:
    looked_through(visit, asked_report(folder, asked), *look, str(asked))


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [*((*sizes, "latin", True) for sizes in product((2, 20), (15, 500))),
     *((20, 15, kind, True) for kind in ("arabic", "cjk", "code", "pdf")),
     (200, 15, "latin", True), (200, 500, "cjk", True), AGENTS, ASSESSORS],
    ids=str,
)  # fmt: skip
def test_all_views_are_laid_out(visit, folder, asked) -> None:
    for width, scheme in product(WIDTHS, ("light", "dark")):
        looked_through(visit, asked_report(folder, asked), width, scheme, str(asked), pictures=True)


def findings(visit, report: Path, width: int, scheme: str) -> dict[str, list[str]]:
    """What axe finds in the views of a report, with all that is folded opened."""
    page = visit(report, width=width, scheme=scheme).page
    found = {}
    for address in addresses_of(page):
        shown(page, address)
        page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
        found[address] = serious(page)
    return {address: trouble for address, trouble in found.items() if trouble}


@pytest.mark.parametrize(
    ("asked", "look"), [(AGENTS, (390, "dark")), ((20, 15, "arabic", True), (1280, "light"))], ids=str
)
def test_no_view_has_a_serious_finding(visit, folder, asked, look) -> None:
    assert findings(visit, asked_report(folder, asked), *look) == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [AGENTS, ASSESSORS, (2, 15, "code", False), (2, 15, "pdf", False), (20, 15, "latin", True)],
    ids=str,
)
def test_no_view_of_any_input_has_a_serious_finding(visit, folder, asked) -> None:
    for look in product((1440, 390), ("light", "dark")):
        assert findings(visit, asked_report(folder, asked), *look) == {}


def test_the_chart_of_differences_fits_however_many_topics(visit, folder) -> None:
    report = report_of(folder, 2, 150, "latin", False)
    page = visit(report, "#view=topics", width=1024).page
    drawn = page.locator("svg.differences")
    eventually(drawn.count, 1)
    bars = drawn.locator("rect.bar").evaluate_all(
        "(bars) => bars.map((bar) => [bar.getBoundingClientRect().right, bar.classList.contains('loses')])"
    )
    assert len(bars) == 150 and max(right for right, _ in bars) <= 1024
    assert any(loses for _, loses in bars)
