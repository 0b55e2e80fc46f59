"""Drawings of summaries: a table, a graph in the DOT language, a picture in layers by depth."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from doxeval.core.table import Table
from doxeval.reader.summaries.partition import Partition
from doxeval.reader.summaries.structure import Summary
from doxeval.reader.summaries.walk_steps import number
from doxeval.tables.documents import Documents

ROW, BOX, GAP, LETTER = 88, 44, 24, 7
NODES_SHOWN = 12
Extents = Sequence[Sequence[str]] | None
NodeBox = tuple[float, float, float]


def as_table(summary: Summary, most: int, extents: Extents = None) -> Table:
    """Classes by steady state, the largest first."""
    shown = _largest(summary, most)
    header = ["", "class", "nodes", "characters", "depth", "pi", *(["extent"] if extents else [])]
    body = [
        [summary.labels[code], summary.names[code], f"{summary.extent[code]:,}", f"{summary.length[code]:,}",
         f"{summary.mean_depth[code]:.1f}", f"{summary.steady[code]:.4f}",
         *([_in_braces(extents[code])] if extents else [])]
        for code in shown
    ]  # fmt: skip
    left = len(summary.names) - len(shown)
    return Table(header, body, 2, [f"... and {left:,} more classes"] if left else [])


def as_rows(summary: Summary, extents: Extents = None) -> list[dict[str, Any]]:
    """All classes, for programs; the nodes of an extent are separated by blanks."""
    columns = {"class": summary.names, "nodes": summary.extent.tolist(),
               "characters": summary.length.tolist(), "depth": summary.mean_depth.tolist(),
               "pi": summary.steady.tolist()}  # fmt: skip
    if extents:
        columns["extent"] = list(map(" ".join, extents))
    every = zip(summary.labels, *columns.values(), strict=True)
    return [dict(zip(("id", *columns), row, strict=True)) for row in every]


def extents_of(documents: Documents, classes: Partition) -> list[list[str]]:
    """The nodes of every class: their ids, or paths, after the document if there are several."""
    told = map(documents.node_told, range(len(classes.code)))
    names = [name if len(documents) > 1 else name.partition(": ")[2] for name in told]
    extents: list[list[str]] = [[] for _ in classes.names]
    for name, code in zip(names, classes.code.tolist(), strict=True):
        extents[code].append(name)
    return extents


def _in_braces(nodes: Sequence[str]) -> str:
    """An extent as SR Figure 5 writes it, cut where it is long."""
    more = [f"... {len(nodes) - NODES_SHOWN:,} more"] if len(nodes) > NODES_SHOWN else []
    return f"{{{', '.join([*nodes[:NODES_SHOWN], *more])}}}"


def _largest(summary: Summary, most: int) -> list[int]:
    """The classes with the largest pi; those that differ by nothing but rounding stay in order."""
    return np.argsort(-summary.steady.round(12), kind="stable")[:most].tolist()


def _kept_edges(summary: Summary, shown: list[int]) -> list[tuple[int, int, float]]:
    wanted = set(shown)
    return [edge for edge in summary.edges() if edge[0] in wanted and edge[1] in wanted]


def _caption(summary: Summary, at: int, extents: Extents) -> str:
    nodes = _in_braces(extents[at]) if extents else f"{summary.extent[at]:,} nodes"
    return f"{nodes}, pi {summary.steady[at]:.3f}"


def as_dot(summary: Summary, most: int, extents: Extents = None) -> str:
    """The graph in the DOT language of Graphviz."""
    shown = _largest(summary, most)
    lines = ["digraph summary {", "  node [shape=box];"]
    for code in shown:
        name = _named(summary, code).replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'  n{code} [label="{name}\\n{_caption(summary, code, extents)}"];')
    lines += [f'  n{a} -> n{b} [label="{weight:g}"];' for a, b, weight in _kept_edges(summary, shown)]
    return "\n".join([*lines, "}"]) + "\n"


def as_svg(summary: Summary, most: int, extents: Extents = None) -> str:
    """A picture: classes in layers by their mean depth, with weights on the edges, and widths by weight."""
    shown = _largest(summary, most)
    layers: dict[int, list[int]] = {}
    for code in sorted(shown):
        layers.setdefault(round(float(summary.mean_depth[code])), []).append(code)
    place: dict[int, NodeBox] = {}
    for row, depth in enumerate(sorted(layers)):
        left = float(GAP)
        for code in layers[depth]:
            text = max(len(_short(_named(summary, code))), len(_caption(summary, code, extents)))
            width = text * LETTER + 14.0
            place[code] = (left, GAP + row * ROW, width)
            left += width + GAP
    total_width = max([x + width for x, _, width in place.values()], default=0) + GAP
    height = GAP + len(layers) * ROW
    edges = _kept_edges(summary, shown)
    heaviest = max((weight for *_, weight in edges), default=1.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total_width:.0f} {height}" '
        'font-family="monospace" font-size="11">'
    ]
    parts += [_edge(place[a], place[b], weight, weight / heaviest) for a, b, weight in edges]
    parts += [_box(_named(summary, code), _caption(summary, code, extents), *place[code]) for code in shown]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _named(summary: Summary, at: int) -> str:
    return f"{summary.labels[at]} {summary.names[at]}"


def _short(name: str) -> str:
    return name if len(name) <= 40 else "..." + name[-37:]


def _edge(start: NodeBox, end: NodeBox, weight: float, share: float) -> str:
    x1, y1 = start[0] + start[2] / 2, start[1] + BOX
    x2, y2 = end[0] + end[2] / 2, end[1]
    width = 0.5 + 5 * share
    if start == end:
        x, y = start[0] + start[2], start[1] + BOX / 2
        bow = f"C{x + 16:.1f},{y - 20:.1f} {x + 16:.1f},{y + 20:.1f}"
        path = f"M{x - 6:.1f},{y - 8:.1f} {bow} {x - 6:.1f},{y + 8:.1f}"
        x1 = x2 = x + 20
        y1 = y2 = y
    else:
        middle = (y1 + y2) / 2
        path = f"M{x1:.1f},{y1:.1f} C{x1:.1f},{middle:.1f} {x2:.1f},{middle:.1f} {x2:.1f},{y2:.1f}"
    place = f'x="{(x1 + x2) / 2:.1f}" y="{(y1 + y2) / 2 + 4:.1f}" text-anchor="middle"'
    halo = 'stroke="#fff" stroke-width="4" paint-order="stroke"'
    label = f"<text {place} {halo}>{number(weight)}</text>"
    return f'<path d="{path}" fill="none" stroke="#8a9aa9" stroke-width="{width:.2f}"/>{label}'


def _box(name: str, caption: str, x: float, y: float, width: float) -> str:
    return (
        f"<g><title>{escape(name)}</title>"
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{BOX}" rx="4" fill="#f4f7fa" '
        'stroke="#3b5b78"/>'
        f'<text x="{x + 7:.1f}" y="{y + 18:.1f}">{escape(_short(name))}</text>'
        f'<text x="{x + 7:.1f}" y="{y + 34:.1f}" fill="#555">{escape(caption)}</text></g>'
    )
