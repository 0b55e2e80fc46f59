from __future__ import annotations

import re
import subprocess
import sys
from html import escape as html_escape
from html.parser import HTMLParser
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

import doxeval as dx
from doxeval.core.catalogue import DOCUMENT_SUFFIXES
from doxeval.extend import register
from doxeval.io.documents.html import parse_html
from doxeval.io.documents.json_documents import parse_leaves
from doxeval.io.documents.markdown import parse_markdown
from doxeval.io.documents.parser import PARSERS, Parser, document_formats
from doxeval.io.documents.parsing import format_of_content
from doxeval.io.documents.text import parse_plain
from doxeval.io.documents.tree import Refused, TagCodes
from doxeval.io.documents.wikitext import parse_wikitext
from doxeval.io.documents.xml import parse_xml
from doxeval.io.limits import Limits
from tests.io.documents.trees import ELEMENTS, Element

LIMITS = Limits()


def parsed(parse, source):
    """Rows (parent, tag, slice of the text) of a document."""
    codes = TagCodes()
    tree = parse(source.encode() if isinstance(source, str) else source, codes, LIMITS)
    names = list(codes)
    assert tree.length == len(tree.text)
    return tree, [
        (int(parent), names[tag], tree.text[start:end])
        for parent, tag, start, end in zip(tree.parent, tree.tag, tree.start, tree.end, strict=True)
    ]


def slices(parse, source, tag):
    return [text for _, name, text in parsed(parse, source)[1] if name == tag]


def as_xml(element: Element, draw) -> str:
    """An element as XML with everything that must not count as text put between."""
    parts = []
    for part in element.content:
        if not isinstance(part, str):
            parts.append(as_xml(part, draw))
        elif draw(st.booleans()) and "]" not in part:
            parts.append(f"<![CDATA[{part}]]>")
        else:
            parts.append(escape(part).replace("é", "&#233;").replace("\n", "\r\n"))
        parts.append(draw(st.sampled_from(["", "", "<!-- no <text> -->", "<?pi no text?>", "&own;"])))
    return f"<{element.tag} a='1'>{''.join(parts)}</{element.tag}>"


@given(ELEMENTS, st.booleans(), st.data())
def test_xml_slices_equal_what_lxml_says_string_is(element, declared, data):
    body = as_xml(element, data.draw)
    if declared:
        source = f"<!DOCTYPE {element.tag} [<!ENTITY own 'x&#x1F600;y'>]>{body}"
    else:
        source = body.replace("&own;", "")
    tree, rows = parsed(parse_xml, source)
    root = etree.fromstring(source.encode())
    elements = [node for node in root.iter() if isinstance(node.tag, str)]
    assert [(tag, text) for _, tag, text in rows] == [(node.tag, node.xpath("string()")) for node in elements]
    assert [parent for parent, _, _ in rows] == [
        elements.index(node.getparent()) if node is not root else -1 for node in elements
    ]
    assert tree.depth.tolist() == [1 + len(list(node.iterancestors())) for node in elements]


def test_xml_keeps_prefixes_whichever_parser_reads_it():
    plain = "<x:a xmlns:x='u'><b/>t</x:a>"
    declared = f"<!DOCTYPE a [<!ENTITY e 'é'>]>{plain}"
    assert parsed(parse_xml, plain)[1] == parsed(parse_xml, declared)[1] == [(-1, "x:a", "t"), (0, "b", "")]


def test_xml_in_other_encodings():
    assert slices(parse_xml, "<a>é😀</a>".encode("utf-16"), "a") == ["é😀"]
    latin = "<?xml version='1.0' encoding='iso-8859-1'?><a>é</a>".encode("latin-1")
    assert slices(parse_xml, latin, "a") == ["é"]


def test_xml_knows_the_names_of_html_where_the_dtd_is_not_at_hand():
    source = (
        '<!DOCTYPE a PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "xhtml1-strict.dtd"><a>caf&eacute;<b>!</b></a>'
    )
    assert parsed(parse_xml, source)[1] == [(-1, "a", "café!"), (0, "b", "!")]


LAUGHS = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 10))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (f"<!DOCTYPE a [<!ENTITY l0 'ha'>{LAUGHS}]><a>&l9;</a>", "entit"),
        ("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><a>&x;</a>", "'x'"),
        ("<!DOCTYPE a SYSTEM 'a.dtd'><a>&unheard;</a>", "'unheard'"),
        ("<a>" * 100_000 + "</a>" * 100_000, "nested deeper than 1,000 levels: 100,000"),
        ("<a><b></a>", "line 1, column"),
        ("", "no element found"),
        (b"<a>\xff\n</a>", "0xff at 3 is not UTF-8"),
        ("<?xml version='1.0' encoding='klingon'?><a/>", "encoding"),
    ],
)
def test_hostile_xml_is_refused_with_the_reason(source, reason):
    with pytest.raises(Refused) as refusal:
        parse_xml(source.encode() if isinstance(source, str) else source, TagCodes(), LIMITS)
    assert reason in str(refusal.value)


