"""Topics that a run mends and breaks: in a comparison, and in the message of a gate."""

from __future__ import annotations

from collections import Counter

import pytest

import doxeval as dx
from doxeval.comparison.diagnosis.moves import GOODNESS, moves_between
from doxeval.comparison.diagnosis.topic_classes import NAMES

TOPICS = [f"t{number}" for number in range(8)]
GOLD = [
    {"topic": topic, "doc": "d", "start": 1000, "end": 1100, "kind": "odd" if at % 2 else "even"}
    for at, topic in enumerate(TOPICS)
]


def run(*extents: tuple[int, int]) -> list[dict[str, object]]:
    return [
        {"topic": topic, "doc": "d", "rank": 1, "start": start, "end": end}
        for topic, (start, end) in zip(TOPICS, extents, strict=True)
    ]


WHOLE, HALF, AWAY = (1000, 1100), (1000, 1050), (0, 10)
RUNS = {"old": run(*[WHOLE] * 5, HALF, AWAY, AWAY), "new": run(*[WHOLE] * 2, HALF, HALF, *[AWAY] * 3, WHOLE)}


def test_moves_are_the_differences_of_the_classes_of_two_runs():
    found = dx.diagnose(RUNS, GOLD, "iR@1", draws=100)
    told = {(one.run, one.topic): one.diagnosis for one in found.per_topic}
    moves = {move.topic: move for move in moves_between(found, "old", "new")}
    for topic in TOPICS:
        before, after = told["old", topic], told["new", topic]
        assert (topic in moves) == (before != after)
        if topic in moves:
            assert (moves[topic].before, moves[topic].after) == (before, after)
            assert moves[topic].mended == (GOODNESS[NAMES.index(after)] > GOODNESS[NAMES.index(before)])
    assert Counter(move.mended for move in moves.values()) == {True: 1, False: 4}


def test_a_comparison_lists_what_was_mended_and_broken():
    found = dx.compare(RUNS, GOLD, "iR@1 iP@1", with_diagnosis=True, by="kind")
    shown = repr(found)
    assert "Topics mended and broken within 1 result" in shown
    rows = [line.split() for line in shown.splitlines() if line.startswith("new ") and "broken" in line]
    assert [row[2:] for row in rows] == [
        ["broken", "complete", "cut", "t2,", "t3", "2"],
        ["broken", "complete", "far", "t4", "1"],
        ["broken", "cut", "far", "t5", "1"],
    ]
    assert "kind=even" in shown and found.diagnosis.classes == dx.diagnose(RUNS, GOLD, "iR@1").classes
    assert "Topics mended" not in repr(dx.compare(RUNS, GOLD, "iR@1"))


def test_a_gate_that_fails_says_what_broke():
    gated = dx.gate(RUNS, GOLD, "iR@1", baseline="old", max_drop=0.01, by="kind")
    (message,) = (gated.message(one) for one in gated.failed if not one.difference.slice)
    broken = "2 complete to cut: t2, t3; 1 complete to far: t4; 1 cut to far: t5"
    assert f"1 mended, 4 broken ({broken})" in message
    (even,) = (gated.message(one) for one in gated.failed if one.difference.slice == "kind=even")
    assert "0 mended, 2 broken (1 complete to cut: t2; 1 complete to far: t4)" in even
    assert "broken" not in repr(dx.gate(RUNS, GOLD, "iR@1", baseline="new", max_drop=0.9))


def test_scores_alone_do_not_say_it(tmp_path):
    dx.evaluate(RUNS, GOLD, "iR@1").write(tmp_path / "scores.csv", per_topic=True)
    assert "broken" not in repr(dx.gate(tmp_path / "scores.csv", baseline="old", max_drop=0.01))
    with pytest.raises(dx.UsageError, match="no runs attached"):
        dx.compare(tmp_path / "scores.csv", with_diagnosis=True)


def test_a_gate_that_cannot_say_what_broke_says_why():
    def shown(seconds: int) -> list[dict[str, object]]:
        return [{"topic": topic, "doc": "d", "rank": 1, "start_s": 14, "end_s": 14 + seconds}
                for topic in TOPICS]  # fmt: skip

    gold = [{"topic": topic, "doc": "d", "start_s": 14, "end_s": 24} for topic in TOPICS]
    gated = dx.gate({"old": shown(9), "new": shown(2)}, gold, "iR@1", baseline="old", max_drop=0.01)
    assert "broken" not in gated.message(gated.failed[0])
    (told,) = [one for one in gated.comparison.notices if "broken" in str(one)]
    assert told.harmless and str(told).startswith(
        "by iR@1 it is not known what was broken: text is counted in seconds, but a gap"
    )
