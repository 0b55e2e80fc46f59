"""Formulas as MathML, which browsers draw without any script, and references from papers.bib."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "site"


@cache
def formulas() -> dict[str, dict[str, Any]]:
    """What formulas.toml says, by kind: symbols, measures, scores, models."""
    return tomllib.loads((HERE / "formulas.toml").read_text(encoding="utf-8"))


def formula(latex: str, display: bool = True) -> str:
    """A formula as MathML."""
    from latex2mathml.converter import convert

    made = convert(latex, display="block" if display else "inline")
    return re.sub(r"\s+", " ", made.replace("\n", " "))


def inline(text: str) -> str:
    """A line with formulas between dollars and code between backquotes, as HTML."""
    parts = re.split(r"\$(.+?)\$|`(.+?)`", text)
    made = []
    for at in range(0, len(parts), 3):
        made.append(escape(parts[at], quote=False))
        if at + 1 < len(parts):
            math, code = parts[at + 1], parts[at + 2]
            made.append(formula(math, display=False) if math else f"<code>{escape(code)}</code>")
    return "".join(made)


@cache
def papers() -> dict[str, dict[str, str]]:
    """Every entry of papers.bib by its key: its fields, its `kind`, and its own text as `bibtex`."""
    found = {}
    for entry in re.split(r"\n(?=@)", (HERE / "papers.bib").read_text(encoding="utf-8")):
        head = re.match(r"@(\w+)\{(\w+),", entry)
        assert head, entry
        fields = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", entry, re.MULTILINE))
        shown = re.sub(r",\n  note = \{.*\}", "", entry.strip())
        found[head[2]] = {**fields, "kind": head[1], "bibtex": shown}
    return found


def plain(text: str) -> str:
    """A field of BibTeX as text."""
    accents = {'{\\"a}': "ä", '{\\"o}': "ö", '{\\"u}': "ü"}
    for written, meant in accents.items():
        text = text.replace(written, meant)
    return text.replace("--", "–").replace("\\_", "_").replace("{", "").replace("}", "")


def reference(key: str) -> str:
    """A full reference, as one line of Markdown."""
    entry = {name: plain(text) for name, text in papers()[key].items()}
    *others, last = entry["author"].split(" and ")
    authors = f"{', '.join(others)} and {last}" if others else last
    place = entry.get("journal") or entry.get("booktitle") or f"Technical report, {entry.get('institution')}"
    if "volume" in entry:
        place += f" {entry['volume']}" + (f"({entry['number']})" if "number" in entry else "")
    if "pages" in entry:
        place += f", {entry['pages']}"
    return f"{authors}: *{entry['title']}*. {place}, {entry['year']}."


def cited(keys: list[str]) -> list[str]:
    """References with their BibTeX folded away."""
    lines = []
    for key in keys:
        bibtex = escape(papers()[key]["bibtex"])
        lines += [reference(key), ""]
        lines += [f'<details><summary>BibTeX</summary><pre class="bibtex">{bibtex}</pre></details>', ""]
    return lines
