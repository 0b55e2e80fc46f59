"""Classes and mending against sets of characters, on small random runs."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.comparison.diagnosis.diagnosis_tables import sorted_mendings
from doxeval.comparison.diagnosis.topic_classes import CLASSES, MENDINGS
from tests.comparison.diagnosis import brute

TEXTS = {
    "d0": "abcdefgh\n\nijklmnopqrst\n\nuvwxyzabcdefgh\n\nijk",
    "d1": "abcdefghijklmnopqrstuvwxyzabcdef",
    "d2": "ab\n\ncdefg\n\nhijkl\n\nmnopqrs",
}
PARAGRAPHS = {name: [match.span() for match in re.finditer("[a-z]+", text)] for name, text in TEXTS.items()}


@st.composite
def places(draw: st.DrawFn, longest: int = 12) -> brute.Place:
    doc = draw(st.sampled_from(sorted(TEXTS)))
    start = draw(st.integers(0, len(TEXTS[doc]) - 1))
    return doc, start, draw(st.integers(start + 1, min(len(TEXTS[doc]), start + longest)))


@st.composite
def topics(draw: st.DrawFn) -> brute.Topic:
    needs = st.sampled_from(["", "", "n1", "n2"])
    return brute.Topic(
        draw(st.lists(st.tuples(places(6), needs), max_size=3)), draw(st.lists(places(), max_size=7))
    )


@pytest.fixture(scope="module")
def collection(tmp_path_factory) -> dx.Documents:
    folder = tmp_path_factory.mktemp("documents")
    for name, text in TEXTS.items():
        (folder / f"{name}.txt").write_text(text)
    return dx.read_documents(folder)


@settings(max_examples=25, deadline=None)
@given(
    found=st.lists(topics(), min_size=2, max_size=4),
    name=st.sampled_from(["iR", "iP"]),
    cutoff=st.sampled_from([(1, ""), (2, ""), (3, ""), (6, "c"), (15, "c")]),
    gap=st.integers(0, 4),
    part=st.sampled_from([Fraction(1), Fraction(1, 2)]),
    buried=st.sampled_from([0.1, 0.5]),
    chunks=st.none() | st.lists(places(), min_size=1, max_size=6),
    structured=st.booleans(),
)
@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
def test_classes_and_values_are_those_of_sets(
    collection, found, name, cutoff, gap, part, buried, chunks, structured
):
    named = {f"t{number}": topic for number, topic in enumerate(found)}
    if not any(topic.results for topic in found) or not any(topic.places for topic in found):
        return
    gold, run = brute.as_rows(named)
    amount, unit = cutoff
    listed = None if chunks is None else [
        {"doc": doc, "start": start, "end": end} for doc, start, end in chunks
    ]  # fmt: skip
    documents = collection if structured else [{"doc": doc, "text": text} for doc, text in TEXTS.items()]
    diagnosis = dx.diagnose(
        {"mine": run}, gold, f"{name}@{amount}{unit}", documents, near_gap=gap, met_from=float(part),
        buried_below=buried, draws=100, chunks=listed,
    )  # fmt: skip
    told = {one.topic: one for one in diagnosis.per_topic}
    seen = diagnosis.seen[0]
    for at, topic_name in enumerate(diagnosis.topics):
        topic, one = named[topic_name], told[topic_name]
        assert one.diagnosis == brute.diagnosis(topic, amount, unit, gap, part, buried)
        if not topic.relevant:
            assert one.value is None and one.mended is None
            continue
        alone = [[result] for result in topic.results]
        assert one.value == pytest.approx(brute.value_of(name, topic, alone, amount, unit))
        double = brute.value_of(name, topic, alone, 2 * amount, unit)
        assert seen.mended[-1, at] == pytest.approx(double)
        expected = mended(topic, one.diagnosis, amount, unit, chunks)
        if expected is None:
            assert one.mended is None
        else:
            assert one.mended == pytest.approx(brute.value_of(name, topic, expected, amount, unit))
    assert sum(diagnosis.classes["mine"].values()) == len(named)
    assert list(diagnosis.classes["mine"]) == [one.name for one in CLASSES]


def mended(
    topic: brute.Topic, diagnosis: str, amount: int, unit: str, chunks: list[brute.Place] | None
) -> list[list[brute.Place]] | None:
    """The results of a topic with what its class asks for mended."""
    if diagnosis in ("below", "part"):
        return brute.reordered(topic)
    if diagnosis in ("near", "cut"):
        return brute.widened(topic, PARAGRAPHS)
    if diagnosis in ("far", "never"):
        gold = max(topic.stretches, key=lambda one: one[2] - one[1])
        place = gold if chunks is None else brute.best_chunk(topic, chunks)
        alone = [[result] for result in topic.results]
        return alone if place is None else brute.replaced(topic, place, amount, unit)
    return brute.without_repetition(topic) if diagnosis == "buried" else None


def test_mending_is_the_mean_over_topics():
    gold = [{"topic": f"t{at}", "doc": "d", "start": 100, "end": 200} for at in range(6)]
    ends = [(100, 200), (100, 150), (0, 10), (90, 190), (150, 160), (300, 310)]
    run = [
        {"topic": f"t{at}", "doc": "d", "rank": 1, "start": start, "end": end}
        for at, (start, end) in enumerate(ends)
    ]
    found = dx.diagnose({"mine": run}, gold, "iR@1", near_gap=0)
    assert {name: count for name, count in found.classes["mine"].items() if count} == {
        "far": 2, "cut": 3, "complete": 1,
    }  # fmt: skip
    (ceiling,) = [one for one in found.mending if one.mending == "other documents"]
    assert (ceiling.topics, ceiling.ceiling, ceiling.refused) == (2, True, "")
    assert ceiling.gain == pytest.approx(2 / 6) and ceiling.low <= ceiling.gain <= ceiling.high
    assert ceiling.value == dx.evaluate({"mine": run}, gold, "iR@1")["iR@1"]
    (wider,) = [one for one in found.mending if one.mending == "wider results"]
    assert wider.gain is None and "--docs" in wider.refused
    assert {one.mending for one in found.mending} <= {one.name for one in MENDINGS}


def test_where_lower_is_better_the_largest_fall_comes_first():
    gold = [{"topic": topic, "doc": "d", "start": 100, "end": 200, "length": 400} for topic in "ab"]
    run = [{"topic": topic, "doc": "e", "rank": 1, "start": 0, "end": 9} for topic in "ab"]
    run.append({"topic": "b", "doc": "d", "rank": 2, "start": 100, "end": 200})
    found = dx.diagnose({"mine": run}, gold, "Misses@1")
    gains = [one.gain for one in sorted_mendings(found, "mine") if one.mending != "twice the budget"]
    assert found.direction == -1 and gains == sorted(gains) and gains[0] < 0


def test_a_gain_is_for_one_result_replaced_and_may_be_larger_for_more() -> None:
    """Two answers of a topic in wrong documents: one result replaced brings half, two bring all."""
    gold = [{"topic": "q", "doc": "d", "start": at, "end": at + 10} for at in (0, 100)]
    run = [
        {"topic": "q", "doc": "d", "rank": rank, "start": 5000 + rank, "end": 5001 + rank} for rank in (1, 2)
    ]
    found = dx.diagnose({"mine": run}, gold, "iR@2")
    assert next(one.gain for one in found.mending if one.mending == "other documents") == 0.5
    told = " ".join([*found.sentences, *found.notes, str(found)])
    assert "other documents +0.50 for one result replaced" in told and "more replaced may bring more" in told
    assert found.notes[0] == "classes hold within 2 results" and "+0.50 at most" not in told
    assert sum("near:" in line for line in found.notes) == 1


def test_a_frame_has_a_row_for_each_topic_or_for_each_class_and_mending() -> None:
    gold = [{"topic": topic, "doc": "d", "start": 0, "end": 10} for topic in ("t", "u")]
    run = [
        {"topic": topic, "doc": "d", "rank": 1, "start": at, "end": 10} for topic, at in (("t", 0), ("u", 5))
    ]
    found = dx.diagnose({"m": run}, gold, "iR@1", draws=100)
    assert found.frame().select("run", "topic", "diagnosis", "value").rows() == [
        ("m", "t", "complete", 1.0), ("m", "u", "cut", 0.5),
    ]  # fmt: skip
    counted = found.frame(per_topic=False).filter(what="class").filter(topics=1)
    assert counted.select("name", "share").rows() == [("cut", 0.5), ("complete", 0.5)]


@pytest.mark.parametrize(
    ("documents", "cutoff", "precision"),
    [
        ("xxy", "2d", 10 / 20),
        ("xxyz", "2d", 10 / 20),
        ("xyzw", "3d", 10 / 20),
        ("xyz", "5d", 10 / 25),
        ("xyx", "2d", 10 / 20),
    ],
)
def test_the_result_that_opens_the_last_document_read_is_the_one_replaced(
    documents: str, cutoff: str, precision: float
) -> None:
    gold = [{"topic": "t", "doc": "wanted", "start": 0, "end": 10}, {"topic": "t", "doc": "x", "length": 99}]
    run = [
        {"topic": "t", "doc": doc, "rank": rank, "start": 20 * rank, "end": 20 * rank + 5}
        for rank, doc in enumerate(documents, 1)
    ]
    found = dx.diagnose({"m": run}, gold, f"iP@{cutoff}", draws=100)
    (other,) = [one for one in found.mending if one.mending == "other documents"]
    assert other.mended == pytest.approx(precision)


def test_the_best_chunk_may_be_given_in_lines() -> None:
    documents = {"d": "one\ntwo three\nfour five six\n", "x": "other words\n"}
    gold = [{"topic": "t", "doc": "d", "start": 4, "end": 20}, {"topic": "t", "doc": "x", "length": 12}]
    run = [{"topic": "t", "doc": "x", "rank": 1, "start": 0, "end": 5}]
    chunks = [{"doc": "d", "start_line": at, "end_line": at} for at in (1, 2, 3)]
    found = dx.diagnose({"m": run}, gold, "iR@1", documents, chunks=chunks, draws=100)
    (other,) = [one for one in found.mending if one.mending == "other documents"]
    assert other.mended == pytest.approx(10 / 16)
    with pytest.raises(
        dx.UsageError, match="the chunks: places are given in lines, but text is counted in characters"
    ):
        dx.diagnose({"m": run}, gold, "iR@1", chunks=chunks)
