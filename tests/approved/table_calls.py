"""Files of every format, damaged in drawn ways, as they are read, and tables as they are written."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import doxeval as dx
from doxeval.extend import formats
from doxeval.io.formats.format import Format
from tests.approved.drawn import write_rows
from tests.io.formats.format_samples import sample_of

READ: dict[str, Callable[..., Any]] = {
    "run": dx.read_run,
    "assessments": dx.read_assessments,
    "chunks": dx.read_chunks,
}
VALUES: tuple[Any, ...] = (None, "", "x", -1, 0, 3, 1.5, 10**9, [], {}, [1, 2], True, "naïve \U0001f642", "7")
"""What stands in a file instead of what should."""
FIELD = re.compile(r"[^\s,;|<>\"=]+")


def reading(format: Format, dice: random.Random) -> Any:
    """A sample of a format, with one to three places changed."""
    content = sample_of(format).decode()
    for _ in range(dice.randint(1, 3)):
        content = damaged(content, dice)
    return READ[format.kind](content.encode(), input_format=format.name)


def damaged(text: str, dice: random.Random) -> str:
    """A text with one place changed: a value of its JSON, a field of a line, or a line."""
    lines = text.split("\n")
    at = dice.randrange(max(1, len(lines) - 1))
    if dice.random() < 0.25:
        others = dice.choice([[], [lines[at]] * 2, ["# so"], ["{"]])
        return "\n".join([*lines[:at], *others, *lines[at + 1 :]])
    for whole, is_line in ((lines[at], True), (text, False)):
        try:
            value = json.loads(whole)
        except ValueError:
            continue
        changed = json.dumps(with_other_value(value, dice), ensure_ascii=False)
        return "\n".join([*lines[:at], changed, *lines[at + 1 :]]) if is_line else changed
    fields = list(FIELD.finditer(lines[at]))
    if fields:
        field = dice.choice(fields)
        put = dice.choice(["", "x", "-1", "0", "99999", "1.5", "a b", field[0] * 2])
        lines[at] = lines[at][: field.start()] + put + lines[at][field.end() :]
    return "\n".join(lines)


def with_other_value(value: Any, dice: random.Random) -> Any:
    """A value of JSON in which one part, however deep, is another, or left out."""
    if isinstance(value, dict) and value and dice.random() < 0.9:
        key = dice.choice(list(value))
        if dice.random() < 0.2:
            return {name: one for name, one in value.items() if name != key}
        return {**value, key: with_other_value(value[key], dice)}
    if isinstance(value, list) and value and dice.random() < 0.9:
        at = dice.randrange(len(value))
        return [*value[:at], with_other_value(value[at], dice), *value[at + 1 :]]
    return dice.choice(VALUES)


def drawn_rows(dice: random.Random, gold: bool) -> list[dict[str, Any]]:
    """Rows of a run, or of gold, with keys and values that differ from row to row."""
    rows: list[dict[str, Any]] = []
    for number in range(dice.choice([1, 5, 12])):
        row: dict[str, Any] = {"topic": dice.choice(["t1", "t2", "10"]), "doc": dice.choice("abc")}
        if dice.random() < 0.02:
            row["topic"] = "t 3"
        start = dice.choice([0, 5, 40])
        ends = {"start": start, "end": start + 9}
        spans = [[start, start + 3], [start + 5, start + 9]]
        row |= dice.choice([*(ends,) * 8, {"spans": spans}, {}, {"start": start}, {"node": "/a[1]/b[2]"}])
        if gold:
            row |= dice.choice([{}, {}, {"rel": 2}, {"rel": 0}, {"aspects": ["x", "y"]}, {"set": "s1"}])
            row |= dice.choice([{}, {"assessor": dice.choice(["ann", "bob"])}, {"length": 60}, {"bep": 4}])
        else:
            score = 1 - number / 4
            row |= dice.choice([{"rank": number + 1}, {"rank": number + 1, "score": score}, {"score": 0.5}])
        rows.append(row)
    return rows


def writing(kind: str, dice: random.Random) -> Any:
    """Rows that are read, written in a format, and read again."""
    table = READ[kind](drawn_rows(dice, kind == "assessments"))
    names = [name for name, one in formats(kind).items() if one.write is not None and not one.binary]
    name = dice.choice(sorted(names))
    lost = dx.convert(table, "written.txt", kind=kind, documents="drawn.jsonl", format=name, replace=True)
    content = Path("written.txt").read_text(encoding="utf-8")
    again = READ[kind]("written.txt", input_format=name)
    return {"table": table, "lost": lost, "written": content, "again": again}


def write_documents() -> None:
    """The documents of the rows."""
    extents = ((None, "a", 0, 60), (0, "b", 0, 30), (0, "b", 30, 60))
    nodes = [dict(zip(("parent", "tag", "start", "end"), one, strict=True)) for one in extents]
    documents = [{"doc": doc, "text": f"{doc}so it is " * 6, "nodes": nodes} for doc in "abc"]
    write_rows(Path("drawn.jsonl"), documents)
