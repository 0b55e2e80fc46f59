"""The reader who fetches and browses, played: followed exactly, the model gives the numbers of eval."""

from __future__ import annotations

from importlib import resources
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

import doxeval as dx
from doxeval.core.table import shown
from doxeval.demo import ANSWERS, DOCUMENTS, QUESTIONS, RUNS
from tests.browser.conftest import LOOKS, eventually, serious

ALL = sorted(RUNS.glob("*.jsonl"))


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("reader") / "demo.html"
    dx.write_report(ALL, ANSWERS, "AiP iP@5 CE@5", DOCUMENTS, path=target, topics_file=QUESTIONS)
    return target


def figures(page) -> dict[str, str]:
    """What the table of costs says, by 'you' or 'model' and what it is."""
    read = "cells => cells.map(cell => [cell.dataset.of, cell.innerText])"
    return dict(page.locator(".cost td[data-of]").evaluate_all(read))


def says(page, figure: str, value: str) -> None:
    eventually(lambda: figures(page).get(figure), value)


def measures(documents: int, screen: int, tolerance: int, order: str = "") -> list[str]:
    given = f"(screen={screen}{order})@{documents}"
    return [f"gP(score=T2I(n={tolerance}{order}))@{documents}", f"CE{given}", f"NCE{given}"]


def follow_the_model(page, documents: int) -> None:
    """Do what the model does until it has left so many documents."""
    for _ in range(400):
        last = int(figures(page)["you documents opened"].replace(",", "") or 0) >= documents
        status = page.locator(".screen [role=status]")
        if last and status.count() and "leaves" in status.inner_text():
            return
        before = page.locator("main").inner_text()
        page.keyboard.press("m")
        eventually(page.locator("main").inner_text, lambda now, before=before: now != before)
    raise AssertionError("the model goes on for ever")


@pytest.mark.parametrize(
    ("topic", "run", "screen", "tolerance", "order"),
    [
        ("q03", "sentences", 300, 300, ""),
        ("q01", "chunks-400", 300, 600, ""),
        ("q05", "documents", 2000, 2000, ""),
        ("q02", "overlapping-800", 300, 300, "rank"),
        ("q04", "paragraphs", 300, 300, "sequential"),
    ],
)
def test_following_the_model_gives_the_numbers_of_eval(
    visit, demo, tmp_path, topic, run, screen, tolerance, order
) -> None:
    target, documents = demo, 3
    if order:
        target = tmp_path / "ordered.html"
        dx.write_report(ALL, ANSWERS, "AiP", DOCUMENTS, path=target, reading_order=order)
    page = visit(target, f"#view=reader&topic={topic}&run={run}").page
    page.get_by_label("screen", exact=True).select_option(str(screen))
    page.get_by_label("tolerance", exact=True).select_option(str(tolerance))
    follow_the_model(page, documents)
    named = measures(documents, screen, tolerance, f",order={order}" if order else "")
    scores = dx.evaluate(RUNS / f"{run}.jsonl", ANSWERS, named, DOCUMENTS)
    for measure in named:
        expected = shown(scores.value(run, measure, topic))
        says(page, f"you {measure}", expected)
        says(page, f"model {measure}", expected)
    told = figures(page)
    for what in ("characters read", "of them relevant"):
        assert told[f"you {what}"] == told[f"model {what}"] != ""


TEXT = "".join(f"{at:09} " for at in range(200))
GOLD = [
    {"topic": "t", "doc": "d1", "start": 700, "end": 800},
    {"topic": "t", "doc": "d2", "start": 0, "end": 50},
]
RESULTS = [
    {"topic": "t", "doc": "d1", "rank": 1, "start": 600, "end": 1000},
    {"topic": "t", "doc": "d3", "rank": 2, "start": 100, "end": 200},
    {"topic": "t", "doc": "d2", "rank": 3, "start": 400, "end": 500},
]


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("reader") / "small.html"
    documents = dict.fromkeys(("d1", "d2", "d3"), TEXT)
    dx.write_report({"run": RESULTS}, GOLD, "iR", documents, path=target)
    return target


def test_another_path_is_reckoned_by_hand(visit, small) -> None:
    """The passage 600-900, then twice from the beginning: 300 read of which 100 are relevant, and so on."""
    visitor = visit(small, "#view=reader&topic=t&doc=d1")
    page = visitor.page
    says(page, "you characters read", "300")
    says(page, "you of them relevant", "100")
    says(page, "you gP(score=T2I(n=300))@1", shown(100 / 300))
    page.keyboard.press("ArrowUp")
    says(page, "you characters read", "400")
    says(page, "you gP(score=T2I(n=300))@1", shown(100 / 400))
    eventually(page.locator(".screen .text").inner_text, TEXT[:100])
    page.keyboard.press(" ")
    says(page, "you characters read", "700")
    says(page, "you gP(score=T2I(n=300))@1", shown(100 / 400))
    says(page, "you CE(screen=300)@1", "0.0000")
    page.keyboard.press("ArrowLeft")
    page.locator(".fetched").get_by_role("link", name="d2").click()
    says(page, "you documents opened", "2")
    says(page, "you CE(screen=300)@2", "4.0000")
    page.keyboard.press("ArrowUp")
    says(page, "you characters read", "1,050")
    says(page, "you CE(screen=300)@2", "0.0000")
    says(page, "model CE(screen=300)@2", "4.0000")
    says(page, "model NCE(screen=300)@2", "4.0000")
    visitor.picture("reader-own-path")


def test_d2_shows_relevant_text_on_the_first_screen_after_its_passage(visit, small) -> None:
    """100 characters of the passage come before the relevant ones: LE 1, T2I 50 / (50 + 300)."""
    page = visit(small, "#view=reader&topic=t&doc=d2").page
    says(page, "you characters read", "100")
    page.keyboard.press("m")
    item = page.locator('.cost li[data-doc="d2"] small')
    value = shown(50 / 350)
    eventually(item.inner_text, lambda said: f"T2I {value}, the model {value}; LE 1, the model 1" in said)


