from __future__ import annotations

import gzip
import zipfile

import pytest
import zstandard

import doxeval as dx
from doxeval.core.errors import InputError, UsageError
from doxeval.io.formats.base import KINDS, Options, format_named, formats, recognise, recognise_any
from doxeval.io.source import Source
from tests.formats.format_samples import SAMPLES


def test_every_format_has_a_sample():
    assert {(kind, name) for kind in KINDS for name in formats(kind)} == set(SAMPLES)


@pytest.mark.parametrize(("kind", "name"), SAMPLES)
def test_a_sample_is_recognised_as_itself(kind, name):
    assert recognise(kind, Source(SAMPLES[kind, name])).name == name
    found = recognise_any(Source(SAMPLES[kind, name]))
    assert (found.kind, found.name) == (kind, name)


@pytest.mark.parametrize(("kind", "name"), SAMPLES)
def test_a_sample_is_nothing_else_of_its_kind(kind, name):
    head = SAMPLES[kind, name]
    assert [other.name for other in formats(kind).values() if other.sniff(head)] == [name]


@pytest.mark.parametrize(("kind", "name"), SAMPLES)
@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_packed_samples_read_the_same(kind, name, pack):
    plain, packed = Source(SAMPLES[kind, name]), Source(pack(SAMPLES[kind, name]))
    format = recognise(kind, packed)
    assert format.name == name
    assert repr(format.read(packed, Options())) == repr(format.read(plain, Options()))


@pytest.mark.parametrize(
    ("kind", "name"), [key for key in SAMPLES if key[1] not in ("parquet", "inex-submission")]
)
def test_a_byte_order_mark_does_not_matter(kind, name):
    source = Source(b"\xef\xbb\xbf" + SAMPLES[kind, name])
    format = recognise(kind, source)
    assert format.name == name
    table = format.read(source, Options())
    assert list(table.docs) == list(format.read(Source(SAMPLES[kind, name]), Options()).docs)


@pytest.mark.parametrize(("kind", "name"), [key for key in SAMPLES if key[1] not in ("parquet",)])
def test_carriage_returns_do_not_matter(kind, name):
    source = Source(SAMPLES[kind, name].replace(b"\n", b"\r\n"))
    format = recognise(kind, source)
    assert format.name == name
    table = format.read(source, Options())
    assert list(table.docs) == list(format.read(Source(SAMPLES[kind, name]), Options()).docs)


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
