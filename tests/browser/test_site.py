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
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlparse

import pytest
from lxml import html

import doxeval as dx
from tests.browser.conftest import LOOKS, eventually

PROJECT = Path(__file__).parents[2]
sys.path.insert(0, str(PROJECT))

SHOWN = ("index.html", "measures/iP.html", "choose.html", "commands/gate.html", "python/gate.html")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    for needed in ("mkdocs", "material", "latex2mathml"):
        pytest.importorskip(needed, reason=f"{needed} is not installed (make docs)")
    folder = tmp_path_factory.mktemp("documentation")
    done = subprocess.run(
        [sys.executable, "-m", "docs.build", str(folder)], capture_output=True, text=True, cwd=PROJECT
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site" / dx.__version__


@pytest.fixture(scope="module")
def address(site) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(site.parent))
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/{site.name}/"
        server.shutdown()


def is_ours(page: Path) -> bool:
    """Whether a page is one of the documentation, and not a report or a desk that it shows."""
    return page.name not in ("404.html", "demo-report.html") and page.parent.name != "gallery"


def test_every_link_of_every_page_leads_to_a_place_in_the_site(site) -> None:
    pages: dict[Path, Any] = {
        path: html.fromstring(path.read_bytes()) for path in site.rglob("*.html") if is_ours(path)
    }
    anchors = {path.resolve(): set(tree.xpath("//@id | //a/@name")) for path, tree in pages.items()}
    wrong = []
    for path, tree in pages.items():
        for link in [*tree.xpath("//a/@href"), *tree.xpath("//@src"), *tree.xpath("//link/@href")]:
            if link.startswith(("data:", "blob:", "mailto:")):
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


FOUND = {"iP": "measures/iP.html", "recall@5": "coming-from", "trec_eval": "coming-from"}
ASKED = {
    "RAG": "tutorial-rag.html",
    "chunk": "tutorial-rag.html",
    "recall": "tutorial-rag.html",
    "hallucination": "citations.html",
    "agent": "tutorial-agents.html",
    "SWE-bench": "tutorial-code.html",
    "annotation": "tutorial-judging.html",
    "regression": "continuous-integration.html",
}
"""Words that people use, and the task that should be offered among the first."""


@pytest.mark.parametrize("words", FOUND)
def test_search_finds_names_as_they_are_typed_from_files(site, visit, words) -> None:
    visitor = visit(site / "vocabulary.html")
    visitor.page.locator("[data-md-component=search-query]").click()
    eventually(lambda: searched(visitor.page, words), lambda links: any(FOUND[words] in one for one in links))


def test_search_offers_tasks_before_references(site, visit) -> None:
    visitor = visit(site / "vocabulary.html")
    visitor.page.locator("[data-md-component=search-query]").click()
    for words, goal in ASKED.items():
        eventually(
            lambda words=words: pages_of(searched(visitor.page, words))[:3],
            lambda pages, goal=goal: any(goal in one for one in pages),
        )


def pages_of(links: list[str]) -> list[str]:
    """The pages that search offers, each once, in order."""
    return list(dict.fromkeys(link.partition("#")[0].partition("?")[0] for link in links))


def test_every_page_has_its_markdown_beside_it_and_is_listed_for_programs(site) -> None:
    full, listed = ((site / name).read_text(encoding="utf-8") for name in ("llms-full.txt", "llms.txt"))
    for made in site.rglob("*.html"):
        if not is_ours(made):
            continue
        beside = made.with_suffix(".md")
        place = beside.relative_to(site).as_posix()
        assert beside.read_text(encoding="utf-8").lstrip().startswith(("#", "MIT")), place
        assert f"]({place})" in listed and f"<!-- {place} -->" in full, place
        assert f'href="{beside.name}" type="text/markdown"' in made.read_text(encoding="utf-8")
    assert "data-toy" not in full and listed.startswith("# doxeval\n\n> ")


def test_examples_of_commands_are_shown_with_what_they_print(site) -> None:
    written = (site / "commands" / "gate.md").read_text(encoding="utf-8")
    assert "$ doxeval gate runs/paragraphs.jsonl" in written and "has not fallen" in written
    assert "--lower-is-better MEASURE" in written and "[dx.gate](../python/gate.md)" in written
    for path in (site / "commands").glob("*.md"):
        assert path.read_text(encoding="utf-8").count("```console"), path.name
    written = (site / "python" / "gate.md").read_text(encoding="utf-8")
    for part in ("Parameters", "Returns", "Errors", "Example", "See also"):
        assert f"\n## {part}\n" in written
    assert "doxeval.UsageError: gate() has no parameter 'nonsense'" in written


def test_versions_stand_side_by_side_and_one_chooses_from_files(site, visit, tmp_path) -> None:
    from docs.beside import write_versions

    (tmp_path / dx.__version__).symlink_to(site)
    (tmp_path / "0.0.9").mkdir()
    (tmp_path / "0.0.9" / "index.html").write_text("<!doctype html><title>old</title>", encoding="utf-8")
    write_versions(tmp_path, dx.__version__)
    page = visit(tmp_path / dx.__version__ / "measures" / "iP.html").page
    eventually(page.locator("select.version option").all_inner_texts, [dx.__version__, "0.0.9"])
    page.locator("select.version").select_option("0.0.9")
    eventually(page.title, "old")
    page.goto((tmp_path / "index.html").as_uri())
    eventually(lambda: page.url, lambda url: url.endswith(f"/{dx.__version__}/index.html"))


def test_the_picture_of_the_landing_page_can_be_moved(site, visit) -> None:
    page = visit(site / "index.html").page
    page.wait_for_selector(".hero[data-ready]")
    shown = lambda: page.locator(".hero [data-system]").evaluate_all(  # noqa: E731
        "cells => cells.map(cell => [cell.dataset.system, cell.dataset.measure, +cell.dataset.value])"
    )
    at = {
        "whole document": [(0, 1200)],
        "sections": [(360, 660)],
        "windows, half overlapping": [(300, 550), (425, 675)],
    }
    grips = page.locator('.hero [data-part="start"]')
    for moved in (False, True):
        if moved:
            grips.nth(0).press("Shift+ArrowRight")
            grips.nth(2).press("ArrowLeft")
            at["whole document"], at["windows, half overlapping"][0] = [(100, 1200)], (290, 550)
        place = {"topic": "q", "doc": "d"}
        rows = {
            name: [place | {"rank": rank, "start": a, "end": b} for rank, (a, b) in enumerate(places, 1)]
            for name, places in at.items()
        }
        scores = dx.evaluate(rows, [place | {"start": 400, "end": 600}], "iP@5 iR@5 IoU@5")
        expected = [
            [name, measure, pytest.approx(scores.value(name, measure))]
            for name in at
            for measure in scores.measures
        ]
        eventually(shown, expected)


def test_search_and_clicks_work_over_http(site, address, browser) -> None:
    from tests.browser.conftest import Visitor

    context = browser.new_context(viewport={"width": 1280, "height": 900})
    visitor = Visitor(context.new_page())
    page = visitor.page
    page.goto(address)
    for tab in ("Measures", "Commands", "Python", "Start"):
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
    eventually(lambda: page.get_by_text("Leader board").count(), lambda count: count > 0)
    context.close()
    visitor.check((address.removesuffix(f"{site.name}/"), "data:", "blob:"))


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