def test_it_starts_where_there_is_something_to_read(visit, demo) -> None:
    visitor = visit(demo, "#view=reader")
    page = visitor.page
    eventually(lambda: len(page.locator(".screen .text").inner_text()), lambda length: length > 50)
    page.get_by_label("question", exact=True).select_option("q07")
    page.locator(".fetched a").first.wait_for()
    eventually(lambda: page.url, lambda url: "view=reader" in url and "topic=q07" in url)
    page.locator(".fetched a").first.click()
    says(page, "you documents opened", "1")
    eventually(lambda: page.url, lambda url: "view=reader" in url)
    visitor.picture("reader")


def test_without_text_it_says_why_it_cannot_be_played(visit, tmp_path) -> None:
    target = tmp_path / "bare.html"
    dx.write_report({"run": RESULTS}, GOLD, "iR", path=target)
    page = visit(target, "#view=reader").page
    eventually(page.locator("main").inner_text, lambda said: "no text of the documents" in said)
    eventually(page.locator(".screen").count, 0)


def test_buttons_work_by_touch_and_keep_the_focus(browser, small) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, offline=True)
    page = context.new_page()
    page.goto(small.as_uri() + "#view=reader&topic=t")
    page.locator('[data-act="follow"]').tap()
    says(page, "you documents opened", "1")
    page.locator('[data-act="on"]').tap()
    says(page, "you characters read", "400")
    eventually(lambda: page.evaluate("document.activeElement.dataset.act"), "on")
    page.keyboard.press("Enter")
    says(page, "you characters read", "700")
    context.close()


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_reader_and_measures_are_accessible(visit, demo, scheme, width) -> None:
    for address in ("#view=reader", "#view=reader&topic=q03&run=sentences", "#view=measures"):
        visitor = visit(demo, address, width=width, scheme=scheme)
        page = visitor.page
        page.locator(".screen, table.readers").first.wait_for()
        page.evaluate("document.querySelectorAll('main details').forEach((one) => { one.open = true; })")
        eventually(lambda page=page: serious(page), [])
        visitor.fits(width)
        visitor.picture(f"{address[1:].replace('&', '-').replace('=', '-')}-{scheme}-{width}")


def test_measures_and_runs_are_explained_by_keyboard(visit, demo) -> None:
    page = visit(demo, "#view=board").page
    for label, told in (
        (
            "CE@5",
            ["Effort wasted down the list", "Opens i documents", "Lower is better, from 0 to 20", "4.2.2"],
        ),
        ("documents", [" for 15 of 15 topics"]),
    ):
        summary = page.locator(".explanations summary", has_text=label).first
        summary.focus()
        page.keyboard.press("Enter")
        said = eventually(summary.locator("..").inner_text, lambda said, told=told: told[0] in said)
        assert [part for part in told if part not in said] == []


def test_a_tau_from_few_runs_is_not_coloured(visit, demo, tmp_path) -> None:
    few = tmp_path / "few.html"
    dx.write_report(ALL[:5], ANSWERS, "AiP iP@5", DOCUMENTS, path=few)
    coloured = "cells => cells.filter((cell) => cell.style.background).length"
    for target, expected in ((demo, 9), (few, 0)):
        page = visit(target, "#view=measures").page
        cells = page.locator("table.heat tbody td")
        cells.first.wait_for()
        eventually(lambda cells=cells: cells.evaluate_all(coloured), expected)
        eventually(page.get_by_text("Not coloured").count, int(not expected))


def test_reckoning_is_that_of_reading_letter_by_letter(visit, small) -> None:
    assets = resources.files("doxeval.show.report").joinpath("assets")
    source = "".join(
        assets.joinpath(f"{name}.js").read_text(encoding="utf-8") for name in ("text", "reading")
    )
    random = Random(17)
    cases = []
    for _ in range(300):
        cuts = sorted(random.sample(range(60), 2 * random.randint(0, 4)))
        relevant = list(zip(cuts[::2], cuts[1::2], strict=True))
        borders = [0, *sorted(random.sample(range(1, 60), 5)), 60]
        stretches = list(pairwise(borders))
        random.shuffle(stretches)
        cases.append([stretches[: random.randint(0, 6)], relevant, random.randint(1, 30)])
    script = f"cases => {{ {source} return cases.map((one) => [reckoned(...one), tolerated(...one)]); }}"
    expected = [[reckoned_by_letters(*case), tolerated_by_letters(*case)] for case in cases]
    page = visit(small, "#view=board").page

    def found() -> list:
        told = page.evaluate(script, cases)
        return [[sums, [at for start, end in kept for at in range(start, end)]] for sums, kept in told]

    eventually(found, expected)


def letters_read(stretches, relevant) -> list[tuple[int, bool]]:
    wanted = {at for start, end in relevant for at in range(start, end)}
    return [(at, at in wanted) for start, end in stretches for at in range(start, end)]


def reckoned_by_letters(stretches, relevant, n) -> dict:
    hits = [hit for _, hit in letters_read(stretches, relevant)]
    until = len(tolerated_by_letters(stretches, relevant, n))
    before = hits.index(True) if True in hits else None
    gained = sum(hits[:until])
    return {"read": len(hits), "relevant": sum(hits), "gained": gained, "until": until, "before": before}


def tolerated_by_letters(stretches, relevant, n) -> list[int]:
    kept: list[int] = []
    for at, hit in letters_read(stretches, relevant):
        if n == 0:
            break
        kept.append(at)
        n -= not hit
    return kept
