"""The passages that could decide between two runs: enough of them, and those that change most first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.cli import group
from doxeval.core.errors import UsageError
from doxeval.judging.between import Rivals
from doxeval.judging.disputes import read_database
from doxeval.judging.runs_so_far import RunsSoFar
from tests.judging.databases import database, mark

Place = tuple[str, str, int]

TOPICS = ("q1", "q2")
KNOWN = [{"topic": topic, "doc": "a", "start": 0, "end": 9, "length": 90} for topic in TOPICS]
stretch = st.tuples(st.sampled_from(TOPICS), st.sampled_from("abc"), st.integers(0, 60), st.integers(1, 30))
results = st.lists(stretch, min_size=1, max_size=5)


def as_run(found: list[tuple[str, str, int, int]]) -> list[dict[str, Any]]:
    return [
        {"topic": topic, "doc": doc, "rank": rank, "start": start, "end": start + size}
        for rank, (topic, doc, start, size) in enumerate(found, 1)
    ]


def worth(runs: dict[str, list[dict[str, Any]]]) -> dict[Place, float]:
    """What each open character could change in the difference of the two runs."""
    found: dict[Place, float] = {}
    for sign, rows in zip((1, -1), runs.values(), strict=True):
        size = {t: sum(row["end"] - row["start"] for row in rows if row["topic"] == t) for t in TOPICS}
        shown = {(row["topic"], row["doc"], at) for row in rows for at in range(row["start"], row["end"])}
        for place in shown:
            if place[1] != "a":
                found[place] = found.get(place, 0.0) + sign / size[place[0]]
    return {place: abs(change) for place, change in found.items()}


@given(results, results)
@settings(deadline=None, max_examples=20)
def test_what_is_chosen_could_decide(
    one: list[tuple[str, str, int, int]], other: list[tuple[str, str, int, int]]
) -> None:
    runs = {"one": as_run(one), "other": as_run(other)}
    pool = dx.pool(runs, KNOWN, between=("one", "other"))
    scores = dx.Evaluation(KNOWN, "iP@10", bounds=True).scores(runs)
    now = scores.compare(draws=100, interval="t", test="t").differences[0]
    if now.whatever() != "depends on the unjudged text":
        assert not pool.documents and "no more judgements are needed" in " ".join(map(str, pool.notices))
        return
    changes = worth(runs)
    chosen = {
        (document.topic, document.doc, at)
        for document in pool.documents
        for start, end in document.passages
        for at in range(start, end)
    }
    missing = min(-now.least, now.most) * len(TOPICS)
    assert sum(changes[place] for place in chosen) >= missing - 1e-9
    by_document: dict[tuple[str, str], list[float]] = {}
    for (topic, doc, _), change in changes.items():
        by_document.setdefault((topic, doc), []).extend([change] if change > 1e-12 else [])
    worths = {document: sum(found) / len(found) for document, found in by_document.items() if found}
    taken = {place[:2] for place in chosen}
    assert chosen == {place for place, change in changes.items() if place[:2] in taken and change > 1e-12}
    rest = [worth for document, worth in worths.items() if document not in taken]
    assert min(worths[document] for document in taken) >= max(rest, default=0.0) - 1e-12


@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
def test_while_judging_the_leader_is_told_apart_from_every_other_run(tmp_path: Path) -> None:
    lengths = dict.fromkeys(["d1", "d2", "d3", "d4"], 20)
    acts = [("ann", "q1", "d1", {"adds": [mark("a", 0, 10)], "done": True})]
    runs = {
        "poor": as_run([("q1", "d4", 0, 15)]),
        "good": as_run([("q1", "d1", 0, 10), ("q1", "d2", 0, 2)]),
        "fair": as_run([("q1", "d1", 5, 10), ("q1", "d3", 0, 7)]),
    }
    documents = [{"doc": doc, "text": "x" * length} for doc, length in lengths.items()]
    so_far = RunsSoFar(runs, "iP@2", documents, "union", 2)
    told = so_far.next_hour(read_database(database(tmp_path / "j.db", acts, lengths)), speed=10)
    assert [(one["first"], one["second"], one["characters"], one["minutes"]) for one in told] == [
        ("good", "fair", 0, 0), ("good", "poor", 20, 2)
    ]  # fmt: skip
    assert told[0]["told"] == (
        "good - fair by iP@2: good is ahead whatever the unjudged text is; no more judgements are needed"
    )
    assert told[1]["told"].startswith("good - poor by iP@2 is +0.8333, and judgements could make it -0.1667")


def test_the_two_are_named_or_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runs = {
        "x": as_run([("q1", "b", 0, 30)]),
        "y": as_run([("q1", "c", 0, 10)]),
        "z": as_run([("q1", "c", 0, 9)]),
    }
    for name, rows in {**runs, "qrels": KNOWN}.items():
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def pooled(*words: str) -> str:
        done = CliRunner().invoke(group, ["pool", *words, "-q", "qrels.jsonl"])
        assert done.exit_code == 0, done.output
        return done.stdout

    assert pooled("--next", "x.jsonl", "y.jsonl") == pooled(
        "x.jsonl", "y.jsonl", "z.jsonl", "--next", "x", "y"
    )
    with pytest.raises(UsageError, match="unknown run 'w'"):
        dx.pool(runs, between=("x", "w"))
    with pytest.raises(UsageError, match="name two different runs"):
        dx.pool(runs, between=("x", "x"))
    assert "name the runs" in CliRunner().invoke(group, ["pool"]).output


@pytest.mark.parametrize(
    ("least", "most", "decided"),
    [(0.1, 0.2, True), (-0.2, -0.1, True), (0, 0, True), (0, 0.1, False), (-0.1, 0, False), (-1, 1, False)],
)
def test_what_no_judgement_can_turn_is_decided(least: float, most: float, decided: bool) -> None:
    assert Rivals("one", "other", "iP@1", 0, least, most, 1).decided == decided
