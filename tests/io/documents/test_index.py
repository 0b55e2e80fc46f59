from __future__ import annotations

import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import time
import tracemalloc
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from doxeval.cli.index_command import command
from doxeval.core.errors import InputError, UsageError
from doxeval.io.documents import index as index_module
from doxeval.io.documents.index import index, load_documents
from doxeval.io.limits import Limits
from tests.io.documents.trees import contents

FILES = {
    "a.xml": "<article><p>één</p><p>two 😀</p></article>",
    "deep/b.html": "<p>three",
    "deep/c.md": "# Head\n\ntext\n",
    "d.txt": "one\n\ntwo",
    "e.json": json.dumps({"title": "x"}),
    "f.jsonl": json.dumps({"doc": "f1", "text": "abc", "nodes": [{"id": "r", "start": 0, "end": 3}]}),
    "g.json": json.dumps({"doc": "g1", "length": 9}),
    ".hidden.xml": "<a/>",
    "LICENSE": "no suffix",
}
NAMES = ["LICENSE", "a", "d", "deep/b", "deep/c", "e", "f1", "g1"]


@pytest.fixture
def folder(tmp_path):
    for name, content in FILES.items():
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path / "docs"


def told(documents) -> str:
    return "\n".join(map(str, documents.notices))


def test_a_folder_is_read_in_order_of_its_names(folder):
    documents = index(folder)
    assert list(documents.ids) == NAMES
    assert not documents.notices.failures
    assert list(documents.text)[:2] == ["no suffix", "ééntwo 😀"]


@pytest.mark.parametrize("suffix", [".dox", ".parquet", ".jsonl"])
def test_what_is_written_is_what_is_read_back(folder, tmp_path, suffix):
    target = tmp_path / f"collection{suffix}"
    written = index(folder, target)
    assert contents(written) == contents(load_documents(target)) == contents(index(folder))
    assert sorted(path.name for path in tmp_path.iterdir()) == [target.name, "docs"]


@pytest.mark.parametrize("suffix", [".dox", ".parquet"])
def test_an_index_is_indexed_again_with_more(folder, tmp_path, suffix):
    index(folder, tmp_path / f"c{suffix}")
    (tmp_path / "more.txt").write_text("x")
    again = index([tmp_path / f"c{suffix}", tmp_path / "more.txt"], tmp_path / "d.dox")
    assert contents(again)[:-1] == contents(index(folder)) and again.ids[len(again) - 1] == "more"
    with pytest.raises(InputError, match=r"'a': .*c\.\w+ and .*a\.xml"):
        index([tmp_path / f"c{suffix}", folder / "a.xml"])


def owner(column: np.ndarray) -> object:
    """What holds the bytes that an array shows, through all views of views."""
    while isinstance(column, np.ndarray) and not isinstance(column, np.memmap):
        column = column.base
    return column


def test_the_columns_of_an_index_are_mapped_and_numpy_opens_it(folder, tmp_path):
    documents = index(folder, tmp_path / "c.dox")
    for column in (documents.parent, documents.start, documents.text.blob, documents.ids.blob):
        assert isinstance(owner(column), np.memmap)
        assert column.ctypes.data % 64 == 0
        assert not column.flags.writeable
    with np.load(tmp_path / "c.dox") as plain:
        assert plain["parent"].tolist() == documents.parent.tolist()
    assert documents.cover(np.array([1]), np.array([0]), np.array([3]))[1].tolist() == [1]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which pages of a file were read")
