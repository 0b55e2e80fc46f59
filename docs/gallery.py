"""The gallery of measures: each with its reader, and a picture of what that reader gains from a toy list."""

from __future__ import annotations

import inspect
import re
import warnings
from html import escape
from typing import Any

import numpy as np

import doxeval as dx
from doxeval.ground.align import align
from doxeval.measurement.base import Measure, measures
from doxeval.measurement.describe import default_text, form
from doxeval.scoring.evaluation import Evaluation
from doxeval.show.explanation.explain import differences

INK, SOFT, RELEVANT, SHOWN, GAIN, LOSS = "#1c2430", "#5b6675", "#0b7a63", "#2a6f97", "#0b7a63", "#b5480c"
LENGTHS = {"a": 120, "b": 80, "c": 60}


def _document(name: str, length: int) -> dict:
    nodes = [{"id": "r", "parent": None, "tag": "article", "start": 0, "end": length}]
    for number, start in enumerate(range(0, length, 40)):
        end = min(length, start + 40)
        nodes.append({"id": f"s{number}", "parent": "r", "tag": "sec", "start": start, "end": end})
    return {"doc": name, "text": ("word " * length)[:length], "nodes": nodes}


DOCUMENTS = [_document(name, length) for name, length in LENGTHS.items()]
RELEVANT_RANGES = {"a": [(20, 60)], "b": [(0, 30)], "c": []}
RESULTS = [("a", 0, 40), ("c", 0, 40), ("a", 20, 70), ("b", 40, 80)]


def toy() -> Any:
    """Assessments and results of the picture: a hit, a miss, a repetition, and a near-miss."""
    qrels = [{"topic": "t", "doc": name} for name in LENGTHS]
    qrels += [
        {"topic": "t", "doc": name, "start": start, "end": end, "aspects": ["A" if name == "a" else "B"]}
        for name, ranges in RELEVANT_RANGES.items()
        for start, end in ranges
    ]
    run = [
        {"topic": "t", "doc": doc, "rank": rank, "score": 9 - rank, "start": start, "end": end}
        for rank, (doc, start, end) in enumerate(RESULTS, 1)
    ]
    return qrels, run


INTRODUCTION = """# Measures

Every measure with its reader. The pictures show one toy list: two documents hold relevant text (green), four
results are read in turn (blue, numbered). The bars say what each result adds to the score; what no result
stands for is hatched. `doxeval measures NAME` tells the same on a terminal.
"""


def gallery() -> tuple[str, dict[str, str]]:
    """The page, and its pictures by file name."""
    lines = [INTRODUCTION]
    pictures = {}
    for measure in measures().values():
        lines += [f"## {measure.name}", "", f"`{form(measure)}`", "", f"*{measure.user}*", ""]
        if drawn := picture(measure):
            pictures[f"{measure.name}.svg"] = drawn
            lines += [f"![what each result adds to {measure.name}](pictures/{measure.name}.svg)", ""]
        lines += [_markdown(inspect.cleandoc(measure.__doc__ or "")), "", f"From: {measure.paper}.", ""]
        if measure.parameters:
            lines += ["| parameter | default | what |", "|---|---|---|"]
            lines += [
                f"| `{p.name}` | `{default_text(p)}` | {p.help}; {p.allowed} |" for p in measure.parameters
            ]
            lines.append("")
        if measure.needs:
            lines += [f"Needs: {', '.join(sorted(measure.needs))}.", ""]
    return "\n".join(lines), pictures


