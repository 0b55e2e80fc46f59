"""What assessments tell of needs and of topics: who answers what, which places are one, attributes."""

from __future__ import annotations

import pytest

import doxeval as dx


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
