"""The picture on the landing page: one document, one answer, three ways to return it, and their scores."""

from __future__ import annotations

import json
from html import escape

import doxeval as dx

LENGTH, ANSWER = 1200, (400, 600)
SYSTEMS = {
    "whole document": [(0, 1200)],
    "sections": [(360, 660)],
    "windows, half overlapping": [(300, 550), (425, 675)],
}
MEASURES = ("iP@5", "iR@5", "IoU@5")
TRY = "Move a chunk, or either of its edges: drag, or use Tab and the arrow keys."


def scores() -> dict[str, list[float]]:
    """What the systems score, in the order of the measures."""
    answers = [{"topic": "q1", "doc": "lease", "start": ANSWER[0], "end": ANSWER[1]}]
    runs = {
        name: [
            {"topic": "q1", "doc": "lease", "rank": rank, "start": start, "end": end}
            for rank, (start, end) in enumerate(ranges, 1)
        ]
        for name, ranges in SYSTEMS.items()
    }
    found = dx.evaluate(runs, answers, " ".join(MEASURES))
    return {name: [found.value(name, measure) or 0.0 for measure in MEASURES] for name in SYSTEMS}


def hero() -> str:
    """The picture, to scale; its chunks can be moved where there is JavaScript."""
    scale, left, width = 0.36, 10, 690

    def at(place: float) -> float:
        return left + scale * place

    parts = [f'<text x="{left}" y="16" class="big">one document, its answer highlighted once</text>']
    parts.append(f'<rect x="{left}" y="26" width="{scale * LENGTH:g}" height="26" class="paper"/>')
    start, end = ANSWER
    parts.append(
        f'<rect x="{at(start):g}" y="26" width="{scale * (end - start):g}" height="26" class="relevant"/>'
    )
    for column, measure in enumerate(MEASURES):
        parts.append(f'<text x="{500 + 70 * column}" y="44" class="label middle">{measure}</text>')
    told, systems = [], []
    for row, (name, values) in enumerate(scores().items()):
        top = 78 + 54 * row
        parts.append(f'<text x="{left}" y="{top}" class="label">{name}</text>')
        tops = [top + 6 + 12 * level for level in range(len(SYSTEMS[name]))]
        systems.append({"name": name, "results": SYSTEMS[name], "tops": tops})
        for (start, end), y in zip(SYSTEMS[name], tops, strict=True):
            parts.append(f'<path class="shown" d="M{at(start):g} {y}v6h{scale * (end - start):g}v-6"/>')
        for column, (measure, value) in enumerate(zip(MEASURES, values, strict=True)):
            parts.append(
                f'<text x="{500 + 70 * column}" y="{top + 14}" class="big middle" data-system="{name}" '
                f'data-measure="{measure}" data-value="{value!r}">{value:.2f}</text>'
            )
        figures = ", ".join(f"{measure} {value:.2f}" for measure, value in zip(MEASURES, values, strict=True))
        told.append(f"{name}: {figures}")
    label = "One document with its answer, and what three systems return of it. " + "; ".join(told)
    svg = f'<svg viewBox="0 0 {width} 236" role="img" aria-label="{label}">{"".join(parts)}</svg>'
    moved = {"length": LENGTH, "answer": ANSWER, "scale": scale, "width": width, "systems": systems}
    caption = f"<figcaption>{TRY}</figcaption>"
    return f'<figure class="hero toy-like" data-hero="{escape(json.dumps(moved))}">{svg}{caption}</figure>'
