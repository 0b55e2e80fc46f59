from __future__ import annotations

import gzip
import zipfile

import pytest
import zstandard

import doxeval as dx
from doxeval.core.errors import InputError, UsageError
from doxeval.io.formats.format import TABLE_KINDS, format_named, formats, recognise, recognise_any
from doxeval.io.source import Source
from tests.io.formats.format_samples import SAMPLES

TAKEN_FOR = {"diff": "assessments", "longmemeval-log": "run"}
"""Formats in which runs and assessments look the same, and what they are taken for if nobody says."""
KNOWN = [(kind, name) for kind in TABLE_KINDS for name in formats(kind)]


@pytest.mark.parametrize(("kind", "name"), KNOWN)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_a_sample_is_recognised_as_itself_packed_or_not(kind, name, pack):
    data = pack(SAMPLES[kind, name])
    assert recognise(kind, Source(data)).name == name
    if name == "kilt":
        with pytest.raises(
            InputError, match=r"could be run \(kilt\) or assessments \(kilt\); choose with --kind"
        ):
            recognise_any(Source(data))
        return
    found = recognise_any(Source(data))
    assert (found.kind, found.name) == (TAKEN_FOR.get(name, kind), name)


@pytest.mark.parametrize(("kind", "name"), KNOWN)
def test_a_byte_order_mark_and_carriage_returns_do_not_hide_the_format(kind, name):
    data = SAMPLES[kind, name]
    if not format_named(kind, name).binary:
        assert recognise(kind, Source(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"))).name == name


def test_a_broken_first_line_does_not_hide_the_format():
    source = Source(b"what is this\n" + SAMPLES["run", "inex-fol"])
    assert recognise("run", source).name == "inex-fol"


def test_a_first_line_longer_than_what_is_looked_at():
    line = b'{"topic": "1", "doc": "d", "rank": 1, "nodes": [' + b'"node", ' * 20_000 + b'"node"]}\n'
    assert recognise("run", Source(line)).name == "native-run"


def test_content_of_no_known_shape_is_an_error_that_shows_it():
    with pytest.raises(InputError, match=r"first line is 'Dear reader'.*inex-fol"):
        recognise("run", Source(b"Dear reader\n"))


def test_nothing_is_an_error_for_assessments():
    with pytest.raises(InputError, match="is empty"):
        recognise("assessments", Source(b" \n"))


def test_a_mistyped_format_gets_the_nearest():
    with pytest.raises(UsageError, match="did you mean 'inex-fol'"):
        format_named("run", "inexfol")


def test_a_file_of_another_kind_is_told_as_what_it_is(tmp_path):
    with pytest.raises(dx.InputError, match=r"not recognised as assessments but as run \(inex-fol\)"):
        dx.read_assessments(b"1 Q0 d1 1 9.5 sys 10 30\n")
    with pytest.raises(dx.InputError, match=r"not recognised as run but as assessments \(inex-assessments\)"):
        dx.read_run(b"1 Q0 d1 30 100 0 10:30\n")
    with zipfile.ZipFile(tmp_path / "docs.zip", "w") as archive:
        archive.writestr("a.txt", "text")
    with pytest.raises(dx.InputError, match="archive or index of documents"):
        dx.read_run(tmp_path / "docs.zip")
