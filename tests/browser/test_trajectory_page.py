"""A page for each trajectory: its steps against the documents, what they spent, and where needs were lost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import doxeval as dx
from doxeval.core.table import shown
from tests.browser.conftest import LOOKS, eventually, serious

HOSTILE = "<script>alert(1)</script>"
TEXTS = {
    f"src/part {number}.py": "".join(f"line {line} <b>of {number}</b>\n" for line in range(1, 601))
    for number in (1, 2, 3)
}
FIRST, SECOND, THIRD = TEXTS
GOLD = [
    {"topic": "q1", "doc": FIRST, "start_line": 301, "end_line": 304, "need": f"why {HOSTILE}"},
    {"topic": "q1", "doc": FIRST, "start_line": 40, "end_line": 41},
    {"topic": "q1", "doc": SECOND, "start_line": 10, "end_line": 12},
    {"topic": "q2", "doc": THIRD, "start_line": 5, "end_line": 9},
]


def step(number: int, action: str, seconds: float = 1, place: tuple | None = None, **more) -> dict:
    """A step; `place` is a document with its first and last line."""
    placed = dict(zip(("doc", "start_line", "end_line"), place, strict=True)) if place else {}
    return {"topic": "q1", "step": number, "action": action, "seconds": seconds} | placed | more


SHORT = [
    step(1, "search", 1.5, query=HOSTILE, named=[SECOND]),
    step(2, "open", 2, (FIRST, 1, 100)),
    step(4, "read", 0.5, (FIRST, 51, 120)),
    step(5, "edit", 1, (FIRST, 41, 45)),
    step(1, "search", topic="q2", query="nothing"),
]
LONG = [
    step(at, "read", place=(list(TEXTS)[at % 2], 2 * at, 2 * at + 99)) if at % 3 == 0 else step(at, "other")
    for at in range(1, 181)
]
RANKED = [{"topic": "q1", "doc": FIRST, "start_line": 1, "end_line": 9, "rank": 1}]
RUNS = {"short": SHORT, "long": LONG, "ranked": RANKED}
AT = "#view=trajectories&topic=q1&run=short"


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("trajectories") / "report.html"
    dx.write_report(RUNS, GOLD, "iR iP", TEXTS, path=target)
    return target


def cells(page, column: str) -> list[str]:
    return page.locator(f".steps [data-column={column}]").all_inner_texts()


def test_steps_say_what_explain_and_eval_tell(visit, report) -> None:
    page = visit(report, AT).page
    told = dx.explain({"short": SHORT}, GOLD, "iR", TEXTS, topic="q1", unit="lines").rows
    for column, name in {"shown": "shown", "new": "new", "again": "again", "used": "used"}.items():
        eventually(lambda at=column: cells(page, at), [str(row[name]) for row in told["steps"]])
    eventually(lambda: cells(page, "hit"), [str(row["used relevant"]) for row in told["steps"]])
    measures = [f"iR@{row['step']}steps" for row in told["steps"]]
    scores = dx.evaluate({"short": SHORT}, GOLD, measures, TEXTS, unit="lines")
    eventually(lambda: cells(page, "recall"), [shown(scores.value("short", one, "q1")) for one in measures])
    needs = page.locator("table.needs tbody tr")
    eventually(needs.locator("th").all_inner_texts, [row["need"] for row in told["stages"]])
    eventually(
        lambda: [row.get_attribute("data-stage") for row in needs.all()],
        [row["stage"] for row in told["stages"]],
    )
    assert [row["away"] for row in told["stages"]] == [181, 0, None]
    eventually(
        needs.locator("td:nth-child(3)").all_inner_texts,
        ["the nearest text shown ends 181 lines before it", "some of it was shown",
         "no text of its document was shown"],
    )  # fmt: skip
    eventually(
        page.locator(".effort").inner_text,
        "4 steps; 170 lines shown, 29% of them again; 2 of 9 relevant lines seen, the first at step 2; "
        "5 seconds.",
    )


def test_losses_of_all_runs_are_those_of_stages(visit, report) -> None:
    page = visit(report, "#view=trajectories").page
    runs = {name: RUNS[name] for name in ("short", "long")}
    told = dx.stages(runs, GOLD, TEXTS, unit="lines").table
    found = page.locator("figure.slices tbody tr")
    eventually(lambda: [row.locator("th, td").all_inner_texts() for row in found.all()], told.body)
    eventually(
        page.locator("figcaption").all_inner_texts,
        ["Where what was asked for was lost", "Gain by steps", "Gain by seconds"],
    )
    scores = dx.evaluate(runs, GOLD, "iR@4steps", TEXTS, unit="lines")
    page.locator("figure", has_text="Gain by steps").get_by_text("Numbers").click()
    rows = page.locator("figure", has_text="Gain by steps").locator("tbody tr")
    eventually(
        lambda: [row.locator("td").first.inner_text() for row in rows.all() if row.inner_text()[:2] == "4\t"],
        [shown(scores.value("short", "iR@4steps"))],
    )


def test_marks_stand_for_what_was_done(visit, report) -> None:
    page = visit(report, AT).page

    def marks(step: int) -> list[str]:
        found = page.locator(f".steps tr[data-step='{step}'] svg rect[class]").all()
        return [one.get_attribute("class") for one in found if one.locator("title").count()]

    eventually(lambda: marks(1), ["named"])
    eventually(lambda: marks(2), ["first-shown", "first-sight", "first-shown"])
    eventually(lambda: marks(4), ["seen-again", "first-shown"])
    eventually(lambda: marks(5), ["used"])
    title = page.locator(".steps tr[data-step='2'] .first-sight title")
    eventually(title.text_content, f"{FIRST}, lines 40\u201341: relevant, shown for the first time")


def test_a_step_shows_its_text_and_arrows_go_on(visit, report) -> None:
    page = visit(report, AT).page
    first = page.locator(".step-number").first
    first.focus()
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    eventually(lambda: page.evaluate("document.activeElement.textContent"), "4")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    eventually(lambda: page.url, lambda url: "step=2" in url)
    page.get_by_role("button", name="all 100 lines").click()
    eventually(
        page.locator(".step-text mark").all_inner_texts, ["line 40 <b>of 1</b>\nline 41 <b>of 1</b>\n"]
    )
    page.keyboard.press("n")
    eventually(lambda: page.url, lambda url: "topic=q2" in url and "step" not in url)
    page.locator(".needs [data-stage=never]").wait_for()
    page.keyboard.press("5")
    eventually(page.locator("nav.tabs [aria-current]").inner_text, "Trajectories")


def test_steps_that_do_nothing_are_hidden_in_long_ones(visit, report) -> None:
    page = visit(report, AT.replace("short", "long")).page
    eventually(page.locator(".steps tbody tr[data-step]").count, 60)
    page.get_by_label("steps that show and use nothing (120)").check()
    eventually(page.locator(".steps tbody tr[data-step]").count, 180)


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
@pytest.mark.parametrize("address", ["#view=trajectories", f"{AT}&step=2", AT.replace("short", "long")])
def test_it_fits_and_can_be_used_by_all(visit, report, width, scheme, address) -> None:
    visitor = visit(report, address, width=width, scheme=scheme)
    visitor.page.locator("main[data-view=trajectories] table").first.wait_for()
    visitor.fits(width)
    eventually(lambda: serious(visitor.page), [])
    visitor.picture(f"trajectories-{scheme}-{len(address)}")


def test_what_a_model_expected_stands_beside_what_was_missed(visit, tmp_path) -> None:
    target = tmp_path / "report.html"
    dx.write_report({"short": SHORT}, GOLD, "iR", TEXTS, path=target, navigation="readon(mean=100)")
    page = visit(target, AT).page
    eventually(page.locator(".expected li").all_inner_texts, [f"{FIRST}: lines 301\u2013304, chance 16%"])


def test_reports_without_trajectories_have_no_such_view(visit, tmp_path) -> None:
    dx.write_report({"ranked": RANKED}, GOLD, "iR", TEXTS, path=tmp_path / "report.html")
    page = visit(tmp_path / "report.html", "#view=trajectories").page
    eventually(page.locator("nav.tabs a").last.inner_text, "Reader")
    eventually(page.locator("nav.tabs [aria-current]").inner_text, "Answer")


def test_a_report_on_recordings_shows_seconds_in_every_view(visit, tmp_path) -> None:
    moments = [("v1", 4, 19.25), ("v2", 2, 18.5), ("v1", 15, 17.25)]
    rows = [{"topic": "q1", "doc": doc, "start_s": start, "end_s": end} for doc, start, end in moments]
    gold = [*rows[:1], *({"topic": "q1", "doc": doc, "length_s": 60} for doc in ("v1", "v2"))]
    ranked = [row | {"rank": rank} for rank, row in enumerate(rows[1:], 1)]
    steps = [
        {"topic": "q1", "step": at, "action": "read", "shown": [{"doc": doc, "start_s": start, "end_s": end}]}
        for at, (doc, start, end) in enumerate(moments, 1)
    ]
    target = tmp_path / "report.html"
    dx.write_report({"ranked": ranked, "agent": steps}, gold, "iR@2 Hits@2", path=target)
    texts = {}
    views = (
        "answer", "board", "fails", "question", "curves", "topics", "measures", "documents", "reader",
        "trajectories",
    )  # fmt: skip
    for view in views:
        run = "agent" if view == "trajectories" else "ranked"
        main = visit(target, f"#view={view}&topic=q1&doc=v1&run={run}").page.locator("main")
        texts[view] = eventually(main.inner_text, bool)
        shown_amounts = re.sub(r"\d\.\d{4}|300 char.*|(CE|gP|NCE)\(.*", "", texts[view])
        assert not re.search(r"\d{5}|\d,\d{3}", shown_amounts), (view, texts[view])
    assert "15.25 seconds" in texts["question"] and "15\u201317.25" in texts["documents"]
    assert "16.5" in texts["trajectories"]
