"""Where assessors differ: which passages are told, in which order, how they can be decided, what changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from doxeval.io.read import read_run
from doxeval.judging.disputes import Dispute, disputes, read_database, told_agreement
from doxeval.judging.judging_progress import AssessorProgress
from doxeval.judging.overview import Overview
from doxeval.judging.pool_file import Pool
from doxeval.judging.runs_so_far import RunsSoFar, _copied
from tests.judging.databases import database, mark

LENGTHS = {"d1": 20, "d2": 20}
PAIRS = [("t1", "d1"), ("t1", "d2")]
ACTS: list[tuple[str, str, str, dict[str, Any]]] = [
    ("ann", "t1", "d1", {"adds": [mark("a", 2, 6), mark("b", 10, 14)], "done": True}),
    ("bob", "t1", "d1", {"adds": [mark("a", 4, 9, rel=2)], "done": True}),
    ("cyd", "t1", "d1", {"adds": [mark("a", 0, 20)]}),
    ("ann", "t1", "d2", {"adds": [mark("a", 0, 3, needs=["why"])], "done": True}),
    ("bob", "t1", "d2", {"done": True}),
]


@pytest.fixture
def found(tmp_path: Path) -> list[Dispute]:
    return disputes(read_database(database(tmp_path / "j.db", ACTS, LENGTHS)), None, PAIRS)


def test_passages_on_which_those_who_have_finished_differ_longest_first(found) -> None:
    told = [(one.pair, one.start, one.end, one.kind, one.characters, [*one.said]) for one in found]
    assert told == [
        (("t1", "d1"), 2, 9, "where", 7, ["ann", "bob"]),
        (("t1", "d1"), 10, 14, "whether", 4, ["ann", "bob"]),
        (("t1", "d2"), 0, 3, "whether", 3, ["ann", "bob"]),
    ]


def test_only_disagreements_on_the_documents_asked_for_are_told(tmp_path: Path) -> None:
    kept = read_database(database(tmp_path / "j.db", ACTS, LENGTHS))
    assert [one.pair for one in disputes(kept, None, PAIRS[1:])] == PAIRS[1:]
    alone = read_database(database(tmp_path / "k.db", [ACTS[0], ACTS[2]], LENGTHS))
    assert disputes(alone, None, PAIRS) == [] and told_agreement(alone, alone) == []


def test_a_disagreement_is_decided_as_one_has_it_by_all_or_by_what_is_common(found) -> None:
    choices = [(one["how"], one.get("as"), one["marks"]) for one in found[0].choices]
    assert choices == [
        ("pick", "ann", [mark("m0", 2, 6)]),
        ("pick", "bob", [mark("m0", 4, 9, rel=2)]),
        ("merge", None, [mark("m0", 2, 4), mark("m1", 4, 9, rel=2)]),
        ("common", None, [mark("m0", 4, 6)]),
    ]
    assert all(
        (one["start"], one["end"], one["people"]) == (2, 9, ["ann", "bob"]) for one in found[0].choices
    )
    assert [one["marks"] for one in found[2].choices] == [
        [mark("m0", 0, 3, needs=["why"])], [], [mark("m0", 0, 3, needs=["why"])], [],
    ]  # fmt: skip


def test_passages_that_overlap_where_three_differ_are_one(tmp_path: Path) -> None:
    acts = [
        (name, "t1", "d1", {"adds": [mark("a", start, end), mark("b", 17, 17 + more)], "done": True})
        for name, start, end, more in (("ann", 0, 5, 1), ("bob", 3, 9, 1), ("cyd", 7, 12, 2))
    ]
    found = disputes(read_database(database(tmp_path / "j.db", acts, LENGTHS)), None, PAIRS)
    assert [(one.start, one.end, [*one.said]) for one in found] == [
        (0, 12, ["ann", "bob", "cyd"]),
        (17, 19, ["ann", "bob", "cyd"]),
    ]


def test_agreement_is_told_as_it_was_before_decisions_and_as_it_is(tmp_path: Path, found) -> None:
    def told(name: str, acts: list[tuple[str, str, str, dict[str, Any]]]) -> list[tuple[Any, ...]]:
        path = database(tmp_path / name, acts, LENGTHS)
        rows = told_agreement(read_database(path), read_database(path, decisions=False))
        return [(row["when"], row["same"], row["whether"], row["where"], row["documents"]) for row in rows]

    assert told("open.db", ACTS) == [("now", 0, 2, 1, 2)]
    decision = found[2].choices[2]
    decided = [*ACTS, ("ann", "t1", "d2", {"decides": decision})]
    assert told("decided.db", decided) == [("before", 0, 2, 1, 2), ("now", 1, 1, 1, 2)]
    nothing_open: Any = SimpleNamespace(pairs=[], pool=Pool([]))
    overview = Overview(nothing_open, tmp_path / "decided.db", adjudicators=frozenset(["ann"]))
    shown = overview.disputes(AssessorProgress("ann"))["agreement"]
    now = overview.standing_now(AssessorProgress("ann"))["agreement"]
    for rows in (shown, now):
        assert [(row["when"], row["same"]) for row in rows] == [("before", 0), ("now", 1)]


def test_a_run_is_copied_with_all_that_its_results_have() -> None:
    rows = [
        {"topic": topic, "doc": f"d{rank}", "rank": rank, "score": 1 / rank, "start": rank, "end": 9}
        for topic in ("t1", "t2")
        for rank in (1, 2)
    ]
    run = replace(read_run(rows, name="mine"), added=np.arange(4), texts=list("abcd"))
    found = _copied(run, ["t2", "t1", "t3", "t2"])
    assert found.topics == ["0", "1", "2", "3"] and found.topic.tolist() == [0, 0, 1, 1, 3, 3]
    assert found.added.tolist() == [2, 3, 0, 1, 2, 3] and found.texts == list("cdabcd")
    assert found.rank.tolist() == found.start.tolist() == [1, 2] * 3 and found.end.tolist() == [9] * 6
    assert found.score.tolist() == [1, 0.5] * 3
    assert [found.docs[doc] for doc in found.doc.tolist()] == ["d1", "d2"] * 3


def test_the_effect_told_of_each_choice_is_that_which_it_has(tmp_path: Path, found) -> None:
    runs = {
        name: [{"topic": "t1", "doc": doc, "rank": 1, "start": start, "end": end}]
        for name, doc, start, end in (("early", "d1", 0, 6), ("late", "d1", 6, 12), ("other", "d2", 0, 4))
    }
    documents = [{"doc": doc, "text": "x" * length} for doc, length in LENGTHS.items()]
    so_far = RunsSoFar(runs, "F@1", documents, "majority", 1)
    kept = read_database(database(tmp_path / "open.db", ACTS, LENGTHS))
    effects = so_far.effects(kept, [(one.pair, one.choices) for one in found])
    then = set()
    for number, (one, effect) in enumerate(zip(found, effects, strict=True)):
        assert effect is not None
        lead = so_far.scores(kept)
        assert effect.now == lead.value(effect.first, "F@1") - lead.value(effect.second, "F@1")
        for at, choice in enumerate(one.choices):
            acts = [*ACTS, ("ann", *one.pair, {"decides": choice})]
            decided = so_far.scores(read_database(database(tmp_path / f"{number}-{at}.db", acts, LENGTHS)))
            told = decided.value(effect.first, "F@1") - decided.value(effect.second, "F@1")
            assert effect.then[at] == pytest.approx(told, abs=1e-12)
            then.add(round(told, 6))
    assert len(then) > 3
