"""A database of judgements as assessments: what acts leave, how assessors become one, what is refused."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.cli import group
from doxeval.core.errors import InputError, UsageError
from doxeval.io.formats.judgements import Judgement, judgements_in
from doxeval.io.formats.merging import MERGE_RULES, JudgedRange, agreed
from doxeval.io.formats.rows_out import assessment_rows
from doxeval.judging.store import JudgementStore
from tests.judging.databases import database, mark
from tests.judging.serving import TIME
from tests.scoring.commands import COMMANDS, outcome, write_collection

LENGTH = 12


def ranges(table: dx.Assessments) -> list[tuple[int, int]]:
    return list(zip(table.ranges.start.tolist(), table.ranges.end.tolist(), strict=True))


def test_acts_follow_one_another() -> None:
    judged = Judgement()
    for act in (
        {"adds": [mark("a", 0, 5), mark("b", 6, 9)], "bep": 3},
        {"takes": ["a"], "adds": [mark("c", 1, 2, rel=2, needs=["why"])], "note": "hm"},
        {"takes": ["nobody"], "bep": None, "done": True},
        {"adds": [mark("a", 0, 5)], "takes": ["b"]},
    ):
        judged.follow(act)
    assert judged == Judgement(
        {"c": JudgedRange(1, 2, 2.0, ("why",)), "a": JudgedRange(0, 5)}, None, "hm", True
    )


def test_a_database_is_read_as_what_was_marked(tmp_path) -> None:
    path = database(
        tmp_path / "j.db",
        [
            (
                "ann",
                "t1",
                "d1",
                {"adds": [mark("a", 2, 6, rel=2, needs=["why", "how"])], "bep": 2, "done": True},
            ),
            ("ann", "t1", "d2", {"done": True}),
            ("ann", "t1", "d3", {"note": "later"}),
            ("ann", "t2", "d1", {"adds": [mark("b", 0, 1)]}),
        ],
        dict.fromkeys(("d1", "d2", "d3"), LENGTH),
    )
    table = dx.read_assessments(path)
    assert list(assessment_rows(table)) == [
        {"topic": "t1", "query": "What?"},
        {"topic": "t1", "doc": "d1", "start": 2, "end": 6, "rel": 2.0, "aspects": ["why", "how"]},
        {"topic": "t2", "doc": "d1", "start": 0, "end": 1},
        {"topic": "t1", "doc": "d1", "bep": 2, "length": 12},
        {"topic": "t1", "doc": "d2", "length": 12},
    ]
    assert [str(notice) for notice in table.notices.lasting] == [
        "1 document is unfinished; text not marked in it counts as not relevant (t2 d1)"
    ]
    assert not table.notices.failures


MARKS = st.builds(
    lambda a, b, rel, needs: JudgedRange(min(a, b), max(a, b) + 1, float(rel), tuple(sorted(needs))),
    st.integers(0, LENGTH - 1), st.integers(0, LENGTH - 1), st.integers(1, 3), st.sets(st.sampled_from("xy")),
)  # fmt: skip


def by_character(marks: list[list[JudgedRange]], enough: int) -> list[tuple[float, tuple[str, ...]]]:
    """Grade and needs of each character, straight from the definition."""
    found = []
    for place in range(LENGTH):
        here = [[one for one in person if one.start <= place < one.end] for person in marks]
        reached = [grade for grade in (1.0, 2.0, 3.0) if sum(
            any(one.rel >= grade for one in person) for person in here) >= enough]  # fmt: skip
        needs = [need for need in "xy" if sum(
            any(need in one.needs for one in person) for person in here) >= enough]  # fmt: skip
        found.append((max(reached, default=0.0), tuple(needs)) if reached else (0.0, ()))
    return found


@given(st.lists(st.lists(MARKS, max_size=4), min_size=1, max_size=5), st.sampled_from(sorted(MERGE_RULES)))
def test_rules_hold_character_by_character(marks, rule) -> None:
    enough = MERGE_RULES[rule](len(marks))
    found = agreed(marks, enough)
    painted: list[tuple[float, tuple[str, ...]]] = [(0.0, ())] * LENGTH
    for one in found:
        painted[one.start : one.end] = [(one.rel, one.needs)] * (one.end - one.start)
    assert painted == by_character(marks, enough)
    for before, after in pairwise(found):
        assert before.end < after.start or (before.rel, before.needs) != (after.rel, after.needs)


THREE = [
    ("ann", "t1", "d1", {"adds": [mark("a", 0, 6)], "bep": 0, "done": True}),
    ("bob", "t1", "d1", {"adds": [mark("b", 2, 8)], "bep": 2, "done": True}),
    ("cyd", "t1", "d1", {"adds": [mark("c", 4, 10)], "done": True}),
    ("cyd", "t1", "d2", {"adds": [mark("d", 1, 3)], "done": True}),
    ("ann", "t1", "d3", {"done": True}),
]


@pytest.mark.parametrize(
    ("rule", "expected", "beps"),
    [
        ("", [(0, 10), (1, 3)], [0, -1, -1]), ("union", [(0, 10), (1, 3)], [0, -1, -1]),
        ("majority", [(2, 8), (1, 3)], [0, -1, -1]), ("intersection", [(4, 6), (1, 3)], [-1, -1, -1]),
        ("bob", [(2, 8)], [2]), ("cyd", [(4, 10), (1, 3)], [-1, -1]),
    ],
)  # fmt: skip
def test_assessors_become_one_by_a_rule(tmp_path, rule, expected, beps) -> None:
    path = database(tmp_path / "j.db", THREE, dict.fromkeys(("d1", "d2", "d3"), LENGTH))
    table = dx.read_assessments(path, merge=rule)
    assert ranges(table) == expected and table.bep.tolist() == beps
    told = any("3 assessors have judged" in str(notice) for notice in table.notices.lasting)
    assert told is (rule == "")
    assert judgements_in(path).assessors == ["ann", "bob", "cyd"]


def test_a_rule_that_is_none_is_told_with_its_nearest(tmp_path) -> None:
    path = database(tmp_path / "j.db", THREE, dict.fromkeys(("d1", "d2", "d3"), LENGTH))
    with pytest.raises(UsageError, match=r"--merge majorty.*ann, bob, cyd.*did you mean 'majority'"):
        dx.read_assessments(path, merge="majorty")
    with pytest.raises(UsageError, match="does not tell assessors apart"):
        dx.read_assessments(b'{"topic": "1", "doc": "d1", "start": 0, "end": 4}\n', merge="union")
    with pytest.raises(UsageError, match="would do nothing"):
        dx.read_assessments(dx.read_assessments(path), merge="union")


def test_packed_and_from_bytes_it_is_the_same(tmp_path) -> None:
    path = database(tmp_path / "j.db", THREE, dict.fromkeys(("d1", "d2", "d3"), LENGTH))
    data = path.read_bytes()
    (tmp_path / "j.db.gz").write_bytes(gzip.compress(data))
    for again in (data, tmp_path / "j.db.gz"):
        assert ranges(dx.read_assessments(again, merge="majority")) == [(2, 8), (1, 3)]


def test_what_a_writer_has_not_closed_is_read_and_can_be_copied(tmp_path) -> None:
    path = tmp_path / "j.db"
    database(path, THREE, dict.fromkeys(("d1", "d2", "d3"), LENGTH))
    with JudgementStore(path) as store:
        made = {
            "id": "new",
            "time": "2026-01-01",
            "topic": "t1",
            "doc": "d2",
            "act": {"adds": [mark("z", 5, 9)]},
        }
        store.add("bob", [made])
        assert list(tmp_path.iterdir()) == [path], "what is confirmed is in one file"
        assert ranges(dx.read_assessments(path, merge="bob")) == [(2, 8), (5, 9)]
        (tmp_path / "copies").mkdir()
        copy = tmp_path / "copies" / "j.db"
        copy.write_bytes(path.read_bytes())
        assert ranges(dx.read_assessments(copy, merge="bob")) == [(2, 8), (5, 9)]
        assert list(copy.parent.iterdir()) == [copy], "reading leaves nothing behind"


def test_every_commit_is_synchronised_with_the_disk(tmp_path) -> None:
    with JudgementStore(tmp_path / "j.db") as store:
        told = [
            store._connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous")
        ]
        assert told == ["delete", 3]


def test_databases_of_others_are_refused(tmp_path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE acts (number INTEGER)")
        connection.commit()
    with pytest.raises(
        InputError, match=r"other\.db: is an SQLite database, but not one made by 'doxeval judge'"
    ):
        dx.read_assessments(path)
    with pytest.raises(InputError, match="not one made by 'doxeval judge'"):
        JudgementStore(path)
    (tmp_path / "text.db").write_text("no database at all, but text\n" * 40)
    with pytest.raises(InputError, match="not a database"):
        JudgementStore(tmp_path / "text.db")


def test_acts_that_somebody_spoilt_are_refused_with_their_number(tmp_path) -> None:
    path = database(tmp_path / "j.db", THREE, dict.fromkeys(("d1", "d2", "d3"), LENGTH))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE tally")
        connection.execute("PRAGMA user_version = 0")
        connection.execute("UPDATE acts SET act = '{' WHERE number = 1")
        connection.execute("UPDATE acts SET doc = 'd9' WHERE number = 4")
        connection.commit()
    table = dx.read_assessments(path, merge="union")
    assert [notice.count for notice in table.notices.refusals] == [2]
    assert "j.db: act 1: " in str(table.notices.refusals[0]) and "act 4" in str(table.notices.refusals[0])


def test_a_document_that_was_changed_is_refused(tmp_path) -> None:
    with JudgementStore(tmp_path / "j.db") as store:
        store.know({}, {"d1": (10, "abc")})
        with pytest.raises(InputError, match="'d1' was judged with another text"):
            store.know({}, {"d1": (10, "abd")})


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_a_database_and_a_rule(tmp_path: Path, monkeypatch, command) -> None:
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    acts: list[tuple[str, str, str, dict]] = []
    for line in (tmp_path / "qrels.txt").read_text().splitlines():
        topic, _, doc, *_, place = line.split()
        start = int(place.split(":")[0])
        for at, name in enumerate(("ann", "bob")):
            begin = start + 9 * at
            acts.append(
                (name, topic, doc, {"adds": [mark(f"{name}{len(acts)}", begin, begin + 30)], "done": True})
            )
    database(tmp_path / "j.db", acts, {f"d{number}": 200 for number in range(8)})
    arguments = [word.replace("qrels.txt", "j.db") for word in COMMANDS[command]]
    outcomes = {
        rule: outcome([*arguments, "--merge", rule], tmp_path) for rule in (*MERGE_RULES, "ann", "bob")
    }
    assert {one[0] for one in outcomes.values()} == {0}, outcomes
    assert outcomes["majority"] == outcomes["intersection"], "of two, both must agree"
    assert outcomes["ann"] != outcomes["bob"]
    assert len({repr(one) for one in outcomes.values()}) >= 3


@pytest.mark.parametrize("arguments", [
    ["convert", "j.db", "out.jsonl"], ["convert", "j.db", "out.txt", "--format", "inex-assessments"],
    ["validate", "j.db"], ["anchor", "j.db", "--docs", "documents.jsonl", "-o", "out.jsonl"],
    ["perturb", "a.fol", "relevant-up", "out.fol", "-q", "j.db"],
])  # fmt: skip
def test_commands_that_do_not_score_take_them_too(tmp_path, monkeypatch, arguments) -> None:
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    acts = [("ann", "t1", "d1", {"adds": [mark("a", 0, 60)], "done": True}),
            ("bob", "t1", "d1", {"adds": [mark("b", 40, 50)], "done": True}),
            ("bob", "t1", "d2", {"adds": [mark("c", 0, 50)], "done": True})]  # fmt: skip
    database(tmp_path / "j.db", acts, {"d1": 200, "d2": 200})
    ann = outcome([*arguments, "--merge", "ann"], tmp_path)
    bob = outcome([*arguments, "--merge", "bob"], tmp_path)
    assert ann[0] == bob[0] == 0 and ann != bob, ann
    assert outcome([*arguments, "--merge", "nobody"], tmp_path)[0] != 0


def judge(*arguments: object) -> None:
    done = CliRunner().invoke(group, ["judge", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output


def test_exports_hold_what_was_marked(tmp_path) -> None:
    text = "a \U0001f600 b\u0301 c tables\tend"
    (tmp_path / "docs.jsonl").write_text(json.dumps({"doc": "d1", "text": text}) + "\n")
    graded = {"adds": [mark("a", 2, 6, rel=2, needs=["why"])], "note": "odd", "done": True}
    plain = {"adds": [mark("b", 4, 9)], "done": True}
    acts = [("ann", "t1", "d1", graded), ("bob", "t1", "d1", plain)]
    path = database(tmp_path / "j.db", acts, {"d1": len(text)})
    for form, target in (("native", "out.jsonl"), ("inex", "out.txt")):
        judge("--to", path, "--export", tmp_path / target, "--format", form, "--merge", "bob")
        assert ranges(dx.read_assessments(tmp_path / target)) == [(4, 9)]
    judge(
        "--to",
        path,
        "--export",
        tmp_path / "ls.json",
        "--format",
        "label-studio",
        "--docs",
        tmp_path / "docs.jsonl",
    )
    back, documents = dx.read_assessments(tmp_path / "ls.json"), dx.read_documents(tmp_path / "ls.json")
    assert sorted(ranges(back)) == [(2, 6), (4, 9)] and back.docs == ["d1"] and back.topics == ["t1"]
    assert documents.text[0] == text and back.queries == {"t1": "What?"}
    [task] = json.loads((tmp_path / "ls.json").read_text())
    first = task["annotations"][0]
    assert first["result"][0]["value"] == {
        "start": 2, "end": 6, "text": text[2:6], "labels": ["relevant 2", "why"],
    }  # fmt: skip
    assert first["comment"] == "odd" and first["completed_by"]["first_name"] == "ann"


def test_a_topic_gets_its_words_when_they_are_known_and_keeps_them(tmp_path) -> None:
    with JudgementStore(tmp_path / "j.db") as store:
        for words in ("", "What?", ""):
            store.know({"t1": words}, {"d1": (LENGTH, "")})
        store.add("ann", [{"id": "a", "time": TIME, "topic": "t1", "doc": "d1", "act": {"done": True}}])
    assert {"topic": "t1", "query": "What?"} in list(assessment_rows(dx.read_assessments(tmp_path / "j.db")))
