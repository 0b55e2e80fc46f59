"""The pictures of the README, made from the demo: ``make pictures``, into docs/pictures.

The answer page of the demo's report, light and dark, and a short film of the terminal, the report and the
judging desk. A browser draws them, so they are kept in the repository, with a digest of all they show: a test
fails when the program has changed since.
"""

from __future__ import annotations

import hashlib
import html
import io
import json
import os
import re
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import doxeval as dx
from doxeval.cli import group
from doxeval.demo import DOCUMENTS, QUESTIONS, RUNS

ROOT = Path(__file__).resolve().parents[1]
HOME = ROOT / "docs" / "pictures"
DIGEST = HOME / "made-from.json"
DRAWN_BY = ("src/doxeval/show/assets", "src/doxeval/show/report/assets", "src/doxeval/judging/assets")
SIZE = {"width": 1080, "height": 640}
FILM = {"width": 900, "height": 540}
TYPED = "doxeval demo"
LETTER = """place => {
  const walker = document.createTreeWalker(document.querySelector('.text'), NodeFilter.SHOW_TEXT);
  let node;
  while ((node = walker.nextNode()) && !node.textContent.includes(place)) ;
  const range = document.createRange(), at = node.textContent.indexOf(place);
  node.parentElement.closest('.block')?.scrollIntoView({block: 'center'});
  range.setStart(node, at);
  range.setEnd(node, at + place.length);
  const boxes = range.getClientRects(), first = boxes[0], last = boxes[boxes.length - 1];
  return [first.left + 1, first.top + first.height / 2, last.right - 2, last.top + last.height / 2];
}"""
MARKED = "worth the probability that this happens."
TERMINAL = (
    "<!doctype html><meta charset=utf-8><style>body {{ margin: 0; background: #10171f; color: #dfe7ef; }}"
    "pre {{ font: 13px/1.42 'DejaVu Sans Mono', monospace; padding: 16px 20px; white-space: pre-wrap; }}"
    "b {{ color: #7fd6a4; font-weight: 600; }}</style><pre><b>$</b> {typed}\n{printed}</pre>"
)


def demo_output(report: Path) -> str:
    """What the demo prints, without the place of its report."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = CliRunner(env={"COLUMNS": "100"}).invoke(group, ["demo", "--no-open", "--report", str(report)])
    assert done.exit_code == 0, done.output
    told = "Open the report in a browser: doxeval-demo.html\n"
    return re.sub(r"(?ms)^Open the report.*?(?=^To play)", told, done.stdout)


def digest(printed: str) -> str:
    """A digest of what the pictures show: what the demo prints, and what draws the pages."""
    found = hashlib.sha256(printed.encode())
    for folder in DRAWN_BY:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file():
                found.update(path.read_bytes())
    return found.hexdigest()


def desk(target: Path) -> None:
    """The page on which the demo's documents are judged, as one file."""
    runs = [RUNS / "paragraphs.jsonl", RUNS / "chunks-400.jsonl"]
    pool = dx.pool(runs, documents=DOCUMENTS, depth=2, topics_file=QUESTIONS)
    dx.judge(pool, DOCUMENTS, assessors="ann", offline=target)


def terminal(printed: str, folder: Path) -> Iterator[tuple[Path, int]]:
    """Pages that show a terminal while the demo is typed and prints, each with its milliseconds."""
    sentences, table = printed.split("\n\nrun", 1)
    shown = [(TYPED[:3], "", 250), (TYPED[:8], "", 250), (TYPED, "", 700)]
    shown += [(TYPED, sentences, 2600), (TYPED, f"{sentences}\n\nrun{table}", 3200)]
    for number, (typed, text, time) in enumerate(shown):
        page = folder / f"terminal-{number}.html"
        page.write_text(
            TERMINAL.format(typed=html.escape(typed), printed=html.escape(text)), encoding="utf-8"
        )
        yield page, time


def film(browser: Any, folder: Path, printed: str, report: Path) -> list[tuple[bytes, int]]:
    """The frames of the film, each with its milliseconds."""
    page = browser.new_page(viewport=FILM)
    frames = []
    for still, time in terminal(printed, folder):
        page.goto(still.as_uri())
        frames.append((page.screenshot(), time))
    page.goto(report.as_uri())
    page.wait_for_timeout(800)
    frames.append((page.screenshot(), 3200))
    desk(folder / "desk.html")
    page.goto((folder / "desk.html").as_uri())
    page.wait_for_selector(".text .block")
    page.wait_for_timeout(500)
    frames.append((page.screenshot(), 1600))
    x, y, to_x, to_y = page.evaluate(LETTER, MARKED)
    page.wait_for_timeout(300)
    x, y, to_x, to_y = page.evaluate(LETTER, MARKED)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move((x + to_x) / 2, (y + to_y) / 2, steps=3)
    frames.append((page.screenshot(), 700))
    page.mouse.move(to_x, to_y, steps=3)
    page.mouse.up()
    page.wait_for_timeout(400)
    frames.append((page.screenshot(), 3000))
    return frames


def make(into: Path = HOME) -> None:
    """Make all pictures anew."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    into.mkdir(parents=True, exist_ok=True)
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder, report = Path(name), Path(name) / "report.html"
        printed = demo_output(report)
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport=SIZE, color_scheme=scheme, device_scale_factor=1.5)
            page.goto(report.as_uri())
            page.wait_for_timeout(800)
            still = Image.open(io.BytesIO(page.screenshot()))
            still.save(into / f"answer-{scheme}.webp", quality=80, method=6)
        frames = film(browser, folder, printed, report)
        images = [Image.open(io.BytesIO(picture)).convert("RGB") for picture, _ in frames]
        images[0].save(
            into / "tour.webp", save_all=True, append_images=images[1:], loop=0, quality=72, method=6,
            duration=[time for _, time in frames],
        )  # fmt: skip
        browser.close()
    (into / DIGEST.name).write_text(json.dumps({"sha256": digest(printed)}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    make()
    for path in sorted(HOME.iterdir()):
        print(f"{os.path.relpath(path)}: {path.stat().st_size / 1000:.0f} kB")
