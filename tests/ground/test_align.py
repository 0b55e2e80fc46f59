"""Results and assessments meet: names, nodes, ranges, clipping, order."""

from __future__ import annotations

import warnings

import pytest

import doxeval as dx
from doxeval.ground.align import align
from doxeval.ground.ground import prepare_ground
from doxeval.measurement.base import measures
from doxeval.tables.runs import PASSAGE

TREE = [
    {
        "doc": "shelf/book",
        "text": "Alpha beta. Gamma delta. Epsilon zeta eta.",
        "nodes": [
            {"id": "root", "parent": None, "tag": "book", "start": 0, "end": 42},
            {"id": "one", "parent": "root", "tag": "p", "start": 0, "end": 11},
            {"id": "two", "parent": "root", "tag": "p", "start": 12, "end": 24},
            {"id": "three", "parent": "root", "tag": "p", "start": 25, "end": 42},
        ],
    }
]


def aligned(results: list[dict], qrels: list[dict], documents=None, **options):
    documents = dx.read_documents(documents) if documents else None
    ground = prepare_ground(dx.read_assessments(qrels), documents)
    return align(dx.read_run(results, name="r"), ground, **options)


def test_nodes_paths_and_trees_become_ranges() -> None:
    qrels = [{"topic": "t", "doc": "shelf/book", "node": "two", "rel": 1}]
    results = [
        {"topic": "t", "doc": "shelf/book", "rank": 1, "path": "/book[1]/p[2]"},
        {"topic": "t", "doc": "shelf/book", "rank": 2, "nodes": ["root", "three"]},
        {"topic": "t", "doc": "shelf/book", "rank": 3, "node": "three"},
        {"topic": "t", "doc": "shelf/book", "rank": 4},
    ]
    found = aligned(results, qrels, TREE)
    assert found.size.tolist() == [12, 42, 17, 42]
    assert found.relevant.tolist() == [12, 12, 0, 12]
    assert found.fresh.tolist() == [12, 0, 0, 0]
    assert found.nodes is not None
    assert found.nodes[0].offset.tolist() == [0, 1, 3, 4, 5]
    assert found.nodes[1].tolist() == [2, 0, 3, 3, 0]


def test_an_unknown_path_keeps_its_rank_and_is_told_with_what_exists() -> None:
    results = [
        {"topic": "t", "doc": "shelf/book", "rank": 1, "path": "/book[1]/p[9]"},
        {"topic": "t", "doc": "shelf/book", "rank": 2, "node": "two"},
    ]
    found = aligned(results, [{"topic": "t", "doc": "shelf/book", "start": 12, "end": 24}], TREE)
    assert found.size.tolist() == [0, 12]
    told = [str(notice) for notice in found.notices]
    assert any("shelf/book: /book[1]/p[9]; /book[1] exists, with 3 p in it" in text for text in told)


def test_nodes_without_documents_are_an_error_that_says_what_to_give() -> None:
    with pytest.raises(dx.UsageError, match="--docs"):
        aligned(
            [{"topic": "t", "doc": "d", "rank": 1, "node": "x"}],
            [{"topic": "t", "doc": "d", "start": 0, "end": 1}],
        )


@pytest.mark.parametrize("assessed", ["shelf/book", "shelf/book.txt"])
@pytest.mark.parametrize("retrieved", ["shelf/book", "shelf/book.txt", "shelf/book.md"])
def test_a_name_may_keep_the_suffix_of_its_file(assessed: str, retrieved: str) -> None:
    qrels = [{"topic": "t", "doc": assessed, "quote": "Gamma delta."}]
    results = [{"topic": "t", "doc": retrieved, "rank": 1, "start": 12, "end": 24}]
    assert dx.evaluate(results, qrels, "AiP", documents=TREE).mean["value"].to_list() == [1.0]


def test_what_reaches_past_the_end_is_clipped_and_told_with_its_line() -> None:
    qrels = [{"topic": "t", "doc": "d", "start": 0, "end": 10, "length": 100}]
    run = b"t Q0 d 1 9 me 90 400\nt Q0 d 2 8 me 200 10\nt Q0 d 3 7 me 0 5\n"
    ground = prepare_ground(dx.read_assessments(qrels))
    found = align(dx.read_run(run), ground)
    assert found.size.tolist() == [10, 0, 5]
    told = [str(notice) for notice in found.notices]
    assert told == [
        "2 passages reach past the end of their document and are clipped "
        "(<bytes>:1: to 490 of 100; <bytes>:2: to 210 of 100)"
    ]


