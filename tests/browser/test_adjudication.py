"""Two assessors judge, differ and decide; what the page predicts for the comparison is what comes out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import doxeval as dx
from doxeval.judging.pool_file import write_pool
from tests.browser.conftest import LOOKS, eventually, serious
from tests.browser.test_judging import judged, saved, select
from tests.judging.serving import serving

TOPICS, EACH, MEASURE = 8, 5, "iP@5"
PARTS = (
    "Fact {0} stands at the very beginning.",
    "Detail {0} is told next.",
    "The rest of {0} is about more.",
)
TEXTS = {f"d{number:02}": " ".join(PARTS).format(number) for number in range(TOPICS * EACH)}
BORDERS = {doc: [m.end() for m in re.finditer(r"\.", text)] for doc, text in TEXTS.items()}


def run(sentence: int) -> list[dict[str, object]]:
    """A run that shows one sentence of every document of a topic."""
    return [
        {"topic": f"t{at // EACH}", "doc": doc, "rank": at % EACH + 1,
         "start": 0 if sentence == 0 else BORDERS[doc][sentence - 1] + 1, "end": BORDERS[doc][sentence]}
        for at, doc in enumerate(TEXTS)
    ]  # fmt: skip


@pytest.fixture
def desk(tmp_path: Path) -> list[str]:
    """The arguments of a desk with forty documents, from the pool of two runs."""
    runs = {"facts": run(0), "details": run(1)}
    (tmp_path / "docs.jsonl").write_text(
        "".join(json.dumps({"doc": doc, "text": text}) + "\n" for doc, text in TEXTS.items())
    )
    for name, rows in runs.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pool = dx.pool(runs, documents=tmp_path / "docs.jsonl", depth=EACH)
    assert len(pool) == 40
    write_pool(pool, tmp_path / "pool.jsonl")
    return [str(tmp_path / "pool.jsonl"), "--docs", str(tmp_path / "docs.jsonl"), "-m", MEASURE,
            "--runs", str(tmp_path / "facts.jsonl"), str(tmp_path / "details.jsonl")]  # fmt: skip


def presses(assessor: str, number: int) -> str:
    """What an assessor does to a document: ann marks the first sentence; bob the second, both, or nothing."""
    if assessor == "ann" or number % 5 == 0:
        return "nhd"
    return {1: "nnhd", 2: "nnhd", 3: "nshd", 4: "0"}[number % 5]


def difference(tmp_path: Path, **options: str) -> float:
    """facts - details, as doxeval computes it from the database."""
    runs = [tmp_path / "facts.jsonl", tmp_path / "details.jsonl"]
    scores = dx.evaluate(runs, tmp_path / "judgements.db", MEASURE, tmp_path / "docs.jsonl", **options)
    return scores.value("facts", MEASURE) - scores.value("details", MEASURE)


def judge_all(page, assessor: str) -> None:
    for number in range(40):
        eventually(page.title, lambda said, number=number: f": d{number:02} " in said)
        for press in presses(assessor, number):
            page.keyboard.press(press)
    eventually(page.locator("dialog.standing h2").inner_text, "Everything is judged")
    saved(page)


def number_in(text: str) -> float:
    return float(text.replace("\u2212", "-"))


def test_two_assessors_disagree_decide_and_the_comparison_changes_as_predicted(
    attend, desk, tmp_path
) -> None:
    database = tmp_path / "judgements.db"
    with serving(tmp_path, arguments=desk, people=("ann", "bob")) as served:
        judge_all(attend(served.addresses["ann"]).page, "ann")
        visitor = attend(served.addresses["bob"])
        page = visitor.page
        judge_all(page, "bob")
        visitor.picture("judge-standing")
        said = eventually(page.locator("dialog.standing").inner_text, lambda said: "disagreement" in said)
        assert "48 disagreements open" in said and "facts" in said and "doxeval compare" in said
        before = difference(tmp_path)
        counts = dx.agree(database).pairs[0].passages.counts()
        page.get_by_role("button", name="Decide disagreements").click()
        open_now = counts["whether"] + counts["where"]
        kinds = {"whether this is relevant": 0, "where it begins and ends": 0}
        now = before
        for number in range(open_now):
            title = page.locator(".dispute h2")
            eventually(title.inner_text, lambda said, left=open_now - number: f"1 of {left}:" in said)
            kinds[title.inner_text().partition(": ")[2]] += 1
            told = page.locator(".effect").inner_text()
            found = re.search(r"(\w+) \u2212 (\w+) by iP@5 is ([+\u2212][0-9.]+) now", told)
            sign = 1 if found[1] == "facts" else -1
            assert sign * number_in(found[3]) == pytest.approx(now, abs=6e-5)
            if number == 0:
                visitor.picture("judge-dispute")
                eventually(page.locator(".side").count, 2)
            choice = page.locator(".ways button").nth(1 if number % 12 else 0)
            predicted = sign * number_in(choice.locator("small").inner_text().strip())
            choice.click()
            left = open_now - number - 1
            expected = f"1 of {left}:" if left else "No disagreement is left"
            eventually(title.inner_text, lambda said, expected=expected: expected in said)
            now = difference(tmp_path)
            assert now == pytest.approx(predicted, abs=6e-5), "as the page has predicted"
        assert kinds == {
            "whether this is relevant": counts["whether"], "where it begins and ends": counts["where"],
        }  # fmt: skip
        visitor.picture("judge-decided")
        rows = [row.split("\t") for row in page.locator(".dispute tbody tr").all_inner_texts()]
    after = dx.agree(database)
    assert after.disagreements == [] and after.value("ann", "bob", "F1") == pytest.approx(1.0)
    assert rows[0][1] == "before" and [int(cell) for cell in rows[0][6:9]] == [
        counts["same"], counts["whether"], counts["where"],
    ]  # fmt: skip
    assert rows[1][1] == "now" and int(rows[1][7]) == int(rows[1][8]) == 0
    assert after.before.pairs[0].passages.counts() == counts
    assert before > 0.1 and now < 0, "the decisions have changed who is ahead"
    assert now == pytest.approx(difference(tmp_path, merge="ann")) == pytest.approx(
        difference(tmp_path, merge="bob"))  # fmt: skip
    assert judged(database, "ann") == judged(database, "bob")


def test_an_adjudicator_redraws_and_writes_a_rule_that_others_see(attend, desk, tmp_path) -> None:
    text = TEXTS["d01"]
    with serving(tmp_path, "--adjudicator", "carl", arguments=desk, people=("ann", "bob", "carl")) as served:
        for name, start, end in (("ann", 0, 10), ("bob", 5, 20)):
            mark = {"adds": [{"id": f"m-{name}", "start": start, "end": end}], "done": True}
            assert served.act(mark, "t0", "d01", address=served.addresses[name])[0] == 200
        visitor = attend(served.addresses["carl"])
        page = visitor.page
        page.keyboard.press("a")
        eventually(page.locator(".dispute h2").inner_text, lambda said: "where it begins and ends" in said)
        page.get_by_label("a new rule").fill("<b>Whole sentences</b> only.")
        page.get_by_role("button", name="Write down").click()
        select(page, text, "Fact 1 stands at the very beginning.")
        page.get_by_role("button", name="What I select").click()
        eventually(page.locator(".dispute h2").inner_text, lambda said: said.startswith("No disagreement"))
        ann = attend(served.addresses["ann"]).page
        eventually(ann.locator(".rules").inner_text, lambda said: "<b>Whole sentences</b> only." in said)
        ann.evaluate("location.hash = '#2'")
        read = "[...document.querySelectorAll('mark')].map(mark => mark.textContent).join('')"
        eventually(lambda: ann.evaluate(read), "Fact 1 stands at the very beginning.")
        ann.keyboard.press("a")
        eventually(ann.locator(".dispute h2").inner_text, lambda said: said.startswith("No disagreement"))
    assert judged(served.database, "ann") == judged(served.database, "bob")
    assert judged(served.database, "bob") == {("t0", "d01"): [(0, BORDERS["d01"][0])]}
    dx.judge(path=served.database, export=tmp_path / "rules.md", format="rules")
    told = (tmp_path / "rules.md").read_text()
    assert "Whole sentences" in told and "carl" in told and "<b>" not in told


def test_nobody_sees_what_others_marked_in_a_document_they_have_not_finished(desk, tmp_path) -> None:
    with serving(tmp_path, arguments=desk, people=("ann", "bob", "carl")) as served:
        for name, start in (("ann", 0), ("bob", 5)):
            mark = {"adds": [{"id": f"m-{name}", "start": start, "end": 10}], "done": True}
            assert served.act(mark, "t0", "d01", address=served.addresses[name])[0] == 200
        seen = {
            name: len(json.loads(served.ask("GET", "disputes", address=address)[1])["disputes"])
            for name, address in served.addresses.items()
        }
    assert seen == {"ann": 1, "bob": 1, "carl": 0}


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_axe_finds_nothing_serious_where_assessors_differ(attend, desk, tmp_path, scheme, width) -> None:
    with serving(tmp_path, arguments=desk, people=("ann", "bob")) as served:
        for name, start in (("ann", 0), ("bob", 5)):
            mark = {"adds": [{"id": f"m-{name}", "start": start, "end": 10}], "done": True}
            assert served.act(mark, "t0", "d01", address=served.addresses[name])[0] == 200
        visitor = attend(served.addresses["ann"], width=width, height=844, scheme=scheme)
        page = visitor.page
        page.keyboard.press("a")
        page.wait_for_selector(".ways")
        eventually(lambda: serious(page), [])
        visitor.picture(f"judge-dispute-{width}")
        visitor.fits(width)
        page.keyboard.press("z")
        page.wait_for_selector("dialog.standing[open]")
        visitor.picture(f"judge-standing-{width}")
        eventually(lambda: serious(page), [])
