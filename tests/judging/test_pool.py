"""Pools hold what runs show and nobody has judged, each character once; the twin goes by characters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.core.errors import UsageError
from doxeval.judging.pool import READING_SPEED
from doxeval.judging.pool_file import Pool
from doxeval.rag.chunk import SENTENCE

TEXT = "One is here. Two, and more! Is this three?\n\nFour stands alone. Five ends it."
DOCS = {"d1": TEXT, "d2": TEXT[::-1], "d3": "word " * 8}

places = st.tuples(
    st.sampled_from(["q1", "q2"]), st.sampled_from(sorted(DOCS)), st.integers(0, 38), st.integers(1, 30)
)
run_rows = st.lists(places, max_size=6)


def as_run(rows: list[tuple[str, str, int, int]]) -> list[dict[str, Any]]:
    return [
        {"topic": topic, "doc": doc, "rank": rank, "start": start, "end": min(start + size, len(DOCS[doc]))}
        for rank, (topic, doc, start, size) in enumerate(rows, 1)
    ]


def as_assessments(rows: list[tuple[str, str, int, int]]) -> list[dict[str, Any]]:
    return [{**row, "rank": None} for row in as_run(rows)]


def characters(pool: Pool) -> set[tuple[str, str, int]]:
    found = [
        (document.topic, document.doc, place)
        for document in pool.documents
        for start, end in document.passages
        for place in range(start, end)
    ]
    assert len(found) == len(set(found)) == pool.characters
    return set(found)


def shown(rows: list[dict[str, Any]], depth: int) -> set[tuple[str, str, int]]:
    found = set()
    for topic in ("q1", "q2"):
        for row in [row for row in rows if row["topic"] == topic][:depth]:
            found |= {(topic, row["doc"], place) for place in range(row["start"], row["end"])}
    return found


def cut(rows: list[dict[str, Any]], depth: int) -> list[dict[str, Any]]:
    topics = {row["topic"] for row in rows}
    return [row for topic in topics for row in [one for one in rows if one["topic"] == topic][:depth]
            if "doc" in row]  # fmt: skip


@given(st.lists(run_rows, min_size=1, max_size=3), run_rows, st.lists(places, max_size=1), st.integers(1, 4))
@settings(deadline=None)
@pytest.mark.parametrize("assessed", ["whole", "highlights"])
@pytest.mark.parametrize("order", ["depth", "document", "deciding"])
def test_a_pool_is_what_is_shown_and_not_judged(
    assessed: str,
    order: str,
    runs: list[list[tuple[str, str, int, int]]],
    known: list[tuple[str, str, int, int]],
    empty: list[tuple[str, str, int, int]],
    depth: int,
) -> None:
    highlighted = as_assessments(known)
    nothing = [{"topic": topic, "doc": doc} for topic, doc, *_ in empty]
    tables = {f"r{at}": as_run(rows) or [{"topic": "q1"}] for at, rows in enumerate(runs)}
    options = {"depth": depth, "grow": "none", "assessed": assessed, "order": order}
    pool = dx.pool(tables, [*highlighted, *nothing] or None, DOCS, **options)
    wanted = set().union(*(shown(as_run(rows), depth) for rows in runs))
    looked_at = {(row["topic"], row["doc"]) for row in [*highlighted, *nothing]}
    relevant = shown(highlighted, 99)
    whole = looked_at if assessed == "whole" else looked_at - {place[:2] for place in relevant}
    assert characters(pool) == {place for place in wanted - relevant if place[:2] not in whole}
    ranks: dict[tuple[str, str, int, str], int] = {}
    for name, rows in tables.items():
        for topic in ("q1", "q2"):
            of_topic = [row for row in rows if row["topic"] == topic and "doc" in row][:depth]
            for rank, row in enumerate(of_topic, 1):
                for place in range(row["start"], row["end"]):
                    key = topic, row["doc"], place, name
                    ranks[key] = min(rank, ranks.get(key, rank))
    for document in pool.documents:
        for (start, end), count in zip(document.passages, document.runs, strict=True):
            text = DOCS[document.doc]
            parts = [
                [row for row in rows if (row["topic"], row.get("doc")) == (document.topic, document.doc)
                 and row["start"] < end and row["end"] > start
                 and text[row["start"] : row["end"]].strip() != text.strip()]
                for rows in (cut(one, depth) for one in tables.values())
            ]  # fmt: skip
            assert count == sum(map(bool, parts))
    for found in pool.retrieved:
        places = range(found.start, found.end)
        first = [ranks.get((found.topic, found.doc, place, found.run)) for place in places]
        assert min(rank for rank in first if rank is not None) == found.rank


@given(run_rows)
@settings(deadline=None)
def test_passages_grow_to_whole_sentences(rows: list[tuple[str, str, int, int]]) -> None:
    run = {"r": as_run(rows) or [{"topic": "q1"}]}
    narrow, wide = (dx.pool(run, documents=DOCS, grow=grow, depth=9) for grow in ("none", "sentence"))
    assert characters(narrow) <= characters(wide)
    for document in wide.documents:
        inside = {place for start, end in document.passages for place in range(start, end)}
        for sentence in SENTENCE.finditer(DOCS[document.doc]):
            assert len(inside & set(range(*sentence.span()))) in (0, len(sentence[0]))


def test_passages_grow_to_whole_nodes() -> None:
    nodes = [{"tag": "a", "start": 0, "end": 20}, {"parent": 0, "tag": "p", "start": 0, "end": 10},
             {"parent": 0, "tag": "p", "start": 10, "end": 20}]  # fmt: skip
    documents = [{"doc": "d", "text": "x" * 20, "nodes": nodes}]
    run = [{"topic": "q", "doc": "d", "rank": 1, "start": 12, "end": 15}]
    assert dx.pool({"r": run}, documents=documents, grow="node").documents[0].passages == ((10, 20),)


@pytest.mark.parametrize("place", [(0, 10), (10, 12), (12, 20), (9, 11), (5, 25), (20, 30), (29, 30)])
def test_it_grows_to_the_deepest_nodes_that_it_begins_and_ends_in(place: tuple[int, int]) -> None:
    nodes = [("a", None, 0, 30), ("b", "a", 0, 10), ("c", "a", 10, 20), ("d", "c", 10, 14)]
    documents = [{"doc": "d", "text": "x" * 30, "nodes": [
        {"id": name, "parent": parent, "start": start, "end": end} for name, parent, start, end in nodes
    ]}]  # fmt: skip

    def deepest(letter: int) -> tuple[int, int]:
        return [(start, end) for _, _, start, end in nodes if start <= letter < end][-1]

    run = [{"topic": "t", "doc": "d", "rank": 1, "start": place[0], "end": place[1]}]
    (found,) = dx.pool({"r": run}, documents=documents, grow="node").documents
    assert found.passages == ((deepest(place[0])[0], deepest(place[1] - 1)[1]),)


def test_a_pool_needs_what_it_grows_to() -> None:
    run = [{"topic": "q", "doc": "d", "rank": 1, "start": 12, "end": 15}]
    with pytest.raises(UsageError, match="--docs"):
        dx.pool({"r": run}, grow="sentence")
    for wrong in ({"order": "dept"}, {"grow": "word"}, {"assessed": "x"}, {"depth": 0}, {"minutes": 0}):
        with pytest.raises(UsageError):
            dx.pool({"r": run}, **wrong)
    with pytest.raises(UsageError, match="at least one run"):
        dx.pool([])


def test_orders_and_budgets() -> None:
    """Rank first over all topics; topics stand together all the same; what does not fit is told."""
    runs = {
        "one": [
            {"topic": topic, "doc": doc, "rank": rank, "start": 0, "end": 10}
            for topic in ("q2", "q1") for rank, doc in enumerate(("b", "a"), 1)
        ],
        "two": [{"topic": topic, "doc": doc, "rank": rank, "start": 0, "end": 10}
                for topic in ("q2", "q1") for rank, doc in enumerate(("b", "c"), 1)],
    }  # fmt: skip

    def pairs(**options: Any) -> list[str]:
        return [f"{document.topic}{document.doc}" for document in dx.pool(runs, **options).documents]

    assert pairs() == ["q1b", "q1a", "q1c", "q2b", "q2a", "q2c"]
    assert pairs(order="document") == ["q1a", "q2a", "q1b", "q2b", "q1c", "q2c"]
    assert pairs(order="deciding")[-1] == "q2b", "what both show alike decides nothing"
    assert pairs(max_characters=29) == ["q1b", "q2b"]
    assert pairs(minutes=30 / READING_SPEED) == ["q1b", "q1a", "q2b"]
    assert pairs(minutes=2, speed=15) == ["q1b", "q1a", "q2b"]
    short = dx.pool(runs, max_characters=29)
    assert short.made["left_out"] == 40 and "40 of 60 characters" in str(next(iter(short.notices)))


def test_who_retrieved_what_is_kept_apart(tmp_path: Path) -> None:
    run = [{"topic": "q", "doc": "d", "rank": 1, "start": 12, "end": 15}]
    pool = dx.pool({"secret": run}, topics_file={"q": "why?"})
    dx.write_pool(pool, tmp_path / "pool.jsonl", sources=tmp_path / "sources.jsonl")
    assert "secret" not in (tmp_path / "pool.jsonl").read_text()
    assert '"run": "secret", "rank": 1' in (tmp_path / "sources.jsonl").read_text()
    (read,) = dx.read_pool(tmp_path / "pool.jsonl").documents
    assert read.query == "why?" and read.length == pool.documents[0].length == -1


def test_the_best_by_score_are_pooled_where_scores_rank():
    run = [
        {"topic": "q1", "doc": "d1", "rank": rank, "score": score, "start": start, "end": start + 5}
        for rank, score, start in ((1, 0.1, 0), (2, 0.9, 20))
    ]
    pooled = {
        rank_by: sorted(place for *_, place in characters(dx.pool({"a": run}, depth=1, rank_by=rank_by)))
        for rank_by in (None, "rank", "score")
    }
    assert pooled == {None: [*range(5)], "rank": [*range(5)], "score": [*range(20, 25)]}
