"""What happens to a serving judge: its file moved or damaged, half-open connections, signals."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import doxeval as dx
from tests.judging.serving import TIME, Served, serving

MARK = {"adds": [{"id": "m1", "start": 0, "end": 3}]}
QUICK = "import doxeval.judging.listening as listening; listening.REQUEST_SECONDS = 1.0"


def marks(database: Path) -> list[int]:
    return dx.read_assessments(database).ranges.start.tolist()


def lose(served: Served, how: str) -> Path:
    """Do something to the file of a database; returns where it is now."""
    elsewhere = served.database.with_name("elsewhere.db")
    if how == "replaced":
        shutil.copy(served.database, elsewhere)
        elsewhere.replace(served.database)
        return served.database
    served.database.rename(elsewhere)
    if how == "recreated":
        served.database.touch()
    if how == "linked":
        served.database.symlink_to("nowhere")
    return elsewhere


@pytest.mark.parametrize("how", ["moved", "replaced", "recreated", "linked"])
def test_nothing_is_confirmed_when_the_file_is_no_longer_there(tmp_path, how) -> None:
    with serving(tmp_path) as served:
        assert served.act(MARK)[0] == 200
        before = lose(served, how).read_bytes()
        made = {"id": "again", "time": TIME, "topic": "t1", "doc": "d1", "act": {"note": "x"}}
        for _ in range(2):
            status, content, _ = served.ask("POST", "acts", {"acts": [made]})
            assert status == 503 and "was moved, replaced or deleted" in json.loads(content)["problem"]
        if how == "moved":
            assert (tmp_path / "elsewhere.db").read_bytes() == before, "nothing is written elsewhere"
            (tmp_path / "elsewhere.db").rename(served.database)
            assert served.ask("POST", "acts", {"acts": [made]})[0] == 200
            assert len(json.loads(served.ask("GET", "acts")[1])["acts"]) == 2
    assert served.told().count("was moved") == 1, "it is said once a minute"
    assert served.process.returncode == 0


def test_a_file_that_was_deleted_is_told(tmp_path) -> None:
    with serving(tmp_path) as served:
        assert served.act(MARK)[0] == 200
        served.database.unlink()
        assert served.act({"note": "x"})[0] == 503


def test_damage_found_later_is_an_answer_with_a_reason(tmp_path) -> None:
    with serving(tmp_path) as served:
        for number in range(40):
            assert served.act({"note": f"{number} " * 300})[0] == 200
        with served.database.open("r+b") as stream:
            stream.seek(4096)
            stream.write(os.urandom(served.database.stat().st_size - 4096))
        for answer in (served.act({"note": "x"}), served.ask("GET", "acts")[:2]):
            status, told = answer
            told = told if isinstance(told, dict) else json.loads(told)
            assert status == 503 and "judgements.db: " in told["problem"]
    assert "Traceback" not in served.told() and served.process.returncode == 0


def test_a_topic_outside_the_pool_is_refused(tmp_path) -> None:
    with serving(tmp_path) as served:
        status, told = served.act(MARK, topic="t9")
        assert status == 422 and "expected a topic that is to be judged, found 't9'" in told["refused"]


@pytest.mark.parametrize("change", [{}, {"act": {"note": "other"}}, {"doc": "d2"}])
def test_an_act_with_the_id_of_another_is_an_error(tmp_path, change) -> None:
    with serving(tmp_path, people=("ann", "bob")) as served:
        made = {"id": "same", "time": TIME, "topic": "t1", "doc": "d1", "act": {"note": "mine"}}
        ann, bob = served.addresses.values()
        assert served.ask("POST", "acts", {"acts": [made]}, address=ann)[0] == 200
        other = made | change
        status, content, _ = served.ask("POST", "acts", {"acts": [other]}, address=ann if change else bob)
        assert status == 422 and b"is that of another act" in content
        assert served.ask("POST", "acts", {"acts": [made]}, address=ann)[0] == 200


def test_the_port_of_the_web_opens(tmp_path) -> None:
    with contextlib.ExitStack() as stack:
        try:
            with socket.create_server(("127.0.0.1", 80)):
                pass
        except OSError as problem:
            pytest.skip(f"port 80 cannot be used here: {problem.strerror}")
        served = stack.enter_context(serving(tmp_path, "--port", "80"))
        own = {"Host": "127.0.0.1", "Origin": "http://127.0.0.1"}
        assert served.ask("GET", "", headers=own)[0] == 200
        made = {"id": "a", "time": TIME, "topic": "t1", "doc": "d1", "act": MARK}
        assert served.ask("POST", "acts", {"acts": [made]}, headers=own)[0] == 200


@pytest.mark.parametrize(
    "begun", [b"", b"GET / HTTP/1.1\r\nHost: x", b"POST {path}acts HTTP/1.1\r\nHost: {host}\r\n"
              b"Origin: http://{host}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
              b"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\nGET "],
)  # fmt: skip
def test_connections_that_stay_half_open_are_closed(tmp_path, begun) -> None:
    with serving(tmp_path, patched=QUICK) as served:
        parts = urlsplit(served.address)
        with socket.create_connection((parts.hostname, parts.port), timeout=20) as connection:
            sent = begun.replace(b"{path}", parts.path.encode()).replace(b"{host}", parts.netloc.encode())
            connection.sendall(sent)
            start = time.monotonic()
            with contextlib.suppress(ConnectionResetError):
                while connection.recv(1 << 16):
                    continue
            assert 0.5 < time.monotonic() - start < 15
        assert served.act(MARK)[0] == 200
    assert "Traceback" not in served.told()


def test_when_descriptors_run_out_it_is_said_once(tmp_path) -> None:
    with serving(tmp_path, prepare=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 4096))) as served:
        parts = urlsplit(served.address)
        with contextlib.ExitStack() as stack:
            for _ in range(80):
                stack.enter_context(socket.create_connection((parts.hostname, parts.port), timeout=20))
            time.sleep(3)
            said = served.told()
            assert said.count("new connections have to wait: Too many open files") == 1
            assert len(said) < 1000 and "Traceback" not in said, said
        assert served.act(MARK)[0] == 200, "it goes on when there are some again"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda one: one.name)
def test_stopping_during_an_upload_is_quiet(tmp_path, number) -> None:
    with serving(tmp_path) as served:
        parts = urlsplit(served.address)
        with socket.create_connection((parts.hostname, parts.port), timeout=20) as connection:
            connection.sendall(
                f"POST {parts.path}acts HTTP/1.1\r\nHost: {parts.netloc}\r\nOrigin: http://{parts.netloc}\r\n"
                "Content-Type: application/json\r\nContent-Length: 999999\r\n\r\n{".encode()
            )
            time.sleep(0.3)
            served.process.send_signal(number)
            assert served.process.wait(timeout=30) == 0
    assert [line for line in served.told().splitlines() if "Ctrl-C" not in line] == []


def test_a_backup_of_a_live_database_is_whole(tmp_path) -> None:
    with serving(tmp_path) as served:
        assert served.act(MARK)[0] == 200
        done = dx.judge(path=served.database, backup=tmp_path / "copy.db")
        assert "copy.db: a copy of" in done.lines[0] and "with 1 act" in done.lines[0]
        assert served.act({"adds": [{"id": "m2", "start": 5, "end": 7}]})[0] == 200
        assert marks(tmp_path / "copy.db") == [0] and marks(served.database) == [0, 5]
