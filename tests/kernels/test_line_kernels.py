"""Lines become the same columns compiled and plain, on any bytes, and as the fields one by one would."""

from __future__ import annotations

from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from doxeval.core.strings import Strings
from doxeval.kernels import lines
from tests.kernels.test_scan_kernels import LINES, plain_module, same

PLAIN = plain_module("lines")
LARGEST = 1 << 40
KINDS = st.tuples(st.text("-nipf", min_size=1, max_size=6), st.sampled_from(["", "r", "*"]))
ANY = st.lists(st.one_of(LINES, st.binary(max_size=40), st.sampled_from([b"X", b"d 7", b"a" * 9, b"a" * 17])))


def flat(columns):
    codes, tables, *others = columns
    return codes, *chain(*tables), *others


@given(ANY, KINDS, st.integers(0, 6))
def test_compiled_and_plain_agree(pieces, kinds, missing):
    data = b"\n".join(pieces) + b"\n"
    kinds = "".join(kinds).encode()
    given = data, kinds, max(1, len(kinds) - missing), LARGEST, data.count(b"\n")
    assert lines.survey(data) == PLAIN.survey(data) == (data.count(b"\n"), data.isascii() and 0 not in data)
    same(flat(lines.read_lines(*given)), flat(PLAIN.read_lines(*given)))


@given(st.lists(st.tuples(st.text("ab", min_size=1, max_size=20), st.floats(allow_nan=False)), max_size=300))
def test_names_and_numbers_are_what_the_fields_say(rows):
    data = "".join(f"{name}  {value!r}\r\n" for name, value in rows).encode() or b"\n"
    codes, [names], _, numbers, line, faults = lines.read_lines(data, b"nf", 2, LARGEST, data.count(b"\n"))
    table = Strings(*names).tolist()
    good = [np.isfinite(value) for _, value in rows]
    kept = [row for row, fine in zip(rows, good, strict=True) if fine]
    assert table == list(dict.fromkeys(name for name, _ in kept))
    assert [table[code] for code in codes[0]] == [name for name, _ in kept]
    assert numbers[0].tolist() == [value for _, value in kept]
    assert line.tolist() == np.flatnonzero(good).tolist()
    assert faults[0].tolist() == np.flatnonzero(~np.array(good, dtype=bool)).tolist()
    assert set(faults[2].tolist()) <= {1}


def test_more_names_than_the_first_table_holds():
    for name in (b"%d", b"document-%d"):
        data = b"".join(name % (at % 50_000) + b"\n" for at in range(60_000))
        codes, [names], *_ = lines.read_lines(data, b"n", 1, LARGEST, 60_000)
        assert np.array_equal(codes[0], np.arange(60_000) % 50_000)
        assert Strings(*names) == [(name % at).decode() for at in range(50_000)]


def test_a_name_of_a_refused_line_gets_no_code():
    data = b"a 1\nb x\nb 2\na 3\nc x\na 4\n"
    codes, [names], *_ = lines.read_lines(data, b"ni", 2, LARGEST, 6)
    assert codes.tolist() == [[0, 1, 0, 0]] and Strings(*names) == ["a", "b"]
