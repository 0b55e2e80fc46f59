"""Where the official scorer of INEX and the tasks part, and what --as-scored makes of it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import doxeval as dx

QRELS = "1 Q0 a 100 1000 300 100:100\n1 Q0 b 0 400\n"


def evaluate(
    folder: Path, run: list[str], qrels: str = QRELS, measures: str = "", **options: object
) -> dx.Scores:
    (folder / "r.fol").write_text("".join(f"1 Q0 {line}\n" for line in run))
    (folder / "q.txt").write_text(qrels)
    return dx.evaluate(folder / "r.fol", folder / "q.txt", measures, **options)


@pytest.mark.parametrize("percent", range(1, 101))
def test_a_recall_of_exactly_29_57_or_58_percent_is_denied_its_level(tmp_path: Path, percent: int) -> None:
    """The scorer takes floor(100 * recall) in double precision."""
    run, name = [f"a 1 9 x 100 {percent}"], f"iP[{percent / 100:.2f}]"
    assert evaluate(tmp_path, run, measures=name, task="focused").value("r", name) == 1
    scored = evaluate(tmp_path, run, measures=name, task="focused", as_scored=True).value("r", name)
    assert scored == (0 if percent in (29, 57, 58) else 1) == (np.floor(100 * (percent / 100)) >= percent)


def test_passages_past_the_end_cost_their_nominal_size(tmp_path: Path) -> None:
    run = ["a 1 9 x 100 100", "b 2 8 x 300 200"]
    with pytest.warns(
        dx.DoxevalWarning, match="1 passage reaches past the end of its document and is clipped"
    ):
        assert evaluate(tmp_path, run, measures="iP", task="focused").value("r", "iP") == 0.5
    scored = evaluate(tmp_path, run, measures="iP", task="focused", as_scored=True)
    assert scored.value("r", "iP") == pytest.approx(100 / 300)


@pytest.mark.parametrize("offset", ["X", "-1"])
def test_a_passage_nobody_found_shows_nothing_and_costs_18_characters(tmp_path: Path, offset: str) -> None:
    run = [f"a 1 9 x {offset} 5", f"z 2 9 x {offset} 5", "a 3 8 x 100 100"]
    with pytest.warns(dx.DoxevalWarning, match=r"2 results have no offset \(X or -1\) and show nothing"):
        plain = evaluate(tmp_path, run, measures="iP iR iP@1", task="focused")
    assert [plain.value("r", name) for name in ("iP", "iR", "iP@1")] == [1, 1, 0]
    with pytest.warns(dx.DoxevalWarning, match="2 results have no offset"):
        scored = evaluate(tmp_path, run, measures="iP", task="focused", as_scored=True)
    assert scored.value("r", "iP") == pytest.approx(100 / 136)
    with pytest.warns(dx.DoxevalWarning, match="1 result has no offset"):
        entry = evaluate(tmp_path, run[:1], measures="gP(score=BEP)@1", task="bic", as_scored=True)
    assert entry.value("r", "gP(score=BEP)@1") == 0


def test_a_document_without_best_entry_point_is_worth_nothing(tmp_path: Path) -> None:
    qrels = "1 Q0 a 100 1000 -1 100:100\n1 Q0 c 9 100 4 0:9\n"
    measure = "gP(score=BEP)@1"
    plain = evaluate(tmp_path, ["a 1 9 x 100 100"], qrels, measure, task="bic")
    assert plain.value("r", measure) == 1
    scored = evaluate(tmp_path, ["a 1 9 x 100 100"], qrels, measure, task="bic", as_scored=True)
    assert scored.value("r", measure) == 0


def test_topics_without_relevant_text_count_as_0(tmp_path: Path) -> None:
    qrels, run = QRELS + "2 Q0 a 0 1000\n", ["a 1 9 x 100 100"]
    assert evaluate(tmp_path, run, qrels, "iP", task="focused", topics="qrels").value("r", "iP") == 1
    scored = evaluate(tmp_path, run, qrels, "iP", task="focused", topics="qrels", as_scored=True)
    assert scored.value("r", "iP") == 0.5


def test_a_topic_without_relevant_text_has_no_generalised_recall(tmp_path: Path) -> None:
    """The scorer prints NaN, for the mean, too."""
    qrels, run = QRELS + "2 Q0 a 0 1000\n", ["a 1 9 x 100 100"]
    for measure in ("AgP", "iR"):
        task = "ric" if measure == "AgP" else "focused"
        assert evaluate(tmp_path, run, qrels, measure, task=task, as_scored=True).value("r", measure) == 1
        with pytest.raises(dx.InputError, match=rf"prints NaN for {measure}, .* in topic 2 it is 0/0"):
            evaluate(tmp_path, run, qrels, measure, task=task, as_scored=True, topics="qrels")
    assert evaluate(tmp_path, run, qrels, "gP@1", task="ric", topics="qrels", as_scored=True)["gP@1"] == 0.5


@pytest.mark.parametrize(
    ("task", "measure"), [("ric", "gP@1"), ("t2i", "gP(score=T2I)@1"), ("bic", "gP(score=BEP)@1")]
)
@pytest.mark.parametrize("offset", ["X", "-1"])
@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
def test_a_result_without_a_place_is_worth_nothing(
    tmp_path: Path, task: str, measure: str, offset: str
) -> None:
    """The end of the document is no entry point, and the document is not read from its start."""
    qrels = "1 Q0 a 300 1000 1000 700:300\n1 Q0 b 10 10 0 0:10\n"
    names = [measure, measure.replace("gP", "AgP").removesuffix("@1"), "gR@1"]
    for doc in "ab":
        scores = evaluate(tmp_path, [f"{doc} 1 9 x {offset} 5"], qrels, " ".join(names), task=task)
        assert [scores.value("r", name) for name in names] == [0, 0, 0.5]
    later = ["b 1 9 x 0 10", f"a 2 9 x {offset} 5"]
    assert evaluate(tmp_path, later, qrels, measure.replace("@1", "@2"), task=task).mean["value"][0] == 0.5


@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
def test_a_document_is_entered_at_its_first_result_with_a_place(tmp_path: Path) -> None:
    qrels, measure = "1 Q0 a 100 1000 100 100:100\n", "gP(score=BEP(n=500))@1"
    for run in (["a 1 9 x X 5", "a 2 8 x 150 50"], ["a 1 9 x 150 50", "a 2 8 x X 5"]):
        assert evaluate(tmp_path, run, qrels, measure).value("r", measure) == 0.9


def test_an_entry_point_that_must_be_hit(tmp_path: Path) -> None:
    qrels, measure = "1 Q0 a 100 1000 100 100:100\n", "gP(score=BEP(n=0))@1"
    for start, worth in ((100, 1), (101, 0)):
        run = [f"a 1 9 x {start} 50"]
        assert evaluate(tmp_path, run, qrels, measure, task="bic").value("r", measure) == worth
    assert evaluate(tmp_path, ["a 1 9 x 101 50"], qrels, measure, task="bic", as_scored=True)[measure] == 0
    with pytest.raises(dx.InputError, match="prints NaN"):
        evaluate(tmp_path, ["a 1 9 x 100 50"], qrels, measure, task="bic", as_scored=True)


@pytest.mark.parametrize(
    "option",
    [{"depth": 5}, {"unjudged": "skip"}, {"rank_by": "score"}, {"fix": True}, {"shape": "documents"}],
)
def test_what_the_scorer_does_not_have_is_refused(tmp_path: Path, option: dict[str, object]) -> None:
    with pytest.raises(dx.UsageError, match=f"has no option {next(iter(option))}"):
        evaluate(tmp_path, ["a 1 9 x 100 100"], measures="AgP", task="ric", as_scored=True, **option)


@pytest.mark.parametrize(
    ("task", "measures"),
    [
        ("focused", "iP@5 iP[0.125] AiP@5 AiP(alpha=0.5) F(beta=2) gP@5 AP IoU iR@5"),
        ("ric", "gP gP@500c gP[0.15] AgP@5 gP(score=BEP)@5 gP(score=F(order=sequential))@5 iP"),
        ("t2i", "AgP(score=T2I,context=false) gP(score=T2I(passage=5))@5 Mean(of=gP)@5"),
        ("bic", "gP@5 AgP(score=T2I) gR"),
        ("bioasq", "iP@5 SnipAP@5 F(beta=2) DocAP"),
        ("bioasq-documents", "SetP(rel=2) DocAP@5 AP SnipAP"),
    ],
)  # fmt: skip
def test_figures_that_the_scorer_does_not_print_are_refused(tmp_path: Path, task: str, measures: str) -> None:
    from doxeval.measurement.families.official import official_figure

    if "AP " in f"{measures} " or "SetP" in measures:
        pytest.importorskip("ir_measures")
    for measure in measures.split():
        with pytest.raises(dx.UsageError, match="prints no such figure"):
            official_figure(dx.measure(measure), task)


def test_its_figures_cannot_be_explained(tmp_path: Path) -> None:
    (tmp_path / "r.fol").write_text("1 Q0 a 1 9 x 100 100\n")
    with pytest.raises(dx.UsageError, match="not how they come about"):
        dx.explain(tmp_path / "r.fol", QRELS.encode(), "AgP", topic="1", task="ric", as_scored=True)


def test_other_tables_are_scored_as_if_written_to_a_file(tmp_path: Path) -> None:
    """Results and gold from anywhere, whole documents and nodes among them."""
    nodes = [
        {"id": "r", "parent": None, "tag": "a", "start": 0, "end": 400},
        {"id": "s", "parent": "r", "tag": "s", "start": 50, "end": 250},
    ]
    documents = [{"doc": doc, "length": 400, "nodes": nodes} for doc in "ab"]
    gold = [{"topic": "1", "doc": "a", "start": 100, "end": 200, "bep": 120}, {"topic": "1", "doc": "b"}]
    results: list[dict[str, Any]] = [
        {"doc": "a", "node": "s"},
        {"doc": "a", "spans": [[300, 350], [360, 370]]},
        {"doc": "b"},
    ]
    run = [{"topic": "1", "rank": rank} | result for rank, result in enumerate(results, start=1)]
    written = ["a 1 9 x 50 200", "a 2 8 x 300 50", "a 2 8 x 360 10", "b 3 7 x 0 400"]
    qrels = "1 Q0 a 100 400 120 100:100\n1 Q0 b 0 400\n"
    for task, measures in (("focused", "iP iR AiP iP[0.10]"), ("t2i", "AgP(score=T2I) gP@1 gP@2 gR@2")):
        found = dx.evaluate({"r": run}, gold, measures, documents, task=task, as_scored=True)
        expected = evaluate(tmp_path, written, qrels, measures, task=task, as_scored=True)
        for measure in measures.split():
            assert found.value("r", measure) == expected.value("r", measure)


def test_the_scorer_of_no_task_cannot_be_followed(tmp_path: Path) -> None:
    with pytest.raises(dx.UsageError, match="only with task"):
        evaluate(tmp_path, ["a 1 9 x 100 100"], measures="iP", as_scored=True)


def test_lines_that_judge_a_document_again_are_told(tmp_path: Path) -> None:
    with pytest.warns(dx.DoxevalWarning, match=r"1 line judges a document of a topic again.*q.txt:3"):
        evaluate(tmp_path, ["a 1 9 x 100 100"], QRELS + "1 Q0 a 100 1000 300 150:100\n", "iP")
    (tmp_path / "t.qrels").write_text("1 0 a 1\n1 0 a 2\n1 0 b 0\n")
    with pytest.warns(dx.DoxevalWarning, match=r"1 line judges .*the highest grade counts .*t.qrels:2"):
        found = dx.evaluate(
            [{"topic": "1", "doc": "a", "rank": 1, "start": 0, "end": 1}], tmp_path / "t.qrels", "AP(rel=2)"
        )
    assert found.value("run", "AP(rel=2)") == 1


@pytest.mark.parametrize("measure", ["gP(score=BEP)@1", "BEPD@doc", "AgP(score=BEPD)"])
@pytest.mark.parametrize(
    ("beps", "told"),
    [
        ((100, 100), "all 2 best entry points are 100"),
        ((-1, -1), "no relevant document has a best entry point"),
    ],
)
def test_entry_points_that_tell_nothing_are_told(
    tmp_path: Path, measure: str, beps: tuple[int, int], told: str
) -> None:
    qrels = "".join(f"1 Q0 {doc} 10 1000 {bep} 100:10\n" for doc, bep in zip("ab", beps, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        scores = evaluate(tmp_path, ["a 1 9 x 100 100"], qrels, measure)
    assert told in repr(scores)
    assert not list(evaluate(tmp_path, ["a 1 9 x 100 100"], qrels, "AgP").notices)
