"""The report as people meet it: opened, sorted, searched, followed by links, read."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.core.table import shown
from doxeval.demo import ANSWERS, DOCUMENTS, QUESTIONS, RUNS
from doxeval.show.report.assemble import NOTES
from tests.browser.conftest import eventually

MEASURES = "AiP iP@5 iR@5 IoU@5 iR@2000c"


def made(target: Path, *arguments: str) -> Path:
    done = CliRunner().invoke(
        group, ["report", *arguments, "-o", str(target), "--quiet"], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output
    return target


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Path:
    return made(
        tmp_path_factory.mktemp("report") / "demo report.html", *map(str, sorted(RUNS.glob("*.jsonl"))),
        "--qrels", str(ANSWERS), "--docs", str(DOCUMENTS), "--topics-file", str(QUESTIONS), "-m", MEASURES,
        "--nav", "readon(mean=500)",
    )  # fmt: skip


@pytest.fixture(scope="module")
def scores() -> dx.Scores:
    return dx.evaluate(sorted(RUNS.glob("*.jsonl")), ANSWERS, MEASURES, DOCUMENTS)


def runs_are(page, expected: list[str]) -> None:
    heads = page.locator("table.board tbody th")
    eventually(lambda: [text.strip() for text in heads.all_inner_texts()], expected)


def values(page, selector: str) -> dict[tuple[str | None, ...], str]:
    """What the cells of a table say, by run, measure and topic."""
    read = """cells => cells.map(cell =>
        [[cell.dataset.run, cell.dataset.measure, cell.dataset.topic], cell.innerText])"""
    told = page.locator(selector).evaluate_all(read)
    return {tuple(key): text.strip("+\u2212 \n") for key, text in told}


def board_of(scores: dx.Scores) -> dict[tuple[str | None, ...], str]:
    return {
        (run, measure, None): shown(scores.value(run, measure))
        for run in scores.names
        for measure in scores.measures
    }


def main_says(page, text: str) -> None:
    eventually(page.locator("main").inner_text, lambda said: text in said)


def test_the_leader_board_shows_the_numbers_of_eval(visit, report, scores) -> None:
    visitor = visit(report, "#view=board")
    eventually(lambda: values(visitor.page, "table.board .value"), board_of(scores))
    visitor.picture("leader-board")


def test_the_leader_board_shows_and_sorts_the_columns_beside_the_measures(visit, report, scores) -> None:
    page = visit(report, "#view=board").page
    page.locator("table.board thead button", has_text="results").click()
    runs = sorted(scores.runs, key=lambda run: -run.results)
    runs_are(page, [run.name for run in runs])
    cells = page.locator("table.board tbody td:nth-last-child(2)").all_inner_texts()
    assert cells == [f"{run.results:,}" for run in runs]


def test_numbers_are_rounded_as_on_the_command_line(visit, report) -> None:
    source = resources.files("doxeval.show.report").joinpath("assets", "dom.js").read_text(encoding="utf-8")
    fixed = re.search(r"function fixed.*?\n}\n", source, re.DOTALL)
    assert fixed
    ties = [number / 32 for number in range(-40, 400)]
    near = [(2 * number + 1) / 20_000 for number in range(0, 20_000, 3)]
    script = f"values => {{ {fixed[0]} return values.map((value) => fixed(value)); }}"
    page = visit(report, "#view=board").page
    eventually(lambda: page.evaluate(script, ties + near), [shown(value) for value in ties + near])


def test_sorting_follows_the_numbers(visit, report, scores) -> None:
    page = visit(report, "#view=board").page
    by_score = sorted(scores.names, key=lambda run: -scores.value(run, "AiP"))
    runs_are(page, by_score)
    page.get_by_role("button", name="iP@5").click()
    runs_are(page, sorted(scores.names, key=lambda run: -scores.value(run, "iP@5")))
    page.get_by_role("button", name="iP@5").click()
    runs_are(page, sorted(scores.names, key=lambda run: scores.value(run, "iP@5")))
    page.get_by_role("button", name="run").click()
    runs_are(page, sorted(scores.names))


def test_search_narrows_what_is_listed(visit, report) -> None:
    page = visit(report, "#view=board").page
    page.keyboard.press("/")
    page.keyboard.type("chunk")
    runs_are(page, ["chunks-400"])
    page.goto(report.as_uri() + "#view=topics")
    page.locator("#search").fill("identifiers chunk")
    eventually(page.locator("table.topics tbody tr").count, 1)
    eventually(page.locator("table.topics tbody th").inner_text, lambda said: "q03" in said)


def test_every_topic_shows_the_numbers_of_eval(visit, report, scores) -> None:
    visitor = visit(report, "#view=topics&measure=IoU@5")
    expected = {
        (run, None, topic): shown(scores.value(run, "IoU@5", topic))
        for run in scores.names
        for topic in scores.topics
    }
    eventually(lambda: values(visitor.page, "table.topics [data-topic]"), expected)
    visitor.picture("topics")


def test_a_document_opens_by_clicking(visit, report) -> None:
    page = visit(report, "#view=board").page
    page.keyboard.press("7")
    page.locator("table.topics").get_by_role("link", name="q03").click()
    eventually(page.locator("article h2").inner_text, lambda said: "chunk identifiers" in said)
    page.locator(".gold").get_by_role("link", name="chunking-for-rag").click()
    eventually(page.locator("main h2").inner_text, "chunking-for-rag")
    eventually(lambda: page.url, lambda url: "topic=q03" in url and "doc=chunking-for-rag" in url)


def test_a_deep_link_shows_what_is_relevant_and_what_was_retrieved(visit, report) -> None:
    visitor = visit(report, "#topic=q03&doc=chunking-for-rag&run=overlapping-800")
    page = visitor.page
    told = dx.explain(RUNS / "overlapping-800.jsonl", ANSWERS, "iR", DOCUMENTS, topic="q03")
    text = (DOCUMENTS / "chunking-for-rag.md").read_text(encoding="utf-8")

    def parts(selector: str) -> str:
        return "".join(page.locator(selector).all_inner_texts())

    eventually(lambda: parts(".text .part"), text)
    relevant = parts(".part.hit, .part.repeated, .part.near, .part.miss")
    assert len(relevant) == next(one.relevant for one in told.missed if one.doc == "chunking-for-rag")
    assert relevant in text
    repeated = sum(rank.repeated for rank in told.ranks if rank.doc == "chunking-for-rag")
    assert len(parts(".part.repeated")) == repeated
    visitor.picture("document")


def test_a_document_opens_where_something_is_relevant_or_retrieved(visit, report) -> None:
    page = visit(report, "#topic=q03&doc=chunking-for-rag&run=sentences", height=500).page
    first = page.locator(".part.hit, .part.miss, .part.near, .part.repeated").first
    eventually(lambda: first.evaluate("part => part.getBoundingClientRect().top"), lambda top: 0 < top < 500)


def test_the_strips_of_a_document_have_heads(visit, report, scores) -> None:
    page = visit(report, "#topic=q03&doc=chunking-for-rag").page
    titles = page.locator(".heads text title")
    eventually(titles.all_text_contents, ["tree", "relevant", *scores.names])


def test_documents_open_on_the_topic_where_runs_differ_most(visit, report, scores) -> None:
    page = visit(report, "#view=documents&measure=iR@5").page

    def spread(topic: str) -> float:
        values = [scores.value(run, "iR@5", topic) for run in scores.names]
        return max(values) - min(values)

    widest = max(scores.topics, key=spread)
    eventually(page.locator("main h2").inner_text, lambda said: said.endswith(widest))


def test_topics_come_with_the_largest_difference_first(visit, report, scores) -> None:
    page = visit(report, "#view=topics&measure=iR@5&run=sentences&baseline=documents").page
    sizes = [
        abs(scores.value("sentences", "iR@5", topic) - scores.value("documents", "iR@5", topic))
        for topic in scores.topics
    ]
    told = page.locator("table.topics tbody td:nth-child(2)")
    eventually(
        lambda: [abs(float(text)) for text in told.all_inner_texts()],
        lambda found: found == pytest.approx(sorted(sizes, reverse=True), abs=1e-4),
    )


def test_keys_go_from_marked_text_to_marked_text(visit, report) -> None:
    page = visit(report, "#topic=q03&doc=chunking-for-rag&run=sentences", height=500).page

    def place() -> int:
        return page.evaluate("window.scrollY")

    opened = eventually(place, lambda found: found > 0)
    page.keyboard.press("n")
    first = eventually(place, lambda found: found > opened)
    page.keyboard.press("n")
    eventually(place, lambda found: found > first)
    page.get_by_role("button", name="previous").click()
    eventually(place, lambda found: found <= first + 5)


def test_near_misses_say_their_chance(visit, report) -> None:
    page = visit(report, "#topic=q03&doc=chunking-for-rag&run=sentences").page
    chances = eventually(page.locator(".chance").all_inner_texts, bool)
    assert all(1 <= int(chance.strip("%")) <= 100 for chance in chances)


def test_the_path_numbers_the_steps_of_the_reader(visit, report) -> None:
    visitor = visit(report, "#topic=q03&doc=chunking-for-rag&run=paragraphs")
    visitor.page.get_by_label("path").check()
    steps = eventually(visitor.page.locator(".step").all_inner_texts, lambda told: len(told) >= 2)
    assert "\u21921" in steps
    visitor.picture("path")


def test_an_unknown_topic_or_document_is_told(visit, report) -> None:
    page = visit(report, "#topic=q99&doc=nowhere").page
    main_says(page, "No topic is called q99")
    page.goto(report.as_uri() + "#topic=q03&doc=nowhere")
    main_says(page, "Document nowhere")


def test_curves_and_correlations_are_drawn(visit, report) -> None:
    visitor = visit(report, "#view=curves")
    eventually(visitor.page.locator("svg.chart").count, 5)
    series = visitor.page.locator("svg.chart").first.locator("g.series")
    eventually(series.count, 5)
    visitor.page.get_by_label("documents").check()
    eventually(series.count, 6)
    visitor.page.get_by_role("button", name="none").click()
    eventually(series.count, 0)
    visitor.page.get_by_role("button", name="best five").click()
    eventually(series.count, 5)
    visitor.page.get_by_role("button", name="all", exact=True).click()
    eventually(series.count, 6)
    visitor.page.get_by_label("documents").focus()
    eventually(visitor.page.locator("svg.chart").first.locator("g.series.dimmed").count, 5)
    visitor.picture("curves")
    visitor.page.keyboard.press("Escape")
    visitor.page.keyboard.press("8")
    eventually(visitor.page.locator("table.heat tbody td").count, 25)
    visitor.picture("measures")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone(visit, report, scheme) -> None:
    for view in ("#view=board", "#topic=q03&doc=chunking-for-rag&run=chunks-400", "#view=reader&topic=q03"):
        visitor = visit(report, view, width=390, height=844, scheme=scheme)
        visitor.page.locator("main > *").first.wait_for()
        visitor.fits(390)
        visitor.picture(f"phone-{scheme}-{view.split('=')[1].split('&')[0]}")


def test_the_theme_can_be_chosen(visit, report) -> None:
    page = visit(report, "#view=board").page
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    page.get_by_role("button", name="auto").click()
    page.get_by_role("button", name="light").click()
    eventually(lambda: page.evaluate(colour), lambda found: found != light)


def test_everything_can_be_reached_with_the_keyboard(visit, report) -> None:
    page = visit(report, "#view=board").page
    seen = set()
    for _ in range(30):
        page.keyboard.press("Tab")
        seen.add(
            page.evaluate(
                "document.activeElement.textContent.trim().slice(0, 20) || document.activeElement.id"
            )
        )
    assert {"search", "Curves", "Topics", "iP@5", "run"} <= seen


def test_the_report_of_real_chunkers_shows_the_numbers_of_eval(visit, reference, tmp_path) -> None:
    data = reference / "data" / "chunking"
    runs = sorted((data / "runs").glob("*.jsonl"))
    target = made(
        tmp_path / "chunking.html", *map(str, runs), "--qrels", str(data / "qrels.jsonl"),
        "--docs", str(data / "corpora"), "--topics-file", str(data / "topics.jsonl"), "-m", "iR@5 iP@5 IoU@5",
    )  # fmt: skip
    expected = dx.evaluate(runs, data / "qrels.jsonl", "iR@5 iP@5 IoU@5", data / "corpora")
    visitor = visit(target, "#view=board")
    eventually(lambda: values(visitor.page, "table.board .value"), board_of(expected))
    visitor.page.goto(target.as_uri() + "#topic=q001")
    visitor.page.locator("table.documents a").first.click()
    visitor.page.locator(".part.hit, .part.miss, .part.repeated").first.wait_for()
    visitor.picture("chunking-document")


@pytest.fixture(scope="module")
def crowded(tmp_path_factory) -> Path:
    """472 topics; 24 relevant documents in each, of which few are shown; two runs that are alike."""
    topics = [f"t{number}" for number in range(472)]
    answers = [
        {"topic": topic, "doc": f"d{number}", "start": 10, "end": 40}
        for topic in topics
        for number in range(24)
    ]
    results = [
        {"topic": topic, "doc": f"d{rank}", "rank": rank, "start": 20, "end": 40}
        for topic in topics
        for rank in range(1, 4)
    ]
    poor = [row | {"start": 38} for row in results]
    target = tmp_path_factory.mktemp("crowded") / "report.html"
    runs = {"one": results, "poor": poor, "two": results}
    texts = {f"d{number}": f"{number} " * 30 for number in range(24)}
    whole = dx.write_report(runs, answers, "iR@3", texts, path=target)
    packed = len(re.search(r'"packed":"([^"]*)', target.read_text(encoding="utf-8"))[1])
    limit = (whole.size + NOTES - packed * 0.8) / 1e6
    dx.write_report(runs, answers, "iR@3", texts, path=target, max_megabytes=limit)
    return target


def test_every_topic_is_listed(visit, crowded) -> None:
    page = visit(crowded, "#view=documents").page
    eventually(page.locator(".topic-list h3").inner_text, "472 topics")
    eventually(page.locator(".topic-list li").count, 472)


def test_what_is_not_shown_is_told_in_place_and_counted(visit, crowded) -> None:
    page = visit(crowded, "#view=documents&topic=t0").page
    shown = eventually(page.locator("table.documents tbody tr").count, lambda rows: 0 < rows < 24)
    main_says(page, f"{shown} of 24 documents with relevant text are shown")
    page.goto(crowded.as_uri() + "#view=reader&topic=t0&run=one")
    page.locator(".cost", has_text="0% of 720").wait_for()
    main_says(page, f"{shown} of 24 documents with relevant text are shown")
    listed = page.locator("ol.fetched li").count()
    main_says(page, f"{listed} of the 3 documents that this run finds are listed")
    page.keyboard.press("ArrowDown")
    page.locator(".cost", has_text="3% of 720").wait_for()


def test_tied_winners_are_both_bold(visit, crowded) -> None:
    page = visit(crowded, "#view=board").page
    eventually(lambda: [run for run, _, _ in values(page, ".value.best")], ["one", "two"])
    main_says(page, "Best by iR@3: one, two.")


def test_the_board_is_drawn_before_the_documents_are_unpacked(visit, report, tmp_path, scores) -> None:
    torn = tmp_path / "torn.html"
    torn.write_text(re.sub(r'("packed":")[^"]*', r"\g<1>AAAA", report.read_text(encoding="utf-8")))
    page = visit(torn, "#view=board").page
    eventually(lambda: values(page, "table.board .value"), board_of(scores))
    page.goto(torn.as_uri() + "#view=documents&topic=q03")
    main_says(page, "The documents cannot be unpacked in this browser")
