"""A server of ``doxeval judge`` as people start it, on documents that are made for a test."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from doxeval.judging.pool_file import Pool, PooledDocument, write_pool

TEXTS = {"d1": "One two three.\nFour five six.\n", "d2": "Seven eight nine."}
TIME = "2026-01-02T03:04:05.678Z"
leaving: list[Callable[[str], None]] = []
"""What is done before the server at an address stops: browsers leave its pages, and ask nothing in vain."""


def write_desk(folder: Path, texts: dict[str, str], pool: list[PooledDocument] | None = None) -> list[str]:
    """Documents and a pool (all of every text, for the topic t1), and the arguments that name them."""
    lines = [json.dumps({"doc": doc, "text": text}) + "\n" for doc, text in texts.items()]
    (folder / "docs.jsonl").write_text("".join(lines))
    whole = [
        PooledDocument("t1", doc, ((0, len(text)),) if text else (), query="What is it?")
        for doc, text in texts.items()
    ]
    write_pool(Pool(whole if pool is None else pool), folder / "pool.jsonl")
    return [str(folder / "pool.jsonl"), "--docs", str(folder / "docs.jsonl")]


@dataclass
class Served:
    """A running server: its process, its addresses by assessor, and its database."""

    process: subprocess.Popen
    addresses: dict[str, str]
    database: Path
    last: dict[str, Any] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return next(iter(self.addresses.values()))

    def told(self) -> str:
        """What the server has said to those who started it."""
        return self.database.with_name("told.txt").read_text()

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None,
        address: str | None = None,
    ) -> tuple[int, bytes, dict[str, str]]:  # fmt: skip
        """Status, content and headers of an answer; `path` is below the secret."""
        parts = urlsplit(address or self.address)
        own = {"Origin": f"http://{parts.netloc}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
        with contextlib.closing(connection):
            told = None if body is None else json.dumps(body)
            given = {key: value for key, value in (own | (headers or {})).items() if value}
            connection.request(method, parts.path + path, told, given)
            answer = connection.getresponse()
            return answer.status, answer.read(), dict(answer.getheaders())

    def act(self, what: dict[str, Any], topic: str = "t1", doc: str = "d1", **more: Any) -> tuple[int, Any]:
        """Send one act: the answer's status and content."""
        made = {"id": uuid.uuid4().hex, "time": TIME, "topic": topic, "doc": doc, "act": what}
        status, content, _ = self.ask("POST", "acts", {"acts": [made]}, **more)
        return status, json.loads(content)


@contextlib.contextmanager
def serving(
    folder: Path, *options: str, texts: dict[str, str] | None = None,
    pool: list[PooledDocument] | None = None, people: tuple[str, ...] = ("ann",),
    prepare: Callable[[], None] | None = None, arguments: list[str] | None = None, patched: str = "",
) -> Iterator[Served]:  # fmt: skip
    """Serve a desk until the test is over; `patched` is run before, in the server's process."""
    given = arguments or write_desk(folder, TEXTS if texts is None else texts, pool)
    names = [word for name in people for word in ("--assessor", name)]
    database = folder / "judgements.db"
    port = [] if "--port" in options else ["--port", "0"]
    program = ["-c", f"{patched}\nfrom doxeval.cli import main\nmain()"] if patched else ["-m", "doxeval"]
    with (folder / "told.txt").open("w") as told:
        process = subprocess.Popen(
            [sys.executable, *program, "judge", *given, "--to", str(database), *names, *port, "--no-open",
             *options],
            stdout=subprocess.PIPE, stderr=told, text=True, preexec_fn=prepare,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
    served = Served(process, {}, database)
    try:
        lines = [process.stdout.readline().strip() for _ in people]
        served.addresses |= dict(line.split(": ", 1) for line in lines)
        yield served
    finally:
        if process.poll() is None and served.addresses:
            for leave in leaving:
                leave(f"http://{urlsplit(served.address).netloc}/")
        process.terminate()
        process.wait(timeout=30)
        process.stdout.close()
