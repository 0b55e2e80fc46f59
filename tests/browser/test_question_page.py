"""A page for each question: what was asked, what is relevant, the runs side by side, and who found what."""

from __future__ import annotations

from pathlib import Path

import pytest

import doxeval as dx
from doxeval.core.table import shown
from doxeval.demo import ANSWERS, DOCUMENTS, RUNS
from tests.browser.conftest import LOOKS, eventually, serious
from tests.browser.test_report_in_browser import main_says, report, scores

__all__ = ["report", "scores"]
VIEWS = (
    "board",
    "question",
    "curves",
    "topics",
    "measures",
    "documents",
    "documents&topic=q03&doc=chunking-for-rag",
)
TEXTS = {
    "d1": "The moon is far away. It is bright. Nobody lives there.",
    "d2": "The sun is hot. It is bright.",
}
GOLD = {"q1": ("d1", 0, 21), "q2": ("d1", 22, 35), "q3": ("d2", 0, 15), "q4": ("d2", 16, 29)}
FOUND = {"alpha": {"q1": 1, "q2": 2, "q3": 4}, "beta": {"q1": 3, "q4": 1}, "gamma": {"q1": 1}}
KINDS = {"q1": "space", "q2": "light", "q3": "space", "q4": "light"}


def rows(run: str) -> list[dict]:
    """Four results a topic, of which the one named shows the answer and the others text that is none."""
    found = []
    for topic, (doc, start, end) in GOLD.items():
        for rank in range(1, 5):
            right = FOUND[run].get(topic) == rank
            place = (
                {"doc": doc, "start": start, "end": end}
                if right
                else {"doc": "d1", "start": 36, "end": 50 + rank}
            )
            found.append({"topic": topic, "rank": rank, **place})
    return found


def written(target: Path, documents: dict[str, str] | None = None, **options) -> Path:
    gold = [
        {"topic": topic, "doc": doc, "start": start, "end": end} for topic, (doc, start, end) in GOLD.items()
    ]
    topics = {topic: {"query": f"What of {topic}?", "kind": kind} for topic, kind in KINDS.items()}
    runs = {run: rows(run) for run in FOUND}
    dx.write_report(
        runs, gold, "iR@4 iP@4 Reach(recall=0.5)", documents, path=target, topics_file=topics, **options
    )
    return target


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    return written(tmp_path_factory.mktemp("small") / "report.html", TEXTS)


def listed(page, topics: list[str]) -> None:
    eventually(page.locator(".topic-list a .id").all_inner_texts, topics)


def column(page, run: str):
    return page.locator(f'section.run[aria-label="{run}"]')


@pytest.mark.parametrize("measure", ["AiP", "iP@5", "IoU@5", "iR@2000c"])
def test_cards_show_what_explain_tells(visit, report, scores, measure) -> None:
    page = visit(report, f"#view=question&topic=q02&measure={measure}&run=overlapping-800").page
    told = dx.explain(RUNS / "overlapping-800.jsonl", ANSWERS, measure, DOCUMENTS, topic="q02")
    added = {rank.rank: rank.added for rank in told.ranks}
    side = column(page, "overlapping-800")

    def share(value: float) -> str:
        return f"{value:+.{4 if abs(value) >= 0.00005 else 6}f}"

    expected = [share(added[rank]) if added.get(rank) else "adds 0" for rank in range(1, 11)]
    eventually(side.locator(".cards .adds").all_inner_texts, expected)
    value = shown(scores.value("overlapping-800", measure, "q02"))
    eventually(side.locator("[data-value]").inner_text, value)
    page.get_by_text(told.meaning, exact=False).wait_for()
    rest = told.score - sum(added.get(rank, 0.0) for rank in range(1, 11))
    others = [share(rest)] if abs(rest) > 1e-9 else []
    eventually(side.locator("[data-rank=rest]").all_inner_texts, others)


def test_cards_mark_hits_repeats_and_misses_within_the_text(visit, report) -> None:
    visitor = visit(report, "#view=question&topic=q02&run=overlapping-800", height=1600)
    page = visitor.page
    side = column(page, "overlapping-800")
    for more in side.get_by_role("button", name="characters").all()[::-1]:
        more.click()
    told = dx.explain(RUNS / "overlapping-800.jsonl", ANSWERS, "iR@10", DOCUMENTS, topic="q02")

    def marked(kind: str) -> int:
        return sum(map(len, side.locator(f"mark.{kind}").all_text_contents()))

    eventually(lambda: marked("hit"), sum(rank.gained for rank in told.ranks))
    eventually(lambda: marked("repeated"), sum(rank.repeated for rank in told.ranks))
    eventually(lambda: marked("miss"), sum(one.missed for one in told.missed))
    visitor.picture("question")


