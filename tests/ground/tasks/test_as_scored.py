"""Where the official scorer of INEX and the tasks part, and what --as-scored makes of it."""

from __future__ import annotations

import warnings
from pathlib import Path

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
    with pytest.warns(dx.DoxevalWarning, match="reach past the end of their document and are clipped"):
        assert evaluate(tmp_path, run, measures="iP", task="focused").value("r", "iP") == 0.5
    scored = evaluate(tmp_path, run, measures="iP", task="focused", as_scored=True)
    assert scored.value("r", "iP") == pytest.approx(100 / 300)


@pytest.mark.parametrize("offset", ["X", "-1"])
def test_a_passage_nobody_found_shows_nothing_and_costs_18_characters(tmp_path: Path, offset: str) -> None:
    run = [f"a 1 9 x {offset} 5", f"z 2 9 x {offset} 5", "a 3 8 x 100 100"]
    with pytest.warns(dx.DoxevalWarning, match=r"2 results have no offset \(X or -1\) and show nothing"):
        plain = evaluate(tmp_path, run, measures="iP iR iP@1", task="focused")
    assert [plain.value("r", name) for name in ("iP", "iR", "iP@1")] == [1, 1, 0]
    with pytest.warns(dx.DoxevalWarning, match="results have no offset"):
        scored = evaluate(tmp_path, run, measures="iP", task="focused", as_scored=True)
    assert scored.value("r", "iP") == pytest.approx(100 / 136)
    with pytest.warns(dx.DoxevalWarning, match="results have no offset"):
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
