"""Where outputs go: links are written through, devices and pipes stay what they are, files appear whole.

Over every command and option that names a file to write; devices are nodes made for the test.
"""

from __future__ import annotations

import ast
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

import doxeval
from doxeval.cli import group
from doxeval.core.output import atomic
from tests.judging.databases import database

DEMO = Path(doxeval.__file__).parent / "demo"
RUNS = [str(DEMO / "runs" / f"{name}.jsonl") for name in ("sections", "paragraphs", "sentences")]
TRUTH = ["-q", str(DEMO / "answers.jsonl"), "-m", "iR@5"]
DOCS = str(DEMO / "documents")
CITED = str(Path(__file__).parent / "cited.jsonl")
OUT = "OUT"
NULL, FULL = os.makedev(1, 3), os.makedev(1, 7)

INVOCATIONS: dict[tuple[str, str], tuple[str, list[str]]] = {
    ("eval", "output"): ("scores.csv", ["eval", *RUNS, *TRUTH, "-o", OUT]),
    ("compare", "output"): ("compared.parquet", ["compare", *RUNS, *TRUTH, "-o", OUT]),
    ("correlate", "output"): ("tau.csv", ["correlate", *RUNS, *TRUTH, "-m", "IoU@5", "-o", OUT]),
    ("correlate", "heatmap"): ("tau.png", ["correlate", *RUNS, *TRUTH, "-m", "IoU@5", "--heatmap", OUT]),
    ("gate", "junit"): ("gate.xml", ["gate", RUNS[0], "-b", RUNS[0], *TRUTH, "--junit", OUT]),
    ("budget", "output"): ("budget.csv", ["budget", *RUNS, *TRUTH[:2], "-f", "csv", "-o", OUT]),
    ("compare", "plot"): ("means.svg", ["compare", *RUNS, *TRUTH, "--plot", OUT]),
    ("report", "output"): ("report.html", ["report", *RUNS, *TRUTH, "-d", DOCS, "-o", OUT]),
    ("demo", "report"): ("demo.html", ["demo", "--no-open", "--report", OUT]),
    ("plot", "output"): ("curve.pdf", ["plot", *RUNS, *TRUTH, "--figure", "means", "-o", OUT]),
    ("chunk", "output"): ("chunks.jsonl", ["chunk", DOCS, "--size", "400", "-o", OUT]),
    ("index", "output"): ("docs.dox", ["index", DOCS, "--jobs", "1", "-o", OUT]),
    ("navigate", "output"): ("nav.csv", ["navigate", DOCS, "-f", "csv", "-o", OUT]),
    ("summary", "output"): ("summary.json", ["summary", DOCS, "-o", OUT]),
    ("summary", "dot"): ("summary.dot", ["summary", DOCS, "--dot", OUT]),
    ("summary", "svg"): ("summary.svg", ["summary", DOCS, "--svg", OUT]),
    ("agree", "output"): ("agree.csv", ["agree", *TRUTH[1:2] * 2, "-d", DOCS, "-f", "csv", "-o", OUT]),
    ("agree", "report"): ("differ.html", ["agree", *TRUTH[1:2] * 2, "-d", DOCS, "--report", OUT]),
    ("anchor", "output"): ("answers.jsonl", ["anchor", TRUTH[1], "-d", DOCS, "-o", OUT]),
    ("judge", "offline"): ("page.html", ["judge", "POOL", "-d", DOCS, "-a", "ann", "--offline", OUT]),
    ("judge", "export"): ("answers.jsonl", ["judge", "--to", "DATABASE", "--export", OUT]),
    ("cite", "output"): ("cited.csv", ["cite", CITED, "-r", RUNS[0], "-d", DOCS, "-o", OUT]),
    ("cite", "cited"): ("cited.jsonl", ["cite", CITED, "-r", RUNS[0], "-d", DOCS, "--cited", OUT]),
    ("convert", "target"): ("run.parquet", ["convert", RUNS[0], OUT]),
    ("pool", "output"): ("pool.jsonl", ["pool", *RUNS, "-o", OUT]),
    ("pool", "sources"): ("sources.jsonl", ["pool", *RUNS, "--sources", OUT]),
    ("perturb", "output"): ("run.jsonl", ["perturb", RUNS[0], "shuffled", OUT, *TRUTH[:2]]),
    ("scores", "output"): ("stored.csv", ["scores", "STORE", "-f", "csv", "-o", OUT]),
}
WRITING = pytest.mark.parametrize("which", INVOCATIONS, ids="-".join)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("kept") / "store"
    assert _run(["eval", *RUNS, *TRUTH, "--store", str(folder)]).exit_code == 0
    assert _run(["pool", *RUNS, "-o", str(folder.parent / "pool.jsonl")]).exit_code == 0
    act = {"adds": [{"id": "m", "start": 0, "end": 9}], "done": True}
    database(folder.parent / "judgements.db", [("ann", "t1", "d1", act)], {"d1": 9})
    return str(folder)


def _names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def _run(arguments: list[str]) -> Result:
    done = CliRunner().invoke(group, arguments)
    if done.exception is not None and not isinstance(done.exception, SystemExit | click.ClickException):
        assert type(done.exception).__module__.startswith("doxeval"), done.exc_info
    return done


