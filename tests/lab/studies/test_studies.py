"""Studies write what they promise, and name the papers' measures."""

from __future__ import annotations

import csv
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.core.table import Table
from doxeval.lab.studies.error_rates import simulate_null
from doxeval.lab.studies.papers import effort_tables
from doxeval.lab.studies.papers.esr_tables import MODES, in_mode
from doxeval.lab.studies.papers.material import Own, Size, Synthetic, element_assessments
from doxeval.lab.studies.papers.tasks import ESR_TASKS
from doxeval.lab.studies.study import study_papers
from doxeval.lab.synthesis.collection import Shape
from doxeval.lab.synthesis.making import synthesise, write_all
from doxeval.lab.synthesis.systems import System, spread_systems
from doxeval.measurement.base import measure_named
from doxeval.scoring.under_models import under_models

SHAPE = Shape(documents=300, topics=8, pool=256)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("study") / "data"
    write_all(target, SHAPE, spread_systems(4, 1, results=30), seed=1)
    return target


def study(folder: Path, name: str, output: Path, *options: str) -> str:
    runs = sorted(str(path) for path in (folder / "runs").iterdir())
    given = [
        "-q",
        str(folder / "assessments.jsonl"),
        "-d",
        str(folder / "documents.jsonl"),
        "-o",
        str(output),
    ]
    result = CliRunner().invoke(group, ["study", name, *runs, *given, *options])
    assert result.exit_code == 0, (result.output, result.exception)
    return (output / "report.md").read_text()


def test_discrimination_and_stability(folder: Path, tmp_path: Path) -> None:
    text = study(folder, "discrimination", tmp_path / "d", "-m", "AiP iP@5", "--draws", "200")
    assert "pairs separated" in text and (tmp_path / "d" / "asl-curves.png").stat().st_size > 1000
    text = study(folder, "stability", tmp_path / "s", "-m", "AiP iP@5", "--splits", "20", "--no-figures")
    assert "swap rates over 20" in text and not list((tmp_path / "s").glob("*.png"))
    assert (tmp_path / "s" / "swap-rates.tex").read_text().startswith(r"\begin{tabular}")


def test_fidelity_and_sensitivity(folder: Path, tmp_path: Path) -> None:
    text = study(folder, "fidelity", tmp_path / "f", "-m", "AiP", "--no-figures")
    assert "relevant-up" in text and "sign test p" in text
    models = ["--nav", "none", "--nav", "hierarchical"]
    text = study(folder, "sensitivity", tmp_path / "n", "-m", "SRiP2@10", *models, "--no-figures")
    assert "SRiP2(nav=hierarchical)@10" in unescape(text)


def test_measures_are_written_out_under_every_model() -> None:
    names = under_models(["AiP", "SRiP@5", "SRiP(nav=none)@5"], ["none", "t2i(tolerance=300)"])
    assert names == ["AiP", "SRiP(nav=none)@5", "SRiP(nav=t2i(tolerance=300))@5"]


def test_the_tasks_name_measures_that_exist_and_every_printed_pair() -> None:
    for task in ESR_TASKS:
        for typed in task.rows.values():
            measure_named(typed)
        for typed in task.columns.values():
            for mode in MODES:
                measure_named(in_mode(typed, mode))
        assert all(row in task.rows and column in task.columns for row, column in task.printed)
    assert sum(len(task.printed) for task in ESR_TASKS) == 20


def test_the_papers_study_runs_small(tmp_path: Path) -> None:
    size = Size(topics=0.02, systems=0.06, results=20, documents=300)
    study_papers(tmp_path, Synthetic(size, seed=1), seed=1, figures=False)
    text = (tmp_path / "report.md").read_text()
    for part in ("ESR, Table 15", "ESR, Table 18", "ESR, Table 19", "SR, Table 3", "fidelity, thorough"):
        assert part in text
    assert "Effort, Table 4" in text and "Left out" not in text
    assert {path.stem for path in tmp_path.glob("*.csv")} >= {
        "esr-section-7.5", *(f"esr-table-{number}" for number in range(15, 20))
    }  # fmt: skip


def test_element_assessments_are_specificities() -> None:
    documents, assessments, _ = synthesise(
        Shape(documents=300, topics=2, pool=256), [System("a", results=5)], 1
    )
    judged = element_assessments(assessments, documents)
    ranges = assessments.ranges
    nodes = judged.nodes
    assert nodes is not None
    for at in np.random.default_rng(0).choice(len(nodes), 30):
        pair = int(nodes.pair[at])
        doc = int(documents.codes([assessments.docs[assessments.pair_doc[pair]]])[0])
        start, end = documents.extent(doc, documents.find(doc, nodes.nodes.of(int(at))[0]))
        relevant = {
            c
            for row in np.flatnonzero(ranges.pair == pair)
            for c in range(ranges.start[row], ranges.end[row])
        }
        assert nodes.value[at] == pytest.approx(len(relevant & set(range(start, end))) / (end - start))


