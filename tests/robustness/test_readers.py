"""Every reader under every kind of damage: an answer or a refusal, no traceback, no silent wrong number."""

from __future__ import annotations

import gzip
import os
import random

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.tables.runs import NOWHERE
from tests.conftest import EXPLORE
from tests.robustness.readers import (
    CORPUS,
    READERS,
    UNGUARDED,
    UNSTRUCTURED,
    check_documents,
    seeds,
    survives,
)
from tests.robustness.structures import changed, structured

EXAMPLES = 200 if EXPLORE in os.environ else 50
"""Damages of every file; ``make fuzz`` tries as many as there is time for."""
PIECES = [
    b"", b"\n", b"\r\n", b"\0", b"\xff", b"\xe9", b"\xef\xbb\xbf", b"\xed\xa0\x80", b'"', b"'", b"\\",
    b"{", b"}", b"[", b"]", b"<", b">", b"&", b"&x;", b"]]>", b"-", b"-1", b"0", b"9" * 20,
    b"9223372036854775808", b"1e999",
    b"NaN", b"inf", b"\t", b" ", b",", b":", b"null", b"PAR1", b"\x1f\x8b", b"\x28\xb5\x2f\xfd",
]  # fmt: skip


ACTIONS = ("piece", "bytes", "remove", "repeat", "cut", "splice")


@st.composite
def damaged(draw: st.DrawFn, reader: str) -> bytes:
    """A file of the corpus with some places overwritten, removed, repeated or swapped, or its end cut off."""
    corpus = seeds(reader)
    data = bytearray(draw(st.sampled_from(corpus)))
    for _ in range(draw(st.integers(0, 5))):
        begin = draw(st.integers(0, len(data)))
        end = min(len(data), begin + draw(st.integers(0, 8)))
        action = draw(st.sampled_from(["cut"] if reader in UNGUARDED else ACTIONS))
        if action == "piece":
            data[begin:end] = draw(st.sampled_from(PIECES))
        elif action == "bytes":
            data[begin:end] = draw(st.binary(max_size=6))
        elif action == "remove":
            del data[begin:end]
        elif action == "repeat":
            data[begin:begin] = data[begin:end] * draw(st.integers(1, 20))
        elif action == "cut":
            del data[begin:]
        else:
            other = draw(st.sampled_from(corpus))
            data[begin:end] = other[: draw(st.integers(0, len(other)))]
    return bytes(data)


@pytest.mark.parametrize("reader", READERS)
def test_the_corpus_is_read_or_refused(reader):
    files = seeds(reader)
    assert files
    for data in files:
        survives(reader, data)


@pytest.mark.parametrize("reader", READERS)
def test_no_damage_is_a_traceback(reader):
    @given(damaged(reader))
    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    def check(data: bytes) -> None:
        survives(reader, data)

    check()


def test_every_corpus_has_a_reader():
    assert {path.name for path in CORPUS.iterdir()} <= set(READERS)


@pytest.mark.parametrize("column", ["doc", "text", "length", "nodes"])
@pytest.mark.parametrize("value", [b"bytes", 1.5, True, ["list"], {"a": 1}])
def test_documents_with_columns_of_another_type(tmp_path, column, value):
    import polars as pl

    row = {"doc": "d", "length": 3, "text": "abc", "nodes": None} | {column: value}
    pl.DataFrame([row]).write_parquet(tmp_path / "documents.parquet")
    try:
        documents = dx.read_documents(tmp_path / "documents.parquet")
        check_documents(documents)
    except dx.InputError as problem:
        assert str(problem)


