"""Measures of trajectories, by brute force: cut-offs in steps and amounts, areas, read again, stages."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.core.errors import UsageError
from doxeval.tables.steps import ACTIONS

DOCS = ("a", "b", "c")
STAGES = ("used", "read", "opened", "found", "never")
RANGE = st.tuples(st.sampled_from(DOCS), st.integers(1, 12), st.integers(0, 4)).map(
    lambda drawn: {"doc": drawn[0], "start_line": drawn[1], "end_line": drawn[1] + drawn[2]}
)


@st.composite
def trajectories(draw):
    """The steps of one topic, all with their amounts, in tenths."""
    lines = []
    for number in sorted(draw(st.sets(st.integers(1, 9), min_size=1, max_size=6))):
        line = {"topic": "t", "step": number, "action": draw(st.sampled_from(ACTIONS))}
        if places := draw(st.lists(RANGE, max_size=3)):
            line["shown"] = places
        if line["action"] == "search":
            line["named"] = draw(st.lists(st.sampled_from(DOCS), max_size=2))
        line |= {name: draw(st.integers(0, 20)) / 10 for name in ("tokens", "seconds", "cost")}
        lines.append(line)
    return lines


@st.composite
def golds(draw):
    """Relevant lines, some for needs that several places answer."""
    places = draw(st.lists(RANGE, min_size=1, max_size=4))
    needs = [draw(st.sampled_from([None, "x", "y"])) for _ in places]
    return [
        {"topic": "t"} | place | ({"need": need} if need else {})
        for place, need in zip(places, needs, strict=True)
    ]


def lines_in(place):
    return {(place["doc"], line) for line in range(place["start_line"], place["end_line"] + 1)}


def relevant(gold):
    return set().union(*map(lines_in, gold))


def shown_by(steps):
    """The lines that steps show, each with the place in the list of those that do."""
    return [
        (line["step"], line["action"], lines_in(place))
        for line in steps
        if line["action"] not in ("edit", "cite", "answer")
        for place in line.get("shown", ())
    ]


def spent(steps, unit):
    """What was spent up to the end of each step, exactly."""
    total, found = Fraction(0), {}
    for line in steps:
        total += Fraction(str(line[unit])) if unit != "steps" else 0
        found[line["step"]] = Fraction(line["step"]) if unit == "steps" else total
    return found


def recall(steps, gold, unit, budget):
    """iR of what was shown within a budget."""
    used = spent(steps, unit)
    seen = set().union(*(lines for step, _, lines in shown_by(steps) if used[step] <= budget), set())
    return len(seen & relevant(gold)) / len(relevant(gold))


def values(steps, gold, measures):
    scores = dx.Evaluation(gold, measures).score({"run": steps})
    return [scores.value("run", measure, "t") for measure in scores.measures]


UNITS = {"steps": "steps", "seconds": "s", "cost": "cost", "tokens": "t"}


@given(trajectories(), golds(), st.sampled_from(sorted(UNITS)), st.integers(1, 60))
def test_cutoffs_and_reach_by_brute_force(steps, gold, unit, tenths):
    budget = Fraction(tenths, 10) if unit in ("seconds", "cost") else Fraction(tenths // 10 + 1)
    cutoff = f"iR@{float(budget):g}{UNITS[unit]}"
    found, reach = values(steps, gold, [cutoff, f"Reach(recall=0.5,unit={unit})"])
    assert found == pytest.approx(recall(steps, gold, unit, budget))
    points = sorted(set(spent(steps, unit).values()))
    enough = [point for point in points if recall(steps, gold, unit, point) >= 0.5]
    assert reach == pytest.approx(float(enough[0]) if enough else math.inf)


@given(trajectories(), golds(), st.sampled_from(["steps", "cost"]), st.integers(1, 12))
def test_the_area_is_the_mean_over_all_efforts(steps, gold, unit, budget):
    """Amounts are tenths, so that values change only at tenths of the effort."""
    (found,) = values(steps, gold, f"Area(of=iR)@{budget}{UNITS[unit]}")
    efforts = [Fraction(tenth, 10) for tenth in range(10 * budget)]
    means = [recall(steps, gold, unit, effort) for effort in efforts]
    assert found == pytest.approx(sum(means) / len(means))


@given(trajectories(), golds(), st.integers(1, 40))
def test_the_area_over_lines_is_the_mean_over_all_lines(steps, gold, budget):
    cutoffs = [f"iR@{lines}l" for lines in range(1, budget)]
    found, *parts = values(steps, gold, [f"Area@{budget}l", *cutoffs])
    assert found == pytest.approx(sum(parts) / budget)


@given(trajectories(), golds(), st.integers(1, 5))
def test_the_area_over_ranks_of_any_measure(steps, gold, rank):
    found, *parts = values(steps, gold, [f"Area(of=iP)@{rank}", *(f"iP@{at}" for at in range(1, rank))])
    assert found == pytest.approx(sum(parts) / rank)


@given(trajectories(), golds())
def test_read_again_by_brute_force(steps, gold):
    again = total = 0
    for step, _, lines in shown_by(steps):
        earlier = set().union(*(seen for at, _, seen in shown_by(steps) if at < step), set())
        again, total = again + len(lines & earlier), total + len(lines)
    assert values(steps, gold, "Again") == [pytest.approx(again / total if total else 0.0)]


def needs_of(gold):
    """The places of each need, each a set of lines: ranges without one are merged highlights."""
    named: dict[Any, list[set]] = {}
    for row in gold:
        if "need" in row:
            named.setdefault(row["need"], []).append(lines_in(row))
    rest = sorted(set().union(*(lines_in(row) for row in gold if "need" not in row), set()))
    for line in rest:
        doc, number = line
        if (doc, number - 1) in rest:
            next(
                places[0]
                for key, places in named.items()
                if isinstance(key, tuple) and (doc, number - 1) in places[0]
            ).add(line)
        else:
            named[line] = [{line}]
    return list(named.values())


def brute_stage(places, steps, part):
    def named(lines):
        return any(len(place & lines) >= max(1, part * len(place)) for place in places)

    def union(actions):
        found = [lines for _, action, lines in shown_by(steps) if action in actions]
        return set().union(*found, set())

    docs = {doc for place in places for doc, _ in place}
    opens = any(line["action"] in ("open", "read") for line in steps)
    used = set().union(
        *(lines_in(place) for line in steps if line["action"] in ("edit", "cite", "answer")
          for place in line.get("shown", ())), set()
    )  # fmt: skip
    listed = {doc for line in steps for doc in line.get("named", ())}
    searched = {doc for doc, _ in union({"search"})} | listed
    holds = (
        named(used),
        named(union({"open", "read"} if opens else {"search"})),
        bool({doc for doc, _ in union({"open", "read"})} & docs),
        bool(searched & docs),
        True,
    )
    return STAGES[holds.index(True)]


@settings(max_examples=25)
@given(trajectories(), golds(), st.sampled_from([0, Fraction(1, 2), 1]))
def test_stages_by_brute_force(steps, gold, part):
    needs = needs_of(gold)
    expected = [brute_stage(places, steps, part) for places in needs]
    measures = [f"Stage({stage},part={float(part):g})" for stage in STAGES]
    found = values(steps, gold, measures)
    assert found == [pytest.approx(expected.count(stage) / len(needs)) for stage in STAGES]
    assert sum(found) == pytest.approx(1)
    at_least = values(steps, gold, [f"Stage({stage},least=true,part={float(part):g})" for stage in STAGES])
    assert at_least == [pytest.approx(sum(found[: at + 1])) for at in range(5)]


def brute_away(places, steps):
    """The distance of the nearest line shown in a document of the need: below 0 if it comes after it."""
    shown = set().union(*(lines for _, _, lines in shown_by(steps)), set())
    found = [line - other for place in places for doc, line in place for name, other in shown if name == doc]
    return min(found, key=abs, default=None)


@pytest.mark.filterwarnings("ignore:.*no document of the run was assessed")
@settings(max_examples=25)
@given(trajectories(), golds())
def test_how_far_needs_are_from_what_was_shown(steps, gold):
    found = [row["away"] for row in dx.stages({"run": steps}, gold).rows]
    expected = [brute_away(places, steps) for places in needs_of(gold)]
    nearest = [
        sorted("never" if one is None else f"{abs(one)}" for one in some) for some in (found, expected)
    ]
    assert nearest[0] == nearest[1]


def test_what_lies_further_on_is_above_zero():
    def away(first, last):
        steps = [{"topic": "t", "step": 1, "action": "read", "doc": "a", "start_line": 50, "end_line": 149}]
        gold = [{"topic": "t", "doc": "a", "start_line": first, "end_line": last}]
        return dx.stages({"run": steps}, gold).rows[0]["away"]

    assert [away(350, 351), away(150, 150), away(149, 150), away(10, 39), away(49, 49)] == [
        201,
        1,
        0,
        -11,
        -1,
    ]


@given(trajectories(), golds())
def test_of_what_was_used_how_much_was_relevant(steps, gold):
    used = set().union(
        *(lines_in(place) for line in steps if line["action"] in ("edit", "cite", "answer")
          for place in line.get("shown", ())), set()
    )  # fmt: skip
    wanted = relevant(gold)
    precision, share = values(steps, gold, "UsedP UsedR")
    assert precision == pytest.approx(len(used & wanted) / len(used) if used else 0)
    assert share == pytest.approx(len(used & wanted) / len(wanted))


GOLD = [{"topic": "t", "doc": "a", "start_line": 1, "end_line": 2}]
RESULTS = [{"topic": "t", "doc": "a", "start_line": 1, "end_line": 2, "rank": 1}]


@pytest.mark.parametrize("measure", ["iR@3steps", "iR@1s", "iR@1cost", "Stage(used)", "UsedP", "Area@2cost"])
def test_ranked_results_have_no_steps(measure):
    with pytest.raises(UsageError, match="needs the steps of a trajectory"):
        dx.Evaluation(GOLD, measure).score(RESULTS)


@pytest.mark.parametrize("unit", ["seconds", "cost", "tokens"])
def test_amounts_that_some_steps_do_not_state_are_refused(unit):
    steps = [
        {"topic": "t", "step": 1, "action": "read", unit: 1} | GOLD[0],
        {"topic": "t", "step": 2, "action": "other"},
    ]
    with pytest.raises(
        UsageError, match=rf"needs the {unit} of every step; 1 of 2 state none \(topic t, step 2"
    ):
        dx.Evaluation(GOLD, f"iR@1{UNITS[unit]}").score(steps)


def test_an_explanation_lists_the_stage_of_each_need():
    gold = [*GOLD, {"topic": "t", "doc": "b", "start_line": 5, "end_line": 5, "need": "why"}]
    steps = [{"topic": "t", "step": 1, "action": "read", "doc": "a", "start_line": 2, "end_line": 9}]
    told = dx.explain({"run": steps}, gold, "iR", topic="t").rows
    assert told["stages"] == [
        {"need": "why", "stage": "never", "places": "b:5-5", "away": None},
        {"need": "a:1-2", "stage": "read", "places": "a:1-2", "away": 0},
    ]
    assert told["steps"] == [
        {
            "step": 1,
            "action": "read",
            "query": "",
            "documents": "a",
            "shown": 8,
            "new": 1,
            "again": 0,
            "used": 0,
            "used relevant": 0,
        },
    ]


@pytest.mark.parametrize("before", [None, "edit", "cite"])
def test_before_leaves_out_the_steps_from_the_first_of_an_action_with_a_place(before):
    steps = [
        {"topic": "t", "step": 1, "action": "cite"},
        {"topic": "t", "step": 2, "action": "read", "doc": "a", "start_line": 1, "end_line": 1},
        {"topic": "t", "step": 3, "action": "edit", "doc": "a", "start_line": 1, "end_line": 1},
        {"topic": "t", "step": 4, "action": "read", "doc": "a", "start_line": 2, "end_line": 2},
    ]
    scores = dx.evaluate({"run": steps}, GOLD, "iR Stage(used)", before=before)
    assert [scores[measure] for measure in scores.measures] == ([0.5, 0] if before == "edit" else [1, 1])


def test_own_text_is_free_or_shown():
    steps = [
        {
            "topic": "t",
            "step": 1,
            "action": "read",
            "doc": "a",
            "start_line": 1,
            "end_line": 2,
            "own": "x\ny\n",
        },
        {"topic": "t", "step": 2, "action": "read", "doc": "a", "own": "z\n" * 4},
    ]
    free, shown = (dx.evaluate({"run": steps}, GOLD, "iP iP@1 iR", own=own) for own in ("free", "shown"))
    assert [free[measure] for measure in free.measures] == [1, 1, 1]
    assert [shown[measure] for measure in shown.measures] == [0.25, 0.5, 1]


@pytest.mark.parametrize(
    ("own", "added", "precision"),
    [("free", "free", 2 / 2), ("free", "shown", 2 / 4), ("shown", "free", 2 / 5), ("shown", "shown", 2 / 7)],
)
def test_own_and_added_text_count_as_far_as_they_are_shown(own, added, precision):
    steps = [
        {"topic": "t", "step": 1, "action": "read", "doc": "a", "start_line": 1, "end_line": 2,
         "own": "x\ny\n", "added": "p\nq\n"},
        {"topic": "t", "step": 2, "action": "read", "doc": "a", "own": "z\n"},
    ]  # fmt: skip
    gold = [{"topic": "t", "doc": "a", "start_line": 1, "end_line": 2}]
    scores = dx.evaluate({"run": steps}, gold, "iP iR", own=own, added=added)
    assert [scores[measure] for measure in scores.measures] == pytest.approx([precision, 1])


def test_own_text_beside_nodes_is_no_result_of_its_own():
    documents = dx.read_documents([{"doc": "a", "length": 20, "nodes": [
        {"id": "r", "parent": None, "tag": "a", "start": 0, "end": 20},
        {"id": "s", "parent": "r", "tag": "b", "start": 0, "end": 10},
    ]}])  # fmt: skip
    gold = [{"topic": "t", "doc": "a", "start": 0, "end": 10}]
    steps = [
        {"topic": "t", "step": 1, "action": "read", "doc": "a", "own": "z" * 10},
        {"topic": "t", "step": 2, "action": "read", "doc": "a", "node": "s", "own": "y" * 10},
    ]
    for own, expected in (("free", [1, 1]), ("shown", [0, 1 / 3])):
        scores = dx.evaluate({"run": steps}, gold, "iP@1 iP@2", documents, own=own)
        assert [scores[measure] for measure in scores.measures] == pytest.approx(expected)


def test_stages_of_several_runs_are_those_of_the_same_needs():
    gold = [{"topic": "t", "doc": doc, "start": 0, "end": 9} for doc in "abc"]
    steps = [{"topic": "t", "step": 1, "action": "read", "doc": "a", "start": 0, "end": 9}]
    for runs in ({"one": steps}, {"one": steps, "other": steps}):
        assert "3 needs of 1 topic, each at the first stage that holds" in repr(dx.stages(runs, gold))


def test_what_is_wrong_with_places_that_are_named_stands_with_the_numbers() -> None:
    documents = {"a": "One.\nTwo.\n"}
    read = {"topic": "t", "step": 1, "action": "read", "doc": "a", "start": 0, "end": 5}
    cited = {"topic": "t", "step": 2, "action": "cite", "doc": "a", "start": 5, "end": 90}
    with pytest.warns(dx.DoxevalWarning):
        scores = dx.evaluate({"run": [read, cited]}, [{**read, "end": 9}], "UsedR", documents)
    assert any("reaches past the end" in str(notice) for notice in scores.notices.lasting)
