"""Readable tables: aligned text, Markdown, LaTeX, HTML.

A :class:`Table` is all that a renderer knows. Any result to show becomes one and lets it render itself; the
footer says what a reader must know besides the cells, and the lasting notices follow below it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from doxeval.core.notices import Notices
from doxeval.core.readable import Readable

DECIMALS = 4
LATEX = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#",
         "$": r"\$", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"$<$", ">": r"$>$",
         "†": r"\dagger", "‡": r"\ddagger"}  # fmt: skip


class Marked(str):
    """A cell with a mark behind it, such as a dagger; LaTeX sets it as a superscript."""

    mark: str

    def __new__(cls, text: str, mark: str = "") -> Marked:
        cell = super().__new__(cls, text)
        cell.mark = mark
        return cell


def mark_of(cell: str) -> str:
    """The mark of a cell, empty if it has none."""
    return cell.mark if isinstance(cell, Marked) else ""


@dataclass(repr=False)
class Table(Readable):
    """Cells as text; the first `names` columns are left-aligned words, the others numbers."""

    header: list[str]
    body: list[list[str]]
    names: int = 1
    footer: list[str] = field(default_factory=list)
    title: str = ""
    notices: Notices = field(default_factory=Notices)

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
        return sum(
            2 + max(len(row[at] + mark_of(row[at])) for row in self.rows) for at in range(len(self.header))
        )

    def turned(self) -> Table:
        """The same cells with rows and columns exchanged."""
        header, *body = (list(column) for column in zip(*self.rows, strict=True))
        return Table(["", *header[1:]], body, 1, self.footer, self.title, self.notices)

    def plain(self) -> str:
        """Columns aligned with blanks; numbers line up with or without a mark."""
        columns = range(len(self.header))
        marks = [max(len(mark_of(row[at])) for row in self.rows) for at in columns]
        widths = [max(len(row[at]) for row in self.rows) for at in columns]
        lines = []
        for row in self.rows:
            padded = [
                (cell.ljust(widths[at]) if at < self.names else cell.rjust(widths[at]))
                + mark_of(cell).ljust(marks[at])
                for at, cell in enumerate(row)
            ]
            lines.append("  ".join(padded).rstrip())
        return "\n".join([*([self.title] if self.title else []), *lines, *self.below])

    def markdown(self) -> str:
        """A Markdown table."""
        rule = ["---" if at < self.names else "---:" for at in range(len(self.header))]
        rows = [[(cell + mark_of(cell)).replace("|", "\\|") for cell in row] for row in self.rows]
        lines = [f"| {' | '.join(row)} |" for row in [rows[0], rule, *rows[1:]]]
        above = [f"**{self.title}**", ""] if self.title else []
        return "\n".join([*above, *lines, "", *(f"{line}  " for line in self.below)])

    def latex(self) -> str:
        """A LaTeX tabular with booktabs rules."""
        columns = "l" * self.names + "r" * (len(self.header) - self.names)
        lines = [" & ".join(map(_latex_cell, row)) + r" \\" for row in self.rows]
        return "\n".join(
            [*([f"% {self.title}"] if self.title else []), rf"\begin{{tabular}}{{{columns}}}", r"\toprule",
             lines[0], r"\midrule", *lines[1:], r"\bottomrule", r"\end{tabular}",
             *(f"% {text}" for text in self.below)]
        )  # fmt: skip

    def html(self) -> str:
        """An HTML table, for notebooks."""
        from html import escape

        head = "".join(f"<th>{escape(cell)}</th>" for cell in self.header)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell + mark_of(cell))}</td>" for cell in row) + "</tr>"
            for row in self.body
        )
        above = f"<p>{escape(self.title)}</p>" if self.title else ""
        below = "".join(f"<p>{escape(line)}</p>" for line in self.below)
        return f"{above}<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{below}"


FORMS: dict[str, Callable[[Table], str]] = {
    "table": Table.plain,
    "md": Table.markdown,
    "latex": Table.latex,
    "html": Table.html,
}


def render_tables(tables: Iterable[Table], form: str) -> str:
    """Render tables one below the other."""
    return "\n\n".join(FORMS[form](table).rstrip("\n") for table in tables) + "\n"


def _latex_cell(cell: str) -> str:
    mark = mark_of(cell)
    return _latex(cell) + (f"$^{{{_latex(mark)}}}$" if mark else "")


def _latex(text: str) -> str:
    return "".join(LATEX.get(letter, letter) for letter in text)


def shown(value: float | None, decimals: int = DECIMALS) -> str:
    """A number as shown in a table."""
    return "" if value is None or value != value else f"{value:.{decimals}f}"
