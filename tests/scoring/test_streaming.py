"""Large run files: scored some topics at a time, to the same bits, in bounded memory."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.io.formats.field_lines import topics_of_fields
from doxeval.io.source import Source
from doxeval.scoring.evaluation import Evaluation
from doxeval.scoring.loader import RunLoader
from doxeval.scoring.streaming import blocks
from doxeval.scoring.streaming.blocks import Drawers, grouped_pieces
from tests.robustness.sweeps import PYTHON, evaluated, limits_of_compiled, run_lines, same_bits, write_sweep

EVERYTHING = (
    "AiP iP[0.01] iR@5 IoU@3 Judged@10 F@5 iR@300c AESRP(nav=readon) ESRR(nav=proximity)@5 CharAP gP@3"
)


@pytest.fixture
def small_blocks(monkeypatch):
    """Every file is large, and every block is small."""
    monkeypatch.setenv("DOXEVAL_MAX_WHOLE", "1")
    monkeypatch.setattr(Source.blocks, "__defaults__", (2000,))
    monkeypatch.setattr("doxeval.io.source.HEAD", 1000)


def check(path, qrels, monkeypatch, measures=EVERYTHING, whole=False, **options) -> dx.Scores:
    """Score in pieces and as a whole."""
    calls = []
    honest = blocks.score_in_blocks

    def counted(*given):
        calls.append(1)
        return honest(*given)

    monkeypatch.setattr(blocks, "score_in_blocks", counted)
    streamed = evaluated([path], qrels, measures, **options)
    assert calls, "was not streamed"
    monkeypatch.setenv("DOXEVAL_MAX_WHOLE", "1G")
    same_bits(streamed, evaluated([path], qrels, measures, **options))
    return streamed


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("form", ["inex-fol", "native-run", "gzip"])
@pytest.mark.parametrize(
    "options",
    [{}, {"topics": "run"}, {"depth": 4, "unjudged": "skip"}, {"rank_by": "score"}, {"rank_by": "file"}],
)
def test_the_same_bits(tmp_path, small_blocks, monkeypatch, shuffled, form, options):
    [path], qrels = write_sweep(tmp_path, runs=1, results=60)
    lines = path.read_text().splitlines(keepends=True)
    lines = [line for line in lines if not line.startswith("4 ")]
    lines += ["unassessed Q0 d1 1 2.5 s0 0 10\n", "9 Q0 d1 1 2 s0 0 10\n"]
    if shuffled:
        random.Random(3).shuffle(lines)
    if form == "native-run":
        fields = [line.split() for line in lines]
        lines = [
            json.dumps(
                {
                    "doc": f[2],
                    "topic": f[0],
                    "rank": int(f[3]),
                    "score": float(f[4]),
                    "start": int(f[6]),
                    "end": int(f[6]) + int(f[7]),
                }
            )
            + "\n"
            for f in fields
        ]
    path = tmp_path / "run.txt"
    if form == "gzip":
        path = tmp_path / "run.txt.gz"
        path.write_bytes(gzip.compress("".join(lines).encode()))
    else:
        path.write_text("".join(lines))
    scores = check(path, qrels, monkeypatch, **options)
    told = " ".join(map(str, scores.notices))
    assert "2 topics without assessments" in told and ("regrouped on disk" in told) == shuffled


def test_documents_of_unknown_length_reach_as_far_as_the_whole_run_does(tmp_path, small_blocks, monkeypatch):
    qrels = tmp_path / "qrels.jsonl"
    qrels.write_text(
        "".join(json.dumps({"topic": t, "doc": "a", "start": 0, "end": 9}) + "\n" for t in ("1", "2"))
    )
    rows = [{"topic": "1", "doc": doc, "rank": r} for r, doc in enumerate("ab" * 20, 1)]
    rows += [
        {"topic": "2", "doc": doc, "rank": r, "start": 5, "end": 500 * r}
        for r, doc in enumerate("ab" * 20, 1)
    ]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    check(path, qrels, monkeypatch, "iP@1 iP@2 AiP ESRR(nav=proximity)@3")


def test_ranks_that_only_some_results_have_are_ignored_everywhere(tmp_path, small_blocks, monkeypatch):
    _, qrels = write_sweep(tmp_path, runs=1)
    rng = random.Random(1)
    rows = [
        {"topic": str(topic), "doc": f"d{rng.randrange(12)}", "score": rng.random(), "start": 0, "end": 300}
        | ({"rank": rank} if topic < 6 else {})
        for topic in range(1, 7)
        for rank in range(40, 0, -1)
    ]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    check(path, qrels, monkeypatch)


def test_refused_lines_keep_their_numbers(tmp_path, small_blocks, monkeypatch):
    [path], qrels = write_sweep(tmp_path, runs=1, results=60)
    lines = path.read_text().splitlines(keepends=True)
    lines[200] = lines[200].replace(" Q0 ", " Q0 Q0 ")
    for shuffle in (False, True):
        if shuffle:
            random.Random(5).shuffle(lines)
        place = next(at for at, line in enumerate(lines, 1) if "Q0 Q0" in line)
        path.write_text("".join(lines))
        monkeypatch.setenv("DOXEVAL_MAX_WHOLE", "1")
        scores = check(path, qrels, monkeypatch)
        assert f"run0.fol:{place}: found" in " ".join(map(str, scores.notices))


def test_no_topic_was_assessed(tmp_path, small_blocks):
    [path], qrels = write_sweep(tmp_path, runs=1)
    path.write_text(path.read_text().replace(" Q0 d", " Q0 x").replace("\n", "\nz", 1).replace("\n", "\nz"))
    path.write_text("".join("z" + line for line in path.read_text().splitlines(keepends=True)))
    with pytest.raises(dx.UsageError, match="none of its topics were assessed"):
        evaluated([path], qrels)


def test_what_cannot_be_cut_is_read_whole(tmp_path, monkeypatch):
    [path], _ = write_sweep(tmp_path, runs=1)
    monkeypatch.setenv("DOXEVAL_MAX_WHOLE", "1")
    assert blocks.streams(RunLoader(path))
    other = tmp_path / "run.parquet"
    subprocess.run([PYTHON, "-m", "doxeval", "convert", path, other], check=True, capture_output=True)
    assert not blocks.streams(RunLoader(other))
    assert not blocks.streams(RunLoader(dx.read_run(path)))


LINES = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["1", "2", "t3", "é"]), st.text("ab \t", max_size=4)).map(
            lambda p: f"{p[0]} {p[1]}"
        ),
        st.sampled_from(["", "  ", "\t1 x", "1", "nonsense"]),
    ),
    max_size=30,
)


@given(LINES, st.booleans(), st.integers(1, 40))
@settings(max_examples=30)
def test_pieces_hold_every_line_once_and_topics_whole(tmp_path_factory, lines, ends, size):
    data = "\n".join(lines).encode() + (b"\n" if ends and lines else b"")
    find = topics_of_fields

    def topics(piece: bytes) -> set[bytes]:
        return {line.split()[0] for line in piece.split(b"\n") if line.split()}

    source: Any = Source(data)
    blocks = source.blocks
    source.blocks = lambda: blocks(size)
    pieces: list[Any] = [(piece.origin, piece.lines) for piece in grouped_pieces(source, find)]
    assert b"".join(piece for piece, _ in pieces) == data
    assert [line for _, line in pieces] == [
        1 + b"".join(piece for piece, _ in pieces[:at]).count(b"\n") for at in range(len(pieces))
    ]
    drawers = Drawers(tmp_path_factory.mktemp("drawers"), size << 22)
    drawers.fill(Source(data), find)
    found: list[Any] = [(piece.origin, piece.lines) for piece in drawers.pieces("x")]
    original = data.split(b"\n")
    for piece, numbers in found:
        held = piece.split(b"\n")[:-1]
        assert [original[number - 1] for number in numbers] == held
    assert sorted(n for _, numbers in found for n in numbers.tolist()) == list(
        range(1, len(data.splitlines()) + 1)
    )
    for one in range(len(found)):
        for other in range(one):
            assert not topics(found[one][0]) & topics(found[other][0])


MEASURE_MEMORY = """
import sys, warnings
from pathlib import Path
import doxeval as dx

