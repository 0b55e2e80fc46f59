"""XML: offsets are those of `string(/)`.

expat fills the columns while it reads. It cannot be trusted with entities (it would expand a billion laughs,
or drop entities it does not know), so at the first declaration or unknown reference the document goes to
lxml, which limits expansion safely and never reads another file. Entities that even lxml cannot expand are
refused: missing text would shift every offset behind it. The exception is the names that every XHTML file may
use (`&nbsp;`, `&eacute;`): in a file without declarations of its own they have their meaning in HTML.
"""

from __future__ import annotations

from html.entities import name2codepoint
from typing import Any
from xml.parsers import expat

from doxeval.io.documents.parser import Parser
from doxeval.io.documents.tree import Events, Refused, TagCodes, Tree, decode
from doxeval.io.limits import Limits

NOT_WELL_FORMED = "not well-formed XML"
BAD_ENTITY = "XML with entities that are not expanded"
TEXT_BUFFER = 1 << 16
UTF16_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")


class _EntityMet(Exception):
    """The document declares or uses entities, so expat must not read it."""


def parse_xml(data: bytes, tags: TagCodes, limits: Limits) -> Tree:
    """The elements of a document, comments and processing instructions left out."""
    try:
        return _read_by_expat(data, tags).tree(limits)
    except _EntityMet:
        return _read_by_lxml(data, tags).tree(limits)


def _trip(*_: object) -> None:
    raise _EntityMet


def _read_by_expat(data: bytes, tags: TagCodes) -> Events:
    found = Events(tags)

    def skipped(entity: str, is_parameter: bool) -> None:
        if is_parameter or entity not in name2codepoint:
            raise _EntityMet
        found.text(chr(name2codepoint[entity]))

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.buffer_size = TEXT_BUFFER
    parser.ordered_attributes = True
    parser.StartElementHandler = found.begin
    parser.EndElementHandler = found.end
    parser.CharacterDataHandler = found.text_handler()
    parser.EntityDeclHandler = _trip
    parser.SkippedEntityHandler = skipped
    try:
        parser.Parse(data, True)
    except expat.ExpatError as problem:
        raise _refusal_by_expat(data, problem) from None
    except (ValueError, LookupError) as problem:
        raise Refused(NOT_WELL_FORMED, str(problem)) from None
    return found


def _refusal_by_expat(data: bytes, problem: expat.ExpatError) -> Refused:
    """The reason why expat failed; invalid UTF-8 is reported as such."""
    declared = b"encoding" in data[:200].partition(b"?>")[0] and not data[:200].lower().count(b"utf-8")
    if problem.code == expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN] and not declared:
        try:
            if not data.startswith(UTF16_ORDER_MARKS):
                decode(data)
        except Refused as refusal:
            return refusal
    reason = expat.ErrorString(problem.code)
    return Refused(NOT_WELL_FORMED, f"line {problem.lineno}, column {problem.offset + 1}: {reason}")


def _read_by_lxml(data: bytes, tags: TagCodes) -> Events:
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities="internal",  # type: ignore[arg-type]
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        strip_cdata=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as problem:
        entities = "entit" in str(problem).lower() or "amplification" in str(problem).lower()
        raise Refused(BAD_ENTITY if entities else NOT_WELL_FORMED, str(problem)) from None
    if (entity := next(root.iter(etree.Entity), None)) is not None:
        raise Refused(BAD_ENTITY, f"Entity {entity.name!r} is not declared in the file")
    found = Events(tags)
    for event, node in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if event == "start":
            found.begin(_qualified(node))
        elif event == "end":
            found.end()
        text = node.text if event == "start" else node.tail
        if text and (event == "start" or node is not root):
            found.text(text)
    return found


def _qualified(element: Any) -> str:
    """A tag as written in the file, as expat gives it."""
    local = element.tag.rpartition("}")[2]
    return f"{element.prefix}:{local}" if element.prefix else local


PARSER = Parser("xml", parse_xml)
