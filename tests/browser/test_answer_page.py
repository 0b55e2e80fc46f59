"""The first screen: it says what `compare` does, leads to everything else, and can be taken away."""

from __future__ import annotations

from pathlib import Path

import pytest

import doxeval as dx
from doxeval.comparison.advice import advice_of
from doxeval.demo import ANSWERS, DOCUMENTS, QUESTIONS, RUNS
from tests.browser.conftest import eventually

MEASURES = "AiP iR@2000c iP@5"
FILES = sorted(RUNS.glob("*.jsonl"))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("answer") / "report.html"
    dx.write_report(FILES, ANSWERS, MEASURES, DOCUMENTS, path=target, topics_file=QUESTIONS)
    return target


def test_it_opens_with_the_headline_of_the_comparison(visit, report) -> None:
    page = visit(report).page
    scores = dx.evaluate(FILES, ANSWERS, MEASURES, DOCUMENTS)
    told = advice_of(scores, dx.compare(scores)).headline.replace("`", "")
    eventually(lambda: " ".join(page.locator(".headline h2, .headline .unknown").all_inner_texts()), told)
    counts = page.locator(".classes b").all_inner_texts()
    assert sum(map(int, counts)) == len(scores.topics)


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("iR@2000c", "Up is better; across: how long the first 5 results are."),
        ("AiP", "Up and left is better."),
    ],
)
def test_the_chart_says_which_way_is_better_beside_a_name_that_covers_no_number(
    visit, tmp_path, measure, said
) -> None:
    dx.write_report(FILES, ANSWERS, measure, DOCUMENTS, path=tmp_path / "r.html")
    page = visit(tmp_path / "r.html").page
    eventually(page.locator(".reading-chart .hint").inner_text, lambda hint: hint.startswith(said))
    box = "found => found.map(one => one.getBoundingClientRect()).map(box => [box.left, box.right])"
    (name,) = page.locator(".reading-chart text[transform]").evaluate_all(box)
    ticks = page.locator(".reading-chart text.tick[text-anchor=end]").evaluate_all(box)
    assert name[1] <= min(left for left, _ in ticks)


def test_what_is_complete_looks_good_even_if_it_is_buried(visit, report) -> None:
    page = visit(report).page
    good = page.locator(".classes li:has(.good) a")
    listed = eventually(page.locator(".classes a").all_inner_texts, bool)
    assert good.all_inner_texts() == [title for title in listed if title.startswith("complete")]


def test_it_asks_in_the_words_of_the_questions_and_leads_to_them(visit, report) -> None:
    page = visit(report).page
    asked = page.locator(".telling a")
    eventually(asked.count, 3)
    words = asked.first.inner_text()
    assert words.endswith("?")
    asked.first.click()
    eventually(page.locator("article h2").inner_text, words)


def test_everything_else_is_one_click_away(visit, report) -> None:
    page = visit(report).page
    tabs = eventually(page.locator("nav.tabs a").all_inner_texts, bool)
    eventually(page.locator(".elsewhere a").all_inner_texts, tabs[1:])
    for view in range(1, len(tabs)):
        page.locator("nav.tabs a").nth(view).click()
        eventually(page.locator("main .purpose").count, 1)


def test_searches_and_chosen_runs_have_addresses(visit, report) -> None:
    page = visit(report, "#view=topics&search=chunk").page
    found = page.locator("table.topics tbody tr")
    shown = eventually(found.count, lambda rows: 0 < rows < 15)
    page.goto("about:blank")
    page.goto(report.as_uri() + "#view=topics")
    page.locator("#search").fill("chunk")
    eventually(found.count, shown)
    eventually(lambda: page.url, lambda url: "search=chunk" in url)
    page.goto(report.as_uri() + "#view=curves&drawn=1.3")
    eventually(page.locator("svg.chart").first.locator("g.series").count, 2)


def test_figures_are_saved_as_they_look(visit, report) -> None:
    page = visit(report).page
    for kind, head in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as saved:
            page.locator(".reading-chart button", has_text=kind).click()
        assert saved.value.suggested_filename == f"aip-against-what-must-be-read.{kind.lower()}"
        assert Path(saved.value.path()).read_bytes().startswith(head)


def test_tables_are_copied_as_csv(visit, report) -> None:
    visitor = visit(report, "#view=board")
    page = visitor.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("table.board").wait_for()
    page.get_by_role("button", name="CSV").first.click()
    copied = eventually(lambda: page.evaluate("navigator.clipboard.readText()"), lambda text: "AiP" in text)
    head, *rows = copied.splitlines()
    assert head.startswith("run,AiP,iR@2000c,iP@5") and len(rows) == len(FILES)
    assert rows[0].startswith("paragraphs,0.5827,0.8506,0.2584")


def test_a_document_looks_like_one_and_its_raw_text_is_a_click_away(visit, report) -> None:
    page = visit(report, "#topic=q03&doc=chunking-for-rag&run=sections").page
    eventually(page.locator(".text .r-h2").count, lambda heads: heads > 3)
    eventually(page.locator(".text").inner_text, lambda said: "##" not in said)
    page.get_by_label("raw text").check()
    eventually(page.locator(".text").inner_text, lambda said: "## Why chunk identifiers mislead" in said)
    eventually(lambda: page.url, lambda url: "raw=1" in url)
