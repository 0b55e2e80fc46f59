"""What notebooks show of results, in a browser: on light and dark paper, at any width."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import doxeval as dx
from tests.browser.conftest import eventually
from tests.show.notebooks.outputs import HOSTILE, scored, shown

PAPERS = {"light": ("#ffffff", "#1f1f1f"), "dark": ("#111111", "#e8e8e8")}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        return shown(scored(), tmp_path_factory.mktemp("notebook"))


def notebook(outputs: dict[str, Any], target: Path, scheme: str) -> Path:
    """A page with the outputs of cells one below the other, in the colours of a notebook."""
    paper, ink = PAPERS[scheme]
    cells = "".join(f'<div id="{name}">{output._repr_html_()}</div><hr>' for name, output in outputs.items())
    target.write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Notebook</title>'
        f'<meta name="viewport" content="width=device-width"><style>'
        f"body {{ background: {paper}; color: {ink}; font: 14px sans-serif; }}</style>"
        f"<body><main><h1>Notebook</h1>{cells}</main></body></html>",
        encoding="utf-8",
    )
    return target


@pytest.mark.parametrize("scheme", PAPERS)
def test_tables_are_read_on_light_and_dark_paper(visit, outputs, tmp_path, scheme) -> None:
    visitor = visit(notebook(outputs, tmp_path / "notebook.html", scheme), scheme=scheme)
    page = visitor.page
    eventually(lambda: page.locator("#scores tbody tr").count(), 5)
    eventually(lambda: page.locator("#scores td", has_text=HOSTILE).count(), 1)
    eventually(lambda: page.locator("#scores li").first.inner_text(), lambda said: "by AiP" in said)
    aligned = "cells => cells.map(cell => getComputedStyle(cell).textAlign)"
    eventually(
        lambda: page.locator("#scores tbody tr:first-child td").evaluate_all(aligned),
        ["left", "right", "right", "right"],
    )
    inks = "cells => [...new Set(cells.map(cell => getComputedStyle(cell).color))].length"
    eventually(lambda: page.locator("main td, main th, main li, body").evaluate_all(inks), 1)
    visitor.picture(f"notebook-{scheme}")


@pytest.mark.parametrize("scheme", PAPERS)
def test_axe_finds_nothing_serious(visit, outputs, tmp_path, scheme) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed (make browser)"
    )
    tables = {name: output for name, output in outputs.items() if name != "report"}
    visitor = visit(notebook(tables, tmp_path / "notebook.html", scheme), scheme=scheme)
    found = axe.Axe().run(visitor.page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []


def test_outputs_fit_a_narrow_notebook(visit, outputs, tmp_path) -> None:
    visit(notebook(outputs, tmp_path / "notebook.html", "light"), width=420).fits(420)


def test_the_report_works_in_its_frame(visit, outputs, tmp_path) -> None:
    visitor = visit(notebook({"report": outputs["report"]}, tmp_path / "notebook.html", "light"))
    frame = visitor.page.frame_locator("#report iframe")
    eventually(lambda: frame.locator("section.answer h2").count(), 1)
    views = frame.locator("nav a, [role=tab], nav button")
    eventually(views.count, lambda count: count > 2)
    before = frame.locator("main").inner_text()
    views.nth(1).click()
    eventually(lambda: frame.locator("main").inner_text(), lambda text: text != before)
    visitor.picture("notebook-report")
