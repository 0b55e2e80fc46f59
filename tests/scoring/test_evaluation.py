"""One evaluation: mistakes before the work, runs aligned once, bad ones apart, tables left as they are."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import doxeval as dx
from doxeval.ground.align import align
from doxeval.kernels import compiled
from doxeval.lab.studies.papers.tasks import ESR_TASKS
from doxeval.scoring import evaluation as module
from doxeval.scoring.evaluation import Evaluation
from doxeval.scoring.scores import Scores
from doxeval.scoring.scores_table import scores_table
from doxeval.scoring.store.identity import digest
from doxeval.scoring.sweep import threads_do
from tests.scoring.commands import COMMANDS, QRELS, RUNS, run, write_collection

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

TEXT = {"manual": "Press the red button twice. Then wait for the green light."}
REPEATED = [task for task in ESR_TASKS if task.table != "17"]
"""The experiments of ESR that need no documents; each changes the runs in its own way."""
ANSWERS = [{"topic": "q1", "doc": "manual", "quote": "Press the red button twice."}]
RESULTS = [{"topic": "q1", "doc": "manual", "rank": 1, "start": 10, "end": 40}]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["-m", "SRiP2@3", "--nav", "hierarchicl"], "hierarchical"),
        (["-m", "SRiP2(nav=hierarchicl)@3"], "hierarchical"),
        (["-m", "SRiP2@3", "--nav", "readon(meen=5)"], "mean"),
        (["-m", "PRUM(r=1)"], "--docs"),
        (["-m", "iR@100w"], "--docs"),
        (["-m", "IoUomega"], "--chunks"),
    ],
)
@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("plot curves", "budget")])
def test_mistakes_are_told_before_any_run_is_opened(
    folder: Path, command: str, options: list[str], told: str
) -> None:
    for name in RUNS:
        (folder / name).write_bytes(b"\x00 unreadable \xff")
    arguments = list(COMMANDS[command])
    if command == "study papers":
        if "--nav" not in options:
            return
        at = arguments.index("--nav")
        arguments, options = [*arguments[:at], *arguments[at + 2 :]], options[2:]
    else:
        del arguments[arguments.index("-m") : arguments.index("-m") + 2]
    if command == "study sensitivity" and "SRiP2@3" not in options:
        return
    done = run([*arguments, *options])
    assert done.exit_code != 0
    assert told in str(done.exception) and "unreadable" not in str(done.exception), str(done.exception)
    assert not any(name in str(done.exception) for name in RUNS), str(done.exception)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_bad_run_is_told_and_the_others_are_scored(folder: Path, command: str) -> None:
    if command in ("explain", "simulate", "effects"):  # the last needs the parameters of every run
        return
    good = COMMANDS[command]
    assert run(good).exit_code == 0
    at = good.index("c.fol")
    done = run([*good[:at], "bad.fol", *good[at:]])
    assert done.exit_code == 2, done.output
    assert "error: not scored: " in done.output and "bad.fol" in done.output


@pytest.mark.parametrize("command", COMMANDS)
def test_every_run_is_aligned_once(folder: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    aligned: list[str] = []

    def counting(run: Any, *rest: Any) -> Any:
        aligned.append(run.name)
        return align(run, *rest)

    monkeypatch.setattr(module, "align", counting)
    assert run(COMMANDS[command]).exit_code == 0
    runs = [name.removesuffix(".fol") for name in COMMANDS[command] if name.endswith(".fol")]
    variants = {"study fidelity": 4, "agree": 2, "study papers": len(REPEATED)}.get(command, 1)
    assert len(aligned) == variants * len(runs)
    assert set(runs) <= set(aligned)


def test_jobs_store_and_computed_scores_make_the_same_report(folder: Path) -> None:
    def report(*arguments: Any, **options: Any) -> bytes:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dx.DoxevalWarning)
            dx.write_report(
                *arguments, **{"path": "r.html", "seed": 3, "topics_file": {"t1": "Why?"}, **options}
            )
        return Path("r.html").read_bytes()

    plain = report(RUNS, "qrels.txt", "iP@3 AiP")
    assert report(RUNS, "qrels.txt", "iP@3 AiP", jobs=2) == plain
    assert report(RUNS, "qrels.txt", "iP@3 AiP", store="kept") == plain
    assert report(RUNS, "qrels.txt", "iP@3 AiP", store="kept") == plain
    with pytest.warns(dx.DoxevalWarning):
        scores = dx.evaluate(RUNS, "qrels.txt", "iP@3 AiP")
    assert report(scores) == plain


def test_figures_take_scores_that_were_computed(folder: Path) -> None:
    with pytest.warns(dx.DoxevalWarning):
        scores = dx.evaluate(RUNS[:2], "qrels.txt", "iP@3 AiP")
    for kind, measure in (
        ("means", "AiP"),
        ("differences", "AiP"),
        ("gain-rank", None),
        ("gain-rank", "iP@9"),
    ):
        shown = dx.plot(scores, measures=measure, figure=kind)
        with pytest.warns(dx.DoxevalWarning):
            again = dx.plot(RUNS[:2], "qrels.txt", measure, figure=kind)
        assert shown._repr_png_() == again._repr_png_()
    run(["eval", *RUNS, *QRELS, "-m", "AiP", "--per-topic", "-o", "scores.csv"])
    assert dx.plot(dx.read_scores("scores.csv"), figure="means")._repr_png_() is not None
    with pytest.raises(dx.UsageError, match="have no runs attached"):
        dx.plot(dx.read_scores("scores.csv"))
    with pytest.raises(dx.UsageError, match="already scored"):
        dx.plot(scores, "qrels.txt", figure="means")


def test_rows_and_columns_name_the_measures(folder: Path) -> None:
    named = run(["correlate", *RUNS, *QRELS, "--rows", "iP@3", "--columns", "iR@2 AiP", "-f", "csv"])
    both = ["-m", "iP@3 iR@2 AiP", "--rows", "iP@3", "--columns", "iR@2 AiP", "-f", "csv"]
    assert named.exit_code == 0 and named.stdout == run(["correlate", *RUNS, *QRELS, *both]).stdout
    run(["eval", *RUNS, *QRELS, "-m", "iP@3 iR@2 AiP", "--per-topic", "-o", "scores.csv"])
    from_scores = run(["correlate", "scores.csv", "--rows", "iP@3", "--columns", "iR@2 AiP", "-f", "csv"])
    assert from_scores.stdout == named.stdout


Call = Callable[..., Any]
PUBLIC: dict[str, Call] = {
    "evaluate": lambda run, qrels, docs, **more: dx.evaluate({"renamed": run}, qrels, "iP@1", docs, **more),
    "explain": lambda run, qrels, docs, **more: dx.explain(
        {"renamed": run}, qrels, "iP@1", docs, topic="q1", **more
    ),
    "plot": lambda run, qrels, docs, **more: dx.plot({"renamed": run}, qrels, documents=docs, **more),
    "write_report": lambda run, qrels, docs, **more: dx.write_report(
        {"renamed": run}, qrels, "iP@1", docs, path="r.html", topics_file={"q1": "How?"}, **more
    ),
    "score_retriever": lambda run, qrels, docs, **more: dx.score_retriever(
        lambda question: [TEXT["manual"][10:40]], {"q1": "How?"}, qrels, "iP@1", docs, **more
    ),
    "compare": lambda run, qrels, docs, **more: dx.compare(
        dx.evaluate({"one": run, "two": run}, qrels, "iP@1", docs, **more), draws=100
    ),
}


@pytest.mark.parametrize("name", PUBLIC)
def test_callers_tables_are_never_changed(folder: Path, name: str) -> None:
    tables = dx.read_run(RESULTS, name="mine"), dx.read_assessments(ANSWERS), dx.read_documents(TEXT)
    before = [(digest(table), len(table.notices)) for table in tables]
    if name == "compare":
        with pytest.raises(dx.UsageError):
            PUBLIC[name](*tables)
    else:
        PUBLIC[name](*tables)
    assert [(digest(table), len(table.notices)) for table in tables] == before
    assert tables[0].name == "mine" and tables[1].queries == {}


@pytest.mark.parametrize("name", [name for name in PUBLIC if name != "compare"])
def test_every_function_takes_the_same_arguments_and_options(folder: Path, name: str) -> None:
    PUBLIC[name](RESULTS, ANSWERS, TEXT)
    PUBLIC[name](RESULTS, ANSWERS, TEXT, depth=1, jobs=1, topics="run", unjudged="skip", ranges="")
    with pytest.raises(dx.UsageError, match="no parameter 'dept'; did you mean 'depth'"):
        PUBLIC[name](RESULTS, ANSWERS, TEXT, dept=1)
    with pytest.raises(dx.UsageError, match=re.escape("topics must be 'qrels' or 'run', not 'all'")):
        PUBLIC[name](RESULTS, ANSWERS, TEXT, topics="all")


def test_chunks_may_be_rows_or_a_table() -> None:
    rows = [{"doc": "manual", "start": 0, "end": 40}]
    values = [
        dx.evaluate(RESULTS, ANSWERS, "IoUomega", TEXT, chunks=given).value("run", "IoUomega")
        for given in (rows, dx.read_chunks(rows))
    ]
    assert values == [27 / 40, 27 / 40]


def test_options_that_nothing_uses_are_refused(folder: Path) -> None:
    for options, told in (
        ({"navigation": "none"}, "would do nothing"),
        ({"tokenizer": "tokenizer.json"}, "no measure counts tokens"),
        ({"chunks": [{"doc": "d1", "start": 0, "end": 4}]}, "chunks would do nothing"),
        ({"fix": True}, "only with task"),
    ):
        with pytest.raises(dx.UsageError, match=told):
            dx.evaluate(RUNS, "qrels.txt", "iP@3", **options)


def test_an_evaluation_scores_any_runs_and_shows_them_to_a_look() -> None:
    built = Evaluation(ANSWERS, "iP@1", TEXT)
    scores = built.scores({"x": RESULTS}, lambda _, aligned, scores: (len(aligned), scores.name))
    assert scores.runs[0].seen == (1, "x")
    assert built.scores(iter([dx.read_run(RESULTS, name="y")])).names == ["y"]


def test_a_prepared_evaluation_scores_run_after_run() -> None:
    built = dx.Evaluation(ANSWERS, "iP@1 iR@1 P@1", TEXT)
    for end in (20, 30, 40):
        rows = [RESULTS[0] | {"end": end}]
        found, fresh = built.score(rows), dx.evaluate(rows, ANSWERS, "iP@1 iR@1 P@1", TEXT)
        assert [found[name] for name in found.measures] == [fresh[name] for name in fresh.measures]
        assert [str(notice) for notice in found.notices] == [str(notice) for notice in fresh.notices]
    with pytest.raises(dx.UsageError, match="expected one run, found 2"):
        built.score({"x": RESULTS, "y": RESULTS})
    with pytest.raises(dx.UsageError, match="choose one"):
        built.scores({"x": RESULTS, "y": RESULTS})["iP@1"]
    with pytest.raises(dx.UsageError, match="none of its topics were assessed"):
        built.score([RESULTS[0] | {"topic": "q9"}])


def test_repetition_is_that_of_the_first_results_whatever_is_measured() -> None:
    dice = Random(3)
    place = [
        {"topic": f"q{dice.randrange(3)}", "doc": f"d{dice.randrange(4)}", "start": start, "end": start + 30}
        for start in (dice.randrange(90) for _ in range(120))
    ]
    run = dx.read_run(place[20:])
    read_all, read_first = (dx.Evaluation(place[:20], name).score(run).runs[0] for name in ("AiP", "iR@1"))
    assert read_all.repeated == read_first.repeated and read_all.repeated.share > 0


@pytest.mark.parametrize(
    ("answered", "told"), [((2, 2), []), ((1, 2), ["1, 2"]), ((3, 1), ["1, 3"]), ((3, 1, 2), ["1, 2, 3"])]
)
def test_means_over_different_numbers_of_topics_are_told(answered: tuple[int, ...], told: list[str]) -> None:
    gold = [ANSWERS[0] | {"topic": f"q{number}"} for number in range(3)]
    runs = {f"first {size}, {at}": [RESULTS[0] | {"topic": f"q{number}"} for number in range(size)]
            for at, size in enumerate(answered)}  # fmt: skip
    for topics, expected in (("run", told), ("qrels", [])):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dx.DoxevalWarning)
            notices = dx.evaluate(runs, gold, "iP@1", TEXT, topics=topics).notices
        start = "runs are averaged over different numbers of topics: "
        found = [str(one).removeprefix(start) for one in notices if str(one).startswith(start)]
        assert found == expected


def test_a_value_of_an_unknown_run_topic_or_measure_is_refused_with_the_nearest() -> None:
    gold = [{"topic": "t1", "doc": "d", "start": 0, "end": 9}]
    scores = dx.evaluate({"mine": [row | {"rank": 1} for row in gold]}, gold, "iR@1")
    assert scores.value("mine", "iR@1", "t1") == scores.value("mine", "iR@1") == 1
    for names, told in (
        (("mien", "iR@1"), "these scores have no run 'mien'; did you mean 'mine'?"),
        (("mine", "iR@1", "t2"), "these scores have no topic 't2'"),
        (("mine", "iR@2"), "these scores have no measure 'iR@2'; did you mean 'iR@1'?"),
    ):
        with pytest.raises(dx.UsageError) as caught:
            scores.value(*names)
        assert str(caught.value) == told


@pytest.mark.parametrize(
    ("runs", "measures", "documents", "threads"),
    [
        (["memory", "memory"], "iP@1 AiP", None, True),
        (["run.fol", "memory"], "iP@1", None, True),
        (["run.jsonl", "run.fol"], "iP@1", None, False),
        (["no run.txt"], "iP@1", None, False),
        (["memory"], "iP@1 CE@1", None, False),
        (["memory"], "iP@1", TEXT, False),
        ([], "iP@1", None, False),
    ],
)
def test_threads_score_what_is_in_memory_or_read_by_kernels(
    runs: list[str], measures: str, documents: Any, threads: bool, tmp_path: Path
) -> None:
    if not compiled():
        pytest.skip("the kernels are not compiled")
    (tmp_path / "run.fol").write_text("q1 Q0 manual 1 1.0 tag 10 30\n")
    (tmp_path / "run.jsonl").write_text(
        '{"topic": "q1", "doc": "manual", "rank": 1, "start": 10, "end": 40}\n'
    )
    (tmp_path / "no run.txt").write_text("nothing\n")
    gold = [{"topic": "q1", "doc": "manual", "start": 0, "end": 27}]
    prepared = Evaluation(gold, measures, documents)
    loaders = prepared.loaders([dx.read_run(RESULTS) if one == "memory" else tmp_path / one for one in runs])
    assert threads_do(prepared, loaders) == threads
    assert not threads_do(prepared, iter(loaders))


def test_large_runs_are_scored_by_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "run.fol").write_text("q1 Q0 manual 1 1.0 tag 10 30\n")
    prepared = Evaluation([{"topic": "q1", "doc": "manual", "start": 0, "end": 27}], "iP@1")
    assert threads_do(prepared, prepared.loaders([tmp_path / "run.fol"])) == compiled()
    monkeypatch.setenv("DOXEVAL_MAX_WHOLE", "1")
    assert not threads_do(prepared, prepared.loaders([tmp_path / "run.fol"]))


def test_a_run_that_cannot_be_read_does_not_change_the_unit(tmp_path: Path) -> None:
    gold = [{"topic": "t", "doc": "a", "start_line": 1, "end_line": 2}]
    row = '{"topic": "t", "doc": "a", "rank": 1, "start_line": 1, "end_line": 1}\n'
    (tmp_path / "good.jsonl").write_text(row)
    (tmp_path / "bad.jsonl").write_text("{}\n")
    with pytest.warns(dx.DoxevalWarning, match="bad.jsonl"):
        scores = dx.evaluate(
            [tmp_path / "bad.jsonl", tmp_path / "good.jsonl"], gold, "iR@1", {"a": "one\nthree\n"}
        )
    assert scores.value("good", "iR@1") == 1 / 2 and "text is counted in lines" in repr(scores)


def test_a_table_without_runs_has_no_footer() -> None:
    assert scores_table(Scores(["iR@1"], ["t"], [])).footer == []
