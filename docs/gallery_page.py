"""A gallery of figures, reports and desks, each made by the line beside it when the site is built."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from docs.examples import Example, folded, run_line

FIGURES = {
    "precision-recall": (
        "Precision over recall",
        "doxeval plot runs/*.jsonl -q answers.jsonl --width column -o precision-recall.svg",
    ),
    "gain-rank": (
        "What was found, rank by rank",
        "doxeval plot runs/*.jsonl -q answers.jsonl --figure gain-rank --width column -o gain-rank.svg",
    ),
    "gain-characters": (
        "What was found, by what had to be read",
        "doxeval plot runs/*.jsonl -q answers.jsonl --figure gain-characters --width column "
        "-o gain-characters.svg",
    ),
    "effort-rank": (
        "What it cost the reader",
        "doxeval plot runs/*.jsonl -q answers.jsonl -d documents --figure effort-rank --width column "
        "-o effort-rank.svg",
    ),
    "means": (
        "Means with intervals",
        "doxeval plot runs/*.jsonl -q answers.jsonl --figure means -m AiP --width column -o means.svg",
    ),
    "differences": (
        "Two runs, question by question",
        "doxeval plot runs/sections.jsonl runs/paragraphs.jsonl -q answers.jsonl --figure differences "
        "-m IoU@5 --width column -o differences.svg",
    ),
    "panels": (
        "Several measures over ranks, in serif",
        'doxeval plot runs/*.jsonl -q answers.jsonl -m "iP iR" --over rank --font serif -o panels.svg',
    ),
    "measures": (
        "Do measures rank systems alike?",
        'doxeval correlate runs/*.jsonl -q answers.jsonl -m "AiP iP@5 iR@5 IoU@5" --heatmap measures.svg',
    ),
    "comparison": (
        "Differences with intervals",
        "doxeval compare runs/*.jsonl -q answers.jsonl -m AiP --baseline documents --plot comparison.svg",
    ),
    "structure": (
        "The structure of a collection",
        "doxeval summary documents --most 8 --svg structure.svg",
    ),
}
"""Figures by name, each with its title and the line that makes NAME.svg."""
PAGES = {
    "report": (
        "A report: the answer first, then everything behind it",
        'doxeval report runs/*.jsonl -q answers.jsonl -d documents -m "AiP iP@5 iR@2000c" -o report.html',
    ),
    "desk": (
        "The judging desk, as a file to mail",
        "doxeval judge pool.jsonl -d documents --assessor ann --topics-file kinds.jsonl --offline desk.html",
    ),
    "disagreements": (
        "Where two assessors differ",
        "doxeval agree ann.jsonl model.jsonl -d documents --report disagreements.html",
    ),
}
"""Pages by name, each with its title and the line that makes NAME.html."""
ABOUT = (
    "Everything here was made from the files of the demo (`doxeval demo --copy FOLDER`) when this page was "
    "made, by the line beside it."
)
MARK = re.compile(r"<!-- figure: ([\w-]+) -->")


def make(into: Path) -> None:
    """Make all figures and pages into a folder, in a workplace with the demo's files."""
    into.mkdir(parents=True, exist_ok=True)
    for name, (_, line), suffix in _all():
        found: Example = run_line(line)
        if found.status or not Path(f"{name}{suffix}").exists():
            sys.exit(f"docs/gallery_page.py: {line}\n{found.printed}")
        shutil.move(f"{name}{suffix}", into / f"{name}{suffix}")


def _all() -> list[tuple[str, tuple[str, str], str]]:
    figures = [(name, told, ".svg") for name, told in FIGURES.items()]
    return figures + [(name, told, ".html") for name, told in PAGES.items()]


def page() -> str:
    """The gallery."""
    lines = ["# Gallery", "", ABOUT, "", "## Pages", ""]
    for name, (title, line) in PAGES.items():
        lines += [f"### {title}", "", "```shell", *folded(line), "```", ""]
        lines += [f'<p><a class="md-button" href="gallery/{name}.html">Open it</a></p>', ""]
    lines += ["## Figures", ""]
    for name in FIGURES:
        lines += [f"### {FIGURES[name][0]}", "", *figure(name, "gallery")]
    return "\n".join(lines)


def figure(name: str, folder: str) -> list[str]:
    """A figure with the line that makes it."""
    title, line = FIGURES[name]
    picture = f'<p><img class="made" src="{folder}/{name}.svg" alt="{title}" loading="lazy"></p>'
    return ["```shell", *folded(line), "```", "", picture, ""]


def with_figures(text: str, place: str) -> str:
    """A page with figures where it asks for them: <!-- figure: NAME -->."""
    folder = "../" * place.count("/") + "gallery"
    return MARK.sub(lambda found: "\n".join(figure(found[1], folder)), text)
