"""What every format promises, tried with the sample and the broken lines it declares."""

from __future__ import annotations

import contextlib
import gzip

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from doxeval.core.errors import DoxevalError
from doxeval.io.formats.format import TABLE_KINDS, Format, Options
from doxeval.io.source import Source
from tests.io.formats.format_samples import EVERY, sample_of
from tests.robustness.readers import CHECKS

formats = pytest.mark.parametrize("format", EVERY, ids=lambda format: f"{format.kind}-{format.name}")
BROKEN = [(format, line) for format in EVERY for line in format.broken]


def read(format: Format, data: bytes):
    table = format.read(Source(data), Options())
    CHECKS[format.kind](table)
    return table


def size(table) -> int:
    """How many results, assessments or chunks there are."""
    return len(table) if hasattr(table, "__len__") else len(table.pair_doc) + len(table.queries)


@formats
def test_it_says_what_it_is(format):
    assert format.kind in TABLE_KINDS and format.summary and sample_of(format)
    assert format.write is None or format.kind == "chunks" or format.holds(Options())
    assert all(suffix.startswith(".") for suffix in format.suffixes)


@formats
def test_only_it_recognises_its_sample(format):
    head = sample_of(format)
    others = [other for other in EVERY if other.kind == format.kind and other.sniff(head)]
    assert others == [format]


@formats
def test_its_sample_is_read_without_a_word(format):
    table = read(format, sample_of(format))
    assert size(table) and (not table.notices.failures or format.name == "inex-submission")


@formats
@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_packed_it_reads_the_same(format, pack):
    assert repr(read(format, pack(sample_of(format)))) == repr(read(format, sample_of(format)))


@formats
def test_a_byte_order_mark_and_carriage_returns_do_not_matter(format):
    if format.binary:
        return
    data = sample_of(format)
    for changed in (b"\xef\xbb\xbf" + data, data.replace(b"\n", b"\r\n")):
        assert list(read(format, changed).docs) == list(read(format, data).docs)


@pytest.mark.parametrize(("format", "line"), BROKEN, ids=lambda given: getattr(given, "name", None))
@pytest.mark.parametrize("last", [False, True])
def test_a_broken_line_is_refused_with_its_place_and_the_rest_kept(format, line, last):
    data = sample_of(format)
    at = len(data) if last else data.rindex(b"\n", 0, -1) + 1
    table = read(format, data[:at] + line + b"\n" + data[at:])
    assert size(table) == size(read(format, data))
    [notice] = table.notices.failures
    assert notice.count == 1 and f"<bytes>:{data.count(bytes([10]), 0, at) + 1}" in str(notice), str(notice)


@pytest.mark.slow
@formats
def test_no_beginning_of_its_sample_is_a_traceback(format):
    data = sample_of(format)
    for end in range(1, len(data), max(1, len(data) // 60)):
        try:
            read(format, data[:end])
        except DoxevalError as problem:
            assert str(problem).startswith("<bytes>")


PIECES = [
    b"",
    b"\n",
    b"\0",
    b"\xff",
    b'"',
    b"{",
    b"<",
    b"-",
    b"9" * 20,
    b"[",
    b"&x;",
    b"\t",
    b"null",
    b"1e999",
]


@pytest.mark.slow
@formats
def test_no_damage_to_its_sample_is_a_traceback(format):
    place = st.tuples(st.integers(0, 1 << 16), st.integers(0, 3), st.sampled_from(PIECES))

    @given(st.lists(place, max_size=6))
    @settings(max_examples=20)
    def check(damage):
        data = bytearray(sample_of(format))
        for at, removed, piece in damage:
            at %= len(data) + 1
            data[at : at + removed] = piece
        with contextlib.suppress(DoxevalError):
            read(format, bytes(data))

    if not format.binary:
        check()
