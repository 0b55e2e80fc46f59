"""Quality against what it takes: the picture shows every run, and names those that no other beats."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

import doxeval as dx
from tests.browser.conftest import eventually

BOXES = """found => found.map((one) => one.getBoundingClientRect()).map(({ left, top, right, bottom }) =>
  [left, top, right, bottom])"""


@cache
def report_of(folder: Path, runs: int) -> Path:
    """A report on runs that state their seconds, the slower the better by and large."""
    dice = random.Random(runs)
    gold = [{"topic": f"q{topic}", "doc": "d", "start": 0, "end": 100} for topic in range(3)]
    made = {}
    for run in range(runs):
        size = dice.randrange(5, 100)
        told = {"size": size, "seconds": round(size * dice.uniform(0.5, 9), 1), "number": run}
        rows = [{"topic": f"q{topic}", "doc": "d", "rank": 1, "start": 0, "end": size} for topic in range(3)]
        made[f"embedding-{run}-of-a-sweep-with-long-names"] = [{"run": "", "parameters": told}, *rows]
    target = folder / f"{runs}.html"
    dx.write_report(made, gold, "iR@5", path=target)
    return target


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tradeoffs")


@pytest.mark.parametrize("runs", [2, 20, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_runs_on_the_line_are_joined_and_named(visit, folder, runs, width, scheme) -> None:
    visitor = visit(report_of(folder, runs), "#view=tradeoffs", width=width, scheme=scheme)
    figures = visitor.page.locator("figure.tradeoff")
    eventually(figures.count, 2)
    for figure in figures.all():
        best = figure.locator(".unbeaten").count()
        assert best + figure.locator(".beaten").count() == runs
        assert len(figure.locator(".frontier").get_attribute("points").split()) == 2 * best
        assert figure.locator(".hint").inner_text().startswith("On the line: ")
        labels = figure.locator("text.label[data-run]")
        told = f"There is room for the names of {labels.count()}" in figure.locator(".hint").inner_text()
        assert told is (labels.count() < best) and labels.count() >= min(best, 5)
        boxes = labels.evaluate_all(BOXES)
        marks = figure.locator(".unbeaten path").evaluate_all(BOXES)
        for at, (left, top, right, bottom) in enumerate(boxes):
            for other in [*boxes[at + 1 :], *marks]:
                wide = min(right, other[2]) - max(left, other[0])
                assert wide < 2 or min(bottom, other[3]) - max(top, other[1]) < 4
    visitor.picture(f"tradeoffs-{runs}-{width}-{scheme}")


def test_the_picture_and_its_numbers_can_be_taken_away(visit, folder) -> None:
    page = visit(report_of(folder, 20), "#view=tradeoffs").page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    figure = page.locator("figure.tradeoff").nth(1)
    with page.expect_download() as saved:
        figure.get_by_role("button", name="SVG").click()
    assert saved.value.suggested_filename == "ir-5-against-seconds.svg"
    assert "<polyline" in Path(saved.value.path()).read_text(encoding="utf-8")
    figure.locator("summary").click()
    figure.locator("details").get_by_role("button", name="CSV").click()
    copied = eventually(lambda: page.evaluate("navigator.clipboard.readText()"), bool)
    head, *rows = copied.splitlines()
    assert head == "run,seconds,iR@5,on the line" and len(rows) == 20
    assert sum(row.endswith(",yes") for row in rows) == figure.locator(".unbeaten").count()
