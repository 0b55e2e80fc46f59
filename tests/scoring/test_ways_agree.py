"""Two ways to the same number agree, whichever of all there are, for every measure."""

from __future__ import annotations

import json
import math
import os
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import polars
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.scoring.evaluation import Evaluation
from doxeval.scoring.scores import ALL
from doxeval.scoring.streaming import blocks
from doxeval.show.explanation.explain import TopicLook
from tests.measurement.test_invariants import DOCUMENTS, SCORED, evaluations, judged, options_for
from tests.scoring.commands import run
from tests.show.report.test_report import data_of

DOCUMENT_MEASURES = ["nDCG@3", "AP", "P@2", "NumRet"]
CASES = {"ranges": evaluations(), "nodes": judged()}
FORMATS: dict[str, dict[str, dict[str, str]]] = {
    "ranges": {
        "run": {"native-run": "jsonl", "parquet": "parquet", "inex-fol": "fol", "inex-submission": "xml",
                "genomics-run": "txt"},
        "assessments": {"native-assessments": "jsonl", "parquet": "parquet", "inex-assessments": "txt"},
    },
    "nodes": {
        "run": {"native-run": "jsonl", "parquet": "parquet"},
        "assessments": {"native-assessments": "jsonl", "parquet": "parquet"},
    },
}  # fmt: skip
"""Formats that hold all that is drawn, with their suffixes."""
PACKED = ("", ".gz", ".zst")
OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "depth": st.integers(1, 5), "unjudged": st.just("skip"), "rank_by": st.sampled_from(["score", "file"]),
    "topics": st.just("run"), "shape": st.sampled_from(["trees", "documents"]), "added": st.just("free"),
}  # fmt: skip
"""Options of scoring that every way takes, with values other than the usual ones."""
Values = dict[tuple[str, str], float | None]
Rows = list[dict[str, Any]]


class Case:
    """Assessments and results as rows and as files, the measures to score them by, and options."""

    def __init__(
        self, folder: Path, kind: str, data: st.DataObject, measures: list[str] | None = None
    ) -> None:
        self.folder = folder
        self.qrels, self.results = data.draw(CASES[kind])
        formats = {name: data.draw(st.sampled_from(sorted(known))) for name, known in FORMATS[kind].items()}
        if formats["assessments"] == "inex-assessments":
            kept = [name for name in SCORED["nodes"] if name in SCORED[kind]]
            self.qrels = [{key: row[key] for key in row if key != "aspects"} for row in self.qrels]
        else:
            kept = SCORED[kind]
        self.measures = measures or [*kept, *DOCUMENT_MEASURES]
        self.options = self.needed(self.measures)
        self.paths = {"docs": str(folder / "docs.jsonl")}
        Path(self.paths["docs"]).write_text("".join(json.dumps(row) + "\n" for row in DOCUMENTS))
        for name, rows, write in (
            ("run", self.results, dx.write_run),
            ("assessments", self.qrels, dx.write_assessments),
        ):
            packed = "" if formats[name] == "parquet" else data.draw(st.sampled_from(PACKED))
            self.paths[name] = str(folder / f"{name}.{FORMATS[kind][name][formats[name]]}{packed}")
            write(rows, self.paths[name], format=formats[name])

    def needed(self, measures: list[str]) -> dict[str, Any]:
        """The options without which some of these measures cannot be computed."""
        ground = Evaluation(self.qrels, [], DOCUMENTS, **options_for(self.qrels)).ground
        reading = any(dx.measure(name).reads_highlights(ground) for name in measures)
        return dict(options_for(self.qrels)) if reading else {}

    @property
    def files(self) -> tuple[str, str, list[str], str]:
        return self.paths["run"], self.paths["assessments"], self.measures, self.paths["docs"]

    def scores(self, **options: Any) -> dx.Scores:
        return dx.evaluate(
            {"run": self.results}, self.qrels, self.measures, DOCUMENTS, **self.options, **options
        )

    def finite(self) -> list[str]:
        """The measures with a value, and none that is infinite: others are neither compared nor drawn."""
        found = values_of(self.scores())
        odd = {name for (_, name), value in found.items() if value is not None and math.isinf(value)}
        return [name for name in self.measures if name not in odd and found[ALL, name] is not None]


def values_of(scores: dx.Scores) -> Values:
    return {(topic, measure): value for _, topic, measure, value in scores.rows(per_topic=True)}


def by_frame(case: Case) -> Values:
    frame = polars.from_dicts(case.results, infer_schema_length=None)
    return values_of(dx.evaluate({"run": frame}, case.qrels, case.measures, DOCUMENTS, **case.options))


def by_file(case: Case) -> Values:
    return values_of(dx.evaluate(*case.files, **case.options))


def by_stream(case: Case) -> Values:
    honest = blocks.score_in_blocks
    with (
        patch.dict(os.environ, DOXEVAL_MAX_WHOLE="1"),
        patch.object(blocks, "score_in_blocks", wraps=honest) as streamed,
    ):
        found = values_of(dx.evaluate(*case.files, **case.options))
    assert streamed.called is (not case.paths["run"].endswith((".parquet", ".xml", ".xml.gz", ".xml.zst")))
    return found


