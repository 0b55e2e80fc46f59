"""Files changed in their structure: values of the wrong type, odd numbers, nested, duplicated, missing.

A file is taken apart into lists (rows of fields, JSON, elements of XML, columns, members of an archive),
some of their slots are changed, and it is put together again: most readers get past its first bytes.
"""

from __future__ import annotations

import csv
import datetime
import functools
import io
import json
import random
import re
import tarfile
import warnings
import zipfile
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from xml.sax.saxutils import escape, quoteattr


class Raw(str):
    """What stands in a file as it is, like numbers that Python has no value for."""


class Object(list[Any]):
    """A JSON object as pairs of key and value, so that a key can be there twice."""


class Element(list[Any]):
    """An element of XML: tag, attributes (an :class:`Object`), and children."""


PARQUET = b"PAR1"
NUMBERS: list[Any] = [
    0, 1, -1, 2, 1.5, -0.5, -0.0, 2**31 - 1, 2**31, 2**32, 2**40, 2**40 + 1, 2**53 + 1, 2**63 - 1, 2**63,
    2**64, -(2**63) - 1, 10**25, 1e15, 1e300,
    *map(Raw, ("NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1e-400", "1E5", "9" * 4299, "9" * 5000)),
]  # fmt: skip
TEXTS: list[Any] = [
    "", " ", "1", "-1", "1.0", "1e5", "1e400", "9" * 25, "9" * 5000, "1_0", "\u0663", "NaN", "inf", "true",
    "d1", "e1", "all", "X", "Q0", "\u2028", "a\rb", "a\nb", "\0", "\x1b[0m", "\ud800", "\U0001f600",
    "\ufeff", "e\u0301", "__proto__", "$x$", "_x", "../x", "/a[1]/b[2]", '"', "'", ",", "\t", "<", "&",
    "x" * 3000,
]  # fmt: skip
SCALARS: list[Any] = [None, True, False, *NUMBERS, *TEXTS]
ODD: list[Any] = [*SCALARS, [], [[]], Object(), [None], [1], ["a", 1], Object([["a", 1]])]


def structured(seeds: list[bytes]) -> list[bytes]:
    """The files that can be taken apart: not packed, and not damaged already."""
    found = []
    for data in seeds:
        try:
            changed(data, random.Random(0))
        except (ValueError, TypeError, OSError, NotImplementedError, zipfile.BadZipFile):
            continue
        if not data.startswith(b"\x1f\x8b"):
            found.append(data)
    return found


def changed(data: bytes, rng: random.Random) -> bytes:
    """A file with some of its structure changed."""
    if data.startswith(PARQUET):
        return _changed_frame(data, rng)
    take_apart, put_together = _way(data)
    parts = take_apart(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        parts = _change(parts, rng)
    return put_together(parts)


def _change(parts: Any, rng: random.Random) -> Any:
    """Change one slot, somewhere."""
    slots: list[tuple[list[Any], int]] = []
    within: list[Any] = parts
    while isinstance(within, list) and within:
        at = rng.randrange(len(within))
        slots.append((within, at))
        within = within[at]
    if not slots:
        return [rng.choice(ODD)]
    holder, at = slots[-1] if rng.random() < 0.6 else rng.choice(slots)
    value = holder[at]
    action = rng.randrange(9)
    if action <= 2:
        holder[at] = _copy(rng.choice(ODD))
    elif action == 3:
        del holder[at]
    elif action == 4:
        holder.insert(rng.randrange(len(holder) + 1), _copy(value))
    elif action == 5:
        other = rng.randrange(len(holder))
        holder[at], holder[other] = holder[other], holder[at]
    elif action == 6:
        holder[at] = [_copy(value)] if rng.random() < 0.9 else nested(rng.choice((5, 300, 3000)))
    elif action == 7:
        holder.append(_copy(rng.choice(ODD)))
    else:
        holder[at] = _copy(rng.choice(rng.choice(slots)[0]))
    return parts


def nested(depth: int) -> Raw:
    """Lists in lists, as JSON."""
    return Raw("[" * depth + "]" * depth)


def _copy(value: Any) -> Any:
    """A copy that can be changed by itself."""
    return type(value)(map(_copy, value)) if isinstance(value, list) else value


def as_json(value: Any) -> str:
    """A value as JSON, whatever it holds, however deep."""
    pieces: list[str] = []
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Object | Element):
            pairs = [pair if isinstance(pair, list) and len(pair) == 2 else ["odd", pair] for pair in one]
            waiting.append(Raw("}"))
            for at, (key, inner) in reversed(list(enumerate(pairs))):
                name = key if isinstance(key, str) and not isinstance(key, Raw) else str(key)[:50]
                waiting += [inner, Raw(f"{', ' if at else ''}{json.dumps(name)}: ")]
            waiting.append(Raw("{"))
        elif isinstance(one, list):
            waiting.append(Raw("]"))
            for at, inner in reversed(list(enumerate(one))):
                waiting += [inner, Raw(", " if at else "")]
            waiting.append(Raw("["))
        else:
            pieces.append(one if isinstance(one, Raw) else json.dumps(one))
    return "".join(pieces)