class Walk(HTMLParser):
    """Elements of well-formed HTML and their text, by Python's own tokenizer."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.found: list[list] = []
        self.open: list[int] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append([self.open[-1] if self.open else -1, tag, ""])
        self.open.append(len(self.found) - 1)

    def handle_endtag(self, tag):
        self.open.pop()

    def handle_data(self, data):
        for at in self.open:
            self.found[at][2] += data


def as_html(element: Element) -> str:
    parts = [html_escape(part) if isinstance(part, str) else as_html(part) for part in element.content]
    return f"<div class='{element.tag}'>{'<!-- c -->'.join(parts)}</div>"


@given(ELEMENTS)
def test_html_slices_equal_an_independent_walk(element):
    source = f"<html><head><title>a &amp; b</title></head><body>{as_html(element)}</body></html>"
    _, rows = parsed(parse_html, source)
    walked = Walk(source).found
    assert [row[:2] for row in rows] == [tuple(row[:2]) for row in walked]
    assert [re.sub(r"\s", "", row[2]) for row in rows] == [re.sub(r"\s", "", row[2]) for row in walked]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<h1>Returns</h1><p>Returns are free", "Returns\nReturns are free"),
        ("<h1>Returns</h1>\n<p>Returns are free", "Returns\nReturns are free"),
        ("<p>one <b>bold</b>ly</p>two<br>three", "one boldly\ntwo\nthree"),
        ("<ul><li>one<li>two</ul><table><tr><td>a<td>b<tr><td>c</table>", "one\ntwo\na\nb\nc"),
        ("<div><div><p>deep</p></div></div><div>next</div>", "deep\nnext"),
    ],
)
def test_blocks_of_html_are_not_glued(source, text):
    _, rows = parsed(parse_html, source)
    assert rows[0][2] == text
    assert not any(row[2].startswith("\n") for row in rows[3:] if row[1] in ("p", "li", "td", "h1"))


def test_html_is_the_tree_a_browser_builds():
    _, rows = parsed(parse_html, "<p>one<p>two &eacute;<script>1<2</script>")
    assert [row[1:] for row in rows] == [
        ("html", "one\ntwo é1<2"),
        ("head", ""),
        ("body", "one\ntwo é1<2"),
        ("p", "one"),
        ("p", "two é1<2"),
        ("script", "1<2"),
    ]


def test_html_in_the_encoding_it_declares():
    assert slices(parse_html, "<meta charset=latin-1><p>é".encode("latin-1"), "p") == ["é"]
    with pytest.raises(Refused, match="klingon"):
        parse_html(b"<meta charset='klingon'><p>", TagCodes(), LIMITS)


def test_html_nested_100_000_deep_is_refused():
    with pytest.raises(Refused, match="nested deeper"):
        parse_html(b"<div>" * 100_000, TagCodes(), LIMITS)


MARKDOWN = """# Title #

Intro *line* 😀
second line

## Part one

- first
- second

  more
> quoted
> text

```python
code = 1
```

| a | b |
|---|---|
| 1 | 2 |

