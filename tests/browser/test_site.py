"""The documentation as people meet it: built, opened from files and over HTTP, clicked, searched."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlparse

import pytest
from lxml import html

import doxeval as dx
from tests.browser.conftest import LOOKS, eventually

PROJECT = Path(__file__).parents[2]
sys.path.insert(0, str(PROJECT))

SHOWN = ("index.html", "measures/iP.html", "choose.html")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    for needed in ("mkdocs", "material", "latex2mathml"):
        pytest.importorskip(needed, reason=f"{needed} is not installed (make docs)")
    folder = tmp_path_factory.mktemp("documentation")
    done = subprocess.run(
        [sys.executable, "-m", "docs.build", str(folder)], capture_output=True, text=True, cwd=PROJECT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def address(site) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def test_every_link_of_every_page_leads_to_a_place_in_the_site(site) -> None:
    pages = {path: html.fromstring(path.read_bytes()) for path in site.rglob("*.html")}
    anchors = {path.resolve(): set(tree.xpath("//@id | //a/@name")) for path, tree in pages.items()}
    wrong = []
    for path, tree in pages.items():
        for link in [*tree.xpath("//a/@href"), *tree.xpath("//@src"), *tree.xpath("//link/@href")]:
            if path.name in ("404.html", "demo-report.html") or link.startswith(
                ("data:", "blob:", "mailto:")
            ):
                continue
            goal, anchor = urldefrag(urljoin(path.as_uri(), link))
            target = Path(unquote(urlparse(goal).path))
            if goal.startswith("http"):
                wrong += [] if tree.xpath(f"//a[@href={json.dumps(link)}]") else [f"{path.name} loads {link}"]
            elif not target.exists():
                wrong.append(f"{path.relative_to(site)}: {link}")
            elif anchor and target.suffix == ".html" and unquote(anchor) not in anchors[target.resolve()]:
                wrong.append(f"{path.relative_to(site)}: {link} has no such place")
    assert not wrong
    assert len(pages) > 120


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_pages_open_from_files_fit_and_are_accessible(site, visit, width, scheme) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed (make browser)"
    )
    for name in SHOWN:
        visitor = visit(site / name, width=width, scheme=scheme)
        visitor.fits(width)
        if name == "choose.html":
            for summary in visitor.page.locator(".decision > details > summary").all():
                summary.click()
        found = axe.Axe().run(visitor.page, options={"preload": False}).response["violations"]
        serious = [
            f"{one['id']}: {node['html'][:120]} {node['failureSummary'][:200]}"
            for one in found
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]
        assert serious == []
        visitor.picture(f"site-{Path(name).stem}-{width}-{scheme}")


def searched(page, words: str) -> list[str]:
    """The addresses that the site's search offers."""
    asked = page.locator("[data-md-component=search-query]")
    asked.fill("")
    asked.press_sequentially(words)
    links = page.locator(".md-search-result__link")
    return links.evaluate_all("links => links.map(link => link.href)")


FOUND = {"iP": "measures/iP.html", "recall@5": "coming-from.html", "trec_eval": "coming-from.html"}


@pytest.mark.parametrize("words", FOUND)
def test_search_finds_names_as_they_are_typed_from_files(site, visit, words) -> None:
    visitor = visit(site / "vocabulary.html")
    visitor.page.locator("[data-md-component=search-query]").click()
    eventually(lambda: searched(visitor.page, words), lambda links: any(FOUND[words] in one for one in links))


def test_search_and_clicks_work_over_http(site, address, browser) -> None:
    from tests.browser.conftest import Visitor

    context = browser.new_context(viewport={"width": 1280, "height": 900})
    visitor = Visitor(context.new_page())
    page = visitor.page
    page.goto(address)
    for tab in ("Measures", "Reference", "Start"):
        page.locator(".md-tabs__link", has_text=tab).click()
        eventually(page.title, lambda title: bool(title))
    page.get_by_role("link", name="Which measure should I use?").first.click()
    page.get_by_text("Chunks to a language model (RAG)").click()
    page.get_by_text("Yes, or they overlap").click()
    page.get_by_role("link", name="iR@2000c").click()
    eventually(lambda: page.locator("h1").inner_text().strip("¶ \n"), "iR")
    page.locator("[data-md-component=search-query]").click()
    for words, goal in FOUND.items():
        eventually(
            lambda words=words: searched(page, words),
            lambda links, goal=goal: any(goal in one for one in links),
        )
    page.goto(f"{address}index.html")
    page.get_by_role("link", name="Open the report of the demo").click()
    eventually(lambda: page.locator("table.board tbody th").count(), 6)
    context.close()
    visitor.check((address, "data:", "blob:"))


def live(page) -> dict[str, float]:
    cells = page.locator(".live dd").evaluate_all(
        "cells => cells.map(cell => [cell.dataset.measure, +cell.dataset.value])"
    )
    return dict(cells)


def by_doxeval(results: list[tuple[str, int, int]], measures: list[str]) -> dict[str, float]:
    from docs.toy import DOCUMENTS, QRELS, run

    scores = dx.evaluate({"toy": run(results)}, QRELS, measures, DOCUMENTS)
    return {measure: scores.value("toy", measure) for measure in measures}


def agrees(page, results: list[tuple[str, int, int]]) -> None:
    expected = by_doxeval(results, list(live(page)))
    eventually(lambda: live(page), lambda found: found == pytest.approx(expected, abs=1e-12))


MOVED = "measures/iP measures/AiP measures/CharAP measures/ESRR measures/tRBP scores/aveChP scores/ChP"


@pytest.mark.parametrize("name", [*MOVED.split(), "scores/T2I", "scores/T2Ir", "scores/LE"])
def test_moving_chunks_gives_the_scores_that_doxeval_gives(site, visit, name) -> None:
    from docs.toy import RESULTS

    page = visit(site / f"{name}.html").page
    page.wait_for_selector(".toy[data-ready]")
    grip = lambda chunk, part: page.locator(f'[data-chunk="{chunk}"][data-part="{part}"]')  # noqa: E731
    results = list(RESULTS)
    agrees(page, results)

    grip(4, "start").press("Home")
    results[3] = ("faq", 0, 80)
    agrees(page, results)
    for _ in range(3):
        grip(4, "end").press("Shift+ArrowLeft")
    grip(4, "end").press("ArrowLeft")
    results[3] = ("faq", 0, 49)
    agrees(page, results)
    grip(1, "whole").press("End")
    results[0] = ("manual", 80, 120)
    agrees(page, results)

    page.locator(".toy").scroll_into_view_if_needed()
    box = grip(3, "end").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 - 90, box["y"] + 5, steps=4)
    page.mouse.up()
    end = eventually(lambda: int(grip(3, "end").get_attribute("aria-valuenow")), lambda now: 21 < now < 70)
    results[2] = ("manual", 20, end)
    agrees(page, results)


def test_chunks_follow_a_finger(site, browser) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 900}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto((site / "measures" / "iP.html").as_uri())
    page.wait_for_selector(".toy[data-ready]")
    grip = page.locator('[data-chunk="1"][data-part="end"]')
    grip.scroll_into_view_if_needed()
    box = grip.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = context.new_cdp_session(page)
    for kind, to in (("touchStart", x), ("touchMove", x + 20), ("touchMove", x + 40), ("touchEnd", None)):
        points = [] if to is None else [{"x": to, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    end = eventually(lambda: int(grip.get_attribute("aria-valuenow")), lambda now: now > 45)
    agrees(page, [("manual", 0, end), ("news", 0, 40), ("manual", 20, 70), ("faq", 40, 80)])
    context.close()
