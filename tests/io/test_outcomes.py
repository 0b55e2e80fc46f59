"""Tables of outcomes in every form, and what is refused in them."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest

from doxeval.core.errors import DoxevalError
from doxeval.io.outcomes import outcomes_of

ROWS = [
    {"topic": "t1", "run": "a", "solved": True, "score": 0.5, "kind": "x"},
    {"topic": "t2", "run": "a", "solved": False, "score": 2.0, "kind": "y"},
    {"topic": "t1", "run": "b", "solved": True, "score": -1.0, "kind": "x"},
]
CSV = "topic,run,solved,score,kind\nt1,a,yes,0.5,x\nt2,a,No,2,y\nt1,b,1,-1,x\n"


def forms(folder: Path) -> dict[str, object]:
    """The same table in every form."""
    import polars

    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    written = {
        "o.csv": CSV.encode(),
        "marked.csv": b"\xef\xbb\xbf" + CSV.encode(),
        "dos.csv": CSV.replace("\n", "\r\n").encode(),
        "o.tsv": CSV.replace(",", "\t").encode(),
        "o.jsonl": lines.encode(),
        "o.jsonl.gz": gzip.compress(lines.encode()),
    }
    for name, content in written.items():
        (folder / name).write_bytes(content)
    polars.DataFrame(ROWS).write_parquet(folder / "o.parquet")
    found: dict[str, object] = {name: folder / name for name in [*written, "o.parquet"]}
    found |= {"text path": str(folder / "o.csv"), "bytes": CSV.encode(), "rows": ROWS}
    found |= {"polars": polars.DataFrame(ROWS), "iterator": iter(ROWS), "parts": [ROWS[:2], ROWS[2:]]}
    pandas = pytest.importorskip("pandas")
    return found | {"pandas": pandas.DataFrame(ROWS)}


def test_every_form_is_the_same_table(tmp_path: Path) -> None:
    for form, given in forms(tmp_path).items():
        table = outcomes_of(given)
        assert (table.topic, table.run) == (["t1", "t2", "t1"], ["a", "a", "b"]), form
        assert table.chosen() == "solved", form
        assert table.numbers("solved").tolist() == [1, 0, 1], form
        assert table.numbers("score").tolist() == [0.5, 2, -1], form
        assert table.attributes["t2"]["kind"] == "y", form


@pytest.mark.parametrize(
    ("key", "run"), [("instance_id", "submission"), ("qid", "system"), ("topic", "model_name_or_path")]
)
def test_usual_names_of_topic_and_run_are_known(key: str, run: str) -> None:
    rows = [{key: row["topic"], run: row["run"], "resolved": row["solved"]} for row in ROWS]
    table = outcomes_of(rows)
    assert (table.topic, table.run, table.chosen()) == (["t1", "t2", "t1"], ["a", "a", "b"], "resolved")


def test_rows_without_a_run_are_of_the_run_the_file_is_named_after(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("topic,won\n7,yes\n8,no\n")
    table = outcomes_of(path)
    assert (table.topic, table.run, table.from_file) == (["7", "8"], ["mine", "mine"], [True, True])
    assert outcomes_of([{"topic": 7, "won": True}]).run == [""]


def test_the_outcome_is_the_usual_name_or_the_only_possible_one() -> None:
    assert outcomes_of([{"topic": "t", "steps": 7, "Resolved": False}]).chosen() == "Resolved"
    assert outcomes_of([{"topic": "t", "status": "done", "won": "no"}]).chosen() == "won"
    assert outcomes_of([{"topic": "t", "steps": 7, "cost": 2}]).chosen("cost") == "cost"
    for rows, told in (
        (
            [{"topic": "t", "steps": 7, "cost": 2}],
            "steps, cost could be the outcome; name one: --outcome steps",
        ),
        ([{"topic": "t", "solved": 1, "correct": 1}], "solved, correct could be the outcome"),
        ([{"topic": "t", "status": "done"}], "no column has outcomes: .* found status"),
        ([{"topic": "t"}], "found no other column"),
        ([{"topc": "t", "won": 1}], "expected rows with a topic, .* found topc, won; did you mean 'topic'"),
        ([{"topic": None, "won": 1}], "there is no row of outcomes"),
        (b"a,b\n1,2\n", r"<bytes>:1: expected a header with a topic, .* found 'a,b'"),
        (b"", "expected a header"),
        ([{"qid": "t", "instance_id": "t", "won": 1}], "could both be the 'topic'"),
    ):
        with pytest.raises(DoxevalError, match=told):
            outcomes_of(rows).chosen()


def test_bad_lines_are_refused_with_their_place_and_the_others_kept(tmp_path: Path) -> None:
    path = tmp_path / "o.csv"
    path.write_text("topic,run,solved\nt1,a,yes\n,a,yes\nt2,a\nt3,a,maybe\nt4,a,\nt5,a,inf\nt6,a,0\n")
    table = outcomes_of(path)
    found = table.numbers("solved")
    assert table.topic == ["t1", "t3", "t4", "t5", "t6"]
    assert np.array_equal(found, [1, math.nan, math.nan, math.nan, 0], equal_nan=True)
    told = " ".join(map(str, table.notices))
    assert "o.csv:3" in told and "o.csv:4" in told and "o.csv:5: found 'maybe'" in told
    assert "1 row has no 'solved' and is left out" in told and "o.csv:7" in told
    lines = tmp_path / "o.jsonl"
    lines.write_text('{"topic": "t1", "solved": true}\nnot json\n{"topic": ["x"], "solved": true}\n')
    broken = outcomes_of(lines)
    assert broken.topic == ["t1"]
    assert "o.jsonl:2" in " ".join(map(str, broken.notices))
