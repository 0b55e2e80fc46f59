"""Every format with the sample it declares, and the one that CONTRIBUTING.md adds as its example."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from doxeval.io.formats.format import TABLE_KINDS, Format, formats

PROJECT = Path(__file__).parents[3]


def example_format() -> Format:
    """The format of CONTRIBUTING.md, by its code as it stands there."""
    page = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = page.partition("## A format")[2].partition("\n## ")[0]
    (code,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(code, "CONTRIBUTING.md", "exec"), names)
    return names["FORMAT"]


def sample_of(format: Format) -> bytes:
    return format.sample() if callable(format.sample) else format.sample


REGISTERED = [format for kind in TABLE_KINDS for format in formats(kind).values()]
EVERY = [*REGISTERED, example_format()]
SAMPLES = {(format.kind, format.name): sample_of(format) for format in REGISTERED}
