"""XML read as it comes, safely: no entities, no network, no document type loaded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from doxeval.core.errors import InputError, UsageError
from doxeval.core.values import printable
from doxeval.io.source import Source

PIECE = 1 << 20
ESCAPED = {
    "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;",
}  # fmt: skip
"""Line ends and tabs too, which would be blanks when they are read back from an attribute."""


def xml_events(
    source: Source, events: tuple[Literal["start", "end"], ...], tags: tuple[str, ...]
) -> Iterator[tuple[str, Any]]:
    """The events of the named elements. The caller clears what it has used."""
    from lxml import etree

    parser = etree.XMLPullParser(
        events, tag=tags, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        for data in source.blocks(PIECE):
            parser.feed(data)
            yield from parser.read_events()
        parser.close()
        yield from parser.read_events()
    except etree.XMLSyntaxError as problem:
        line = problem.lineno or 1
        raise InputError(f"{source.name}:{line}: not well-formed XML: {problem.msg}") from None


def text_of(element: Any, tag: str, source: Source) -> str:
    """The text of an element's first child of a name, without the blanks around it."""
    child = element.find(tag)
    return "" if child is None else all_text(child, source)


def all_text(element: Any, source: Source) -> str:
    """The text in an element, behind comments too; an error where an entity stands for some of it."""
    from lxml import etree

    for entity in element.iter(etree.Entity):
        raise InputError(
            f"{source.name}:{element.sourceline}: {entity.text} in <{element.tag}> is an entity, "
            "and these are not expanded; write what it stands for"
        )
    return "".join(element.itertext()).strip()


def release(element: Any) -> None:
    """Forget an element and everything before it, so that a file's size does not matter."""
    element.clear(keep_tail=False)
    while element.getprevious() is not None:
        del element.getparent()[0]


def escaped(text: str) -> str:
    """Text as it may stand in XML, in elements and between double quotes.

    >>> escaped('a < "b" & c')
    'a &lt; &quot;b&quot; &amp; c'
    """
    if printable(text) != text:
        raise UsageError(f"{text!r} holds what XML cannot; write another format (--to, or the file's suffix)")
    for letter, told in ESCAPED.items():
        text = text.replace(letter, told)
    return text
