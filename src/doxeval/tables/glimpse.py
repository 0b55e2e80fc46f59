"""Tables of data as notebooks show them: what they hold, their first rows, and how many more there are."""

from __future__ import annotations

from doxeval.core.notices import Notices

ROWS = 5
LETTERS = 60
FirstRows = tuple[list[str], list[list[str]], int, str]


class Glimpsed:
    """Shows itself in notebooks by its first rows; `_first_rows` makes them."""

    notices: Notices

    def _first_rows(self, count: int) -> FirstRows:
        """A header, the first rows below it, how many there are, and what they are called."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        from doxeval.core.table import Table

        header, rows, total, called = self._first_rows(ROWS)
        left = total - len(rows)
        footer = [f"{len(rows)} of {total:,} {called}; {left:,} are not shown"] if left else []
        title, notices = repr(self).strip("<>"), getattr(self, "notices", Notices())
        return Table(header, rows, len(header), footer, title, notices)._repr_html_()


def clipped(text: str) -> str:
    """A text on one line, its end left out if it is long.

    >>> clipped("Tea is hot." * 9)
    'Tea is hot.Tea is hot.Tea is hot.Tea is hot.Tea is hot.Tea i...'
    """
    line = " ".join(text[: 4 * LETTERS].split())
    return line if len(line) <= LETTERS and len(text) <= 4 * LETTERS else f"{line[:LETTERS]}..."


def ranges_shown(spans: list[tuple[int, int]]) -> str:
    """Ranges as a cell shows them, at most three.

    >>> ranges_shown([(0, 40), (50, 60), (70, 80), (90, 95)])
    '0–40, 50–60, 70–80 and 1 more'
    """
    told = ", ".join(f"{start}–{end}" for start, end in spans[:3])
    return f"{told} and {len(spans) - 3} more" if len(spans) > 3 else told
