"""Rows in memory: lists of dicts, polars and pandas frames."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pytest

import doxeval as dx
from doxeval.tables.runs import WHOLE

ROWS = [
    {"topic": "t1", "doc": "d1", "rank": 1, "score": 2.5, "start": 0, "end": 10},
    {"topic": "t2", "doc": "d2", "rank": 1, "score": 1.5, "start": 5, "end": 7},
    {"topic": "t1", "doc": "d2", "rank": 2, "score": 0.5, "start": 3, "end": 3},
]
MIXED = [
    {"topic": 7, "doc": "d1", "rank": 1, "spans": [[10, 20], [5, 10], [30, 40]]},
    {"topic": 7, "doc": "d1", "rank": 2, "nodes": ["e2", "e5"]},
    {"topic": 7, "doc": "d2", "rank": 3, "path": "/a[1]"},
    {"topic": 7, "doc": "d3", "rank": 4},
    {"topic": 8, "doc": "d3", "rank": 1, "start": 1, "end": 2},
]


def told(table):
    return " | ".join(str(notice) for notice in table.notices)


def same(one, other):
    assert list(one.topics) == list(other.topics) and list(one.docs) == list(other.docs)
    for column in ("topic", "doc", "start", "end", "rank", "score", "span_offset"):
        a, b = getattr(one, column), getattr(other, column)
        assert (a is None) == (b is None), column
        assert a is None or a.tolist() == b.tolist(), column
    assert (
        [one.nodes.of(row) for row in range(len(one))] == [other.nodes.of(row) for row in range(len(other))]
        if one.nodes
        else other.nodes is None
    )


@pytest.mark.parametrize("rows", [ROWS, MIXED])
def test_lists_and_frames_give_the_same_run(rows):
    expected = dx.read_run(rows)
    same(expected, dx.read_run(pl.DataFrame(rows)))
    same(expected, dx.read_run(pl.DataFrame(rows).lazy()))
    same(expected, dx.read_run(pd.DataFrame(rows)))
    same(expected, dx.read_run(iter(rows)))


def test_a_plain_run_has_one_range_a_row():
    run = dx.read_run(ROWS, name="mine")
    assert run.span_offset is None and run.nodes is None and run.name == "mine"
    assert run.start.tolist() == [0, 5, 3] and run.end.tolist() == [10, 7, 3]


def test_every_kind_of_place():
    run = dx.read_run(MIXED)
    assert [run.spans_of(row) for row in range(5)] == [[(5, 20), (30, 40)], [], [], [(0, WHOLE)], [(1, 2)]]
    assert [run.nodes.of(row) for row in range(5)] == [[], ["e2", "e5"], ["/a[1]"], [], []]
    assert run.topics == ["7", "8"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"topic": None}, "expected a 'topic'"),
        ({"topic": ""}, "expected a 'topic'"),
        ({"topic": ["t"]}, "expected a string as 'topic' (row 2: found ['t'])"),
        ({"doc": None}, "expected a 'doc'"),
        ({"doc": 1.5}, "expected a string as 'doc'"),
        ({"doc": "\ud800"}, "expected a string as 'doc'"),
        ({"start": 9}, "expected a start no later than the end (row 2: found 9 to 7)"),
        ({"start": -1}, "offsets of at least 0"),
        ({"start": 1.5}, "an integer within"),
        ({"end": float("nan")}, "an integer within"),
        ({"end": float("inf")}, "an integer within"),
        ({"end": 1 << 41}, "an integer within"),
        ({"end": 1 << 63}, "an integer within"),
        ({"end": 10**400}, "an integer within"),
        ({"end": "7"}, "an integer within"),
        ({"end": None}, "'start' and 'end' together"),
        ({"score": float("nan")}, "a finite number as 'score'"),
        ({"score": float("-inf")}, "a finite number as 'score'"),
        ({"score": "high"}, "a finite number as 'score'"),
        ({"rank": 1.5}, "an integer within"),
        ({"rank": True, "score": "x"}, "1 row refused"),
        ({"spans": 3}, "a list as 'spans'"),
        ({"spans": [[3, 2]]}, "'spans' as [[start, end], ...]"),
        ({"spans": [[1, 2, 3]]}, "'spans' as [[start, end], ...]"),
        ({"nodes": []}, "'nodes' as a list"),
        ({"nodes": [None]}, "'nodes' as a list"),
    ],
)
def test_rows_that_make_no_sense_are_refused_and_the_rest_kept(change, message):
    rows = [ROWS[0], ROWS[1] | change, ROWS[2]]
    run = dx.read_run(rows)
    assert message in told(run)
    assert [run.docs[doc] for doc in run.doc] == ["d1", "d2"] and len(run.topics) == 1
    assert run.rank.tolist() == [1, 2]


def test_a_line_column_gives_the_place():
    run = dx.read_run([row | {"line": 10 + at, "start": -at} for at, row in enumerate(ROWS)])
    assert ":11: found -1 to" in told(run) and len(run) == 1


def test_ranks_on_some_rows_are_ignored_and_told():
    unranked = {**ROWS[1], "topic": ROWS[0]["topic"], "rank": None, "score": 9.5}
    run = dx.read_run([ROWS[0], unranked])
    assert run.rank.tolist() == [2, 1] and run.score.tolist() == [2.5, 9.5]
    assert "1 result has no rank while others of its topic have one" in told(run)


@pytest.mark.parametrize(
    ("read", "wrong", "meant"),
    [
        (dx.read_run, {"strat": 1, "end": 2}, "start"),
        (dx.read_run, {"Rank": 1}, "rank"),
        (dx.read_assessments, {"start": 1, "end": 2, "value": 2}, "rel"),
        (dx.read_assessments, {"start_index": 1, "end": 2}, "start"),
        (dx.read_assessments, {"quotes": "x"}, "quote"),
    ],
)
def test_a_key_that_looks_like_a_missing_one_is_an_error(read, wrong, meant):
    with pytest.raises(dx.InputError, match=f"did you mean '{meant}'"):
        read([{"topic": "t", "doc": "d"} | wrong])


def test_a_key_that_looks_like_none_or_like_one_that_is_there_is_only_told():
    run = dx.read_run([{"topic": "t", "doc": "d", "docs": "x", "source": "y", "colour": "red", "note": ""}])
    assert len(run) == 1 and len(list(run.notices)) == 4 and all(n.harmless for n in run.notices)


def test_a_range_and_a_node_in_one_row_are_told():
    run = dx.read_run([ROWS[0] | {"node": "e1"}])
    assert run.nodes is None and run.spans_of(0) == [(0, 10)] and "the range is used" in told(run)


def test_several_runs_in_one_file_are_told():
    run = dx.read_run([ROWS[0] | {"run": "a"}, ROWS[1] | {"run": "b"}])
    assert run.tag == "a" and "2 different runs" in told(run)


def test_an_empty_list_is_an_empty_run():
    assert len(dx.read_run([])) == 0
    assert len(dx.read_assessments([]).topics) == 0


@pytest.mark.parametrize("wrong", [{"topic": "t"}, 3, [["t", "d"]]])
def test_what_is_no_list_of_rows_is_an_error(wrong):
    with pytest.raises(dx.InputError, match="expected"):
        dx.read_run(wrong)


ASSESSED = [
    {"topic": "t1", "doc": "d1", "start": 10, "end": 40, "rel": 2, "aspects": ["A"]},
    {"topic": "t1", "doc": "d1", "start": 50, "end": 60, "length": 99},
    {"topic": "t1", "doc": "d2", "start": 1, "end": 2, "rel": 0},
    {"topic": "t1", "doc": "d3", "quote": "it is so", "rel": 3},
    {"topic": "t1", "doc": "d4", "path": "/a[1]", "code": "e2s3"},
    {"topic": "t1", "doc": "d4", "nodes": ["x", "y"], "rel": 0.5},
    {"topic": "t2", "doc": "d1", "bep": 12},
    {"topic": "t2", "doc": "d5", "rel": 2},
    {"topic": "t2", "doc": "d6"},
    {"topic": "t2", "query": "why"},
]


@pytest.mark.parametrize("make", [list, pl.DataFrame, pd.DataFrame])
def test_every_kind_of_assessment(make):
    found = dx.read_assessments(make(ASSESSED))
    assert not len(found.notices)
    docs = [found.docs[doc] for doc in found.pair_doc]
    assert docs == ["d1", "d2", "d3", "d4", "d1", "d5", "d6"] and found.pair_offset.tolist() == [0, 4, 7]
    assert found.ranges.start.tolist() == [10, 50, 0] and found.ranges.end.tolist() == [40, 60, WHOLE]
    assert found.ranges.grade.tolist() == [2, 1, 2] and found.ranges.pair.tolist() == [0, 0, 5]
    assert [found.ranges.aspects.of(row) for row in range(3)] == [["A"], [], []]
    assert found.quotes.text == ["it is so"] and found.quotes.grade.tolist() == [3]
    assert [found.nodes.nodes.of(row) for row in range(2)] == [["/a[1]"], ["x", "y"]]
    assert found.nodes.code == ["E2S3", ""] and found.nodes.value.tolist()[1] == 0.5
    assert found.bep.tolist() == [-1, -1, -1, -1, 12, -1, -1]
    assert found.length.tolist()[0] == 99 and found.queries == {"t2": "why"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"topic": "t"}, "expected a 'doc'"),
        ({"topic": "t", "doc": "d", "rel": -1}, "a 'rel' of at least 0"),
        ({"topic": "t", "doc": "d", "rel": float("nan")}, "a finite number as 'rel'"),
        ({"topic": "t", "doc": "d", "bep": -5}, "a 'bep' of at least 0"),
        ({"topic": "t", "doc": "d", "length": -5}, "a 'length' of at least 0"),
        ({"topic": "t", "doc": "d", "node": "e", "code": "great"}, "a code such as E2S3 or 3E"),
        ({"topic": "t", "doc": "d", "code": "3E"}, "a 'node', 'nodes' or 'path' with a 'code'"),
        ({"topic": "t", "doc": "d", "start": 4}, "'start' and 'end' together"),
        ({"topic": "t", "doc": "d", "aspects": "A"}, "a list as 'aspects'"),
    ],
)
def test_assessments_that_make_no_sense_are_refused(row, message):
    found = dx.read_assessments([row, *ASSESSED])
    assert message in told(found) and found.topics == ["t1", "t2"] and len(found.ranges) == 3
