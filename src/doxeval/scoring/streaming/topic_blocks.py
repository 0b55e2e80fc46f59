"""A run file in pieces that hold whole topics: as it is, or regrouped on disk if topics are scattered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from zlib import crc32

import numpy as np

from doxeval.io.formats.field_lines import Cut
from doxeval.io.source import READ_AT_ONCE, Source

MOST_DRAWERS = 128


def grouped_pieces(source: Source, find: Cut) -> Iterator[Source]:
    """Pieces of about one block, each cut where its last topic begins; that topic begins the next."""
    rest, line = b"", 1
    for block in source.blocks():
        data = rest + block
        starts, codes, _ = find(data)
        changes = np.flatnonzero(np.diff(codes))
        cut = int(starts[changes[-1] + 1]) if len(changes) else 0
        if cut:
            yield Source(data[:cut], source.name, line)
            line += data.count(b"\n", 0, cut)
        rest = data[cut:]
    if rest:
        yield Source(rest, source.name, line)


class Drawers:
    """A run file regrouped: all lines of a topic go to the same file, with their numbers."""

    def __init__(self, folder: Path, size: int) -> None:
        self.count = max(2, min(MOST_DRAWERS, 2 * size // READ_AT_ONCE))
        self.folder = folder

    def fill(self, source: Source, find: Cut) -> None:
        """Sort every line of a file into its drawer."""
        with ExitStack() as opened:
            lines = [opened.enter_context(self._lines(which).open("wb")) for which in range(self.count)]
            numbers = [opened.enter_context(self._numbers(which).open("wb")) for which in range(self.count)]
            before = 1
            for data in source.blocks():
                starts, codes, table = find(data)
                drawer = np.array([crc32(topic) % self.count for topic in table])[codes]
                bounds = np.append(starts, len(data)).tolist()
                for which in np.unique(drawer).tolist():
                    mine = np.flatnonzero(drawer == which)
                    lines[which].write(
                        b"".join([data[bounds[line] : bounds[line + 1]] for line in mine.tolist()])
                    )
                    numbers[which].write((mine + before).data)
                    if which == drawer[-1] and not data.endswith(b"\n"):
                        lines[which].write(b"\n")
                before += len(starts)

    def pieces(self, name: str) -> Iterator[Source]:
        """The content of each drawer that has any."""
        for at in range(self.count):
            if content := self._lines(at).read_bytes():
                yield Source(content, name, np.fromfile(self._numbers(at), dtype=np.int64))

    def _lines(self, at: int) -> Path:
        return self.folder / f"{at}.lines"

    def _numbers(self, at: int) -> Path:
        return self.folder / f"{at}.numbers"
