"""Where a text stands in a document.

It is first looked for as it is. Where it does not occur so, any run of white space in it may match any
other run of white space in the document, so that line breaks and indentation do not matter; everything else
must be the same.
"""

from __future__ import annotations

import re


def locate(text: str, quote: str) -> list[tuple[int, int]]:
    r"""All places of a quote in a text, those that overlap too; ranges in code points.

    >>> locate("one two two", "two"), locate("one\n  two", "one two"), locate("one", "two")
    ([(4, 7), (8, 11)], [(0, 9)], [])
    """
    if not quote.strip():
        return []
    exact = []
    at = text.find(quote)
    while at >= 0:
        exact.append((at, at + len(quote)))
        at = text.find(quote, at + 1)
    return exact or _locate_loosely(text, quote.split())


def _locate_loosely(text: str, words: list[str]) -> list[tuple[int, int]]:
    """Places of words in a row with any white space between them."""
    pattern = re.compile(r"\s+".join(re.escape(word) for word in words))
    found = []
    match = pattern.search(text)
    while match:
        found.append(match.span())
        match = pattern.search(text, match.start() + 1)
    return found
