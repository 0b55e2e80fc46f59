"""Text that is not UTF-8: read as what it is, told, or refused line by line."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group

GOLD = "200\tKrüppel\t0\t10\tGAP GENE\n200\tplain\t0\t10\t\n"
RUN = "200 Krüppel 1 9.5 0 10 sys\n200 plain 2 8.5 0 10 \n"


@pytest.mark.parametrize(
    ("encoding", "told"), [("latin-1", "ISO-8859-1"), ("cp1252", "ISO-8859-1"), ("utf-16", "UTF-16")]
)
def test_what_is_evident_is_read_and_told(encoding: str, told: str) -> None:
    gold, run = dx.read_assessments(GOLD.encode(encoding)), dx.read_run(RUN.encode(encoding))
    assert list(gold.docs) == list(run.docs) == ["Krüppel", "plain"]
    for table in (gold, run):
        [notice] = table.notices
        assert told in str(notice) and notice.harmless
    assert not list(dx.read_run(RUN.encode()).notices)


def test_quotation_marks_of_windows() -> None:
    run = dx.read_run("1 Q0 it’s 1 9.5 sys 10 30\n".encode("cp1252"))
    assert list(run.docs) == ["it’s"] and "Windows-1252" in str(next(iter(run.notices)))


def test_a_file_that_is_utf8_elsewhere_loses_only_its_bad_line() -> None:
    run = dx.read_run("1 Q0 né 1 9.5 s 10 30\n".encode() + "1 Q0 né 2 9 s 1 3\n".encode("latin-1"))
    assert len(run) == 1 and "1 line refused, expected UTF-8" in str(next(iter(run.notices)))


def test_an_encoding_that_is_said(tmp_path: Path) -> None:
    for name, text in (("run.txt", RUN), ("gold.txt", GOLD)):
        (tmp_path / name).write_bytes(text.encode("cp500"))
    given = [str(tmp_path / "run.txt"), "--qrels", str(tmp_path / "gold.txt"), "-m", "iR@2"]
    assert CliRunner().invoke(group, ["eval", *given]).exit_code != 0
    result = CliRunner().invoke(group, ["eval", *given, "--encoding", "cp500"])
    assert result.exit_code == 0 and "1.0000" in result.output, result.output
    wrong = CliRunner().invoke(group, ["eval", *given, "--encoding", "utf-99"])
    assert "unknown encoding 'utf-99'" in str(wrong.exception)


def test_genomics_gold_in_latin_1_scores_as_it_does_in_utf8(reference: Path, tmp_path: Path) -> None:
    data = reference / "data" / "genomics07"
    (tmp_path / "gold.txt").write_bytes((data / "gold.txt").read_text().encode("latin-1"))
    scores = [
        dx.evaluate(data / "york07-ga-01.txt", gold, "iR@1000 AiP").per_topic
        for gold in (data / "gold.txt", tmp_path / "gold.txt")
    ]
    assert scores[0].equals(scores[1]) and len(scores[0]) == 72


def test_lines_of_genomics_may_have_no_tag() -> None:
    run = dx.read_run(b"200\td1\t1\t9.5\t10\t30\t\n200 d2 2 8 0 5 york\n200 d3 3 7 0 5\n")
    assert (len(run), run.tag, len(run.notices)) == (3, "york", 0)


def test_streamed_runs_are_decoded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "".join(f"{topic} Q0 Krüppel 1 9.5 sys 0 10\n" for topic in range(50))
    (tmp_path / "run.fol").write_bytes(rows.encode("latin-1"))
    found = {"doc": "Krüppel", "start": 0, "end": 10, "length": 20}
    gold = [{"topic": str(topic)} | found for topic in range(50)]
    monkeypatch.setenv("DOXEVAL_MAX_WHOLE", "100")
    scores = dx.evaluate(tmp_path / "run.fol", gold, "iR@1")
    assert scores.value("run", "iR@1") == 1.0 and any("ISO-8859-1" in str(n) for n in scores.notices)
