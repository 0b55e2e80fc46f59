from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval.kernels
from doxeval.core.errors import UsageError
from doxeval.io.documents.index import load_documents
from tests.io.documents.trees import ELEMENTS, native, one, rows_of

SOURCE = Path(doxeval.kernels.__file__).with_name("nodes.py")
PLAIN = ModuleType("plain_nodes")
exec(compile(SOURCE.read_text(), SOURCE, "exec"), PLAIN.__dict__)


def ancestors(rows, node):
    while node >= 0:
        yield node
        node = rows[node][0]


def cover_by_hand(rows, start, end):
    inside = {at for at, (_, _, a, b) in enumerate(rows) if a < b and start <= a and b <= end}
    maximal = [at for at in sorted(inside) if not any(up in inside for up in list(ancestors(rows, at))[1:])]
    return maximal or [deepest_by_hand(rows, start, end)]


def deepest_by_hand(rows, start, end):
    end = max(end, start + 1)
    around = [at for at, (_, _, a, b) in enumerate(rows) if a <= start and end <= b]
    return max(around, key=lambda at: len(list(ancestors(rows, at))), default=0)


def path_by_hand(rows, node):
    parent, tag, _, _ = rows[node]
    index = sum(1 for row in rows[: node + 1] if row[:2] == (parent, tag))
    return (path_by_hand(rows, parent) if parent >= 0 else "") + f"/{tag}[{index}]"


@given(st.lists(ELEMENTS, min_size=1, max_size=3), st.data())
def test_cover_and_deepest_equal_brute_force(elements, data):
    documents = load_documents([native(element, f"d{at}") for at, element in enumerate(elements)])
    ranges = data.draw(
        st.lists(
            st.tuples(st.integers(0, len(elements) - 1), st.integers(0, 40), st.integers(0, 40)), max_size=20
        )
    )
    docs = np.array([doc for doc, _, _ in ranges], dtype=np.int32)
    starts = np.array([min(a, b) for _, a, b in ranges], dtype=np.int64)
    ends = np.array([max(a, b) for _, a, b in ranges], dtype=np.int64)
    offset, nodes = documents.cover(docs, starts, ends)
    deepest = documents.deepest(docs, starts, ends)
    for at, doc in enumerate(docs):
        rows = rows_of(documents, doc)
        start, end = int(starts[at]), int(ends[at])
        assert nodes[offset[at] : offset[at + 1]].tolist() == cover_by_hand(rows, start, end)
        assert deepest[at] == deepest_by_hand(rows, start, end)


@given(st.lists(ELEMENTS, min_size=1, max_size=3), st.integers(0, 30), st.integers(0, 30))
def test_compiled_and_plain_kernels_agree(elements, start, end):
    documents = load_documents([native(element, f"d{at}") for at, element in enumerate(elements)])
    tree = (documents.node_offset, documents.parent, documents.start, documents.end)
    docs = np.arange(len(documents))
    ranges = (docs, np.full(len(docs), min(start, end)), np.full(len(docs), max(start, end)))
    for plain, compiled in zip(PLAIN.cover(*tree, *ranges), documents.cover(*ranges), strict=True):
        assert plain.tolist() == compiled.tolist()
    assert PLAIN.deepest(*tree, *ranges).tolist() == documents.deepest(*ranges).tolist()
    assert PLAIN.depths(*tree[:2]).tolist() == documents.depth.tolist()
    assert PLAIN.first_misplaced(*tree, documents.length).tolist() == [-1] * len(docs)


def test_unknown_documents_have_no_cover_and_no_deepest_node():
    documents = load_documents([{"doc": "d", "length": 5}])
    unknown, nothing = np.array([-1, 0]), np.array([0, 0])
    offset, nodes = documents.cover(unknown, nothing, np.array([5, 5]))
    assert (offset.tolist(), nodes.tolist()) == ([0, 0, 1], [0])
    assert documents.deepest(unknown, nothing, np.array([5, 5])).tolist() == [-1, 0]


@given(ELEMENTS)
def test_paths_and_ids_lead_back_to_their_nodes(element):
    documents = one(element)
    rows = rows_of(documents)
    for node in range(len(rows)):
        path = documents.path(0, node)
        assert path == path_by_hand(rows, node)
        assert documents.find(0, path) == documents.find(0, f"n{node}") == node
        assert documents.find(0, path.replace("[1]", "")) == node
        assert documents.find(0, path + "/text()[1]") == node


@given(st.lists(ELEMENTS, min_size=1, max_size=3), st.data())
def test_resolve_finds_many_at_once(elements, data):
    documents = load_documents([native(element, f"d{at}") for at, element in enumerate(elements)])
    names = [
        "/article[1]",
        "/article/sec",
        "/sec[1]/p[2]",
        "n0",
        "n2",
        "nowhere",
        "//p",
        "/b[1]/b[1]/text()[1].3",
    ]
    pairs = data.draw(st.lists(st.tuples(st.integers(-1, len(elements) - 1), st.integers(0, len(names) - 1))))
    docs = np.array([doc for doc, _ in pairs], dtype=np.int64)
    codes = np.array([code for _, code in pairs], dtype=np.int64)
    found = documents.resolve(docs, names, codes)
    assert found.tolist() == [documents.find(doc, names[code]) if doc >= 0 else -1 for doc, code in pairs]


TOY = {
    "doc": "d",
    "text": "0123456789",
    "nodes": [
        {"id": "e1", "parent": None, "tag": "article", "start": 0, "end": 10},
        {"id": "e2", "parent": "e1", "tag": "p", "start": 2, "end": 4},
        {"id": "e3", "parent": "e1", "tag": "p", "start": 4, "end": 7},
    ],
}


@pytest.mark.parametrize(
    ("path", "end", "place"),
    [
        ("/article[1]/text()[1].0", False, 0),
        ("/article[1]/text()[1].2", False, 2),
        ("/article[1]/text()[2].1", False, 8),
        ("/article[1]/p[2]/text()[1].3", False, 7),
        ("/article[1]/p[2]", False, 4),
        ("/article[1]/p[2]", True, 7),
        ("/article[1]/text()[1].3", False, -1),
        ("/article[1]/text()[3].0", False, -1),
        ("/article[1]/fig[1]", False, -1),
    ],
)
def test_points_of_passages(path, end, place):
    assert load_documents([TOY]).point(0, path, end) == place


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("/article[1]/p[9]", "/article[1] exists, with 2 p in it"),
        ("/book[1]/p[1]", "its root is /article[1]"),
        ("E2", "did you mean 'e2'"),
    ],
)
def test_a_node_that_is_not_there_is_told_with_what_is(name, told):
    with pytest.raises(UsageError, match="has no node") as problem:
        load_documents([TOY]).node_named(0, name)
    assert told in str(problem.value)


def test_names_of_documents_become_codes():
    documents = load_documents([{"doc": "b", "length": 1}, {"doc": "a", "length": 1}])
    assert documents.codes(["a", "c", "b"]).tolist() == [1, -1, 0]


def test_a_node_costs_under_40_bytes():
    documents = load_documents([TOY])
    columns = (documents.parent, documents.tag, documents.depth, documents.start, documents.end)
    assert sum(column.itemsize for column in columns) == 26
