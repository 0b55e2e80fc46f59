"""A run file in pieces that hold whole topics: as it stands, or regrouped on disk if they are scattered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from zlib import crc32

import numpy as np

from doxeval.core.strings import encode
from doxeval.io.source import BLOCK, Source
from doxeval.kernels import names, scan

JSON_TOPIC = re.compile(rb'^[^\n]*?"topic"\s*:\s*("(?:[^"\\\n]|\\.)*"|[^,}\s]+)', re.MULTILINE)
MOST_DRAWERS = 128
NEWLINE = 10

Topics = tuple[np.ndarray, np.ndarray, list[bytes]]
"""Where each line of a block begins, the code of its topic, and the topics."""


def topics_of_fields(data: bytes) -> Topics:
    """Topics that are the first field of a line."""
    begin, end, _, line = scan.split_fields(data, 2, data.count(b"\n") + 1)
    codes, first = names.intern_fields(data, begin[:, 0], end[:, 0])
    table = [data[begin[row, 0] : end[row, 0]] for row in first]
    return _for_every_line(data, line, codes, table)


def topics_of_objects(data: bytes) -> Topics:
    """Topics that are a key of the JSON object in a line."""
    found = [(match.start(), match[1]) for match in JSON_TOPIC.finditer(data)]
    table, codes = encode([topic.decode("latin-1") for _, topic in found])
    line = np.searchsorted(_line_starts(data), [start for start, _ in found])
    return _for_every_line(data, line, codes, [topic.encode("latin-1") for topic in table])


FINDERS: dict[str, Callable[[bytes], Topics]] = {
    "inex-fol": topics_of_fields,
    "trec-run": topics_of_fields,
    "genomics-run": topics_of_fields,
    "native-run": topics_of_objects,
}
"""The formats that can be cut: one result a line, the topic to be seen without reading the rest of it."""


def _line_starts(data: bytes) -> np.ndarray:
    ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == NEWLINE) + 1
    starts = np.concatenate([[0], ends])
    return starts[:-1] if starts[-1] == len(data) else starts


def _for_every_line(data: bytes, line: np.ndarray, codes: np.ndarray, table: list[bytes]) -> Topics:
    """Lines without a topic go with the line before them, the first ones with the first that has one."""
    starts = _line_starts(data)
    row_of_line = np.zeros(len(starts), dtype=np.int64)
    row_of_line[line] = np.arange(len(line))
    row_of_line = np.maximum.accumulate(row_of_line)
    return starts, codes[row_of_line] if len(codes) else np.zeros(len(starts), dtype=np.int32), table or [b""]


def grouped_pieces(source: Source, find: Callable[[bytes], Topics]) -> Iterator[Source]:
    """Pieces of about a block, each cut where its last topic begins; that topic opens the next one."""
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
    """A run file regrouped: the lines of a topic all go to one of some files, with their numbers."""

    def __init__(self, folder: Path, size: int) -> None:
        self.count = max(2, min(MOST_DRAWERS, 2 * size // BLOCK))
        self.folder = folder

    def fill(self, source: Source, find: Callable[[bytes], Topics]) -> None:
        """Sort every line of a file into its drawer."""
        with ExitStack() as opened:
            lines = [opened.enter_context(self._lines(at).open("wb")) for at in range(self.count)]
            numbers = [opened.enter_context(self._numbers(at).open("wb")) for at in range(self.count)]
            before = 1
            for data in source.blocks():
                starts, codes, table = find(data)
                drawer = np.array([crc32(topic) % self.count for topic in table])[codes]
                bounds = np.append(starts, len(data)).tolist()
                for at in np.unique(drawer).tolist():
                    mine = np.flatnonzero(drawer == at)
                    lines[at].write(
                        b"".join([data[bounds[line] : bounds[line + 1]] for line in mine.tolist()])
                    )
                    numbers[at].write((mine + before).data)
                    if at == drawer[-1] and not data.endswith(b"\n"):
                        lines[at].write(b"\n")
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
