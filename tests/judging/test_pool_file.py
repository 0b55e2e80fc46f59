"""Pools are read as they were written; what is no pool is refused with its place."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxeval.core.errors import InputError
from doxeval.judging.pool_file import Pool, PooledDocument, read_pool, write_pool

POOL = Pool(
    [
        PooledDocument(
            "q1",
            "d1",
            ((0, 5), (9, 12)),
            ((5, 9),),
            "why?",
            40,
            "ab12",
            (2, 0),
            {"model": ((1, 4, 2.0),), "rule": ()},
        ),
        PooledDocument("q1", "d2", ((3, 4),)),
        PooledDocument("q2", "d1", ()),
    ],
    {"depth": 10, "order": "depth"},
)


def test_a_pool_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_pool(POOL, tmp_path / "pool.jsonl")
    assert read_pool(tmp_path / "pool.jsonl") == POOL
    assert POOL.characters == 9
    second = json.loads((tmp_path / "pool.jsonl").read_text().splitlines()[2])
    assert second == {"topic": "q1", "doc": "d2", "passages": [[3, 4]]}


@given(cuts=st.sets(st.integers(0, 10**9), max_size=8), query=st.text(st.characters(codec="utf-8")))
def test_any_ranges_and_wordings_come_back(
    cuts: set[int], query: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    places = sorted(cuts)
    passages = tuple(zip(places[::2], places[1::2], strict=False))
    pool = Pool([PooledDocument("q", "d", passages, passages, query)])
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    write_pool(pool, path)
    assert read_pool(path) == pool


def test_a_pool_may_have_no_header(tmp_path: Path) -> None:
    (tmp_path / "pool.jsonl").write_text('{"topic": 1, "doc": "d", "passages": [[0, 2]]}\n\n')
    assert read_pool(tmp_path / "pool.jsonl") == Pool([PooledDocument("1", "d", ((0, 2),))])


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"pool": 2}', "version 1, found 2"),
        ("[1]", "a JSON object"),
        ("{", "is not JSON"),
        ('{"topic": "q", "doc": "d"}', "a line such as"),
        ('{"doc": "d", "passages": []}', "a line such as"),
        ('{"topic": "q", "doc": "d", "passages": [[5, 5]]}', "'passages' ranges"),
        ('{"topic": "q", "doc": "d", "passages": [[5, 9], [8, 10]]}', "'passages' ranges"),
        ('{"topic": "q", "doc": "d", "passages": [[-1, 9]]}', "'passages' ranges"),
        ('{"topic": "q", "doc": "d", "passages": [[0, true]]}', "'passages' ranges"),
        ('{"topic": "q", "doc": "d", "passages": [], "judged": 3}', "'judged' ranges"),
        ('{"topic": "q", "doc": "d", "passages": [[0, 9]], "length": 8}', "has 8 characters"),
        ('{"topic": "q", "doc": "d", "passages": [], "length": 1.5}', "'length'"),
        ('{"topic": "q", "doc": "d", "passages": [], "query": 3}', "'query'"),
        ('{"topic": "q", "doc": "d", "passages": [[0, 2]], "runs": [1, 2]}', "'runs' how many runs show"),
        ('{"topic": "q", "doc": "d", "passages": [[0, 2]], "runs": [-1]}', "'runs' how many runs show"),
        ('{"topic": "q", "doc": "d", "passages": [[0, 2]], "runs": 1}', "'runs' how many runs show"),
        ('{"topic": "q", "doc": "d", "passages": [], "suggested": [[0, 2]]}', "'suggested' ranges"),
        ('{"topic": "q", "doc": "d", "passages": [], "suggested": {"m": [[2, 2]]}}', "'suggested' ranges"),
        ('{"topic": "q", "doc": "d", "passages": [], "suggested": {" ": [[0, 2]]}}', "'suggested' ranges"),
        ('{"topic": "q", "doc": "d", "passages": [], "suggested": {"m": [[0, 2, 0]]}}', "'suggested' ranges"),
    ],
)
def test_what_is_no_pool_is_refused_with_its_place(line: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(InputError, match=r"pool.jsonl:1: ") as problem:
        read_pool(path)
    assert told in str(problem.value)


def test_a_document_of_a_topic_has_one_line(tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    path.write_text('{"topic": "q", "doc": "d", "passages": [[0, 2]]}\n' * 2)
    with pytest.raises(InputError, match=r"pool.jsonl:2: document 'd' of topic 'q' is in the pool twice"):
        read_pool(path)


def test_an_empty_file_is_no_pool(tmp_path: Path) -> None:
    (tmp_path / "pool.jsonl").write_text("")
    with pytest.raises(InputError, match="found nothing"):
        read_pool(tmp_path / "pool.jsonl")


def test_suggestions_have_any_grade_above_nothing(tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    ranges = "[[0, 2], [3, 4, 1], [5, 6, 0.5]]"
    path.write_text(f'{{"topic": "q", "doc": "d", "passages": [[0, 9]], "suggested": {{"m": {ranges}}}}}\n')
    assert read_pool(path).documents[0].suggested == {"m": ((0, 2, 1.0), (3, 4, 1.0), (5, 6, 0.5))}
