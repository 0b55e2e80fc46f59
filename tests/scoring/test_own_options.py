"""No command has an option that does nothing: each changes what comes out, or is refused with a sentence."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path

import click
import pytest

from doxeval.cli import group
from doxeval.cli.scoring import SCORING_FLAGS
from doxeval.lab.perturbation.perturbations import PERTURBATIONS
from doxeval.show.plot import FIGURE_KINDS
from tests.scoring.commands import COMMANDS, QRELS, RUNS, outcome, run, usual_outcome, write_collection
from tests.scoring.test_options import commands_of

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

SYNTH = [
    "synth",
    "out",
    "--document-count",
    "40",
    "--topic-count",
    "2",
    "--pool-size",
    "256",
    "--results",
    "9",
]
PERTURB = ["perturb", "a.fol", "shuffled", "out.fol", *QRELS]
CORRELATE = ["correlate", *RUNS, *QRELS, "-m", "iP@3 iR@2 AiP"]
OUTCOMES = [*CORRELATE, "--outcomes", "outcomes.csv", "--draws", "0", "-f", "csv"]
OTHERS: dict[str, list[str]] = {
    "perturb": PERTURB,
    "synth": [*SYNTH, "--system-count", "1"],
    "study papers": ["study", "papers", "--paper", "esr", "--share-of-topics", "0.02", "--share-of-systems",
                     "0.01", "--results", "20", "--no-figures", "-o", "out"],
    "study null": ["study", "null", "--experiments", "10", "--topic-count", "5", "-o", "out"],
    "plot": COMMANDS["plot means"],
    "pool": ["pool", *RUNS, *QRELS, "-d", "documents.jsonl", "--depth", "3"],
    "measures": ["measures"],
    "formats": ["formats"],
    "navigations": ["navigations"],
    "navigate": ["navigate", "documents.jsonl"],
    "summary": ["summary", "documents.jsonl"],
    "chunk": ["chunk", "documents.jsonl", "--size", "60"],
    "ceiling": ["ceiling", "chunks.csv", *QRELS, "--runs", "a.fol"],
}  # fmt: skip
"""Commands beside those that score, with what each needs."""

ELSEWHERE = {"anchor", "cite", "config", "index", "convert", "judge", "validate", "scores", "demo", "mcp"}
"""Commands whose options have tests of their own."""

CHANGES: dict[str, dict[str, list[str]]] = {
    "eval": {
        "by": ["--by", "kind", "--topics-file", "topics.jsonl"],
        "topics_file": ["--topics-file", "queries.tsv"],
        "trusted": ["--trust", "other.txt"],
        "per_topic": ["--per-topic"],
        "sort": ["--sort", "iR@3"],
        "baseline": ["-b", "b"],
        "format": ["-f", "csv"],
        "output": ["-o", "out.txt"],
        "strict": ["--strict"],
    },
    "budget": {
        "recalls": ["--recall", "0.3"],
        "per_topic": ["--per-topic"],
        "format": ["-f", "csv"],
        "output": ["-o", "out.txt"],
    },
    "diagnose": {
        "by": ["--by", "kind", "--topics-file", "topics.jsonl"],
        "topics_file": ["--topics-file", "queries.tsv"],
        "met_from": ["--met-from", "0.01"],
        "near_chance": ["--near-chance", "0.9"],
        "near_gap": ["--near-gap", "0"],
        "buried_below": ["--buried-below", "1"],
        "confidence": ["--confidence", "0.5"],
        "draws": ["--draws", "200"],
        "seed": ["--seed", "5"],
        "per_topic": ["--per-topic"],
        "format": ["-f", "csv"],
        "output": ["-o", "out.txt"],
    },
    "report": {
        "output": ["-o", "other.html"],
        "title": ["--title", "x"],
        "by": ["--by", "kind", "--topics-file", "topics.jsonl"],
        "topics_file": ["--topics-file", "queries.tsv"],
        "show_results": ["--show-results", "1"],
        "max_megabytes": ["--max-megabytes", "0.0001"],
        "reading_order": ["--reading-order", "worst"],
        "open_page": ["--open"],
        "baseline": ["-b", "b"],
        "seed": ["--seed", "5"],
    },
    "explain": {
        "run": ["--run", "b.fol"],
        "topic": ["--topic", "t2"],
        "part": ["--part", "ranks"],
        "format": ["-f", "json"],
    },
    "compare": {
        "by": ["--by", "kind", "--topics-file", "topics.jsonl"],
        "topics_file": ["--topics-file", "queries.tsv"],
        "baseline": ["-b", "b"],
        "shapes": ["--as", "documents", "--as", "given"],
        "test": ["--test", "t"],
        "correction": ["--correction", "none"],
        "interval": ["--interval", "t"],
        "confidence": ["--confidence", "0.5"],
        "alpha": ["--alpha", "0.9"],
        "draws": ["--draws", "200"],
        "seed": ["--seed", "5"],
        "lower_is_better": ["--lower-is-better", "iP@3"],
        "higher_is_better": ["--higher-is-better", "CE@3"],
        "with_diagnosis": ["--diagnose"],
        "every": ["--all"],
        "format": ["-f", "csv"],
        "output": ["-o", "out.txt"],
        "plot": ["--plot", "out.svg"],
    },
    "effects": {
        "confidence": ["--confidence", "0.5"],
        "draws": ["--draws", "200"],
        "seed": ["--seed", "5"],
        "format": ["-f", "csv"],
        "output": ["-o", "out.txt"],
    },
    "gate": {
        "format": ["-f", "json"],
        "by": ["--by", "kind", "--topics-file", "topics.jsonl"],
        "topics_file": ["--topics-file", "queries.tsv"],
        "baseline": ["-b", "a.fol"],
        "baseline_run": ["--baseline-run", "x"],
        "max_drop": ["--max-drop", "0"],
        "fail_on": ["--fail-on", "significant"],
        "strict_gold": ["--strict-gold"],
        "test": ["--test", "t"],
        "alpha": ["--alpha", "0.9"],
        "draws": ["--draws", "200"],
        "seed": ["--seed", "5"],
        "lower_is_better": ["--lower-is-better", "iP@3"],
        "higher_is_better": ["--higher-is-better", "CE@3"],
        "junit": ["--junit", "out.xml"],
        "summary": ["--summary", "out.md"],
    },
    "correlate": {
        "coefficients": ["-c", "rho"],
        "rows": ["--rows", "AiP"],
        "columns": ["--columns", "AiP"],
        "show_intervals": ["--show-intervals"],
        "verdicts": ["--verdicts", "0.3"],
        "draws": ["--draws", "30"],
        "confidence": ["--confidence", "0.5"],
        "seed": ["--seed", "5"],
        "lower_is_better": ["--lower-is-better", "iP@3"],
        "higher_is_better": ["--higher-is-better", "CE@3"],
        "format": ["-f", "jsonl"],
        "output": ["-o", "out.csv"],
        "heatmap": ["--heatmap", "out.svg"],
        "outcomes": ["--outcomes", "outcomes.csv"],
        "outcome_column": ["--outcome", "score"],
        "chosen_on": ["--chosen-on", "0.4"],
        "topics_file": ["--topics-file", "topics.jsonl"],
    },
    "agree": {
        "coefficients": ["-c", "F1"],
        "judged": ["--judged", "either"],
        "graded": ["--graded"],
        "runs": ["--runs", "a.fol", "b.fol"],
        "report": ["--report", "page.html"],
        "confidence": ["--confidence", "0.5"],
        "draws": ["--draws", "200"],
        "seed": ["--seed", "5"],
        "format": ["-f", "jsonl"],
        "output": ["-o", "out.csv"],
    },
    "plot": {
        "over": ["--over", "rank"],
        "shapes": ["--as", "documents", "--as", "given"],
        "figure": ["--figure", "differences"],
        "against": ["--against", "cost"],
        "log_axis": ["--log-axis"],
        "format": ["-f", "csv"],
        "baseline": ["-b", "b"],
        "output": ["-o", "other.png"],
        "width": ["--width", "column"],
        "font": ["--font", "serif"],
        "title": ["--title", "A title"],
    },
    "pool": {
        "documents": ["-d", "missing"],
        "suggested": ["--suggested", "missing"],
        "assessments": ["-q", "torn.txt"],
        "run_format": ["--run-format", "trec-run"],
        "assessments_format": ["--qrels-format", "trec-qrels"],
        "ranges": ["--ranges", "nonsense"],
        "question_attribute": ["--question-attribute", "asked"],
        "encoding": ["--encoding", "nonsense"],
        "merge": ["--merge", "majority"],
        "insertions": ["--insertions", "none"],
        "keep_going": ["--keep-going"],
        "topics_file": ["--topics-file", "queries.tsv"],
        "depth": ["--depth", "4"],
        "assessed": ["--assessed", "highlights"],
        "grow": ["--grow", "none"],
        "order": ["--order", "document"],
        "between": ["--next", "a", "b"],
        "max_characters": ["--max-characters", "90"],
        "minutes": ["--minutes", "0.1"],
        "speed": ["--speed", "900", "--minutes", "0.1"],
        "rank_by": ["--rank-by", "score"],
        "output": ["-o", "out.jsonl"],
        "sources": ["--sources", "out.jsonl"],
        "quiet": ["--quiet"],
    },
    "perturb": {
        "share": ["--share", "0.5"],
        "characters": ["--characters", "5"],
        "seed": ["--seed", "5"],
        "format": ["--format", "native-run"],
        "assessments": ["-q", "ids.txt"],
        "documents": ["-d", "missing"],
        "run_format": ["--run-format", "trec-run"],
        "assessments_format": ["--qrels-format", "trec-qrels"],
        "ranges": ["--ranges", "nonsense"],
        "question_attribute": ["--question-attribute", "asked"],
        "encoding": ["--encoding", "nonsense"],
        "merge": ["--merge", "majority"],
        "keep_going": ["--keep-going"],
        "quiet": ["--quiet"],
        "insertions": ["--insertions", "none"],
    },
    "simulate": {
        "format": ["-f", "json"],
        "readers": ["--readers", "40"],
        "seed": ["--seed", "5"],
        "visits": ["--visits", "persistent"],
    },
    "study discrimination": {
        "test": ["--test", "t"],
        "draws": ["--draws", "200"],
        "seed": ["--seed", "5"],
        "output": ["-o", "other"],
        "figures": ["--figures"],
    },
    "study stability": {
        "splits": ["--splits", "5"],
        "seed": ["--seed", "5"],
        "output": ["-o", "other"],
        "figures": ["--figures"],
    },
    "study sensitivity": {"seed": ["--seed", "5"], "output": ["-o", "other"], "figures": ["--figures"]},
    "study fidelity": {
        "share": ["--share", "0.5"],
        "seed": ["--seed", "5"],
        "output": ["-o", "other"],
        "figures": ["--figures"],
    },
    "study papers": {
        "papers": ["--paper", "sr"],
        "derive": ["--derive"],
        "share_of_topics": ["--share-of-topics", "0.04"],
        "share_of_systems": ["--share-of-systems", "0.1"],
        "results": ["--results", "30"],
        "seed": ["--seed", "5"],
        "output": ["-o", "other"],
        "figures": ["--figures"],
    },
    "study null": {
        "experiments": ["--experiments", "20"],
        "topic_count": ["--topic-count", "6"],
        "seed": ["--seed", "5"],
        "output": ["-o", "other"],
    },
    "synth": {
        "document_count": ["--document-count", "50"],
        "topic_count": ["--topic-count", "3"],
        "pool_size": ["--pool-size", "20"],
        "relevant_share": ["--relevant-share", "0.5"],
        "system_count": ["--system-count", "2"],
        "systems": ["--system", "one(skill=3)"],
        "results": ["--results", "5"],
        "words": ["--words"],
        "format": ["--format", "inex"],
        "docs_format": ["--docs-format", "none"],
        "seed": ["--seed", "5"],
        "quiet": ["--quiet"],
    },
    "measures": {"every": ["--all"], "format": ["-f", "json"]},
    "formats": {"format": ["-f", "json"]},
    "navigations": {
        "documents": ["-d", "missing"],
        "log": ["--log", "missing"],
        "fits": ["--fit", "readon(mean=?)"],
        "candidates": ["--candidates", "leaves"],
        "revisits": ["--revisits", "no"],
        "format": ["-f", "csv"],
        "folds": ["--folds", "3"],
        "seed": ["--seed", "5"],
    },
    "navigate": {
        "navigation": ["--nav", "proximity"],
        "doc": ["--doc", "d1"],
        "node": ["--node", "/article[1]"],
        "matrix": ["--matrix"],
        "steps": ["--steps"],
        "assessments": ["--qrels", "codes.jsonl"],
        "topic": ["--topic", "t1"],
        "format": ["-f", "csv"],
        "output": ["-o", "out.txt"],
    },
    "summary": {
        "partition": ["-p", "tag"],
        "weight": ["--weight", "depth"],
        "log": ["--log", "log.jsonl"],
        "extents": ["--extents"],
        "steps": ["--steps"],
        "format": ["-f", "csv"],
        "output": ["-o", "out.json"],
        "dot": ["--dot", "out.dot"],
        "svg": ["--svg", "out.svg"],
        "most": ["--most", "1"],
    },
    "chunk": {
        "cut": ["--cut", "<p>"],
        "size": ["--size", "30"],
        "overlap": ["--overlap", "3"],
        "text": ["--no-text"],
        "output": ["-o", "out.jsonl"],
        "quiet": ["--quiet"],
    },
    "ceiling": {
        "k": ["-k", "2"],
        "runs": ["--runs", "b.fol"],
        "assessments": ["--qrels", "other.txt"],
        "documents": ["--docs", "missing.dox"],
        "run_format": ["--run-format", "nonsense"],
        "assessments_format": ["--qrels-format", "nonsense"],
        "ranges": ["--ranges", "doc#start-end"],
        "question_attribute": ["--question-attribute", "nonsense"],
        "encoding": ["--encoding", "nonsense"],
        "merge": ["--merge", "majority"],
        "insertions": ["--insertions", "none"],
        "keep_going": ["--keep-going"],
        "format": ["-f", "csv"],
        "output": ["-o", "out.txt"],
        "quiet": ["--quiet"],
    },
}
"""Every option that a command has of its own, with words that must change what comes out."""

INSTEAD = {
    ("budget", "per_topic"): COMMANDS["budget"][:-1],
    ("diagnose", "near_chance"): [*COMMANDS["diagnose"], "--nav", "readon(mean=20)"],
    ("compare", "correction"): [*COMMANDS["compare"], "--test", "t"],
    ("ceiling", "ranges"): ["ceiling", "chunks.csv", "-q", "ids.txt", "--runs", "a.trec"],
    ("ceiling", "keep_going"): ["ceiling", "chunks.csv", "-q", "torn.txt"],
    ("chunk", "quiet"): ["chunk", "torn.jsonl", "--size", "60"],
    ("navigate", "steps"): ["navigate", "documents.jsonl", "--nav", "summary"],
    ("navigate", "assessments"): ["navigate", "documents.jsonl", "--nav", "err"],
    ("navigate", "topic"): ["navigate", "documents.jsonl", "--nav", "err", "-q", "codes.jsonl"],
    ("correlate", "confidence"): [*CORRELATE, "--draws", "100", "-f", "csv"],
    ("correlate", "show_intervals"): CORRELATE,
    ("correlate", "outcome_column"): OUTCOMES,
    ("correlate", "chosen_on"): OUTCOMES,
    ("correlate", "topics_file"): [*OUTCOMES, "--chosen-on", "kind=odd"],
    ("correlate", "verdicts"): CORRELATE,
    ("perturb", "ranges"): [
        word.replace("qrels.txt", "ids.txt").replace("a.fol", "a.trec") for word in PERTURB
    ],
    ("pool", "ranges"): ["pool", "a.trec", "-q", "ids.txt"],
    ("pool", "keep_going"): ["pool", *RUNS, "-q", "torn.txt"],
    ("perturb", "keep_going"): [word.replace("qrels.txt", "torn.txt") for word in PERTURB],
    ("plot", "over"): ["plot", *RUNS, *QRELS],
    ("plot", "log_axis"): ["plot", *RUNS, *QRELS, "--over", "rank", "-o", "out.png"],
    ("plot", "format"): ["plot", *RUNS, *QRELS],
    ("plot", "baseline"): ["plot", "a.fol", "b.fol", *QRELS, "--figure", "differences", "-o", "out.png"],
    ("synth", "pool_size"): [
        "synth",
        "out",
        "--document-count",
        "600",
        "--topic-count",
        "2",
        "--system-count",
        "1",
    ],
    ("report", "open_page"): [*COMMANDS["report"], "-o", "-"],
}
"""What an option is added to, where that is not the command as it is usually called."""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All files that commands are given, written once."""
    tmp_path = tmp_path_factory.mktemp("written")
    write_collection(tmp_path)
    (tmp_path / "queries.tsv").write_text("t1\twhat is asked\n")
    kinds = [{"topic": f"t{number}", "kind": "odd" if number % 2 else "even"} for number in range(1, 7)]
    (tmp_path / "topics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kinds))
    (tmp_path / "torn.jsonl").write_text((tmp_path / "documents.jsonl").read_text() + '{"doc": 1}\n')
    cases = [f"t{t},{name},{t * at % 3 > 0},{t * at % 5},{'odd' if t < 3 else 'even'}\n"
             for t in range(1, 7) for at, name in enumerate("abc", 1)]  # fmt: skip
    (tmp_path / "outcomes.csv").write_text("topic,run,solved,score,kind\n" + "".join(cases))
    code = {"topic": "t2", "doc": "d1", "node": "/article[1]", "code": "3E"}
    (tmp_path / "codes.jsonl").write_text(json.dumps(code))
    (tmp_path / "words.jsonl").write_text('{"doc": "d1", "text": "one two. three"}\n')
    with contextlib.chdir(tmp_path):
        for name in ("a", "b"):
            run(["eval", f"{name}.fol", *QRELS, "-m", "iP@3 iR@3 AiP", "--per-topic", "-o", f"{name}.csv"])
    return tmp_path


@pytest.fixture
def folder(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_every_option_of_every_command_is_in_these_tests() -> None:
    for name, command in commands_of(group).items():
        if name in ELSEWHERE:
            continue
        scores = "unjudged" in {parameter.name for parameter in command.params}
        own = {
            parameter.name
            for parameter in command.params
            if isinstance(parameter, click.Option)
            and parameter.expose_value
            and not (scores and parameter.name in SCORING_FLAGS)
        }
        assert set(CHANGES[name]) == own, name


@pytest.mark.parametrize(
    ("command", "option"),
    [
        pytest.param(name, option, marks=[pytest.mark.slow] * (name == "study papers"))
        for name in CHANGES
        for option in CHANGES[name]
    ],
)
def test_an_option_changes_what_comes_out_or_is_refused(folder: Path, command: str, option: str) -> None:
    arguments = INSTEAD.get((command, option)) or OTHERS.get(command) or COMMANDS[command]
    usual = usual_outcome(arguments, folder)
    fails = option == "keep_going" or (command, option) in {("perturb", "ranges"), ("ceiling", "ranges")}
    assert usual[0] == (1 if fails else 0), usual[:3]
    assert outcome([*arguments, *CHANGES[command][option]], folder) != usual


IDLE = [
    *([*PERTURB[:2], name, *PERTURB[3:], "--characters", "9"] for name in PERTURBATIONS
      if not PERTURBATIONS[name].moves_ranges),
    *([*PERTURB[:2], name, *PERTURB[3:], "--seed", "9"] for name in PERTURBATIONS if name != "shuffled"),
    [*SYNTH[:-2], "--system", "one(skill=3)", "--system-count", "3"],
    [*SYNTH[:-2], "--system", "one(skill=3)", "--results", "3"],
    [*SYNTH, "--docs-format", "none", "--words"],
    ["simulate", "a.fol", *QRELS, "-d", "documents.jsonl", "-m", "iP@3", "--visits", "persistent"],
    *([*COMMANDS["study discrimination"], "--test", test, option, "200"] for test in ("t", "wilcoxon", "sign")
      for option in ("--draws", "--seed")),
    [*COMMANDS["study fidelity"], "--seed", "9"],
    [*CORRELATE, "-f", "csv", "--show-intervals"], [*CORRELATE, "-f", "jsonl", "--verdicts", "0.3"],
    *([*CORRELATE, *words] for words in (["--outcome", "x"], ["--chosen-on", "0.5"],
                                         ["--topics-file", "topics.jsonl"])),
    *([*OUTCOMES, *words] for words in (["-c", "rbo"], ["--rows", "AiP"], ["--topics-file", "topics.jsonl"])),
    [*CORRELATE, "--draws", "9"], [*CORRELATE, "--confidence", "0.9"], [*CORRELATE, "--seed", "9"],
    *(["agree", "qrels.txt", "other.txt", "-f", "csv", option, value]
      for option, value in (("--confidence", "0.9"), ("--draws", "200"), ("--seed", "5"))),
    ["agree", "qrels.txt", "other.txt", "-c", "F1", "--graded"],
    [*COMMANDS["eval"], "--trust", "other.txt", "--by", "kind", "--topics-file", "topics.jsonl"],
    [*COMMANDS["eval"], "--trust", "other.txt", "-f", "csv", "--per-topic"],
    [*COMMANDS["eval"], "--trust", "other.txt", "--bounds"],
    *(["agree", "qrels.txt", "other.txt", *words] for words in (["-m", "AiP"], ["--depth", "3"])),
    [*COMMANDS["compare"], "--correction", "bonferroni"], [*COMMANDS["compare"], "--as", "given"],
    [*COMMANDS["compare"], "--as", "documents", "--as", "given", "-b", "a"],
    [*COMMANDS["compare"], "--test", "t", "--interval", "t"],
    [*COMMANDS["eval"], "--bounds", "-f", "metrics"],
    [*COMMANDS["eval"], "--bounds", "-f", "csv", "--trust", "other.txt"],
    [*OTHERS["pool"], "--speed", "900"], ["pool", *RUNS, "--assessed", "highlights"],
    ["pool", *RUNS, "--keep-going"], [*OTHERS["pool"], "--next", "a", "b", "--order", "depth"],
    [*COMMANDS["gate"], "--fail-on", "significant"],
    [*COMMANDS["gate"], "--fail-on", "drop", "--alpha", "0.1"],
    [*COMMANDS["report"], "-o", "-", "--open"],
    *(["plot", *RUNS, *QRELS, "--figure", kind, "-o", "out.png", "--store", "kept"]
      for kind in FIGURE_KINDS if kind not in ("means", "differences")),
    *(["navigations", *idle] for idle in (["--folds", "3"], ["--fit", "readon(mean=?)"], ["-f", "csv"])),
    *(["plot", *RUNS, *QRELS, "-o", "out.csv", *words]
      for words in (["--log-axis"], ["--width", "3"], ["--font", "serif"], ["--title", "x"])),
    ["plot", *RUNS, *QRELS, "-o", "out.png", "-f", "csv"],
    *(["navigate", "documents.jsonl", *words]
      for words in (["--qrels", "codes.jsonl"], ["--topic", "t2"], ["--nav", "err", "--topic", "t2"],
                    ["--nav", "summary", "--steps", "--doc", "d1"])),
    *(["summary", "documents.jsonl", *words]
      for words in (["--log", "log.jsonl"], ["--steps", "--extents"], ["-f", "csv", "--most", "3"])),
]  # fmt: skip
"""Options that mean nothing beside the others."""


@pytest.mark.parametrize("arguments", IDLE, ids=" ".join)
def test_an_option_that_cannot_apply_is_refused_with_a_sentence(folder: Path, arguments: list[str]) -> None:
    done = run(arguments)
    assert done.exit_code != 0 and "would do nothing here: " in str(done.exception), done.output


@pytest.mark.parametrize("kind", FIGURE_KINDS)
def test_a_figure_refuses_what_it_would_not_show(folder: Path, kind: str) -> None:
    files = ["a.fol", "b.fol"]
    several = run(["plot", *files, *QRELS, "--figure", kind, "-m", "iP@3 iR@3", "-o", "x.png"])
    assert ("one measure" in str(several.exception)) is (kind in ("means", "differences", "pareto"))
    model = ["--nav", "readon(mean=50)"]
    assert "would do nothing" in str(
        run(["plot", *files, *QRELS, "--figure", kind, *model, "-o", "x.png"]).exception
    )
    if kind != "differences":
        assert "baseline" in str(
            run(["plot", *files, *QRELS, "--figure", kind, "-b", "a", "-o", "x.png"]).exception
        )


def test_measures_named_along_the_sides_need_not_be_named_again(folder: Path) -> None:
    """And what a file of scores holds stands along the other side."""
    named = run(["correlate", *RUNS, *QRELS, "--rows", "iP@3", "--columns", "iR@2 AiP"])
    assert named.exit_code == 0 and named.output.splitlines()[0].split() == ["iR@2", "AiP"]
    run(["eval", *RUNS, *QRELS, "-m", "iP@3 iR@2 AiP", "--per-topic", "-o", "scores.csv"])
    told = run(["correlate", "scores.csv", "--rows", "AiP"])
    assert told.output.splitlines()[0].split() == ["iP@3", "iR@2", "AiP"]
