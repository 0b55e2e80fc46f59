"""What assessors disagree about, passage by passage; the twin goes by characters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from tests.judging.databases import database, mark

LENGTH = 30
ranges = st.lists(st.tuples(st.integers(0, 25), st.integers(1, 5), st.integers(1, 2)), max_size=5)


def rows(marks: list[tuple[int, int, int]]) -> list[dict[str, Any]]:
    """Marks of one document as assessments; the highest grade counts where they overlap."""
    pair = {"topic": "t1", "doc": "d1"}
    found = [{**pair, "start": start, "end": start + size, "rel": rel} for start, size, rel in marks]
    return [{**pair, "length": LENGTH}, *found]


def by_letters(one: list[tuple[int, int, int]], other: list[tuple[int, int, int]]) -> dict[str, int]:
    """How many passages there are of each kind, letter by letter."""
    grades = [[0] * LENGTH for _ in range(2)]
    for mine, marks in zip(grades, (one, other), strict=True):
        for start, size, rel in marks:
            for place in range(start, start + size):
                mine[place] = max(mine[place], rel)
    found = dict.fromkeys(("same", "whether", "where", "grade"), 0)
    passage: list[tuple[int, int]] = []
    for letter in [*zip(*grades, strict=True), (0, 0)]:
        if any(letter):
            passage.append(letter)
        elif passage:
            both = [pair for pair in passage if all(pair)]
            if not both:
                found["whether"] += 1
            elif len(both) < len(passage):
                found["where"] += 1
            else:
                found["grade" if any(a != b for a, b in both) else "same"] += 1
            passage = []
    return found


@given(ranges, ranges)
@settings(deadline=None, max_examples=25)
def test_passages_are_of_one_kind_each(
    one: list[tuple[int, int, int]], other: list[tuple[int, int, int]]
) -> None:
    found = dx.agree({"ann": rows(one), "bob": rows(other)}, coefficients=["overlap"], draws=100)
    counts = found.pairs[0].passages.counts()
    assert counts == by_letters(one, other)
    told = found.disagreements
    assert len(told) == sum(counts.values()) - counts["same"]
    assert all(each.kind in ("whether", "where", "grade") and each.characters > 0 for each in told)


ACTS = [
    ("ann", "t1", "d1", {"adds": [mark("a1", 0, 10), mark("a2", 50, 60)], "done": True}),
    ("bob", "t1", "d1", {"adds": [mark("b1", 5, 20), mark("b2", 50, 60)], "done": True}),
]
DECIDED = {"start": 0, "end": 20, "people": ["ann", "bob"], "how": "pick", "as": "ann",
           "marks": [mark("c1", 0, 10)]}  # fmt: skip


def test_a_decision_makes_assessors_agree_and_keeps_what_was_before(tmp_path: Path) -> None:
    path = database(tmp_path / "j.db", ACTS, {"d1": 100})
    before = dx.agree(path)
    assert before.before is None and [one.kind for one in before.disagreements] == ["where"]
    database(path, [("carl", "t1", "d1", {"decides": DECIDED})], {"d1": 100})
    after = dx.agree(path)
    assert after.disagreements == [] and after.value("ann", "bob", "overlap") == 1.0
    assert after.before is not None and after.before.disagreements == before.disagreements
    assert after.before.value("ann", "bob", "overlap") == before.value("ann", "bob", "overlap")
    assert "decided" in str(after)
    assert not any("carl" in str(notice) for notice in dx.read_assessments(path).notices.lasting)
    for rule in ("union", "intersection", "majority", "ann", "bob"):
        table = dx.read_assessments(path, merge=rule)
        assert sorted(zip(table.ranges.start.tolist(), table.ranges.end.tolist(), strict=True)) == [
            (0, 10), (50, 60),
        ]  # fmt: skip


def test_marks_that_reach_beyond_a_decision_keep_the_rest(tmp_path: Path) -> None:
    acts = [("ann", "t1", "d1", {"adds": [mark("a1", 0, 50)]}), ("bob", "t1", "d1", {"done": True}),
            ("ann", "t1", "d1", {"decides": DECIDED | {"start": 10, "marks": [], "how": "redraw"}}),
            ("ann", "t1", "d1", {"takes": ["a1+"]})]  # fmt: skip
    path = database(tmp_path / "j.db", acts, {"d1": 100})
    table = dx.read_assessments(path, merge="ann")
    assert list(zip(table.ranges.start.tolist(), table.ranges.end.tolist(), strict=True)) == [(0, 10)]


@pytest.mark.parametrize(
    "wrong",
    [{"how": "guess"}, {"people": []}, {"people": "ann"}, {"marks": [mark("c", 0, 30)]}, {"end": 101},
     {"start": 20}, {"marks": None}, {"more": 1}, {"rule": ""}, {"as": ""}],
)  # fmt: skip
def test_what_is_no_decision_is_refused(wrong: dict[str, Any]) -> None:
    from doxeval.io.formats.judgements import problem_of

    assert problem_of({"decides": DECIDED}, 100) == ""
    assert "expected as 'decides'" in problem_of({"decides": DECIDED | wrong}, 100)
    assert problem_of({"decides": DECIDED, "done": True}, 100) != ""
    assert problem_of({"rule": {"id": "r1", "text": "x" * 5000}}, 100) != ""
    assert problem_of({"rule": {"id": "r1", "text": "Sentences only."}}, 100) == ""