def test_a_small_simulation_under_the_null() -> None:
    found = simulate_null(experiments=200, topics=20, draws=200)
    assert found.rejected("t", 0.5) == pytest.approx(0.5, abs=0.15)
    assert "distance from uniform" in found.table().header


def test_derived_runs_of_the_real_ones(reference: Path) -> None:
    folder = reference / "data" / "inex0910"
    names = ("passages", "bert", "overlap")
    own = Own([folder / f"{name}.fol" for name in names], folder / "qrels.txt", derive=True)
    assert len({load.run_name for load in own.runs}) == len(own.runs) == 36
    derived = [load() for load in own.runs if load.run_name.startswith("bert")]
    scores = dx.evaluate(derived, own.assessments, "AiP")
    by_name = {name: scores.value(name, "AiP") for name in scores.names}
    assert by_name["bert-relevant-down-0.7"] < by_name["bert-relevant-down-0.3"] < by_name["bert"]
    assert by_name["bert"] < by_name["bert-relevant-up-0.1"] < by_name["bert-relevant-up-0.3"]


def test_the_papers_study_takes_own_runs_and_says_what_it_left_out(folder: Path, tmp_path: Path) -> None:
    runs = sorted(str(path) for path in (folder / "runs").iterdir())
    given = ["-q", str(folder / "assessments.jsonl"), "--nav", "readon(mean=500)", "--no-figures"]
    command = ["study", "papers", *runs, *given, "--paper", "esr", "-o"]
    done = CliRunner().invoke(group, [*command, str(tmp_path / "a")])
    assert done.exit_code == 0, done.output
    text = (tmp_path / "a" / "report.md").read_text()
    assert "4 runs, 8 topics" in text and "`readon(mean=500)`" in text
    told = "left out: ESR, Table 17: Best in context 2006: its measures need the documents' trees"
    assert told in done.stderr and told in text
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{}\n")
    done = CliRunner().invoke(group, [*command, str(tmp_path / "b"), str(bad)])
    assert done.exit_code == 2 and "bad.jsonl" in done.stderr
    done = CliRunner().invoke(group, ["study", "papers", "--derive", "-o", str(tmp_path)])
    assert "--derive would do nothing" in str(done.exception)


def test_efforts_tables_hold_the_scores_of_own_runs(folder: Path, tmp_path: Path) -> None:
    runs = sorted(str(path) for path in (folder / "runs").iterdir())
    qrels, documents = (str(folder / name) for name in ("assessments.jsonl", "documents.jsonl"))
    command = [
        "study",
        "papers",
        *runs,
        "-q",
        qrels,
        "--no-figures",
        "--paper",
        "effort",
        "-o",
        str(tmp_path),
    ]
    done = CliRunner().invoke(group, [*command, "-d", documents])
    assert done.exit_code == 0, done.output
    tables = [
        list(csv.DictReader((tmp_path / f"effort-table-{number}.csv").read_text().splitlines()))
        for number in (2, 4)
    ]
    rows = {row["run"]: row for row in tables[1]}
    typed = [
        effort_tables.MEASURES_OF_PAPER[name].format("natural") for name in effort_tables.MEASURES_OF_PAPER
    ]
    scores = {
        reading: dx.evaluate(runs, qrels, typed, documents, shape=shape)
        for reading, shape in (("Doc.", "documents"), ("Foc.", None))
    }
    for name, measure in zip(effort_tables.MEASURES_OF_PAPER, typed, strict=True):
        for run, row in rows.items():
            before, after = (scores[reading].value(run, measure) for reading in ("Doc.", "Foc."))
            assert (row[f"{name} Doc."], row[f"{name} Foc."]) == (f"{before:.4f}", f"{after:.4f}")
            assert float(row[f"{name} change %"].rstrip("†‡")) == pytest.approx(
                100 * (after / before - 1), abs=0.06
            )
    (tau,) = (row for row in tables[0] if row[""] == "F0.25 Doc.")
    both = [effort_tables.MEASURES_OF_PAPER["F0.25"].format(order) for order in ("natural", "sequential")]
    found = dx.evaluate(runs, qrels, both, documents).correlate(draws=0)
    assert tau["F0.25 Foc."] == f"{found.at(*both)[0]:.2f} (0.83)"
    done = CliRunner().invoke(group, [*command, "--nav", "hierarchical"])
    assert "a navigation model would do nothing here: the reader of effort does not navigate" in str(
        done.exception
    )


def test_families_are_simulated_for_a_tenth_of_the_experiments(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: dict[str, tuple[int, int]] = {}

    def simulate(name: str) -> Any:
        def simulated(experiments: int, topics: int, seed: int) -> Any:
            asked[name] = experiments, topics
            return SimpleNamespace(table=lambda: Table(["tests"], [["t"]]))

        return simulated

    for name in ("null", "families"):
        monkeypatch.setattr(f"doxeval.lab.studies.study.simulate_{name}", simulate(name))
    dx.study("null", path=tmp_path)
    assert asked == {"null": (2_000, 40), "families": (200, 40)}