def _written(which: tuple[str, str], target: Path, store: str) -> Result:
    kept = Path(store).parent
    places = {OUT: str(target), "STORE": store}
    places |= {"POOL": str(kept / "pool.jsonl"), "DATABASE": str(kept / "judgements.db")}
    return _run([places.get(argument, argument) for argument in INVOCATIONS[which][1]])


def _options() -> Iterator[tuple[str, str]]:
    """Every option and argument that names one file to write; studies and synth fill folders."""
    words = ("write", "save ", "draw", "export the", "junit", "collection.dox", "png")
    for name in group.list_commands(None):  # type: ignore[arg-type]
        command = group.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None
        for parameter in command.params:
            if isinstance(parameter, click.Argument):
                if parameter.metavar == "OUT" or parameter.name == "target":
                    yield name, str(parameter.name)
            elif parameter.metavar == "FILE" or isinstance(parameter.type, click.Path):
                told = (parameter.help or "").lower()
                if any(word in told for word in words):
                    yield name, str(parameter.name)


def test_every_option_that_writes_is_tried():
    assert set(_options()) == set(INVOCATIONS)


@WRITING
def test_links_are_written_through(which, tmp_path, store):
    name, _ = INVOCATIONS[which]
    behind, link = tmp_path / "behind" / name, tmp_path / name
    behind.parent.mkdir()
    link.symlink_to(Path("behind") / name)
    for _ in range(2):
        assert _written(which, link, store).exit_code == 0
        assert link.is_symlink() and behind.is_file() and behind.stat().st_size > 10
    assert _names(behind.parent) == [name]


@WRITING
def test_pipes_get_what_files_get(which, tmp_path, store):
    name, _ = INVOCATIONS[which]
    pipe, file = tmp_path / name, tmp_path / f"file-{name}"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    done = _written(which, pipe, store)
    assert done.exit_code == 0, done.output
    reader.join(timeout=20)
    assert not reader.is_alive() and stat.S_ISFIFO(pipe.stat().st_mode)
    assert _written(which, file, store).exit_code == 0
    assert abs(len(read[0]) - file.stat().st_size) <= 0.05 * file.stat().st_size


@WRITING
def test_devices_stay_devices(which, tmp_path, store):
    name, _ = INVOCATIONS[which]
    for kind in (NULL, FULL):
        device = tmp_path / str(kind) / name
        device.parent.mkdir()
        try:
            os.mknod(device, stat.S_IFCHR | 0o666, kind)
        except PermissionError:
            pytest.skip("only root makes devices")
        done = _written(which, device, store)
        assert stat.S_ISCHR(device.stat().st_mode) and device.stat().st_rdev == kind
        assert _names(device.parent) == [name]
        refused = done.exit_code != 0 or "cannot be written" in done.output
        assert refused == (kind == FULL), done.output


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
def test_the_names_of_standard_output_print(name, tmp_path):
    if name == "link":
        (tmp_path / name).symlink_to("/dev/stdout")
        name = str(tmp_path / name)
    printed = _run(["eval", *RUNS, *TRUTH, "-f", "csv", "-o", name]).stdout
    assert printed and printed == _run(["eval", *RUNS, *TRUTH, "-f", "csv"]).stdout


def test_an_open_descriptor_is_appended_to(tmp_path):
    path = tmp_path / "log"
    with path.open("wb") as log:
        log.write(b"before\n")
        log.flush()
        with atomic(f"/dev/fd/{log.fileno()}") as stream:
            stream.write(b"written\n")
        log.write(b"after\n")
    assert path.read_bytes() == b"before\nwritten\nafter\n"


def test_a_file_keeps_its_permissions_and_its_content_when_writing_fails(tmp_path):
    path = tmp_path / "kept"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with pytest.raises(ZeroDivisionError), atomic(path) as stream:
        stream.write(b"half")
        raise ZeroDivisionError
    assert path.read_bytes() == b"old" and _names(tmp_path) == ["kept"]
    with atomic(path) as stream:
        stream.write(b"new")
    assert path.read_bytes() == b"new" and stat.S_IMODE(path.stat().st_mode) == 0o640


def test_nothing_is_written_past_this_one_way():
    """Elsewhere only working files, in folders of the program's own, are opened, and the gate's summary."""
    streams = {"core/workers.py", "io/documents/spool.py", "scoring/streaming/topic_blocks.py"}
    streams |= {"io/formats/judgements.py", "judging/judge.py"}
    root = Path(doxeval.__file__).parent
    found = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and _opens_to_write(node)
    }
    assert found == {"core/output.py", "cli/gate_command.py", "demo/build.py", *streams}


def _opens_to_write(call: ast.Call) -> bool:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name in ("write_text", "write_bytes", "mkstemp", "NamedTemporaryFile", "tofile", "replace_file"):
        return True
    modes = [one.value for one in call.args if isinstance(one, ast.Constant)]
    into_an_archive = ast.unparse(call.func) == "archive.open"
    return name == "open" and not into_an_archive and bool({"w", "wb", "a", "ab", "x", "xb"} & set(modes))
