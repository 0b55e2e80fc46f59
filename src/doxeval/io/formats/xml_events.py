"""XML read incrementally and safely: no entities, no network, no external document types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from doxeval.core.errors import InputError, UsageError
from doxeval.core.values import printable
from doxeval.io.source import Source

FED_AT_ONCE = 1 << 20
WHITE_SPACE = " \t\r\n"
"""What XML calls white space; other blanks belong to a name."""
SPACE = "{http://www.w3.org/XML/1998/namespace}space"
XML_ESCAPES = {
    "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;",
}  # fmt: skip
"""Includes line ends and tabs, which would be read back from an attribute as blanks."""


def xml_events(
    source: Source, events: tuple[Literal["start", "end"], ...], tags: tuple[str, ...]
) -> Iterator[tuple[str, Any]]:
    """The events of the named elements. The caller releases what it has used."""
    from lxml import etree

    parser = etree.XMLPullParser(
        events, tag=tags, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        for data in source.blocks(FED_AT_ONCE):
            parser.feed(data)
            yield from parser.read_events()
        parser.close()
        yield from parser.read_events()
    except etree.XMLSyntaxError as problem:
        line = problem.lineno or 1
        raise InputError(f"{source.name}:{line}: not well-formed XML: {problem.msg}") from None


def child_text(element: Any, tag: str, source: Source) -> str:
    """The text of the first child with a tag, without the white space of the layout."""
    child = element.find(tag)
    return "" if child is None else all_text(child, source)


def all_text(element: Any, source: Source) -> str:
    """The text in an element, also after comments; an error if part of it is an entity.

    White space at its ends is that of the layout, unless the element says that it is to be kept.
    """
    from lxml import etree

    for entity in element.iter(etree.Entity):
        raise InputError(
            f"{source.name}:{element.sourceline}: {entity.text} in <{element.tag}> is an entity, "
            "which is not expanded; write the text itself"
        )
    text = "".join(element.itertext())
    return text if element.get(SPACE) == "preserve" else text.strip(WHITE_SPACE)


def release(element: Any) -> None:
    """Free an element and everything before it, so that memory does not grow with the file."""
    element.clear(keep_tail=False)
    while element.getprevious() is not None:
        del element.getparent()[0]


def written(tag: str, text: str) -> str:
    """An element with a text that is read back as it is.

    >>> written("file", "a "), written("file", "<b>")
    ('<file xml:space="preserve">a </file>', '<file>&lt;b&gt;</file>')
    """
    kept = "" if text == text.strip(WHITE_SPACE) else ' xml:space="preserve"'
    return f"<{tag}{kept}>{escaped(text)}</{tag}>"


def escaped(text: str) -> str:
    """Text escaped for XML, in elements and between double quotes.

    >>> escaped('a < "b" & c')
    'a &lt; &quot;b&quot; &amp; c'
    """
    if printable(text) != text:
        raise UsageError(f"{text!r} cannot be written as XML; choose another format (--format or the suffix)")
    for letter, told in XML_ESCAPES.items():
        text = text.replace(letter, told)
    return text