def test_the_texts_of_a_large_index_are_not_read_when_it_is_opened(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(name * (20 << 20))
    index([tmp_path / "a.txt", tmp_path / "b.txt"], tmp_path / "c.dox")

    def kilobytes_read() -> int:
        maps = Path("/proc/self/smaps").read_text().split(str(tmp_path / "c.dox"))[1:]
        return sum(int(re.search(r"Rss: +(\d+) kB", one)[1]) for one in maps)

    tracemalloc.start()
    documents = load_documents(tmp_path / "c.dox")
    copied = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert kilobytes_read() < 1024 and copied < 1 << 20
    assert documents.text[1] == "b" * (20 << 20)
    assert 20 << 10 <= kilobytes_read() < 24 << 10


def test_an_index_of_another_version_is_told(tmp_path):
    path = zipped(tmp_path / "c.dox", {"doxeval.json": '{"version": 9}'})
    with pytest.raises(InputError, match="version 9, expected version 1"):
        load_documents(path)


def test_without_text_the_trees_are_the_same(folder):
    bare = index(folder, text=False)
    assert bare.text is None
    assert [document[2] for document in contents(bare)] == [
        document[2] for document in contents(index(folder))
    ]


def test_processes_and_executors_change_nothing(folder, monkeypatch):
    expected = contents(index(folder))
    monkeypatch.setattr(index_module, "BLOCK_ENTRIES", 2)
    assert contents(index(folder, jobs=2)) == expected
    with ThreadPoolExecutor(2) as executor:
        assert contents(index(folder, executor=executor)) == expected


def test_globs_files_and_compressed_files(folder, tmp_path):
    assert list(index(str(folder / "**" / "*.md")).ids) == ["deep/c"]
    assert list(index([folder / "a.xml", folder / "deep" / "b.html"]).ids) == ["a", "b"]
    (tmp_path / "z.xml.gz").write_bytes(gzip.compress(b"<a>x</a>"))
    assert list(index(tmp_path / "z.xml.gz").ids) == ["z"]
    with pytest.raises(InputError, match="no file matches"):
        index(str(folder / "*.pdf"))
    with pytest.raises(InputError, match="no such file"):
        index(folder / "nothing")


def test_files_that_differ_by_their_suffix_keep_it(folder):
    (folder / "a.html").write_text("<p>")
    assert {"a.html", "a.xml"} <= set(index(folder).ids)
    with pytest.raises(InputError, match=r"'d'.*d\.txt and .*d\.txt"):
        index([folder / "d.txt", folder / "../docs/d.txt"])


def test_named_formats(folder):
    assert list(index(folder / "LICENSE", input_format="text").ids) == ["LICENSE"]
    with pytest.raises(UsageError, match="did you mean 'markdown'"):
        index(folder, input_format="markdwn")
    with pytest.raises(UsageError, match=r"\.dox, \.parquet, \.jsonl"):
        index(folder, "c.arrow")


HOSTILE = {
    "bytes.txt": (b"a\xff", "is not UTF-8"),
    "deep.xml": (b"<a>" * 100_000, "deep.xml"),
    "nested.html": (b"<b>" * 100_000, "nested deeper than 1,000 levels"),
    "laughs.xml": (
        b"<!DOCTYPE a [<!ENTITY a 'aaaaaaaaaa'>"
        + b"".join(b"<!ENTITY %c '%b'>" % (99 + n, b"&%c;" % (98 + n if n else 97) * 20) for n in range(8))
        + b"]><a>&j;</a>",
        "entit",
    ),
    "outside.xml": (b"<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>", "entit"),
    "deep.json": (b"[" * 100_000, "nested too deeply"),
    "broken.xml.gz": (gzip.compress(b"<a>x</a>" * 100)[:20], "damaged or truncated"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_named_and_the_rest_is_indexed(folder, name):
    data, reason = HOSTILE[name]
    (folder / f"bad-{name}").write_bytes(data)
    documents = index(folder)
    assert list(documents.ids) == NAMES
    assert f"bad-{name}" in told(documents) and reason.lower() in told(documents).lower()
    with pytest.raises(InputError, match=f"bad-{name}"):
        index(folder, strict=True)


def test_large_documents_are_refused_unless_allowed(folder):
    documents = index(folder, limits=Limits(document_size=30))
    assert "larger than 30 bytes" in told(documents) and "a" not in list(documents.ids)


def zipped(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def tarred(path, members, mode):
    with tarfile.open(path, mode) as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            if data is None:
                member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
                archive.addfile(member)
            else:
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
    return path


MEMBERS = {"./x/a.xml": b"<a>1</a>", "b.txt": b"two", "c.md.gz": gzip.compress(b"# H")}


@pytest.mark.parametrize("suffix", [".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst"])
def test_archives(tmp_path, suffix):
    path = tmp_path / f"docs{suffix}"
    if suffix == ".zip":
        zipped(path, MEMBERS)
    elif suffix == ".tar.zst":
        import zstandard

        plain = tarred(tmp_path / "plain", MEMBERS, "w")
        path.write_bytes(zstandard.compress(plain.read_bytes()))
    else:
        tarred(path, MEMBERS, "w:" + {"tgz": "gz", "tar": ""}.get(suffix[1:], suffix.rpartition(".")[2]))
    assert sorted(index(path).ids) == ["b", "c", "x/a"]


BOMB = b"a" * (3 << 20)


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_hostile_archives_lose_only_the_hostile_members(tmp_path, kind):
    members = {"../out.xml": b"<a/>", "/abs.xml": b"<a/>", "bomb.txt": BOMB, "good.xml": b"<a>1</a>"}
    path = tmp_path / f"docs.{kind}"
    if kind == "zip":
        zipped(path, members)
    else:
        tarred(path, {**members, "link.xml": None}, "w:gz")
    documents = index(path)
    assert list(documents.ids) == ["good"]
    report = told(documents)
    assert "2 archive members refused" in report and "docs." in report
    for name in ("../out.xml", "/abs.xml", "bomb.txt", *(["link.xml"] if kind != "zip" else [])):
        assert f"!{name}" in report
    assert sorted(index(path, limits=Limits(archive_ratio=10_000)).ids) == ["bomb", "good"]


def test_an_archive_that_unpacks_to_too_much_is_cut_short(tmp_path):
    path = zipped(tmp_path / "d.zip", {"a.txt": b"aaaa", "b.txt": b"bbbb"})
    documents = index(path, limits=Limits(archive_size=5))
    assert list(documents.ids) == ["a"] and "!b.txt: the archive unpacks" in told(documents)


def test_a_damaged_archive_gives_what_stands_before_the_damage(tmp_path, folder):
    path = tarred(
        tmp_path / "d.tar.gz", {f"{n}.txt": os.urandom(9000).hex().encode() for n in range(9)}, "w:gz"
    )
    path.write_bytes(path.read_bytes()[:40_000])
    documents = index([folder / "a.xml", path])
    assert "a" in list(documents.ids) and "1 archive damaged" in told(documents)


def test_nothing_is_left_behind_when_something_goes_wrong(folder, tmp_path, monkeypatch):
    target = tmp_path / "out" / "c.dox"
    target.parent.mkdir()
    target.write_text("before")

    def interrupt(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index(folder, target, progress=interrupt)
    assert [path.name for path in target.parent.iterdir()] == ["c.dox"]
    assert target.read_text() == "before"


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_interrupting_the_command_leaves_nothing(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    for n in range(40):
        (docs / f"{n}.xml").write_text("<a>" + "<p>text</p>" * 40_000 + "</a>")
    process = subprocess.Popen(
        [sys.executable, "-m", "doxeval", "index", str(docs), "-o", str(tmp_path / "c.dox"), "--jobs", "1"],
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not list(tmp_path.glob(".c.dox.*")):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130 and "Traceback" not in errors
    assert [path.name for path in tmp_path.iterdir()] == ["docs"]


def test_the_command_tells_what_it_did(folder, tmp_path):
    (folder / "bad.xml").write_text("<a>")
    target = str(tmp_path / "c.dox")
    result = CliRunner().invoke(command, [str(folder), "-o", target, "--jobs", "1"])
    assert result.exit_code == 0
    assert "bad.xml" in result.stderr and "8 documents" in result.stderr
    assert len(load_documents(target)) == 8
    strict = CliRunner().invoke(command, [str(folder), "-o", target, "--jobs", "1", "--strict"])
    assert isinstance(strict.exception, InputError)


def test_reference_corpora_slice(reference):
    folder = reference / "data" / "chunking" / "corpora"
    documents = index(folder)
    for doc, name in enumerate(documents.ids):
        with (folder / f"{name}.md").open(encoding="utf-8", newline="") as stream:
            assert documents.text[doc] == stream.read()
        assert documents.length[doc] == len(documents.text[doc])
    wiki = list(documents.ids).index("wikitexts")
    assert (
        documents.path(wiki, documents.find(wiki, "/article/sec[2]/heading"))
        == "/article[1]/sec[2]/heading[1]"
    )


def test_a_damaged_index_is_refused(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("One paragraph.\n\nAnother one.\n")
    path = tmp_path / "c.dox"
    index(tmp_path / "a.txt", path)
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        member = archive.getinfo("end.npy")
    last = (
        content.index(b"end.npy", member.header_offset)
        + len(b"end.npy")
        + len(member.extra)
        + member.file_size
    )
    content[last - 1] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"damaged: end\.npy differs from what was written"):
        load_documents(path)
    monkeypatch.setattr("doxeval.io.documents.dox.VERIFIED_AT_OPEN", 0)
    with pytest.raises(InputError, match="column end differs from what was written, in block 0; index"):
        load_documents(path)
    from doxeval.cli.validate_command import command as validate

    said = CliRunner().invoke(validate, [str(path)])
    assert said.exit_code == 1 and "end.npy" in said.output
