"""Digests of what scores were computed from: equal content has equal digests, regardless of file names."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.core.errors import InputError
from doxeval.core.grammar import Call, parse_call
from doxeval.core.notices import Notices
from doxeval.core.strings import Strings
from doxeval.io.inputs import is_input, open_input

if TYPE_CHECKING:
    from doxeval.ground.ground import Ground
    from doxeval.measurement.base import Measure
    from doxeval.tables.documents import Documents

DIGEST_BYTES = 16
NOT_CONTENT = {"source", "notices", "index_path", "facts"}


def digest(*parts: Any) -> str:
    """One digest of values, arrays, tables, and objects made of them."""
    state = blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        for piece in _pieces(part):
            state.update(len(piece).to_bytes(8, "little"))
            state.update(piece)
    return state.hexdigest()


def _pieces(thing: Any) -> Iterator[Any]:
    """The bytes that make up a value, without its source and its notices."""
    if isinstance(thing, np.ndarray):
        yield str(thing.dtype).encode()
        yield np.ascontiguousarray(thing).data.cast("B") if thing.size else b""
    elif hasattr(thing, "index_path"):
        yield documents_digest(thing).encode()
    elif isinstance(thing, Strings):
        yield from _pieces(thing.offset)
        yield from _pieces(thing.blob)
    elif isinstance(thing, Notices):
        return
    elif isinstance(thing, Mapping):
        for key in sorted(thing, key=repr):
            yield from _pieces((key, thing[key]))
    elif isinstance(thing, bytes):
        yield b"bytes"
        yield thing
    elif isinstance(thing, list | tuple):
        yield f"{type(thing).__name__} {len(thing)}".encode()
        for member in thing:
            yield from _pieces(member)
    elif dataclasses.is_dataclass(thing):
        yield from _pieces(_content(thing))
    else:
        yield f"{type(thing).__name__} {thing!r}".encode()


def _content(table: Any) -> dict[str, Any]:
    """The columns of a table, without cached values."""
    names = (field.name for field in dataclasses.fields(table))
    return {name: getattr(table, name) for name in names if name not in NOT_CONTENT and name[0] != "_"}


def checksum(content: bytes) -> str:
    """A short digest of bytes, to detect damage."""
    return blake2b(content, digest_size=8).hexdigest()


def file_digest(path: str | Path) -> str:
    """The digest of a file's bytes: SHA-256, for which processors have instructions, shortened."""
    try:
        with open_input(path) as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()[: 2 * DIGEST_BYTES]  # type: ignore[arg-type]
    except OSError as problem:
        raise InputError(f"{path}: cannot be read: {problem.strerror}") from None


def ground_digests(ground: Ground) -> tuple[str, str, str]:
    """The digests of assessments, of documents, and of everything else that runs are compared with."""
    rest = {name: part for name, part in _content(ground).items() if name not in ("assessments", "documents")}
    return digest(ground.assessments), documents_digest(ground.documents), digest(rest)


def documents_digest(documents: Documents | None) -> str:
    """The digest of a collection; for an index it is computed from its checksums, without reading it."""
    if documents is None:
        return ""
    if documents.index_path is not None:
        return index_digest(documents.index_path)
    return digest(_content(documents))


def index_digest(path: Path) -> str:
    """The digest of the names, sizes and CRCs of an index's columns."""
    import zipfile

    with zipfile.ZipFile(path) as archive:
        return digest([(member.filename, member.file_size, member.CRC) for member in archive.infolist()])


def measure_files(measure: Measure) -> str:
    """The digest of files named by a measure's parameters, such as a navigation model's; empty if none."""
    given = list(vars(measure.given).values())
    named = sorted({text for value in given for text in _texts(value) if is_input(text)})
    return digest([file_digest(path) for path in named]) if named else ""


def _texts(value: Any) -> Iterator[str]:
    """The texts in a value, including those of the models in a mixture."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Call):
        from doxeval.reader.navigation.mix import Mix, mixed_models

        for _, argument in value.arguments:
            if value.name != Mix.name:
                yield from _texts(argument)
                continue
            for _, model in mixed_models(str(argument)):
                yield from _texts(parse_call(model, model))


def files_in(options: Mapping[str, Any]) -> dict[str, str]:
    """The digests of the files that options name."""
    return {
        name: file_digest(value)
        for name, value in options.items()
        if isinstance(value, str | Path) and is_input(value)
    }


def stamp(path: str | Path) -> tuple[int, int, int]:
    """Attributes of a file that change when it is written or replaced."""
    state = os.stat(path)  # noqa: PTH116 - a path or a descriptor
    return state.st_ino, state.st_size, state.st_mtime_ns
