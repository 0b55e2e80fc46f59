from __future__ import annotations

import json
import random

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.core.errors import InputError
from doxeval.io.documents.index import load_documents
from tests.io.documents.trees import ELEMENTS, contents, native, rows_of


@given(ELEMENTS, st.randoms())
def test_nodes_in_any_order_are_put_in_document_order(element, chance: random.Random):
    record = native(element)
    expected = load_documents([record])
    empty_starts = {node["start"] for node in record["nodes"] if node["start"] == node["end"]}
    if not empty_starts:
        chance.shuffle(record["nodes"])
    assert contents(load_documents([record])) == contents(expected)
    for node, (_, _, start, end) in zip(native(element)["nodes"], rows_of(expected), strict=True):
        assert (node["start"], node["end"]) == (start, end)


def test_a_document_of_which_only_the_length_is_known_is_one_node():
    documents = load_documents([{"doc": "d", "length": 7}])
    assert rows_of(documents) == [(-1, "article", 0, 7)]
    assert documents.text is None


def test_lengths_that_are_not_extents():
    nodes = [
        {"id": "e1", "parent": None, "tag": "a", "length": 100},
        {"id": "e2", "parent": "e1", "tag": "sec", "length": 100},
        {"id": "e4", "parent": "e2", "tag": "p", "length": 20},
        {"id": "e3", "parent": "e1", "tag": "sec", "length": 30},
    ]
    documents = load_documents([{"doc": "d", "nodes": nodes}])
    assert documents.lengths(0, range(4)).tolist() == [100, 100, 20, 30]
    assert rows_of(documents) == [
        (-1, "a", 0, 100),
        (0, "sec", 0, 100),
        (1, "p", 0, 20),
        (0, "sec", 100, 100),
    ]


def node(name, parent, start, end):
    return {"id": name, "parent": parent, "start": start, "end": end}


ROOT = {"id": "r", "parent": None, "start": 0, "end": 10}


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ("text", "expected an object"),
        ({"dok": "d", "text": "x"}, "did you mean 'doc'"),
        ({"doc": "d"}, 'needs one of "text", "length", "nodes"'),
        ({"doc": "d", "text": "abc", "length": 4}, "length 4 but a text of 3"),
        ({"doc": "d", "length": -1}, "whole number from 0 to"),
        ({"doc": "d", "length": 1.5}, "whole number from 0 to"),
        ({"doc": "d", "text": 5}, "expected a string"),
        ({"doc": "d", "nodes": [ROOT, {**ROOT, "id": "s"}]}, "expected one root"),
        ({"doc": "d", "nodes": [{**ROOT, "parent": "r"}]}, "expected one root"),
        ({"doc": "d", "nodes": [ROOT, {**ROOT, "id": "s", "parent": "R"}]}, "did you mean 'r'"),
        ({"doc": "d", "nodes": [ROOT, ROOT]}, "two nodes with the id 'r'"),
        ({"doc": "d", "nodes": [ROOT, {"id": "s", "parent": "r", "start": 5, "end": 11}]}, "[5, 11)"),
        ({"doc": "d", "length": 9, "nodes": [ROOT]}, "not inside the document's [0, 9)"),
        ({"doc": "d", "nodes": [ROOT, {"id": "s", "parent": "r", "start": 5}]}, 'needs "start" and "end"'),
        ({"doc": "d", "nodes": [ROOT, node("a", "b", 1, 2), node("b", "a", 1, 2)]}, "its own ancestor"),
        ({"doc": "d", "nodes": [ROOT, node("a", "r", 1, 5), node("b", "r", 4, 6)]}, "sibling before"),
        ({"doc": "d", "nodes": [ROOT, 5]}, "expected an object as node 2"),
    ],
)  # fmt: skip
def test_bad_documents_are_refused_with_file_and_line_and_the_rest_is_kept(tmp_path, record, told):
    path = tmp_path / "docs.jsonl"
    path.write_text(
        '{"doc": "good", "length": 3}\n' + json.dumps(record) + '\n\n{"doc": "last", "length": 1}\n'
    )
    documents = load_documents(path)
    assert list(documents.ids) == ["good", "last"]
    (notice,) = documents.notices
    assert notice.count == 1
    assert f"{path}:2: " in str(notice) and told in str(notice)


@pytest.mark.parametrize("line", [b"{", b"\xff{}", b"[" * 100_000, b'{"doc": "\\ud800", "length": 1}'])
def test_lines_that_are_not_json_are_refused(tmp_path, line):
    path = tmp_path / "docs.jsonl"
    path.write_bytes(line + b'\n{"doc": "good", "length": 3}\n')
    documents = load_documents(path)
    assert list(documents.ids) == ["good"]
    assert f"{path}:1: " in str(next(iter(documents.notices)))


def test_two_documents_of_one_name_are_an_error_that_names_both():
    with pytest.raises(InputError, match=r"'d'.*document 1 and .*document 3"):
        load_documents([{"doc": "d", "length": 1}, {"doc": "e", "length": 1}, {"doc": "d", "length": 2}])


@given(st.lists(ELEMENTS, min_size=1, max_size=3))
def test_frames_say_the_same_as_dicts(elements):
    records = [native(element, f"d{at}") for at, element in enumerate(elements)]
    expected = contents(load_documents(records))
    assert contents(load_documents(pl.DataFrame(records))) == expected


def test_pandas_frames_are_read_too():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([{"doc": "a", "length": 3}, {"doc": "b", "text": "xy"}])
    documents = load_documents(frame)
    assert documents.length.tolist() == [3, 2]
    assert documents.length.dtype == np.int64


@pytest.mark.parametrize("length", [-1, 2**53])
def test_lengths_in_parquet_are_checked_like_those_in_lines(tmp_path, length):
    path = tmp_path / "docs.parquet"
    dx.write_documents({"d1": "Tea is hot.", "d2": "Milk."}, path)
    frame = pl.read_parquet(path).drop("text")
    frame.with_columns(length=pl.Series([11, length])).write_parquet(path)
    documents = load_documents(path)
    assert list(documents.ids) == ["d1"]
    assert f"found {length}" in str(next(iter(documents.notices)))


def test_letters_are_written_as_they_are(tmp_path):
    dx.write_documents({"d1": "Grüner Tee, 茶"}, tmp_path / "docs.jsonl")
    assert "Grüner Tee, 茶" in (tmp_path / "docs.jsonl").read_text(encoding="utf-8")
