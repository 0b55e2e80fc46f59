"""Comma-separated values as :mod:`doxeval.io.separated` and everybody else reads them back."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import Any


class _Lines(list[str]):
    """Takes lines that end with a carriage return, for which `csv` quotes fields with one in them."""

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
