"""What a question's page is made of: ranks add what `explain` tells, and find what `eval` counts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.demo import ANSWERS, DOCUMENTS, RUNS
from doxeval.measurement.base import measure_named
from tests.show.report.test_report import report

SHOWN = 3


def told_of(data: dict, run: int, measure: int, topic: int) -> list[float]:
    """What is added elsewhere, and by each of the first ranks."""
    row = data["added"][run][measure][topic]
    return row + [0] * (1 + data["results"] - len(row))


def explained(told: dx.Explanation, shown: int) -> list[float]:
    first = [0.0] * shown
    for rank in told.ranks:
        if rank.rank <= shown:
            first[rank.rank - 1] = rank.added
    return [told.score - sum(first), *first]


@pytest.mark.parametrize(
    "measure", ["AiP", "iP@5", "iR@5", "IoU@5", "iR@2000c", "CE@5", "ESRP@5", "iP(alpha=1)@7"]
)
def test_ranks_add_what_explain_tells(tmp_path, measure) -> None:
    runs = sorted(RUNS.glob("*.jsonl"))[:2]
    options = {"navigation": "readon(mean=500)"} if measure.startswith("ESRP") else {}
    data = report(tmp_path, runs, ANSWERS, measure, DOCUMENTS, **options)
    for at, run in enumerate(runs):
        for number, (topic, _) in enumerate(data["topics"]):
            told = dx.explain(run, ANSWERS, measure, DOCUMENTS, topic=topic, **options)
            assert told_of(data, at, 0, number) == pytest.approx(explained(told, 10), abs=1e-6)
            assert data["adds"] == [told.meaning]


RANGES = st.tuples(st.integers(0, 40), st.integers(1, 30)).map(lambda pair: (pair[0], pair[0] + pair[1]))
PLACES = st.tuples(st.sampled_from("ab"), st.sampled_from("de"), RANGES)


@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
@settings(max_examples=12)
@given(st.lists(PLACES, min_size=1, max_size=4), st.lists(PLACES, min_size=1, max_size=12))
def test_random_runs_add_and_find_what_explain_and_eval_tell(tmp_path_factory, gold, found) -> None:
    answers = [
        {"topic": t, "doc": d, "start": span[0], "end": span[1]} for t, d, span in (("a", "d", (3, 9)), *gold)
    ]
    found = [("a", "d", (0, 5)), *found]
    results = [
        {"topic": t, "doc": d, "score": -at, "start": span[0], "end": span[1]}
        for at, (t, d, span) in enumerate(found)
    ]
    folder = tmp_path_factory.mktemp("random")
    data = report(folder, {"run": results}, answers, "iP@4 AiP iR", show_results=SHOWN)
    for number, (topic, _) in enumerate(data["topics"]):
        ranks = range(1, len(results) + 1)
        recall = dx.evaluate({"run": results}, answers, [f"iR@{rank}" for rank in ranks])
        finding = [rank for rank in ranks if recall.value("run", f"iR@{rank}", topic) > 0]
        assert data["first"][0][number] == (finding or [0])[0]
        assert data["listed"][0][number] == sum(row["topic"] == topic for row in results)
        for measure, label in enumerate(("iP@4", "AiP", "iR")):
            told = dx.explain({"run": results}, answers, label, topic=topic)
            assert told_of(data, 0, measure, number) == pytest.approx(explained(told, SHOWN), abs=1e-6)


def test_a_measure_that_is_no_sum_says_why(tmp_path) -> None:
    gold = [{"topic": "t", "doc": "d", "start": 0, "end": 9}]
    run = [{"topic": "t", "doc": "d", "rank": 1, "start": 0, "end": 5}]
    data = report(tmp_path, {"run": run}, gold, "iR Reach(recall=0.5)")
    assert data["added"][0] == [[[0, 0.555556]], []]
    assert measure_named("Reach(recall=0.5)").no_sum in data["adds"][1]


def test_attributes_that_divide_the_topics_are_there(tmp_path) -> None:
    gold = [{"topic": f"q{at}", "doc": "d", "start": 0, "end": 9} for at in range(4)]
    run = [{"topic": f"q{at}", "doc": "d", "rank": 1, "start": 0, "end": 3} for at in range(4)]
    topics = {
        f"q{at}": {"query": "Why?", "kind": "odd" if at % 2 else "even", "id": f"x{at}"} for at in range(4)
    }
    topics["q3"].pop("kind")
    data = report(tmp_path, {"run": run}, gold, "iR@1", topics_file=topics)
    assert data["attributes"] == {"kind": ["even", "odd", "even", None]}
