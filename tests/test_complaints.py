"""What users of other evaluators complain about, each as a test that it does not happen here."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

import doxeval as dx

QRELS = [
    {"topic": "t1", "doc": "d1", "start": 0, "end": 10, "length": 100},
    {"topic": "t2", "doc": "d2", "start": 0, "end": 10, "length": 100},
]


def result(topic: str, doc: str, rank: int | None, start: int, end: int, **more) -> dict:
    row = {"topic": topic, "doc": doc, "start": start, "end": end, **more}
    return row if rank is None else row | {"rank": rank}


def test_no_minute_of_compilation_before_two_queries_are_scored() -> None:
    code = (
        "import doxeval as dx;"
        "dx.evaluate([{'topic':'t','doc':'d','rank':1,'start':0,'end':5}],"
        "[{'topic':'t','doc':'d','start':0,'end':9}], 'AiP')"
    )
    begun = time.process_time(), time.monotonic()
    subprocess.run([sys.executable, "-c", code], check=True)
    assert time.monotonic() - begun[1] < 20


def test_a_run_costs_little_more_memory_than_its_columns() -> None:
    import numpy as np

    rows = 50_000
    text = "".join(
        f"t{row // 1000} Q0 d{row % 5000} {row % 1000 + 1} {-row} run {row % 700} 50\n" for row in range(rows)
    )
    run = dx.read_run(text.encode())
    arrays = [value for value in vars(run).values() if isinstance(value, np.ndarray)]
    assert len(run) == rows
    assert sum(array.nbytes for array in arrays) <= 64 * rows


def test_topics_that_do_not_match_are_named_with_the_nearest() -> None:
    with pytest.raises(dx.UsageError) as problem:
        dx.evaluate([result("T1", "d1", 1, 0, 5)], QRELS, "AiP")
    message = str(problem.value)
    assert "'T1'" in message and "'t1', 't2'" in message and "did you mean 't1'" in message


def test_topics_that_only_the_run_has_are_named() -> None:
    rows = [result("t1", "d1", 1, 0, 5), result("t9", "d1", 1, 0, 5)]
    with pytest.warns(dx.DoxevalWarning, match=r"1 topic without assessments is ignored \(t9\)"):
        scores = dx.evaluate(rows, QRELS, "AiP")
    assert scores.value("run", "AiP", "t1") > 0


def test_an_empty_result_list_scores_zero(tmp_path) -> None:
    assert dx.evaluate({"r": []}, QRELS, "AiP iP@5 IoU@5").mean["value"].to_list() == [0, 0, 0]
    (tmp_path / "empty.fol").write_text("")
    with pytest.warns(dx.DoxevalWarning, match="is empty; scored as a run that retrieves nothing"):
        assert dx.evaluate(tmp_path / "empty.fol", QRELS, "AiP").mean["value"].to_list() == [0]


def test_the_same_document_at_several_ranks_is_neither_dropped_nor_refused() -> None:
    rows = [result("t1", "d1", 1, 0, 5), result("t1", "d1", 2, 5, 10), result("t1", "d1", 3, 0, 10)]
    scores = dx.evaluate(rows, QRELS, "iR@1 iR@2 iP@3")
    assert [scores.value("run", m, "t1") for m in scores.measures] == pytest.approx([0.5, 1.0, 0.5])


@pytest.mark.parametrize("by", ["rank", "score"])
def test_ties_do_not_depend_on_the_order_of_insertion(by: str) -> None:
    rows = [result("t1", doc, None, 0, 10) | {by: 1} for doc in ("d1", "d0", "d2")]
    orders = (rows, rows[::-1], rows[1:] + rows[:1])
    values = {dx.evaluate(order, QRELS, "iP@1").value("run", "iP@1", "t1") for order in orders}
    assert len(values) == 1


def test_a_short_line_is_told_with_file_and_line(tmp_path) -> None:
    path = tmp_path / "run.fol"
    path.write_text("t1 Q0 d1 1 2.5 me 0 10\nt1 Q0 d1 2 2.4 me\nt2 Q0 d2 1 2.5 me 0 10\n")
    with pytest.warns(dx.DoxevalWarning) as caught:
        scores = dx.evaluate(path, QRELS, "AiP")
    message = str(caught[0].message)
    assert f"{path}:2" in message and "expected 8 fields" in message and "t1 Q0 d1 2 2.4 me" in message
    assert scores.mean["value"].to_list() == [1.0]


def test_relevance_need_not_be_a_whole_number() -> None:
    graded = [row | {"rel": 0.5} for row in QRELS]
    assert dx.evaluate([result("t1", "d1", 1, 0, 10)], graded, "AiP").value("run", "AiP", "t1") == 1


def test_scores_keep_their_last_digit() -> None:
    close = [result("t1", "d1", None, 0, 10, score=1.0 + 2**-40), result("t1", "d3", None, 0, 10, score=1.0)]
    assert dx.evaluate(close, QRELS, "iP@1").value("run", "iP@1", "t1") == 1


def test_chunk_ids_that_never_match_documents_are_noticed() -> None:
    run = b"t1 Q0 d1_0_10 1 9.0 me\nt2 Q0 d2_0_10 1 9.0 me\n"
    assert any("doc_offset_length" in str(notice) for notice in dx.read_run(run).notices)
    with pytest.raises(
        dx.UsageError, match=r"of 2 documents retrieved whole is unknown \(d1_0_10, d2_0_10\)"
    ):
        dx.evaluate(run, QRELS, "AiP")
    ranged = dx.read_run(run, ranges="doc_offset_length")
    assert dx.evaluate(ranged, QRELS, "AiP").mean["value"].to_list() == [1]


def test_overlapping_chunks_are_counted_once() -> None:
    rows = [result("t1", "d1", 1, 0, 8), result("t1", "d1", 2, 4, 12)]
    scores = dx.evaluate(rows, QRELS, "iR@2 iP@2")
    assert scores.value("run", "iR@2", "t1") == 1
    assert scores.value("run", "iP@2", "t1") == pytest.approx(10 / 16)


def test_nothing_is_divided_by_zero() -> None:
    empty = [result("t1", "d1", 1, 5, 5)]
    scores = dx.evaluate(empty, QRELS, "iP@1 iR@1 F@1 IoU@1 AiP iP[0] Judged@1 iP@1c")
    assert all(value == value for value in scores.mean["value"])
