"""Who gets in, who may change something, and what stays when things go wrong."""

from __future__ import annotations

import asyncio
import json
import resource
import socket
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

import doxeval as dx
from doxeval.judging.desk import Desk, desk_of
from doxeval.judging.pool_file import read_pool
from doxeval.judging.server import LARGEST_REQUEST, application
from doxeval.judging.store import JudgementStore
from tests.judging.serving import TEXTS, TIME, serving, write_desk

MARK = {"adds": [{"id": "m1", "start": 0, "end": 3}]}
APART = {
    "cache-control": "no-store", "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin", "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff", "x-frame-options": "DENY",
}  # fmt: skip
"""The headers that keep answers from other pages, and from the disk."""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("served"), people=("ann", "bob")) as found:
        yield found


def test_the_page_is_given_to_those_who_know_the_secret(served) -> None:
    status, content, headers = served.ask("GET", "")
    assert status == 200 and b"What is it?" in content and TEXTS["d1"].encode() not in content
    assert headers["content-security-policy"] == "frame-ancestors 'none'"
    assert (
        "default-src 'none'" in content.decode() and "unsafe" not in content.decode().partition("<style>")[0]
    )
    assert headers["cache-control"] == "no-store" and headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["", "acts", "text/0", "text/99", "nowhere"])
@pytest.mark.parametrize("spoilt", ["", "x", "/", "%00", "é"])
def test_nothing_is_given_without_the_whole_secret(served, path, spoilt) -> None:
    parts = urlsplit(served.address)
    secret = parts.path.strip("/")
    wrong = {
        "": "",
        "x": secret[:-1] + ("x" if secret[-1] != "x" else "y"),
        "/": secret + "/..",
        "é": "%C3%A9",
    }
    address = f"http://{parts.netloc}/{wrong.get(spoilt, secret + spoilt)}/"
    for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"):
        status, content, _ = served.ask(method, path, {} if method == "POST" else None, address=address)
        assert status in (404, 405) and b"What is it" not in content


def test_the_address_binds_to_this_machine_alone(served) -> None:
    port = urlsplit(served.address).port
    assert urlsplit(served.address).hostname == "127.0.0.1"
    for family, other in ((socket.AF_INET, "127.0.0.2"), (socket.AF_INET6, "::1")):
        with socket.socket(family) as asking:
            assert asking.connect_ex((other, port)) != 0


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1:1", "127.0.0.1", "", "a:b"]
)
def test_a_name_that_was_made_to_point_here_is_refused(served, host) -> None:
    told = host.format(port=urlsplit(served.address).port)
    assert served.ask("GET", "acts", headers={"Host": told or " "})[0] in (400, 421)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": ""},
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://localhost"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": ""},
    ],
)
def test_only_the_page_itself_changes_something(served, headers) -> None:
    before = served.ask("GET", "acts")[1]
    assert served.ask("POST", "acts", {"acts": []}, headers)[0] == 403
    assert served.ask("GET", "acts")[1] == before


def test_other_methods_change_nothing(served) -> None:
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        assert served.ask(method, "acts", {"acts": []})[0] == 405


@pytest.mark.parametrize(
    "act",
    [
        {}, {"nonsense": 1}, [], "x", {"adds": 1}, {"adds": [{"id": "m", "start": 0, "end": 99}]},
        {"adds": [{"id": "m", "start": -1, "end": 2}]}, {"adds": [{"id": "m", "start": 2, "end": 2}]},
        {"adds": [{"id": "", "start": 0, "end": 2}]}, {"adds": [{"id": "m", "start": 0, "end": 2, "x": 1}]},
        {"adds": [{"id": "m", "start": 0.0, "end": 2}]}, {"adds": [{"id": "m", "start": 0, "end": True}]},
        {"adds": [{"id": "m", "start": 0, "end": 2, "rel": 0}]}, {"takes": [1]}, {"takes": "m1"},
        {"adds": [{"id": "m", "start": 0, "end": 2, "needs": [""]}]}, {"bep": 99}, {"bep": "1"},
        {"note": 1}, {"note": "\ud800"}, {"done": 1},
    ],
)  # fmt: skip
def test_acts_that_make_no_sense_are_refused_for_good(served, act) -> None:
    assert served.act(act)[0] == 422


@pytest.mark.parametrize(
    "changed", [{"doc": "d9"}, {"topic": ""}, {"id": "x" * 65}, {"id": 1}, {"time": "now"}]
)
def test_acts_on_what_is_not_to_be_judged_are_refused(served, changed) -> None:
    made = {"id": "i", "time": TIME, "topic": "t1", "doc": "d1", "act": MARK} | changed
    assert served.ask("POST", "acts", {"acts": [made]})[0] == 422
    assert served.ask("POST", "acts", changed)[0] == 422


def test_too_much_at_once_is_refused(served) -> None:
    status, _, _ = served.ask("POST", "acts", {"acts": ["x" * (9 << 20)]})
    assert status == 413


