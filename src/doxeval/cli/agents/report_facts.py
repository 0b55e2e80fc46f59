"""The data in a report: a page holds them as JSON, which is read without running the page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from doxeval.core.errors import InputError, UsageError, nearest

DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
SHORT = 1_500
"""Parts of at most so many characters are shown without being asked for."""


def report_facts(path: Path, part: str = "") -> dict[str, Any]:
    """The part of a report's data with a dotted name, or all short parts and the sizes of the others."""
    found = DATA.search(path.read_text(encoding="utf-8", errors="replace"))
    if found is None:
        raise InputError(f"{path.name}: is not a report of doxeval: it has no data")
    data = json.loads(found[1])
    if part:
        return {"part": part, "rows": _at(data, part)}
    sizes = {name: len(json.dumps(value, ensure_ascii=False)) for name, value in data.items()}
    told = [
        f"{name}: {size:,} characters; ask for part={name!r}" for name, size in sizes.items() if size > SHORT
    ]
    facts = {name: value for name, value in data.items() if sizes[name] <= SHORT}
    return facts | {"left_out": told}


def _at(data: Any, part: str) -> Any:
    for word in part.split("."):
        if isinstance(data, list) and word.isdecimal() and int(word) < len(data):
            data = data[int(word)]
        elif isinstance(data, dict) and word in data:
            data = data[word]
        else:
            known = list(data) if isinstance(data, dict) else []
            there = f" (there are: {', '.join(known)})" if known else ""
            raise UsageError(f"the report has no part {part!r}{nearest(word, known)}{there}")
    return data
