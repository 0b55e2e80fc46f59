"""Benchmarks: every command is in that of growth, or there is a reason why it cannot grow."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

pytest.importorskip("benchmarks", reason="the benchmarks are not here")

from benchmarks import growing_input
from benchmarks.bench_growth import GROWING, NOTHING_GROWS, Growth, Taken, exponent
from benchmarks.growing_input import TINY, WAYS, Shape
from click.testing import CliRunner

from doxeval.cli import COMMANDS, group


def test_every_command_grows_or_says_why_it_cannot() -> None:
    measured = {name.partition(",")[0] for name in GROWING}
    assert measured | set(NOTHING_GROWS) == set(COMMANDS) and not measured & set(NOTHING_GROWS)
    for one in GROWING.values():
        assert set(one.ways.split()) <= set(WAYS) and set(one.pairs.split()) <= set(one.ways.split())


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growing_input, "DATA", tmp_path_factory.mktemp("growth"))
        folder = growing_input.made(TINY, growing_input.FILES)
    runs = [str(path) for path in sorted(folder.glob("run*.jsonl"))]
    documents, pool = str(folder / "documents.jsonl"), str(folder / "pool.jsonl")
    assert CliRunner().invoke(group, ["pool", *runs, "-d", documents, "-o", pool]).exit_code == 0
    return folder


@pytest.mark.parametrize("name", GROWING)
def test_every_command_that_is_measured_works(name: str, tiny: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    runs = " ".join(map(str, sorted(tiny.glob("run*.jsonl"))))
    words = GROWING[name].words.replace("{runs}", runs).replace("{in}", str(tiny))
    words = words.replace("{pool}", str(tiny / "pool.jsonl"))
    done = CliRunner().invoke(group, [name.partition(",")[0], *shlex.split(words)])
    assert done.exit_code == 0, (done.output, done.exception)


def test_growth_beyond_the_input_fails() -> None:
    sizes = [10, 20, 40, 80]
    assert exponent(sizes, [1.0, 2.0, 4.0, 8.0]) == pytest.approx(1)

    def grown(power: float, way: str = "topics", command: str = "compare") -> Growth:
        costs = [Taken(0.1 + (size / 10) ** power, 50.0) for size in sizes]
        return Growth(command, way, sizes, costs, Taken(0.1, 50.0))

    assert not grown(1.1).fails and grown(1.3).fails
    assert not grown(2.0, "runs").fails and grown(2.3, "runs").fails and grown(2.0, "runs", "eval").fails
    hungry = [Taken(0.1, 50.0 + size**2 / 20) for size in sizes]
    assert Growth("eval", "topics", sizes, hungry, Taken(0.1, 50.0)).fails
    assert Growth("eval", "topics", sizes, [Taken(0.3, 60.0)] * 4, Taken(0.1, 50.0)).power == 0
    more = [Taken(0.1, 50.0 + size) for size in sizes]
    assert Growth("eval", "runs", sizes, more, Taken(0.1, 50.0)).fails
    assert not Growth("eval", "topics", sizes, more, Taken(0.1, 50.0)).fails


def test_shapes_grow_in_one_way() -> None:
    assert Shape().grown("topics", 8) == Shape(topics=640)
