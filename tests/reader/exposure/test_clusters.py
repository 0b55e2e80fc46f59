"""A focused run as a run of trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.core.ragged import Ragged
from doxeval.ground.connected import connected, unconnected

DOCS = [
    {"doc": name, "length": 60, "nodes": [
        {"id": f"{name}.r", "parent": None, "tag": "a", "start": 0, "end": 60},
        {"id": f"{name}.s", "parent": f"{name}.r", "tag": "sec", "start": 0, "end": 30},
        {"id": f"{name}.t", "parent": f"{name}.r", "tag": "sec", "start": 30, "end": 60},
    ]}
    for name in ("d", "e")
]  # fmt: skip
QRELS = [
    {"topic": "t", "doc": "d", "nodes": ["d.r", "d.s", "d.t"], "rel": 1},
    {"topic": "t", "doc": "e", "node": "e.s", "rel": 1},
]
ELEMENTS = ["d.t", "e.s", "d.s", "d.t"]


def run_of(key: str) -> list[dict]:
    extent = {"s": (0, 30), "t": (30, 60)}
    rows = []
    for rank, name in enumerate(ELEMENTS, 1):
        start, end = extent[name[-1]]
        place = {"node": name} if key == "nodes" else {"start": start, "end": end}
        rows.append({"topic": "t", "doc": name[0], "rank": rank, **place})
    return rows


@pytest.mark.parametrize("key", ["nodes", "ranges"])
def test_results_of_a_document_become_one_tree(key: str) -> None:
    scores = dx.evaluate({"run": run_of(key)}, QRELS, "Hits@1 Hits@2 ESRP iP@1", DOCS, shape="trees")
    if key == "nodes":
        assert scores.value("run", "Hits@1") == 1
        assert scores.value("run", "Hits@2") == 2
        assert scores.value("run", "ESRP") == 1
    assert scores.value("run", "iP@1") == 1


def test_ranges_that_join_are_covered_by_fewer_nodes() -> None:
    """The two sections' text together is the whole document: as a range it is the root, not two sections."""
    scores = dx.evaluate({"run": run_of("ranges")}, QRELS, "Hits@1 Hits@2", DOCS, shape="trees")
    assert [scores.value("run", f"Hits@{rank}") for rank in (1, 2)] == [0, 1]


def test_as_given_nothing_is_joined() -> None:
    scores = dx.evaluate({"run": run_of("nodes")}, QRELS, "Hits@4", DOCS)
    assert scores.value("run", "Hits@4") == 1


def test_an_unknown_shape_is_refused() -> None:
    with pytest.raises(dx.UsageError, match="shape"):
        dx.evaluate({"run": run_of("nodes")}, QRELS, "Hits@4", DOCS, shape="forest")


BOOK = {1: 0, 2: 1, 3: 2, 4: 3, 5: 3, 6: 3, 7: 2, 8: 7, 9: 7, 10: 2, 11: 10, 12: 10, 13: 10, 14: 1, 15: 14,
        16: 14, 17: 14}  # fmt: skip
"""The book of SR Figure 2: the parent of every node."""
LEAF = 10


def book() -> dict:
    """The book as a document; every leaf has ten characters."""
    below = {node: [child for child, parent in BOOK.items() if parent == node] for node in BOOK}
    rows: list[dict] = []

    def lay(node: int, at: int) -> int:
        parent = str(BOOK[node]) if BOOK[node] else None
        row: dict[str, Any] = {"id": str(node), "parent": parent, "tag": "x", "start": at}
        rows.append(row)
        row["end"] = at + LEAF
        if below[node]:
            end = at
            for child in below[node]:
                end = lay(child, end)
            row["end"] = end
        return row["end"]

    return {"doc": "book", "length": lay(1, 0), "nodes": rows}


VALUES = {"4": 1, "15": 1, "16": 1, "14": 0.5}
JUDGED = [{"topic": "t", "doc": "book", "node": node, "rel": rel} for node, rel in VALUES.items()]
PLACE = {node["id"]: {"start": node["start"], "end": node["end"]} for node in book()["nodes"]}