INTEGER = st.one_of(
    st.integers(-5, 500),
    st.sampled_from([1 << 40, (1 << 40) + 1, 1 << 62, 1 << 63, (1 << 64) - 1, 10**25]),
).map(str)
FIELD = st.one_of(
    st.sampled_from(
        ["1", "t2", "d1", "Q0", "é", "x_3_4", "nan", "-inf", "1e5", "+7", "0x10", "1_000", "٣", "1.0", "."]
    ),
    INTEGER,
    st.text(
        st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]),
        min_size=1,
        max_size=5,
    ),
)
OFFSET = st.one_of(INTEGER, st.sampled_from(["X", "-1", "XX", "x"]))
LINE = st.one_of(
    st.tuples(FIELD, st.just("Q0"), FIELD, INTEGER, st.one_of(INTEGER, FIELD), st.just("s"), OFFSET, INTEGER),
    st.lists(FIELD, max_size=10).map(tuple),
)


def plain_integer(text: str) -> int | None:
    """An integer as files have it: ASCII digits, perhaps a sign, of a size that a document can have."""
    digits = text[1:] if text[:1] in "+-" else text
    if not digits or not digits.isascii() or not digits.isdigit():
        return None
    return int(text) if abs(int(text)) <= 1 << 40 else None


def plain_number(text: str) -> float | None:
    if not text.isascii() or "_" in text:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) != float("inf") and value == value else None


@given(
    st.lists(LINE, min_size=1, max_size=12),
    st.sampled_from([" ", "\t", "  ", " \t "]),
    st.sampled_from(["\n", "\r\n"]),
)
@settings(max_examples=EXAMPLES)
@example([("1", "Q0", "d", "1", "1", "s", "1099511627776", "1099511627776")], " ", "\n")
def test_lines_are_kept_as_a_naive_reader_keeps_them(lines, separator, end):
    """No silent wrong number: the same rows as a reader that takes one line at a time."""
    expected, told, read = [], 0, 0
    for fields in lines:
        if not fields:
            continue
        numbers: list[int] = [plain_integer(fields[at]) for at in (3, 6, 7)] if len(fields) == 8 else [None]
        score = plain_number(fields[4]) if len(fields) == 8 else None
        if len(fields) == 8 and fields[6] == "X":
            numbers[1] = -1
        if None in numbers or score is None:
            told += 1
            continue
        rank, offset, length = numbers
        if offset == -1:
            offset, length = NOWHERE + 18 * read, 18
            told += 1
        read += 1
        if offset < 0 or length < 0:
            told += 1
        else:
            expected.append((fields[0], fields[2], rank, score, offset, offset + length))
    data = "".join(separator.join(fields) + end for fields in lines).encode()
    if not data.strip():
        return
    if not expected:
        with pytest.raises(dx.InputError, match="nothing is left"):
            dx.read_run(data, input_format="inex-fol")
        return
    run = dx.read_run(data, input_format="inex-fol")
    found = [
        (run.topics[topic], run.docs[doc], rank, score, start, stop)
        for topic, doc, rank, score, start, stop in zip(
            run.topic,
            run.doc,
            run.rank.tolist(),
            run.score.tolist(),
            run.start.tolist(),
            run.end.tolist(),
            strict=True,
        )
    ]
    assert found == expected
    assert sum(notice.count for notice in run.notices.failures) == told


@given(st.binary(max_size=300), st.integers(0, 300), st.sampled_from(["gzip", "zstd"]))
@settings(max_examples=EXAMPLES)
def test_truncated_compression_never_passes_for_a_shorter_file(content, cut, how):
    import zstandard

    lines = b"1 Q0 d1 1 9.5 sys 10 30\n" * 40 + content.replace(b"\0", b"")
    packed = gzip.compress(lines) if how == "gzip" else zstandard.ZstdCompressor().compress(lines)
    cut = min(cut, len(packed) - 1)
    with pytest.raises(dx.InputError):
        dx.read_run(packed[: max(4, len(packed) - 1 - cut)], input_format="inex-fol")


@pytest.mark.parametrize("reader", [reader for reader in READERS if reader not in UNSTRUCTURED])
def test_no_change_of_structure_is_a_traceback(reader):
    """Values of the wrong type, odd numbers, keys and rows nested, duplicated or missing; seeded."""
    rng, files = random.Random(reader), structured(seeds(reader))
    assert files
    for _ in range(EXAMPLES):
        survives(reader, changed(rng.choice(files), rng))
