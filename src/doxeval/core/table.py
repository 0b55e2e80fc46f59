"""Readable results: tables as aligned text, Markdown, LaTeX or HTML, and what shows itself as tables.

A :class:`Table` is all that a renderer knows. Any result to show becomes one and lets it render itself; the
footer says what a reader must know besides the cells, and the lasting notices follow below it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from doxeval.core.errors import UsageError, nearest
from doxeval.core.harmless import BOLD, PLAIN, markdown_text, visible, visible_cell
from doxeval.core.notices import Notices
from doxeval.core.output import atomic, form_of
from doxeval.core.quick_class import dataclass
from doxeval.core.run_labels import shortened
from doxeval.core.screen import filled, screen

DECIMALS = 4
WIDEST = 120
LEAST_ROOM = 12
"""Names are not cut shorter than this."""
LATEX = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#",
         "$": r"\$", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"$<$", ">": r"$>$",
         "†": r"\dagger", "‡": r"\ddagger", "°": r"\circ"}  # fmt: skip


class Marked(str):
    """A cell with a mark behind it, such as a dagger; LaTeX sets it as a superscript."""

    mark: str

    def __new__(cls, text: str, mark: str = "") -> Marked:
        cell = super().__new__(cls, text)
        cell.mark = mark
        return cell


class Best(Marked):
    """The best value of its column; LaTeX, Markdown and HTML set it in bold."""

    def __new__(cls, text: str, mark: str = "*") -> Best:
        return super().__new__(cls, text, mark)  # type: ignore[return-value]


def mark_of(cell: str) -> str:
    """The mark of a cell, empty if it has none."""
    return cell.mark if isinstance(cell, Marked) else ""


STYLE = """\
.doxeval { overflow-x: auto; line-height: 1.45; }
.doxeval table { border-collapse: collapse; margin: .4em 0; color: inherit; }
.doxeval td { font-variant-numeric: tabular-nums; }
.doxeval th, .doxeval td { padding: .2em .7em; border: 0; text-align: right; }
.doxeval thead th { border-bottom: 1px solid currentColor; vertical-align: bottom; }
.doxeval p { margin: .2em 0; white-space: pre-line; }
.doxeval div > p:first-child { margin-top: .8em; font-weight: 600; }
.doxeval table ~ p { font-size: .9em; opacity: .85; }
.doxeval ul { margin: 0 0 .6em; padding-left: 1.2em; }
"""
"""Colours are the notebook's own, light or dark."""
NO_MATHEMATICS = "tex2jax_ignore mathjax_ignore"
"""Classes for which notebooks leave dollars in names alone."""


class Readable(ABC):
    """Shows itself: as plain tables, and in notebooks as sentences above tables of HTML."""

    @property
    @abstractmethod
    def tables(self) -> Sequence[Table]:
        """The tables to show."""

    @property
    def sentences(self) -> Sequence[str]:
        """The sentences above the tables in a notebook."""
        return ()

    def __repr__(self) -> str:
        return render_tables(self.tables, "table").rstrip("\n")

    def rendered(self, format: str = "table") -> bytes:
        """The tables as text: `table`, `md`, `latex` or `html`."""
        return render_tables(self.tables, format).encode()

    def write(self, path: str | Path, *, format: str | None = None, **how: Any) -> None:
        """Write to a file (`-`: standard output) in the format named, or that of its suffix.

        `how` to render it is as for `rendered`.
        """
        content = self.rendered(format or form_of(path), **how)
        with atomic(path) as stream:
            stream.write(content)

    def _repr_html_(self) -> str:
        from html import escape

        said = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.sentences)
        tables = noted_once(self.tables)
        shown = "".join(f'<div class="names-{table.names}">{table.html()}</div>' for table in tables)
        left = "".join(
            f".doxeval .names-{names} :is(th, td):nth-child(-n+{names}) {{ text-align: left; }}\n"
            for names in sorted({table.names for table in self.tables})
        )
        above = f"<ul>{said}</ul>" if said else ""
        return f'<div class="doxeval {NO_MATHEMATICS}"><style>{STYLE}{left}</style>{above}{shown}</div>'


