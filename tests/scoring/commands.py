"""Every command that scores, on a small collection, for tests that go over all of them."""

from __future__ import annotations

import json
import random
from pathlib import Path

from click.testing import CliRunner, Result

from doxeval.cli import group

TOPICS = [f"t{number}" for number in range(1, 7)]
DOCS = [f"d{number}" for number in range(8)]


def write_collection(folder: Path) -> None:
    """Assessments, three runs (one with overlap and a refused line, one without a topic), ids with ranges."""
    rng = random.Random(4)
    qrels, other, ids = [], [], []
    for topic in TOPICS:
        for doc in DOCS[:5]:
            start = rng.randrange(0, 60, 10)
            qrels.append(f"{topic} Q0 {doc} 30 200 0 {start}:30\n")
            other.append(f"{topic} Q0 {doc} 50 200 0 {start + 20}:50\n")
            ids.append(f"{topic} 0 {doc}#{start}-{start + 30} 1\n")
    (folder / "qrels.txt").write_text("".join(qrels))
    (folder / "torn.txt").write_text("".join([*qrels, "t1 Q0 d7 no number\n"]))
    (folder / "other.txt").write_text("".join(other))
    (folder / "ids.txt").write_text("".join(ids))
    for name in ("a", "b", "c"):
        lines, trec = [], []
        for topic in TOPICS[: 5 if name == "c" else 6]:
            for rank in range(1, 7):
                doc, start, score = rng.choice(DOCS), rng.randrange(0, 80, 10), rng.random()
                lines.append(f"{topic} Q0 {doc} {rank} {score} {name} {start} 40\n")
                trec.append(f"{topic} Q0 {doc}#{start}-{start + 40} {rank} {score} {name}\n")
        lines.append("t1 broken\n" if name == "a" else "")
        lines.append("t1 Q0 d1 9 0.1 a 0 40\n" * 2 if name == "a" else "")
        (folder / f"{name}.fol").write_text("".join(lines))
        (folder / f"{name}.trec").write_text("".join(trec))
    for size, name in enumerate("abc", start=1):
        for suffix in ("fol", "trec"):
            (folder / f"size={size}.{suffix}").write_bytes((folder / f"{name}.{suffix}").read_bytes())
    (folder / "documents.jsonl").write_text("".join(json.dumps(document(doc)) + "\n" for doc in DOCS))
    chunks = [f"{doc},{start},{start + 40}\n" for doc in DOCS for start in range(0, 120, 10)]
    (folder / "chunks.csv").write_text("doc,start,end\n" + "".join(chunks))
    (folder / "bad.fol").write_text("Dear reader,\nthis is no run at all.\n")


def document(name: str) -> dict[str, object]:
    """A document of four sections with two paragraphs each, and its text."""
    extents: list[tuple[int | None, str, int, int]] = [(None, "article", 0, 200)]
    for section in range(4):
        extents.append((0, "section", 50 * section, 50 * section + 50))
        parent = len(extents) - 1
        extents += [(parent, "p", start, start + 25) for start in (50 * section, 50 * section + 25)]
    nodes = [dict(zip(("parent", "tag", "start", "end"), extent, strict=True)) for extent in extents]
    return {"doc": name, "text": "word " * 40, "nodes": nodes}


RUNS = ["a.fol", "b.fol", "c.fol"]
SIZES = ["size=1.fol", "size=2.fol", "size=3.fol"]
QRELS = ["-q", "qrels.txt"]
COMMANDS: dict[str, list[str]] = {
    "eval": ["eval", *RUNS, *QRELS, "-m", "iP@3 iR@3"],
    "report": ["report", *RUNS, *QRELS, "-m", "iP@3", "-o", "out.html"],
    "plot means": ["plot", *RUNS, *QRELS, "--figure", "means", "-m", "iP@3", "-o", "out.png"],
    "plot curves": ["plot", *RUNS, *QRELS, "--figure", "gain-rank", "-o", "out.png"],
    "explain": ["explain", "--run", "a.fol", *QRELS, "--topic", "t1", "-m", "iP@6"],
    "budget": ["budget", *RUNS, *QRELS, "--recall", "0.2", "--per-topic"],
    "diagnose": ["diagnose", *RUNS, *QRELS, "-m", "iR@3", "--draws", "100"],
    "compare": ["compare", *RUNS, *QRELS, "-m", "iP@3", "--draws", "100"],
    "effects": ["effects", *SIZES, *QRELS, "-m", "iP@3", "--draws", "100"],
    "gate": [
        "gate", "a.fol", "c.fol", "--baseline", "b.fol", *QRELS, "-m", "iP@3", "--draws", "100",
        "--max-drop", "0.9",
    ],
    "agree": ["agree", "qrels.txt", "other.txt", "--runs", *RUNS, "-m", "iP@3", "--draws", "100"],
    "correlate": ["correlate", *RUNS, *QRELS, "-m", "iP@3 iR@2 AiP", "--draws", "20", "-f", "csv"],
    "study discrimination": [
        "study", "discrimination", *RUNS, *QRELS, "-m", "iP@3", "--draws", "100", "--no-figures", "-o", "out",
    ],
    "study stability": [
        "study", "stability", *RUNS, *QRELS, "-m", "iP@3 iR@3", "--splits", "9", "--no-figures", "-o", "out",
    ],
    "study sensitivity": [
        "study", "sensitivity", *RUNS, *QRELS, "-m", "SRiP2@3", "--nav", "none", "--nav", "readon(mean=500)",
        "--no-figures", "-o", "out",
    ],
    "study papers": [
        "study", "papers", *RUNS, *QRELS, "--nav", "readon(mean=500)", "--paper", "esr", "--no-figures",
        "-o", "out",
    ],
    "simulate": ["simulate", "c.fol", *QRELS, "--readers", "20", "-m", "NearMisses(nav=readon(mean=50))@3"],
    "study fidelity": ["study", "fidelity", *RUNS, *QRELS, "-m", "iP@3", "--no-figures", "-o", "out"],
}  # fmt: skip
"""Each command with what it needs; it can be run in the folder of the collection."""


def run(arguments: list[str]) -> Result:
    """Run a command in this process; what goes wrong is its exception."""
    return CliRunner().invoke(group, arguments)


def outcome(arguments: list[str], folder: Path) -> tuple[int, str, str, list[tuple[str, bytes]]]:
    """All that a user sees: the exit status, what is told, and the files that are written."""
    before = set(folder.rglob("*"))
    done = run(arguments)
    found = sorted(path for path in set(folder.rglob("*")) - before if path.is_file())
    content = [(str(path.relative_to(folder)), path.read_bytes()) for path in found]
    for path in sorted(set(folder.rglob("*")) - before, reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    return done.exit_code, str(done.exception), done.output, content


_USUAL: dict[tuple[str, ...], tuple[object, ...]] = {}


def usual_outcome(arguments: list[str], folder: Path) -> tuple[object, ...]:
    """The outcome of a command, which must be the same each time; it is called twice, and then remembered."""
    key = tuple(arguments)
    if key not in _USUAL:
        _USUAL[key] = outcome(arguments, folder)
        assert outcome(arguments, folder) == _USUAL[key]
    return _USUAL[key]
