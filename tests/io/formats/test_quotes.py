from __future__ import annotations

import re

import pytest

import doxeval as dx
from doxeval.ground.placed_quotes import resolve_quotes

DOCS = [
    {"doc": "d1", "text": "One answer here.\nAnd one answer here."},
    {"doc": "d2", "text": "The answer\n   is wrapped."},
]
QUOTES = [
    {"topic": "t1", "doc": "d1", "quote": "answer here", "rel": 2},
    {"topic": "t1", "doc": "d2", "quote": "answer is wrapped"},
    {"topic": "t2", "doc": "d2", "quote": "no such words"},
    {"topic": "t2", "doc": "d9", "quote": "no such document"},
    {"topic": "t1", "doc": "d2", "start": 0, "end": 3, "aspects": ["A"]},
]


def test_quotes_become_ranges_and_doubts_are_told():
    found = resolve_quotes(dx.read_assessments(QUOTES), dx.read_documents(DOCS))
    assert found.quotes is None
    assert found.ranges.start.tolist() == [0, 4] and found.ranges.end.tolist() == [3, 24]
    assert found.ranges.grade.tolist() == [1, 1]
    assert [found.ranges.aspects.of(row) for row in range(2)] == [["A"], []]
    told = " | ".join(str(notice) for notice in found.notices)
    assert "1 of 4 quotes found: 1 but for white space" in told
    assert "1 quote occurs several times and is left out" in told
    assert "topic t1, d1: 'answer here' 2 times, at 4, 25" in told
    assert "2 quotes were not found" in told and "topic t2, d2: 'no such words'" in told
    assert found.topics == ["t1", "t2"] and len(found.pair_doc) == 4


def test_quotes_need_the_text():
    documents = dx.read_documents([{"doc": "d1", "length": 30}, {"doc": "d2", "length": 30}])
    with pytest.raises(dx.UsageError, match=re.escape("stored without text")):
        resolve_quotes(dx.read_assessments(QUOTES), documents)
