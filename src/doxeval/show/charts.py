"""The charts that comparisons and studies draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from doxeval.show.style import DIVERGING, new_figure, plain


def heat_map(rows: Sequence[str], columns: Sequence[str], values: np.ndarray, title: str = "") -> Any:
    """A matrix of correlations, each cell with its value."""
    width, height = 2.5 + 0.65 * len(columns), 1.6 + 0.45 * len(rows)
    figure, axes = new_figure(width, height)
    image = axes.imshow(values, cmap=DIVERGING, vmin=-1, vmax=1, aspect="auto")
    axes.grid(False)
    axes.set_xticks(range(len(columns)), map(plain, columns), rotation=45, ha="right")
    axes.set_yticks(range(len(rows)), map(plain, rows))
    for (r, c), value in np.ndenumerate(values):
        colour = "white" if abs(value) > 0.6 else "black"
        axes.text(
            c, r, "" if np.isnan(value) else f"{value:.2f}", ha="center", va="center", color=colour, size=8
        )
    axes.set_title(plain(title))
    figure.colorbar(image, ax=axes, shrink=0.8)
    return figure


def curves(
    series: Mapping[str, tuple[Sequence[float] | np.ndarray, Sequence[float] | np.ndarray]],
    x_label: str,
    y_label: str,
    title: str = "",
    limit: tuple[float, float] | None = None,
    marks: bool = True,
) -> Any:
    """Lines, one a name; `limit` bounds the vertical axis."""
    figure, axes = new_figure()
    marker = "o" if marks else ""
    lines = [
        axes.plot(x, y, marker=marker, markersize=3, linewidth=1.4, label=plain(name))[0]
        for name, (x, y) in series.items()
    ]
    axes.set_xlabel(plain(x_label))
    axes.set_ylabel(plain(y_label))
    axes.set_title(plain(title))
    if limit is not None:
        axes.set_ylim(*limit)
    if len(series) > 1:
        axes.legend(lines, map(plain, series), fontsize=8)
    return figure


def bars_with_intervals(
    names: Sequence[str], values: np.ndarray, low: np.ndarray, high: np.ndarray, x_label: str, title: str = ""
) -> Any:
    """Points on a line each, with their intervals; a rule at 0."""
    figure, axes = new_figure(6.0, 1.2 + 0.3 * len(names))
    place = np.arange(len(names))[::-1]
    error = np.abs(np.array([values - low, high - values]))
    axes.errorbar(values, place, xerr=error, fmt="o", markersize=4, capsize=2, linewidth=1.2)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(place, map(plain, names))
    axes.set_xlabel(plain(x_label))
    axes.set_title(plain(title))
    return figure
