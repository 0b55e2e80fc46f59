"""Values between the same bytes in every line stand where a regular expression finds them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from doxeval.kernels import template
from tests.kernels.test_scan_kernels import plain_module

PLAIN = plain_module("template")
VALUES = st.sampled_from([
    b"0", b"-0", b"7", b"-12", b"007", b"9" * 13, b"9" * 14, b"9" * 17, b"9" * 18, b"-0.5", b"0.5", b"1.",
    b".5", b"1e3", b"1E-07", b"1e123", b"-0e1", b"1e+", b"1.5e", b"+1", b"1." + b"3" * 30, b"1." + b"3" * 31,
    b"abc", b"", b"\xc3\xa9", b"a\\n", b'a"b', b"a\tb", b"\0", b"nan", b"-",
])  # fmt: skip
LITERALS = st.sampled_from([b'{"a": ', b'", "b": ', b", ", b"}", b" ", b""])


@given(st.data(), st.text("sif", min_size=1, max_size=4))
def test_compiled_and_plain_agree(data, kinds):
    literals = [data.draw(LITERALS) for _ in kinds] + [b"}\n"]
    good = data.draw(st.integers(0, 3))
    drawn = [[data.draw(VALUES) for _ in kinds] for _ in range(data.draw(st.integers(0, 3)))]
    plain = {"s": b"x y", "i": b"-12", "f": b"3.25e-1"}
    lines = [[plain[kind] for kind in kinds]] * good + drawn
    whole = b"".join(
        b"".join(literal + value for literal, value in zip(literals, line, strict=False)) + literals[-1]
        for line in lines
    )
    whole = whole[: len(whole) - data.draw(st.sampled_from([0, 0, 0, 1, 3]))]
    given = whole, literals, kinds.encode(), whole.count(b"\n")
    one, other = template.places_in_lines(*given), PLAIN.places_in_lines(*given)
    assert (one is None) == (other is None)
    if one is not None:
        assert all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(one, other, strict=True))
        assert not drawn or len(one[0][0]) == len(lines)
