"""What stands beside the pages of the site: each page as Markdown, llms.txt, the list of versions."""

from __future__ import annotations

import json
import re
from pathlib import Path

CLAIM = (
    "doxeval scores retrieval systems that return parts of documents (chunks, passages, elements, lines of "
    "code) by the text they show: on the command line, in Python, and in reports that open in a browser."
)
MOVING = re.compile(r'<div class="toy".*?</div>|<figure class="(?:gains|hero).*?</figure>', re.DOTALL)
FRONT = re.compile(r"\A---\n.*?\n---\n+", re.DOTALL)
OPENING = "<!doctype html><meta charset=utf-8><title>doxeval</title>"


def plain(text: str) -> str:
    """A page's Markdown as people and programs read it: without its settings and moving pictures."""
    return MOVING.sub("", FRONT.sub("", text))


def title_of(text: str) -> str:
    """The heading of a page."""
    found = re.search(r"^# (.+)$", plain(text), re.MULTILINE)
    return re.sub(r"[`*]", "", found[1]) if found else ""


def opening_of(text: str) -> str:
    """The first sentence of a page, without markup; empty if it opens with something else."""
    for part in re.split(r"\n\s*\n", plain(text)):
        if part[:1].isalpha() or part.startswith(("<p", "`")):
            words = re.sub(r"<[^>]+>|[`*]", "", re.sub(r"\]\([^)]*\)", "", part)).replace("[", "")
            return re.split(r"(?<=[.?!])\s", " ".join(words.split()))[0]
    return ""


def write_markdown(texts: dict[str, str], site: Path) -> None:
    """Write every page as Markdown beside its HTML."""
    for place, text in texts.items():
        if place.endswith(".md"):
            (site / place).write_text(plain(text), encoding="utf-8")


def write_llms(chapters: dict[str, list[str]], texts: dict[str, str], site: Path) -> None:
    """Write llms.txt, which lists the pages by chapter, and llms-full.txt, which holds them."""
    lines, full = ["# doxeval", "", f"> {CLAIM}", ""], [f"# doxeval\n\n> {CLAIM}\n"]
    for chapter, places in chapters.items():
        lines += [f"## {chapter}", ""]
        for place in places:
            said = opening_of(texts[place])
            lines.append(f"- [{title_of(texts[place])}]({place})" + (f": {said}" if said else ""))
            full.append(f"\n\n<!-- {place} -->\n\n{plain(texts[place]).strip()}\n")
        lines.append("")
    (site / "llms.txt").write_text("\n".join(lines), encoding="utf-8")
    (site / "llms-full.txt").write_text("".join(full), encoding="utf-8")


def write_versions(root: Path, newest: str) -> None:
    """List the versions in a folder, each a folder with an index.html, and open the newest by default."""
    found = [path.parent for path in root.glob("*/index.html")]
    order = sorted(found, key=lambda folder: (folder.name == newest, _number(folder.name)), reverse=True)
    told = [
        {"name": one.name, "pages": sorted(page.relative_to(one).as_posix() for page in one.rglob("*.html"))}
        for one in order
    ]
    (root / "versions.js").write_text(f"window.doxevalVersions = {json.dumps(told)};\n", encoding="utf-8")
    target = f"{newest}/index.html"
    moved = f'<script>location.replace("{target}")</script><a href="{target}">The documentation</a>'
    (root / "index.html").write_text(OPENING + moved + "\n", encoding="utf-8")


def _number(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", name))
