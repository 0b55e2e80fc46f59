"""The layout of figures: the width is fixed, the height grows, and nothing is covered or cut off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import ceil
from textwrap import fill
from typing import Any

from doxeval.core.run_labels import shortened
from doxeval.show.style import NOTE, SMALL_FONT, Sheet, plain, printed, styled

EDGE, GAP = 0.03, 0.07
"""Inches that stay empty at the figure's edge, and between its parts."""
LONGEST_NAME, LONGEST_LEGEND = 32, 12
"""Letters of a name, and names in one column of a legend; more names get at least two columns."""
FEWEST_LETTERS = 6
IN_LEGEND = "="
"""Begins the label of every series that a legend names: matplotlib passes over labels that begin with _."""


@contextmanager
def drawing(paper: Sheet, height: float, panels: int = 1) -> Iterator[tuple[Any, Sequence[Any]]]:
    """A figure and its axes to draw on, each of which becomes `height` inches high; no window is opened.

    Title, legend (of everything with a label) and notes are placed afterwards.
    """
    with styled(paper.settings):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = printed(Figure)(figsize=(paper.width, height))
        FigureCanvasAgg(figure)
        axes = [figure.add_subplot(panels, 1, at + 1) for at in range(panels)]
        yield figure, axes
        axes[0].set_title(plain(paper.title))
        legend = _legend(figure, max(axes, key=lambda one: len(one.get_lines())))
        below = [part for part in (_notes(figure, paper), legend) if part is not None]
        for _ in range(2):  # the first pass makes room, to which ticks and labels adapt
            _place(figure, axes, below, height)


def _place(figure: Any, axes: Sequence[Any], below: Sequence[Any], height: float) -> None:
    """Place every part; those `below` the axes are given from the bottom up."""
    width = figure.get_figwidth()
    margins = [_margins(figure, one, height) for one in axes]
    left, right = (max(sides) for sides in list(zip(*margins, strict=True))[:2])
    heights = [_size(figure, part)[1] for part in below]
    under = EDGE + sum(heights) + GAP * len(heights)
    whole = under + sum(bottom + height + top for *_, bottom, top in margins) + GAP * (len(axes) - 1) + EDGE
    figure.set_size_inches(width, whole)
    across = (width - left - right - 2 * EDGE) / width
    base = under
    for one, (*_, bottom, top) in zip(reversed(axes), reversed(margins), strict=True):
        one.set_position(((EDGE + left) / width, (base + bottom) / whole, across, height / whole))
        base += bottom + height + top + GAP
    start = EDGE
    for part, size in zip(below, heights, strict=True):
        _stand(part, start / whole)
        start += size + GAP


def _margins(figure: Any, axes: Any, height: float) -> tuple[float, float, float, float]:
    """Inches that labels and ticks take to the left and right of the axes, below and above them."""
    _wrap(figure, axes.yaxis.label, height)
    for text in (axes.xaxis.label, axes.title):
        _wrap(figure, text, axes.bbox.width / figure.dpi)
    inner, outer = axes.bbox, axes.get_tightbbox(figure.canvas.get_renderer())
    left, bottom = ((inner.min - outer.min) / figure.dpi).tolist()
    right, top = ((outer.max - inner.max) / figure.dpi).tolist()
    return left, right, bottom, top


def _stand(part: Any, bottom: float) -> None:
    if hasattr(part, "set_bbox_to_anchor"):
        part.set_bbox_to_anchor((0.5, bottom))
    else:
        part.set_position((0.5, bottom))


def _size(figure: Any, part: Any) -> tuple[float, float]:
    """Width and height in inches."""
    box = part.get_window_extent(figure.canvas.get_renderer())
    return box.width / figure.dpi, box.height / figure.dpi


def _notes(figure: Any, paper: Sheet) -> Any:
    """The notes on the numbers, in small print."""
    if not paper.notes:
        return None
    texts = []
    for note in paper.notes:
        text = figure.text(0.5, 0, note, ha="center", va="bottom", fontsize=NOTE, parse_math=False)
        _wrap(figure, text, paper.width - 2 * EDGE)
        texts.append(text.get_text())
        text.remove()
    return figure.text(0.5, 0, "\n".join(texts), ha="center", va="bottom", fontsize=NOTE, parse_math=False)


def _legend(figure: Any, axes: Any) -> Any:
    """A legend below the axes, in as many columns as there is room for; none for a single series."""
    lines, labels = axes.get_legend_handles_labels()
    if len(lines) < 2:
        return None
    names = [label.removeprefix(IN_LEGEND) for label in labels]
    look: dict[str, Any] = {
        "loc": "lower center", "borderpad": 0, "borderaxespad": 0, "handlelength": 3.2, "columnspacing": 1.2,
        "labelspacing": 0.35,
    }  # fmt: skip
    room, gap = figure.get_figwidth() - 2 * EDGE, look["columnspacing"] * SMALL_FONT / 72
    trial = figure.legend(lines[:1], [""], **look)
    least = 1 if len(lines) <= LONGEST_LEGEND else 2
    names = fit_names(figure, names, (room + gap) / least - gap - _size(figure, trial)[0])
    trial.remove()
    trial = _named(figure.legend(lines, [IN_LEGEND] * len(lines), **look), names)
    columns = max(1, int((room + gap) / (_size(figure, trial)[0] + gap)))
    trial.remove()
    rows = ceil(len(lines) / columns)
    return _named(
        figure.legend(lines, [IN_LEGEND] * len(lines), ncols=ceil(len(lines) / rows), **look), names
    )


def _named(legend: Any, names: Sequence[str]) -> Any:
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_text(name)
    return legend


def fit_names(figure: Any, names: Sequence[str], inches: float, size: int = SMALL_FONT) -> list[str]:
    """Names as a figure shows them, shortened until none is longer than this many inches."""
    most = min(LONGEST_NAME, max(map(len, names), default=1))
    while True:
        short = [plain(name) for name in shortened(names, most)]
        widest = max((_text_width(figure, name, size) for name in short), default=0.0)
        if widest <= inches or most <= FEWEST_LETTERS:
            return short
        most = max(FEWEST_LETTERS, min(most - 1, int(most * inches / widest)))


def _text_width(figure: Any, text: str, size: int) -> float:
    artist = figure.text(0, 0, text, fontsize=size)
    width, _ = _size(figure, artist)
    artist.remove()
    return width


def _wrap(figure: Any, text: Any, inches: float) -> None:
    """Break a text into lines that fit the width."""
    words = " ".join(text.get_text().split())
    across = 1 if text.get_rotation() == 90 else 0
    text.set_text(words)
    letters = len(words)
    while (long := _size(figure, text)[across]) > inches and letters > FEWEST_LETTERS:
        letters = max(FEWEST_LETTERS, min(letters - 1, int(letters * inches / long)))
        text.set_text(fill(words, letters))
