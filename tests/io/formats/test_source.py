"""Where bytes come from: nothing stays open that cannot be read."""

from __future__ import annotations

import gzip

import pytest

from doxeval.core.errors import InputError
from doxeval.io.source import Source


@pytest.mark.parametrize(
    "content",
    ["t1".encode("utf-16"), gzip.compress(b"t1 Q0 d1 1 2.0 me 0 10\n" * 50)[:-9]],
    ids=["utf-16", "gzip"],
)
def test_a_source_that_cannot_be_looked_at_is_closed(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    source = Source(tmp_path / "file")
    with pytest.raises(InputError):
        source.read()
    assert source._raw is not None and source._raw.closed