def _markdown(text: str) -> str:
    """A docstring as Markdown: double backquotes are code."""
    return re.sub(r"``(.+?)``", r"`\1`", re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`", r"`\1`", text))


def picture(measure: type[Measure]) -> str:
    """What each result of the toy list adds to the measure's example; empty where the toy is not enough."""
    example = re.sub(r"@(\d+)$", "@4", measure.example or measure.name)
    qrels, results = toy()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dx.DoxevalWarning)
            evaluation = Evaluation(qrels, example, DOCUMENTS)
            topics = align(dx.read_run(results, name="toy"), evaluation.ground)
            (chosen,) = evaluation.measures
            value = float(chosen(topics)[0])
            shares = chosen.explain(topics) or differences(chosen, topics)
    except dx.DoxevalError:
        return ""
    if not np.isfinite(value):
        return ""
    added = dict(zip(shares.topics.row.tolist(), shares.added.tolist(), strict=True))
    bars = [added.get(row, 0.0) for row in range(len(RESULTS))]
    return _drawn(example, value, bars, float(shares.rest[0]))


def _drawn(example: str, value: float, bars: list[float], rest: float) -> str:
    """The toy's documents and results on the left, what each result adds on the right."""
    told = escape(f"{example} = {value:.4f}")
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 150" width="640" height="150" '
        f'font-family="sans-serif" font-size="11" role="img"><title>{told}</title>{HATCHED}'
        f'<rect width="640" height="150" fill="#ffffff"/>{_documents()}{_bars(bars, rest)}'
        f"{_text(632, 14, told, INK, 'end', 'bold')}</svg>\n"
    )


HATCHED = (
    '<defs><pattern id="rest" width="4" height="4" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)">'
    f'<rect width="4" height="4" fill="#eef1f4"/><rect width="2" height="4" fill="{SOFT}"/></pattern></defs>'
)


def _documents() -> str:
    parts = []
    for row, (name, length) in enumerate(LENGTHS.items()):
        top = 18 + row * 44
        parts.append(_rect(24, top, 2 * length, 14, "#eef1f4", f'stroke="{SOFT}"'))
        parts.append(_text(8, top + 11, name, SOFT))
        for start, end in RELEVANT_RANGES[name]:
            parts.append(_rect(24 + 2 * start, top + 1, 2 * (end - start), 12, RELEVANT, 'opacity=".55"'))
        here = [(rank, start, end) for rank, (doc, start, end) in enumerate(RESULTS, 1) if doc == name]
        for level, (rank, start, end) in enumerate(here):
            y = top + 19 + 9 * level
            bracket = f"M{24 + 2 * start} {y - 3}v5h{2 * (end - start)}v-5"
            parts.append(f'<path d="{bracket}" fill="none" stroke="{SHOWN}" stroke-width="2"/>')
            parts.append(_text(28 + 2 * end, y + 4, str(rank), SHOWN, weight="bold"))
    return "".join(parts)


def _bars(bars: list[float], rest: float) -> str:
    parts = []
    most = max(*map(abs, bars), abs(rest), 1e-9)
    columns = [(str(rank), bar) for rank, bar in enumerate(bars, 1)] + ([("rest", rest)] if rest else [])
    for at, (label, bar) in enumerate(columns):
        x, size = 320 + at * 38, abs(bar) / most * 44
        y = 72 - size if bar > 0 else 72
        fill = "url(#rest)" if label == "rest" else (GAIN if bar > 0 else LOSS)
        parts.append(_rect(x, y, 24, max(size, 0.6), fill))
        parts.append(_text(x + 12, 142, label, SOFT, "middle"))
        if bar:
            parts.append(_text(x + 12, y - 4 if bar > 0 else y + size + 12, f"{bar:.3g}", INK, "middle"))
    parts.append(f'<line x1="312" x2="{328 + 38 * len(columns)}" y1="72" y2="72" stroke="{SOFT}"/>')
    return "".join(parts)


def _rect(x: float, y: float, width: float, height: float, fill: str, more: str = "") -> str:
    return f'<rect x="{x:g}" y="{y:.1f}" width="{width:g}" height="{height:.1f}" fill="{fill}" {more}/>'


def _text(x: float, y: float, text: str, fill: str, anchor: str = "start", weight: str = "normal") -> str:
    place = f'x="{x:g}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{fill}" font-weight="{weight}">{text}</text>'
