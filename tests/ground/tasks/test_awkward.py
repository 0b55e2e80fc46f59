"""Equal to the official scorer of INEX in every awkward case, or refused where it prints no figures."""

from __future__ import annotations

import json
import re
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli.eval_command import command
from doxeval.io.source import Source
from doxeval.measurement.base import Measure
from tests.ground.tasks.awkward import TASKS, Awkward, Printed, awkward_cases, figures, options

CASES = [f"a{number:03}" for number in range(1, 201)]
PAGE = Path(__file__).parents[3] / "docs" / "official-scorers.md"
REFUSED = "the official scorer (refuses|breaks off|prints NaN)"


@cache
def measures(flags: str) -> list[Measure]:
    return [dx.measure(name) for name in figures(flags).values()]


def evaluate(run: Any, qrels: Any, flags: str, **more: Any) -> dx.Scores:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        return dx.evaluate(run, qrels, measures(flags), **options(flags), **more)


def values(scores: dx.Scores) -> dict[tuple[str, str], float | None]:
    return {(measure, topic): value for _, topic, measure, value in scores.rows(per_topic=True)}


def different(found: dict[tuple[str, str], float | None], printed: Printed, flags: str) -> list[str]:
    """The figures that differ from what the scorer printed."""
    names, differing = figures(flags), []
    for figure, by_topic in printed.items():
        for topic, expected in by_topic.items():
            value = found[names[figure], topic]
            if value is None or abs(value - expected) > 1e-12:
                differing.append(f"{figure} {topic}: {value}, not {expected}")
    return differing


@pytest.mark.parametrize("name", CASES)
def test_every_record_is_equal_or_refused(name: str) -> None:
    case = awkward_cases()[name]
    run, qrels = dx.read_run(case.run, verbatim=True), dx.read_assessments(case.qrels)
    for flags, record in case.records.items():
        if isinstance(record, str):
            with pytest.raises(dx.InputError, match=REFUSED):
                evaluate(run, qrels, flags, as_scored=True)
        else:
            assert not different(values(evaluate(run, qrels, flags, as_scored=True)), record, flags), flags


def on_the_command_line(run: str, qrels: str, flags: str) -> dict[tuple[str, str], float | None]:
    given = options(flags)
    words = [run, "-q", qrels, "--task", given["task"], "--topics", given["topics"], "--as-scored"]
    names = [word for name in figures(flags).values() for word in ("-m", name)]
    told = CliRunner().invoke(command, [*words, *names, "--per-topic", "--format", "json"])
    if told.exception is not None and not isinstance(told.exception, SystemExit):
        raise told.exception
    return {(row["measure"], row["topic"]): row["value"] for row in json.loads(told.stdout)}


@pytest.mark.parametrize("flags", TASKS)
@pytest.mark.parametrize("name", CASES[4::13])
def test_every_way_in_gives_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, flags: str
) -> None:
    case = awkward_cases()[name]
    (tmp_path / "r.run").write_bytes(case.run)
    (tmp_path / "q.txt").write_bytes(case.qrels)
    run, qrels, record = str(tmp_path / "r.run"), str(tmp_path / "q.txt"), case.records[flags]

    def streamed() -> dict[tuple[str, str], float | None]:
        with monkeypatch.context() as patch:
            patch.setenv("DOXEVAL_MAX_WHOLE", "1")
            patch.setattr(Source.blocks, "__defaults__", (100,))
            patch.setattr("doxeval.io.source.HEAD", 50)
            return values(evaluate(run, qrels, flags, as_scored=True))

    ways = {
        "paths": lambda: values(evaluate(run, qrels, flags, as_scored=True)),
        "bytes": lambda: values(evaluate(case.run, case.qrels, flags, as_scored=True)),
        "stored": lambda: values(evaluate(run, qrels, flags, as_scored=True, store=tmp_path / "store")),
        "stored before": lambda: values(
            evaluate(run, qrels, flags, as_scored=True, store=tmp_path / "store")
        ),
        "streamed": streamed,
        "command line": lambda: on_the_command_line(run, qrels, flags),
    }
    for way, scored in ways.items():
        if isinstance(record, str):
            with pytest.raises(dx.InputError, match=REFUSED):
                scored()
        else:
            assert not different(scored(), record, flags), way


def test_a_table_without_the_lines_is_refused_if_lines_were_refused() -> None:
    case = awkward_cases()["a080"]
    run = dx.read_run(case.run)
    assert run.notices.refusals and run.written is None
    with pytest.raises(dx.InputError, match="verbatim=True"):
        evaluate(run, case.qrels, "-t", as_scored=True)


def test_a_table_without_the_lines_is_scored_like_its_file() -> None:
    """Everything in these runs has a place in the table; only odd lines have none."""
    compared = 0
    for case in awkward_cases().values():
        run = dx.read_run(case.run)
        if run.notices.refusals or {"run-empty-line", "run-leading-blank"} & set(case.features):
            continue
        for flags in ("-t", "-r"):
            record = case.records[flags]
            if not isinstance(record, str):
                scores = evaluate(run, case.qrels, flags, as_scored=True)
                assert not different(values(scores), record, flags), (case.name, flags)
                compared += 1
    assert compared > 250


def rows_of_the_page() -> dict[str, list[str]]:
    """The rows of the table of features by feature: what the scorer does, and what --task does."""
    table = PAGE.read_text(encoding="utf-8").partition("| feature |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]
    return {name: row[1:] for row in rows for name in re.findall(r"`([^`]+)`", row[0])}


def test_the_page_lists_every_feature() -> None:
    assert set(rows_of_the_page()) == {name for case in awkward_cases().values() for name in case.features}
    assert all(len(row) == 2 for row in rows_of_the_page().values())


def agrees(case: Awkward, flags: str) -> bool:
    """Whether a task gives what its scorer does, without following it to the letter."""
    record = case.records[flags]
    try:
        found = values(evaluate(case.run, case.qrels, flags))
    except dx.DoxevalError:
        return isinstance(record, str)
    return not isinstance(record, str) and not different(found, record, flags)


def test_the_page_says_where_a_task_differs_from_its_scorer() -> None:
    same: dict[str, bool] = {}
    for case in awkward_cases().values():
        if len(case.features) == 1:
            agreeing = all(agrees(case, flags) for flags in TASKS)
            same[case.features[0]] = same.get(case.features[0], True) and agreeing
    assert same == {name: row[1].startswith("the same") for name, row in rows_of_the_page().items()}
