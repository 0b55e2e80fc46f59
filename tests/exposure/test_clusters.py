"""A focused run as a run of trees."""

from __future__ import annotations

import pytest

import doxeval as dx

DOCS = [
    {"doc": name, "length": 60, "nodes": [
        {"id": f"{name}.r", "parent": None, "tag": "a", "start": 0, "end": 60},
        {"id": f"{name}.s", "parent": f"{name}.r", "tag": "sec", "start": 0, "end": 30},
        {"id": f"{name}.t", "parent": f"{name}.r", "tag": "sec", "start": 30, "end": 60},
    ]}
    for name in ("d", "e")
]  # fmt: skip
QRELS = [
    {"topic": "t", "doc": "d", "nodes": ["d.s", "d.t"], "rel": 1},
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
