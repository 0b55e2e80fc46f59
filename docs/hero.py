"""The picture on the landing page: one document, one answer, three ways to return it, and their scores."""

from __future__ import annotations

import doxeval as dx

LENGTH, ANSWER = 1200, (400, 600)
SYSTEMS = {
    "whole document": [(0, 1200)],
    "sections": [(360, 660)],
    "windows, half overlapping": [(300, 550), (425, 675)],
}
MEASURES = ("iP@5", "iR@5", "IoU@5")


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
    """The picture, to scale."""
    scale, left = 0.36, 8
    at = lambda place: left + scale * place  # noqa: E731
    parts = [f'<text x="{left}" y="16" class="big">one document, its answer highlighted once</text>']
    parts.append(f'<rect x="{left}" y="26" width="{scale * LENGTH:g}" height="26" class="paper"/>')
    start, end = ANSWER
    parts.append(
        f'<rect x="{at(start):g}" y="26" width="{scale * (end - start):g}" height="26" class="relevant"/>'
    )
    for column, measure in enumerate(MEASURES):
        parts.append(f'<text x="{500 + 70 * column}" y="44" class="label middle">{measure}</text>')
    told = []
    for row, (name, values) in enumerate(scores().items()):
        top = 78 + 54 * row
        parts.append(f'<text x="{left}" y="{top}" class="label">{name}</text>')
        for level, (start, end) in enumerate(SYSTEMS[name]):
            y = top + 9 + 9 * level
            parts.append(f'<path class="shown" d="M{at(start):g} {y - 3}v6h{scale * (end - start):g}v-6"/>')
        for column, value in enumerate(values):
            parts.append(
                f'<text x="{500 + 70 * column}" y="{top + 14}" class="big middle">{value:.2f}</text>'
            )
        figures = ", ".join(f"{measure} {value:.2f}" for measure, value in zip(MEASURES, values, strict=True))
        told.append(f"{name}: {figures}")
    label = "One document with its answer, and what three systems return of it. " + "; ".join(told)
    svg = f'<svg viewBox="0 0 680 236" role="img" aria-label="{label}">{"".join(parts)}</svg>'
    return f'<figure class="hero">{svg}</figure>'
