"""JSON Lines that look alike are read fast, and as the careful reader reads them: tables, notices, lines."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.io.formats import native
from doxeval.io.formats.columns import KIND_OF_KEY, Rows
from doxeval.io.formats.native import uniform_columns
from doxeval.io.source import Source

VALUES: dict[str, list[Any]] = {
    "text": ["t1", "t2", "", "é ü", "a,b}{", "\u2028", 7, 0, -3, 301],
    "integer": [0, 1, 17, -4, (1 << 40) - 1, 1 << 40, (1 << 40) + 1],
    "number": [0, 1, -1, 0.5, -0.0, 0.1 + 0.2, 1e-7, 123456789012345678, 2.5e30, 9007199254740993],
}
RAW = {
    "text": ['"\\u00e9"', '"\\ud800"', '"a\\"b"', "null", "true", "1.0", "1.5", '["x"]', "-0", '"\t"', '"'],
    "integer": ["1.0", "1.5", "-0", "01", "true", '"1"', "null", "1e2", "9" * 20, "1_0", "+1", "NaN"],
    "number": ["-0", "-0.0", "1E5", "1e400", "-1e400", "NaN", "Infinity", "00", ".5", "5.", "1e+05"],
}
LINES = [b"", b"  ", b"{}", b"{", b"null", b'{"topic": "x"}', b'{"topic": "\xff", "doc": "d"}', b"[1]", b"\0"]
SCALARS = sorted(key for key, kind in KIND_OF_KEY.items() if kind in VALUES)


@st.composite
def pieces(draw: st.DrawFn) -> bytes:
    """Lines of one layout, some of them spoilt in one way or another."""
    keys = draw(st.lists(st.sampled_from([*SCALARS, "nodes", "other"]), unique=True, max_size=5))
    keys = ["topic", "doc", *(key for key in keys if key not in ("topic", "doc"))]
    comma, colon = draw(st.sampled_from([(", ", ": "), (",", ":"), (" ,\t", " : ")]))
    end = draw(st.sampled_from(["\n", "\r\n", " \n"]))
    odd = draw(st.sampled_from([0, 0, 0, 1, 8]))
    lines = []
    for _ in range(draw(st.integers(1, 6))):
        if draw(st.integers(1, 20)) <= odd:
            lines.append(draw(st.sampled_from(LINES)) + end.encode())
            continue
        members = []
        for key in keys:
            kind = KIND_OF_KEY.get(key, "text") if key != "nodes" else "text"
            raw = draw(st.integers(1, 20)) <= odd
            value = draw(st.sampled_from(RAW[kind] if raw else VALUES[kind]))
            members.append(f'"{key}"{colon}{value if raw else json.dumps(value, ensure_ascii=False)}')
        lines.append(("{" + comma.join(members) + "}" + end).encode("utf-8", "surrogatepass"))
    data = b"".join(lines)
    return data.rstrip(b"\n") if draw(st.booleans()) else data


def told(rows: Rows) -> Any:
    """Everything that is known of some rows, as plain values."""
    columns = {
        key: (column.values.tolist(), column.present.tolist(), column.wrong, list(column.table))
        for key, column in rows.columns.items()
    }
    return rows.size, repr(columns), rows.line.tolist(), [str(notice) for notice in rows.notices]


@given(st.lists(pieces(), min_size=1, max_size=3))
@example([b'{"topic": "1", "doc": "d", "rank": -0}\n'])
@example([b'{"topic": "1", "doc": "d", "score": -0}\n{"topic": "1", "doc": "d", "score": -0.5}\n'])
@example([b'{"topic": "", "doc": "d"}\n{"topic": "a", "doc": "d"}\n{"topic": "", "doc": "e"}\n'])
@example([b'{"topic": 1, "doc": "d"}\n{"topic": 1, "doc": "e"}'])
@example([b'{"doc": "d", "doc": "e", "topic": "1"}\n'])
def test_both_readers_give_the_same_columns(parts: list[bytes]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Source, "blocks", lambda source, size: iter(parts))
        fast = native.read_rows(Source(b"", "file"))
        patch.setattr(native, "uniform_columns", lambda data: None)
        careful = native.read_rows(Source(b"", "file"))
    assert told(fast) == told(careful)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_scores_keep_every_bit(scores: list[float]) -> None:
    rows = [{"topic": "t", "doc": "d", "score": score} for score in scores]
    run = dx.read_run("".join(json.dumps(row) + "\n" for row in rows).encode())
    assert np.array_equal(run.score, scores)


GOOD = {"topic": "t", "doc": "d", "rank": 1, "score": 0.5, "start": 3, "end": 9, "run": "r"}


@pytest.mark.parametrize("separators", [(", ", ": "), (",", ":")])
@pytest.mark.parametrize("change", [{}, {"topic": 301}, {"doc": "née"}, {"score": 12}, {"node": "e1"}])
def test_ordinary_lines_are_read_fast(separators: tuple[str, str], change: dict[str, Any]) -> None:
    data = (json.dumps(GOOD | change, separators=separators, ensure_ascii=False) + "\n").encode() * 3
    columns = uniform_columns(data)
    assert columns is not None and list(columns) == list(GOOD | change)


@pytest.mark.parametrize("change", [{"spans": [[1, 2]]}, {"extra": "x"}, {"doc": "d\n"}, {"rank": None}])
def test_unusual_lines_are_left_to_the_careful_reader(change: dict[str, Any]) -> None:
    assert uniform_columns((json.dumps(GOOD | change) + "\n").encode()) is None


def test_one_broken_line_costs_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    line = (json.dumps(GOOD) + "\n").encode()
    monkeypatch.setattr(native, "READ_AT_ONCE", 1 << 16)
    careful = []
    read = native._careful_columns

    def counted(*given):
        careful.append(given)
        return read(*given)

    monkeypatch.setattr(native, "_careful_columns", counted)
    run = dx.read_run(line * 3000 + b"{\n" + line * 3000, input_format="native-run")
    assert len(run) == 6000 and len(careful) == 1
    [notice] = run.notices.failures
    assert "<bytes>:3001" in str(notice)
    assert run.line.tolist() == [at for at in range(1, 6002) if at != 3001]


def test_polars_is_not_loaded_for_json_lines(tmp_path: Any) -> None:
    import subprocess
    import sys

    (tmp_path / "run.jsonl").write_text(json.dumps(GOOD) + "\n")
    code = "import sys, doxeval as dx; dx.read_run('run.jsonl'); print('polars' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "False\n", done.stderr