def test_the_gold_text_is_there_with_who_shows_it(visit, small) -> None:
    page = visit(small, "#view=question&topic=q1").page
    eventually(page.locator("article h2").inner_text, "What of q1?")
    eventually(page.locator(".gold mark").all_inner_texts, ["The moon is far away."])
    eventually(
        lambda: {text.strip() for text in page.locator(".coverage li").all_inner_texts()},
        {"alpha 100% at rank 1", "beta 100% at rank 3", "gamma 100% at rank 1"},
    )
    page.locator(".gold").get_by_role("link", name="d1").click()
    eventually(lambda: page.url, lambda url: "view=documents" in url and "doc=d1" in url)
    eventually(page.locator(".part.hit").all_inner_texts, ["The moon is far away."])


def test_a_found_it_and_b_missed_it(visit, small) -> None:
    page = visit(small, "#view=question").page
    listed(page, ["q1", "q2", "q3", "q4"])
    page.get_by_label("found by").select_option(label="alpha")
    listed(page, ["q1", "q2", "q3"])
    page.get_by_label("missed by").select_option(label="beta")
    listed(page, ["q2", "q3"])
    eventually(
        page.locator("section.run h3").all_inner_texts,
        lambda heads: [head.strip() for head in heads][:2] == ["alpha", "beta"],
    )
    page.get_by_label("within").select_option(label="the first 3 results")
    listed(page, ["q2"])
    main_says(page, "one of the first 3 results shows relevant text")


def test_nobody_and_everybody(visit, small) -> None:
    page = visit(small, "#view=question").page
    page.get_by_label("found by").select_option(label="everybody")
    listed(page, ["q1"])
    page.get_by_label("within").select_option(label="the first result")
    listed(page, [])
    main_says(page, "No question matches")
    page.get_by_label("found by").select_option(label="nobody")
    listed(page, ["q2", "q3"])


def test_slices_and_search(visit, small) -> None:
    page = visit(small, "#view=question").page
    page.get_by_label("slice").select_option(label="kind: light")
    listed(page, ["q2", "q4"])
    page.get_by_role("searchbox").fill("q4")
    listed(page, ["q4"])
    eventually(page.locator("article h2").inner_text, "What of q4?")


def test_what_was_found_is_what_eval_says(visit, report, scores) -> None:
    page = visit(report, "#view=question&within=5&found=run:sections&missed=run:sentences").page
    recall = {
        (run, topic): scores.value(run, "iR@5", topic) for run in scores.names for topic in scores.topics
    }
    found = [t for t in scores.topics if recall["sections", t] > 0 and recall["sentences", t] == 0]
    listed(page, found)
    page.goto(report.as_uri() + "#view=question&within=1&found=nobody")
    first = dx.evaluate(sorted(RUNS.glob("*.jsonl")), ANSWERS, "iR@1", DOCUMENTS)
    listed(page, [t for t in first.topics if all(first.value(run, "iR@1", t) == 0 for run in first.names)])


def test_it_is_reached_from_the_board_a_bar_and_search(visit, small) -> None:
    page = visit(small, "#view=board").page
    page.locator("table.board").get_by_role("link", name="beta").click()
    eventually(page.locator("section.run h3").first.inner_text, lambda head: head.strip() == "beta")
    page.goto(small.as_uri() + "#view=topics")
    page.locator("svg.differences a").last.click()
    eventually(page.locator("article h2").inner_text, lambda said: said.startswith("What of q"))
    page.goto(small.as_uri() + "#view=board")
    page.keyboard.press("/")
    page.keyboard.type("of q3")
    eventually(page.locator("nav.found a").all_inner_texts, ["What of q3?"])
    page.keyboard.press("Enter")
    eventually(page.locator("article h2").inner_text, "What of q3?")


def test_keys_step_through_the_questions_that_are_listed(visit, small) -> None:
    page = visit(small, "#view=question&topic=q2&slice=%5B%22kind%22%2C%22light%22%5D").page
    listed(page, ["q2", "q4"])
    page.keyboard.press("n")
    eventually(page.locator("article h2").inner_text, "What of q4?")
    page.keyboard.press("p")
    eventually(page.locator("article h2").inner_text, "What of q2?")


def test_without_texts_places_are_shown_and_why(visit, tmp_path) -> None:
    page = visit(written(tmp_path / "r.html"), "#view=question&topic=q1").page
    eventually(column(page, "alpha").locator(".card .places").first.inner_text, "characters 0\u201321")
    main_says(page, "No text is shown, only places")


