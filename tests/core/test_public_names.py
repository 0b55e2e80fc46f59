"""The Python interface: complete, in the words of the command line, and not shadowed by any module."""

from __future__ import annotations

import importlib
import json
import pkgutil
import subprocess
import sys
import warnings

import pytest

import doxeval as dx
from doxeval.cli import COMMANDS
from doxeval.core.errors import DoxevalWarning

ELSEWHERE = {
    "eval": "evaluate", "report": "write_report", "scores": "read_scores", "synth": "", "study": "",
    "demo": "", "judge": "", "navigate": "", "summary": "", "simulate": "", "validate": "",
}  # fmt: skip
"""Commands whose function has another name, or that have none."""

EVERY_MODULE = """
import importlib, json, pkgutil
import doxeval
for module in pkgutil.walk_packages(doxeval.__path__, "doxeval."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
found = {name: getattr(doxeval, name) for name in doxeval.__all__}
kinds = {name: [type(thing).__name__, callable(thing)] for name, thing in found.items()}
print(json.dumps(kinds))
"""


def test_public_names_are_what_they_are_after_any_import() -> None:
    done = subprocess.run([sys.executable, "-c", EVERY_MODULE], capture_output=True, text=True)
    kinds = json.loads(done.stdout)
    for name, (kind, is_callable) in kinds.items():
        assert kind != "module" and (is_callable or name == "__version__"), name
    for name in (
        "measures",
        "measure",
        "compare",
        "gate",
        "correlate",
        "register",
        "Measure",
        "convert",
        "budget",
    ):
        assert name in kinds


def test_the_names_told_are_the_names_held() -> None:
    assert {*dx._HOMES, "__version__"} == set(dx.__all__)


def test_no_room_bears_a_public_name() -> None:
    rooms = {module.name for module in pkgutil.iter_modules(dx.__path__)}
    assert not rooms & set(dx.__all__)


def test_every_command_has_its_function() -> None:
    for command in COMMANDS:
        name = ELSEWHERE.get(command, command)
        assert not name or callable(getattr(dx, name)), command


def test_no_command_has_two_options_of_one_name() -> None:
    for name in COMMANDS:
        options = importlib.import_module(f"doxeval.cli.{name}_command").command.params
        spelled = [word for option in options for word in (*option.opts, *option.secondary_opts)]
        assert len(set(spelled)) == len(spelled), name
        assert len({option.name for option in options}) == len(options), name


def test_what_is_declared_for_type_checkers_is_what_is_there() -> None:
    source = importlib.import_module("inspect").getsource(dx)
    declared = source.partition("if TYPE_CHECKING:")[2].partition("def __getattr__")[0]
    words = set(declared.replace(",", " ").replace("(", " ").replace(")", " ").split())
    assert set(dx.__all__) - {"__version__"} <= words


def test_result_types_are_what_functions_return() -> None:
    qrels = [{"topic": t, "doc": "d1", "start": 0, "end": 30} for t in ("t1", "t2", "t3")]
    runs = {
        name: [{"topic": t, "doc": "d1", "rank": 1, "start": start, "end": 40} for t in ("t1", "t2", "t3")]
        for start, name in enumerate("abc")
    }
    scores = dx.evaluate(runs, qrels, "iP@1 iR@1")
    assert isinstance(scores, dx.Scores) and isinstance(scores.meaning("iP@1"), dx.Meaning)
    assert isinstance(dx.compare(scores), dx.Comparison) and isinstance(dx.gate(scores, "a"), dx.Gate)
    assert isinstance(dx.correlate(scores, samples=0), dx.Correlation)
    assert isinstance(dx.explain(runs["a"], qrels, "t1", "iP@1"), dx.Explanation)
    assert isinstance(dx.measure("iP@1"), dx.Measure) and issubclass(dx.measures()["iP"], dx.Measure)
    assert all(issubclass(model, dx.Navigation) for model in dx.navigations().values())
    assert "1 of 1" not in dx.budget(runs, qrels, [0.5]).plain()
    changed = dx.perturb(dx.read_run(runs["a"], name="a"), "relevant-up", dx.read_assessments(qrels))
    assert isinstance(changed, dx.Run)


def test_tables_are_written_and_read_back(tmp_path) -> None:
    rows = [{"topic": "t1", "doc": "d1", "rank": 1, "start": 5, "end": 40}]
    run, qrels = dx.read_run(rows, name="mine"), dx.read_assessments([rows[0] | {"rel": 1}])
    for suffix in ("fol", "jsonl", "parquet", "jsonl.gz"):
        dx.write_run(run, tmp_path / f"mine.{suffix}")
        back = dx.read_run(tmp_path / f"mine.{suffix}")
        assert (back.start.tolist(), back.end.tolist()) == ([5], [40])
    dx.write_assessments(qrels, tmp_path / "qrels.jsonl")
    assert dx.read_assessments(tmp_path / "qrels.jsonl").ranges.end.tolist() == [40]
    documents = dx.read_documents({"d1": "a text"})
    dx.write_documents(documents, tmp_path / "docs.dox")
    assert list(dx.read_documents(tmp_path / "docs.dox").ids) == ["d1"]
    dx.convert(tmp_path / "mine.fol", tmp_path / "again.jsonl")
    assert dx.read_run(tmp_path / "again.jsonl").end.tolist() == [40]
    dx.convert(tmp_path / "docs.dox", tmp_path / "docs.jsonl", kind="documents")
    scores = dx.evaluate(run, qrels, "iP@1")
    dx.write_scores(scores, tmp_path / "scores.csv")
    assert dx.read_scores(tmp_path / "scores.csv").value("mine", "iP@1") == 1.0
    with pytest.raises(dx.UsageError, match="did you mean 'csv'"):
        dx.write_scores(scores, tmp_path / "scores.csv", format="csvs")


def test_what_a_format_cannot_hold_is_a_warning(tmp_path) -> None:
    run = dx.read_run([{"topic": "t1", "doc": "d1", "rank": 1, "start": 5, "end": 40}], name="mine")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        dx.write_run(run, tmp_path / "mine.run", format="trec-run")
        dx.write_run(run, tmp_path / "mine.jsonl")
        dx.convert(tmp_path / "mine.jsonl", tmp_path / "again.run", kind="run", to_format="trec-run")
    assert [one.category for one in seen] == [DoxevalWarning] * 2
    assert all(one.filename == __file__ for one in seen), [one.filename for one in seen]
