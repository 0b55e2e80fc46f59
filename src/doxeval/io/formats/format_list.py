"""The list of all formats for the command line and the documentation, and one in full with its sample."""

from __future__ import annotations

import inspect
import json
import sys
from typing import Any

from doxeval.core.errors import UsageError, nearest
from doxeval.core.screen import filled
from doxeval.io.formats.format import OTHER_KINDS, TABLE_KINDS, Format, Options, formats

HEADINGS = {
    "run": "Runs",
    "assessments": "Assessments",
    "chunks": "Chunks",
    "documents": "Documents, besides those of the parsers (see 'doxeval index --help')",
    "topics": "Topics",
}
NAME_WIDTH = 20
DEEPER = " " * 4


def all_formats() -> list[Format]:
    """Every format, by kind and then by name."""
    return [
        known
        for kind in (*TABLE_KINDS, *OTHER_KINDS)
        for known in sorted(formats(kind).values(), key=lambda format: format.name)
    ]


def entries() -> list[dict[str, Any]]:
    """Every format as plain data."""
    return [
        {
            "name": format.name,
            "kind": format.kind,
            "summary": format.summary,
            "holds": list(parts_of(format)),
            "written": format.write is not None,
            "suffixes": list(format.suffixes),
            "sample": sample_text(format),
        }
        for format in all_formats()
    ]


def parts_of(format: Format) -> tuple[str, ...]:
    """The content of a file in a format: its kind, and the documents in it if there are any."""
    more = ("documents",) if format.documents is not None and format.kind != "documents" else ()
    return format.kind, *more


def sample_text(format: Format) -> str | None:
    """The sample of a format; None if it is binary."""
    if format.binary:
        return None
    return (format.sample() if callable(format.sample) else format.sample).decode()


def list_formats(form: str = "table", name: str | None = None) -> str:
    """All formats by what they hold, a line each; as JSON, also the one of a name only."""
    if form == "json":
        if name:
            describe_format(name)
        only = [entry for entry in entries() if not name or entry["name"] == name]
        return json.dumps(only, indent=1, ensure_ascii=False)
    if form == "md":
        rows = ["| format | holds | what it is | written |", "|---|---|---|---|"]
        for one in entries():
            written = "yes" if one["written"] else ""
            rows.append(f"| `{one['name']}` | {', '.join(one['holds'])} | {one['summary']} | {written} |")
        return "\n".join(rows)
    lines: list[str] = []
    for kind, heading in HEADINGS.items():
        known = [format for format in all_formats() if format.kind == kind]
        lines += [filled(heading), *map(_line, known), ""] if known else []
    told = "+ marks formats that are also written, d those that hold documents"
    return "\n".join([*lines, filled(f"'doxeval formats NAME' shows a sample; {told}.")])


def _line(format: Format) -> str:
    marks = ("+" if format.write else "") + ("d" if len(parts_of(format)) > 1 else "")
    return filled(f"{format.name + ' ' + marks:<{NAME_WIDTH}} {format.summary}", "  ", " " * (NAME_WIDTH + 3))


def describe_format(name: str) -> str:
    """The formats of a name in full: what each holds, where it is defined, and its sample."""
    found = [format for format in all_formats() if format.name == name]
    if not found:
        known = [format.name for format in all_formats()]
        raise UsageError(f"unknown format {name!r}{nearest(name, known)} ('doxeval formats' lists them)")
    parts = [_described(format) for format in found]
    about = (
        inspect.cleandoc(sys.modules[found[0].sniff.__module__].__doc__ or "") if _of_ours(found[0]) else ""
    )
    return "\n\n".join([*parts, filled(about)] if about else parts)


def _of_ours(format: Format) -> bool:
    """Whether a format is explained by the module that recognises it."""
    return getattr(format.sniff, "__module__", "").startswith("doxeval.io.formats.")


def _described(format: Format) -> str:
    can = "read and written" if format.write else "read"
    sample = sample_text(format)
    lines = [
        filled(f"{format.name} ({', '.join(parts_of(format))}; {can}): {format.summary}"),
        *([filled(f"suffixes: {' '.join(format.suffixes)}")] if format.suffixes else []),
    ]
    if format.write is not None and (held := sorted(format.holds(Options()))):
        lines.append(filled(f"can store: {', '.join(held)}"))
    if sample is None:
        return "\n".join([*lines, "binary, no sample is shown"])
    return "\n".join([*lines, "", *(f"{DEEPER}{line}" for line in sample.rstrip("\n").split("\n"))])