def peak():
    # Kilobytes at most so far; ru_maxrss would start from the peak of the process that started this one.
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])

warnings.simplefilter("ignore")
run, small, qrels = sys.argv[1:]
warmed_up = dx.evaluate([small], qrels, "AiP iP[0.01] iR@1000")
before = peak()
scores = dx.evaluate([run], qrels, "AiP iP[0.01] iR@1000")
after = peak()
print(after - before, scores.value(scores.names[0], "AiP"))
"""


@limits_of_compiled
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is told by /proc")
def test_memory_is_bounded_by_blocks_not_by_the_file(tmp_path):
    """Streamed in blocks of 4 MiB a file takes less than half the memory of the same file read whole."""
    _, qrels = write_sweep(tmp_path, runs=0)
    rng = random.Random(2)
    lines = run_lines(rng, "s", 20_000)
    path, small = tmp_path / "large.fol", tmp_path / "small.fol"
    small.write_text("".join(lines[::2000]))
    with path.open("w") as stream:
        for line in range(0, len(lines), 20_000):
            topic = lines[line : line + 20_000]
            for copy in range(14):
                stream.writelines(text.replace(" ", f"{copy} ", 1) if copy else text for text in topic)
    used = {}
    values = set()
    for name, limit in (("whole", "1G"), ("streamed", "1M")):
        prelude = "import doxeval.io.source as s\ns.Source.blocks.__defaults__ = (4 << 20,)\n"
        environment = {**os.environ, "DOXEVAL_MAX_WHOLE": limit, "OPENBLAS_NUM_THREADS": "1"}
        told = subprocess.run(
            [PYTHON, "-c", prelude + MEASURE_MEMORY, str(path), str(small), str(qrels)],
            capture_output=True, text=True, check=True, env=environment,
        ).stdout.split()  # fmt: skip
        used[name], value = int(told[0]) >> 10, told[1]
        values.add(value)
    assert len(values) == 1
    assert used["streamed"] < used["whole"] / 2, used


def test_regrouping_tells_where_there_is_no_room(tmp_path, small_blocks, monkeypatch):
    [path], qrels = write_sweep(tmp_path, runs=1, results=60)
    lines = path.read_text().splitlines(keepends=True)
    random.Random(3).shuffle(lines)
    path.write_text("".join(lines))

    def full(*given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Drawers, "fill", full)
    with warnings.catch_warnings(), pytest.raises(dx.InputError, match="TMPDIR"):
        dx.evaluate([path], qrels, "AiP")


def test_some_of_the_measures_have_the_same_scores(tmp_path):
    [path], qrels = write_sweep(tmp_path, runs=1)
    evaluation = Evaluation(qrels, "AiP iR@5")
    part, whole = evaluation.score_loaded(RunLoader(path), ["iR@5"]), evaluation.score_loaded(RunLoader(path))
    assert np.array_equal(part.values[0], whole.values[1], equal_nan=True)


def rows_of(*topics: str) -> list[dict[str, Any]]:
    return [
        {"topic": topic, "doc": "d", "rank": rank, "start": 3 * rank, "end": 3 * rank + 5}
        for topic in topics
        for rank in range(1, 30)
    ]


def jsonl(path, rows) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_file_of_several_runs_is_told_as_if_it_were_read_whole(tmp_path, small_blocks, monkeypatch):
    gold = [{"topic": topic, "doc": "d", "start": 0, "end": 10} for topic in "ab"]
    rows = [row | {"run": f"of {row['topic']}"} for row in rows_of("a", "b")]
    scores = check(jsonl(tmp_path / "run.jsonl", rows), gold, monkeypatch, "iR@1 iP@9")
    told = [str(one) for one in scores.notices]
    assert told == ["2 different runs in one file are read as one (of a; of b)"]


def test_a_topic_by_its_name_and_by_its_wording_is_one_topic(tmp_path, small_blocks, monkeypatch):
    gold = [
        {"topic": topic, "doc": "d", "start": 0, "end": 60, "query": f"what is {topic}?"} for topic in "ab"
    ]
    path = jsonl(tmp_path / "run.jsonl", rows_of("a", "b", "what is a?"))
    scores = check(path, gold, monkeypatch, "iR@1 iP@9")
    assert scores.value("run", "iR@1", "b") == 5 / 60


@pytest.mark.parametrize("named", ["", "native-run"])
def test_a_large_run_in_lines_is_counted_in_characters(tmp_path, small_blocks, named):
    documents = {"a": "one\nthree\n"}
    gold = [{"topic": "t", "doc": "a", "start_line": 1, "end_line": 2}]
    row = {"topic": "t", "doc": "a", "rank": 1, "start_line": 1, "end_line": 1}
    path = jsonl(tmp_path / "run.jsonl", [row])
    options = {"run_format": named} if named else {}
    assert dx.evaluate(path, gold, "iR@1", documents, **options).value("run", "iR@1") == 4 / 10


def test_a_document_under_several_names_reaches_as_far_as_any(tmp_path, small_blocks, monkeypatch):
    gold = [{"topic": topic, "doc": "d", "start": 0, "end": 60} for topic in "ab"]
    rows = [row | {"doc": doc} for topic, doc in (("a", "d.txt"), ("b", "sub/d")) for row in rows_of(topic)]
    rows += [{"topic": "b", "doc": "d", "rank": 99, "start": 500, "end": 900}]
    check(jsonl(tmp_path / "run.jsonl", rows), gold, monkeypatch, "iR@1 iP@9 ESRP(nav=readon)@3")


@pytest.mark.parametrize("options", [{"own": "free"}, {"own": "shown"}])
def test_optional_text_and_steps_are_cut_in_large_runs_as_in_small_ones(
    tmp_path, small_blocks, monkeypatch, options
):
    gold = [{"topic": topic, "doc": "d", "start": 0, "end": 60} for topic in "ab"]
    gold.append({"topic": "a", "doc": "d", "start": 5, "end": 9, "optional": True})
    check(jsonl(tmp_path / "run.jsonl", rows_of("a", "b")), gold, monkeypatch, "iR@1 iP@9", **options)
