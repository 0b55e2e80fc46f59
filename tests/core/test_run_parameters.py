"""Parameters of runs: from names of one pattern, from files, and where the two differ."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import doxeval as dx
from doxeval.core.notices import Notices
from doxeval.core.run_parameters import parameters_in_names, parameters_of_runs
from doxeval.io.formats.format import Options
from doxeval.io.write import format_to_write, write_table

GOLD = [{"topic": t, "doc": "d", "start": 0, "end": 10} for t in ("t1", "t2")]
ROWS = [{"topic": t, "doc": "d", "rank": 1, "start": 0, "end": 5} for t in ("t1", "t2")]


def head(**parameters: object) -> dict[str, object]:
    """The head of a run."""
    return {"run": "x", "parameters": parameters}


@pytest.mark.parametrize(
    ("names", "second"),
    [
        (["x_k1=0.9-b=0.4", "x_k1=1.2-b=0.4"], {"k1": "1.2", "b": "0.4"}),
        (["x_k1=0.9", "x_b=0.4"], {}),
        (["lr=1e-5_s=1", "lr=2e-5_s=1"], {"lr": "2e-5", "s": "1"}),
        (["bm25-a", "bm25-b"], {}),
        (["a-x", "b-x", "a-y", "b-y"], {"part 1": "b", "part 2": "x"}),
        (["only"] * 1, None),
    ],
)
def test_names_of_one_pattern_tell_parameters(names: list[str], second: dict[str, str] | None) -> None:
    found = parameters_in_names(names)
    assert len(found) == len(names)
    assert second is None or found[1] == second


def test_what_was_told_wins_and_a_contradiction_is_stated() -> None:
    notices = Notices()
    told = [{"size": "200.0"}, {"size": "999", "kind": "x"}, {}]
    found = parameters_of_runs(["size=200", "size=400", "size=800"], told, notices)
    assert found == [{"size": "200.0"}, {"size": "999", "kind": "x"}, {"size": "800"}]
    said = "; ".join(map(str, notices))
    assert "1 parameter in a name differs from what the run states, which counts" in said
    assert "size=400, given 999" in said and "size=200," not in said
    assert "1 run has no parameters, but others do (size=800)" in said


def test_every_place_tells_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = {"one": {"size": 200, "fast": True}, "two": {"size": 400, "fast": False}}
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    for folder in ("heads", "csv", "toml"):
        Path(folder).mkdir()
        for name, parameters in told.items():
            first = json.dumps(head(**parameters)) + "\n" if folder == "heads" else ""
            Path(folder, f"{name}.jsonl").write_text(first + lines)
    Path("csv/runs.csv").write_text("run,size,fast\none,200,true\ntwo.jsonl,400,false\n")
    Path("toml/runs.toml").write_text("[one]\nsize = 200\nfast = true\n[two]\nsize = 400\nfast = false\n")
    rows = {name: [head(**parameters), *ROWS] for name, parameters in told.items()}
    tables = {name: dx.read_run(given) for name, given in rows.items()}
    folders = [sorted(map(str, Path(folder).iterdir())) for folder in ("heads", "csv", "toml")]
    for runs in (*folders, rows, tables):
        scores = dx.evaluate(runs, GOLD, "iR@1")
        assert [run.parameters["size"] for run in scores.runs] == ["200", "400"]
        assert scores.parameters[0] == {"size": "200", "fast": "true"}
        assert scores.tables[0].header == ["run", "size", "fast", "iR@1"]
        assert [run.results for run in scores.runs] == [2, 2] and not list(scores.notices)


def test_parameters_survive_writing_and_reading(tmp_path: Path) -> None:
    run = dx.read_run([head(size=200, model="a b", rate=0.5), *ROWS], name="mine")
    assert run.parameters == {"size": "200", "model": "a b", "rate": "0.5"} and len(run) == 2
    for name in ("run.jsonl", "run.jsonl.gz"):
        dx.write_run(run, tmp_path / name)
        again = dx.read_run(tmp_path / name)
        assert again.parameters == run.parameters and len(again) == 2 and not list(again.notices)
    lost = write_table(run, tmp_path / "run.fol", format_to_write("run", "run.fol", "inex-fol"), Options())
    assert "3 parameters of the run, which inex-fol cannot hold" in "; ".join(map(str, lost))


def test_a_store_and_large_files_keep_parameters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in [head(size=200), *ROWS]))
    for _ in range(2):
        scores = dx.evaluate(path, GOLD, "iR@1", store=tmp_path / "store")
        assert scores.runs[0].parameters == {"size": "200"}


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("runs.csv", "run,size\na\n", r"runs.csv:2: expected 2 fields, found 1"),
        ("runs.csv", "run,size\na,1\na,2\n", r"runs.csv:3: the run 'a' is described twice"),
        ("runs.toml", "[a\n", r"runs.toml: "),
        ("runs.toml", "[a]\nsize = [1, 2]\n", r"the parameter 'size' must be a word or a number"),
        ("runs.toml", "size = 3\n", r"expected parameters by name, found 3"),
    ],
)
def test_a_broken_description_is_refused(tmp_path: Path, name: str, text: str, problem: str) -> None:
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (tmp_path / name).write_text(text)
    with pytest.raises(dx.InputError, match=problem):
        dx.evaluate(tmp_path / "a.jsonl", GOLD, "iR@1")
