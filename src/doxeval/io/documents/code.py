"""Source code: classes, functions, methods and their bodies as nodes, by tree-sitter (extra `code`).

The text is that of the file, unchanged. Classes and functions have their qualified names as ids (`Cart.add`);
a second one of the same name in a file is `Cart.add#2`. Files that do not parse give the tree of what does.
Without the extra, and for other languages, a file is its text.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.io.documents.parser import CODE_SUFFIXES, SOURCE, Parser
from doxeval.io.documents.tree import NOT_TEXT, Refused, TagCodes, Tree, tree_of_nodes
from doxeval.io.limits import Limits
from doxeval.tables.documents import FUNCTION, METHOD, SOURCE_FILE

if TYPE_CHECKING:
    from tree_sitter import Node, Query

FILE, NAMESPACE, CLASS, BODY = SOURCE_FILE, "namespace", "class", "body"
QUICK = 1 << 20

_C = """
(function_definition body: (_) @body) @function
(struct_specifier name: (_) body: (_) @body) @class
(union_specifier name: (_) body: (_) @body) @class
(enum_specifier name: (_) body: (_) @body) @class
"""
_JAVASCRIPT = """
(class_declaration body: (_) @body) @class
(function_declaration body: (_) @body) @function
(generator_function_declaration body: (_) @body) @function
(method_definition body: (_) @body) @function
(variable_declarator value: (arrow_function body: (_) @body)) @function
(variable_declarator value: (function_expression body: (_) @body)) @function
(export_statement) @whole
"""
_TYPESCRIPT = (
    _JAVASCRIPT
    + """
(abstract_class_declaration body: (_) @body) @class
(interface_declaration body: (_) @body) @class
(enum_declaration body: (_) @body) @class
(internal_module body: (_) @body) @namespace
"""
)
DEFINITIONS = {
    "python": """
(class_definition body: (_) @body) @class
(function_definition body: (_) @body) @function
(decorated_definition) @whole
""",
    "javascript": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "tsx": _TYPESCRIPT,
    "java": """
(class_declaration body: (_) @body) @class
(interface_declaration body: (_) @body) @class
(enum_declaration body: (_) @body) @class
(record_declaration body: (_) @body) @class
(annotation_type_declaration body: (_) @body) @class
(method_declaration) @function
(constructor_declaration body: (_) @body) @function
(method_declaration body: (_) @body)
""",
    "c": _C,
    "cpp": _C
    + """
(class_specifier name: (_) body: (_) @body) @class
(namespace_definition body: (_) @body) @namespace
(template_declaration) @whole
""",
    "csharp": """
(class_declaration body: (_) @body) @class
(struct_declaration body: (_) @body) @class
(interface_declaration body: (_) @body) @class
(record_declaration) @class
(enum_declaration body: (_) @body) @class
(namespace_declaration body: (_) @body) @namespace
(method_declaration) @function
(method_declaration body: (_) @body)
(constructor_declaration body: (_) @body) @function
(property_declaration) @function
(local_function_statement body: (_) @body) @function
""",
    "go": """
(function_declaration) @function
(method_declaration) @function
(function_declaration body: (_) @body)
(method_declaration body: (_) @body)
(type_spec) @class
""",
    "rust": """
(function_item body: (_) @body) @function
(function_signature_item) @function
(struct_item) @class
(enum_item body: (_) @body) @class
(trait_item body: (_) @body) @class
(impl_item body: (_) @body) @class
(mod_item body: (_) @body) @namespace
(union_item) @class
""",
    "ruby": """
(class) @class
(module) @class
(method) @function
(singleton_method) @function
""",
    "php": """
(class_declaration body: (_) @body) @class
(interface_declaration body: (_) @body) @class
(trait_declaration body: (_) @body) @class
(enum_declaration body: (_) @body) @class
(function_definition body: (_) @body) @function
(method_declaration) @function
(method_declaration body: (_) @body)
""",
}
"""For each language the query that finds what has a name, its body, and what surrounds a definition.

A definition that is alone in a node marked `whole` (decorators, `export`, `template`) extends over all of it.
"""


def decoded(data: bytes) -> str:
    """The text of a source file: UTF-8, else a byte a character, so lines stay what they are."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    if "\ufffd" in text and b"\xef\xbf\xbd" not in data:
        text = data.decode("latin-1")
    if "\0" in text:
        raise Refused(NOT_TEXT, f"a NUL character at {text.index(chr(0))}; is it a binary file?")
    return text


def has_grammars() -> bool:
    """Whether the grammars are installed, with the package itself."""
    return _pack() is not None


@cache
def _pack() -> Any:
    """The package of grammars; None if it is missing, or one that would download them when used."""
    try:
        from importlib.metadata import version

        import tree_sitter_language_pack as pack
    except ImportError:
        return None
    return pack if int(version("tree-sitter-language-pack").partition(".")[0]) < 1 else None


