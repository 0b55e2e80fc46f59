"""Matches at a threshold of overlap: worked examples, and a twin that looks at every character."""

from __future__ import annotations

import random
import warnings
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx

GOLD = [
    {"topic": "t", "doc": "a", "start": 0, "end": 10},
    {"topic": "t", "doc": "a", "start": 10, "end": 20},
]
RUN = [
    {"topic": "t", "doc": "a", "rank": 1, "start": 1, "end": 9},
    {"topic": "t", "doc": "a", "rank": 2, "start": 0, "end": 10},
    {"topic": "t", "doc": "a", "rank": 3, "start": 9, "end": 20},
]
WORKED = {
    "Hit@1": 1, "Hit(iou=0.8)@1": 1, "Hit(iou=0.81)@1": 0, "Hit(iou=0.75..0.95)@1": 2 / 5, "Hit(iou=1)@2": 1,
    "IoUAP": (1 + 2 / 3) / 2, "IoUAP(iou=0.85)": (1 / 2 + 2 / 3) / 2, "IoUAP(iou=1)": 1 / 2 / 2,
    "IoUAP(iou=0.85,interpolated=true)": 2 / 3, "IoUAP(iou=0.85,interpolated=true)@2": 1 / 2 / 2,
    "IoUAP(iou=0.85)@2": 1 / 2 / 2,
    "IoUAP(iou=0.8..0.85)": (5 / 6 + 7 / 12) / 2, "Hit(upto=10)": 1, "IoUAP(upto=10,iou=0.3)": 5 / 6,
}  # fmt: skip


def values(run, gold, names):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        scores = dx.evaluate({"run": run}, gold, names)
    return {name: scores.value("run", name) for name in names}


def test_worked_example():
    assert values(RUN, GOLD, list(WORKED)) == pytest.approx(WORKED, abs=1e-12)


def test_topics_without_places_of_the_size_have_no_value():
    scores = dx.evaluate({"run": RUN}, GOLD, "Hit(over=10)@1 IoUAP(over=10) Hit(over=9)@1")
    assert [scores.value("run", name) for name in scores.measures] == [None, None, 1.0]
    assert "over 0 to 1 topic" in repr(scores)


def test_thresholds_have_one_form_and_others_are_refused():
    assert dx.measure("IoUAP(iou=.50..0.95)").canonical == "IoUAP(iou=0.5..0.95)"
    assert dx.measure("IoUAP(iou=.5)") == dx.measure("IoUAP")
    for wrong in ("0.5..0.93", "0.9..0.5", "0", "1.1", "0.5..1.2", "half", "0.5..0.6..0.7"):
        with pytest.raises(dx.UsageError, match=r"steps of 0\.05"):
            dx.measure(f"IoUAP(iou={wrong})")


def characters(row):
    return {at for start, end in row["spans"] for at in range(start, end)}


def twin(gold, run, thresholds, rank, interpolated, over, upto):
    """Hit and IoUAP of one topic, by sets of characters and exact fractions."""
    places = [(row["doc"], characters(row)) for row in gold]
    places = [place for place in places if over < len(place[1]) <= upto]
    if not places:
        return None
    hits, precisions = [], []
    for threshold in thresholds:
        free, matched, ever = list(range(len(places))), [], False
        for row in run[:rank]:
            shown = characters(row)

            def overlap(at, doc=row["doc"], shown=shown):
                where, place = places[at]
                return Fraction(len(place & shown), len(place | shown)) if where == doc else Fraction(0)

            ever |= any(overlap(at) >= threshold for at in range(len(places)))
            best = max(free, key=lambda at: (overlap(at), -at), default=None)
            matched.append(best is not None and overlap(best) >= threshold)
            if matched[-1]:
                free.remove(best)
        precision = [Fraction(sum(matched[: at + 1]), at + 1) for at in range(len(matched))]
        if interpolated:
            precision = [max(precision[at:]) for at in range(len(precision))]
        hits.append(ever)
        precisions.append(
            sum(p for p, is_match in zip(precision, matched, strict=True) if is_match) / len(places)
        )
    return sum(hits) / len(hits), float(sum(precisions)) / len(precisions)


@given(st.integers(0, 10**9), st.sampled_from(["0.1", "0.5", "0.3..0.5", "1"]), st.booleans())
def test_the_values_are_those_of_every_character(seed, iou, interpolated):
    rng = random.Random(seed)

    def spans(most):
        bounds = sorted(rng.sample(range(14), 2 * rng.randint(1, most)))
        return [list(pair) for pair in zip(bounds[::2], bounds[1::2], strict=True)]

    gold = [{"topic": "t", "doc": rng.choice("ab"), "spans": spans(2)} for _ in range(rng.randint(1, 4))]
    run = [
        {"topic": "t", "doc": rng.choice("abc"), "rank": rank, "spans": spans(2)}
        for rank in range(1, rng.randint(2, 7))
    ]
    rank, over, upto = rng.randint(1, 6), rng.randint(0, 3), rng.randint(4, 14)
    low, _, high = iou.partition("..")
    thresholds = [Fraction(low)]
    while high and thresholds[-1] < Fraction(high):
        thresholds.append(thresholds[-1] + Fraction(1, 20))
    sized = f"iou={iou},over={over},upto={upto}"
    names = [f"Hit({sized})@{rank}", f"IoUAP({sized},interpolated={str(interpolated).lower()})@{rank}"]
    wanted = twin(gold, run, thresholds, rank, interpolated, over, upto)
    found = values(run, gold, names)
    if wanted is None:
        assert set(found.values()) == {None}
    else:
        assert list(found.values()) == pytest.approx(list(wanted), abs=1e-12)
