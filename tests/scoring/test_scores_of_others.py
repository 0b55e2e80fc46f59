"""Scores as other programs save them are recognised by every command that compares."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import polars as pl
import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.scoring.read_scores import is_scores, join_scores, read_scores

GOLD = [{"topic": f"t{at}", "doc": "d", "start": 0, "end": 10} for at in range(6)]
RUNS = {
    name: [row | {"rank": 1, "end": size + 3 * at} for at, row in enumerate(GOLD)]
    for name, size in (("a", 5), ("b", 9), ("c", 20))
}


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("quoted", [False, True])
def test_lines_and_marks_do_not_matter(mark: bytes, end: bytes, quoted: bool, tmp_path: Path) -> None:
    scores = dx.evaluate(RUNS, GOLD, "iP@1 iR@1")
    dx.write_scores(scores, tmp_path / "plain.csv")
    data = (tmp_path / "plain.csv").read_bytes()
    if quoted:
        head, _, rest = data.partition(b"\n")
        data = b",".join(b'"' + name + b'"' for name in head.split(b",")) + b"\n" + rest
    path = tmp_path / "scores.csv"
    path.write_bytes(mark + data.replace(b"\n", end))
    assert is_scores(path) and read_scores(path).names == scores.names
    for words in (["compare", path], ["correlate", path], ["gate", path, "--baseline", "a"]):
        found = CliRunner().invoke(group, [str(word) for word in words])
        plain = CliRunner().invoke(group, [str(word).replace("scores.csv", "plain.csv") for word in words])
        assert (
            found.exit_code == plain.exit_code
            and found.output.replace("scores.csv", "plain.csv") == plain.output
        )
        assert "error" not in found.output


ROW = {"run": "a", "topic": "t1", "measure": "iP@1", "value": 0.5}


def saved(rows: list[dict[str, object]], form: str, folder: Path) -> Path:
    path, frame = folder / f"saved.{form}", pl.DataFrame(rows)
    write: dict[str, Callable[..., Any]] = {
        "csv": frame.write_csv,
        "jsonl": frame.write_ndjson,
        "json": frame.write_json,
    }
    write.get(form, frame.write_parquet)(path)
    return path


@pytest.mark.parametrize("form", ["csv", "jsonl", "json", "parquet"])
def test_a_file_is_taken_for_scores_if_it_has_all_their_columns(form: str, tmp_path: Path) -> None:
    assert is_scores(saved([{"note": "x"} | ROW], form, tmp_path))
    for column in ROW:
        rows = [{name: value for name, value in ROW.items() if name != column} | {"more": 1}]
        assert not is_scores(saved(rows, form, tmp_path)), column


def test_the_first_object_of_a_file_decides_whether_it_holds_scores(tmp_path: Path) -> None:
    path = tmp_path / "mixed.jsonl"
    path.write_text(f'{{"topic": "t1", "doc": "d"}}\n{json.dumps(ROW)}\n')
    assert not is_scores(path)
    path.write_text(f'{json.dumps(ROW)}\n{{"topic": "t1", "doc": "d"}}\n')
    assert is_scores(path)


@pytest.mark.parametrize(("form", "place"), [("csv", ":3"), ("jsonl", ":2"), ("json", ": entry 2"),
                                             ("parquet", ": row 2")])  # fmt: skip
@pytest.mark.parametrize("column", ["run", "topic", "measure"])
def test_a_row_that_lacks_a_name_is_refused_with_its_place(
    form: str, place: str, column: str, tmp_path: Path
) -> None:
    path = saved([ROW, ROW | {column: None}], form, tmp_path)
    with pytest.raises(dx.InputError) as told:
        read_scores(path)
    assert f"{path.name}{place}: expected run, topic, measure, value, found {{" in str(told.value)


@pytest.mark.parametrize("more", [{}, {"note": "x"}])
def test_rows_and_frames_with_the_columns_of_scores_are_compared(more: dict[str, str]) -> None:
    rows = [
        {"run": run, "topic": f"t{at}", "measure": "iP@1", "value": at / 10 + (run == "b") / 2} | more
        for run in "ab"
        for at in range(5)
    ]
    for given in (rows, pl.DataFrame(rows), pl.DataFrame(rows).to_pandas()):
        (found,) = dx.compare(given, baseline="a", draws=100).differences
        assert (found.run, found.topics, found.difference) == ("b", 5, cast(Any, pytest.approx(0.5)))


def test_pandas_and_polars_frames_have_the_same_rows():
    gold = [{"topic": topic, "doc": "d", "start": 0, "end": 5} for topic in ("t1", "t2")]
    run = [{"topic": topic, "doc": "d", "rank": 1, "start": 0, "end": 9} for topic in ("t1", "t2")]
    scores = dx.evaluate(run, gold, "iP@1 iR@1")
    frame = scores.to_pandas()
    assert frame.to_dict("records") == scores.per_topic.to_dicts()
    assert set(frame["topic"]) == {"t1", "t2"}


def test_topics_stand_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    path = saved([ROW | {"topic": topic} for topic in ("t10", "t2", "t1")], "csv", tmp_path)
    assert read_scores(path).topics == ["t1", "t2", "t10"]


def test_joined_scores_count_the_topics_of_their_own_files() -> None:
    parts = [
        dx.evaluate({name: [row | {"rank": 1} for row in GOLD[:size]]}, GOLD[:size], "iR@1")
        for name, size in (("a", 1), ("b", 2))
    ]
    joined = join_scores(parts)
    assert [run.counted.tolist() for run in joined.runs] == [[True, False], [True, True]]
    assert "mean over 1 to 2 topics" in repr(joined)
