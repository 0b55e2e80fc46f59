"""Build the documentation as a site: ``make docs``, into build/site.

Every text has one home: pages of ideas in `docs/ideas`, of other tools in `docs/integrations`, families of
measures and tutorials in `docs`, the rest at the top of the repository. Here they are put side by side, their
links turned to where they now stand; the pages of measures, commands, papers and Python names are made from
the code, their examples run. A link that leads nowhere fails the build, and so does an example.

The site is a folder named after the version, so that several versions stand side by side (beside.py).

The generator is mkdocs with Material. The site fetches nothing: no webfonts, formulas are MathML, and search
runs from files too, in a frame of our own where Material would load one from elsewhere
(site/iframe-worker.js).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

from docs import command_pages, gallery_page, measure_pages, python_pages
from docs.beside import write_llms, write_markdown, write_versions
from docs.examples import commands, workplace
from docs.hero import hero
from docs.measure_pages import entries
from docs.reference import extend_page
from docs.side_by_side import side_by_side_page
from docs.typeset import cited, papers, plain

import doxeval
from doxeval.cli import COMMAND_GROUPS
from doxeval.measurement.describe import by_question

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs"
ASSETS = PAGES / "site"
FOLDERS = ("ideas", "integrations", "papers", "studies", "coming-from")
LINK = re.compile(r"""(\]\(|(?:src|srcset)=")([^)"\s#]+)(#[^)"\s]*)?([)"])""")
"""A link, or a picture, in Markdown or HTML."""
COPIED = (".webp", ".ipynb")
"""Files that go into the site as they are."""
FENCE = re.compile(r"(```.*?```)", re.DOTALL)
REPORT = "demo-report.html"

START = ("landing.md", "install.md", "choose.md")
TASKS = {
    "tasks.md": "",
    "tutorial-rag.md": "RAG, retrieval-augmented generation, chunk size, chunking, recall, LangChain",
    "integrations/continuous-integration.md": "CI, regression, GitHub Actions, gate, threshold, recall",
    "tutorial-judging.md": "annotation, labelling, labels, gold, ground truth, annotators, agreement",
    "tutorial-researcher.md": "paper, LaTeX, significance, p-value, figure, TREC, INEX",
    "tutorial-agents.md": "agent, trajectory, SWE-agent, Claude Code, Codex, OpenHands, tool calls",
    "tutorial-code.md": "SWE-bench, code search, bug localisation, localization, patch, repository",
    "tutorial-measure.md": "own metric, custom metric, plugin",
    "integrations/citations.md": "hallucination, faithfulness, groundedness, citation, quotation, made up",
}
"""The pages of tasks, with other words by which people look for them."""
BOOST = {"task": 8.0, "made": 0.4}
"""How far up search lists tasks, and how far down the references made from the code."""
HELP = ("agents.md", "json.md", "config.md", "coming-from.md", "faq.md", "vocabulary.md")
PROJECT = ("errata.md", "life-of-a-score.md", "performance.md", "robustness.md", "scale.md")


def places() -> dict[Path, str]:
    """Where every text stands in the site."""
    found = {ROOT / "README.md": "overview.md", PAGES / "README.md": "contents.md"}
    found |= {ROOT / "CONTRIBUTING.md": "extending.md", ROOT / "CHANGELOG.md": "changelog.md"}
    found |= {ROOT / "LICENSE": "licence.md", ROOT / "CITATION.cff": "CITATION.cff"}
    for folder in FOLDERS:
        found |= {page: f"{folder}/{page.name}" for page in sorted((PAGES / folder).glob("*.md"))}
    found |= {page: page.name for page in sorted(PAGES.glob("*.md")) if page.name != "README.md"}
    found |= {drawing: drawing.name for drawing in sorted(PAGES.glob("*.svg"))}
    copied = sorted([*PAGES.glob("pictures/*.webp"), *PAGES.glob("notebooks/*.ipynb")])
    found |= {path: path.relative_to(PAGES).as_posix() for path in copied}
    return found | {PAGES / "landing.md": "index.md"}


def made_places() -> set[str]:
    """The pages that are made from the code."""
    named = {entry.place for of_kind in entries().values() for entry in of_kind.values()}
    named |= {command_pages.place(name) for name in commands()}
    named |= {python_pages.place(name) for name in python_pages.names()}
    return named | {
        "measures.md",
        "commands.md",
        "api.md",
        "extend.md",
        "side-by-side.md",
        "papers.md",
        "gallery.md",
    }


def linked(text: str, page: Path, known: dict[Path, str]) -> tuple[str, list[str]]:
    """A page's text with its links turned to the site, and the links that lead nowhere."""
    broken = []
    made = made_places()

    def turned(match: re.Match[str]) -> str:
        opening, target, anchor, closing = match.groups()
        if re.match(r"[a-z]+:", target):
            return match[0]
        goal = (page.parent / target).resolve()
        place = known.get(goal)
        if place is None and goal.is_relative_to(PAGES) and goal.relative_to(PAGES).as_posix() in made:
            place = goal.relative_to(PAGES).as_posix()
        if place is not None:
            target = os.path.relpath(place, Path(known[page]).parent)
        else:
            broken.append(f"{page.relative_to(ROOT)}: {target}")
        return f"{opening}{target}{anchor or ''}{closing}"

    parts = FENCE.split(text)
    parts[::2] = [LINK.sub(turned, part) for part in parts[::2]]
    return "".join(parts), broken


def navigation(known: dict[Path, str]) -> list[dict[str, Any]]:
    """The chapters of the site."""
    own = [place for page, place in known.items() if page.parent == PAGES and page.suffix == ".md"]
    first = [known[PAGES / name] for name in START]
    families = [place for place in own if place not in ("contents.md", *first, *TASKS, *HELP, *PROJECT)]
    ideas, tools, of_papers, studies, others = (
        [place for place in known.values() if place.startswith(f"{folder}/") and place not in TASKS]
        for folder in FOLDERS
    )
    of_commands = [
        {title: [command_pages.place(one) for one in commands() if one.split()[0] in names]}
        for title, names in COMMAND_GROUPS.items()
    ]
    functions = [python_pages.place(one) for one in python_pages.names() if one[0].islower()]
    classes = [python_pages.place(one) for one in python_pages.names() if one[0].isupper()]
    every = entries()
    of_questions = [
        {question: [every["measures"][one.name].place for one in asking]}
        for question, asking in by_question().items()
    ]
    return [
        {"Start": [{"Welcome": first[0]}, *first[1:],
                   {"Gallery": "gallery.md"}, {"In short": "overview.md"}, {"All pages": "contents.md"}]},
        {"Tasks": list(TASKS)},
        {"Measures": [{"All measures": "measures.md"}, *of_questions,
                      {"Document scores": [one.place for one in every["scores"].values()]},
                      {"Navigation models": [one.place for one in every["models"].values()]}]},
        {"Ideas": ideas},
        {"In depth": families},
        {"Inside other tools": tools},
        {"The papers": of_papers},
        {"Studies": studies},
        {"Commands": ["commands.md", *of_commands]},
        {"Python": ["api.md", "extend.md", "side-by-side.md",
                    {"Functions": functions}, {"Classes": classes}]},
        {"Reference": [*HELP, {"Coming from": others}, "papers.md"]},
        {"Project": ["extending.md", *PROJECT, "changelog.md", "licence.md"]},
    ]  # fmt: skip


def papers_page() -> str:
    """Every paper with its full reference."""
    about = (
        "What the measures are taken from, and the short names by which `doxeval measures` calls five of "
        "them. What they misprint is on [a page of its own](errata.md)."
    )
    lines = ["# Papers", "", about, ""]
    for key, entry in sorted(papers().items(), key=lambda pair: (pair[1]["author"], pair[1]["year"])):
        cites = [
            f"[{one.name}]({one.place})"
            for of_kind in entries().values()
            for one in of_kind.values()
            if key in one.told["papers"]
        ]
        lines += [f"## {plain(entry['title'])}", "", *cited([key]), plain(entry["note"]), ""]
        lines += [f"Here: {', '.join(cites)}.", ""] if cites else []
    return "\n".join(lines)


def demo_report(target: Path) -> None:
    """The report of the demo, as `doxeval demo` makes it."""
    from doxeval import DoxevalWarning, write_report
    from doxeval.demo import ANSWERS, DOCUMENTS, QUESTIONS, RUNS

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DoxevalWarning)
        write_report(
            sorted(RUNS.glob("*.jsonl")),
            ANSWERS,
            "iR@2000c AiP iP@5 iR@5 IoU@5",
            DOCUMENTS,
            path=target,
            topics_file=QUESTIONS,
            title="Six systems on twelve pages",
        )


