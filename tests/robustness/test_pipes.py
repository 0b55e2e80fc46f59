"""Pipes and FIFOs are read once, and give every command what a file of the same content gives."""

from __future__ import annotations

import io
import os
import random
import shutil
import signal
import subprocess
import tarfile
import threading
import zipfile
from pathlib import Path

import polars as pl
import pytest

import doxeval as dx
from doxeval.io.inputs import open_input, reading_once
from tests.robustness.sweeps import PYTHON, write_sweep
from tests.scoring.commands import COMMANDS, outcome, run, write_collection

SECONDS = 120


@pytest.fixture(autouse=True)
def no_hanging():
    """A FIFO that is opened twice waits for a second writer for ever."""

    def too_long(*_):
        raise AssertionError("a pipe was opened a second time, or never read")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def feed(path: Path, data: bytes) -> None:
    """Make `path` a FIFO through which `data` comes, once."""
    path.unlink(missing_ok=True)
    os.mkfifo(path)

    def write() -> None:
        try:
            path.write_bytes(data)
        except BrokenPipeError:
            return

    threading.Thread(target=write, daemon=True).start()


def lines(count: int) -> str:
    """A run of more than a pipe holds at once."""
    rng = random.Random(1)
    return "".join(
        f"t{rank % 6 + 1} Q0 d{rng.randrange(8)} {rank} {-rank} sys {rng.randrange(90)} 40\n"
        for rank in range(1, count)
    )


MORE = {
    "validate": ["validate", "a.fol", "b.fol", "-q", "qrels.txt"],
    "convert": ["convert", "a.fol", "out.jsonl"],
    "convert run": ["convert", "a.fol", "out.jsonl", "--kind", "run"],
    "pool": ["pool", "a.fol", "b.fol", "-q", "qrels.txt"],
    "perturb": ["perturb", "a.fol", "-o", "out.fol", "--steps", "swap"],
    "compare scores": ["compare", "scores.csv", "-m", "iP@3", "--draws", "100"],
    "compare parquet": ["compare", "scores.parquet", "-m", "iP@3", "--draws", "100"],
    "correlate outcomes": [
        "correlate",
        "scores.jsonl",
        "--outcomes",
        "outcomes.csv",
        "--draws",
        "0",
        "-f",
        "csv",
    ],
    "correlate scores": ["correlate", "scores.jsonl", "-m", "iP@3 iR@3", "--draws", "20", "-f", "csv"],
}


@pytest.mark.parametrize("name", [*COMMANDS, *MORE])
def test_every_command_reads_fifos_as_files(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    write_collection(tmp_path)
    (tmp_path / "a.fol").write_text(lines(3_000))
    for suffix in ("csv", "jsonl", "parquet"):
        scored = ["eval", "a.fol", "b.fol", "c.fol", "-q", "qrels.txt", "-m", "iP@3 iR@3", "--per-topic"]
        assert run([*scored, "-o", f"scores.{suffix}"]).exit_code == 0
    (tmp_path / "outcomes.csv").write_text(
        "topic,run,solved\n"
        + "".join(f"t{t},{name},{t * at % 3 > 0}\n" for t in range(1, 7) for at, name in enumerate("abc", 1))
    )
    arguments = (COMMANDS | MORE)[name]
    expected = outcome(arguments, tmp_path)
    (tmp_path / "out.jsonl").unlink(missing_ok=True)
    inputs = [tmp_path / word for word in arguments if (tmp_path / word).is_file()]
    assert inputs
    for path in inputs:
        feed(path, path.read_bytes())
    assert outcome(arguments, tmp_path) == expected


@pytest.mark.parametrize("shape", ["jsonl", "xml", "zip", "tar", "tar.gz", "parquet"])
def test_documents_come_through_fifos(tmp_path, shape):
    text = "<a><b>" + "word " * 30_000 + "</b></a>"
    path = tmp_path / f"docs.{shape}"
    packed = io.BytesIO()
    if shape == "jsonl":
        packed.write(b"".join(b'{"doc":"d%d","length":9}\n' % at for at in range(9_000)))
    elif shape == "xml":
        packed.write(text.encode())
    elif shape == "zip":
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("d1.xml", text)
    elif shape == "parquet":
        pl.DataFrame({"doc": ["d1", "d2"], "text": [text, "x"]}).write_parquet(packed)
    else:
        with tarfile.open(fileobj=packed, mode="w:gz" if shape == "tar.gz" else "w") as archive:
            member = tarfile.TarInfo("d1.xml")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    path.write_bytes(packed.getvalue())
    expected = dx.read_documents(path)
    feed(path, packed.getvalue())
    found = dx.read_documents(path)
    assert list(found.ids) == list(expected.ids) and len(found) == len(expected) > 0


def shell(command: str, folder: Path) -> subprocess.CompletedProcess:
    """A command line as people type it, with `doxeval` for the command."""
    typed = command.replace("doxeval", f"{PYTHON} -m doxeval")
    return subprocess.run(
        ["bash", "-c", typed], cwd=folder, capture_output=True, timeout=SECONDS, check=False, text=True
    )


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    "given", ["<(cat run0.fol)", "/dev/fd/3 3<run0.fol", "- < run0.fol", "/dev/stdin < run0.fol"]
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_shell_gives_is_scored_with_any_number_of_jobs(tmp_path, given, jobs):
    write_sweep(tmp_path, runs=2, results=600)
    scored = f"doxeval eval {{}} -q qrels.txt -m 'AiP iR@5' -f csv --jobs {jobs} | cut -d, -f2-"
    expected = shell(scored.format("run0.fol run1.fol"), tmp_path)
    place, _, redirection = given.partition(" ") if "(" not in given else (given, "", "")
    found = shell(scored.format(f"{place} run1.fol {redirection}"), tmp_path)
    assert not found.stderr.count("Traceback")
    assert found.stdout == expected.stdout and found.stdout.count("\n") > 2


def test_a_store_tells_pipes_by_their_content(tmp_path):
    write_sweep(tmp_path, runs=2)
    for number in (0, 1):
        scored = f"doxeval eval - -q qrels.txt -m AiP -f csv --store st < run{number}.fol"
        fresh = f"doxeval eval - -q qrels.txt -m AiP -f csv < run{number}.fol"
        assert shell(scored, tmp_path).stdout == shell(fresh, tmp_path).stdout


def test_pipes_are_forgotten_when_the_call_is_over(tmp_path):
    path = tmp_path / "fifo"
    for content in (b"first", b"second"):
        feed(path, content)
        with reading_once():
            assert open_input(path).read() == content
            assert open_input(path).read() == content


def test_an_endless_pipe_is_refused_at_its_first_bytes(tmp_path):
    done = shell("yes 'this is no run' | timeout 60 doxeval validate -", tmp_path)
    assert done.returncode == 1 and "not recognised" in done.stdout


def test_a_worker_refuses_a_pipe_it_cannot_have(tmp_path):
    write_sweep(tmp_path, runs=2)
    (tmp_path / "docs.jsonl").write_text(
        "".join(
            f'{{"doc":"d{at}","length":1000,"nodes":[{{"id":"e","parent":null,"tag":"a","start":0,"end":1000}}]}}\n'
            for at in range(20)
        )
    )
    done = shell(
        "doxeval eval run0.fol run1.fol -q qrels.txt --docs /dev/fd/3 -m AiP --jobs 2 3< docs.jsonl", tmp_path
    )
    assert done.returncode == 0, done.stderr
