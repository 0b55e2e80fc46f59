"""However many runs there are, and however long their names: no view breaks, and every run can be told."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from doxeval.cli import group
from doxeval.core.run_labels import LONGEST_LABEL, run_labels

TOPICS = ["t1", "t2", "t3", "t4"]
NAME = "text-embedding-3-large_hybrid-bm25-k1=0.9-b=0.75-rerank-{:03d}"
PRINTED = {
    "eval": ["eval", "RUNS", "-q", "gold.jsonl", "-m", "iP@2 iR@2"],
    "per topic": ["eval", "RUNS", "-q", "gold.jsonl", "-m", "iP@2", "--per-topic"],
    "slices": ["eval", "RUNS", "-q", "gold.jsonl", "-m", "iP@2", "--by", "kind"],
    "compare": ["compare", "scores.csv", "-m", "iP@2", "--draws", "100"],
    "baseline": ["compare", "scores.csv", "-m", "iP@2", "--draws", "100", "-b", NAME.format(1), "--all"],
    "gate": ["gate", "scores.csv", "--baseline", "scores.csv", "--baseline-run", NAME.format(0), "-m", "iP@2",
             "--draws", "100", "--max-drop", "1"],
    "effects": ["effects", "swept.csv", "-m", "iP@2", "--draws", "100"],
    "pareto": ["plot", "RUNS", "-q", "gold.jsonl", "-m", "iP@2", "--figure", "pareto"],
    "budget": ["budget", "RUNS", "-q", "gold.jsonl", "--recall", "0.5"],
    "curves": ["plot", "RUNS", "-q", "gold.jsonl", "-m", "iP@2", "--over", "rank", "-f", "table"],
    "scores": ["eval", "scores.csv"],
}  # fmt: skip
"""Every command that prints runs."""
WITH_MANY = ("eval", "baseline", "scores")
"""Those that are tried with 200 runs."""


@pytest.fixture(scope="module", params=[2, 20, 200])
def sweep(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs with long names, assessments with an attribute, and a file of scores."""
    folder, size = tmp_path_factory.mktemp("sweep"), request.param
    gold = [
        {"topic": t, "doc": "d", "start": 0, "end": 40, "kind": "ab"[at % 2]} for at, t in enumerate(TOPICS)
    ]
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold))
    (folder / "runs").mkdir()
    for number in range(size):
        rows = [
            {"topic": t, "doc": "d", "rank": rank, "start": 20 * rank - 20, "end": 20 * rank + number + at}
            for at, t in enumerate(TOPICS)
            for rank in (1, 2)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / "runs" / f"{NAME.format(number)}.jsonl").write_text(text)
    found = printed(
        folder, ["eval", "RUNS", "-q", "gold.jsonl", "-m", "iP@2", "--per-topic", "-f", "csv"], 80
    )
    (folder / "scores.csv").write_text(found)
    swept = (folder / "scores.csv").read_text().replace("-rerank-0", "-size=")
    (folder / "swept.csv").write_text(swept)
    return folder


def printed(folder: Path, words: list[str], width: int) -> str:
    """What a command prints on a screen, in a folder."""
    runs = sorted(str(path) for path in (folder / "runs").iterdir())
    files = [str(folder / word) if word.endswith((".csv", ".jsonl")) else word for word in words]
    arguments = [one for word in files for one in (runs if word == "RUNS" else [word])]
    done = CliRunner(env={"COLUMNS": str(width)}).invoke(group, arguments)
    assert done.exit_code == 0, done.output[-2000:]
    return done.stdout


def names_in(folder: Path) -> list[str]:
    """The names of the runs in a folder."""
    return sorted(path.stem for path in (folder / "runs").iterdir())


@pytest.mark.parametrize("command", PRINTED)
def test_no_view_is_wider_than_the_screen_and_none_shows_whole_names(sweep: Path, command: str) -> None:
    names = names_in(sweep)
    if len(names) > 20 and command not in WITH_MANY:
        pytest.skip("tried with fewer runs")
    for width in (40, 80, 120) if len(names) <= 20 else (80,):
        lines = printed(sweep, PRINTED[command], width).splitlines()
        wide = [line for line in lines if len(line) > width]
        assert not wide, wide
        assert not any(name in line for name in names for line in lines)


@pytest.mark.parametrize("width", [40, 120])
def test_every_run_has_its_row_with_one_label(sweep: Path, width: int) -> None:
    names = names_in(sweep)
    labels = run_labels(names).labels
    assert len(set(labels)) == len(names) and max(map(len, labels)) <= LONGEST_LABEL
    rows = [
        line.split()[0]
        for line in printed(sweep, [*PRINTED["eval"], "--quiet"], width).splitlines()
        if "0." in line
    ]
    assert set(labels) <= set(rows)


def test_the_leader_is_listed_first_and_named_in_the_first_sentence(sweep: Path) -> None:
    text = printed(sweep, PRINTED["eval"], 500)
    table = text[text.index("\nrun ") :].splitlines()
    assert text.startswith(f"- `{table[2].split()[0]}`")


def test_programs_read_names_whole(sweep: Path) -> None:
    for words in (PRINTED["eval"], PRINTED["budget"]):
        rows = csv.DictReader(io.StringIO(printed(sweep, [*words, "-f", "csv"], 80)))
        assert {row["run"] for row in rows} == set(names_in(sweep))


@pytest.mark.parametrize("figure", ["precision-recall", "means"])
def test_figures_name_runs_apart_and_say_which_are_left_out(sweep: Path, figure: str) -> None:
    import doxeval as dx

    names = names_in(sweep)
    runs = [str(sweep / "runs" / f"{name}.jsonl") for name in names]
    drawn = dx.plot(runs, str(sweep / "gold.jsonl"), figure=figure)
    axes = drawn.axes[0]
    legend = drawn.legends[0].get_texts() if figure != "means" else axes.get_yticklabels()
    shown = [text.get_text() for text in legend]
    assert len(set(shown)) == len(shown) and set(shown) <= set(run_labels(names).labels)
    notes = " ".join(text.get_text() for text in drawn.texts).replace("\n", " ")
    assert (f"of {len(names)} runs are drawn" in notes) == (len(shown) < len(names))
