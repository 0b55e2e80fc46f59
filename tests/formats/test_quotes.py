from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.ground.quotes import locate, resolve_quotes

LETTERS = st.text("ab \n", max_size=30)


def brute(text, quote):
    """Exact places, or else those where text and quote agree word by word."""
    if not quote.strip():
        return []
    exact = [(at, at + len(quote)) for at in range(len(text)) if text.startswith(quote, at)]
    if exact:
        return exact
    words = quote.split()
    found = []
    for start in range(len(text)):
        ends = [end for end in range(start + 1, len(text) + 1) if _agree(text[start:end], words)]
        if ends:
            found.append((start, ends[0]))
    return found


def _agree(piece, words):
    return piece == piece.strip() and piece.split() == words


@given(LETTERS, st.text("ab \n", min_size=1, max_size=5))
def test_places_are_those_found_by_trying_everywhere(text, quote):
    assert locate(text, quote) == brute(text, quote)


@given(st.text(min_size=1), st.text(), st.text())
def test_a_quote_taken_from_a_text_is_found_there(quote, before, after):
    found = locate(before + quote + after, quote)
    assert (len(before), len(before) + len(quote)) in found or not quote.strip()


def test_offsets_count_code_points():
    assert locate("𝔘ñ x", "x") == [(3, 4)]


def test_special_characters_are_only_characters():
    assert locate("a.*b\n(c)", "a.*b (c)") == [(0, 8)]


def test_large_documents_take_no_time():
    text = "the cat sat on the mat. " * 100_000 + "the end\nof it"
    begin = time.perf_counter()
    assert len(locate(text, "the end of it")) == 1
    assert locate(text, "the end of that") == []
    assert time.perf_counter() - begin < 2


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
    assert found.ranges.start.tolist() == [0, 4, 4] and found.ranges.end.tolist() == [3, 15, 24]
    assert found.ranges.grade.tolist() == [1, 2, 1]
    assert [found.ranges.aspects.of(row) for row in range(3)] == [["A"], [], []]
    told = " | ".join(str(notice) for notice in found.notices)
    assert "1 quotes occur several times" in told and "topic t1, d1: 'answer here' 2 times" in told
    assert "2 quotes were not found" in told and "topic t2, d2: 'no such words'" in told
    assert found.topics == ["t1", "t2"] and len(found.pair_doc) == 4


def test_quotes_need_the_text():
    documents = dx.read_documents([{"doc": "d1", "length": 30}, {"doc": "d2", "length": 30}])
    with pytest.raises(dx.UsageError, match=re.escape("without their text")):
        resolve_quotes(dx.read_assessments(QUOTES), documents)
