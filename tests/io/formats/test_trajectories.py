"""Native trajectories: what lines become, what is refused, and that all of it comes back."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.core.errors import InputError
from doxeval.io.formats.trajectories import FORMAT, step_rows
from doxeval.tables.steps import ACTIONS, USING

LINES: list[dict[str, Any]] = [
    {"topic": "t1", "step": 1, "action": "search", "query": "tea", "named": ["b.py"], "tokens": 20},
    {"topic": "t1", "step": 1, "action": "search", "doc": "a.py", "start_line": 5, "end_line": 6},
    {"topic": "t1", "step": 3, "action": "open", "tokens": 30,
     "shown": [{"doc": "a.py", "start_line": 1, "end_line": 9},
               {"doc": "b.py", "start_line": 2, "end_line": 2}]},
    {"topic": "t1", "step": 4, "action": "edit", "doc": "a.py", "start_line": 5, "end_line": 5, "cost": 0.25,
     "printed": [{"doc": "a.py", "start_line": 3, "end_line": 8}]},
    {"topic": "t2", "step": 2, "action": "other", "seconds": 3},
    {"topic": "t3"},
]  # fmt: skip


def as_bytes(lines):
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def refusals(*lines):
    run = dx.read_run(as_bytes([*LINES[:1], *lines]))
    return len(run.steps), [str(notice) for notice in run.notices.failures]


@pytest.mark.parametrize("form", [as_bytes, list], ids=["file", "dicts"])
def test_lines_become_results_steps_and_what_was_used(form):
    run = dx.read_run(form(LINES))
    steps = run.steps
    assert run.topics == ["t1", "t2", "t3"] and run.unit == "lines"
    assert [run.docs[doc] for doc in run.doc] == ["a.py", "a.py", "b.py", "a.py"]
    assert run.start.tolist() == [4, 0, 1, 2] and run.end.tolist() == [6, 9, 2, 8]
    assert run.rank.tolist() == [1, 2, 3, 4] and run.step.tolist() == [0, 1, 1, 2]
    assert steps.topic.tolist() == [0, 0, 0, 1] and steps.number.tolist() == [1, 3, 4, 2]
    assert [ACTIONS[code] for code in steps.action] == ["search", "open", "edit", "other"]
    assert steps.query == ["tea", None, None, None]
    np.testing.assert_array_equal(steps.tokens, [20, 30, np.nan, np.nan])
    np.testing.assert_array_equal(steps.cost, [np.nan, np.nan, 0.25, np.nan])
    assert steps.used.step.tolist() == [2] and steps.used.start.tolist() == [4]
    assert steps.named.step.tolist() == [0] and list(steps.named.docs) == ["b.py"]


def test_amounts_are_spent_topic_by_topic():
    steps = dx.read_run([
        {"topic": topic, "step": number, "action": "other", "tokens": tokens}
        for topic, number, tokens in (("a", 1, 5), ("b", 1, 7), ("a", 2, 1), ("b", 4, 2))
    ]).steps  # fmt: skip
    assert steps.spent("tokens").tolist() == [5, 6, 7, 9] and not len(steps.unstated("tokens"))
    assert steps.unstated("cost").tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"topic": "t1", "step": 2, "action": "opne"}, "2: found 'opne'; did you mean 'open'?"),
        ({"topic": "t1", "step": 1, "action": "open"}, "the same action as the first line of its step"),
        ({"topic": "t1", "step": 1, "action": "search", "tokens": 21}, "the same tokens as the first line"),
        ({"topic": "t1", "step": 1, "action": "search", "query": "milk"}, "the same query as the first line"),
        ({"topic": "t1", "step": 2, "action": "open", "seconds": -1}, "a 'seconds' of at least 0"),
        ({"topic": "t1", "step": 0, "action": "open"}, "a 'step' counted from 1"),
        ({"topic": "t1", "step": "two", "action": "open"}, "an integer within"),
        ({"topic": "t1", "action": "open"}, "a 'step'"),
        ({"topic": "t1", "step": 2}, "an 'action'"),
        ({"topic": "t1", "step": 2, "action": "open", "printed": [{"doc": "d"}]}, "'printed' only in edit"),
        ({"topic": "t1", "step": 2, "action": "open", "shown": [{"start": 1, "end": 2}]}, "a 'doc'"),
        (
            {"topic": "t1", "step": 2, "action": "open", "shown": [{"doc": "d", "start": 3, "end": 2}]},
            "3 to 2",
        ),
    ],
)
def test_lines_that_make_no_sense_are_refused_with_their_place(line, told):
    steps, [refusal] = refusals(line)
    assert steps == 1 and "1 line refused" in refusal and "<bytes>:2" in refusal and told in refusal


def test_steps_out_of_order_are_refused_and_others_kept():
    later = {"topic": "t1", "step": 5, "action": "open", "doc": "a.py", "start_line": 1, "end_line": 2}
    steps, [refusal] = refusals(later, later | {"step": 4}, later | {"topic": "t2", "step": 1}, later)
    assert steps == 3 and "found step 4 after step 5" in refusal and "<bytes>:3" in refusal


def test_a_refused_place_refuses_its_line_whole():
    good, bad = {"doc": "a", "start": 0, "end": 4}, {"doc": "a", "start": 4, "end": 0}
    lines = [*LINES[:1], {"topic": "t1", "step": 2, "action": "read", "shown": [good, bad]}]
    run = dx.read_run(as_bytes(lines))
    assert not len(run) and len(run.steps) == 1


def test_misspelt_keys_are_errors():
    with pytest.raises(InputError, match="did you mean 'seconds'"):
        dx.read_run(as_bytes([LINES[0], {"topic": "t1", "step": 2, "action": "other", "second": 3}]))


NAME = st.sampled_from(["a.py", "b.py", "c d"])
PLACE = st.one_of(
    st.builds(lambda doc, at, size: {"doc": doc, "start_line": at, "end_line": at + size}, NAME,
              st.integers(1, 50), st.integers(0, 9)),
    st.builds(lambda doc: {"doc": doc, "own": "x = 1\n"}, NAME),
    st.builds(lambda doc: {"doc": doc, "node": "f"}, NAME),
)  # fmt: skip
AMOUNT = {name: st.floats(0, 100) for name in ("tokens", "seconds", "cost")}


@st.composite
def trajectories(draw):
    lines = []
    for topic in ("t1", "t2"):
        for number in sorted(draw(st.sets(st.integers(1, 20), max_size=4))):
            action = draw(st.sampled_from(ACTIONS))
            line = {"topic": topic, "step": number, "action": action}
            line |= draw(st.fixed_dictionaries({}, optional=AMOUNT))
            line |= draw(st.one_of(st.just({}), PLACE, st.lists(PLACE, min_size=2, max_size=3).map(
                lambda places: {"shown": places})))  # fmt: skip
            if ACTIONS.index(action) in USING and draw(st.booleans()):
                line["printed"] = [draw(PLACE)]
            if action == "search" and draw(st.booleans()):
                line |= {"named": [draw(NAME)], "query": "what?"}
            lines.append(line)
    return [*lines, {"topic": "t3"}]


@given(trajectories().filter(lambda lines: len(lines) > 1))
def test_what_is_written_is_read_again(lines):
    again = list(step_rows(dx.read_run(lines)))
    assert again == lines
    assert list(step_rows(dx.read_run(as_bytes(again)))) == lines


def test_convert_writes_steps_unless_another_format_is_named(tmp_path):
    steps, results = tmp_path / "steps.jsonl", tmp_path / "results.jsonl"
    dx.convert(as_bytes(LINES), steps)
    assert [json.loads(line) for line in steps.read_text().splitlines()] == [
        *(LINES[0] | {key: LINES[1][key] for key in ("doc", "start_line", "end_line")},), *LINES[2:]
    ]  # fmt: skip
    with pytest.warns(UserWarning, match="4 steps of a trajectory, which native-run cannot hold"):
        dx.convert(steps, results, format="native-run")
    assert len(results.read_text().splitlines()) == 6
    with pytest.raises(InputError, match="no steps of a trajectory"):
        dx.convert(results, steps, format="trajectory", replace=True)


def test_large_trajectories_are_cut_between_topics():
    _, codes, table = FORMAT.cut(as_bytes(LINES))
    assert codes.tolist() == [0, 0, 0, 0, 1, 2] and len(table) == 3
