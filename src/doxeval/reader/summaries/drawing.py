"""Drawings of summaries: a table, a graph in the DOT language, a picture in layers by depth."""

from __future__ import annotations

from html import escape

import numpy as np

from doxeval.reader.summaries.structure import Summary

ROW, BOX, GAP, LETTER = 78, 44, 18, 7


def as_table(summary: Summary, most: int) -> str:
    """Classes by steady state, the largest first."""
    shown = _largest(summary, most)
    width = max([5, *(len(summary.names[at]) for at in shown)])
    lines = [f"{'class':<{width}} {'nodes':>10} {'characters':>13} {'depth':>6} {'pi':>8}"]
    lines += [
        f"{summary.names[at]:<{width}} {summary.extent[at]:>10,} {summary.length[at]:>13,} "
        f"{summary.mean_depth[at]:>6.1f} {summary.steady[at]:>8.4f}"
        for at in shown
    ]
    left = len(summary.names) - len(shown)
    return "\n".join([*lines, *([f"... and {left:,} more classes"] if left else [])])


def _largest(summary: Summary, most: int) -> list[int]:
    return np.argsort(-summary.steady, kind="stable")[:most].tolist()


def _kept_edges(summary: Summary, shown: list[int]) -> list[tuple[int, int, float]]:
    wanted = set(shown)
    return [edge for edge in summary.edges() if edge[0] in wanted and edge[1] in wanted]


def _caption(summary: Summary, at: int) -> str:
    return f"{summary.extent[at]:,} nodes, pi {summary.steady[at]:.3f}"


def as_dot(summary: Summary, most: int) -> str:
    """The graph in the DOT language of Graphviz."""
    shown = _largest(summary, most)
    lines = ["digraph summary {", "  node [shape=box];"]
    for at in shown:
        name = summary.names[at].replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'  n{at} [label="{name}\\n{_caption(summary, at)}"];')
    lines += [f'  n{a} -> n{b} [label="{weight:g}"];' for a, b, weight in _kept_edges(summary, shown)]
    return "\n".join([*lines, "}"]) + "\n"


def as_svg(summary: Summary, most: int) -> str:
    """A picture: classes in layers by their mean depth, with edges as wide as their weight."""
    shown = _largest(summary, most)
    layers: dict[int, list[int]] = {}
    for at in sorted(shown, key=lambda at: summary.names[at]):
        layers.setdefault(round(float(summary.mean_depth[at])), []).append(at)
    place: dict[int, tuple[float, float, float]] = {}
    for row, depth in enumerate(sorted(layers)):
        left = float(GAP)
        for at in layers[depth]:
            text = max(len(_short(summary.names[at])), len(_caption(summary, at)))
            width = text * LETTER + 14.0
            place[at] = (left, GAP + row * ROW, width)
            left += width + GAP
    total_width = max([x + width for x, _, width in place.values()], default=0) + GAP
    height = GAP + len(layers) * ROW
    edges = _kept_edges(summary, shown)
    heaviest = max((weight for *_, weight in edges), default=1.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total_width:.0f} {height}" '
        'font-family="monospace" font-size="11">'
    ]
    parts += [_edge(place[a], place[b], weight / heaviest) for a, b, weight in edges]
    parts += [_box(summary, at, *place[at]) for at in shown]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _short(name: str) -> str:
    return name if len(name) <= 40 else "..." + name[-37:]


def _edge(start: tuple[float, float, float], end: tuple[float, float, float], share: float) -> str:
    x1, y1 = start[0] + start[2] / 2, start[1] + BOX
    x2, y2 = end[0] + end[2] / 2, end[1]
    width = 0.5 + 5 * share
    if start == end:
        x, y = start[0] + start[2], start[1] + BOX / 2
        bow = f"C{x + 16:.1f},{y - 20:.1f} {x + 16:.1f},{y + 20:.1f}"
        path = f"M{x - 6:.1f},{y - 8:.1f} {bow} {x - 6:.1f},{y + 8:.1f}"
    else:
        middle = (y1 + y2) / 2
        path = f"M{x1:.1f},{y1:.1f} C{x1:.1f},{middle:.1f} {x2:.1f},{middle:.1f} {x2:.1f},{y2:.1f}"
    return f'<path d="{path}" fill="none" stroke="#8a9aa9" stroke-width="{width:.2f}"/>'


def _box(summary: Summary, at: int, x: float, y: float, width: float) -> str:
    name = escape(_short(summary.names[at]))
    return (
        f"<g><title>{escape(summary.names[at])}</title>"
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{BOX}" rx="4" fill="#f4f7fa" '
        'stroke="#3b5b78"/>'
        f'<text x="{x + 7:.1f}" y="{y + 18:.1f}">{name}</text>'
        f'<text x="{x + 7:.1f}" y="{y + 34:.1f}" fill="#555">{_caption(summary, at)}</text></g>'
    )
