"""The topics of a block of lines, for formats whose runs can be scored a few topics at a time."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from doxeval.core.strings import encode
from doxeval.kernels import lines

JSON_TOPIC = re.compile(rb'^[^\n]*?"topic"\s*:\s*("(?:[^"\\\n]|\\.)*"|[^,}\s]+)', re.MULTILINE)
NEWLINE = 10

Topics = tuple[np.ndarray, np.ndarray, list[bytes]]
"""The start of each line of a block, the code of its topic, and the topics."""

Cut = Callable[[bytes], Topics]
"""Finds the topics of lines that hold one result each, without parsing the rest."""


def topics_of_fields(data: bytes) -> Topics:
    """Topics that are the first field of a line."""
    whole = data if data.endswith(b"\n") else data + b"\n"
    codes, [(offset, letters)], _, _, line, _ = lines.read_lines(whole, b"n*", 1, 0, lines.survey(whole)[0])
    table = [letters[begin:end].tobytes() for begin, end in pairwise(offset.tolist())]
    return _for_every_line(data, line, codes[0], table)


def topics_of_objects(data: bytes) -> Topics:
    """Topics that are a key of the JSON object in a line."""
    found = [(match.start(), match[1]) for match in JSON_TOPIC.finditer(data)]
    table, codes = encode([topic.decode("latin-1") for _, topic in found])
    line = np.searchsorted(_line_starts(data), [start for start, _ in found])
    return _for_every_line(data, line, codes, [topic.encode("latin-1") for topic in table])


def _line_starts(data: bytes) -> np.ndarray:
    ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == NEWLINE) + 1
    starts = np.concatenate([[0], ends])
    return starts[:-1] if starts[-1] == len(data) else starts


def _for_every_line(data: bytes, line: np.ndarray, codes: np.ndarray, table: list[bytes]) -> Topics:
    """Assign lines without a topic to that of the line before, the first ones to the first topic found."""
    starts = _line_starts(data)
    row_of_line = np.zeros(len(starts), dtype=np.int64)
    row_of_line[line] = np.arange(len(line))
    row_of_line = np.maximum.accumulate(row_of_line)
    return starts, codes[row_of_line] if len(codes) else np.zeros(len(starts), dtype=np.int32), table or [b""]