def by_store(case: Case) -> Values:
    for _ in range(2):
        scores = dx.evaluate(*case.files, **case.options, store=case.folder / "kept")
    return values_of(scores)


FLAGS = {"shape": "--as", "rank_by": "--rank-by"}


def by_command(case: Case) -> Values:
    path, qrels, measures, docs = case.files
    target = str(case.folder / "scores.csv")
    told = [
        word for name, value in case.options.items() for word in (FLAGS.get(name, f"--{name}"), str(value))
    ]
    done = run(
        ["eval", *told, path, "-q", qrels, "-d", docs, "-m", " ".join(measures), "--per-topic", "-o", target]
    )
    assert done.exit_code == 0, done.exception
    return values_of(dx.read_scores(target))


def by_explanation(case: Case) -> Values:
    """One topic for each measure, the topics in turn."""
    found: Values = {}
    chosen = {name: value for name, value in case.options.items() if name in OPTIONS}
    for turn, name in enumerate(case.measures):
        options = case.needed([name]) | chosen
        evaluation = Evaluation(case.qrels, name, DOCUMENTS, **options)
        topic = evaluation.ground.topics[turn % len(evaluation.ground.topics)]
        look = TopicLook.of(evaluation, topic)
        try:
            found[topic, name] = look.told(evaluation.scores({"run": case.results}, look)).score
        except dx.UsageError as problem:
            assert "has no value" in str(problem)
            found[topic, name] = None
    return found


def by_report(case: Case) -> Values:
    target = case.folder / "report.html"
    options = case.options | options_for(case.qrels)
    dx.write_report({"run": case.results}, case.qrels, case.finite(), DOCUMENTS, path=target, **options)
    data = data_of(target)
    names = [measure["name"] for measure in data["measures"]]
    found = {(ALL, name): mean for name, mean in zip(names, data["means"][0], strict=True)}
    for name, values in zip(names, data["values"][0], strict=True):
        found |= {(topic, name): value for (topic, _), value in zip(data["topics"], values, strict=True)}
    return found


def by_figure(case: Case) -> Values:
    """Means, and the last points of curves that end at a cut-off every run reaches."""
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from matplotlib import pyplot

    scores = case.scores()
    found: Values = {}
    depth = max(row["rank"] for row in case.results)
    for name in {dx.measure(name).name: name for name in case.finite()}.values():
        if name in scores.summed:
            found[ALL, name] = scores.value("run", name)
            continue
        figure = dx.plot(scores, measures=name, figure="means")
        found[ALL, name] = float(figure.axes[0].get_lines()[0].get_xdata()[0])
        pyplot.close(figure)
        cutoff = dx.measure(name).rank
        if cutoff is not None and cutoff <= depth:
            figure = dx.plot(scores, measures=name, figure="gain-rank")
            assert figure.axes[0].get_lines()[0].get_ydata()[-1] == pytest.approx(found[ALL, name], abs=1e-9)
            pyplot.close(figure)
    return found


WAYS: dict[str, Callable[[Case], Values]] = {
    "frame": by_frame, "file": by_file, "stream": by_stream, "store": by_store, "command": by_command,
    "explanation": by_explanation, "report": by_report, "figure": by_figure,
}  # fmt: skip
ROUNDED = {"report": 1e-9}
"""The report's values per topic are rounded to ten digits."""


@contextmanager
def quietly() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        yield


def assert_same(found: Values, expected: Values, way: str) -> None:
    for key, value in found.items():
        wanted = expected[key]
        if wanted is None or value is None:
            assert value is wanted, (key, value, wanted)
        else:
            assert value == pytest.approx(wanted, abs=ROUNDED.get(way, 1e-12)), key


def check(way: str, case: Case) -> None:
    """One way of many gives what rows in Python give."""
    expected = values_of(case.scores())
    found = WAYS[way](case)
    drawn = {dx.measure(name).name for _, name in found}
    assert drawn >= {dx.measure(name).name for name in case.finite()}
    assert_same(found, expected, way)


ONCE = settings(
    max_examples=1,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("way", [way for way in WAYS if way != "figure"])
@ONCE
@given(data=st.data())
def test_two_ways_to_the_same_number_agree(way: str, kind: str, data: st.DataObject) -> None:
    with TemporaryDirectory() as folder, quietly():
        check(way, Case(Path(folder), kind, data))


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("way", WAYS)
@settings(ONCE, max_examples=4)
@given(data=st.data())
def test_they_agree_whatever_users_combine(way: str, kind: str, data: st.DataObject) -> None:
    """Options, formats and measures at random: the same numbers, or the same refusal."""
    known = [*SCORED["nodes"], *DOCUMENT_MEASURES]
    measures = data.draw(st.lists(st.sampled_from(known), min_size=2, max_size=6, unique=True))
    chosen = data.draw(st.lists(st.sampled_from(sorted(OPTIONS)), max_size=3, unique=True))
    with TemporaryDirectory() as folder, quietly():
        case = Case(Path(folder), kind, data, measures)
        case.options |= {name: data.draw(OPTIONS[name]) for name in chosen}
        try:
            case.scores()
        except dx.DoxevalError as refusal:
            with pytest.raises(
                (dx.DoxevalError, AssertionError), match=re.escape(str(refusal).split(";")[0][:40])
            ):
                WAYS[way](case)
        else:
            check(way, case)