def test_everywhere_it_is_known_by_the_name_of_the_machine_and_by_numbers(tmp_path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0") as served:
        parts = urlsplit(served.address)
        assert parts.hostname == socket.gethostname().lower()
        local = f"http://127.0.0.1:{parts.port}{parts.path}"
        for host, status in ((socket.gethostname(), 200), ("10.1.2.3", 200), ("evil.example", 421)):
            assert served.ask("GET", "", headers={"Host": f"{host}:{parts.port}"}, address=local)[0] == status


def test_two_assessors_see_their_own_acts(served) -> None:
    ann, bob = served.addresses["ann"], served.addresses["bob"]
    assert served.act(MARK, address=ann)[0] == 200
    assert served.act({"adds": [{"id": "m2", "start": 4, "end": 7}], "done": True}, address=bob)[0] == 200
    seen = [json.loads(served.ask("GET", "acts", address=one)[1])["acts"] for one in (ann, bob)]
    assert [[act["act"] for act in acts] for acts in seen] == [
        [MARK],
        [{"adds": [{"id": "m2", "start": 4, "end": 7}], "done": True}],
    ]
    read = dx.read_assessments(served.database, merge="ann")
    assert read.ranges.start.tolist() == [0], "the log of a running server is read too"
    assert dx.read_assessments(served.database).ranges.start.tolist() == [0, 4]


def test_an_act_sent_twice_is_kept_once(tmp_path) -> None:
    with serving(tmp_path) as served:
        made = {"id": "same", "time": TIME, "topic": "t1", "doc": "d1", "act": MARK}
        for _ in range(3):
            assert served.ask("POST", "acts", {"acts": [made, made]})[0] == 200
        assert len(json.loads(served.ask("GET", "acts")[1])["acts"]) == 1
    assert served.process.returncode == 0, "ending it is no error"
    assert not Path(f"{served.database}-wal").exists(), "a server that ends leaves one file"


def test_two_servers_and_many_tabs_add_to_one_database(tmp_path) -> None:
    with serving(tmp_path) as first, serving(tmp_path, people=("bob",)) as second:
        answers: list[int] = []

        def tab(served) -> None:
            answers.extend(served.act({"note": f"{number}"})[0] for number in range(10))

        tabs = [threading.Thread(target=tab, args=(one,)) for one in (first, first, second, second)]
        for one in tabs:
            one.start()
        for one in tabs:
            one.join()
        assert answers == [200] * 40
    with sqlite3.connect(tmp_path / "judgements.db") as connection:
        assert connection.execute("SELECT assessor, count(*) FROM acts GROUP BY 1").fetchall() == [
            ("ann", 20),
            ("bob", 20),
        ]
    connection.close()


def test_a_full_disk_is_told_and_what_was_saved_stays(tmp_path) -> None:
    limit = 120_000
    with serving(
        tmp_path, prepare=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    ) as served:
        saved, failed = 0, ""
        while not failed and saved < 200:
            status, told = served.act({"note": "x" * 2000})
            saved += status == 200
            failed = told.get("problem", "")
        assert 0 < saved < 200 and "disk" in failed
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        assert served.act({"note": "more"})[0] == 200
    with sqlite3.connect(tmp_path / "judgements.db") as connection:
        assert connection.execute("SELECT count(*) FROM acts").fetchone() == (saved + 1,)
    connection.close()


def answered(served: Any, method: str, path: str, body: str, **told: str) -> tuple[int, dict[str, str]]:
    """Status and headers of an answer of an application that is served in this process as desk:80."""
    headers = {"host": "desk:80", "origin": "http://desk:80", "content-type": "application/json"} | told
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body.encode()}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": method, "path": path, "query_string": b"", "scheme": "http",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    with ThreadPoolExecutor(1) as elsewhere:
        elsewhere.submit(asyncio.run, served(scope, receive, send)).result()
    return sent[0]["status"], {name.decode(): value.decode() for name, value in sent[0]["headers"]}


def test_no_answer_is_kept_framed_or_given_to_other_pages(tmp_path, monkeypatch) -> None:
    pool, _, docs = write_desk(tmp_path, TEXTS)
    desk = desk_of(read_pool(pool), dx.read_documents(docs), dx.read_topics(None))
    monkeypatch.setattr(Desk, "picture", lambda *_: b"a picture")
    made = json.dumps({"acts": [{"id": "i", "time": TIME, "topic": "t1", "doc": "d1", "act": MARK}]})

    def check(status: int, path: str, body: str = "", place: str = "/secret/", **told: str) -> None:
        method = "POST" if body else "GET"
        found, headers = answered(app, method, place + path, body, **told)
        assert found == status, path
        assert headers.items() >= APART.items(), (path, status)
        policy = "frame-ancestors 'none'" if path == "" else "default-src 'none'; frame-ancestors 'none'"
        assert headers["content-security-policy"] == policy, (path, status)

    with JudgementStore(tmp_path / "j.db") as store:
        store.know(desk.queries, desk.documents)
        app = application(desk, store, ("desk", 80), {"secret": "ann"})
        for path in ("", "text/0", "picture/0/1", "pairs/0", "siblings/0", "disputes", "standing", "acts"):
            check(200, path)
        for path in ("text/9", "picture/9/1", "pairs/9", "siblings/9"):
            check(404, path)
        for status, body in ((200, made), (422, "[]"), (413, "x" * (LARGEST_REQUEST + 1))):
            check(status, "acts", body)
        for path in ("nowhere", "text/x", "text/0/", "acts/"):
            check(404, path)
        check(405, "text/0", made)
        check(404, "acts", place="/secrets/")
        check(421, "acts", host="other:80")
        check(403, "acts", made, origin="http://other:80")
        monkeypatch.setattr(Desk, "siblings", lambda *_: 1 / 0)
        check(500, "siblings/0")
        store.path.unlink()
        check(503, "acts", made.replace('"i"', '"j"'))
        check(409, "standing")


def test_a_missing_extra_says_what_installs_it() -> None:
    code = "import sys; sys.modules['starlette'] = None; import doxeval.judging.server"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'doxeval[judge]'" in done.stderr


def test_a_request_may_have_eight_mebibytes_and_no_more(served) -> None:
    most = 8 * 2**20
    for size, refused in ((most, False), (most + 1, True)):
        rest = json.dumps({"padding": ""})
        status, _, _ = served.ask("POST", "acts", {"padding": "x" * (size - len(rest))})
        assert (status == 413) == refused, (size, status)
