"""Whatever a command reads is a step, told if it takes long: which file, how far, how much is left."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from doxeval.cli import group
from doxeval.core.progress import StepTaken, StepTeller, telling
from doxeval.io.source import Source
from tests.cli.test_widths import PRINTED
from tests.scoring.commands import DOCS, write_collection

READING = {name: words for name, words in PRINTED.items() if any(word.endswith(".fol") for word in words)}


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[StepTaken]:
    """Every step that is taken, also by what nobody had to wait for."""
    steps: list[StepTaken] = []
    begin = StepTeller.begin

    def recorded(self: StepTeller, step: StepTaken) -> None:
        steps.append(step)
        begin(self, step)

    monkeypatch.setattr(StepTeller, "begin", recorded)
    return steps


@pytest.mark.parametrize("name", READING)
def test_reading_a_file_is_a_step_in_every_command(name: str, taken, tmp_path: Path, monkeypatch) -> None:
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    given = {word for word in READING[name] if Path(word).is_file()}
    CliRunner().invoke(group, READING[name], catch_exceptions=False)
    read = {step.what.removeprefix("reading "): step for step in taken}
    files = {file for file in given if not file.endswith(".py")}
    assert files, "the command reads nothing"
    assert files <= read.keys(), files - read.keys()
    assert {read[file].done for file in files} == {Path(file).stat().st_size for file in files}


INDEX = ["index", "pages", "-o", "made.dox"]
EVAL = ["eval", "a.fol", "-q", "qrels.txt", "-d", "pages", "-m", "iP"]


@pytest.mark.parametrize("words", [INDEX, EVAL], ids=["index", "eval"])
def test_documents_are_counted(words: list[str], taken, tmp_path: Path, monkeypatch) -> None:
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    Path("pages").mkdir()
    for name in DOCS:
        Path("pages", f"{name}.html").write_text(f"<p>{'word ' * 40}</p>")
    CliRunner().invoke(group, words, catch_exceptions=False)
    assert [step.done for step in taken if step.what == "reading documents"] == [len(DOCS)]


def test_a_packed_file_is_told_by_what_was_unpacked_of_it(taken, tmp_path: Path) -> None:
    import gzip

    packed = tmp_path / "a.jsonl.gz"
    packed.write_bytes(gzip.compress(b"x" * 3_000_000))
    with telling(), Source(packed) as source:
        for _ in source.blocks():
            pass
    (step,) = taken
    assert (step.done, step.total) == (packed.stat().st_size, packed.stat().st_size)


def test_bytes_in_memory_are_no_step(taken) -> None:
    with telling(), Source(b"one\n") as source:
        assert source.read() == b"one\n"
    assert taken == []


@pytest.mark.parametrize("documents", ["jsonl", "none"])
def test_making_a_collection_tells_how_far_it_is(documents: str, taken, tmp_path: Path) -> None:
    sizes = ["--document-count", "20", "--topic-count", "3", "--pool-size", "10", "--system-count", "1"]
    words = ["synth", str(tmp_path / "made"), *sizes, "--results", "5", "--docs-format", documents]
    done = CliRunner().invoke(group, words, catch_exceptions=False)
    assert done.exit_code == 0
    assert [step.what for step in taken] == ["writing the collection: topic 3 of 3"]
