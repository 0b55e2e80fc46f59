"""Small inputs that ask for much, and what they cost: `python -m tests.robustness.bombs --write`.

Each is given to the command line in three sizes, every one ten times the one before; time is that of all
processors, memory the most that the command and what it starts hold together.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

PAGE = Path(__file__).parents[2] / "docs" / "robustness.md"
BEGIN, END = "<!-- bombs -->", "<!-- end of bombs -->"
PATIENCE = 300
MEGABYTE = 1 << 20
LETTERS = b"a" * MEGABYTE
GOOD = b"1 Q0 d1 1 9.5 sys 10 30\n"
INDEX = "index {} --jobs 1 -o c.dox"
SCORE = "eval {} -q qrels.txt -m iP@1"
TREES = (
    "eval {} -q qrels.jsonl -d docs.jsonl -m SRiP2@100000 -m ESRR(mode=trees)@100000 --nav readon(mean=20)"
)


@dataclass(frozen=True)
class Bomb:
    """An input and the command that reads it; `make` gives its content in the size that is `counted`."""

    name: str
    counted: str
    smallest: int
    make: Callable[[int], bytes]
    command: str = INDEX
    beside: Callable[[int], dict[str, bytes]] = lambda size: {}

    def plant(self, folder: Path, size: int) -> list[str]:
        """Write it and what is read with it; the arguments of the command."""
        for name, content in {self.name: self.make(size), **self.beside(size)}.items():
            (folder / name).write_bytes(content)
        return self.command.format(self.name).split()


@dataclass(frozen=True)
class Cost:
    """What a command took, how it ended, and what it told."""

    seconds: float
    megabytes: float
    status: int
    told: str

    def outcome(self) -> str:
        """Whether the input was read, or which option it was refused by."""
        if option := re.search(r"--max-[a-z-]+", self.told):
            return f"`{option[0]}`"
        return "refused" if self.status or "refused" in self.told else "read"


def cost(arguments: list[str], folder: Path, memory: int | None = None) -> Cost:
    """Run the command line to its end, watched; no process of it may have more `memory`, nor take minutes."""
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen(
            [sys.executable, "-m", "doxeval", *arguments],
            cwd=folder, stdout=told, stderr=told, preexec_fn=lambda: _limit(memory),
        )  # fmt: skip
        peak, top, patience = 0, psutil.Process(process.pid), time.monotonic() + PATIENCE
        while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
            try:
                family = [top, *top.children(recursive=True)]
                peak = max(peak, sum(member.memory_info().rss for member in family))
            except psutil.Error:
                continue
            if time.monotonic() > patience:
                process.kill()
            time.sleep(0.01)
        _, status, usage = ended
        process.returncode = os.waitstatus_to_exitcode(status)
        told.seek(0)
        return Cost(
            usage.ru_utime + usage.ru_stime, peak / 1e6, process.returncode, told.read().decode("utf-8")
        )


def _limit(memory: int | None) -> None:
    if memory is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def docling(children: dict[int, list[int]]) -> bytes:
    """A Docling document whose item i lists the given items."""
    texts = [
        {"label": "text", "text": "x", "children": [{"$ref": f"#/texts/{child}"} for child in children[at]]}
        for at in sorted(children)
    ]
    body = {"children": [{"$ref": "#/texts/0"}]}
    return json.dumps({"schema_name": "DoclingDocument", "body": body, "texts": texts}).encode()


def header(megabytes: int) -> bytes:
    """A tar.gz whose one member has so long a name."""
    member = tarfile.TarInfo("pax")
    member.type, member.size = tarfile.XHDTYPE, megabytes * MEGABYTE
    return gzipped(member.tobuf(tarfile.USTAR_FORMAT), LETTERS, megabytes)


def gzipped(first: bytes, piece: bytes, times: int) -> bytes:
    """What unpacks to `first` and so many times `piece`."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1) as stream:
        stream.write(first)
        for _ in range(times):
            stream.write(piece)
    return packed.getvalue()


def blank_lines(megabytes: int) -> bytes:
    """A run of one line and so much white space."""
    return gzipped(GOOD, b"\n" * MEGABYTE, megabytes)


