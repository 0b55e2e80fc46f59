"""The composite action for GitHub: its form, and its steps run in a shell as they stand."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import which
from typing import Any
from xml.etree import ElementTree

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
PROJECT = Path(__file__).parent.parent
ACTION = yaml.safe_load((PROJECT / "action.yml").read_text(encoding="utf-8"))
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
TOPICS = 12


def run_file(path: Path, size: int) -> None:
    rows = ({"topic": f"t{at}", "doc": "d", "rank": 1, "start": 0, "end": size} for at in range(TOPICS))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def build(tmp_path: Path):
    """A build with runs and assessments, in which the action's own steps are run one after the other."""
    (tmp_path / "runs").mkdir()
    run_file(tmp_path / "was.jsonl", 60)
    run_file(tmp_path / "runs" / "same.jsonl", 60)
    rows = ({"topic": f"t{at}", "doc": "d", "start": 0, "end": 100} for at in range(TOPICS))
    (tmp_path / "answers of us.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def run(**given: str) -> list[int]:
        inputs = {name: known.get("default", "") for name, known in ACTION["inputs"].items()}
        inputs |= {"runs": "runs/*.jsonl", "qrels": "answers of us.jsonl", "measures": "iR@1 iP@1"}
        inputs |= {name.replace("_", "-"): value for name, value in given.items()}
        outputs, status = tmp_path / "outputs", []
        for step in ACTION["runs"]["steps"][1:]:
            if "run" in step:
                written = (
                    dict(line.split("=") for line in outputs.read_text().split()) if outputs.exists() else {}
                )
                status.append(shell(step, inputs, written, tmp_path))
                if status[-1]:
                    break
        return status

    return run


def shell(step: dict[str, Any], inputs: dict[str, str], written: dict[str, str], folder: Path) -> int:
    """Run a step as the runner does: a bash that stops at errors, expressions only in its environment."""
    assert not EXPRESSION.search(step["run"]), "what users give must not become part of a script"

    def value(match: re.Match[str]) -> str:
        root, *names = match[1].split(".")
        return inputs[names[0]] if root == "inputs" else written.get(names[-1], "")

    given = {name: EXPRESSION.sub(value, text) for name, text in step["env"].items()}
    files = {"GITHUB_STEP_SUMMARY": str(folder / "summary.md"), "GITHUB_OUTPUT": str(folder / "outputs")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    bash = which("bash")
    assert bash is not None
    command = [bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(command, cwd=folder, env=os.environ | given | files | {"PATH": path}).returncode


def test_the_action_has_the_form_that_github_expects() -> None:
    assert ACTION["runs"]["using"] == "composite" and ACTION["name"] and ACTION["description"]
    for known in ACTION["inputs"].values():
        assert known["description"].endswith(".") and ("default" in known) != known.get("required", False)
    for step in ACTION["runs"]["steps"]:
        assert step["name"] and (("run" in step and step["shell"] == "bash") or "@" in step["uses"])
    used = set(re.findall(r"inputs\.([\w-]+)", (PROJECT / "action.yml").read_text(encoding="utf-8")))
    assert used == set(ACTION["inputs"])
    assert "pip install" in ACTION["runs"]["steps"][0]["run"]


def test_a_run_that_has_not_fallen_passes_and_all_is_written(build, tmp_path: Path) -> None:
    assert build(baseline="was.jsonl") == [0, 0, 0]
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert "| same | 0.6000 | 1.0000 |" in re.sub(r" +", " ", summary)
    assert "### doxeval gate: No measure has fallen" in summary
    folder = tmp_path / "doxeval-results"
    assert {path.name for path in folder.iterdir()} == {
        "scores.csv", "gate.xml", "report.html", "summary.md", "badge.json", "badge.svg",
    }  # fmt: skip
    assert json.loads((folder / "badge.json").read_text())["message"] == "passed"
    assert "doxeval: passed" in ElementTree.parse(folder / "badge.svg").getroot().get("aria-label", "")
    assert ElementTree.parse(folder / "gate.xml").getroot().get("failures") == "0"
    assert "same,t3,iR@1,0.6" in (folder / "scores.csv").read_text()


def test_a_fall_fails_after_the_report_is_written(build, tmp_path: Path) -> None:
    run_file(tmp_path / "runs" / "worse.jsonl", 50)
    assert build(baseline="was.jsonl", runs="runs/worse.jsonl\nruns/same.jsonl") == [0, 0, 1]
    assert "1 of 4 comparisons failed" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert (tmp_path / "doxeval-results" / "report.html").exists()
    assert "status=1" in (tmp_path / "outputs").read_text()
    badge = json.loads((tmp_path / "doxeval-results" / "badge.json").read_text())
    assert badge["message"] == "dropped" and badge["schemaVersion"] == 1
    allowed = build(baseline="was.jsonl", max_drop="20% iP@1:0", fail_on="drop", options="--depth 1")
    assert allowed == [0, 0, 0]


def test_without_a_baseline_nothing_fails_and_mistakes_do(build, tmp_path: Path) -> None:
    assert build() == [0, 0, 0]
    assert not (tmp_path / "doxeval-results" / "gate.xml").exists()
    assert build(baseline="doxeval-results/scores.csv", baseline_run="same") == [0, 0, 0]
    assert build(measures="iQ@1")[0] != 0
    assert build(baseline="missing.csv") == [0, 0, 2]


def test_a_comment_has_the_summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (step,) = (step for step in ACTION["runs"]["steps"] if "Comment" in step["name"])
    tool = tmp_path / "gh"
    tool.write_text('#!/bin/sh\necho "$@" > asked\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    inputs = {"comment": "true", "folder": "doxeval-results"}
    assert shell(step, inputs, {}, tmp_path) == 0 and not (tmp_path / "asked").exists()
    assert shell(step, inputs, {"number": "7"}, tmp_path) == 0
    asked = (tmp_path / "asked").read_text().split()
    assert asked[:3] == ["pr", "comment", "7"] and asked[-1] == "doxeval-results/summary.md"


def test_runs_that_are_called_like_options_are_runs(build, tmp_path: Path) -> None:
    for name in ("--output=answers of us", "--quiet", "-f"):
        run_file(tmp_path / f"{name}.jsonl", 60)
    before = (tmp_path / "answers of us.jsonl").read_bytes()
    assert build(runs="-*.jsonl", baseline="was.jsonl") == [0, 0, 0]
    scores = (tmp_path / "doxeval-results" / "scores.csv").read_text()
    assert all(f"{name},t3,iR@1,0.6" in scores for name in ("--output=answers of us", "--quiet", "-f"))
    assert (tmp_path / "answers of us.jsonl").read_bytes() == before


def test_the_page_names_every_input_and_its_workflow_is_one(build, tmp_path: Path) -> None:
    page = (PROJECT / "docs" / "integrations" / "continuous-integration.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE) == list(ACTION["inputs"])
    (workflow,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (job,) = yaml.safe_load(workflow)["jobs"].values()
    given = job["steps"][-1]["with"]
    (tmp_path / "runs" / "same.jsonl").rename(tmp_path / "run.jsonl")
    (tmp_path / "answers of us.jsonl").rename(tmp_path / "answers.jsonl")
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "d.txt").write_text("x" * 100)
    (tmp_path / "baseline").mkdir()
    (tmp_path / "was.jsonl").rename(tmp_path / "baseline" / "scores.csv")
    assert build(**{name.replace("-", "_"): value for name, value in given.items()}) == [0, 0, 0]