@dataclass(repr=False)
class Table(Readable):
    """Cells as text; the first `names` columns are left-aligned words, the others numbers.

    The first `keys` columns, all names unless told, say what a row is of.
    """

    header: list[str]
    body: list[list[str]]
    names: int = 1
    footer: list[str] = field(default_factory=list)
    title: str = ""
    notices: Notices = field(default_factory=Notices)
    keys: int | None = None

    @property
    def tables(self) -> list[Table]:
        """Itself."""
        return [self]

    @property
    def rows(self) -> list[list[str]]:
        """The header and the body."""
        return [self.header, *self.body]

    @property
    def below(self) -> list[str]:
        """The lines below the cells: the footer, and the notices about the numbers."""
        return [*self.footer, *map(str, self.notices.lasting)]

    @property
    def width(self) -> int:
        """The width of the plain table in characters."""
        return sum(self._widths()) + 2 * len(self.header)

    def turned(self) -> Table:
        """The same cells with rows and columns exchanged."""
        header, *body = (list(column) for column in zip(*self.rows, strict=True))
        return Table(["", *header[1:]], body, 1, self.footer, self.title, self.notices)

    def upright(self) -> Table:
        """The same, turned if it is too wide and has more columns than rows, as a measure at many ranks."""
        return self.turned() if self.width > WIDEST and len(self.header) - 1 > len(self.body) else self

    def plain(self) -> str:
        """Columns aligned with blanks, below each other where the screen is too narrow for all of them.

        Numbers line up whether they carry a mark or not; control characters are written out.
        """
        table = self._visible()._narrowed()
        blocks = ["\n".join(table._lines(columns)) for columns in table._blocks()]
        below = self.below
        if any(isinstance(cell, Best) for row in self.body for cell in row):
            below = ["; ".join([*below[:1], "* best value"]), *below[1:]]
        above = [filled(visible(self.title))] if self.title else []
        return "\n".join([*above, "\n\n".join(blocks), *(filled(visible(line)) for line in below)])

    def _visible(self) -> Table:
        """The same with control characters written out."""
        if all(cell.isprintable() for row in self.rows for cell in row):
            return self
        rows = [[_changed(cell, visible_cell(cell)) for cell in row] for row in self.rows]
        return replace(self, header=rows[0], body=rows[1:])

    def _widths(self) -> list[int]:
        """The width of each column: its longest cell, and room for its longest mark behind every cell."""
        columns = list(zip(*self.rows, strict=True))
        return [max(map(len, column)) + max(len(mark_of(cell)) for cell in column) for column in columns]

    def _narrowed(self) -> Table:
        """The same with long names cut in their middle, where no column would fit beside them otherwise."""
        width, widths, keys = screen().width, self._widths(), self.keys or self.names
        if width is None or not self.body or not 0 < keys < len(widths):
            return self
        long = max(range(keys), key=lambda at: widths[at])
        room = width - max(widths[keys:]) - sum(widths[:keys]) + widths[long] - 2 * keys
        if room >= widths[long] or room < LEAST_ROOM:
            return self
        names = list(dict.fromkeys(row[long] for row in self.body))
        short = dict(zip(names, shortened(names, room), strict=True))
        body = [[*row[:long], short[row[long]], *row[long + 1 :]] for row in self.body]
        return Table(self.header, body, self.names, keys=self.keys)

    def _blocks(self) -> list[list[int]]:
        """The columns that stand side by side: the keys, and as many others as the screen has room for."""
        width, widths, keys = screen().width, self._widths(), self.keys or self.names
        names, columns = list(range(keys)), range(keys, len(self.header))
        if width is None or sum(widths) + 2 * (len(widths) - 1) <= width:
            return [[*names, *columns]]
        left = width - sum(widths[at] + 2 for at in names)
        blocks: list[list[int]] = []
        for at in columns:
            if blocks and sum(widths[one] + 2 for one in [*blocks[-1], at]) - 2 <= left:
                blocks[-1].append(at)
            else:
                blocks.append([at])
        return [[*names, *block] for block in blocks] or [names]

    def _lines(self, columns: list[int]) -> list[str]:
        """The rows with some columns beside each other; cells are wrapped where they do not fit."""
        marks = {column: max(len(mark_of(row[column])) for row in self.rows) for column in columns}
        widths = dict(zip(columns, self._fitting(columns), strict=True))
        lines = []
        for row in [self._headings(widths), *self.body]:
            cells = [
                _wrapped(row[column], widths[column], marks[column], column < self.names)
                for column in columns
            ]
            for line in zip_longest(*cells, fillvalue=""):
                padded = (_padded(text, widths[column]) for column, text in zip(columns, line, strict=True))
                lines.append("  ".join(padded).rstrip())
        return lines

    def _headings(self, widths: dict[int, int]) -> list[str]:
        """The header, each heading over the numbers of its column: what is in brackets stands behind them."""
        titles = list(self.header)
        for column, width in widths.items():
            if column >= self.names:
                behind = max(
                    (len(row[column]) - len(row[column].partition(" [")[0]) for row in self.body), default=0
                )
                titles[column] = min(titles[column] + " " * behind, titles[column].ljust(width), key=len)
        return titles

    def _fitting(self, columns: list[int]) -> list[int]:
        """The widths of columns beside each other: the widest ones are narrowed until all fit the screen.

        Numbers are not broken unless there is no other way.
        """
        widths, width = self._widths(), screen().width
        wanted = [widths[column] for column in columns]
        if width is None:
            return wanted
        longest = [
            max(
                len(word)
                for row in self.rows
                for word in (row[column] + mark_of(row[column])).split() or [""]
            )
            for column in columns
        ]
        least = [
            min(LEAST_ROOM, word) if column < self.names else word
            for column, word in zip(columns, longest, strict=True)
        ]
        room = max(len(columns), width - 2 * (len(columns) - 1))
        for limits in (least, [1] * len(columns)):
            while sum(wanted) > room and (
                free := [column for column in range(len(wanted)) if wanted[column] > limits[column]]
            ):
                wanted[max(free, key=wanted.__getitem__)] -= 1
        return wanted

    def markdown(self) -> str:
        """A Markdown table."""
        rule = ["---" if at < self.names else "---:" for at in range(len(self.header))]
        rows = [[_markdown_cell(cell) for cell in row] for row in self.rows]
        lines = [f"| {' | '.join(row)} |" for row in [rows[0], rule, *rows[1:]]]
        above = [f"**{markdown_text(self.title)}**", ""] if self.title else []
        return "\n".join([*above, *lines, "", *(f"{markdown_text(line)}  " for line in self.below)])

    def latex(self) -> str:
        """A LaTeX tabular with booktabs rules."""
        columns = "l" * self.names + "r" * (len(self.header) - self.names)
        lines = [" & ".join(map(_latex_cell, row)) + r" \\" for row in self.rows]
        above = [f"% {visible_cell(self.title)}"] if self.title else []
        return "\n".join(
            [*above, rf"\begin{{tabular}}{{{columns}}}", r"\toprule",
             lines[0], r"\midrule", *lines[1:], r"\bottomrule", r"\end{tabular}",
             *(f"% {visible_cell(text)}" for text in self.below)]
        )  # fmt: skip

    def html(self) -> str:
        """An HTML table, for notebooks."""
        from html import escape

        head = "".join(f"<th>{escape(cell)}</th>" for cell in self.header)
        rows = "".join(
            "<tr>" + "".join(f"<td>{_html_cell(cell)}</td>" for cell in row) + "</tr>" for row in self.body
        )
        above = f"<p>{escape(self.title)}</p>" if self.title else ""
        below = "".join(f"<p>{escape(line)}</p>" for line in self.below)
        return f"{above}<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{below}"