def test_the_connected_subtree_of_a_cluster() -> None:
    """Nodes 4, 15 and 16 hang together by 1, 2, 3 and 14, of which 14 is worth .5: 3.5 / 7 (SR Eq. 9)."""
    elements = [
        {"topic": "t", "doc": "book", "rank": rank, "node": n} for rank, n in enumerate(["4", "15", "16"], 1)
    ]
    assert dx.evaluate({"run": elements}, JUDGED, "SR@1", [book()], shape="trees").value("run", "SR@1") == 0.5
    spans = [[PLACE[node]["start"], PLACE[node]["end"]] for node in ("4", "15", "16")]
    passage = [{"topic": "t", "doc": "book", "rank": 1, "spans": spans}]
    assert dx.evaluate({"run": passage}, JUDGED, "SR@1", [book()]).value("run", "SR@1") == 0.5


def test_nodes_and_passages_of_a_document_make_one_tree() -> None:
    mixed = [
        {"topic": "t", "doc": "book", "rank": 1, "node": "4"},
        {"topic": "t", "doc": "book", "rank": 2, "start": PLACE["15"]["start"], "end": PLACE["16"]["end"]},
    ]
    assert dx.evaluate({"run": mixed}, JUDGED, "SR@1", [book()], shape="trees").value("run", "SR@1") == 0.5


def test_a_passage_over_siblings_is_their_parents_tree() -> None:
    """It meets the judged tree of both and what holds them, and no other."""
    start, end = PLACE["15"]["start"], PLACE["16"]["end"]
    run = [{"topic": "t", "doc": "book", "rank": 1, "start": start, "end": end}]
    for nodes, hits in ((["14", "15", "16"], 1), (["15", "16"], 0)):
        qrels = [{"topic": "t", "doc": "book", "nodes": nodes, "rel": 1}]
        assert dx.evaluate({"run": run}, qrels, "Hits@1", [book()]).value("run", "Hits@1") == hits


def test_sets_given_as_such_stay_and_are_told() -> None:
    run = [{"topic": "t", "doc": "book", "rank": 1, "nodes": ["4", "15", "16"]}]
    scores = dx.evaluate({"run": run}, JUDGED, "SR@1", [book()])
    assert scores.value("run", "SR@1") == 1
    assert any("1 result is a set of unconnected nodes" in str(n) for n in scores.notices)
    apart = [{"topic": "t", "doc": "book", "nodes": ["15", "4", "16"], "rel": 1}]
    scores = dx.evaluate({"run": run}, apart, "Hits@1", [book()])
    assert scores.value("run", "Hits@1") == 1
    assert any("1 judgement is a set of unconnected nodes" in str(n) for n in scores.notices)
    whole = [{"topic": "t", "doc": "book", "rank": 1, "nodes": ["14", "16", "15"]}]
    assert not any(
        "connected" in str(n) for n in dx.evaluate({"run": whole}, JUDGED, "SR@1", [book()]).notices
    )


def smallest_tree(nodes: set[int]) -> set[int]:
    """The least connected set that holds some nodes, by trying all unions of paths to a common ancestor."""

    def up(node: int) -> list[int]:
        return [node, *(up(BOOK[node]) if BOOK[node] else [])]

    common = set.intersection(*(set(up(node)) for node in nodes))
    lowest = max(common, key=lambda node: len(up(node)))
    return {one for node in nodes for one in up(node)[: up(node).index(lowest) + 1]}


@given(st.lists(st.sets(st.sampled_from(sorted(BOOK)), min_size=1, max_size=5), min_size=1, max_size=4))
def test_completion_adds_the_least(sets: list[set[int]]) -> None:
    documents = dx.read_documents([book()])
    rows = Ragged.of_counts([len(one) for one in sets])
    node = np.array([member - 1 for one in sets for member in sorted(one)])
    doc = np.zeros(len(sets), dtype=np.int64)
    found, members = connected(documents, doc, rows, node)
    assert [set((members[found.slice(at)] + 1).tolist()) for at in range(len(sets))] == [
        smallest_tree(one) for one in sets
    ]
    apart = [at for at, one in enumerate(sets) if smallest_tree(one) != one]
    assert unconnected(documents, doc, rows, node).tolist() == apart
