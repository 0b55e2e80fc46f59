"""Two ways to the same number agree, whichever of all there are, for every measure."""

from __future__ import annotations

import json
import math
import os
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
Values = dict[tuple[str, str], float | None]
Rows = list[dict[str, Any]]


class Case:
    """Assessments and results as rows and as files, and the measures to score them by."""

    def __init__(self, folder: Path, kind: str, rows: tuple[Rows, Rows]) -> None:
        self.folder = folder
        self.qrels, self.results = rows
        self.options = options_for(self.qrels)
        self.measures = [*SCORED[kind], *DOCUMENT_MEASURES]
        for name, content in (("qrels", self.qrels), ("run", self.results), ("docs", DOCUMENTS)):
            lines = "".join(json.dumps(row) + "\n" for row in content)
            (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")

    @property
    def files(self) -> tuple[str, str, list[str], str]:
        names = [str(self.folder / f"{name}.jsonl") for name in ("run", "qrels", "docs")]
        return names[0], names[1], self.measures, names[2]

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
    assert streamed.called
    return found


def by_store(case: Case) -> Values:
    for _ in range(2):
        scores = dx.evaluate(*case.files, **case.options, store=case.folder / "kept")
    return values_of(scores)


def by_command(case: Case) -> Values:
    path, qrels, measures, docs = case.files
    target = str(case.folder / "scores.csv")
    told = [word for name, value in case.options.items() for word in (f"--{name}", value)]
    done = run(
        ["eval", *told, path, "-q", qrels, "-d", docs, "-m", " ".join(measures), "--per-topic", "-o", target]
    )
    assert done.exit_code == 0, done.exception
    return values_of(dx.read_scores(target))


def by_explanation(case: Case) -> Values:
    found: Values = {}
    ground = Evaluation(case.qrels, case.measures, DOCUMENTS, **case.options).ground
    for name in case.measures:
        options = case.options if dx.measure(name).reads_highlights(ground) else {}
        evaluation = Evaluation(case.qrels, name, DOCUMENTS, **options)
        for topic in evaluation.ground.topics:
            look = TopicLook.of(evaluation, topic)
            try:
                found[topic, name] = look.told(evaluation.scores({"run": case.results}, look)).score
            except dx.UsageError as problem:
                assert "has no value" in str(problem)
                found[topic, name] = None
    return found


def by_report(case: Case) -> Values:
    target = case.folder / "report.html"
    dx.write_report({"run": case.results}, case.qrels, case.finite(), DOCUMENTS, path=target, **case.options)
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


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("way", WAYS)
@settings(
    max_examples=1,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_two_ways_to_the_same_number_agree(way: str, kind: str, data: st.DataObject) -> None:
    with TemporaryDirectory() as folder, quietly():
        case = Case(Path(folder), kind, data.draw(CASES[kind]))
        expected = values_of(case.scores())
        found = WAYS[way](case)
        drawn = {dx.measure(name).name for _, name in found}
        assert drawn >= {dx.measure(name).name for name in case.finite()}
        assert_same(found, expected, way)
