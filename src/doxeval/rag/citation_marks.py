"""Marks by which answers cite: the styles in use, what each names, and what is not understood.

Numbers name results from 1: ``[2]``, ``[1, 3-5]``, ``[^2]``, ``(Source 2)``, ``【2†source】`` and
``<cite>2</cite>``. Names are those of documents: ``[manual.txt]``, ``【4:0†manual.pdf】``,
``<cite>manual.txt</cite>``, and a footnote that is defined (``[^1]: manual.txt``). The citation
interfaces of model providers return objects instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

NUMBER_LIST = r"\d{1,4}(?:\s*(?:[,;\-\u2013&]|and)\s*\d{1,4})*"
WORD = r"(?:sources?|documents?|docs?|refs?|references?|results?|passages?|chunks?|contexts?)"
FILE = r"[^\[\]()<>\u3010\u3011\n]{0,120}?[^\s\[\]()<>\u3010\u3011\n]\.[A-Za-z][A-Za-z0-9]{0,9}"
PLACE = r"(?:p\.|pp\.|page|pages|lines?|L)?\s*[\d\-\u2013]{1,12}"
STYLES = {
    "numbers": rf"\[\s*(?P<plain>{NUMBER_LIST})\s*\]",
    "footnote": r"\[\^(?P<footnote>[^\]\s]{1,40})\]",
    "word": rf"[(\[]\s*(?i:{WORD})\s*[:#.]?\s*(?P<worded>{NUMBER_LIST})\s*[)\]]",
    "lenticular": r"\u3010(?P<lens>[^\u3010\u3011\n]{1,200})\u3011",
    "file": rf"\[\s*(?P<file>{FILE})(?:\s*[,:#]\s*{PLACE})?\s*\](?!\()",
    "tag": r"<cite(?P<attributes>\s[^<>]*)?>(?P<tag>[^<]{0,300})</cite>",
    "other": r"\[(?P<other>[^\[\]\n]{1,60})\](?!\()",
}
MARK = "|".join(f"(?:{pattern})" for pattern in STYLES.values())
"""A mark of any style, as a regular expression with groups."""
NUMBERS = re.compile(r"(\d+)(?:\s*[-\u2013]\s*(\d+))?")
ONLY_NUMBERS = re.compile(rf"\s*\[?\s*({NUMBER_LIST})\s*\]?\s*")
ONLY_FILE = re.compile(rf"\s*\[?\s*({FILE})\s*\]?\s*")
LENS = re.compile(r"(?:(\d+):)?(\d+)(?:\u2020(.*))?")
DEFINITION = re.compile(r"^\[\^([^\]\s]{1,40})\]:[ \t]*(.+)$", re.MULTILINE)
LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\s]*)\)")
COHERE = re.compile(r"doc[_-]?(\d+)")
MOST_MARKED = 100
"""How many results one mark such as [1-20] may name."""
ELISION = re.compile(r"[.\u2026\s]*|sic|x|\s+")


class CitationMark(NamedTuple):
    """The content of a mark: results by numbers from 1, documents by name; or what was not understood."""

    numbers: tuple[int, ...] = ()
    sources: tuple[str, ...] = ()
    unclear: str = ""


def numbers_in(text: str) -> Iterator[int]:
    """The numbers of a list such as ``1, 3-5``."""
    for first, last in NUMBERS.findall(text):
        yield from range(int(first), min(int(last or first), int(first) + MOST_MARKED) + 1)


def defined_footnotes(answer: str) -> tuple[str, dict[str, str]]:
    """The answer without the definitions of its footnotes, and what each of them says.

    >>> defined_footnotes("So it is.[^a]\\n[^a]: [The lease](lease.md)\\n")
    ('So it is.[^a]\\n\\n', {'a': 'lease.md'})
    """
    found = {}
    for name, text in DEFINITION.findall(answer):
        link = LINK.search(text)
        found[name] = link[2] if link else text.strip().strip("\"'`")
    return DEFINITION.sub("", answer), found


def read_mark(match: re.Match[str], footnotes: Mapping[str, str]) -> CitationMark:
    """The results and documents that a match of :data:`MARK` names; none if it is no citation."""
    for group in ("plain", "worded"):
        if match[group]:
            return CitationMark(tuple(numbers_in(match[group])))
    if name := match["footnote"]:
        return _footnote(name, footnotes)
    if match["lens"]:
        return _lenticular(match["lens"], match[0])
    if match["file"]:
        return CitationMark(sources=(match["file"].strip(),))
    if match["tag"] is not None:
        return _tagged(match["tag"], match["attributes"] or "", match[0])
    if match["other"] and not ELISION.fullmatch(match["other"]):
        return CitationMark(unclear=match[0])
    return CitationMark()


def _footnote(name: str, footnotes: Mapping[str, str]) -> CitationMark:
    if name in footnotes:
        told = footnotes[name]
        numbers = ONLY_NUMBERS.fullmatch(told)
        return CitationMark(tuple(numbers_in(numbers[1]))) if numbers else CitationMark(sources=(told,))
    return (
        CitationMark((int(name),))
        if name.isascii() and name.isdigit()
        else CitationMark(unclear=f"[^{name}]")
    )


def _lenticular(text: str, whole: str) -> CitationMark:
    """``3†source`` names a result, ``4:0†name`` the document of this name; ``4:0†source`` neither."""
    match = LENS.fullmatch(text.strip())
    if match is None:
        return CitationMark(unclear=whole)
    step, number, name = match.groups()
    if name and name.strip().lower() != "source":
        return CitationMark(sources=(name.strip(),))
    return CitationMark(unclear=whole) if step else CitationMark((int(number),))


def _tagged(text: str, attributes: str, whole: str) -> CitationMark:
    """Numbers or the name of a document within a tag; an empty one says that nothing need be cited."""
    named = re.search(r"""(?:doc|source|document|id|ref|file)\s*=\s*["']?([^"'\s>]+)""", attributes)
    inside = named[1] if named else text
    if not inside.strip():
        return CitationMark()
    if match := ONLY_NUMBERS.fullmatch(inside):
        return CitationMark(tuple(numbers_in(match[1])))
    if match := ONLY_FILE.fullmatch(inside):
        return CitationMark(sources=(match[1].strip(),))
    return CitationMark(sources=(inside,)) if named else CitationMark(unclear=whole)


class Provided(NamedTuple):
    """A citation object: the words cited (empty if it has none), results from 1, and a document."""

    quote: str = ""
    numbers: tuple[int, ...] = ()
    source: str = ""


def provided_citations(citation: Mapping[str, Any]) -> list[Provided]:
    """The citations in an object of a model provider's interface; none if it is of another shape.

    >>> provided_citations({"type": "char_location", "cited_text": "two months", "document_index": 0})
    [Provided(quote='two months', numbers=(1,), source='')]
    >>> provided_citations({"type": "file_citation", "filename": "lease.md"})
    [Provided(quote='', numbers=(), source='lease.md')]
    """
    if isinstance(citation.get("cited_text"), str):
        at = next((citation[key] for key in ("document_index", "search_result_index")
                   if type(citation.get(key)) is int), None)  # fmt: skip
        name = citation.get("document_title") or citation.get("source") or citation.get("title") or ""
        return [Provided(citation["cited_text"], () if at is None else (at + 1,), str(name))]
    nested = next((citation[key] for key in ("file_citation", "url_citation", "file_path")
                   if isinstance(citation.get(key), Mapping)), citation)  # fmt: skip
    if str(citation.get("type", "")).endswith(("_citation", "file_path")) or nested is not citation:
        name = next((nested[key] for key in ("filename", "url", "file_id") if nested.get(key)), "")
        quote = nested.get("quote") or ""
        return [Provided(str(quote), (), str(name))] if name or quote else []
    if isinstance(citation.get("document_ids"), list):
        return [_cohere(name) for name in citation["document_ids"]]
    if isinstance(citation.get("sources"), list):
        return [_cohere(one.get("id")) for one in citation["sources"] if isinstance(one, Mapping)]
    indices = citation.get("groundingChunkIndices") or citation.get("grounding_chunk_indices")
    if isinstance(indices, list):
        return [Provided(numbers=(at + 1,)) for at in indices if type(at) is int]
    return []


def _cohere(name: Any) -> Provided:
    """A document by the number that the interface gave it, or by its name."""
    match = COHERE.fullmatch(str(name))
    return Provided(numbers=(int(match[1]) + 1,)) if match else Provided(source=str(name))
