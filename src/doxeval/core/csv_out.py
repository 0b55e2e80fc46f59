"""Comma-separated values that :mod:`doxeval.io.separated` and other programs read back."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import Any


class _Lines(list[str]):
    """Collects lines; they end with a carriage return, so that `csv` quotes fields with one in them."""

    def write(self, line: str) -> None:
        self.append(line[:-2] + "\n")


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    r"""Rows of fields as lines.

    >>> csv_text([("run", "topic"), ("a,b", "1\r2")])
    'run,topic\n"a,b","1\r2"\n'
    """
    lines = _Lines()
    csv.writer(lines, lineterminator="\r\n").writerows(rows)
    return "".join(lines)
