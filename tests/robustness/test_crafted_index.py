"""Indexes made to do harm: right checksums, wrong columns. Opened they are refused, or safe to use."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from doxeval.cli.validate_command import command as validate
from doxeval.core.errors import InputError
from doxeval.io.documents.dox import ABOUT, write_dox
from doxeval.io.documents.index import index, load_documents
from doxeval.io.documents.index_checks import INDEX_COLUMNS, OPTIONAL_COLUMNS
from doxeval.io.read import read_documents
from doxeval.tables.documents import Documents

NATIVE = [
    {"doc": "one", "text": "abcdefgh", "metadata": {"kind": "law"}, "nodes": [
        {"id": "r", "start": 0, "end": 8}, {"id": "s", "parent": "r", "start": 0, "end": 4},
        {"id": "p", "parent": "s", "start": 0, "end": 2}, {"id": "q", "parent": "r", "start": 4, "end": 8}]},
    {"doc": "two", "text": "éö", "nodes": [{"id": "r", "start": 0, "end": 2, "length": 5}]},
]  # fmt: skip
ODD = [
    -1,
    -2,
    0,
    1,
    2,
    3,
    7,
    255,
    32767,
    -(1 << 31),
    (1 << 31) - 1,
    1 << 40,
    1 << 62,
    -(1 << 63),
    (1 << 63) - 1,
]
Columns = dict[str, np.ndarray]


@pytest.fixture(params=["verified", "mapped"])
def sound(request, tmp_path, monkeypatch) -> Path:
    if request.param == "mapped":
        monkeypatch.setattr("doxeval.io.documents.dox.VERIFIED_AT_OPEN", 0)
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(doc) + "\n" for doc in NATIVE))
    documents = read_documents(tmp_path / "docs.jsonl")
    documents.marked = np.arange(len(documents)) == 0
    with (tmp_path / "c.dox").open("wb") as stream:
        write_dox(documents, stream)
    return tmp_path / "c.dox"


def crafted(path: Path, change: Callable[[Columns, dict], None]) -> Path:
    """The index with its columns changed, and checksums that fit."""
    with zipfile.ZipFile(path) as archive:
        about = json.loads(archive.read(ABOUT))
        del about["blocks"]
        columns = {
            name.removesuffix(".npy"): np.load(io.BytesIO(archive.read(name)))
            for name in archive.namelist()
            if name != ABOUT
        }
    change(columns, about)
    target = path.with_name("crafted.dox")
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(ABOUT, json.dumps(about))
        for name, values in columns.items():
            stream = io.BytesIO()
            np.save(stream, values)
            archive.writestr(f"{name}.npy", stream.getvalue())
    return target


def use(documents: Documents) -> None:
    """Everything that follows offsets, parents and depths."""
    docs = np.arange(len(documents)).repeat(3)
    starts, ends = np.tile([0, 1, 5], len(documents)), np.tile([1, 2, 9], len(documents))
    documents.cover(docs, starts, ends)
    documents.deepest(docs, starts, ends)
    documents.resolve(docs, ["r", "/article[1]", "nothing"], np.tile([0, 1, 2], len(documents)))
    documents.ids.codes(["one", "three"])
    for doc in range(len(documents)):
        for node in range(documents.nodes.counts[doc]):
            documents.path(doc, node)
            documents.nested(np.array([doc]), np.array([0]), np.array([node]))


def test_an_index_as_written_is_sound(sound):
    use(load_documents(crafted(sound, lambda columns, about: None)))


@pytest.mark.parametrize("name", sorted(set(INDEX_COLUMNS) - OPTIONAL_COLUMNS))
def test_missing_columns(sound, name):
    with pytest.raises(InputError, match=f"the column {name} is missing; index the documents again"):
        load_documents(crafted(sound, lambda columns, about: columns.pop(name)))


@pytest.mark.parametrize("name", INDEX_COLUMNS)
@pytest.mark.parametrize("dtype", ["f8", ">i8", "i1", "U3"])
def test_columns_of_another_type(sound, name, dtype):
    def change(columns, about):
        columns[name] = columns[name].astype(dtype)

    with pytest.raises(InputError, match=f"the column {name} has"):
        load_documents(crafted(sound, change))


@pytest.mark.parametrize("name", INDEX_COLUMNS)
@pytest.mark.parametrize("shape", ["longer", "shorter", "empty", "square"])
def test_columns_of_another_shape(sound, name, shape):
    def change(columns, about):
        values = columns[name]
        columns[name] = {
            "longer": np.append(values, values[-1:]), "shorter": values[:-1], "empty": values[:0],
            "square": values.reshape(-1, 1),
        }[shape]  # fmt: skip

    with pytest.raises(InputError, match="damaged"):
        load_documents(crafted(sound, change))


def test_a_circle_of_parents(sound):
    def change(columns, about):
        columns["parent"][1:4] = [2, 3, 1]

    path = crafted(sound, change)
    with pytest.raises(InputError, match="in document 1 node 1 is out of place"):
        load_documents(path)
    said = CliRunner().invoke(validate, [str(path)])
    assert said.exit_code == 1 and "out of place" in said.output


@pytest.mark.parametrize("tags", [None, [], "ab", [1, 2], {"a": 1}])
def test_tags_that_stand_for_nothing(sound, tags):
    with pytest.raises(InputError, match="damaged"):
        load_documents(crafted(sound, lambda columns, about: about.update(tags=tags)))


def test_any_value_anywhere(sound):
    """Odd values in every place of every column: refused, or an index that can be used without harm."""
    dice, refused = random.Random(0), 0
    for _ in range(600):
        name, value = dice.choice(sorted(set(INDEX_COLUMNS) - {"text.blob"})), dice.choice(ODD)

        def change(columns, about, name=name, value=value):
            at = dice.randrange(len(columns[name]))
            columns[name][at] = np.array([value], dtype=np.int64).astype(columns[name].dtype)[0]

        path = crafted(sound, change)
        try:
            documents = load_documents(path)
        except InputError:
            refused += 1
        else:
            try:
                use(documents)
            except UnicodeDecodeError:
                assert name.endswith((".blob", ".offset"))
                assert CliRunner().invoke(validate, [str(path)]).exit_code == 1
    assert 280 < refused < 600


def test_members_larger_than_the_file(tmp_path):
    with zipfile.ZipFile(tmp_path / "c.dox", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(ABOUT, b'{"version": 1}' + b" " * (64 << 20))
    with pytest.raises(InputError, match="its members are larger than the file"):
        load_documents(tmp_path / "c.dox")


def test_python_objects_are_never_unpacked(sound):
    def change(columns, about):
        columns["tag"] = columns["tag"].astype("V4")

    with pytest.raises(InputError, match="the column tag has"):
        load_documents(crafted(sound, change))
    data = crafted(sound, lambda columns, about: None).read_bytes()
    sound.write_bytes(data.replace(b"'<i2'", b"'|O' ").replace(b"'<i4'", b"'|O' "))
    with pytest.raises(InputError, match="damaged"):
        load_documents(sound)


@pytest.mark.parametrize("name", ["text.blob", "ids.blob", "start", "tag", "text.offset"])
def test_damage_in_a_large_index_is_found_where_it_is_used(tmp_path, monkeypatch, name):
    monkeypatch.setattr("doxeval.io.documents.dox.VERIFIED_AT_OPEN", 0)
    text = "abcdefgh" * (1 << 17)
    with (tmp_path / "docs.jsonl").open("w") as stream:
        for at in range(5):
            print(json.dumps({"doc": f"d{at}", "text": f"{at}{text}"}), file=stream)
    index(tmp_path / "docs.jsonl", path := tmp_path / "c.dox")
    with zipfile.ZipFile(path) as archive:
        member = archive.getinfo(f"{name}.npy")
        data = archive.read(member)
    content = bytearray(path.read_bytes())
    at = content.find(data, member.header_offset) + len(data) - 1
    content[at] ^= 1
    path.write_bytes(content)
    if name.endswith(".blob"):
        documents = load_documents(path)
        strings = getattr(documents, name.removesuffix(".blob"))
        if name == "text.blob":
            assert [strings[doc][0] for doc in range(4)] == list("0123")
        with pytest.raises(
            InputError, match=rf"c\.dox: damaged: the column {name} differs from what was written"
        ):
            strings[4]
        with pytest.raises(InputError, match="differs from what was written"):
            strings.tolist()
    else:
        with pytest.raises(InputError, match=r"c\.dox: damaged"):
            load_documents(path)
    assert CliRunner().invoke(validate, [str(path)]).exit_code == 1
