"""Text from files, shown so that it does nothing: on terminals, and in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import count

BOLD, PLAIN = "\x1b[1;32m", "\x1b[0m"
"""What makes the best value shine on a terminal."""
OWN = r"\x1b\[(?:0|1;32|3[2-6]|90)m"
"""The only sequences that a terminal is sent as they are: these colours."""
CONTROLS = (
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\ud800-\udfff]"
)
UNSEEN = rf"({OWN})|{CONTROLS}"
UNSEEN_IN_CELL = rf"[\t\n]|{CONTROLS}"
"""Characters that move, colour, hide or reverse text; in the cell of a table, line ends and tabs too."""
MARKDOWN = r"[\\`*|<>~]|&(?=[#\w])|\](?=[(\[:])|(?<!\w)_|_(?!\w)|(?<!\w)@(?=\w)|(?<=\w):(?=//)|(?<=\bwww)\."
"""Characters that could begin HTML, a link, a mention, code or emphasis; others stay as they are."""
ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "&#64;", ":": "&#58;", ".": "&#46;"}


def file_names(names: Iterable[str]) -> list[str]:
    """Names from files as names of files: each one alone, and none of another folder.

    >>> file_names(["my run", "../../gold", "my-run", ".."])
    ['my-run', 'gold', 'my-run-2', 'unnamed']
    """
    found: list[str] = []
    for name in names:
        plain = re.sub(r"[^\w.+=,()@-]+", "-", name.rpartition("/")[2]).strip(".-")[:100] or "unnamed"
        again = found.count(plain) and next(n for n in count(2) if f"{plain}-{n}" not in found)
        found.append(f"{plain}-{again}" if again else plain)
    return found


def visible(text: str) -> str:
    r"""A text with control characters written out, but for line ends, tabs and our own colours.

    >>> print(visible("a\x1b]0;title\x07\u202eb\r\n"), end="")
    a\x1b]0;title\x07\u202eb\r
    """
    if text.isprintable():
        return text
    return re.sub(UNSEEN, lambda found: found[1] or _written_out(found[0]), text)


def visible_cell(text: str) -> str:
    r"""The text of one cell of a table, with line ends and tabs written out too.

    >>> print(visible_cell("two\nlines"))
    two\nlines
    """
    return text if text.isprintable() else re.sub(UNSEEN_IN_CELL, lambda found: _written_out(found[0]), text)


def _written_out(letter: str) -> str:
    return letter.encode("unicode_escape").decode()


def markdown_text(text: str) -> str:
    r"""A text that Markdown shows as it is.

    >>> print(markdown_text("<b>|[a](https://x.y) iP@5 [0.1, 0.2] snake_case *it*"))
    &lt;b&gt;\|[a\](https&#58;//x.y) iP@5 [0.1, 0.2] snake_case \*it\*
    """
    return re.sub(MARKDOWN, lambda found: ENTITIES.get(found[0], f"\\{found[0]}"), visible_cell(text))