TEXT_FORMS: dict[str, Callable[[Table], str]] = {
    "table": Table.plain,
    "md": Table.markdown,
    "latex": Table.latex,
    "html": Table.html,
}


def render_tables(tables: Iterable[Table], form: str) -> str:
    """Render tables one below the other; see :func:`noted_once`."""
    if form not in TEXT_FORMS:
        raise UsageError(
            f"unknown format {form!r}{nearest(str(form), TEXT_FORMS)} (known: {', '.join(TEXT_FORMS)})"
        )
    return "\n\n".join(TEXT_FORMS[form](table).rstrip("\n") for table in noted_once(tables)) + "\n"


def noted_once(tables: Iterable[Table]) -> Iterator[Table]:
    """Tables without the notes that are below an earlier one, or on the screen already."""
    noted = screen().noted
    noted = set() if noted is None else noted
    for table in tables:
        fresh = Notices()
        for notice in table.notices.lasting:
            if str(notice) not in noted:
                fresh.adopt(notice)
        noted.update(map(str, fresh))
        yield replace(table, notices=fresh)


def _wrapped(cell: str, width: int, mark_width: int, name: bool) -> list[str]:
    """The lines of a cell: names to the left, numbers to the right and before their marks."""
    text, mark = str(cell), mark_of(cell)
    if len(text) + mark_width > width:
        from textwrap import wrap

        lines = wrap(text + mark, width, break_on_hyphens=False) or [""]
        lines = [line if name else line.rjust(width) for line in lines]
    else:
        lines = [(text if name else text.rjust(width - mark_width)) + mark]
    return [f"{BOLD}{line}{PLAIN}" for line in lines] if screen().colour and isinstance(cell, Best) else lines


def _padded(text: str, width: int) -> str:
    """A line of a cell in a column of a width; what makes it shine takes no room."""
    return text + " " * (width - len(text.removeprefix(BOLD).removesuffix(PLAIN)))


def _changed(cell: str, text: str) -> str:
    """A cell with another text and the same mark."""
    return type(cell)(text, cell.mark) if isinstance(cell, Marked) else text


def _markdown_cell(cell: str) -> str:
    text = markdown_text(cell) + ("" if isinstance(cell, Best) else mark_of(cell))
    return f"**{text}**" if isinstance(cell, Best) else text


def _html_cell(cell: str) -> str:
    from html import escape

    return f"<strong>{escape(cell)}</strong>" if isinstance(cell, Best) else escape(cell + mark_of(cell))


def _latex_cell(cell: str) -> str:
    if isinstance(cell, Best):
        return rf"\textbf{{{_latex(cell)}}}"
    mark = mark_of(cell)
    return _latex(cell) + (f"$^{{{_latex(mark)}}}$" if mark else "")


def _latex(text: str) -> str:
    return "".join(LATEX.get(letter, letter) for letter in visible_cell(text))


def shown(value: float | None, decimals: int = DECIMALS) -> str:
    """A number as shown in a table."""
    return "" if value is None or value != value else f"{value:.{decimals}f}"
