"""What assessments tell of needs and of topics: who answers what, which places are one, attributes."""

from __future__ import annotations

import json
from pathlib import Path

import polars
import pytest

import doxeval as dx
from doxeval.io.formats.columns import KIND_OF_KEY, OTHER_NAMES
from doxeval.io.topics import QUERY_KEYS, topics_of


def test_ranges_nodes_and_quotes_carry_their_needs():
    found = dx.read_assessments([
        {"topic": "t", "doc": "d", "start": 0, "end": 4, "need": "who"},
        {"topic": "t", "doc": "d", "start": 9, "end": 12, "aspects": ["who", "when"], "need": "when"},
        {"topic": "t", "doc": "d", "node": "e", "need": "why"},
        {"topic": "t", "doc": "d", "quote": "so it is", "need": 7},
    ])  # fmt: skip
    assert [found.ranges.aspects.of(row) for row in range(2)] == [["who"], ["who", "when"]]
    assert found.nodes.aspects.of(0) == ["why"] and found.quotes.aspects.of(0) == ["7"]


def test_the_spans_of_a_line_are_one_place():
    one = {"topic": "t", "doc": "d", "spans": [[0, 4], [8, 9]]}
    found = dx.read_assessments([one, {"topic": "t", "doc": "d", "start": 2, "end": 6}]).ranges
    assert found.place.tolist() == [0, 0, 1] and found.start.tolist() == [0, 8, 2]
    assert dx.read_assessments([{"topic": "t", "doc": "d", "spans": [[0, 4]]}]).ranges.place is None


def test_keys_that_are_not_known_are_attributes_of_topics():
    found = dx.read_assessments([
        {"topic": "t1", "query": "why?", "kind": "causal", "hops": 2, "open": True},
        {"topic": "t1", "doc": "d", "start": 0, "end": 4, "evidence": "table"},
        {"topic": "t1", "doc": "d", "start": 5, "end": 7, "evidence": ["text", "table"]},
        {"topic": "t2", "hops": 1.0},
        {"topic": "t2", "doc": "d"},
    ])  # fmt: skip
    first = {"kind": "causal", "hops": "2", "open": "yes", "evidence": "table, text"}
    assert found.attributes == {"t1": first, "t2": {"hops": "1"}}
    assert found.queries == {"t1": "why?"} and found.topics == ["t1", "t2"]
    assert [str(notice) for notice in found.notices] == [
        "unknown key 'evidence' is kept as an attribute of its topics (--by)"
    ]


def test_a_line_without_document_and_without_anything_about_its_topic_is_refused():
    with pytest.raises(dx.DoxevalError, match="expected a 'doc'"):
        dx.read_assessments([{"topic": "t"}])


NAMES = sorted(
    {*KIND_OF_KEY, *OTHER_NAMES} - {"topic", "doc", "query", "line", "quote", "answer", "text", *QUERY_KEYS}
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("values", [(12, 15), ("short", "long"), (0.5, 2.5), (True, False)])
def test_attributes_called_like_our_columns_are_attributes(name: str, values: tuple, tmp_path: Path) -> None:
    topics = [{"topic": f"t{at}", "query": "why?", name: value} for at, value in enumerate(values)]
    gold = [{"topic": f"t{at}", "doc": "d", "start": 0, "end": 5} for at in range(2)]
    run = [row | {"rank": 1} for row in gold]
    told = ["yes" if one is True else "no" if one is False else str(one) for one in values]
    files = {"topics": topics, "both": [*topics, *gold], "gold": gold}
    for stem, rows in files.items():
        (tmp_path / f"{stem}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    expected = {f"t{at}": {name: one} for at, one in enumerate(told)}
    for described in (tmp_path / "topics.jsonl", {row["topic"]: row for row in topics}):
        assert topics_of(described).attributes == expected
    frames = [polars.from_dicts([*topics, *gold], infer_schema_length=None)] if _fits(name, values) else []
    for assessments in (tmp_path / "both.jsonl", [*topics, *gold], *frames):
        found = dx.slice_scores(dx.evaluate(run, assessments, "iP@1"), by=name)
        assert {mean.slice for mean in found.means} - {"all"} == set(told)
    dx.convert(tmp_path / "both.jsonl", tmp_path / "again.jsonl")
    assert dx.read_assessments(tmp_path / "again.jsonl").attributes == expected
    if KIND_OF_KEY.get(name, "text") != "text":
        with pytest.raises(
            dx.InputError, match=f"the attribute '{name}' of topics cannot be written as parquet"
        ):
            dx.convert(tmp_path / "both.jsonl", tmp_path / "again.parquet")


def _fits(name: str, values: tuple) -> bool:
    """Whether a frame can have these values in the same column as the places of assessments."""
    return name not in ("start", "end") or (type(values[0]) is int)
