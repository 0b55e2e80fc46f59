"""Optional text: scores are those of the documents without it, by every measure."""

from __future__ import annotations

import random
import warnings

import pytest

import doxeval
from doxeval.core.errors import DoxevalError, UsageError
from tests.scoring.test_unit import EXTENTS, LENGTH, samples

DOCS = ["d0", "d1"]
TREE = [{"parent": parent, "tag": "n", "start": start, "end": end} for parent, start, end in EXTENTS]


def case(rng: random.Random) -> tuple[list[dict], list[dict], set[int]]:
    """Assessments with optional text, a run, and the characters left out of every document."""
    gold, run = [], []
    for doc in DOCS:
        start = rng.randrange(50)
        gold.append({"topic": "t", "doc": doc, "start": start, "end": start + rng.randint(1, 9), "need": doc})
    places = [(start, start + rng.randint(1, 12)) for start in (rng.randrange(48) for _ in range(2))]
    for doc in DOCS:
        gold += [
            {"topic": "t", "doc": doc, "start": start, "end": end, "optional": True} for start, end in places
        ]
    for rank in range(1, 7):
        start = rng.randrange(55)
        place = {"start": start, "end": min(LENGTH, start + rng.randint(1, 20))}
        run.append({"topic": "t", "doc": rng.choice(DOCS), "rank": rank, "score": 9.0 - rank} | place)
    optional = {at for start, end in places for at in range(start, end)}
    return gold, run, optional


def left_out(rows: list[dict], cut: dict[str, set[int]]) -> list[dict]:
    """Rows in documents without the characters in `cut`."""
    return [
        row | {key: row[key] - sum(at < row[key] for at in cut[row["doc"]]) for key in ("start", "end")}
        for row in rows
        if not row.get("optional")
    ]


def documents(cut: dict[str, set[int]]) -> list[dict]:
    found = []
    for doc in DOCS:
        text = "".join(chr(97 + at % 26) for at in range(LENGTH) if at not in cut[doc])
        nodes = left_out([node | {"doc": doc} for node in TREE], cut)
        found.append(
            {
                "doc": doc,
                "text": text,
                "nodes": [{k: v for k, v in node.items() if k != "doc"} for node in nodes],
            }
        )
    return found


def values(measure, gold, run, docs):
    return doxeval.Evaluation(gold, measure, docs).score(run).runs[0].values.tolist()


