"""The look of every figure: colours, dashes, markers, fonts, sizes, and how a figure becomes a file."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from doxeval.core.errors import MissingExtra, UsageError, nearest
from doxeval.core.notices import Notices
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
WIDTHS = {"column": 3.33, "page": 7.0}
"""In inches: a column of a page in two columns, and the whole page."""
NARROWEST, WIDEST = 2.0, 20.0
FONTS = {"sans": ["DejaVu Sans"], "serif": ["STIXGeneral", "DejaVu Serif"]}
"""Fonts that matplotlib brings, so that a figure looks the same everywhere."""
LABEL, SMALL, NOTE = 8, 7, 6
"""Sizes of letters in points; none is smaller than what publishers ask for."""
SETTINGS: Any = {
    "figure.dpi": 110,
    "savefig.dpi": 300,
    "font.size": LABEL,
    "axes.titlesize": LABEL,
    "axes.labelsize": LABEL,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "doxeval",
}
"""Fonts of Type 42: publishers refuse matplotlib's Type 3. In SVG, text stays text."""
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


@dataclass(frozen=True)
class Paper:
    """What a figure is printed on: its width in inches, its font, and what stands above and below it."""

    width: float = WIDTHS["page"]
    font: str = "sans"
    title: str = ""
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.font not in FONTS:
            known = " or ".join(FONTS)
            raise UsageError(f"a figure's font is {known}, not {self.font!r}{nearest(self.font, FONTS)}")
        if not NARROWEST <= self.width <= WIDEST:
            raise UsageError(f"a figure is {NARROWEST:g} to {WIDEST:g} inches wide, not {self.width:g}")

    @property
    def settings(self) -> Any:
        """How matplotlib draws on it."""
        return {**SETTINGS, "font.family": FONTS[self.font]}


PAGE = Paper()


def width_of(width: str | float) -> float:
    """A width in inches, as `column`, `page` or a number.

    >>> width_of("column"), width_of("4.8")
    (3.33, 4.8)
    """
    if width in WIDTHS:
        return WIDTHS[str(width)]
    try:
        return float(width)
    except ValueError:
        raise UsageError(
            f"a figure's width is column, page or a number of inches, not {width!r}"
            f"{nearest(str(width), WIDTHS)}"
        ) from None


@contextmanager
def styled(settings: Any) -> Iterator[None]:
    """Draw with these settings; letters without a shape are for :func:`lost_letters` to tell, once."""
    try:
        from matplotlib import rc_context
    except ImportError:
        raise MissingExtra("plot", "drawing figures") from None
    with rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ ")
        yield


def lost_letters(paper: Paper, names: Iterable[str]) -> Notices:
    """What to tell where the fonts have no shape for letters of names."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    fonts = [get_font(findfont(FontProperties(family=[family]))) for family in FONTS[paper.font]]
    letters = sorted({letter for name in names for letter in name if letter.isprintable()})
    lost = [letter for letter in letters if not any(font.get_char_index(ord(letter)) for font in fonts)]
    notices = Notices()
    notices.add_each("{count} letters of names are not in the font and become boxes, except in SVG", lost)
    return notices


def printed(figure: Any) -> Any:
    """The class of figures that notebooks show by themselves and that keep their look wherever saved."""

    def savefig(self: Any, *target: Any, **options: Any) -> None:
        with styled(SETTINGS):
            figure.savefig(self, *target, **options)

    def as_png(self: Any) -> bytes:
        stream = BytesIO()
        self.savefig(stream, format="png", dpi=SETTINGS["figure.dpi"])
        return stream.getvalue()

    return type("Figure", (figure,), {"savefig": savefig, "_repr_png_": as_png})


def plain(name: str) -> str:
    r"""A name as a figure shows it: no mathematics between dollars, nothing that has no letter.

    >>> plain("$a_b$")
    '\\$a_b\\$'
    """
    return printable(name).replace("$", r"\$")


def save_figure(figure: Any, path: str | Path) -> None:
    """Write a figure as PNG, SVG or PDF; the same figure gives the same bytes."""
    from doxeval.core.output import atomic

    suffix = check_figure_path(path)
    with atomic(path) as stream:
        figure.savefig(stream, format=suffix[1:], metadata=UNDATED[suffix])


def check_figure_path(path: str | Path) -> str:
    """The suffix of a figure's file; an error where it is none that can be drawn."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(f"{path}: a figure's name ends with one of {', '.join(SUFFIXES)}")
    return suffix
