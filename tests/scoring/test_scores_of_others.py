"""Scores as other programs save them are recognised by every command that compares."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.scoring.read_scores import is_scores, read_scores

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
