"""Each run against itself in another shape: what the parts of documents bring."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.cli import group
from tests.cases import Case, cases

pytestmark = pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
MEASURES = ["AgP", "ANCE(screen=10)@5", "iP@2"]


def qrels_and_runs(drawn: list[list[Case]]) -> tuple[list[dict], dict[str, list[dict]]]:
    """Topics judged by the first run's cases, and the results of every run."""
    topics = [f"t{at}" for at in range(len(drawn[0]))]
    for case in drawn[0]:
        case.lengths["elsewhere"] = 30
    qrels = [row for case, topic in zip(drawn[0], topics, strict=True) for row in case.qrels(topic)]
    runs = {
        f"r{at}": [row for case, topic in zip(cases_of_run, topics, strict=True) for row in case.run(topic)]
        for at, cases_of_run in enumerate(drawn)
    }
    return qrels, {name: rows for name, rows in runs.items() if rows}


@settings(max_examples=10)
@given(st.lists(st.lists(cases(), min_size=3, max_size=3), min_size=1, max_size=3))
def test_changes_are_those_of_two_evaluations(drawn: list[list[Case]]) -> None:
    qrels, runs = qrels_and_runs(drawn)
    if not runs:
        return
    found = dx.compare_shapes(runs, dx.Evaluation(qrels, MEASURES), test="t")
    before, after = (dx.evaluate(runs, qrels, MEASURES, shape=shape) for shape in ("documents", None))
    assert len(found.differences) == len(runs) * len(MEASURES)
    for one in found.differences:
        run = one.run.removesuffix(" as given")
        assert one.baseline == f"{run} as documents"
        means = [scores.value(run, one.measure) for scores in (before, after)]
        assert [one.baseline_mean, one.run_mean] == pytest.approx(means)
        expected = 100 * (means[1] - means[0]) / means[0] if means[0] else float("nan")
        assert one.change == pytest.approx(expected, nan_ok=True)
    for at, measure in enumerate(MEASURES):
        pairs = [one for one in found.differences if one.measure == measure]
        better = sum(one.gain > 0 for one in pairs)
        runs_are = "run is" if len(pairs) == 1 else "runs is" if better == 1 else "runs are"
        told = f"{better} of {len(pairs)} {runs_are} better as given than as documents"
        assert told in found.sentences[at]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    topics, random = "abcdefgh", np.random.default_rng(3)
    qrels = [{"topic": t, "doc": "d", "start": 40, "end": 60, "length": 100} for t in topics]
    names = []
    for name in ("one", "two"):
        rows = [
            {"topic": t, "doc": "d", "rank": 1, "start": 35 + int(random.integers(9)), "end": 70}
            for t in topics
        ]
        names.append(str(tmp_path / f"{name}.jsonl"))
        Path(names[-1]).write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "qrels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in qrels))
    return [*names, "--qrels", str(tmp_path / "qrels.jsonl"), "-m", "AgP CE(screen=10)@1"]


def compared(*words: str) -> tuple[int, str]:
    done = CliRunner(env={"COLUMNS": "100"}).invoke(group, ["compare", *words])
    return done.exit_code, f"{done.stderr if done.exit_code else done.stdout}{done.exception or ''}"


def test_the_command_compares_each_run_with_itself(files: list[str]) -> None:
    code, text = compared(*files, "--as", "documents", "--as", "given")
    assert code == 0
    assert "By AgP, 2 of 2 runs are better as given than as documents (2 significantly), 0 worse (0)." in text
    assert "documents   given  change %" in text and "Differences" not in text
    assert "Differences" in compared(*files, "--as", "documents", "--as", "given", "--all")[1]
    code, text = compared(*files, "--as", "documents", "--as", "trees", "--as", "given", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {(row["baseline"], row["run"]) for row in rows} == {
        (f"{run} as documents", f"{run} as {shape}") for run in ("one", "two") for shape in ("trees", "given")
    }
    for row in rows:
        change = 100 * (float(row["run_mean"]) / float(row["baseline_mean"]) - 1)
        assert float(row["change"]) == pytest.approx(change)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--as", "given"], "--as would do nothing here: runs are taken as given"),
        (["--as", "documents", "--as", "documents"], "only one shape to compare, documents"),
        (["--as", "documents", "--as", "given", "-b", "one"], "--baseline would do nothing here"),
        (["--as", "documents", "--as", "given", "--test", "tukey"], "only some are compared"),
        (["--as", "documents", "--as", "given", "--bounds"], "--bounds needs one --as"),
    ],
)
def test_what_means_nothing_is_refused(files: list[str], words: list[str], told: str) -> None:
    code, text = compared(*files, *words)
    assert code and told in " ".join(text.split())


def test_score_files_have_no_shape(files: list[str], tmp_path: Path) -> None:
    scores = str(tmp_path / "scores.csv")
    assert CliRunner().invoke(group, ["eval", *files, "--per-topic", "-o", scores]).exit_code == 0
    for words in (["--as", "trees"], ["--as", "documents", "--as", "given"]):
        code, text = compared(scores, *words)
        assert code and "only score files are given" in text
    code, text = compared(*files, scores, "--as", "documents", "--as", "given")
    assert code and "score files do not say what was retrieved" in text


def test_pairs_are_compared_by_name(files: list[str]) -> None:
    scores = dx.evaluate(files[:2], files[3], "AgP")
    (found,) = dx.compare(scores, pairs=[("two", "one")]).differences
    assert (found.baseline, found.run) == ("two", "one")
    with pytest.raises(dx.UsageError, match="no run 'tow'"):
        dx.compare(scores, pairs=[("tow", "one")])
    with pytest.raises(dx.UsageError, match="name it in the pairs"):
        dx.compare(scores, baseline="one", pairs=[("two", "one")])
