"""No command has an option that does nothing: each changes what comes out, or is refused with a sentence."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from doxeval.cli import group
from doxeval.cli.scoring import OPTIONS
from doxeval.lab.perturbation.perturbations import PERTURBATIONS
from doxeval.show.plot import KINDS
from tests.scoring.commands import COMMANDS, QRELS, RUNS, outcome, run, write_collection
from tests.scoring.test_options import commands_of

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

SYNTH = ["synth", "out", "--documents", "40", "--topics", "2", "--pool", "256", "--results", "9"]
PERTURB = ["perturb", "a.fol", "shuffled", "out.fol", *QRELS]
OTHERS: dict[str, list[str]] = {
    "perturb": PERTURB,
    "synth": [*SYNTH, "--systems", "1"],
    "study papers": ["study", "papers", "--topics", "0.02", "--systems", "0.01", "--results", "20",
                     "--no-figures", "-o", "out"],
    "study null": ["study", "null", "--experiments", "10", "--topics", "5", "-o", "out"],
    "plot": COMMANDS["plot means"],
    "measures": ["measures"],
    "navigations": ["navigations"],
    "navigate": ["navigate", "documents.jsonl"],
    "summary": ["summary", "documents.jsonl"],
    "chunk": ["chunk", "documents.jsonl"],
}  # fmt: skip
"""Commands beside those that score, with what each needs."""

ELSEWHERE = {"index", "convert", "validate", "scores", "demo"}
"""Commands whose options have tests of their own."""

CHANGES: dict[str, dict[str, list[str]]] = {
    "eval": {
        "per_topic": ["--per-topic"], "format": ["-f", "csv"], "output": ["-o", "out.txt"], "strict": ["--strict"],
    },
    "budget": {
        "recalls": ["--recall", "0.3"], "per_topic": [], "format": ["-f", "csv"], "output": ["-o", "out.txt"],
    },
    "report": {
        "output": ["-o", "other.html"], "title": ["--title", "x"], "queries": ["--queries", "queries.tsv"],
        "results": ["--results", "1"], "text_megabytes": ["--docs", "documents.jsonl", "--text", "0.0001"],
        "places_megabytes": ["--places", "0.0001"], "order": ["--order", "worst"],
        "show": ["-o", "-", "--open"], "seed": ["--seed", "5"],
    },
    "explain": {"run": ["--run", "b.fol"], "topic": ["--topic", "t2"], "format": ["-f", "json"]},
    "compare": {
        "baseline": ["-b", "b"], "test": ["--test", "t"], "correction": ["--test", "t", "--correction", "none"],
        "interval": ["--interval", "t"], "confidence": ["--confidence", "0.5"], "level": ["--level", "0.9"],
        "draws": ["--draws", "200"], "seed": ["--seed", "5"], "lower_is_better": ["--lower-is-better", "iP@3"],
        "higher_is_better": ["--higher-is-better", "CE@3"], "format": ["-f", "csv"], "output": ["-o", "out.txt"],
        "plot": ["--plot", "out.svg"],
    },
    "gate": {
        "baseline": ["-b", "a.fol"], "baseline_run": ["--baseline-run", "x"], "max_drop": ["--max-drop", "0"],
        "fail_on": ["--fail-on", "significant"], "test": ["--test", "t"], "level": ["--level", "0.9"],
        "draws": ["--draws", "200"], "seed": ["--seed", "5"], "lower_is_better": ["--lower-is-better", "iP@3"],
        "higher_is_better": ["--higher-is-better", "CE@3"], "junit": ["--junit", "out.xml"],
        "summary": ["--summary", "out.md"],
    },
    "correlate": {
        "coefficients": ["-c", "rho"], "rows": ["--rows", "AiP"], "columns": ["--columns", "AiP"],
        "intervals": ["-f", "table", "--intervals"], "verdicts": ["-f", "table", "--verdicts", "0.3"],
        "samples": ["--samples", "30"], "confidence": ["--confidence", "0.5"], "seed": ["--seed", "5"],
        "lower_is_better": ["--lower-is-better", "iP@3"], "higher_is_better": ["--higher-is-better", "CE@3"],
        "format": ["-f", "jsonl"], "output": ["-o", "out.csv"], "heatmap": ["--heatmap", "out.svg"],
    },
    "plot": {
        "kind": ["-k", "differences"], "baseline": ["-b", "b"], "output": ["-o", "other.png"],
    },
    "perturb": {
        "share": ["--share", "0.5"], "characters": ["--characters", "5"], "seed": ["--seed", "5"],
        "to_format": ["--to", "native-run"], "qrels": ["-q", "ids.txt"], "docs": ["-d", "missing"],
        "run_format": ["--run-format", "trec-run"], "qrels_format": ["--qrels-format", "trec-qrels"],
        "ranges": ["--ranges", "nonsense"], "encoding": ["--encoding", "nonsense"],
        "keep_going": ["-q", "torn.txt", "--keep-going"], "quiet": ["--quiet"],
    },
    "simulate": {"readers": ["--readers", "40"], "seed": ["--seed", "5"], "visits": ["--visits", "persistent"]},
    "study discrimination": {
        "test": ["--test", "t"], "draws": ["--draws", "200"], "seed": ["--seed", "5"], "output": ["-o", "other"],
        "figures": ["--figures"],
    },
    "study stability": {
        "splits": ["--splits", "5"], "seed": ["--seed", "5"], "output": ["-o", "other"], "figures": ["--figures"],
    },
    "study sensitivity": {"seed": ["--seed", "5"], "output": ["-o", "other"], "figures": ["--figures"]},
    "study fidelity": {
        "share": ["--share", "0.5"], "seed": ["--seed", "5"], "output": ["-o", "other"], "figures": ["--figures"],
    },
    "study papers": {
        "reference": ["--reference", "missing"], "topics": ["--topics", "0.04"], "systems": ["--systems", "0.1"],
        "results": ["--results", "30"], "quiet": ["--quiet"], "seed": ["--seed", "5"], "output": ["-o", "other"],
        "figures": ["--figures"],
    },
    "study null": {
        "experiments": ["--experiments", "20"], "topics": ["--topics", "6"], "seed": ["--seed", "5"],
        "output": ["-o", "other"],
    },
    "synth": {
        "documents": ["--documents", "50"], "topics": ["--topics", "3"], "pool": ["--pool", "20"],
        "relevant_share": ["--relevant-share", "0.5"], "systems": ["--systems", "2"],
        "named": ["--system", "one(skill=3)"], "results": ["--results", "5"], "text": ["--text"],
        "form": ["--form", "inex"], "docs_form": ["--docs-form", "none"], "seed": ["--seed", "5"],
        "quiet": ["--quiet"],
    },
    "measures": {"format": ["-f", "json"]},
    "navigations": {"docs": ["-d", "missing"], "log": ["--log", "missing"], "folds": ["--folds", "3"],
                    "seed": ["--seed", "5"]},
    "navigate": {
        "nav": ["--nav", "proximity"], "names": ["--doc", "d1"], "source": ["--from", "/article[1]"],
        "form": ["-f", "csv"], "output": ["-o", "out.txt"],
    },
    "summary": {
        "partition": ["-p", "tag"], "weight": ["-w", "depth"], "output": ["-o", "out.json"],
        "dot": ["--dot", "out.dot"], "svg": ["--svg", "out.svg"], "most": ["--most", "1"],
    },
    "chunk": {
        "by": ["--by", "paragraph"], "size": ["--size", "30"], "overlap": ["--overlap", "3"],
        "text": ["--no-text"], "output": ["-o", "out.jsonl"], "quiet": ["--quiet"],
    },
}  # fmt: skip
"""Every option that a command has of its own, with words that must change what comes out."""

INSTEAD = {
    ("budget", "per_topic"): COMMANDS["budget"][:-1],
    ("perturb", "ranges"): [word.replace("qrels.txt", "ids.txt").replace("a.fol", "a.trec") for word in PERTURB],
    ("perturb", "keep_going"): [word.replace("qrels.txt", "torn.txt") for word in PERTURB],
    ("plot", "baseline"): ["plot", "a.fol", "b.fol", *QRELS, "-k", "differences", "-o", "out.png"],
    ("report", "text_megabytes"): [*COMMANDS["report"], "--docs", "documents.jsonl"],
    ("report", "show"): [*COMMANDS["report"], "-o", "-"],
}
"""What an option is added to, where that is not the command as it is usually called."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_collection(tmp_path)
    (tmp_path / "queries.tsv").write_text("t1\twhat is asked\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_option_of_every_command_is_in_these_tests() -> None:
    for name, command in commands_of(group).items():
        if name in ELSEWHERE:
            continue
        scores = "unjudged" in {parameter.name for parameter in command.params}
        own = {
            parameter.name
            for parameter in command.params
            if isinstance(parameter, click.Option) and not (scores and parameter.name in OPTIONS)
        }
        assert set(CHANGES[name]) == own, name


@pytest.mark.parametrize(("command", "option"), [(name, option) for name in CHANGES for option in CHANGES[name]])
def test_an_option_changes_what_comes_out_or_is_refused(folder: Path, command: str, option: str) -> None:
    usual = INSTEAD.get((command, option)) or OTHERS.get(command) or COMMANDS[command]
    assert outcome([*usual, *CHANGES[command][option]], folder) != outcome(usual, folder)
