"""What each result shows first: by lists of ranges, by stretches and one by one it is the same."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from doxeval.ground import aligned as module
from doxeval.ground.align import align
from doxeval.io.read import read_run
from doxeval.kernels.stretches import first_in_group, show_ranges
from doxeval.scoring.evaluation import Evaluation
from tests.kernels.test_scan_kernels import plain_module, same

PLAIN = plain_module("stretches")
RANGES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 15)), min_size=1, max_size=4)
ROWS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), RANGES), min_size=1, max_size=25)


def rows(given, **more):
    return [
        {"topic": topic, "doc": doc, "rank": rank, "spans": [[at, at + size] for at, size in ranges], **more}
        for rank, (topic, doc, ranges) in enumerate(given, 1)
    ]


def one_by_one(aligned):
    """Relevant characters of each result, and those not seen before, as sets."""
    offset, start, end = aligned.ground.relevant
    seen: dict[int, set[int]] = {}
    relevant, fresh = [], []
    for result in range(len(aligned)):
        pair = aligned.pair[result]
        spans = aligned.spans.slice(result)
        shown = zip(aligned.start[spans], aligned.end[spans], strict=True)
        text = {at for a, b in shown for at in range(a, b)}
        if pair < 0:
            relevant.append(0)
            fresh.append(0)
            continue
        ranges = slice(offset[pair], offset[pair + 1])
        text &= {at for a, b in zip(start[ranges], end[ranges], strict=True) for at in range(a, b)}
        relevant.append(len(text))
        fresh.append(len(text - seen.setdefault(pair, set())))
        seen[pair] |= text
    return relevant, fresh


@given(ROWS, ROWS)
def test_shown_by_lists_by_stretches_and_one_by_one(truth, results):
    evaluation = Evaluation([*rows(truth), {"topic": "a", "doc": "w"}], "AiP")
    run = read_run([*rows(results), {"topic": "a", "doc": "v", "rank": 1, "start": 0, "end": 3}])
    aligned = align(run, evaluation.ground)
    columns = aligned.result, aligned.pair, aligned.start, aligned.end, *aligned.ground.relevant, 10_000
    shown = show_ranges(*columns)
    same(shown, PLAIN.show_ranges(*columns))
    relevant, fresh = one_by_one(aligned)
    assert shown[0].tolist() == relevant and shown[1].tolist() == fresh
    stretches = aligned.stretches
    assert np.array_equal(aligned.spans.sum(stretches.relevant_in_span), shown[0])
    assert np.array_equal(stretches.first_shown(len(aligned)), shown[1])


def test_very_many_ranges_of_one_document_are_cut_into_stretches(monkeypatch):
    results = [("a", "x", [(4 * (7 * rank % 200), 3)]) for rank in range(200)]
    evaluation = Evaluation(rows([("a", "x", [(0, 2000)])]), "AiP")
    aligned = align(read_run(rows(results)), evaluation.ground)
    by_lists = aligned.relevant, aligned.fresh
    monkeypatch.setattr(module, "STEPS_A_RANGE", 1)
    again = align(read_run(rows(results)), evaluation.ground)
    same(by_lists, (again.relevant, again.fresh))
    assert "stretches" in vars(again) and "stretches" not in vars(aligned)


@given(st.lists(st.lists(st.integers(0, 4), max_size=8), max_size=5))
def test_the_first_of_each_document_in_its_topic_are_found(topics: list[list[int]]) -> None:
    offset = np.cumsum([0, *map(len, topics)]).astype(np.int64)
    documents = np.array([doc for topic in topics for doc in topic], dtype=np.int32)
    expected = [
        int(begin) + place
        for begin, topic in zip(offset, topics, strict=False)
        for place, doc in enumerate(topic)
        if doc not in topic[:place]
    ]
    assert first_in_group(offset, documents, 5).tolist() == expected
