"""Diagnoses in trees, by readers who navigate, and in every unit of text."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from tests.scoring.commands import document

DOCUMENTS = dx.read_documents([document("d1"), document("d2")])
SECTION, PARAGRAPH = "/article[1]/section[{}]", "/article[1]/section[{}]/p[{}]"
PATHS = ["/article[1]", *(SECTION.format(at) for at in range(1, 5)),
         *(PARAGRAPH.format(at, part) for at in range(1, 5) for part in (1, 2))]  # fmt: skip
PARENT = {path: path.rpartition("/")[0] or path for path in PATHS}
SIZES = [200, *[50] * 4, *[25] * 8]
PLACES = [0, *range(4), *range(8)]
EXTENTS = [(size * at, size * (at + 1)) for size, at in zip(SIZES, PLACES, strict=True)]
EXTENT = dict(zip(PATHS, EXTENTS, strict=True))

Nodes = list[tuple[str, str]]
nodes = st.tuples(st.sampled_from(["d1", "d2"]), st.sampled_from(PATHS))
answers = st.lists(nodes, min_size=1, max_size=3, unique=True)
results = st.lists(nodes, max_size=5, unique=True)


def by_sets(gold: Nodes, results: Nodes, k: int, gap: int) -> str:
    """The class of a topic whose results and answers are nodes."""
    if not results:
        return "nothing returned"
    read, wanted = results[:k], set(gold)
    shown = wanted & set(read)
    if not shown:
        if wanted & set(results):
            return "below"
        near = [
            max(0, EXTENT[a][0] - EXTENT[b][1], EXTENT[b][0] - EXTENT[a][1])
            for doc, a in read for other, b in wanted if doc == other
        ]  # fmt: skip
        if near and min(near) <= gap:
            return "near"
        return "far" if {doc for doc, _ in results} & {doc for doc, _ in wanted} else "never"
    return "complete" if shown == wanted else "part"


@settings(max_examples=20, deadline=None)
@given(
    topics=st.lists(st.tuples(answers, results), min_size=1, max_size=3),
    k=st.integers(1, 3),
    gap=st.sampled_from([0, 25, 60]),
)  # fmt: skip
def test_in_trees_classes_are_those_of_sets_of_nodes(topics, k, gap):
    if not any(results for _, results in topics):
        return
    gold = [
        {"topic": f"t{at}", "doc": doc, "node": path, "rel": 1}
        for at, (wanted, _) in enumerate(topics) for doc, path in wanted
    ]  # fmt: skip
    run = [
        {"topic": f"t{at}", "doc": doc, "rank": rank, "node": path}
        for at, (_, results) in enumerate(topics) for rank, (doc, path) in enumerate(results, 1)
    ] + [{"topic": f"t{at}"} for at, (_, results) in enumerate(topics) if not results]  # fmt: skip
    found = dx.diagnose(run, gold, f"ESRP@{k}", DOCUMENTS, near_gap=gap, buried_below=0, draws=100)
    told = {one.topic: one for one in found.per_topic}
    for at, (wanted, results) in enumerate(topics):
        one = told[f"t{at}"]
        assert one.diagnosis == by_sets(wanted, results, k, gap)
        mended = list(results)
        if one.diagnosis in ("below", "part"):
            mended = sorted(results, key=lambda node: node not in wanted)
        elif one.diagnosis in ("far", "never"):
            mended = [*results, wanted[0]] if len(results) < k else [*results[: k - 1], wanted[0]]
        elif one.diagnosis == "near":
            mended = [(doc, PARENT[path]) for doc, path in results]
        else:
            continue
        assert one.mended == pytest.approx(len(set(mended[:k]) & set(wanted)) / k)


@settings(max_examples=20, deadline=None)
@given(
    gold=st.lists(st.integers(0, 180), min_size=1, max_size=2),
    shown=st.lists(st.integers(0, 180), min_size=1, max_size=2),
    chance=st.sampled_from([0.05, 0.3]),
)
def test_a_reader_who_reads_on_gets_to_the_end_of_something_relevant(gold, shown, chance):
    answers = [{"topic": "t", "doc": "d1", "start": start, "end": start + 10} for start in gold]
    run = [
        {"topic": "t", "doc": "d1", "rank": rank, "start": start, "end": start + 10}
        for rank, start in enumerate(shown, 1)
    ]
    relevant = {at for start in gold for at in range(start, start + 10)}
    seen = {at for start in shown for at in range(start, start + 10)}
    found = dx.diagnose(run, answers, "iR@5", DOCUMENTS, "readon(mean=20)", near_chance=chance, draws=100)
    (one,) = found.per_topic
    if relevant & seen:
        assert one.diagnosis in ("cut", "part", "buried", "complete")
        return

    def reached(place: int) -> float:
        ahead = [math.exp(-(place - at - 1) / 20) for at in seen if at < place]
        behind = [math.exp(-(at - place - 1) / 5) for at in seen if at > place]
        return 1 - (1 - max(ahead, default=0)) * (1 - max(behind, default=0))

    best = max(reached(place) for place in relevant)
    assert one.chance == pytest.approx(best)
    assert one.diagnosis == ("near" if best >= chance else "far")


def test_readers_along_a_branch_are_near_what_is_in_their_section():
    answers = [{"topic": "t", "doc": "d1", "start": 0, "end": 20}]
    run = [{"topic": "t", "doc": "d1", "rank": 1, "start": 25, "end": 50}]
    near = dx.diagnose(run, answers, "iR@1", DOCUMENTS, "mix(0.5*t2i(tolerance=10)+0.5*none)", draws=100)
    assert near.per_topic[0].chance == pytest.approx(0.5) and near.per_topic[0].diagnosis == "near"
    none = dx.diagnose(run, answers, "iR@1", DOCUMENTS, "hierarchical", draws=100)
    assert none.per_topic[0].diagnosis == "far" and "is reached with a chance of" in none.thresholds


def test_lines_are_near_within_twenty_of_them():
    gold = [{"topic": t, "doc": "d", "start_line": 100, "end_line": 110} for t in "ab"]
    run = [
        {"topic": "a", "doc": "d", "rank": 1, "start_line": 85, "end_line": 90},
        {"topic": "b", "doc": "d", "rank": 1, "start_line": 1, "end_line": 9},
    ]
    found = dx.diagnose(run, gold, "iR@1", draws=100)
    assert [one.diagnosis for one in found.per_topic] == ["near", "far"]
    assert found.per_topic[0].gap == 9 and "20 lines" in found.thresholds


def test_seconds_need_a_gap_and_area_has_none():
    gold = [{"topic": "t", "doc": "d", "start_s": 10, "end_s": 12.5}]
    run = [{"topic": "t", "doc": "d", "rank": 1, "start_s": 14, "end_s": 15}]
    with pytest.raises(dx.UsageError, match="--near-gap"):
        dx.diagnose(run, gold, "iR@1")
    found = dx.diagnose(run, gold, "iR@1", near_gap=2)
    assert found.per_topic[0].diagnosis == "near"
    (refused,) = [one.refused for one in found.mending if one.mending == "wider results"]
    assert "seconds" in refused
    boxed = [{"topic": "t", "doc": "d", "page": 1, "region": [0.1, 0.1, 0.2, 0.2]}]
    other = [{"topic": "t", "doc": "d", "rank": 1, "page": 1, "region": [0.1, 0.3, 0.2, 0.4]}]
    found = dx.diagnose(other, boxed, "iR@1")
    assert found.per_topic[0].diagnosis == "far" and "near is not told apart" in found.thresholds
    with pytest.raises(dx.UsageError, match="no distances"):
        dx.diagnose(other, boxed, "iR@1", near_gap=5)


def test_needs_that_trees_name_are_said_to_count_for_nothing():
    gold = [{"topic": "t", "doc": "d1", "node": SECTION.format(at), "rel": 1, "need": "one"} for at in (1, 2)]
    run = [{"topic": "t", "doc": "d1", "rank": 1, "node": SECTION.format(1)}]
    told = "in trees every assessed tree is a need of its own, whatever need it names"
    found = dx.diagnose(run, gold, "nXCG@1", DOCUMENTS, draws=100)
    assert told in map(str, found.notices.lasting)
    assert (found.per_topic[0].met, found.per_topic[0].needs) == (1, 2)
    unnamed = [{key: value for key, value in row.items() if key != "need"} for row in gold]
    assert told not in repr(dx.diagnose(run, unnamed, "nXCG@1", DOCUMENTS, draws=100))


def test_from_documents_without_relevant_text_none_is_reached():
    gold = [{"topic": "t", "doc": "d1", "start": 0, "end": 20}, {"topic": "u", "doc": "d2"}]
    run = [{"topic": "t", "doc": "d2", "rank": 1, "start": 0, "end": 20}]
    one = dx.diagnose(run, gold, "iR@1", DOCUMENTS, "readon(mean=50)", draws=100).per_topic[0]
    assert (one.diagnosis, one.chance) == ("never", 0.0)


def test_what_cannot_be_placed_is_said():
    gold = [{"topic": "t", "doc": "d1", "start": 0, "end": 20}]
    run = [{"topic": "t", "rank": 1, "text": "nowhere to be found at all"}]
    with pytest.warns(dx.DoxevalWarning):
        found = dx.diagnose(run, gold, "iR@1", DOCUMENTS, draws=100)
    assert found.per_topic[0].diagnosis == "not locatable"


def test_thresholds_and_measures_that_make_no_sense_are_refused():
    gold = [{"topic": "t", "doc": "d1", "start": 0, "end": 20}]
    run = [{"topic": "t", "doc": "d1", "rank": 1, "start": 0, "end": 5}]
    for wrong in (
        {"met_from": 0},
        {"met_from": 2},
        {"near_chance": -1},
        {"near_gap": -1},
        {"buried_below": 2},
    ):
        with pytest.raises(dx.UsageError, match=next(iter(wrong))):
            dx.diagnose(run, gold, "iR@1", **wrong)
    with pytest.raises(dx.UsageError, match="by one measure"):
        dx.diagnose(run, gold, "iR@1 iP@1")
    (budget,) = [one for one in dx.diagnose(run, gold, "AiP").mending if one.mending == "twice the budget"]
    assert budget.refused == "AiP has no cut-off to double"