Setext
------
# Next
end
"""


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_markdown_slices_of_the_source(ends):
    source = MARKDOWN.replace("\n", ends)
    tree, _ = parsed(parse_markdown, source)
    assert tree.text == source

    def found(tag):
        return [text.replace(ends, "\n") for text in slices(parse_markdown, source, tag)]

    assert found("heading") == ["Title", "Part one", "Setext", "Next"]
    assert found("p") == ["Intro *line* 😀\nsecond line", "first", "second", "more", "quoted\n> text", "end"]
    assert found("item") == ["- first", "- second\n\n  more"]
    assert found("list") == ["- first\n- second\n\n  more"]
    assert found("quote") == ["> quoted\n> text"]
    assert found("code") == ["```python\ncode = 1\n```"]
    assert found("table") == ["| a | b |\n|---|---|\n| 1 | 2 |"]
    sections = found("sec")
    assert [section.split("\n")[0].strip("# ") for section in sections] == [
        "Title",
        "Part one",
        "Setext",
        "Next",
    ]
    assert sections[0].endswith("Setext") and sections[1].endswith("| 1 | 2 |")


@given(
    st.lists(
        st.sampled_from(
            [
                "# a",
                "## b",
                "- x",
                "  - y",
                "> q",
                "",
                "text",
                "```",
                "    code",
                "|a|\n|-|\n|1|",
                "1. n",
                "a\n---",
            ]
        ),
        max_size=25,
    )
)
def test_markdown_trees_are_trees_whatever_is_written(lines):
    import numpy as np

    from doxeval.kernels.nodes import first_misplaced

    tree, rows = parsed(parse_markdown, "\n".join(lines))
    offset = np.array([0, len(rows)])
    assert first_misplaced(offset, tree.parent, tree.start, tree.end, np.array([tree.length])).tolist() == [
        -1
    ]


def test_markdown_survives_endless_nesting():
    tree, _ = parsed(parse_markdown, ">" * 100_000 + " deep")
    assert len(tree.parent) <= 102


WIKI = " = Title = \n Intro .\n = = Part = = \n One .\n Two = 2 .\n = = = Deep = = = \n x\n = Other = \n y\n"


@pytest.mark.parametrize("parse", [parse_wikitext, parse_markdown, parse_plain])
def test_wikitext_is_recognised_and_sliced(parse):
    assert slices(parse, WIKI, "heading") == ["= Title =", "= = Part = =", "= = = Deep = = =", "= Other ="]
    assert slices(parse, WIKI, "p") == ["Intro .", "One .", "Two = 2 .", "x", "y"]
    first, part, deep, other = slices(parse, WIKI, "sec")
    assert part in first and deep in part and other == "= Other = \n y"


def test_markdown_with_headings_of_its_own_is_markdown():
    assert slices(parse_markdown, "# A\n\n = b = \n", "heading") == ["A"]


@given(
    st.lists(st.text(alphabet="ab é😀", min_size=1).filter(str.strip), max_size=5),
    st.sampled_from(["\n\n", "\r\n \r\n", "\n\n\n"]),
)
def test_paragraphs_of_plain_text(paragraphs, gap):
    assert slices(parse_plain, gap.join(paragraphs), "p") == [text.strip() for text in paragraphs]


def test_binary_and_broken_text_is_refused():
    for source, reason in [(b"a\n\xc3(", "line 2: byte 0xc3 at 2"), (b"a\0b", "NUL")]:
        with pytest.raises(Refused, match=reason):
            parse_plain(source, TagCodes(), LIMITS)


def test_strings_of_any_json():
    codes = TagCodes()
    value = {"title": "Té", "n": 3, "parts": [{"a b": "x"}, [], "y"], "none": {"k": None}}
    tree = parse_leaves(value, codes, LIMITS)
    names = list(codes)
    assert tree.text == "Té\nx\ny"
    rows = zip(tree.parent.tolist(), tree.tag, tree.start, tree.end, strict=True)
    assert [(parent, names[tag], tree.text[a:b]) for parent, tag, a, b in rows] == [
        (-1, "json", "Té\nx\ny"),
        (0, "title", "Té"),
        (0, "parts", "x\ny"),
        (2, "item", "x"),
        (3, "a_b", "x"),
        (2, "item", "y"),
    ]


@pytest.mark.parametrize("name", PARSERS)
def test_an_empty_document_has_one_node_or_a_reason(name):
    try:
        tree = PARSERS[name].parse(b"", TagCodes(), LIMITS)
    except Refused as refusal:
        assert "no element" in str(refusal) or (name == "pdf" and "not a readable PDF file" in str(refusal))
    else:
        assert tree.length == 0 and tree.parent[0] == -1


@pytest.mark.parametrize(
    ("data", "format"),
    [
        (b"<!DOCTYPE html><p>", "html"),
        (b" <a/>", "xml"),
        (b'{"doc": 1}', "json"),
        (b'{"doc": 1}\n{"doc": 2}', "jsonl"),
        (b"hello", "text"),
        (b"%PDF-1.7 ...", "pdf"),
    ],
)
def test_content_speaks_for_its_format(data, format):
    assert format_of_content(data) == format


def test_every_suffix_speaks_for_a_format():
    assert set(DOCUMENT_SUFFIXES.values()) <= set(document_formats())


def test_suffixes_are_known_without_loading_a_parser():
    code = (
        "import sys; from doxeval.core.catalogue import DOCUMENT_SUFFIXES as known; assert known; "
        "import doxeval.io.documents.parser; "
        "print([name for name in sys.modules if name.startswith('doxeval.io.documents.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "['doxeval.io.documents.parser']\n", done.stderr


def test_a_parser_of_ones_own_is_named_like_all_others(tmp_path):
    def parse_shouted(data, tags, limits):
        return PARSERS["text"].parse(data.upper(), tags, limits)

    parser = register(Parser("shouted", parse_shouted))
    try:
        (tmp_path / "a.txt").write_text("so it is")
        documents = dx.read_documents(tmp_path / "a.txt", input_format="shouted")
        assert documents.text[0] == "SO IT IS" and "shouted" in document_formats()
    finally:
        PARSERS._things.pop(parser.name)
    with pytest.raises(dx.UsageError, match=r"unknown document format 'shouted'.* \(known: .*jsonl"):
        dx.read_documents(tmp_path / "a.txt", input_format="shouted")


def test_a_heading_over_a_line_and_a_paragraph_begin_where_their_words_do() -> None:
    _, rows = parsed(parse_markdown, "One\nand two\nsix\n===\n\n> Three\n> four\n\n- five\n  or six\n")
    words = {text for _, _, text in rows}
    assert {"One\nand two\nsix", "Three\n> four", "- five\n  or six"} <= words