def test_a_measure_that_is_no_sum_says_so(visit, small) -> None:
    page = visit(small, "#view=question&topic=q1&measure=Reach(recall%3D0.5)").page
    main_says(page, "No rank stands for a part of the score: Reach is not a sum over results")
    eventually(page.locator(".adds").count, 0)


def test_texts_can_be_opened_and_runs_chosen(visit, report) -> None:
    page = visit(report, "#view=question&topic=q02").page
    eventually(page.locator("section.run").count, 5)
    page.get_by_role("button", name="none", exact=True).click()
    eventually(page.locator("section.run").count, 0)
    page.get_by_label("sections").check()
    eventually(page.locator("section.run").count, 1)
    block = page.locator(".card .passage-text", has=page.locator("button")).first
    brief = len(eventually(block.inner_text, bool))
    block.get_by_role("button").click()
    eventually(lambda: len(block.inner_text()), lambda size: size > brief)
    block.get_by_role("button", name="shorten").click()
    eventually(lambda: len(block.inner_text()), brief)


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing_serious(visit, report, view, width, scheme) -> None:
    visitor = visit(report, f"#view={view}", width=width, height=844, scheme=scheme)
    visitor.page.locator("main > *").first.wait_for()
    eventually(lambda: serious(visitor.page), [])
    visitor.fits(width)
    visitor.picture(f"{view.split('=')[-1]}-{scheme}-{width}")


@pytest.fixture(scope="module")
def wide(tmp_path_factory) -> Path:
    """Twenty runs with long names."""
    gold = [{"topic": f"t{at}", "doc": "d", "start": 0, "end": 9 + at} for at in range(5)]
    target = tmp_path_factory.mktemp("wide") / "report.html"
    runs = {
        f"run-{at:02}-bm25_reranked_with_a_large_cross_encoder-{at * 37}": [
            {"topic": f"t{topic}", "doc": "d", "rank": 1, "start": at % 7, "end": 5 + at}
            for topic in range(5)
        ]
        for at in range(20)
    }
    dx.write_report(runs, gold, "iR@1 iP@1 IoU@1 F@1", {"d": "Some words of a text. " * 9}, path=target)
    return target


STICKS_OUT = """[...document.querySelectorAll('main *')].filter(part =>
    part.getClientRects().length && part.getBoundingClientRect().right > innerWidth + 1)
    .map(part => part.outerHTML.slice(0, 90))"""


@pytest.mark.parametrize("view", [*VIEWS[:-1], "documents&topic=t0&doc=d"])
def test_nothing_is_cut_on_paper_and_no_control_is_printed(visit, wide, view) -> None:
    visitor = visit(wide, f"#view={view}", width=718)
    visitor.page.locator("main > *").first.wait_for()
    visitor.page.emulate_media(media="print")
    eventually(lambda: visitor.page.evaluate(STICKS_OUT), [])
    controls = visitor.page.locator("button:not(.sorter), input, select, .tabs")
    eventually(lambda: [one.is_visible() for one in controls.all()].count(True), 0)
    visitor.picture(f"print-{view.split('&')[-1]}")


@pytest.mark.parametrize("view", [*VIEWS[:-1], "documents&topic=t0&doc=d"])
def test_many_runs_with_long_names_fit_a_phone(visit, wide, view) -> None:
    visitor = visit(wide, f"#view={view}", width=390, height=844)
    visitor.page.locator("main > *").first.wait_for()
    visitor.fits(390)
    heights = "heads => Math.max(0, ...heads.map(head => head.getBoundingClientRect().height))"
    eventually(lambda: visitor.page.locator("thead th").evaluate_all(heights), lambda found: found < 150)


def test_every_run_has_a_look_of_its_own(visit, wide) -> None:
    page = visit(wide, "#view=curves").page
    read = "keys => keys.map(key => key.innerHTML)"
    eventually(lambda: len(set(page.locator(".legend .key").evaluate_all(read))), 20)


def test_a_search_typed_at_once_is_for_the_view_that_the_address_names(visit, small) -> None:
    page = visit(small, "#view=question&topic=q4").page
    eventually(page.locator("article h2").inner_text, lambda said: said.startswith("What of q"))
    page.evaluate("""() => {
      location.hash = "#view=board";
      const box = document.getElementById("search");
      box.value = "of q3";
      box.dispatchEvent(new Event("input"));
    }""")
    eventually(page.locator("nav.found a").all_inner_texts, ["What of q3?"])
    eventually(lambda: page.url.partition("#")[2], "view=board&search=of+q3")
