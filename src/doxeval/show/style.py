"""The look of every figure: sizes, colours, fonts, and how a figure becomes a file."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from doxeval.core.errors import MissingExtra, UsageError
from doxeval.core.values import printable

SUFFIXES = (".png", ".svg", ".pdf")
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#9966ff", "#b24040", "#6b6b7b")
"""The first four are those of Okabe and Ito (2008). All can be told apart by the colour-blind, and stand out
from the paper, light or dark."""
DASHES = ((), (4.0, 1.5), (1.0, 1.2), (6.0, 1.5, 1.0, 1.5), (2.2, 1.0))
"""Strokes and gaps in multiples of the line's width; none is a solid line."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Circle, square, triangle, diamond, triangle down, plus, cross, star, as matplotlib calls them."""
DIVERGING = "RdBu"
LETTERS_AN_INCH = 20
SETTINGS: Any = {
    "figure.dpi": 150,
    "savefig.bbox": "tight",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "doxeval",
}
UNDATED: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}


class Stroke(NamedTuple):
    """How the line of one series looks."""

    colour: str
    dash: tuple[float, ...]
    marker: str


def stroke(series: int) -> Stroke:
    """The look of a series by its number, in figures and reports alike.

    The lists have no common divisor: two of the first 35 series differ in two of the three ways at least, and
    neighbours in all.

    >>> stroke(1)
    Stroke(colour='#d55e00', dash=(4.0, 1.5), marker='s')
    """
    return Stroke(*(ways[series % len(ways)] for ways in (COLOURS, DASHES, MARKERS)))  # type: ignore[arg-type]


def new_figure(width: float = 6.0, height: float = 4.0) -> tuple[Any, Any]:
    """A figure and its axes in the common look; no window is ever opened."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
        from matplotlib.rcsetup import cycler
    except ImportError:
        raise MissingExtra("plot", "drawing figures") from None
    with rc_context({**SETTINGS, "axes.prop_cycle": cycler(color=COLOURS)}):
        figure = _shown(Figure)(figsize=(width, height))
        return figure, figure.add_subplot()


def _shown(figure: Any) -> Any:
    """The class of figures that notebooks show by themselves."""

    def as_png(self: Any) -> bytes:
        stream = BytesIO()
        self.savefig(stream, format="png", bbox_inches="tight")
        return stream.getvalue()

    return type("Figure", (figure,), {"_repr_png_": as_png})


def plain(name: str) -> str:
    r"""A name as a figure shows it: no mathematics between dollars, nothing that has no letter.

    >>> plain("$a_b$")
    '\\$a_b\\$'
    """
    return printable(name).replace("$", r"\$")


def add_notes(figure: Any, lines: Sequence[str]) -> None:
    """Lines in small print below the label of the x axis."""
    if not lines:
        return
    width = int(figure.get_figwidth() * LETTERS_AN_INCH)
    text = "\n".join(part for line in lines for part in textwrap.wrap(line, width))
    figure.axes[0].annotate(
        text, (0.5, 0), xycoords=figure.axes[0].xaxis.label, xytext=(0, -6), textcoords="offset points",
        ha="center", va="top", fontsize=6, parse_math=False,
    )  # fmt: skip


def save_figure(figure: Any, path: str | Path) -> None:
    """Write a figure as PNG, SVG or PDF; the same figure gives the same bytes."""
    from matplotlib import rc_context

    from doxeval.core.output import atomic

    suffix = check_figure_path(path)
    with rc_context(SETTINGS), atomic(path) as stream:
        figure.savefig(stream, format=suffix[1:], metadata=UNDATED[suffix])


def check_figure_path(path: str | Path) -> str:
    """The suffix of a figure's file; an error where it is none that can be drawn."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(f"{path}: a figure's name ends with one of {', '.join(SUFFIXES)}")
    return suffix
