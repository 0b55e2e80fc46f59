"""Where outputs go: links are written through, devices and pipes stay what they are, files appear whole.

Over every command and option that names a file to write; devices are nodes made for the test.
"""

from __future__ import annotations

import ast
import errno
import os
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from inspect import signature
from pathlib import Path
from types import FunctionType
from typing import Any, cast

import click
import pytest
from click.testing import CliRunner, Result

import doxeval
import doxeval as dx
from doxeval.cli import group
from doxeval.cli.files import Output, is_read
from doxeval.core.calls import READ, WRITTEN, options_taken
from doxeval.core.errors import UsageError
from doxeval.core.files import check_outputs
from doxeval.core.output import atomic
from tests.judging.databases import database

DEMO = Path(doxeval.__file__).parent / "demo"
RUNS = [str(DEMO / "runs" / f"{name}.jsonl") for name in ("sections", "paragraphs", "sentences")]
TRUTH = ["-q", str(DEMO / "answers.jsonl"), "-m", "iR@5"]
DOCS = str(DEMO / "documents")
CITED = str(Path(__file__).parent / "cited.jsonl")
SIZES = str(Path(__file__).parent / "sizes.csv")
OUT = "OUT"
NULL, FULL = os.makedev(1, 3), os.makedev(1, 7)

INVOCATIONS: dict[tuple[str, str], tuple[str, list[str]]] = {
    ("eval", "output"): ("scores.csv", ["eval", *RUNS, *TRUTH, "-o", OUT]),
    ("compare", "output"): ("compared.parquet", ["compare", *RUNS, *TRUTH, "-o", OUT]),
    ("correlate", "output"): ("tau.csv", ["correlate", *RUNS, *TRUTH, "-m", "IoU@5", "-o", OUT]),
    ("correlate", "heatmap"): ("tau.png", ["correlate", *RUNS, *TRUTH, "-m", "IoU@5", "--heatmap", OUT]),
    ("gate", "junit"): ("gate.xml", ["gate", RUNS[0], "-b", RUNS[0], *TRUTH, "--junit", OUT]),
    ("budget", "output"): ("budget.csv", ["budget", *RUNS, *TRUTH[:2], "-f", "csv", "-o", OUT]),
    ("ceiling", "output"): ("ceiling.csv", ["ceiling", "CHUNKS", *TRUTH[:2], "-f", "csv", "-o", OUT]),
    ("diagnose", "output"): ("why.csv", ["diagnose", *RUNS, *TRUTH[:2], "-m", "iR@5", "-o", OUT]),
    ("effects", "output"): ("effects.md", ["effects", SIZES, "-o", OUT]),
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
    ("judge", "backup"): ("copy.db", ["judge", "--to", "DATABASE", "--backup", OUT]),
    ("cite", "output"): ("cited.csv", ["cite", CITED, "-r", RUNS[0], "-d", DOCS, "-o", OUT]),
    ("cite", "cited"): ("cited.jsonl", ["cite", CITED, "-r", RUNS[0], "-d", DOCS, "--cited", OUT]),
    ("convert", "target"): ("run.parquet", ["convert", RUNS[0], OUT]),
    ("pool", "output"): ("pool.jsonl", ["pool", *RUNS, "-o", OUT]),
    ("pool", "sources"): ("sources.jsonl", ["pool", *RUNS, "--sources", OUT]),
    ("perturb", "output"): ("run.jsonl", ["perturb", RUNS[0], "shuffled", OUT, *TRUTH[:2]]),
    ("gate", "summary"): ("gate.md", ["gate", RUNS[0], "-b", RUNS[0], *TRUTH, "--summary", OUT]),
    ("scores", "output"): ("stored.csv", ["scores", "STORE", "-f", "csv", "-o", OUT]),
}
WRITING = pytest.mark.parametrize("which", INVOCATIONS, ids="-".join)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("kept") / "store"
    assert _run(["eval", *RUNS, *TRUTH, "--store", str(folder)]).exit_code == 0
    assert _run(["pool", *RUNS, "-o", str(folder.parent / "pool.jsonl")]).exit_code == 0
    chunks = str(folder.parent / "chunks.jsonl")
    assert _run(["chunk", DOCS, "--size", "400", "-o", chunks]).exit_code == 0
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
    places |= {
        "CHUNKS": str(kept / "chunks.jsonl"),
        "POOL": str(kept / "pool.jsonl"),
        "DATABASE": str(kept / "judgements.db"),
    }
    return _run([places.get(argument, argument) for argument in INVOCATIONS[which][1]])


