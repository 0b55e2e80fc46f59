"""Readable results: tables in a terminal, and in a notebook sentences above them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from doxeval.core.table import Table

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
    """Shows itself: as plain tables, and in notebooks as sentences and tables of HTML."""

    @property
    @abstractmethod
    def tables(self) -> Sequence[Table]:
        """The tables to show."""

    @property
    def sentences(self) -> Sequence[str]:
        """The sentences above the tables in a notebook."""
        return ()

    def __repr__(self) -> str:
        from doxeval.core.table import render_tables

        return render_tables(self.tables, "table").rstrip("\n")

    def _repr_html_(self) -> str:
        from html import escape

        from doxeval.core.table import noted_once

        said = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.sentences)
        shown = "".join(
            f'<div class="names-{table.names}">{table.html()}</div>' for table in noted_once(self.tables)
        )
        left = "".join(
            f".doxeval .names-{names} :is(th, td):nth-child(-n+{names}) {{ text-align: left; }}\n"
            for names in sorted({table.names for table in self.tables})
        )
        above = f"<ul>{said}</ul>" if said else ""
        return f'<div class="doxeval {NO_MATHEMATICS}"><style>{STYLE}{left}</style>{above}{shown}</div>'
