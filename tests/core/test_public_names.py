"""The Python interface: complete, in the words of the command line, and not shadowed by any module."""

from __future__ import annotations

import ast
import importlib
import json
import pickle
import pkgutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any, cast, get_origin

import pytest

import doxeval as dx
from doxeval import extend
from doxeval.cli import COMMANDS
from doxeval.core.errors import DoxevalWarning

ELSEWHERE = {
    "formats": "",
    "eval": "evaluate", "report": "write_report", "scores": "read_scores", "synth": "", "study": "",
    "demo": "", "judge": "", "mcp": "", "navigate": "", "summary": "", "simulate": "", "validate": "",
}  # fmt: skip
"""Commands whose function has another name, or that have none."""

EVERY_MODULE = """
import importlib, json, pkgutil
from typing import get_origin
import doxeval
for module in pkgutil.walk_packages(doxeval.__path__, "doxeval."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
found = {name: getattr(doxeval, name) for name in doxeval.__all__}
import doxeval.extend
found |= {name: getattr(doxeval.extend, name) for name in doxeval.extend.__all__}
kinds = {
    name: [type(thing).__name__, callable(thing) or get_origin(thing) is not None]
    for name, thing in found.items()
}
print(json.dumps(kinds))
"""


def test_public_names_are_what_they_are_after_any_import() -> None:
    done = subprocess.run([sys.executable, "-c", EVERY_MODULE], capture_output=True, text=True)
    kinds = json.loads(done.stdout)
    for name, (kind, is_callable) in kinds.items():
        assert kind != "module" and (is_callable or name == "__version__" or name.isupper()), name
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


@pytest.mark.parametrize("module", [dx, extend], ids=["doxeval", "extend"])
def test_the_stub_states_each_name_once(module) -> None:
    stub = Path(module.__file__).with_suffix(".pyi").read_text()
    tree = ast.parse(stub)
    names = [alias for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(alias.asname for alias in names) == module.__all__ == dir(module)
    assert len(set(module.__all__)) == len(names)
    for alias in names:
        assert alias.name == alias.asname, "a name that is not the same there is not exported by a stub"
        assert getattr(module, alias.name) is getattr(module, alias.name)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        module.nothing  # noqa: B018


def test_no_name_is_in_both_modules() -> None:
    assert not set(cast(Any, dx).__all__) & set(cast(Any, extend).__all__)


@pytest.mark.parametrize("module", [dx, extend], ids=["doxeval", "extend"])
def test_every_name_says_what_it_is(module) -> None:
    for name in module.__all__:
        thing = getattr(module, name)
        is_type = get_origin(thing) is not None
        assert name == "__version__" or name.isupper() or is_type or (thing.__doc__ or "").strip(), name


def test_importing_doxeval_imports_next_to_nothing() -> None:
    code = "import sys; before = set(sys.modules); import doxeval; print(len(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert int(done.stdout) <= 5, done.stdout + done.stderr


def test_public_functions_can_be_sent_to_other_processes() -> None:
    assert pickle.loads(pickle.dumps(dx.evaluate)) is dx.evaluate


def test_no_room_bears_a_public_name() -> None:
    rooms = {module.name for module in pkgutil.iter_modules(dx.__path__)}
    assert not rooms & set(cast(Any, dx).__all__)


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


def test_result_types_are_what_functions_return() -> None:
    qrels = [{"topic": t, "doc": "d1", "start": 0, "end": 30} for t in ("t1", "t2", "t3")]
    runs = {
        name: [{"topic": t, "doc": "d1", "rank": 1, "start": start, "end": 40} for t in ("t1", "t2", "t3")]
        for start, name in enumerate("abc")
    }
    scores = dx.evaluate(runs, qrels, "iP@1 iR@1")
    assert isinstance(scores, dx.Scores) and isinstance(scores.meaning("iP@1"), dx.Meaning)
    assert isinstance(dx.compare(scores), dx.Comparison) and isinstance(
        dx.gate(scores, baseline="a"), dx.Gate
    )
    assert isinstance(dx.correlate(scores, draws=0), dx.Correlation)
    assert isinstance(dx.explain(runs["a"], qrels, "iP@1", topic="t1"), dx.Explanation)
    assert isinstance(dx.measure("iP@1"), extend.Measure) and issubclass(dx.measures()["iP"], extend.Measure)
    assert all(issubclass(model, extend.Navigation) for model in dx.navigations().values())
    assert "1 of 1" not in dx.budget(runs, qrels, recalls=[0.5]).plain()
    changed = dx.perturb(dx.read_run(runs["a"], name="a"), dx.read_assessments(qrels), "relevant-up")
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
        dx.convert(tmp_path / "mine.jsonl", tmp_path / "again.run", kind="run", format="trec-run")
    assert [one.category for one in seen] == [DoxevalWarning] * 2
    assert all(one.filename == __file__ for one in seen), [one.filename for one in seen]
