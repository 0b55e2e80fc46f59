"""Build the documentation as a site: ``make docs``, into build/site.

Every text has one home: pages of ideas in `docs/ideas`, of other tools in `docs/integrations`, families of
measures and tutorials in `docs`, the rest at the top of the repository. Here they are put side by side, their
links turned to where they now stand; the gallery of measures, the commands and the Python reference are made
from the code. A link that leads nowhere fails the build.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from docs.gallery import gallery
from docs.reference import api_page, commands_page

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs"
FOLDERS = ("ideas", "integrations")
SOURCE = ROOT / "build" / "docs"
SITE = ROOT / "build" / "site"
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
FENCE = re.compile(r"(```.*?```)", re.DOTALL)
MADE = ("measures.md", "commands.md", "api.md")

FIRST = ("tutorial-rag.md", "tutorial-researcher.md")
PROJECT = ("errata.md", "performance.md")


def places() -> dict[Path, str]:
    """Where every text stands in the site."""
    found = {ROOT / "README.md": "overview.md", PAGES / "README.md": "index.md"}
    found |= {ROOT / "CONTRIBUTING.md": "extending.md", ROOT / "CHANGELOG.md": "changelog.md"}
    found |= {ROOT / "LICENSE": "licence.md", ROOT / "CITATION.cff": "CITATION.cff"}
    for folder in FOLDERS:
        found |= {page: f"{folder}/{page.name}" for page in sorted((PAGES / folder).glob("*.md"))}
    found |= {page: page.name for page in sorted(PAGES.glob("*.md")) if page.name != "README.md"}
    found |= {drawing: drawing.name for drawing in sorted(PAGES.glob("*.svg"))}
    return found


def linked(text: str, page: Path, known: dict[Path, str]) -> tuple[str, list[str]]:
    """A page's text with its links turned to the site, and the links that lead nowhere."""
    broken = []

    def turned(match: re.Match[str]) -> str:
        opening, target, anchor, closing = match.groups()
        if re.match(r"[a-z]+:", target):
            return match[0]
        goal = (page.parent / target).resolve()
        if goal in known:
            target = os.path.relpath(known[goal], Path(known[page]).parent)
        else:
            broken.append(f"{page.relative_to(ROOT)}: {target}")
        return f"{opening}{target}{anchor or ''}{closing}"

    parts = FENCE.split(text)
    parts[::2] = [LINK.sub(turned, part) for part in parts[::2]]
    return "".join(parts), broken


def navigation(known: dict[Path, str]) -> list[dict[str, list[str]]]:
    """The chapters of the site."""
    own = [place for page, place in known.items() if page.parent == PAGES and page.suffix == ".md"]
    families = [place for place in own if place not in ("index.md", *FIRST, *PROJECT)]
    ideas, tools = ([place for place in known.values() if place.startswith(folder)] for folder in FOLDERS)
    return [
        {"Start": ["index.md", "overview.md", *FIRST]},
        {"Ideas": ideas},
        {"Inside other tools": tools},
        {"Measures": ["measures.md", *families]},
        {"Reference": ["commands.md", "api.md"]},
        {"Project": ["extending.md", *PROJECT, "changelog.md", "licence.md"]},
    ]


def gathered() -> None:
    """Put all pages into one folder, the made ones with their pictures."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    known = places()
    broken: list[str] = []
    for page, place in known.items():
        text, wrong = linked(page.read_text(encoding="utf-8"), page, known)
        broken += wrong
        target = SOURCE / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    if broken:
        sys.exit("links that lead nowhere:\n" + "\n".join(broken))
    (SOURCE / "pictures").mkdir()
    text, pictures = gallery()
    for name, picture in pictures.items():
        (SOURCE / "pictures" / name).write_text(picture, encoding="utf-8")
    for name, made in zip(MADE, (text, commands_page(), api_page()), strict=True):
        (SOURCE / name).write_text(made, encoding="utf-8")


def build() -> None:
    """Build the site; whatever mkdocs would warn about is an error."""
    gathered()
    config = ROOT / "build" / "mkdocs.yml"
    settings = {
        "site_name": "doxeval",
        "docs_dir": str(SOURCE),
        "site_dir": str(SITE),
        "nav": navigation(places()),
        "theme": {"name": "readthedocs", "highlightjs": False, "include_homepage_in_sidebar": False},
        "use_directory_urls": False,
        "validation": {"links": {"anchors": "warn", "unrecognized_links": "warn"}},
    }
    config.write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(config)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    print(f"The documentation is in {(SITE / 'index.html').relative_to(ROOT)}")


if __name__ == "__main__":
    build()