def zipped(megabytes: int) -> bytes:
    """A zip file whose one member unpacks to so much."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a.txt", "w") as member:
        for _ in range(megabytes):
            member.write(LETTERS)
    return packed.getvalue()


def formatting(elements: int) -> bytes:
    """Formatting elements that every paragraph after them opens again."""
    opened = b"".join(b"<b id=%d>" % at for at in range(elements))
    return b"<p>" + opened + b"</p>" + b"<p>x</p>" * elements


def attributes(count: int) -> bytes:
    """A tag of HTML with so many."""
    return b"<p " + b" ".join(b"a%d=1" % at for at in range(count)) + b">x"


def long_line(megabytes: int) -> bytes:
    """A run whose second line names so long a document."""
    return GOOD + b"1 Q0 " + LETTERS * megabytes + b" 2 9 sys 0 5\n"


def judged(size: int) -> dict[str, bytes]:
    """What such a run is scored on, whatever its size."""
    return {"qrels.txt": b"1 Q0 d1 20 100 10 10:20\n"}


def entities(levels: int) -> bytes:
    """Each expands to ten of the one before."""
    tower = "".join(f'<!ENTITY e{at} "{f"&e{at - 1};" * 10}">' for at in range(1, levels))
    return f'<!DOCTYPE a [<!ENTITY e0 "lol">{tower}]><a>&e{levels - 1};</a>'.encode()


def cells(columns: int) -> bytes:
    """A table of Markdown whose rows leave nearly all columns out."""
    return b"|a" * columns + b"\n" + b"|-" * columns + b"\n" + b"|x\n" * (columns // 4)


def parquet(rows: int) -> bytes:
    """A run of so many rows, all of them the same."""
    import polars as pl

    columns: dict[str, Any] = {"topic": "1", "doc": "d1", "rank": 1, "score": 1.0, "start": 0, "end": 9}
    table = pl.select(*(pl.repeat(value, rows).alias(name) for name, value in columns.items()))
    packed = io.BytesIO()
    table.write_parquet(packed, compression="zstd")
    return packed.getvalue()


def sparse_scores(lines: int) -> bytes:
    """A score file in which every line has a run, a topic and a measure of its own."""
    rows = "".join(f"r{at},t{at},iP@{at + 1},0.5\n" for at in range(lines))
    return f"run,topic,measure,value\n{rows}".encode()


def json_lines(rows: Iterable[dict[str, object]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def spans(count: int) -> bytes:
    """Every node of the document below, as results or answers of one topic."""
    return json_lines({"topic": "1", "doc": "d", "start": 9 * at, "end": 9 * at + 9} for at in range(count))


def one_document(nodes: int) -> dict[str, bytes]:
    """A document of so many nodes below its root, and all of them as answers."""
    root = {"id": "r", "start": 0, "end": 9 * nodes}
    below = [{"id": str(at), "parent": "r", "start": 9 * at, "end": 9 * at + 9} for at in range(nodes)]
    docs = json_lines([{"doc": "d", "length": 9 * nodes, "nodes": [root, *below]}])
    return {"docs.jsonl": docs, "qrels.jsonl": spans(nodes)}


BOMBS = {
    "name of a member of a tar.gz": Bomb("a.tar.gz", "MiB", 10, header),
    "member of a zip file": Bomb("a.zip", "MiB", 10, zipped),
    "run in gzip": Bomb("a.fol.gz", "MiB", 10, blank_lines, SCORE, judged),
    "run in Parquet": Bomb("a.parquet", "rows", 10_000, parquet, SCORE, judged),
    "line of a run": Bomb("a.fol", "MiB", 1, long_line, SCORE, judged),
    "Docling items, each listing the next twice": Bomb(
        "a.json", "items", 10, lambda size: docling({at: [at + 1] * 2 for at in range(size)} | {size: []})
    ),
    "Docling items in a circle": Bomb(
        "a.json", "items", 10, lambda size: docling({at: [(at + 1) % size] for at in range(size)})
    ),
    "HTML formatting in every paragraph": Bomb("a.html", "elements", 15, formatting),
    "HTML options of a list": Bomb(
        "a.html", "options", 1000, lambda size: b"<select>" + b"<option>a" * size
    ),
    "HTML attributes of a tag": Bomb("a.html", "attributes", 1000, attributes),
    "XML elements": Bomb("a.xml", "elements", 21_000, lambda size: b"<a>" + b"<b/>" * size + b"</a>"),
    "XML elements in one another": Bomb("a.xml", "levels", 500, lambda size: b"<a>" * size + b"</a>" * size),
    "XML entities": Bomb("a.xml", "expansions", 10**5, lambda size: entities(len(str(size)))),
    "Markdown table without its cells": Bomb("a.md", "columns", 200, cells),
    "score file without most of its scores": Bomb("a.csv", "lines", 1500, sparse_scores, "compare {}"),
    "results and answers of one document": Bomb("a.jsonl", "of each", 100, spans, TREES, one_document),
}  # fmt: skip
"""By what is too large in them."""


def table() -> str:
    """What every bomb costs in three sizes."""
    lines = ["| what is large | size | file, KB | CPU, s | memory, MB | outcome |"]
    lines += [f"| --- |{' ---: |' * 4} --- |"]
    for what, bomb in BOMBS.items():
        for size in (bomb.smallest * 10**step for step in range(3)):
            with tempfile.TemporaryDirectory() as folder:
                found = cost(bomb.plant(Path(folder), size), Path(folder))
                kilobytes = (Path(folder) / bomb.name).stat().st_size / 1e3
            if "Traceback" in found.told:
                sys.exit(found.told)
            costs = f"{kilobytes:,.0f} | {found.seconds:.1f} | {found.megabytes:,.0f}"
            lines.append(f"| {what} | {size:,} {bomb.counted} | {costs} | {found.outcome()} |")
            print(lines[-1], file=sys.stderr)
            what = ""
    return "\n".join(lines)


def main() -> None:
    """Print the table, or put it into the page."""
    options = argparse.ArgumentParser(prog="python -m tests.robustness.bombs")
    options.add_argument("--write", action="store_true", help="into docs/robustness.md")
    given = options.parse_args()
    measured = table()
    if not given.write:
        print(measured)
    else:
        page = PAGE.read_text()
        PAGE.write_text(f"{page[: page.index(BEGIN)]}{BEGIN}\n{measured}\n{page[page.index(END) :]}")


if __name__ == "__main__":
    main()