def _from_json(text: bytes) -> Any:
    return json.loads(text, object_pairs_hook=lambda pairs: Object(map(list, pairs)))


def _as_field(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else as_json(value)


def _encoded(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def _rows(value: Any) -> list[list[str]]:
    return [[_as_field(field) for field in (row if isinstance(row, list) else [row])] for row in value]


def _csv_of(parts: Any) -> bytes:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\r\n").writerows(_rows(parts))
    return _encoded(stream.getvalue())


def _element(node: Any) -> Any:
    """An element of lxml as lists; comments and the like are left out."""
    children: list[Any] = [node.text] if node.text else []
    for child in node:
        if isinstance(child.tag, str):
            children.append(_element(child))
        if child.tail:
            children.append(child.tail)
    attributes = Object([key, value] for key, value in node.attrib.items())
    return Element([re.sub(r"\{.*\}", "", node.tag), attributes, *children])


def as_xml(value: Any) -> str:
    """Elements as text; what became no element is text, or elements called x around its parts."""
    if not isinstance(value, list):
        return escape(_as_field(value))
    tag = value[0] if value and isinstance(value[0], str) and re.fullmatch(r"[\w-]+", value[0]) else "x"
    attributed = len(value) > 1 and isinstance(value[1], Object)
    pairs = [pair for pair in (value[1] if attributed else ()) if isinstance(pair, list) and len(pair) == 2]
    told = "".join(f" {str(key)[:40] or 'x'}={quoteattr(_as_field(inner))}" for key, inner in pairs)
    return f"<{tag}{told}>{''.join(map(as_xml, value[1 + attributed :]))}</{tag}>"


def _xml_of(data: bytes) -> Any:
    from lxml import etree

    parser = etree.HTMLParser() if b"<html" in data.lower() else etree.XMLParser(recover=True)
    return [_element(etree.fromstring(data, parser))]


WORDS = re.compile(r"\w+|\W")


def _archive_of(data: bytes) -> Any:
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [[name, archive.read(name).decode("latin-1")] for name in archive.namelist()]
    with tarfile.open(fileobj=io.BytesIO(data)) as members:
        files = [(one.name, members.extractfile(one)) for one in members if one.isfile()]
        return [[name, stream.read().decode("latin-1")] for name, stream in files if stream is not None]


def _members(parts: Any) -> list[tuple[str, bytes]]:
    pairs = [pair if isinstance(pair, list) and len(pair) == 2 else ["x.json", pair] for pair in parts]
    named = [(_as_field(name).encode(errors="replace").decode()[:200], text) for name, text in pairs]
    return [(name, _encoded(_as_field(text))) for name, text in named]


def _zip_of(parts: Any) -> bytes:
    stream = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w") as archive:
        warnings.simplefilter("ignore")
        for name, content in _members(parts):
            info = zipfile.ZipInfo("x")
            info.filename = name
            archive.writestr(info, content)
    return stream.getvalue()


def _tar_of(parts: Any) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in _members(parts):
            info = tarfile.TarInfo(name.replace("\0", ""))
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def _way(data: bytes) -> tuple[Callable[[bytes], Any], Callable[[Any], bytes]]:
    """How a file is taken apart and put together: as what it looks like."""
    text = data.decode(errors="replace").lstrip("\ufeff").strip()
    lines = text.splitlines()
    if data.startswith(b"PK"):
        return _archive_of, _zip_of
    if data[257:262] == b"ustar":
        return _archive_of, _tar_of
    if text.startswith(("{", "[")):
        try:
            records = [_from_json(line.encode()) for line in lines if line.strip()]
            return lambda _: records, lambda parts: _encoded("\n".join(map(as_json, parts)) + "\n")
        except ValueError:
            pass
        try:
            return lambda _: [_from_json(text.encode())], lambda parts: _encoded(
                " ".join(map(as_json, parts))
            )
        except ValueError:
            pass
    if text.startswith("<") and not text.startswith("<?php"):
        return _xml_of, lambda parts: _encoded("".join(map(as_xml, parts)))
    if lines and "," in lines[0] and "(" not in lines[0]:
        return lambda _: [list(row) for row in csv.reader(io.StringIO(text))], _csv_of
    if lines and len(lines[0].split()) > 2 and len(text) < 4000:
        return (
            lambda _: [list(line.split()) for line in lines],
            lambda parts: _encoded("".join(" ".join(row) + "\n" for row in _rows(parts))),
        )
    return lambda _: WORDS.findall(text), lambda parts: _encoded("".join(map(_as_field, parts)))


def _changed_frame(data: bytes, rng: random.Random) -> bytes:
    """A Parquet file in which columns have other types and values, or other names, or are missing."""
    import polars as pl

    frame, columns = pl.read_parquet(io.BytesIO(data)), _columns()
    for _ in range(rng.choice((1, 1, 2, 3))):
        name = rng.choice(frame.columns or ["doc"])
        action = rng.randrange(8)
        if action == 0 and name in frame:
            frame = frame.drop(name)
        elif action == 1 and name in frame:
            other = rng.choice(["x", "doc", "topic", "start", "value", "nodes"])
            frame = frame.drop(other, strict=False).rename({name: other}, strict=False)
        elif action == 2:
            frame = pl.concat([frame, frame])
        else:
            values, dtype = rng.choice(columns)
            size = max(1, frame.height)
            column = pl.Series(
                name, [rng.choice([None, *values]) for _ in range(size)], dtype=dtype, strict=False
            )
            frame = frame.with_columns(column) if frame.height == size else pl.DataFrame([column])
    stream = io.BytesIO()
    frame.write_parquet(stream)
    return stream.getvalue()


@functools.cache
def _columns() -> list[tuple[list[Any], Any]]:
    """Values and the type of odd columns."""
    import polars as pl

    day = datetime.datetime(2020, 1, 1)
    node = {"parent": None, "tag": "a", "start": 0, "end": 3}
    struct = pl.Struct({"parent": pl.Decimal(20, 0), "tag": pl.String, "start": pl.Int128, "end": pl.Float64})
    return [
        ([0, 1, -1, 3, 2**31, 2**40, 2**40 + 1, 2**63 - 1], pl.Int64),
        ([0, 1, 200], pl.UInt8),
        ([2**64 - 1, 1], pl.UInt64),
        ([1, 2**100, -(2**100)], pl.Int128),
        ([Decimal("1.5"), Decimal(3)], pl.Decimal(10, 2)),
        ([Decimal(10) ** 30, Decimal(3)], pl.Decimal(38, 0)),
        ([0.0, 1.5, 3.0, float("nan"), float("inf"), 1e300, -1.0], pl.Float64),
        ([0.5, float("-inf")], pl.Float32),
        (["", "1", "d1", "x", "3E", "\u2028", "a\0b"], pl.String),
        ([b"", b"\xff"], pl.Binary),
        ([True, False], pl.Boolean),
        ([day.date()], pl.Date),
        ([day], pl.Datetime),
        ([day.time()], pl.Time),
        ([datetime.timedelta(1)], pl.Duration),
        (["a", "b"], pl.Categorical),
        (["a", "b"], pl.Enum(["a", "b"])),
        ([], pl.Null),
        ([[], [1], [None]], pl.List(pl.Int64)),
        ([[1, 2]], pl.Array(pl.Int64, 2)),
        ([["a"], ["", None]], pl.List(pl.String)),
        ([[[0, 3]], [[3, 1]], [[None]]], pl.List(pl.List(pl.Int64))),
        ([[[0, 2**100]], [[0, 3]]], pl.List(pl.List(pl.Int128))),
        ([[[Decimal(0), Decimal(3)]]], pl.List(pl.List(pl.Decimal(10, 0)))),
        ([{"a": 1}, {"a": None}], pl.Struct({"a": pl.Int64})),
        ([[node], []], None),
        ([[{**node, "parent": 7}], [{**node, "end": 2**62}, {**node, "parent": 2**32}]], None),
        ([[{"parent": None, "tag": "a", "start": 2**100, "end": 1.5}]], pl.List(struct)),
    ]