@pytest.mark.parametrize("with_documents", [False, True])
@pytest.mark.parametrize("measure", samples())
def test_scores_are_those_of_the_documents_without_it(measure, with_documents):
    if "omega" in measure:
        return
    gold, run, optional = case(random.Random(f"{measure} {with_documents}"))
    relevant = {row["doc"]: set(range(row["start"], row["end"])) for row in gold if not row.get("optional")}
    cut = {doc: optional - relevant[doc] for doc in DOCS}
    docs = (documents({doc: set() for doc in DOCS}), documents(cut)) if with_documents else (None, None)
    nothing: dict[str, set[int]] = {doc: set() for doc in DOCS}
    lengths: list[list[dict]] = [[], []]
    if not with_documents:
        lengths = [
            [{"topic": "t", "doc": doc, "length": LENGTH - len(gone[doc])} for doc in DOCS]
            for gone in (nothing, cut)
        ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = values(measure, left_out(gold, cut) + lengths[1], left_out(run, cut), docs[1])
        except DoxevalError as problem:
            with pytest.raises(type(problem)):
                values(measure, gold + lengths[0], run, docs[0])
            return
        assert str(values(measure, gold + lengths[0], run, docs[0])) == str(expected)


def test_it_belongs_to_one_topic_and_lines_may_be_optional():
    gold = [{"topic": "a", "doc": "x.py", "lines": [[5, 6]]},
            {"topic": "b", "doc": "x.py", "lines": [[5, 6]]},
            {"topic": "a", "doc": "x.py", "start_line": 1, "end_line": 4, "optional": True}]  # fmt: skip
    run = [{"topic": topic, "doc": "x.py:1-6"} for topic in "ab"]
    found = doxeval.evaluate(run, gold, "iP")
    assert found.runs[0].values.tolist() == [[1.0, 1 / 3]]


def test_a_result_that_shows_only_optional_text_keeps_its_rank():
    gold = [
        {"topic": "t", "doc": "d", "start": 20, "end": 30},
        {"topic": "t", "doc": "d", "start": 0, "end": 9, "optional": True},
    ]
    run = [
        {"topic": "t", "doc": "d", "start": 0, "end": 9},
        {"topic": "t", "doc": "d", "start": 20, "end": 30},
    ]
    found = doxeval.evaluate(run, gold, "iR@1 iR@2 iP@2")
    assert found.runs[0].values.tolist() == [[0.0], [1.0], [1.0]]


def test_it_is_read_and_written(tmp_path):
    gold = [
        {"topic": "t", "doc": "d", "start": 20, "end": 30},
        {"topic": "t", "doc": "d", "start": 0, "end": 9, "optional": True},
    ]
    for name in ("gold.jsonl", "gold.parquet"):
        doxeval.write_assessments(doxeval.read_assessments(gold), tmp_path / name)
        again = doxeval.read_assessments(tmp_path / name)
        assert again.optional.end.tolist() == [9] and again.ranges.end.tolist() == [30]
    bad = doxeval.read_assessments(
        [*gold, {"topic": "t", "doc": "d", "start": 1, "end": 2, "optional": "yes"}]
    )
    assert [notice.count for notice in bad.notices.refusals] == [1]


def test_chunks_of_a_collection_cannot_be_cut():
    gold = [
        {"topic": "t", "doc": "d", "start": 20, "end": 30},
        {"topic": "t", "doc": "d", "start": 0, "end": 9, "optional": True},
    ]
    with pytest.raises(UsageError, match="optional text"):
        doxeval.Evaluation(gold, "IoUomega", chunks=[{"doc": "d", "start": 0, "end": 40}])


@pytest.mark.parametrize("measure", ["BEPD@doc", "AgP(score=BEPD)", "gP(score=BEP(n=20))@2"])
def test_every_document_keeps_its_best_entry_point(measure):
    gold = [
        {"topic": topic, "doc": doc, "start": bep, "end": bep + 5, "bep": bep, "length": LENGTH}
        for topic, doc, bep in (("s", "a", 10), ("s", "b", 25), ("t", "a", 30), ("t", "b", 5))
    ]
    run = [{"topic": topic, "doc": "a", "start": 10, "end": 40} for topic in "st"]
    optional = {"topic": "s", "doc": "a", "start": LENGTH - 9, "end": LENGTH, "optional": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert values(measure, [*gold, optional], run, None) == values(measure, gold, run, None)


def test_results_of_several_ranges_lose_what_is_optional():
    gold = [
        {"topic": "t", "doc": "d", "start": 20, "end": 30},
        {"topic": "t", "doc": "d", "start": 0, "end": 9, "optional": True},
    ]
    run = [{"topic": "t", "doc": "d", "rank": 1, "spans": [[4, 14], [20, 30]]}]
    found = doxeval.evaluate(run, gold, "iR@1 iP@1")
    assert found.runs[0].values.tolist() == [[1.0], [10 / 15]]


def test_a_topic_may_have_a_document_named_like_a_copy_without_optional_text():
    gold = [
        {"topic": "t", "doc": "d", "start": 0, "end": 10},
        {"topic": "t", "doc": "d", "start": 5, "end": 8, "optional": True},
        {"topic": "u", "doc": "d [t]", "start": 0, "end": 4},
    ]
    run = [
        {"topic": "t", "doc": "d", "rank": 1, "start": 0, "end": 4},
        {"topic": "u", "doc": "d [t]", "rank": 1, "start": 0, "end": 2},
    ]
    found = doxeval.evaluate(run, gold, "iR iP")
    assert found.runs[0].values.tolist() == [[4 / 10, 2 / 4], [1.0, 1.0]]
