"""What is found out once: shared by those who ask, closed with its run, and never holding the run."""

from __future__ import annotations

import gc
import json
import pickle
import weakref
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import doxeval as dx
from doxeval.core.facts import Facts, once
from doxeval.ground.align import align
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground, prepare_ground
from doxeval.measurement.base import measure_named, measures
from doxeval.reader.consulted import consulted
from doxeval.reader.effort.opened import open_documents
from doxeval.show.curves import CURVES, drawn
from tests.measurement.test_invariants import DOCUMENTS

HIGHLIGHTS = [
    {"topic": "t", "doc": "d0", "start": 3, "end": 14, "aspects": ["a"]},
    {"topic": "t", "doc": "d2", "start": 40, "end": 70, "aspects": ["b"]},
]
JUDGED = [
    {"topic": "t", "doc": "d0", "node": "p01", "rel": 1},
    {"topic": "t", "doc": "d2", "node": "s1", "rel": 0.5},
]
RANGES = [
    {"topic": "t", "doc": "d0", "rank": 1, "spans": [[0, 5], [10, 20]]},
    {"topic": "t", "doc": "d2", "rank": 2, "spans": [[45, 60]]},
    {"topic": "t", "doc": "d0", "rank": 3, "spans": [[8, 30]]},
]
NODES = [
    {"topic": "t", "doc": "d0", "rank": 1, "node": "p01"},
    {"topic": "t", "doc": "d2", "rank": 2, "nodes": ["s1", "p00"]},
]


def ground_of(assessments: list[dict]) -> Ground:
    documents = dx.read_documents(DOCUMENTS)
    rows = [
        json.dumps({"doc": row["doc"], "start": at, "end": at + 20}) for row in DOCUMENTS for at in (0, 20)
    ]
    chunks = dx.read_chunks("\n".join(rows).encode())
    return prepare_ground(dx.read_assessments(assessments), documents, {"": chunks})


@pytest.fixture(scope="module")
def no_collector() -> Iterator[None]:
    """Only the count of references frees what is dropped; what others dropped before is collected once."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("assessments", [HIGHLIGHTS, JUDGED], ids=["highlights", "judged"])
@pytest.mark.parametrize("results", [RANGES, NODES], ids=["ranges", "nodes"])
@pytest.mark.parametrize("name", sorted(measures()))
def test_no_measure_keeps_the_run_alive(name: str, results: list[dict], assessments: list[dict]) -> None:
    ground = ground_of(assessments)
    measure = measure_named(measures()[name].example or name)
    topics = align(dx.read_run(results), ground)
    dropped = weakref.ref(topics)
    try:
        measure.prepare(ground)
        measure(topics)
    except dx.UsageError:
        pytest.skip("the measure cannot be scored on such assessments")
    del topics
    assert dropped() is None


@pytest.mark.usefixtures("no_collector")
def test_a_report_keeps_no_run_alive(tmp_path: Path) -> None:
    before = lists_alive()
    dx.write_report(
        {"a": RANGES, "b": RANGES[:1]}, HIGHLIGHTS, "AiP ESRP@2", DOCUMENTS, path=tmp_path / "r.html"
    )
    assert not lists_alive() - before


def test_a_fact_is_found_once_and_shared() -> None:
    with closing(align(dx.read_run(NODES), ground_of(JUDGED))) as topics:
        assert consulted(topics) is consulted(topics)
        assert topics.top(1) is topics.top(1)
        assert topics.top(9) is topics


def test_closing_a_run_closes_what_stands_on_it() -> None:
    with closing(align(dx.read_run(RANGES), ground_of(HIGHLIGHTS))) as topics:
        best, opened = topics.top(1), open_documents(topics)
    for context in (topics, best, opened):
        with pytest.raises(RuntimeError, match="closed context was asked for number"):
            number(context)


class Context:
    def __init__(self) -> None:
        self.facts = Facts()
        self.found = 0


@once
def number(context: Context, step: int = 1) -> int:
    context.found += step
    return context.found


def test_facts_are_kept_by_function_and_arguments() -> None:
    context = Context()
    assert [number(context), number(context), number(context, 5), number(context, 5)] == [1, 1, 6, 6]
    context.facts.tell(number, 40, 7)
    assert number(context, 7) == 40 and context.found == 6


def test_facts_do_not_travel() -> None:
    context = Context()
    number(context)
    copied = pickle.loads(pickle.dumps(context))
    assert number(copied) == 2


def test_passing_facts_of_a_kind_are_dropped_unless_they_were_known_before() -> None:
    with closing(align(dx.read_run(RANGES), ground_of(HIGHLIGHTS))) as topics:
        best = topics.top(1)
        with topics.facts.passing(Aligned):
            first_two, opened = topics.top(2), open_documents(topics)
            assert topics.top(1) is best and topics.top(2) is first_two
        assert topics.top(1) is best and open_documents(topics) is opened
        assert topics.top(2) is not first_two


@pytest.mark.usefixtures("no_collector")
def test_a_curve_keeps_no_list_that_it_cuts() -> None:
    before = lists_alive()
    with closing(align(dx.read_run(RANGES), ground_of(HIGHLIGHTS))) as topics:
        for curve in CURVES:
            drawn(curve, topics, np.ones(1, dtype=bool))
        assert lists_alive() - before == {id(topics)}


def lists_alive() -> set[int]:
    """All aligned runs in memory, those of other tests too."""
    return {id(alive) for alive in gc.get_objects() if issubclass(type(alive), Aligned)}
