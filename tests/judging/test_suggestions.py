"""Suggestions of models are carried by pools, kept in databases, and compared with what people marked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import doxeval as dx
from tests.judging.serving import serving

TEXTS = {f"d{number}": f"Answer {number} is this. More of {number} follows." for number in range(6)}
RUN = [
    {"topic": f"t{number}", "doc": doc, "rank": 1, "start": 0, "end": len(text)}
    for number, (doc, text) in enumerate(TEXTS.items())
]
MODEL = [
    {"topic": f"t{number}", "doc": doc, "start": 0, "end": 10}
    if number % 2
    else {"topic": f"t{number}", "doc": doc}
    for number, doc in enumerate(TEXTS)
]


def desk(tmp_path: Path) -> list[str]:
    (tmp_path / "docs.jsonl").write_text(
        "".join(json.dumps({"doc": doc, "text": text}) + "\n" for doc, text in TEXTS.items())
    )
    rows = [*MODEL, {"topic": "t0", "doc": "d5", "start": 0, "end": 3}]
    (tmp_path / "model.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pool = dx.pool({"run": RUN}, documents=tmp_path / "docs.jsonl", suggested=tmp_path / "model.jsonl")
    assert [one.suggested for one in pool.documents][:2] == [{"model": ()}, {"model": ((0, 10, 1.0),)}]
    assert "1 document of a topic with suggestions is not in the pool" in "".join(
        map(str, pool.notices.lasting)
    )
    dx.write_pool(pool, tmp_path / "pool.jsonl")
    return [str(tmp_path / "pool.jsonl"), "--docs", str(tmp_path / "docs.jsonl")]


def test_the_database_keeps_what_was_suggested_and_agree_and_trust_measure_it(tmp_path: Path) -> None:
    arguments = desk(tmp_path)
    for _ in range(2):
        with serving(tmp_path, arguments=arguments) as served:
            pass
    with serving(tmp_path, arguments=arguments) as served:
        for number, doc in enumerate(TEXTS):
            marks = [{"id": f"m{number}", "start": 0, "end": 10 if number == 1 else 20}] if number % 2 else []
            answer = {"answers": {"model:0-10": "confirmed" if number == 1 else "corrected"}} if marks else {}
            assert served.act({"adds": marks, "done": True, **answer}, f"t{number}", doc)[0] == 200
    people = dx.read_assessments(served.database)
    assert len(people.ranges.start) == 3 and not any(
        "assessors have judged" in str(one) for one in people.notices
    )
    model = dx.read_assessments(served.database, merge="model")
    assert model.ranges.end.tolist() == [10, 10, 10] and len(model.pair_doc) == 6
    found = dx.agree(served.database, coefficients=["F1"])
    assert [(pair.first, pair.second) for pair in found.pairs] == [("ann", "model")]
    assert found.pairs[0].passages.counts() == {"same": 1, "whether": 0, "where": 2, "grade": 0}
    by_files = dx.agree({"ann": people, "model": MODEL_WITH_LENGTHS}, coefficients=["F1"])
    assert found.value("ann", "model", "F1") == by_files.value("ann", "model", "F1")
    both = {"trusted": served.database, "merge": "model"}
    trusted = dx.trust({"run": RUN}, served.database, "iP@1", tmp_path / "docs.jsonl", **both)
    assert trusted.means[0].topics == trusted.means[0].trusted == 6
    assert trusted.means[0].human > trusted.means[0].model


MODEL_WITH_LENGTHS = [{**row, "length": len(TEXTS[str(row["doc"])])} for row in MODEL]


def test_an_assessor_is_no_source_of_suggestions(tmp_path: Path) -> None:
    arguments = desk(tmp_path)
    with pytest.raises(dx.UsageError, match="model is an assessor and the source of suggestions"):
        dx.judge(arguments[0], arguments[2], tmp_path / "j.db", assessors="model")
    with pytest.raises(dx.UsageError, match="not union"):
        dx.pool({"run": RUN}, documents=TEXTS, suggested={"union": MODEL})
