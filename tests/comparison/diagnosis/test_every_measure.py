"""Diagnoses by every measure, and the same numbers on the command line, in files and in slices."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
import pytest

import doxeval as dx
from doxeval.comparison.diagnosis.topic_classes import BUDGET
from doxeval.demo import ANSWERS, DOCUMENTS, RUNS
from tests.scoring.commands import run as command

PATHS = [RUNS / "chunks-400.jsonl", RUNS / "sentences.jsonl"]
OF_TEXT = [
    name
    for name, kind in dx.measures().items()
    if not kind.needs & {"chunks", "steps"} and name != "AspectAP"
]
"""Measures that need no more than the demo has: no aspects, no steps, no list of all chunks."""


@pytest.fixture(scope="module")
def truth() -> tuple[dx.Assessments, dx.Documents]:
    return dx.read_assessments(ANSWERS), dx.read_documents(DOCUMENTS)


@pytest.mark.parametrize("name", OF_TEXT)
@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
def test_classes_add_up_and_values_are_those_of_eval(name, truth):
    example = dx.measures()[name].example
    twice = re.sub(r"@(\d+)$", lambda cutoff: f"@{2 * int(cutoff[1])}", example)
    scores = dx.evaluate(PATHS, truth[0], list(dict.fromkeys([example, twice])), truth[1])
    found = dx.diagnose(PATHS, truth[0], example, truth[1], draws=100)
    for number, (run, seen) in enumerate(found.by_run()):
        assert sum(found.classes[run].values()) == len(scores.topics)
        np.testing.assert_allclose(seen.value, scores.runs[number].values[0])
        if twice != example:
            np.testing.assert_allclose(seen.mended[BUDGET], scores.runs[number].values[1])
        for one in found.mending:
            if one.run == run:
                finite = not one.refused and np.isfinite([one.value, one.mended]).all()
                assert not finite or one.gain == pytest.approx(one.mended - one.value)
                assert one.value == pytest.approx(scores.value(run, example))


def rows(*arguments: str) -> list[dict[str, str]]:
    done = command(["diagnose", *map(str, PATHS), "-q", str(ANSWERS), "-m", "iR@5", *arguments, "-f", "csv"])
    assert done.exit_code == 0, done.output
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_the_command_line_says_what_python_says(truth):
    found = dx.diagnose(PATHS, truth[0], "iR@5", truth[1])
    told = {(row["run"], row["name"]): row for row in rows("-d", str(DOCUMENTS)) if row["what"] == "class"}
    assert {(run, name): int(row["topics"]) for (run, name), row in told.items()} == {
        (run, name): count for run, counts in found.classes.items() for name, count in counts.items()
    }
    by_topic = {(row["run"], row["topic"]): row for row in rows("-d", str(DOCUMENTS), "--per-topic")}
    for one in found.per_topic:
        row = by_topic[one.run, one.topic]
        assert (row["diagnosis"], float(row["value"])) == (one.diagnosis, one.value)
    scores = dx.evaluate(PATHS, truth[0], "AiP iP@5 iR@5", truth[1])
    assert dx.diagnose(scores).classes == found.classes and dx.diagnose(scores).measure == "iR@5"


def test_slices_add_up_to_all_topics(truth):
    topics = {topic: {"kind": "odd" if at % 2 else "even"} for at, topic in enumerate(truth[0].topics)}
    found = dx.diagnose(PATHS, truth[0], "iR@5", truth[1], by="kind", topics_file=topics)
    for run, counts in found.classes.items():
        for name, count in counts.items():
            parts = [one.topics for one in found.counts if (one.run, one.diagnosis) == (run, name)]
            assert parts[0] == count == sum(parts[1:])
    assert {one.slice for one in found.mending} == {"all", "kind=even", "kind=odd"}


def test_chunks_serve_one_run_or_all(truth):
    chunks = [
        {"doc": doc, "start": at, "end": at + 300} for doc in truth[1].ids for at in range(0, 3000, 300)
    ]
    far = [{"topic": topic, "doc": "nowhere", "rank": 1, "start": 0, "end": 9} for topic in truth[0].topics]
    runs = {"a": far, "b": far}
    with pytest.warns(dx.DoxevalWarning):
        ceiling = dx.diagnose(runs, truth[0], "iR@1", draws=100).mending
        shared = dx.diagnose(runs, truth[0], "iR@1", draws=100, chunks=chunks).mending
        own = dx.diagnose(runs, truth[0], "iR@1", draws=100, chunks={"a": chunks, "b": chunks[:1]}).mending
    gains = [
        {one.run: (one.gain, one.ceiling) for one in found if one.mending == "other documents"}
        for found in (ceiling, shared, own)
    ]
    assert all(one[1] for one in gains[0].values()) and not any(one[1] for one in gains[1].values())
    assert gains[1]["a"] == gains[1]["b"] == gains[2]["a"] and gains[2]["b"][0] < gains[2]["a"][0]
