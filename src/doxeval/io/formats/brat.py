"""brat standoff annotations: an `.ann` file next to the `.txt` it annotates, in code points.

``T1<tab>Label 0 5;10 15<tab>words``: a text-bound annotation, possibly in several pieces. Its label is a
topic; events, relations, attributes and notes are skipped. The document is named after the file; if its text
is next to it, the words are compared. A folder of such files is read as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from doxeval.io.formats.other_tools import Line, ToolFile, assessments_format
from doxeval.io.placing.place_quotes import same_words
from doxeval.io.source import Source
from doxeval.tables.quotes import JOINT

FIRST = re.compile(rb"(T\d+\t\S+ \d+ \d+|[ERAMN]\d+\t\S+ |#\d+\t\S+ |\*\t\S+ [TE]\d+)")
TEXT_BOUND = re.compile(r"T\d+\t(\S+) (\d+ \d+(?:;\d+ \d+)*)(?:\t(.*))?")
OTHER_ANNOTATION = re.compile(r"[ERAMN*#]\d*\t")


def sniff(head: bytes) -> bool:
    """A line with the number of an annotation, a tab and its type."""
    return bool(FIRST.match(head))


def lines(file: ToolFile) -> Iterator[Line]:
    """The text next to the annotations, if there is one, and a line for each annotation."""
    source = file.source
    text = _text_beside(source.path)
    if text is not None:
        yield {"doc": source.stem, "text": text}
    for at, data in enumerate(source.read().split(b"\n")):
        number = int(source.line_numbers(at))
        line = data.decode(errors="replace").rstrip("\r")
        mark = TEXT_BOUND.fullmatch(line)
        if mark is not None and "\ufffd" not in line:
            yield from _lines_of_mark(mark, number, text, file)
        elif line.strip() and not OTHER_ANNOTATION.match(line):
            file.refuse("line", "T1<tab>Label start end<tab>words", number)


def _lines_of_mark(mark: re.Match[str], number: int, text: str | None, file: ToolFile) -> Iterator[Line]:
    label, ends, words = mark.groups()
    line = {"line": number, "topic": label, "doc": file.source.stem}
    pieces = [(int(start), int(end)) for start, end in (piece.split(" ") for piece in ends.split(";"))]
    if text is None or words is None or same_words(" ".join(text[a:b] for a, b in pieces), words):
        quote = _quote(pieces, words) if text is None else JOINT.join(text[a:b] for a, b in pieces)
        length = {} if text is None else {"length": len(text)}
        yield line | {"spans": [list(piece) for piece in pieces], "quote": quote} | length
        return
    places = file.marked(text, pieces[0][0], pieces[-1][1], words, number)
    yield from (line | place for place in places)


def _quote(pieces: list[tuple[int, int]], words: str | None) -> str | None:
    """The words of the pieces, which a blank separates in the file."""
    if words is None or len(words) != sum(end - start + 1 for start, end in pieces) - 1:
        return words if len(pieces) == 1 else None
    begins = [sum(end - start + 1 for start, end in pieces[:at]) for at in range(len(pieces))]
    return JOINT.join(
        words[begin : begin + end - start] for begin, (start, end) in zip(begins, pieces, strict=True)
    )


def _text_beside(path: Path | None) -> str | None:
    if path is None or not (beside := path.with_suffix(".txt")).is_file():
        return None
    try:
        return Source(beside).read().decode()
    except UnicodeDecodeError:
        return None


FORMAT = assessments_format(
    "brat",
    "brat standoff (.ann): text-bound annotations; each label is a topic",
    sniff,
    lines,
    suffixes=(".ann",),
    sample=b"T1\tAction 0 4\tTake\nE1\tAction:T1 \nT2\tReagent 9 14;20 25\twater bath\n",
    broken=(b"T3\tAction 0 x\tTake", b"nothing", b"T3 Action 0 4 Take", b"T3\tAction 4 0\tTake"),
)
