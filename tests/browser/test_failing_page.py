"""What fails, in the report: the numbers of diagnose, a page for each class, and the way to the questions."""

from __future__ import annotations

from pathlib import Path

import pytest

import doxeval as dx
from doxeval.demo import ANSWERS, DOCUMENTS, QUESTIONS, RUNS
from tests.browser.conftest import LOOKS, eventually, serious


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("report") / "fails.html"
    runs = sorted(RUNS.glob("*.jsonl"))
    dx.write_report(runs, ANSWERS, "AiP iP@5 iR@5", DOCUMENTS, path=target, topics_file=QUESTIONS)
    return target


@pytest.fixture(scope="module")
def diagnosis() -> dx.Diagnosis:
    return dx.diagnose(sorted(RUNS.glob("*.jsonl")), ANSWERS, "iR@5", DOCUMENTS)


def cells(page, selector: str, key: str) -> dict[tuple[str, str], str]:
    read = f"cells => cells.map(cell => [cell.dataset.run, cell.dataset.{key}, cell.innerText])"
    return {(run, what): text for run, what, text in page.locator(selector).evaluate_all(read)}


def test_classes_and_mending_are_those_of_diagnose(visit, report, diagnosis) -> None:
    visitor = visit(report, "#view=fails")
    expected = {
        (run, name): str(number)
        for run, numbers in diagnosis.classes.items()
        for name, number in numbers.items()
        if any(other[name] for other in diagnosis.classes.values())
    }
    eventually(lambda: cells(visitor.page, "table.fails [data-class]", "class"), expected)
    shown = cells(visitor.page, "table.mending [data-mending]", "mending")
    for one in diagnosis.mending:
        sign = "+" if one.gain > 0 else ""
        assert shown[one.run, one.mending].startswith(f"{sign}{one.gain:.2f}")
    visitor.picture("what-fails")


def test_sentences_name_classes_as_tables_do_inside_their_box(visit, report, diagnosis) -> None:
    page = visit(report, "#view=fails").page
    told = [sentence.replace("`", "") for sentence in diagnosis.sentences]
    eventually(page.locator("ul.verdict li").all_inner_texts, told)
    heads = " ".join(page.locator("table.fails thead th").all_inner_texts()).replace("▼", "").split()
    used = {name for numbers in diagnosis.classes.values() for name, number in numbers.items() if number}
    assert {word for name in used for word in name.split()} == set(heads) - {"run", "share"}
    padding = page.locator("ul.verdict").evaluate("box => parseFloat(getComputedStyle(box).paddingLeft)")
    assert padding >= 24


def test_a_class_has_an_address_and_leads_to_its_questions(visit, report, diagnosis) -> None:
    page = visit(report, "#view=fails").page
    page.locator("table.fails [data-run='sentences'][data-class='cut'] a").click()
    eventually(lambda: page.url, lambda url: "class=cut" in url and "run=sentences" in url)
    rows = [one for one in diagnosis.per_topic if (one.run, one.diagnosis) == ("sentences", "cut")]
    eventually(page.locator("table.examples tbody tr").count, len(rows))
    best = max(rows, key=lambda one: one.mended - one.value)
    eventually(page.locator("table.examples tbody tr").first.inner_text, lambda said: best.topic in said)
    page.locator("table.examples tbody tr a").first.click()
    eventually(lambda: page.url, lambda url: f"topic={best.topic}" in url and "view=question" in url)
    eventually(page.locator("article h2").count, lambda number: number > 0)


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
@pytest.mark.parametrize("address", ["#view=fails", "#view=fails&class=part"])
def test_it_fits_and_can_be_used(visit, report, width, scheme, address) -> None:
    visitor = visit(report, address, width=width, scheme=scheme)
    eventually(visitor.page.locator("main table").count, lambda number: number > 0)
    visitor.fits(width)
    eventually(lambda: serious(visitor.page), [])


def test_a_report_without_a_diagnosis_says_why(visit, tmp_path) -> None:
    gold = [{"topic": "t", "doc": "d", "start": 0, "end": 5, "assessor": name} for name in ("ann", "bob")]
    run = [{"topic": "t", "doc": "d", "rank": 1, "start": 0, "end": 9}]
    dx.write_report(run, gold, "iR@1", path=tmp_path / "r.html", merge="best")
    page = visit(tmp_path / "r.html", "#view=fails").page
    eventually(page.locator("main").inner_text, lambda said: "one set of assessments" in said)
