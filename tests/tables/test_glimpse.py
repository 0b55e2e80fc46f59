"""Tables of data show themselves in notebooks: what they hold, first rows, and what is left out."""

from __future__ import annotations

from html import escape
from typing import Any

import doxeval as dx
from tests.show.notebooks.outputs import HOSTILE


def data() -> list[Any]:
    """Tables of data, their names and texts hostile."""
    place = {"topic": HOSTILE, "doc": HOSTILE}
    rows = [place | {"rank": rank, "start": rank, "end": 9 * rank} for rank in range(1, 8)]
    places = {
        "node": dx.read_run([place | {"rank": 1, "node": "/a[1]/b[2]"}]),
        "text": dx.read_run([place | {"rank": 1, "text": HOSTILE * 9}]),
        "spans": dx.read_run([place | {"rank": 1, "spans": [[at, at + 1] for at in range(0, 20, 4)]}]),
        "steps": dx.read_run([place | {"step": 1, "action": "read", "start": 0, "end": 9}]),
    }
    documents = {HOSTILE: HOSTILE * 20, **{f"d{at}": "Tea." for at in range(7)}}
    truth = [place | {"start": 0, "end": 9}, *({"topic": HOSTILE, "doc": f"d{at}"} for at in range(7))]
    topics = {HOSTILE: {"query": HOSTILE, "kind": HOSTILE}}
    tables = [
        dx.read_run(rows),
        dx.read_assessments(truth),
        dx.read_documents(documents),
        dx.read_topics(topics),
    ]
    pooled = dx.pool({"mine": rows}, documents=documents, topics_file=topics)
    return [*tables, *places.values(), dx.chunk(documents, cut="document"), pooled, dx.read_run([place])]


def test_data_shows_what_it_holds_and_says_what_is_left_out() -> None:
    shown = data()
    kinds = {type(one).__name__ for one in shown}
    assert kinds == {"Run", "Assessments", "Documents", "Chunks", "Topics", "Pool"}
    for one in shown:
        html, said = one._repr_html_(), repr(one)
        assert "<img" not in html and len(html) < 6000 and len(said) < 200 and said.startswith("<")
        assert escape(said.strip("<>")) in html
        assert html.count("<tr>") <= 6
    assert "5 of 7 results; 2 are not shown" in shown[0]._repr_html_()
    assert "5 of 8 assessed documents; 3 are not shown" in shown[1]._repr_html_()
    assert "not shown" not in shown[4]._repr_html_()


def test_documents_without_text_show_only_their_sizes() -> None:
    documents = dx.read_documents([{"doc": "d", "length": 9}])
    assert documents._first_rows(5)[:2] == (["document", "characters", "nodes"], [["d", "9", "1"]])
    assert dx.read_documents({"d": "Tea."})._first_rows(5)[1] == [["d", "4", "1", "Tea."]]