@cache
def _tools(language: str) -> tuple[Any, Query]:
    """The parser of a language, and the query for its definitions."""
    from tree_sitter import Parser as TreeParser
    from tree_sitter import Query

    grammar = _pack().get_language(language)
    return TreeParser(grammar), Query(grammar, DEFINITIONS[language])


def parse_source(language: str, data: bytes, tags: TagCodes, limits: Limits) -> Tree:
    """The tree of a source file; a single node where the language is unknown or the extra is missing."""
    text = decoded(data)
    found: list[tuple[str, int, int, str]] = []
    if language in DEFINITIONS and has_grammars():
        found = list(_nodes(language, text))
    parents, codes, starts, ends, names = [-1], [tags[FILE]], [0], [len(text)], [""]
    open_nodes = [0]
    seen: dict[str, int] = {}
    place = _places_of_bytes(text)
    for tag, first, last, name in found:
        start, end = place(first), place(last)
        while ends[open_nodes[-1]] <= start and len(open_nodes) > 1:
            open_nodes.pop()
        above = open_nodes[-1]
        if end > ends[above]:
            continue
        if tag == FUNCTION and codes[_named_above(parents, names, above)] == tags[CLASS]:
            tag = METHOD
        open_nodes.append(len(parents))
        names.append(_qualified(name, parents, names, above, seen) if name else "")
        parents.append(above)
        codes.append(tags[tag])
        starts.append(start)
        ends.append(end)
    tree = tree_of_nodes(parents, codes, starts, ends, len(text), limits)
    tree.text = text
    tree.node_ids = names if any(names) else None
    return tree


def _named_above(parents: list[int], names: list[str], node: int) -> int:
    """The nearest node with a name, from `node` upwards; the root if there is none."""
    while node > 0 and not names[node]:
        node = parents[node]
    return node


def _qualified(name: str, parents: list[int], names: list[str], above: int, seen: dict[str, int]) -> str:
    """The name behind those of the nodes around it, and a number if it is not the first of its kind."""
    outer = names[_named_above(parents, names, above)].partition("#")[0]
    full = f"{outer}.{name}" if outer else name
    seen[full] = seen.get(full, 0) + 1
    return full if seen[full] == 1 else f"{full}#{seen[full]}"


def _places_of_bytes(text: str) -> Any:
    """A function from the place of a byte of the text in UTF-8 to that of its character."""
    if text.isascii():
        return int
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    before = np.append(0, np.cumsum((data & 0xC0) != 0x80))
    return lambda at: int(before[at])


def _nodes(language: str, text: str) -> Iterator[tuple[str, int, int, str]]:
    """Tag, extent in bytes and name of every definition and body, outer ones first."""
    from tree_sitter import QueryCursor

    parser, query = _tools(language)
    captured = QueryCursor(query).captures(parser.parse(text.encode("utf-8", "surrogatepass")).root_node)
    wholes = {node.id: node for node in captured.get("whole", ())}
    found = []
    for kind in (NAMESPACE, CLASS, FUNCTION):
        for node in captured.get(kind, ()):
            name = _name_of(node)
            if name:
                around = _around(node, wholes)
                found.append((kind, around.start_byte, around.end_byte, name))
    found += [(BODY, node.start_byte, node.end_byte, "") for node in captured.get("body", ())]
    return iter(sorted(set(found), key=lambda node: (node[1], -node[2], node[0] == BODY)))


def _around(node: Node, wholes: dict[int, Node]) -> Node:
    """The definition with what belongs to it: decorators, `export`, `template`."""
    above = node.parent
    if node.type == "variable_declarator" and above is not None and above.named_child_count == 1:
        node, above = above, above.parent
    while above is not None and above.id in wholes:
        node, above = above, above.parent
    return node


def _name_of(node: Node) -> str:
    """The name of a definition; empty if it has none."""
    if node.type == "impl_item":
        return _words(node.child_by_field_name("type"))
    if node.type == "method_declaration" and (receiver := node.child_by_field_name("receiver")) is not None:
        owner = next((part for part in _below(receiver) if part.type == "type_identifier"), None)
        return ".".join(filter(None, (_words(owner), _words(node.child_by_field_name("name")))))
    named = node.child_by_field_name("name") or _declared(node)
    return _words(named).replace("::", ".")


def _declared(node: Node) -> Node | None:
    """The name inside the declarators of C: `int *(*name)(int)`."""
    inner = node.child_by_field_name("declarator")
    while inner is not None:
        further = inner.child_by_field_name("declarator")
        if further is None and inner.type == "reference_declarator":
            further = inner.named_children[0] if inner.named_children else None
        if further is None:
            return inner
        inner = further
    return None


def _below(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        yield child
        yield from _below(child)


def _words(node: Node | None) -> str:
    """The text of a small node, without blanks."""
    return "" if node is None or node.text is None else "".join(node.text.decode("utf-8", "replace").split())


LANGUAGE_PARSERS = tuple(
    Parser(language, partial(parse_source, language), QUICK)
    for language in dict.fromkeys([SOURCE, *CODE_SUFFIXES.values()])
)
