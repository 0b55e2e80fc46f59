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

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#9966ff", "#b24040", "#6b6b7b")
"""The first four are those of Okabe and Ito (2008). Colour-blind readers can tell all of them apart, and
they stand out from light and dark paper."""
DASHES = ((), (4.0, 1.5), (1.0, 1.2), (6.0, 1.5, 1.0, 1.5), (2.2, 1.0))
"""Strokes and gaps in multiples of the line's width; none is a solid line."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Circle, square, triangle, diamond, triangle down, plus, cross, star, as matplotlib calls them."""
DIVERGING = "RdBu"
WIDTHS = {"column": 3.33, "page": 7.0}
"""Inches: one column of a two-column page, and the whole page."""
NARROWEST, WIDEST = 2.0, 20.0
FONTS = {"sans": ["DejaVu Sans"], "serif": ["STIXGeneral", "DejaVu Serif"]}
"""Fonts that come with matplotlib, so that a figure looks the same everywhere."""
LABEL, SMALL_FONT, NOTE = 8, 7, 6
"""Font sizes in points; none is smaller than publishers ask for."""
SETTINGS: Any = {
    "figure.dpi": 110,
    "savefig.dpi": 300,
    "font.size": LABEL,
    "axes.titlesize": LABEL,
    "axes.labelsize": LABEL,
    "xtick.labelsize": SMALL_FONT,
    "ytick.labelsize": SMALL_FONT,
    "legend.fontsize": SMALL_FONT,
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
    """The look of the line of one series."""

    colour: str
    dash: tuple[float, ...]
    marker: str


def stroke(series: int) -> Stroke:
    """The look of a series by its number, in figures and reports alike.

    The lengths of the lists have no common divisor: any two of the first 35 series differ in at least two of
    the three ways, and neighbours in all.

    >>> stroke(1)
    Stroke(colour='#d55e00', dash=(4.0, 1.5), marker='s')
    """
    return Stroke(*(ways[series % len(ways)] for ways in (COLOURS, DASHES, MARKERS)))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Sheet:
    """The paper of a figure: its width in inches, its font, and the text above and below it."""

    width: float = WIDTHS["page"]
    font: str = "sans"
    title: str = ""
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.font not in FONTS:
            known = " or ".join(FONTS)
            raise UsageError(f"the font must be {known}, not {self.font!r}{nearest(self.font, FONTS)}")
        if not NARROWEST <= self.width <= WIDEST:
            raise UsageError(f"a figure must be {NARROWEST:g} to {WIDEST:g} inches wide, not {self.width:g}")

    @property
    def settings(self) -> Any:
        """The settings with which matplotlib draws on it."""
        return {**SETTINGS, "font.family": FONTS[self.font]}


FULL_PAGE = Sheet()


def inches_of(width: str | float) -> float:
    """A width in inches, as `column`, `page` or a number.

    >>> inches_of("column"), inches_of("4.8")
    (3.33, 4.8)
    """
    if width in WIDTHS:
        return WIDTHS[str(width)]
    try:
        return float(width)
    except ValueError:
        raise UsageError(
            f"the width of a figure must be column, page or a number of inches, not {width!r}"
            f"{nearest(str(width), WIDTHS)}"
        ) from None


@contextmanager
def styled(settings: Any) -> Iterator[None]:
    """Draw with these settings; letters without a shape are reported by :func:`lost_letters`, once."""
    try:
        from matplotlib import rc_context
    except ImportError:
        raise MissingExtra("plot", "drawing figures") from None
    with rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ ")
        yield


def lost_letters(paper: Sheet, names: Iterable[str]) -> Notices:
    """A notice of the letters of names for which the fonts have no shape."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    fonts = [get_font(findfont(FontProperties(family=[family]))) for family in FONTS[paper.font]]
    letters = sorted({letter for name in names for letter in name if letter.isprintable()})
    lost = [letter for letter in letters if not any(font.get_char_index(ord(letter)) for font in fonts)]
    notices = Notices()
    notices.add_each(
        "{count} {letter of a name is|letters of names are} not in the font and {becomes a box|become "
        "boxes}, except in SVG",
        lost,
    )
    return notices


def printed(figure: Any) -> Any:
    """A class of figures that notebooks show by themselves and that keep their look when saved."""

    def savefig(self: Any, *target: Any, **options: Any) -> None:
        with styled(SETTINGS):
            figure.savefig(self, *target, **options)

    def as_png(self: Any) -> bytes:
        stream = BytesIO()
        self.savefig(stream, format="png", dpi=SETTINGS["figure.dpi"])
        return stream.getvalue()

    return type("Figure", (figure,), {"savefig": savefig, "_repr_png_": as_png})


def plain(name: str) -> str:
    r"""A name as a figure shows it: no formulas between dollars, no unprintable characters.

    >>> plain("$a_b$")
    '\\$a_b\\$'
    """
    return printable(name).replace("$", r"\$")


def save_figure(figure: Any, path: str | Path) -> None:
    """Write a figure as PNG, SVG or PDF; the same figure gives the same bytes."""
    from doxeval.core.output import atomic, check_figure_path

    suffix = check_figure_path(path)
    with atomic(path) as stream:
        figure.savefig(stream, format=suffix[1:], metadata=UNDATED[suffix])
