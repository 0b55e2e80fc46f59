"""Input that is broken: every bad line is refused with its place, every good one is kept."""

from __future__ import annotations

import gzip
import re

import pytest

import doxeval as dx

GOOD = {
    "inex-fol": b"1 Q0 d1 1 9.5 sys 10 30\n",
    "trec-run": b"1 Q0 d1 1 9.5 sys\n",
    "genomics-run": b"1 d1 1 9.5 10 30 sys\n",
    "native-run": b'{"topic": "1", "doc": "d1", "rank": 1, "score": 9.5, "start": 10, "end": 40}\n',
}
BAD = {
    "inex-fol": [
        b"1 Q0 d1 1\n",
        b"1 Q0 d1 1 9.5 sys 10 30 40\n",
        b"1 Q0 d1 1 nan sys 10 30\n",
        b"1 Q0 d1 1 inf sys 10 30\n",
        b"1 Q0 d1 one 9.5 sys 10 30\n",
        b"1 Q0 d1 1 9.5 sys -10 30\n",
        b"1 Q0 d1 1 9.5 sys 10 9223372036854775808\n",
        b"1 Q0 d1 1 9.5 sys 10 99999999999999\n",
        b"1 Q0 d\xff 1 9.5 sys 10 30\n",
        b"1 Q0 d\x00 1 9.5 sys 10 30\n",
    ],
    "trec-run": [
        b"1 Q0 d1 1 9.5\n",
        b"1 Q0 d1 1 -nan sys\n",
        b"1 Q0 d1 1.5 9 sys\n",
        b"1 Q0 \xc3\x28 1 9 sys\n",
    ],
    "genomics-run": [b"1 d1 1 9.5 10\n", b"1 d1 1 9.5 10 -1 sys\n", b"1 d1 1 x 10 30 sys\n"],
    "native-run": [
        b'{"topic": "1", "doc": "d1", \n',
        b'["topic", "doc"]\n',
        b"null\n",
        b'{"topic": "1", "doc": "d\xff", "rank": 1}\n',
        b'{"topic": "1", "doc": "d1", "rank": 1, "score": NaN}\n',
        b'{"topic": "1", "doc": "d1", "rank": 1, "score": 1, "start": -1, "end": 4}\n',
        b'{"topic": "1", "doc": "d1", "rank": 1, "score": 1, "start": 1, "end": 9223372036854775808}\n',
        b'{"topic": "1", "doc": "\\ud800", "rank": 1, "score": 1}\n',
        b'{"topic": "1", "doc": "a", "rank": 1}, {"topic": "1", "doc": "b", "rank": 1}\n',
        b"[" * 100_000 + b"\n",
        b'{"topic": "1", "doc": "d1", "rank": 1, "score": 1, "end": ' + b"9" * 5000 + b"}\n",
        b"\x00\n",
    ],
}


@pytest.mark.parametrize(("name", "line"), [(name, line) for name, lines in BAD.items() for line in lines])
@pytest.mark.parametrize("first", [False, True])
def test_a_bad_line_is_refused_with_its_place_and_the_rest_kept(name, line, first):
    data = line + GOOD[name] * 2 if first else GOOD[name] + line + b"\n" + GOOD[name]
    run = dx.read_run(data, input_format=name)
    assert len(run) == 2 and [run.docs[doc] for doc in run.doc] == ["d1", "d1"]
    [notice] = run.notices.failures
    assert notice.count == 1 and f"<bytes>:{1 if first else 2}" in str(notice), str(notice)


@pytest.mark.parametrize("name", GOOD)
def test_a_last_line_without_an_end_counts(name):
    assert len(dx.read_run(GOOD[name] * 2 + GOOD[name].rstrip(b"\n"))) == 3


@pytest.mark.parametrize("name", ["inex-fol", "trec-run", "genomics-run"])
def test_tabs_and_blanks_separate_alike(name):
    one, other = (
        dx.read_run(GOOD[name]),
        dx.read_run(GOOD[name].replace(b" ", b"\t ").replace(b"\n", b" \r\n")),
    )
    assert one.start.tolist() == other.start.tolist() and list(one.docs) == list(other.docs)


@pytest.mark.parametrize("name", GOOD)
def test_a_truncated_archive_is_an_error(name):
    packed = gzip.compress(GOOD[name] * 500)
    with pytest.raises(dx.InputError, match="damaged or truncated"):
        dx.read_run(packed[: len(packed) // 2], input_format=name)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_a_run_that_retrieves_nothing(data):
    run = dx.read_run(data.removeprefix(b"\xef\xbb\xbf"))
    assert len(run) == 0 and "is empty" in str(next(iter(run.notices)))


def test_a_missing_file_is_named_with_the_nearest_one(tmp_path):
    missing, beside = tmp_path / "nowhere.fol", tmp_path / "somewhere.fol"
    beside.touch()
    wanted = re.escape(f"{missing}: no such file; did you mean '{beside}'?")
    for read in (dx.read_run, dx.read_assessments, dx.read_chunks, dx.read_topics, dx.read_pool):
        with pytest.raises(dx.InputError, match=wanted):
            read(missing)
    with pytest.raises(dx.InputError, match=r"nowhere\.fol: no such file or folder; did you mean"):
        dx.read_documents(missing)


def test_refused_lines_are_counted_across_blocks(monkeypatch):
    monkeypatch.setattr("doxeval.io.formats.native.READ_AT_ONCE", 1 << 16)
    lines = [GOOD["native-run"] if at % 1000 else b"{\n" for at in range(5000)]
    run = dx.read_run(b"".join(lines))
    [notice] = run.notices.failures
    assert len(run) == 4995 and notice.count == 5 and "<bytes>:1001" in str(notice)
    assert run.line.tolist() == [at + 1 for at in range(5000) if at % 1000]
