"""The tables of docs/json.md, made from the commands: `python -m docs.json_page` rewrites them."""

from __future__ import annotations

import re
from pathlib import Path

from doxeval.cli import FOUND_BY, STATUSES
from doxeval.cli.json_output import PRINTED, WRITES
from doxeval.cli.message_lines import LEVELS

PAGE = Path(__file__).parent / "json.md"
PART = re.compile(r"(<!-- (\w+): made by docs/json_page.py -->\n).*?(<!-- end -->)", re.DOTALL)


def columns() -> str:
    """A section for each command: what a row is of, and its columns."""
    parts = []
    for name, printed in PRINTED.items():
        shape = "One object" if printed.one else "An array with an object for each"
        parts += [
            f"### `doxeval {name}`",
            "",
            f"{shape} {printed.of}.",
            "",
            "| column | type | |",
            "|---|---|---|",
        ]
        for column, (kind, told) in printed.columns.items():
            missing = ", may be missing" if column.endswith("?") else ""
            null = ", or null" if kind.endswith("?") else ""
            parts.append(
                f"| `{column.removesuffix('?')}` | {kind.removesuffix('?')}{null}{missing} | {told} |"
            )
        parts.append("")
    return "\n".join(parts)


def others() -> str:
    """The commands that print no data of their own."""
    return _table(("command", ""), ((f"`{name}`", told) for name, told in WRITES.items()))


def levels() -> str:
    """The levels of messages."""
    return _table(("level", ""), ((f"`{name}`", told) for name, told in LEVELS.items()))


def statuses() -> str:
    """The exit statuses, and the commands that use 1."""
    found = _table(("status", ""), ((str(status), told) for status, told in STATUSES.items()))
    by = _table(("command", "status 1"), ((f"`{name}`", told) for name, told in FOUND_BY.items()))
    return f"{found}\n{by}"


def _table(header: tuple[str, str], rows: object) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]  # type: ignore[attr-defined]
    return "\n".join([f"| {' | '.join(header)} |", "|---|---|", *lines, ""])


MADE = {"columns": columns, "others": others, "levels": levels, "statuses": statuses}


def generated(page: str) -> str:
    """The page with its tables as they are now."""
    return PART.sub(lambda part: f"{part[1]}\n{MADE[part[2]]()}\n{part[3]}", page)


if __name__ == "__main__":
    PAGE.write_text(generated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
