"""Documents, topics, run names and paths are hostile text: nothing in them may execute or break the page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from doxeval.cli import group
from tests.browser.conftest import eventually

MARK = "window.broken = true"
PAYLOADS = [
    f"<script>{MARK}</script>",
    f"</script><script>{MARK}</script>",
    f"</SCRIPT ><img src=x onerror='{MARK}'>",
    f"<!--<script>{MARK}//",
    f"<svg/onload={MARK}>",
    f"<a href=\"javascript:{MARK}\" onmouseover='{MARK}'>click</a>",
    f"<style>*{{display:none}}</style><iframe srcdoc='<script>parent.{MARK}</script>'>",
    f"]]>'\"`${{{MARK}}}\\u003cscript\\u003e",
    "\u202egnp.evil\u202c \u2066 \u200f \u2028 \u2029 \u0000\u0007",
    "{{constructor.constructor('" + MARK + "')()}}",
    "constructor",
    "__proto__",
]
TEXT = "\n\n".join(PAYLOADS)
LINE = "x" * 1_000_000


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    names = {payload: f"{payload}" for payload in PAYLOADS}
    documents = [{"doc": name, "text": TEXT, "length": len(TEXT)} for name in names]
    documents.append({"doc": "line", "text": LINE, "length": len(LINE)})
    qrels, results = [], []
    for payload in PAYLOADS:
        qrels.append({"topic": payload, "doc": payload, "start": 0, "end": 60})
        qrels.append({"topic": payload, "doc": "line", "start": 100, "end": 900_000})
        results.append({"topic": payload, "doc": payload, "rank": 1, "start": 0, "end": 200})
        results.append({"topic": payload, "doc": "line", "rank": 2, "start": 500, "end": 950_000})

    def saved(name: str, rows: list[dict]) -> str:
        path = folder / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return str(path)

    runs = [saved(f"<img src=x onerror=window.broken=1>{number}.jsonl", results) for number in range(3)]
    queries = saved("queries.jsonl", [{"topic": payload, "query": payload} for payload in PAYLOADS])
    target = folder / "report.html"
    done = CliRunner().invoke(
        group,
        ["report", *runs, "--qrels", saved("qrels.jsonl", qrels), "--docs", saved("docs.jsonl", documents),
         "--topics-file", queries, "-m", "iP@2 iR@2", "--title", PAYLOADS[1], "-o", str(target), "--quiet"],
        catch_exceptions=False,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    return target


def unharmed(page) -> None:
    page.locator("main > *").first.wait_for()
    eventually(lambda: page.evaluate("window.broken"), None)
    eventually(page.locator("script").count, 2)
    eventually(page.locator("main img, main iframe, main style, header img, body > img").count, 0)


@pytest.mark.parametrize(
    "view",
    [
        "answer",
        "board",
        "fails",
        "question",
        "curves",
        "tradeoffs",
        "topics",
        "measures",
        "documents",
        "reader",
    ],
)
def test_no_view_executes_names(visit, hostile, view) -> None:
    visitor = visit(hostile, f"#view={view}")
    unharmed(visitor.page)
    eventually(visitor.page.locator("header nav a").count, 10)
    visitor.picture(f"hostile-{view}")


@pytest.mark.parametrize("number", range(len(PAYLOADS)))
def test_no_document_executes(visit, hostile, number) -> None:
    from urllib.parse import urlencode

    payload = PAYLOADS[number]
    for view in ("question", "documents", "reader"):
        page = visit(hostile, "#" + urlencode({"view": view, "topic": payload, "doc": payload})).page
        page.keyboard.press("ArrowDown")
        for part in page.locator(".part").all()[:10]:
            part.hover()
        unharmed(page)
    page = visit(hostile, "#" + urlencode({"topic": payload, "doc": payload})).page
    shown = "".join(eventually(page.locator(".text .part").all_inner_texts, bool))
    assert "<script>window.broken = true</script>" in shown
    assert "\u202e" not in shown and "U+202E" in shown


def test_a_line_of_a_megabyte_is_shown_within_the_page(visit, hostile) -> None:
    from urllib.parse import urlencode

    visitor = visit(hostile, "#" + urlencode({"topic": PAYLOADS[0], "doc": "line"}))
    page = visitor.page
    parts = page.locator(".text .part")
    eventually(lambda: len("".join(parts.all_text_contents())), lambda length: length > 900_000)
    visitor.fits(1280)
    visitor.picture("hostile-line")


def test_scripts_put_into_the_page_are_not_run(visit, hostile) -> None:
    visitor = visit(hostile)
    visitor.page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.broken = 2';"
        " document.body.append(s); document.body.setAttribute('onclick', 'window.broken = 3');"
        " document.body.click(); }"
    )
    eventually(lambda: visitor.page.evaluate("window.broken"), None)
    assert all("Content Security Policy" in said for said in visitor.complaints)
    visitor.complaints.clear()
