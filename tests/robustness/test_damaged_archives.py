"""Flipped bits, cuts, and folders with what cannot be read: no document is lost without a word."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import multiprocessing
import os
import random
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

import doxeval as dx
from doxeval.core.errors import Unforeseen
from doxeval.core.notices import Notices
from doxeval.io.documents.sources import find_files

TRIES = 50
"""How often each kind of archive is damaged in each way."""
TEXTS = {f"folder/d{at}.txt": f"document {at} says {at * at} and no more\n" * 20 for at in range(12)}


def tar_bytes() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, text in TEXTS.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return packed.getvalue()


def zip_bytes() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in TEXTS.items():
            archive.writestr(name, text)
    return packed.getvalue()


def zstd_bytes() -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(tar_bytes())


ARCHIVES = {
    "tar": tar_bytes,
    "tgz": lambda: gzip.compress(tar_bytes()),
    "tar.xz": lambda: lzma.compress(tar_bytes()),
    "tar.bz2": lambda: bz2.compress(tar_bytes()),
    "tar.zst": zstd_bytes,
    "zip": zip_bytes,
}


def read(path: Path) -> tuple[dict[str, str], bool]:
    """The documents of an archive by name, and whether anything was told."""
    try:
        documents = dx.index(path, text=True)
    except dx.DoxevalError:
        return {}, True
    texts = {str(name): documents.text[at] for at, name in enumerate(documents.ids)}
    return texts, bool(documents.notices.failures)


@pytest.mark.parametrize("damage", ["flip", "cut"])
@pytest.mark.parametrize("kind", ARCHIVES)
def test_no_damage_loses_a_document_silently(tmp_path, kind, damage):
    whole = ARCHIVES[kind]()
    path = tmp_path / f"docs.{kind}"
    path.write_bytes(whole)
    expected, told = read(path)
    assert len(expected) == len(TEXTS) and not told
    dice = random.Random(f"{kind} {damage}")
    for _ in range(TRIES):
        at = dice.randrange(len(whole))
        broken = bytearray(whole)
        if damage == "flip":
            broken[at] ^= 1 << dice.randrange(8)
        else:
            del broken[at:]
        path.write_bytes(broken)
        found, told = read(path)
        same = found.keys() == expected.keys() if kind == "tar" else found == expected
        assert told or same, (at, len(whole))


COMPRESSIONS: dict[str, Callable[..., bytes]] = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}


@pytest.mark.parametrize("damage", ["flip", "cut"])
@pytest.mark.parametrize("kind", COMPRESSIONS)
def test_a_damaged_compressed_run_is_refused_in_our_own_words(kind, damage):
    rows = b"".join(b'{"topic": "%d", "doc": "d%d", "start": 0, "end": 9}\n' % (at, at) for at in range(99))
    whole = COMPRESSIONS[kind](rows)
    expected = dx.read_run(whole)
    dice = random.Random(f"{kind} {damage}")
    for _ in range(TRIES):
        at = dice.randrange(12, len(whole))
        broken = bytearray(whole)
        if damage == "flip":
            broken[at] ^= 1 << dice.randrange(8)
        else:
            del broken[at:]
        try:
            found = dx.read_run(bytes(broken))
        except Unforeseen:
            raise
        except dx.InputError as problem:
            assert "damaged or truncated compressed data" in str(problem)
        else:
            assert len(found) == len(expected), at


def test_members_after_an_end_in_the_middle_are_told(tmp_path):
    path = tmp_path / "two.tar"
    path.write_bytes(tar_bytes() * 2)
    assert read(path)[1]


def test_what_a_folder_holds_beside_files_is_told(tmp_path):
    folder = tmp_path / "docs"
    (folder / "below").mkdir(parents=True)
    (folder / "a.txt").write_text("a")
    (folder / "gone.txt").symlink_to(tmp_path / "nowhere")
    (folder / "inside").symlink_to(folder / "below")
    os.mkfifo(folder / "pipe.txt")
    for place in (folder, f"{folder}/*.txt"):
        notices = Notices()
        assert [file.doc for file in find_files([place], "", notices)] == ["a"]
        told = "; ".join(map(str, notices.failures))
        assert "gone.txt" in told and "pipe.txt" in told
        assert ("inside" in told) == (place is folder)
    with pytest.raises(dx.InputError, match=r"gone\.txt"):
        dx.index(folder, strict=True)


def _as_nobody(place: str, answers) -> None:
    if os.getuid() == 0:
        os.setuid(65534)
    notices = Notices()
    files = find_files([place], "", notices)
    answers.put(([file.doc for file in files], "; ".join(map(str, notices.failures))))


@pytest.mark.parametrize("pattern", ["", "/**/*.txt"])
def test_a_folder_that_cannot_be_read_is_told(pattern):
    with tempfile.TemporaryDirectory() as outer:
        Path(outer).chmod(0o755)
        folder = Path(outer) / "docs"
        (folder / "closed").mkdir(parents=True)
        (folder / "a.txt").write_text("a")
        (folder / "closed" / "b.txt").write_text("b")
        (folder / "closed").chmod(0)
        answers = multiprocessing.get_context("fork").Queue()
        child = multiprocessing.get_context("fork").Process(
            target=_as_nobody, args=(f"{folder}{pattern}", answers)
        )
        child.start()
        found, told = answers.get(timeout=60)
        child.join()
        (folder / "closed").chmod(0o755)
    assert found == ["a"] and "closed" in told