def found_by(place: str, text: str, made: set[str]) -> str:
    """A page with what search needs: tasks by other words and far up, references far down."""
    words = [word.strip() for word in TASKS.get(place, "").split(",") if word]
    boost = BOOST["task"] if place in TASKS else BOOST["made"] if place in made else None
    if words:
        text = f'{text.rstrip()}\n\n<p class="other-words">In other words: {", ".join(words)}.</p>\n'
    tags = [part for word in words for part in re.split(r"[\s-]", word)]
    told = {"search": {"boost": boost}, "tags": tags}
    return text if boost is None else f"---\n{json.dumps(told)}\n---\n\n{text}"


def gathered(source: Path) -> dict[str, str]:
    """Put all pages into one folder, the made ones with their pictures; returns them by their places."""
    shutil.rmtree(source, ignore_errors=True)
    known = places()
    broken: list[str] = []
    texts = {}
    for page, place in known.items():
        if page.suffix in COPIED:
            (source / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(page, source / place)
            continue
        texts[place], wrong = linked(page.read_text(encoding="utf-8"), page, known)
        broken += wrong
    if broken:
        sys.exit("links that lead nowhere:\n" + "\n".join(broken))
    texts |= measure_pages.pages()
    with workplace():
        texts |= command_pages.pages() | python_pages.pages()
        gallery_page.make(source / "gallery")
    texts = {place: gallery_page.with_figures(text, place) for place, text in texts.items()}
    texts["gallery.md"] = gallery_page.page()
    texts |= {"side-by-side.md": side_by_side_page(), "extend.md": extend_page(), "papers.md": papers_page()}
    made = made_places()
    texts = {place: found_by(place, text, made) for place, text in texts.items()}
    shown = (
        f'<p><a class="md-button md-button--primary" href="{REPORT}">Open the report of the demo</a></p>\n'
        "<details><summary>or look at it here</summary>"
        f'<iframe class="live-report" src="{REPORT}" title="The report of the demo" loading="lazy"></iframe>'
        "</details>"
    )
    landing = texts["index.md"].replace("<!-- picture -->", hero()).replace("<!-- report -->", shown)
    texts["index.md"] = f"---\nhide:\n  - toc\n---\n\n{landing}"
    for place, text in texts.items():
        target = source / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    for asset in ("site.css", "site.js", "toy.js", "iframe-worker.js"):
        shutil.copy(ASSETS / asset, source / asset)
    demo_report(source / REPORT)
    return texts


def chapters(parts: list[Any]) -> list[str]:
    """The places in a part of the navigation, in order."""
    found: list[str] = []
    for part in parts:
        inside = next(iter(part.values())) if isinstance(part, dict) else part
        found += [inside] if isinstance(inside, str) else chapters(inside)
    return found


def settings(into: Path) -> dict[str, Any]:
    """What mkdocs is told."""
    palette = [
        {
            "media": f"(prefers-color-scheme: {name})",
            "scheme": scheme,
            "primary": "custom",
            "accent": "custom",
            "toggle": {"icon": f"material/weather-{icon}", "name": f"Switch to {other}"},
        }
        for name, scheme, icon, other in (
            ("light", "default", "night", "dark"),
            ("dark", "slate", "sunny", "light"),
        )
    ]
    features = (
        "navigation.tabs navigation.top navigation.prune navigation.footer search.highlight search.suggest"
    )
    return {
        "site_name": "doxeval",
        "docs_dir": str(into / "docs"),
        "site_dir": str(into / "site" / doxeval.__version__),
        "nav": navigation(places()),
        "theme": {"name": "material", "custom_dir": str(ASSETS / "theme"), "font": False,
                  "palette": palette, "features": features.split(),
                  "icon": {"logo": "material/ruler-square"}},
        "plugins": {"search": {"separator": r"[\s,:!=\[\]()\"/`-]+|\.(?!\d)"}, "offline": {}},
        "markdown_extensions": ["tables", "def_list", "md_in_html", "attr_list", "pymdownx.superfences",
                                {"pymdownx.highlight": {"use_pygments": True}}, {"toc": {"permalink": True}}],
        "extra": {"generator": False, "polyfills": ["iframe-worker.js"]},
        "extra_css": ["site.css"],
        "extra_javascript": ["site.js", "toy.js"],
        "use_directory_urls": False,
        "validation": {"links": {"anchors": "warn", "unrecognized_links": "warn"}},
    }  # fmt: skip


def build(into: Path) -> Path:
    """Build the site in a folder; whatever mkdocs would warn about is an error."""
    texts = gathered(into / "docs")
    config = into / "mkdocs.yml"
    config.write_text(json.dumps(settings(into)), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(config)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=quiet)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    site = into / "site" / doxeval.__version__
    write_markdown(texts, site)
    listed = {title: chapters(parts) for one in navigation(places()) for title, parts in one.items()}
    write_llms(listed, texts, site)
    write_versions(site.parent, doxeval.__version__)
    return site.parent / "index.html"


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build"
    print(f"The documentation is in {os.path.relpath(build(folder.resolve()))}")
