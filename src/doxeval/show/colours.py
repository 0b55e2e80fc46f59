"""Syntax colours of source code, found when a page is written, so that it stays one file without a network.

Colours are runs of characters: `[length, kind, length, kind, ...]`, where a kind is a letter of
`TOKEN_CLASSES`, or nothing. Lengths are UTF-16 units, as JavaScript counts. Without Pygments, or for a
language that it does not know, there are no colours.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby
from typing import Any

TOKEN_CLASSES = {
    "Comment": "c", "Keyword": "k", "Literal.String": "s", "Literal.Number": "m", "Name.Function": "f",
    "Name.Class": "f", "Name.Decorator": "d", "Name.Builtin": "b", "Operator.Word": "k",
}  # fmt: skip
"""The kinds of tokens with a colour of their own, by their names in Pygments."""
LONGEST_COLOURED = 200_000
"""Longer texts are not coloured."""

Colours = list[int | str]


def colours(text: str, name: str) -> Colours:
    """The colours of a source file, by its name; empty if there are none.

    >>> colours("def f(): pass", "a.py")
    [3, 'k', 1, '', 1, 'f', 4, '', 4, 'k']
    """
    lexer = _lexer(name.rpartition("/")[2].rpartition(":")[2]) if len(text) <= LONGEST_COLOURED else None
    if lexer is None:
        return []
    found: Colours = []
    tokens = lexer.get_tokens_unprocessed(text)
    for kind, run in groupby(((_kind(str(token)), value) for _, token, value in tokens), lambda one: one[0]):
        found += [sum(_units(value) for _, value in run), kind]
    return found


def _units(text: str) -> int:
    """The length of a text in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


@lru_cache(maxsize=256)
def _lexer(name: str) -> Any:
    """The lexer for files of a name; None if there is none."""
    try:
        from pygments.lexers import get_lexer_for_filename
        from pygments.util import ClassNotFound
    except ImportError:
        return None
    try:
        lexer = get_lexer_for_filename(name)
    except ClassNotFound:
        return None
    return None if lexer.name == "Text only" else lexer


@lru_cache(maxsize=512)
def _kind(token: str) -> str:
    """The kind of a token: that of the most specific name it has."""
    name = token.removeprefix("Token.")
    while name and name not in TOKEN_CLASSES:
        name = name.rpartition(".")[0]
    return TOKEN_CLASSES.get(name, "")