def test_without_any_length_a_document_ends_where_assessments_and_this_run_end() -> None:
    qrels = [{"topic": "t", "doc": "d", "start": 0, "end": 10}]
    results = [
        {"topic": "t", "doc": "d", "rank": 1},
        {"topic": "t", "doc": "d", "rank": 2, "start": 5, "end": 30},
    ]
    assert aligned(results, qrels).size.tolist() == [30, 25]
    assert aligned(results[:1], qrels).size.tolist() == [10]


def test_the_rank_rules_and_disagreeing_scores_are_told() -> None:
    qrels = [{"topic": "t", "doc": "d", "start": 0, "end": 10}]
    results = [
        {"topic": "t", "doc": "x", "rank": 2, "score": 9.0, "start": 0, "end": 1},
        {"topic": "t", "doc": "d", "rank": 1, "score": 1.0, "start": 0, "end": 10},
    ]
    found = aligned(results, qrels)
    assert found.row.tolist() == [1, 0]
    assert "scores higher than the one ranked before" in str(next(iter(found.notices)))


def test_scores_rule_where_there_is_no_rank_and_the_file_where_there_is_neither() -> None:
    qrels = [{"topic": "t", "doc": "d", "start": 0, "end": 10}]
    scored = [
        {"topic": "t", "doc": d, "score": s, "start": 0, "end": 9} for d, s in (("a", 1), ("c", 2), ("b", 2))
    ]
    assert aligned(scored, qrels).row.tolist() == [2, 1, 0]
    plain = [{"topic": "t", "doc": d, "start": 0, "end": 9} for d in ("z", "a", "m")]
    assert aligned(plain, qrels).row.tolist() == [0, 1, 2]


def test_words_cannot_be_counted_without_text() -> None:
    gold = [{"topic": "t", "doc": "d", "start": 0, "end": 9}]
    with pytest.raises(dx.UsageError, match=r"a cut-off in words needs the documents' text.*--docs FILE"):
        dx.evaluate([gold[0] | {"rank": 1}], gold, "iR@5w")


