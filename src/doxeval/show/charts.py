"""The charts that figures, comparisons and studies draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from doxeval.core.phrases import counted
from doxeval.show.layout import IN_LEGEND, drawing, fit_names
from doxeval.show.style import COLOURS, DIVERGING, FULL_PAGE, NOTE, SMALL_FONT, Sheet, plain, stroke

HEIGHT, TALLEST, PANEL = 0.6, 3.4, 0.6
"""The height of the space for curves: a share of the figure's width, inches at most, and the share of it that
one of several panels gets."""
NAMES = 0.4
"""The share of a figure's width that names beside it may take."""
MARKERS = 10
"""About this many points of a curve get a marker."""
ROW, CELL, TOPIC = 0.17, 0.3, 0.105
"""Inches for a name, for a cell with a number, and for the vertical name of a topic."""

Series = Mapping[str, tuple[Sequence[float] | np.ndarray, Sequence[float] | np.ndarray]]


def curves(
    series: Series,
    x_label: str,
    y_label: str,
    paper: Sheet = FULL_PAGE,
    limit: tuple[float, float] | None = None,
    logarithmic: bool = False,
    ticks: Sequence[str] = (),
) -> Any:
    """One line per name; `limit` bounds the vertical axis, `ticks` are names for the points 0, 1, 2, ..."""
    return panels([(series, y_label)], x_label, paper, logarithmic, limit, ticks)


def panels(
    parts: Sequence[tuple[Series, str]],
    x_label: str,
    paper: Sheet = FULL_PAGE,
    logarithmic: bool = False,
    limit: tuple[float, float] | None = None,
    ticks: Sequence[str] = (),
    numbers: Sequence[int] = (),
) -> Any:
    """Lines in panels one below the other, each with the label of its vertical axis, and one legend.

    The look of a line is that of its number: its place, unless `numbers` are given.
    """
    height = min(HEIGHT * paper.width, TALLEST) * (1 if len(parts) == 1 else PANEL)
    with drawing(paper, height, len(parts)) as (figure, found):
        for axes, (series, y_label) in zip(found, parts, strict=True):
            _lines(axes, series, y_label, logarithmic, numbers or range(len(series)))
            if limit is not None:
                axes.set_ylim(*limit)
            if logarithmic:
                _logarithmic(axes)
            if ticks:
                names = fit_names(figure, ticks, NAMES * paper.width)
                axes.set_xticks(range(len(ticks)), names, rotation=90)
        found[-1].set_xlabel(plain(x_label))
    return figure


def _lines(axes: Any, series: Series, y_label: str, logarithmic: bool, numbers: Sequence[int]) -> None:
    for at, (name, (x, y)) in zip(numbers, series.items(), strict=True):
        look, step = stroke(at), max(1, len(x) // MARKERS)
        evenly = logarithmic and step > 1  # in shares of the axes, since points crowd at the end
        marked = (at % MARKERS / MARKERS**2, 1 / MARKERS) if evenly else (at % step, step)
        axes.plot(
            x, y, color=look.colour, linestyle=(0, look.dash) if look.dash else "-", linewidth=1.1,
            marker=look.marker, markersize=4, markeredgewidth=0, markevery=marked,
            label=IN_LEGEND + name,
        )  # fmt: skip
    axes.set_ylabel(plain(y_label))


def _logarithmic(axes: Any) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x / 1000:g}k" if x >= 1000 else f"{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def bars_with_intervals(
    names: Sequence[str],
    values: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    x_label: str,
    paper: Sheet = FULL_PAGE,
) -> Any:
    """One point per line, with its interval; a rule at 0."""
    with drawing(paper, ROW * (len(names) + 1)) as (figure, (axes,)):
        place = np.arange(len(names))[::-1]
        error = np.abs(np.array([values - low, high - values]))
        axes.errorbar(
            values, place, xerr=error, fmt="o", markersize=3.5, capsize=2, linewidth=1, color=COLOURS[0]
        )
        axes.axvline(0, color="black", linewidth=0.6)
        axes.set_yticks(place, fit_names(figure, names, NAMES * paper.width))
        axes.set_ylim(-0.8, len(names) - 0.2)
        axes.set_xlabel(plain(x_label))
    return figure


def points_with_intervals(
    parts: Sequence[tuple[Sequence[float], Sequence[float], np.ndarray, str]],
    y_label: str,
    paper: Sheet = FULL_PAGE,
    limit: tuple[float, float] | None = None,
) -> Any:
    """Points joined by a line, with vertical intervals; in panels, each with a label of its horizontal axis.

    A part is x, y, the lower and upper ends of the intervals as two rows (NaN if unknown), and its label.
    """
    height = min(HEIGHT * paper.width, TALLEST) * (1 if len(parts) == 1 else PANEL)
    with drawing(paper, height, len(parts)) as (_, found):
        for axes, (x, y, ends, x_label) in zip(found, parts, strict=True):
            error = np.nan_to_num(np.abs(ends - np.asarray(y)))
            axes.errorbar(
                x, y, yerr=error, fmt="o-", markersize=3.5, capsize=2, linewidth=1, color=COLOURS[0]
            )
            if limit is not None:
                axes.set_ylim(*limit)
            axes.set_xlabel(plain(x_label))
            axes.set_ylabel(plain(y_label))
    return found[0].figure


def bars_by_topic(
    topics: Sequence[str],
    values: np.ndarray,
    y_label: str,
    paper: Sheet = FULL_PAGE,
) -> Any:
    """One bar per topic, up or down from 0; topics are named if there is room."""
    with drawing(paper, min(HEIGHT * paper.width, TALLEST) * 0.75) as (figure, (axes,)):
        place = np.arange(len(topics))
        axes.bar(place, values, color=np.where(values >= 0, COLOURS[0], COLOURS[1]).tolist())
        axes.axhline(0, color="black", linewidth=0.6)
        axes.set_xlim(-0.8, len(topics) - 0.2)
        axes.grid(False, axis="x")
        named = len(topics) * TOPIC <= 0.75 * paper.width
        names = fit_names(figure, topics, paper.width / 4) if named else []
        axes.set_xticks(place if named else [], names, rotation=90, fontsize=NOTE)
        axes.set_xlabel(counted(len(topics), "topic"))
        axes.set_ylabel(plain(y_label))
    return figure


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: np.ndarray,
    paper: Sheet = FULL_PAGE,
) -> Any:
    """A matrix of correlations; cells show their values if there is room."""
    beside = NAMES * paper.width / 2
    with drawing(paper, max(ROW * 1.5 * len(rows), 4 * ROW)) as (figure, (axes,)):
        image = axes.imshow(values, cmap=DIVERGING, vmin=-1, vmax=1, aspect="auto")
        axes.grid(False)
        axes.set_xticks(
            range(len(columns)),
            fit_names(figure, columns, beside * 1.5),
            rotation=90 if len(columns) > 1 else 0,
        )
        axes.set_yticks(range(len(rows)), fit_names(figure, rows, beside))
        if CELL * len(columns) <= paper.width - beside - 2 * CELL:
            for (r, c), value in np.ndenumerate(values):
                colour = "white" if abs(value) > 0.6 else "black"
                text = "" if np.isnan(value) else f"{value:.2f}"
                axes.text(c, r, text, ha="center", va="center", color=colour, size=SMALL_FONT)
        figure.colorbar(image, cax=axes.inset_axes((1.02, 0, 0.03, 1)))
    return figure
