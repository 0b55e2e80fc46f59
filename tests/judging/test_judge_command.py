"""What ``doxeval judge`` refuses before anybody has judged for nothing."""

from __future__ import annotations

import asyncio
import errno
import json
from typing import Any

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.judging.listening import Teller
from doxeval.judging.pool_file import PooledDocument
from tests.judging.serving import TEXTS, TIME, write_desk


def told(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(group, ["judge", *map(str, arguments)])
    return done.exit_code, f"{done.output} {done.exception}"


DESK = "POOL --docs DOCS"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("", "POOL is missing"),
        ("POOL", "--docs is missing"),
        (f"{DESK} --to j.db", "--assessor is missing"),
        (f"{DESK} --assessor ann", "--to is missing"),
        (f"{DESK} --to j.db --assessor union", "not union, majority, intersection"),
        (f"{DESK} --to j.db --assessor {'x' * 201}", "a short name"),
        (f"{DESK} --assessor a --assessor b --offline x.html", "one for each"),
        (f"{DESK} --assessor a --offline x.html --port 9", "--port would do nothing"),
        (f"{DESK} --assessor a --offline x.html --to j.db", "--to would do nothing"),
        (f"{DESK} --assessor a --to j.db --merge ann", "--merge would do nothing"),
        ("--take x.json", "--to is missing"),
        ("--take x.json --to j.db --docs DOCS", "--docs would do nothing"),
        ("--take x.json --export y --to j.db", "one at a time"),
        ("--export y.json --format label-studio --to j.db", "--docs is missing"),
        ("--export y.json --to nowhere.db", "nowhere.db"),
    ],
)
def test_what_is_missing_or_idle_is_told(tmp_path, monkeypatch, arguments, reason) -> None:
    monkeypatch.chdir(tmp_path)
    pool, _, docs = write_desk(tmp_path, TEXTS)
    status, words = told(*({"POOL": pool, "DOCS": docs}.get(word, word) for word in arguments.split()))
    assert status != 0 and reason in words
    assert not (tmp_path / "x.html").exists() and not (tmp_path / "nowhere.db").exists()


@pytest.mark.parametrize(
    ("pooled", "reason"),
    [
        (PooledDocument("t1", "d9", ((0, 3),)), "'d9' is the first"),
        (PooledDocument("t1", "d2", ((0, 99),)), "not the one that was pooled"),
        (PooledDocument("t1", "d2", ((0, 3),), fingerprint="beef"), "not the one that was pooled"),
        (None, "nothing to judge"),
    ],
)
def test_documents_that_are_not_those_of_the_pool_are_refused(tmp_path, pooled, reason) -> None:
    arguments = write_desk(tmp_path, TEXTS, [pooled] if pooled else [])
    if not pooled:
        (tmp_path / "pool.jsonl").write_text('{"pool": 1}\n')
    status, words = told(*arguments, "--assessor", "ann", "--offline", tmp_path / "page.html")
    assert status != 0 and reason in words


GIVEN: dict[str, Any] = {
    "judgements": 1, "assessor": "bob", "queries": {"t1": "What?"}, "documents": {"d1": [9, "beef"]},
    "acts": [{"id": "a", "time": TIME, "topic": "t1", "doc": "d1", "act": {"done": True}}],
}  # fmt: skip


@pytest.mark.parametrize(
    "changed",
    [
        {"judgements": 2}, {"assessor": ""}, {"assessor": "majority"}, {"queries": []},
        {"queries": {"t1": 1}}, {"documents": {"d1": [9]}}, {"documents": {"d1": ["9", ""]}},
        {"documents": {"d1": [9, 7]}}, {"documents": {"d1": [9, "beef", 1]}}, {"documents": []},
        {"documents": {"d1": "9b"}}, {"documents": {"d1": [True, ""]}},
        {"documents": {"d1": [9, "beef"], "d2": [9]}},
        {"acts": {}}, {"acts": [1]},
        {"acts": [GIVEN["acts"][0], GIVEN["acts"][0] | {"id": "b", "act": {"bep": 10}}]},
        {"documents": {}},
    ],
)  # fmt: skip
def test_a_file_that_was_spoilt_is_taken_whole_or_not_at_all(tmp_path, changed) -> None:
    file, database = tmp_path / "back.json", tmp_path / "j.db"
    file.write_text(json.dumps(GIVEN | changed))
    status, words = told("--take", file, "--to", database)
    assert status != 0 and ("back.json: " in words or "short name" in words)
    assert not changed.get("documents") or "with queries, documents and acts" in words
    file.write_text(json.dumps(GIVEN))
    assert "added 1 new act of bob" in told("--take", file, "--to", database)[1]


def test_the_page_of_the_first_assessor_is_opened_if_asked_for(tmp_path, monkeypatch) -> None:
    write_desk(tmp_path, TEXTS, [PooledDocument("t1", "d1", ((0, 3),))])
    opened: list[str] = []
    monkeypatch.setattr("doxeval.judging.judge._open", opened.append)
    monkeypatch.setattr("doxeval.judging.listening.serve", lambda application, listener: None)
    files = [tmp_path / name for name in ("pool.jsonl", "docs.jsonl", "j.db")]
    done = dx.judge(*files, assessors=["ann", "bob"], open_page=True)
    assert [*done.addresses] == ["ann", "bob"] and opened == [done.addresses["ann"]]
    dx.judge(*files, assessors=["ann", "bob"])
    assert len(opened) == 1


def test_what_goes_wrong_outside_of_requests_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    teller, loop = Teller(), asyncio.new_event_loop()
    loop.close()
    for problem in (ValueError("torn\nin two"), None, None, OSError(errno.EMFILE, "Too many open files")):
        teller.say_failure(loop, {"message": "a task failed"} | ({"exception": problem} if problem else {}))
    assert capsys.readouterr().err.splitlines() == [
        "warning: a task failed: ValueError: torn in two",
        "warning: a task failed",
        "warning: new connections have to wait: Too many open files",
    ]


@pytest.mark.parametrize("grades", [0, 10])
def test_the_highest_grade_is_from_1_to_9(grades: int) -> None:
    with pytest.raises(dx.UsageError, match=f"grades must be from 1 to 9, not {grades}"):
        dx.judge("pool.jsonl", "documents", "j.db", assessors="ann", grades=grades)