def test_lines_of_documents_that_are_not_given_count_as_characters() -> None:
    gold = [{"topic": "t", "doc": "d", "start": 0, "end": 4}]
    run = [
        {"topic": "t", "doc": doc, "rank": rank, "start_line": 1, "end_line": last}
        for rank, (doc, last) in enumerate((("d", 1), ("x", 3), ("x", 5)), 1)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        scores = dx.evaluate({"run": run}, gold, "iP@1 iP@2", {"d": "one\ntwo three\n"})
    assert [scores.value("run", measure) for measure in scores.measures] == [1.0, 4 / 7]
    told = "2 results are in documents that are not among those given; their lines count as characters"
    assert [f"{told} (run: result 2; run: result 3)"] == [
        str(one) for one in scores.notices.lasting if told in str(one)
    ]


@pytest.mark.parametrize(
    ("spans", "recall"), [([[0, 2]], 1 / 3), ([[0, 2], [9, 12]], 2 / 3), ([[0, 5], [9, 15]], 1.0)]
)
def test_results_of_several_ranges_are_counted_in_the_lines_they_touch(spans, recall: float) -> None:
    gold = [{"topic": "t", "doc": "d", "start_line": 1, "end_line": 3}]
    run = [{"topic": "t", "doc": "d", "rank": 1, "spans": spans}]
    scores = dx.evaluate({"run": run}, gold, "iR@1", {"d": "one\ntwo\nthree four\n"}, unit="lines")
    assert scores.value("run", "iR@1") == pytest.approx(recall)


def test_a_document_nobody_knows_keeps_its_rank_and_size() -> None:
    qrels = [{"topic": "t", "doc": "shelf/book", "start": 0, "end": 10}]
    results = [{"topic": "t", "doc": "ghost", "rank": 1, "start": 0, "end": 30}]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        found = aligned(results, qrels, TREE)
    assert found.size.tolist() == [30] and found.relevant.tolist() == [0] and found.pair.tolist() == [-1]


def test_a_range_outweighs_a_line_that_says_nothing_relevant() -> None:
    qrels = [
        {"topic": "t", "doc": "d"},
        {"topic": "t", "doc": "d", "start": 0, "end": 10},
        {"topic": "t", "doc": "d"},
    ]
    assert aligned(
        [{"topic": "t", "doc": "d", "rank": 1, "start": 0, "end": 5}], qrels
    ).relevant.tolist() == [5]


def test_only_documents_of_unknown_length_are_told_as_such():
    qrels = [{"topic": "t", "doc": "d", "start": 0, "end": 5}]
    run = [
        {"topic": "t", "doc": "empty", "rank": 1},
        {"topic": "t", "doc": "d", "rank": 2, "start": 0, "end": 5},
    ]
    with pytest.raises(dx.UsageError, match=r"of 1 document retrieved whole .*\(empty\); give .*--docs"):
        dx.evaluate(run, qrels, "iP")
    documents = [{"doc": "empty", "length": 0}, {"doc": "d", "length": 9}]
    assert dx.evaluate(run, qrels, "iP", documents).value("run", "iP") == 1


def test_each_topic_is_ordered_by_what_its_results_have():
    def result(topic: str, doc: str, **order: float) -> dict:
        return {"topic": topic, "doc": doc, "start": 0, "end": 5, **order}

    ranked = [result("t1", "b", rank=2, score=9.0), result("t1", "a", rank=1, score=8.0)]
    scored = [result("t2", "b", score=1.0), result("t2", "a", score=2.0)]
    listed = [result("t3", "a"), result("t3", "b")]
    partly = [result("t4", "a"), result("t4", "b", rank=1)]
    tied = [result("t5", "b", score=1.0), result("t5", "a", score=1.0)]
    rows = [*ranked, *scored, *listed, *partly, *tied]
    qrels = [{"topic": f"t{at}", "doc": "a", "start": 0, "end": 5} for at in range(1, 6)]
    with pytest.warns(dx.DoxevalWarning, match="1 result has no rank while others of its topic"):
        scores = dx.evaluate(rows, qrels, "iP@1")
    assert scores.value("run", "iP@1") == 1


def test_topics_ordered_alike_are_not_touched():
    run = dx.read_run([{"topic": "t1", "doc": "a", "score": 2.0}, {"topic": "t2", "doc": "a", "score": 1.5}])
    assert run.rank is None and run.score.tolist() == [2.0, 1.5]


def test_a_whole_document_is_its_root() -> None:
    longer = [{"doc": "d", "nodes": [
        {"id": "root", "parent": None, "tag": "article", "start": 0, "end": 40, "length": 100},
        {"id": "p", "parent": "root", "tag": "p", "start": 0, "end": 20, "length": 20},
    ]}]  # fmt: skip
    qrels = [{"topic": "t", "doc": "d", "node": "p", "rel": 1}]
    measures = "SRiP@2 ESRR@1 Hits@2"
    whole = [{"topic": "t", "doc": "d", "rank": 1}, {"topic": "t", "doc": "d", "rank": 2, "node": "p"}]
    named = [whole[0] | {"node": "root"}, whole[1]]
    values = []
    for rows in (whole, named):
        scores = dx.evaluate(rows, qrels, measures, documents=longer, navigation="hierarchical")
        values.append(scores.mean["value"].to_list())
    assert values[0] == values[1]
    assert values[0][1] > 0


@pytest.mark.parametrize(
    ("first", "last", "size"),
    [("/book[1]", "/book[1]/p[1]", 11), ("/book[1]/p[1]", "/book[1]/p[2]", 24),
     ("/book[1]/p[2]", "/book[1]/p[1]", 0), ("/book[1]/p[9]", "/book[1]/p[2]", 0),
     ("/book[1]/p[1]", "/book[1]/p[9]", 0)],
)  # fmt: skip
def test_passages_may_begin_where_the_document_does(first: str, last: str, size: int) -> None:
    qrels = [{"topic": "t", "doc": "shelf/book", "start": 0, "end": 42}]
    results = [{"topic": "t", "doc": "shelf/book", "rank": 1, "path": f"{PASSAGE}{first}..{last}"}]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        assert aligned(results, qrels, TREE).size.tolist() == [size]


MERGED = {"union": [(0, 10), (5, 15), (20, 30)], "majority": [(5, 10)], "intersection": [], "ann": [(0, 10)]}


@pytest.mark.parametrize("rule", MERGED)
def test_what_assessors_agree_on_is_scored_as_if_one_had_judged_it(rule: str) -> None:
    """By every measure, also where they agree on nothing."""
    place: dict[str, str | int] = {"topic": "t", "doc": "d"}
    said = {"ann": (0, 10), "bob": (5, 15), "cat": (20, 30)}
    gold = [place | {"start": start, "end": end, "assessor": who} for who, (start, end) in said.items()]
    agreed = [place | {"start": start, "end": end} for start, end in MERGED[rule]] or [place]
    run = [
        place | {"rank": rank, "start": start, "end": start + 9} for rank, start in enumerate((4, 22, 50), 1)
    ]
    scored = 0
    for kind in measures().values():
        values = []
        for judged, chosen in ((gold, {"merge": rule}), (agreed, {})):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    scores = dx.evaluate(run, judged, kind.example, {"d": "x" * 60}, **chosen)
                    values.append(str(scores.runs[0].values.tolist()))
                    scored += 1
                except dx.DoxevalError as problem:
                    values.append(type(problem).__name__)
        assert values[0] == values[1], kind.example
    assert scored > len(measures())
