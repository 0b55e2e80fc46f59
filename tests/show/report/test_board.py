"""The board of a report where numbers are missing, and pieces of the documents that it embeds."""

from __future__ import annotations

import base64
import json
from html import escape

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.judging.desk import desk_of
from doxeval.show.rendering import rendering
from doxeval.show.report import embedded
from tests.io.documents.pdf_files import pdf_of
from tests.show.report.test_report import report

GOLD = [
    {"topic": "t1", "doc": "d", "start": 0, "end": 10},
    {"topic": "t2", "doc": "d", "start": 0, "end": 10},
    {"topic": "t3", "doc": "d", "length": 30},
]


def run(*topics: str) -> list[dict]:
    return [{"topic": topic, "doc": "d", "rank": 1, "start": 0, "end": 5} for topic in topics]


def test_runs_that_cannot_be_compared_stand_side_by_side_with_the_reason(tmp_path) -> None:
    runs = {"a": run("t1", "t2"), "b": run("t1", "t2"), "c": run("t3")}
    with pytest.warns(dx.DoxevalWarning, match="different numbers of topics: 0, 2"):
        data = report(tmp_path, runs, GOLD, "iP iR@2", topics="run")
    assert data["notes"][-2:] == [
        "Not compared: a and c have no topic with a value of iP in common; a comparison needs at least 2 "
        "(are these scores per topic?)",
        "No correlations: c has no value of iP on any topic",
    ]
    assert data["correlation"] is None and not data["differences"]
    assert [means[0] for means in data["means"]] == [1, 1, None]


def test_runs_that_show_nothing_have_no_text_to_read(tmp_path) -> None:
    data = report(tmp_path, {"a": [], "b": []}, GOLD, "iP iR@2", topics="run")
    assert data["reading"] == {"results": 5, "runs": [[None, None, None], [None, None, None]]}


def test_a_notebook_frames_a_report_and_says_how_large_it_is(tmp_path, monkeypatch) -> None:
    written = dx.write_report({"a": run("t1")}, GOLD, "iP", path=tmp_path / "a report.html")
    size = (tmp_path / "a report.html").stat().st_size
    assert repr(written).startswith(f"{tmp_path}/a report.html: {size / 1e6:.2f} MB, 0.00 MB of it")
    html = written._repr_html_()
    link = f'<p><a href="{tmp_path}/a%20report.html" target="_blank">{escape(repr(written))}</a></p>'
    address = html.partition('src="data:text/html;base64,')[2].partition('"')[0]
    assert html.startswith('<iframe title="doxeval report" sandbox="allow-scripts"') and html.endswith(
        f"</iframe>{link}"
    )
    assert base64.b64decode(address) == (tmp_path / "a report.html").read_bytes()
    monkeypatch.setattr("doxeval.show.page.MOST_FRAMED", size)
    assert written._repr_html_() == html
    monkeypatch.setattr("doxeval.show.page.MOST_FRAMED", size - 1)
    assert written._repr_html_() == link
    monkeypatch.undo()
    (tmp_path / "a report.html").unlink()
    assert written._repr_html_() == link


def test_a_document_without_text_embeds_none(tmp_path) -> None:
    gold = [{"topic": "t1", "doc": "full", "start": 0, "end": 3}, {"topic": "t1", "doc": "empty"}]
    found = [{"topic": "t1", "doc": "empty", "rank": 1}, {"topic": "t1", "doc": "full", "rank": 2}]
    data = report(tmp_path, {"a": found}, gold, "iP", {"full": "abc", "empty": ""})
    assert {doc["name"]: doc["text"] for doc in data["docs"]} == {"full": [[0, "abc"]], "empty": []}


def test_of_a_long_file_the_pages_with_places_are_embedded(tmp_path, monkeypatch) -> None:
    pytest.importorskip("pypdfium2")
    monkeypatch.setattr(embedded, "WHOLE_UP_TO", 10)
    (tmp_path / "a.pdf").write_bytes(pdf_of([["First page"], ["Second page"], ["Third page"]]))
    documents = dx.read_documents(tmp_path / "a.pdf")
    at = documents.text[0].index("cond")
    gold = [{"topic": "t1", "doc": "a.pdf", "start": at, "end": at + 4}]
    (doc,) = report(tmp_path, {"a": gold}, gold, "iP", documents)["docs"]
    assert [text.strip("\f\n") for _, text in doc["text"]] == ["Second page"]


@pytest.mark.parametrize(("most", "deepest"), [(5, 4), (4, 3), (3, 2), (2, 1)])
def test_of_a_large_tree_the_upper_part_is_shown(most: int, deepest: int, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(embedded, "MOST_NODES", most)
    (tmp_path / "d.xml").write_text("<a><b><c><e>one</e></c></b><b>two</b></a>")
    documents = dx.read_documents(tmp_path / "d.xml")
    tree = embedded.shown_tree(documents, 0)
    every = sorted(documents.depth.tolist())
    assert sorted(tree["depth"]) == [depth for depth in every if depth <= deepest][:most]


def test_rows_of_a_table_are_shown_as_cells_without_their_white_space(tmp_path) -> None:
    (tmp_path / "a.md").write_text("| item | price |\n|---|---|\n| tea |  2 |\n| milk | |\n")
    documents = dx.read_documents(tmp_path / "a.md")
    cells = [
        (start, end, row) for start, end, kind, row in rendering(documents, 0)["leaves"] if kind == "cell"
    ]
    assert [(documents.text[0][start:end], row) for start, end, row in cells] == [
        ("item", 1), ("price", 1), ("tea", 2), ("2", 2), ("milk", 3),
    ]  # fmt: skip


def test_a_report_opens_in_a_browser_only_if_asked(tmp_path, monkeypatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("click.launch", opened.append)
    monkeypatch.chdir(tmp_path)
    for name, rows in (("gold.jsonl", GOLD), ("run.jsonl", run("t1"))):
        (tmp_path / name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    for words in ([], ["--open"]):
        done = CliRunner().invoke(
            group, ["report", "run.jsonl", "-q", "gold.jsonl", "-o", "page.html", *words]
        )
        assert done.exit_code == 0 and "page.html: 0." in done.stderr
        assert opened == ["page.html" for word in words]


@pytest.mark.parametrize("level", range(1, 7))
def test_every_level_of_heading_is_shown_as_one(level: int) -> None:
    nodes = [
        {"id": "1", "parent": None, "tag": "body", "start": 0, "end": 8},
        {"id": "2", "parent": "1", "tag": f"h{level}", "start": 0, "end": 4},
        {"id": "3", "parent": "1", "tag": "p", "start": 4, "end": 8},
    ]
    documents = dx.read_documents([{"doc": "d", "text": "Tea.Hot.", "nodes": nodes}])
    kinds = [(start, end, kind) for start, end, kind, _ in rendering(documents, 0)["leaves"]]
    assert kinds == [(0, 4, f"h{level}"), (4, 8, "p")]


def test_the_desk_shows_pages_as_pictures_unless_a_page_must_stand_alone(tmp_path) -> None:
    pytest.importorskip("pypdfium2")
    (tmp_path / "a.pdf").write_bytes(pdf_of([["First page"], ["Second page"]]))
    pool = dx.pool({"r": [{"topic": "t", "doc": "a", "rank": 1}]}, documents=tmp_path)
    desk = desk_of(pool, dx.read_documents(tmp_path), dx.read_topics(None))
    assert len(desk.opened("a")["rendering"]["pages"]) == 2
    assert "pages" not in desk.opened("a", pictures=False)["rendering"]
