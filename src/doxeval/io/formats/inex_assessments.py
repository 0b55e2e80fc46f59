"""INEX assessments of 2008-10: ``topic Q0 file relevant-chars document-length [bep [offset:length]...]``."""

from __future__ import annotations

from typing import IO

import numpy as np

from doxeval.core.notices import Notices
from doxeval.io.formats.base import Format, Options
from doxeval.io.formats.lines import (
    LARGEST_OFFSET,
    Block,
    join_text,
    note_repeated,
    refuse,
    split_blocks,
    text_column,
)
from doxeval.io.source import Source
from doxeval.kernels import scan
from doxeval.tables.assessments import UNKNOWN, Assessments, Ranges, build_assessments

FIELDS = 7


def sniff(head: bytes) -> bool:
    """At least five fields, Q0 the second, the fourth to sixth integers, ranges (if any) as offset:length."""
    fields = head.split(b"\n", 1)[0].split()
    if len(fields) < 5 or (len(fields) < FIELDS and fields[1] not in (b"Q0", b"0")):
        return False
    if not all(field.removeprefix(b"-").isdigit() for field in fields[3:6]):
        return False
    return all(field.replace(b":", b"", 1).isdigit() and b":" in field for field in fields[6:])


def read(source: Source, options: Options) -> Assessments:
    """Read INEX assessments; overlapping ranges of a document are united when they are scored."""
    notices = Notices()
    topics, docs, parts, lines = [], [], [], []
    for block in split_blocks(source, FIELDS, notices):
        block = refuse(block, block.count < 5, "at least 5 fields", source, notices)
        numbers, good = _leading_numbers(block)
        block = refuse(block, ~good, "integers as fields 4 to 6", source, notices)
        numbers = numbers[good]
        has_ranges = block.count >= FIELDS
        begin = np.where(has_ranges, block.begin[:, 6], np.int32(0))
        end = np.where(has_ranges, block.end[:, 6], np.int32(0))
        row, start, length, bad = scan.parse_ranges(block.data, begin, end)
        bad = bad.astype(bool)
        if bad.any():
            keep = ~bad[row]
            row, start, length = (np.cumsum(~bad) - 1)[row[keep]], start[keep], length[keep]
            numbers = numbers[~bad]
            block = refuse(block, bad, "ranges as offset:length from field 7 on", source, notices)
        _check_sums(block, numbers, row, length, source, notices)
        topics.append(text_column(block, 0))
        docs.append(text_column(block, 2))
        parts.append((numbers, row, start, length))
        lines.append(block.line)
    topic, doc = join_text(topics), join_text(docs)
    if lines:
        fate = "their ranges are united"
        note_repeated((doc.codes, topic.codes), np.concatenate(lines), fate, source, notices)
    sizes = np.cumsum([0] + [len(numbers) for numbers, *_ in parts])
    numbers = np.concatenate([part[0] for part in parts]) if parts else np.zeros((0, 3), dtype=np.int64)
    empty = np.zeros(0, dtype=np.int64)
    row = np.concatenate([part[1] + base for part, base in zip(parts, sizes, strict=False)] or [empty])
    start = np.concatenate([part[2] for part in parts] or [empty])
    length = np.concatenate([part[3] for part in parts] or [empty])
    return build_assessments(
        topic.table,
        doc.table,
        topic.codes,
        doc.codes,
        Ranges(row, start, start + length, np.ones(len(row))),
        length=numbers[:, 1],
        bep=numbers[:, 2],
        source=source.name,
        notices=notices,
    )


def _leading_numbers(block: Block) -> tuple[np.ndarray, np.ndarray]:
    """Relevant characters, document length and best entry point of each row, and which rows have them."""
    numbers = np.full((len(block.line), 3), UNKNOWN, dtype=np.int64)
    good = np.ones(len(block.line), dtype=bool)
    for at in range(3):
        present = block.count > 3 + at
        begin, end = block.begin[:, 3 + at], block.end[:, 3 + at]
        values, fine = scan.parse_integers(block.data, begin, end)
        fine = fine.astype(bool) & (values <= LARGEST_OFFSET)
        fine &= values >= (UNKNOWN if at == 2 else 0)
        good &= fine | ~present
        numbers[present, at] = values[present]
    return numbers, good


def _check_sums(
    block: Block, numbers: np.ndarray, row: np.ndarray, length: np.ndarray, source: Source, notices: Notices
) -> None:
    """Tell where the relevant characters announced are not those of the ranges."""
    found = np.bincount(row, weights=length, minlength=len(block.line)).astype(np.int64)
    for at in np.flatnonzero(found != numbers[:, 0]):
        notices.add(
            "{count} assessments announce another number of relevant characters than their ranges hold; "
            "the ranges count",
            f"{source.name}:{block.line[at]}: {numbers[at, 0]} announced, {found[at]} in ranges",
        )


def write(assessments: Assessments, stream: IO[str], options: Options) -> None:
    """Write highlighted ranges with their documents' lengths, at least the furthest end of a range.

    A best entry point that is not known is written as -1.
    """
    ranges = assessments.ranges
    order = np.lexsort((ranges.start, ranges.pair))
    pairs = ranges.pair[order]
    bounds = np.searchsorted(pairs, np.arange(len(assessments.pair_doc) + 1))
    lengths = np.maximum(assessments.length, 0)
    np.maximum.at(lengths, assessments.pair_doc[ranges.pair], ranges.end)
    for pair, topic in enumerate(assessments.pair_topic):
        doc = assessments.pair_doc[pair]
        rows = order[bounds[pair] : bounds[pair + 1]]
        spans = [(int(ranges.start[r]), int(ranges.end[r])) for r in rows]
        fields = [
            assessments.topics[topic],
            "Q0",
            assessments.docs[doc],
            sum(e - s for s, e in spans),
            lengths[doc],
        ]
        if spans or assessments.bep[pair] >= 0:
            fields += [assessments.bep[pair], *(f"{s}:{e - s}" for s, e in spans)]
        stream.write(" ".join(map(str, fields)) + "\n")


FORMAT = Format(
    name="inex-assessments",
    kind="assessments",
    summary="INEX assessments 2008-10: topic Q0 file relevant length [bep [offset:length]...]",
    sniff=sniff,
    read=read,
    write=write,
    holds=lambda options: frozenset({"ranges", "irrelevant", "lengths", "beps"}),
    sample=b"1 Q0 d1 30 100 10 10:20 50:10\n1 Q0 d2 0 80\n",
    broken=(b"1 Q0 d1", b"1 Q0 d1 x 100 10 10:20", b"1 Q0 d1 30 100 10 10-20"),
)
