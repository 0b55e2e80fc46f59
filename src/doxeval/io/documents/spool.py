"""Columns that grow block by block, on disk or in memory, and become one collection."""

from __future__ import annotations

import io
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import numpy as np

from doxeval.core.notices import Notices
from doxeval.core.strings import Strings
from doxeval.io.documents.tree import TagCodes
from doxeval.tables.documents import Documents


@dataclass
class _Home:
    """The storage of columns: files in a folder, or memory without one; `closing` closes them."""

    folder: Path | None
    closing: ExitStack = field(default_factory=ExitStack)


class _Column:
    """One column, as bytes in its home."""

    def __init__(self, name: str, dtype: type, home: _Home) -> None:
        self.dtype = np.dtype(dtype)
        self.path = home.folder / name if home.folder is not None else None
        self.stream: IO[bytes] = home.closing.enter_context(
            self.path.open("wb") if self.path else io.BytesIO()
        )
        self.size = 0

    def append(self, values: np.ndarray) -> None:
        """Add values at the end."""
        self.stream.write(np.ascontiguousarray(values, dtype=self.dtype).data)
        self.size += len(values)

    def values(self) -> np.ndarray:
        """Everything so far."""
        if self.size == 0:
            return np.zeros(0, dtype=self.dtype)
        if self.path is None:
            assert isinstance(self.stream, io.BytesIO)
            return np.frombuffer(self.stream.getvalue(), dtype=self.dtype)
        self.stream.flush()
        return np.memmap(self.path, dtype=self.dtype, mode="r")


class _Texts:
    """A column of strings: their bytes, and the end of each."""

    def __init__(self, name: str, home: _Home) -> None:
        self.blob = _Column(f"{name}.blob", np.uint8, home)
        self.offset = _Column(f"{name}.offset", np.int64, home)
        self.offset.append(np.zeros(1, dtype=np.int64))

    def append(self, strings: Strings) -> None:
        """Add strings at the end."""
        self.offset.append(strings.offset[1:] - strings.offset[0] + self.blob.size)
        self.blob.append(strings.blob[strings.offset[0] : strings.offset[-1]])

    def append_empty(self, count: int) -> None:
        """Add empty strings."""
        self.offset.append(np.full(count, self.blob.size, dtype=np.int64))

    def values(self) -> Strings:
        return Strings(self.offset.values(), self.blob.values())


class Spool:
    """Concatenates blocks of documents; columns missing in some blocks are filled."""

    def __init__(self, folder: Path | None = None) -> None:
        home = self.home = _Home(folder)
        self.tags = TagCodes()
        self.notices = Notices()
        self.ids = _Texts("ids", home)
        self.texts: dict[str, _Texts] = {}
        self.node_length: _Column | None = None
        self.marked: _Column | None = None
        self.length = _Column("length", np.int64, home)
        self.node_offset = _Column("node_offset", np.int64, home)
        self.node_offset.append(np.zeros(1, dtype=np.int64))
        self.columns = {
            "parent": _Column("parent", np.int32, home),
            "tag": _Column("tag", np.int32, home),
            "depth": _Column("depth", np.int16, home),
            "start": _Column("start", np.int64, home),
            "end": _Column("end", np.int64, home),
        }

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *problem: object) -> None:
        self.home.closing.close()

    @property
    def nodes(self) -> int:
        """The number of nodes so far."""
        return self.columns["parent"].size

    def append(self, block: Documents) -> None:
        """Add documents at the end."""
        self._append_optional(block)
        self.node_offset.append(block.node_offset[1:] + self.nodes)
        self.ids.append(block.ids)
        self.length.append(block.length)
        codes = np.array([self.tags[tag] for tag in block.tags], dtype=np.int32)
        for name, column in self.columns.items():
            values = getattr(block, name)
            column.append(codes[values] if name == "tag" and len(values) else values)
        self.notices.extend(block.notices)

    def _append_optional(self, block: Documents) -> None:
        if block.node_length is not None and self.node_length is None:
            self.node_length = _Column("node_length", np.int64, self.home)
            self.node_length.append(self.columns["end"].values() - self.columns["start"].values())
        if self.node_length is not None:
            given = block.node_length
            self.node_length.append(given if given is not None else block.end - block.start)
        if block.marked is not None and self.marked is None:
            self.marked = _Column("marked", np.bool_, self.home)
            self.marked.append(np.zeros(self.length.size, dtype=bool))
        if self.marked is not None:
            given = block.marked
            self.marked.append(given if given is not None else np.zeros(len(block), dtype=bool))
        by_document = self.length.size, len(block)
        sizes = {"node_ids": (self.nodes, len(block.parent)), "text": by_document, "metadata": by_document}
        for name, (before, count) in sizes.items():
            given_texts: Strings | None = getattr(block, name)
            if given_texts is not None and name not in self.texts:
                self.texts[name] = _Texts(name, self.home)
                self.texts[name].append_empty(before)
            if given_texts is not None:
                self.texts[name].append(given_texts)
            elif name in self.texts:
                self.texts[name].append_empty(count)

    def documents(self, source: str, files: Strings | None = None) -> Documents:
        """Everything added so far, as one collection with its files."""
        texts = {name: column.values() for name, column in self.texts.items()}
        return Documents(
            ids=self.ids.values(),
            length=self.length.values(),
            node_offset=self.node_offset.values(),
            **{name: column.values() for name, column in self.columns.items()},
            tags=list(self.tags),
            node_length=self.node_length.values() if self.node_length is not None else None,
            node_ids=texts.get("node_ids"),
            text=texts.get("text"),
            metadata=texts.get("metadata"),
            marked=self.marked.values() if self.marked is not None else None,
            files=files,
            source=source,
            lines=None,
            pages=None,
            notices=self.notices,
        )