def _commands(owner: click.Group = group, above: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Every command with its words, those of groups too."""
    for name in owner.list_commands(click.Context(owner)):
        command = owner.get_command(click.Context(owner), name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _commands(command, (*above, name))
        else:
            yield " ".join((*above, name)), command


def test_every_option_that_writes_is_known_and_tried():
    words = ("write", "save ", "draw", "export the", "junit", "append", "collection.dox", "png")
    files = set()
    for name, one in ((name, one) for name, command in _commands() for one in command.params):
        told = (getattr(one, "help", "") or "").lower()
        place = one.metavar in ("FILE", "FOLDER", "OUT")
        if place and (one.metavar == "OUT" or any(word in told for word in words)):
            assert isinstance(one.type, Output), f"{name} {one.name}: its type is OUTPUT (cli/files.py)"
        if isinstance(one.type, Output) and not one.type.folder and not one.type.kept:
            files.add((name, str(one.name)))
    assert files == set(INVOCATIONS)


NO_FILES = {
    "", "ADDRESS", "ATTRIBUTE", "COLUMN", "COLUMN=TEXT", "FORMAT", "ID", "MEASURE", "MEASURE:]DROP",
    "MEASURES", "MODEL", "NAME", "NODE", "PATTERN", "PERTURBATION", "RULE", "SYSTEM", "TEXT", "TOPIC",
    "TOPICS", "WIDTH", "X",
}  # fmt: skip
"""The values that help shows for texts that name no file; files of calls (MEASURE, MODEL) are looked for."""


def test_every_text_is_known_to_be_a_file_or_none():
    for words, command in _commands():
        for one in command.params:
            assert not isinstance(one.type, click.Path | click.File), (
                f"{words} {one.name}: use OUTPUT or a text"
            )
            if one.type is click.STRING and not is_read(one):
                told = (one.metavar or "").strip("[].")
                assert told in NO_FILES, f"{words} {one.name}: READ in cli/files.py, or NO_FILES, has {told}"


PAIRS = [
    (words, output, source)
    for words, command in _commands()
    for output in command.params
    if isinstance(output.type, Output)
    for source in command.params
    if is_read(source) and source is not output
]


def _typed(parameter: click.Parameter, value: str) -> list[str]:
    """A parameter with a value, as it is typed."""
    flag = [] if isinstance(parameter, click.Argument) else [parameter.opts[0]]
    return [*flag, *[value] * max(1, parameter.nargs)]


def _typed_with(words: str, values: dict[click.Parameter, str]) -> list[str]:
    """A command with these values, and another file for whatever else it requires."""
    command = dict(_commands())[words]
    given = {one: values.get(one, "other") for one in command.params if one.required or one in values}
    return [*words.split(), *(word for one, value in given.items() for word in _typed(one, value))]


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(
    ("words", "output", "source"), PAIRS, ids=[f"{words} {a.name} {b.name}" for words, a, b in PAIRS]
)
def test_no_output_is_an_input(words, output, source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("other", "input", "folder/inside"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(name)
    Path("symbolic").symlink_to("input")
    Path("hard").hardlink_to("input")
    Path("elsewhere").symlink_to("folder")
    before = _contents(tmp_path)
    cases = [("input", "input"), ("./folder/../input", "input"), ("symbolic", "input"), ("input", "symbolic")]
    cases += [("hard", "input"), ("folder/new", "folder"), ("elsewhere/new", "folder"), ("input", "in*t")]
    for target, read in cases:
        done = _run(_typed_with(words, {output: target, source: read}))
        told = f"{done.output}{done.exception}"
        assert done.exit_code and ("would be written" in told or "is a folder" in told), (target, read, told)
        assert _contents(tmp_path) == before, (target, read)


TWICE = [
    (words, first, second)
    for words, command in _commands()
    for at, first in enumerate(command.params)
    for second in command.params[at + 1 :]
    if isinstance(first.type, Output) and isinstance(second.type, Output)
]


@pytest.mark.parametrize(
    ("words", "first", "second"), TWICE, ids=[f"{words} {a.name} {b.name}" for words, a, b in TWICE]
)
def test_no_two_outputs_are_one_file(words, first, second, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("link").symlink_to("same")
    for name in ("same", "link"):
        done = _run(_typed_with(words, {first: "same", second: name}))
        assert isinstance(done.exception, UsageError) and "would be written" in str(done.exception)
        assert _names(tmp_path) == ["link"]


def _inputs_of(words: list[str]) -> list[str]:
    """The words that are files or folders to read; names in them too, if they are folders."""
    found = [word for word in words if word != OUT and Path(word).exists()]
    return [*found, *(str(next(Path(word).iterdir())) for word in found if Path(word).is_dir())]


@WRITING
def test_what_commands_really_read_is_not_written(which, tmp_path, store, monkeypatch):
    """As the test above, with the true inputs of every command, as files and as links to them."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(Path(store).parent, tmp_path / "kept")
    shutil.copytree(DEMO, tmp_path / "given", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    shutil.copy(CITED, tmp_path / "given")
    places = {"STORE": "kept/store", "POOL": "kept/pool.jsonl", "DATABASE": "kept/judgements.db"}
    moved = {str(DEMO): "given", CITED: "given/cited.jsonl", SIZES: "given/sizes.csv"}
    words = []
    for word in INVOCATIONS[which][1]:
        for old, new in moved.items():
            word = word.replace(old, new)
        words.append(places.get(word, word))
    before = _contents(tmp_path)
    for source in _inputs_of(words):
        links = []
        if Path(source).is_file():
            Path("link").symlink_to(source)
            Path("hard").hardlink_to(source)
            links = ["link", "hard"]
        for target in (source, *links):
            done = _run([target if word == OUT else word for word in words])
            assert done.exit_code, (target, done.output)
            for link in links:
                assert Path(link).exists()
            now = {path: text for path, text in _contents(tmp_path).items() if Path(path).name not in links}
            assert now == before, target
        for link in links:
            Path(link).unlink()


FUNCTIONS = [
    (name, written, read)
    for name in cast(Any, dx).__all__
    if isinstance(getattr(dx, name), FunctionType)
    for takes in [{*signature(getattr(dx, name)).parameters, *options_taken(getattr(dx, name))}]
    for written in WRITTEN
    for read in READ
    if written in takes and read in takes
]
NO_FILES_OF_FUNCTIONS = {"folder", "retriever", "cut"}
"""Where a project file is looked for; a function that searches, and one that cuts."""


def test_every_path_of_a_function_is_known():
    for name in cast(Any, dx).__all__:
        if isinstance(function := getattr(dx, name), FunctionType):
            for one in signature(function).parameters.values():
                if "Path" in str(one.annotation) or str(one.annotation) == "Any":
                    known = {*WRITTEN, *READ, *NO_FILES_OF_FUNCTIONS}
                    assert one.name in known, f"{name}({one.name}): WRITTEN or READ in core/calls.py"


@pytest.mark.parametrize(("name", "written", "read"), FUNCTIONS, ids=map(" ".join, FUNCTIONS))
def test_no_function_writes_to_what_it_reads(name, written, read, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for file in ("other", "input"):
        Path(file).write_text(file)
    Path("symbolic").symlink_to("input")
    Path("hard").hardlink_to("input")
    before = _contents(tmp_path)
    function = getattr(dx, name)
    required = {
        one.name: "other"
        for one in signature(function).parameters.values()
        if one.default is one.empty and one.kind is not one.VAR_KEYWORD
    }
    for given in ("input", Path("input"), "symbolic", "hard", "in*t"):
        for wrapped in (given, [given], {"name": given}):
            with pytest.raises(UsageError, match=r"would be written|expects") as refused:
                function(**required | {written: "input", read: wrapped})
            assert "would be written" in str(refused.value) or wrapped != "input"
            assert _contents(tmp_path) == before


def test_nothing_replaces_a_database(tmp_path):
    """Whoever wrote it, and under whatever name: scores in its place would be the end of the judgements."""
    act = {"adds": [{"id": "m", "start": 0, "end": 9}], "done": True}
    gold = database(tmp_path / "gold.db", [("ann", "t1", "d1", act)], {"d1": 9})
    before = gold.read_bytes()
    (tmp_path / "link.csv").symlink_to(gold)
    scores = dx.evaluate(RUNS, TRUTH[1], "iR@5")
    for write in (
        lambda: scores.write(gold, format="csv"),
        lambda: scores.write(tmp_path / "link.csv"),
        lambda: dx.compare(scores).write(gold, format="csv"),
        lambda: dx.convert(gold, gold, format="native-assessments", replace=True),
        lambda: dx.write_run(RUNS[0], gold, format="native-run"),
    ):
        with pytest.raises(UsageError, match="is a database, which nothing else replaces"):
            write()
        assert gold.read_bytes() == before
    assert "nothing else replaces" in str(_run(["eval", *RUNS, *TRUTH, "-o", str(gold)]).exception)


def test_a_backup_replaces_an_older_copy_and_nothing_else(tmp_path):
    act = {"adds": [{"id": "m", "start": 0, "end": 9}], "done": True}
    gold = database(tmp_path / "gold.db", [("ann", "t1", "d1", act)], {"d1": 9})
    other = database(tmp_path / "other.db", [("bob", "t1", "d1", act)], {"d1": 9})
    for _ in range(2):
        dx.judge(path=gold, backup=tmp_path / "copy.db")
    for source, target in ((gold, other), (tmp_path / "copy.db", other)):
        before = target.read_bytes()
        with pytest.raises(UsageError, match=r"holds 1 act that .* lacks"):
            dx.judge(path=source, backup=target)
        assert target.read_bytes() == before


@pytest.mark.parametrize(
    "words", [["validate", "gold.jsonl"], ["eval", RUNS[0], "-q", "gold.jsonl", "-m", "iR@5"]]
)
def test_standard_output_is_no_input(words, tmp_path):
    gold = tmp_path / "gold.jsonl"
    gold.write_bytes((DEMO / "answers.jsonl").read_bytes())
    before = gold.read_bytes()
    with gold.open("ab") as stream:
        done = subprocess.run(
            [sys.executable, "-m", "doxeval", *words], cwd=tmp_path, stdout=stream, stderr=subprocess.PIPE
        )
    assert done.returncode == 2 and b"would be written" in done.stderr and gold.read_bytes() == before


def test_a_file_that_is_called_like_an_option_is_none(tmp_path, monkeypatch):
    """As the shell makes it of `eval *.jsonl`; and a pattern that the shell left alone."""
    monkeypatch.chdir(tmp_path)
    for name in ("--output=gold.jsonl", "b.jsonl", "gold.jsonl"):
        Path(name).write_bytes(Path(RUNS[0]).read_bytes())
    before = _contents(tmp_path)
    done = _run(["eval", "--output=gold.jsonl", "b.jsonl", *TRUTH])
    assert done.exit_code == 2 and "type ./--output=gold.jsonl, or --" in done.output
    for words in (
        ["./--output=gold.jsonl", *TRUTH],
        [*TRUTH, "--", "--output=gold.jsonl"],
        ["*gold.jsonl", *TRUTH],
    ):
        done = _run(["eval", *words])
        assert done.exit_code == 0 and "--output=gold" in done.output, done.output
    assert _contents(tmp_path) == before


def test_a_project_file_is_no_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("run").write_text("[eval]\nper_topic = true\n")
    Path("doxeval.toml").symlink_to("run")
    before = Path("run").read_bytes()
    done = _run(["config", "--write", "--force", "eval", "run", "-q", TRUTH[1]])
    assert isinstance(done.exception, UsageError) and "would be written" in str(done.exception)
    assert Path("run").read_bytes() == before


def test_files_in_calls_and_the_project_file_are_inputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("doxeval.toml").write_text("[eval]\nper_topic = true\n")
    Path("steps.csv").write_text("kept")
    for name, more in (("doxeval.toml", []), ("steps.csv", ["--nav", "matrix(file=steps.csv)"])):
        before = Path(name).read_bytes()
        done = _run(["eval", *RUNS, *TRUTH, *more, "-o", name])
        assert isinstance(done.exception, UsageError) and "is read" in str(done.exception)
        assert Path(name).read_bytes() == before


def test_files_beside_databases_and_annotations_are_inputs(tmp_path):
    for read, beside in (("a.db", "a.db-wal"), ("a.ann", "a.txt")):
        with pytest.raises(UsageError, match="would be written"):
            check_outputs({"out": tmp_path / beside}, {"in": tmp_path / read})


@pytest.mark.parametrize(
    ("read", "written", "how"),
    [
        ("folder/file", "folder/file", "is read (in) and would be written (out)"),
        ("folder/file", "link", "would be written (out), but is READ, which is read (in)"),
        ("folder", "other folder", "would be written (out), but is READ, which is read (in)"),
        ("folder", "folder/new", "would be written (out), but is inside READ, which is read (in)"),
        ("folder/file", "folder", "would be written (out), but contains READ, which is read (in)"),
    ],
)
def test_a_refusal_says_where_what_is_read_stands(read, written, how, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("kept")
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "file")
    (tmp_path / "other folder").symlink_to(tmp_path / "folder")
    with pytest.raises(UsageError) as refused:
        check_outputs({"out": tmp_path / written}, {"in": tmp_path / read})
    told = how.replace("READ", str(tmp_path / read))
    assert str(refused.value) == f"{tmp_path / written}: {told}; name another out"


def test_a_link_inside_a_folder_that_is_read_is_found(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "kept").write_text("kept")
    for make in ("symlink_to", "hardlink_to"):
        link = tmp_path / "folder" / make
        getattr(link, make)(tmp_path / "kept")
        with pytest.raises(UsageError, match="is inside"):
            check_outputs({"out": tmp_path / "kept"}, {"in": tmp_path / "folder"})
        link.unlink()
    check_outputs({"out": tmp_path / "kept"}, {"in": tmp_path / "folder"})


def test_what_replaces_itself_is_asked_for(tmp_path):
    path = tmp_path / "answers.jsonl"
    for words in (["convert", str(path), str(path)], ["anchor", str(path), "-d", DOCS, "-o", str(path)]):
        path.write_bytes((DEMO / "answers.jsonl").read_bytes())
        before = path.read_bytes()
        done = _run(words)
        assert isinstance(done.exception, UsageError) and "--replace" in str(done.exception)
        assert path.read_bytes() == before
        assert _run([*words, "--replace"]).exit_code == 0
        assert dx.read_assessments(path).topics == dx.read_assessments(DEMO / "answers.jsonl").topics
    with pytest.raises(UsageError, match="replace=True"):
        dx.convert(path, path)
    dx.convert(path, path, replace=True)


def test_functions_refuse_to_write_to_what_they_read(tmp_path):
    path = tmp_path / "gold.jsonl"
    path.write_bytes((DEMO / "answers.jsonl").read_bytes())
    before = path.read_bytes()
    for write in (
        lambda: dx.write_report(RUNS, path, "iR@5", path=path),
        lambda: dx.write_assessments(path, path),
        lambda: dx.index(path, tmp_path / "gold.jsonl"),
        lambda: dx.evaluate(RUNS, path, "iR@5", tmp_path, store=tmp_path / "store"),
        lambda: dx.judge(path, DOCS, path, assessors="ann"),
    ):
        with pytest.raises(UsageError, match="would be written"):
            write()
        assert path.read_bytes() == before and _names(tmp_path) == ["gold.jsonl"]


def test_the_content_is_on_disk_before_its_name(tmp_path, monkeypatch):
    """A power cut leaves the old file or the new one: content, then name, then folder are flushed."""
    calls: list[tuple[str, str, bytes]] = []

    def flush(descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        calls.append(("flush", path.suffix or path.name, b"" if path.is_dir() else path.read_bytes()))

    def rename(source: Path, target: Path, replace=os.replace) -> None:
        calls.append(("rename", target.name, source.read_bytes()))
        replace(source, target)

    monkeypatch.setattr(os, "fsync", flush)
    monkeypatch.setattr(os, "replace", rename)
    with atomic(tmp_path / "file") as stream:
        stream.write(b"new")
    assert calls == [("flush", ".part", b"new"), ("rename", "file", b"new"), ("flush", tmp_path.name, b"")]


@pytest.mark.parametrize("letter", ["x", "\u00e9"])
def test_the_longest_names_can_be_written(letter, tmp_path):
    path = tmp_path / (letter * (251 // len(letter.encode())) + ".csv")
    assert _run(["eval", *RUNS, *TRUTH, "-o", str(path)]).exit_code == 0
    assert _names(tmp_path) == [path.name]


def test_a_folder_is_no_file(tmp_path):
    for name in (f"{tmp_path}/", f"{tmp_path}/new/", str(tmp_path)):
        done = _run(["eval", *RUNS, *TRUTH, "-o", name])
        assert done.exit_code == 2 and "name a file, as in" in done.output
        with pytest.raises(UsageError, match="name a file, as in"), atomic(name):
            pass
    assert not _names(tmp_path)


def test_a_copy_of_the_demo_is_whole_or_not_there(tmp_path, monkeypatch):
    copied: list[str] = []

    def until_full(source: Path, target: Path, copy=shutil.copyfile, **_: object) -> None:
        copied.append(str(target))
        if len(copied) > 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        copy(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "copyfile", until_full)
        done = _run(["demo", "--copy", str(tmp_path / "demo")])
    assert isinstance(done.exception, UsageError) and "No space left" in str(done.exception)
    assert len(copied) > 5 and not _names(tmp_path)
    assert _run(["demo", "--copy", str(tmp_path / "demo")]).exit_code == 0


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
    streams = {"core/workers.py", "io/documents/spool.py", "scoring/streaming/blocks.py"}
    streams |= {"io/formats/judgement_database.py", "judging/judge.py"}
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
