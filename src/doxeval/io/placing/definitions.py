"""Classes and functions in two versions of source code: which definition of the new one is which of the old.

A definition is still there if its file has one of the same qualified name, however much it was edited. Else
it was moved if another one has the same tokens, and renamed if one that was not there before has the same
tokens apart from its own name. White space, trailing commas, the kind of quotation marks and decorators make
no difference. Anything less certain is no match: a deleted function is not its most similar sibling.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import takewhile
from typing import NamedTuple

from doxeval.io.placing.text_index import APPROXIMATES
from doxeval.tables.documents import FUNCTION, METHOD, Documents

TOKEN = re.compile(r"\w+|[^\w\s]")
CLOSING = frozenset(")]}")
BEFORE = re.compile(r"@[\w.]+(?P<called>\()?|export\s+(?:default\s+)?|template\s*(?P<of><)")
"""What may stand before the definition itself."""
STRING = r'"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
COMMENTS = {"#": "#.*", "//": r"//.*|/\*[\s\S]*?\*/"}
BLANKS = {mark: re.compile(rf"(?:\s|{comment})+") for mark, comment in COMMENTS.items()}
BRACKETS = {mark: re.compile(rf"{STRING}|{comment}|[()<>]") for mark, comment in COMMENTS.items()}
"""White space and comments, and brackets or what may hold some that do not count, by the mark of comments."""
PYTHON = (".py", ".pyi", ".pyx")
FEWEST_TOKENS_RENAMED = 16
"""The least size of a definition that is recognised under another name: smaller ones are alike by chance."""
ALIKE_DEFINITIONS = 0.5
"""The least similarity of two definitions of one name where a file has more or fewer of them than before."""


class Definition(NamedTuple):
    """A named node of a source file; `core` is where it starts without decorators."""

    doc: int
    name: str
    kind: str
    start: int
    core: int
    end: int

    @property
    def base(self) -> str:
        """The qualified name without the number of a second one of that name."""
        return self.name.partition("#")[0]

    @property
    def own_name(self) -> str:
        """The last part of the qualified name."""
        return self.base.rpartition(".")[2]


@dataclass(frozen=True)
class Successor:
    """The definitions that one of the old version may be in the new one: one, unless it is ambiguous."""

    definitions: tuple[Definition, ...]
    renamed: bool = False


class Definitions:
    """The definitions in the source files of a collection."""

    def __init__(self, documents: Documents) -> None:
        self.documents = documents
        self._of: dict[int, list[Definition]] = {}
        self._digests: dict[tuple[int, int, int], tuple[bytes, bytes, int]] = {}

    def of(self, doc: int) -> list[Definition]:
        """The definitions of a document, outer ones first; none if it is no source file."""
        if doc not in self._of:
            self._of[doc] = list(self._found(doc)) if doc >= 0 else []
        return self._of[doc]

    def _found(self, doc: int) -> Iterable[Definition]:
        documents = self.documents
        rows = documents.nodes.slice(doc)
        if documents.node_ids is None or not documents.is_source(doc):
            return
        names = documents.node_ids[rows]
        text, comment = self.text(doc), "#" if documents.ids[doc].endswith(PYTHON) else "//"
        for name, tag, start, end in zip(
            names, documents.tag[rows].tolist(), documents.start[rows].tolist(),
            documents.end[rows].tolist(), strict=True,
        ):  # fmt: skip
            if name:
                kind = FUNCTION if documents.tags[tag] == METHOD else documents.tags[tag]
                yield Definition(doc, name, kind, start, _core(text, start, end, comment), end)

    def text(self, doc: int) -> str:
        """The text of a document."""
        assert self.documents.text is not None
        return self.documents.text[doc]

    def code(self, name: str) -> int:
        """The document of that path, -1 if there is none."""
        return int(self.documents.codes([name])[0])

    def path(self, definition: Definition) -> str:
        """The document that a definition is in."""
        return self.documents.ids[definition.doc]

    def named(self, doc: int, base: str) -> list[Definition]:
        """The definitions of a qualified name in a document."""
        return [found for found in self.of(doc) if found.base == base]

    def words(self, definition: Definition) -> str:
        """The text of a definition, without decorators."""
        return self.text(definition.doc)[definition.core : definition.end]

    def tokens(self, definition: Definition) -> list[str]:
        """The tokens of a definition, without decorators."""
        return _tokens(self.words(definition))

    def digest(self, definition: Definition) -> bytes:
        """A hash that is equal for equal tokens."""
        return self._hashed(definition)[0]

    def nameless_digest(self, definition: Definition) -> bytes:
        """A hash that is equal for definitions with equal tokens apart from their own names."""
        return self._hashed(definition)[1]

    def size(self, definition: Definition) -> int:
        """The number of tokens of a definition."""
        return self._hashed(definition)[2]

    def _hashed(self, definition: Definition) -> tuple[bytes, bytes, int]:
        key = (definition.doc, definition.start, definition.end)
        if key not in self._digests:
            tokens, own = self.tokens(definition), definition.own_name
            nameless = ["" if token == own else token for token in tokens]
            self._digests[key] = (_digest(tokens), _digest(nameless), len(tokens))
        return self._digests[key]

    @cached_property
    def by_digest(self) -> dict[bytes, list[Definition]]:
        """All definitions by their tokens."""
        return self._grouped(self.digest)

    @cached_property
    def by_nameless_digest(self) -> dict[bytes, list[Definition]]:
        """All definitions by their tokens apart from their own names."""
        return self._grouped(self.nameless_digest)

    def _grouped(self, key: Callable[[Definition], bytes]) -> dict[bytes, list[Definition]]:
        groups: dict[bytes, list[Definition]] = defaultdict(list)
        for doc in range(len(self.documents)):
            for definition in self.of(doc):
                groups[key(definition)].append(definition)
        return groups

    def at(self, doc: int, start: int, end: int) -> Definition | None:
        """The definition at a range, which may leave out decorators, or add marks and comments at the end."""
        text = self.text(doc)
        start, end = without_blanks(text, start, end)
        fitting = [
            found
            for found in self.of(doc)
            if start in (found.start, found.core)
            and _says_nothing(text[min(end, found.end) : max(end, found.end)])
        ]
        return min(fitting, key=lambda found: found.end - found.start, default=None)

    def around(self, doc: int, start: int, end: int) -> Definition | None:
        """The smallest definition that contains a range, but for white space at its ends."""
        start, end = without_blanks(self.text(doc), start, end)
        holding = [found for found in self.of(doc) if found.start <= start and end <= found.end]
        return min(holding, key=lambda found: found.end - found.start, default=None)


class Versions:
    """The definitions of an old and of a new version of source code."""

    def __init__(self, old: Documents, new: Documents) -> None:
        self.old, self.new = Definitions(old), Definitions(new)

    def successor(self, definition: Definition) -> Successor | None:
        """The definition of the new version that one of the old has become; None if it was deleted."""
        return self._of_same_name(definition) or self._moved(definition) or self._renamed(definition)

    def similarity(self, definition: Definition, successor: Definition) -> float:
        """How similar two definitions are, by their tokens."""
        return similar_tokens(self.old.tokens(definition), self.new.tokens(successor))

    def _of_same_name(self, definition: Definition) -> Successor | None:
        path = self.old.path(definition)
        now = self.new.named(self.new.code(path), definition.base)
        before = self.old.named(definition.doc, definition.base)
        if len(now) == 1 == len(before):
            return Successor((now[0],))
        partner = self._partners(before, now).get(definition)
        return None if partner is None else Successor((partner,))

    def _partners(
        self, before: Sequence[Definition], now: Sequence[Definition]
    ) -> dict[Definition, Definition]:
        """Definitions of one name in one file, paired: equal ones first, then as they follow one another."""
        partners: dict[Definition, Definition] = {}
        left = list(now)
        for definition in before:
            equal = [other for other in left if self.new.digest(other) == self.old.digest(definition)]
            if equal:
                partners[definition] = equal[0]
                left.remove(equal[0])
        rest = [definition for definition in before if definition not in partners]
        if len(rest) == len(left):
            return partners | dict(zip(rest, left, strict=True))
        alike = sorted(
            (
                (self.similarity(definition, other), definition, other)
                for definition in rest
                for other in left
            ),
            reverse=True,
        )
        for same, definition, other in alike:
            if same >= ALIKE_DEFINITIONS and definition not in partners and other in left:
                partners[definition] = other
                left.remove(other)
        return partners

    def _moved(self, definition: Definition) -> Successor | None:
        """The definition with equal tokens that most likely took its place."""
        equal = [
            found
            for found in self.new.by_digest.get(self.old.digest(definition), ())
            if found.kind == definition.kind
        ]
        return Successor(self._likeliest(definition, equal)) if equal else None

    def _renamed(self, definition: Definition) -> Successor | None:
        if self.old.size(definition) < FEWEST_TOKENS_RENAMED:
            return None
        equal = [
            found
            for found in self.new.by_nameless_digest.get(self.old.nameless_digest(definition), ())
            if found.kind == definition.kind and not self.was_there(found)
        ]
        return Successor(self._likeliest(definition, equal), renamed=True) if equal else None

    def _likeliest(self, definition: Definition, found: list[Definition]) -> tuple[Definition, ...]:
        """Of several definitions those that most likely took the place of an old one."""
        ranked = [(self._likelihood(definition, one), one) for one in found]
        best = max(rank for rank, _ in ranked)
        return tuple(one for rank, one in ranked if rank == best)

    def _likelihood(self, definition: Definition, found: Definition) -> tuple[int, ...]:
        """New before old ones, then those in the same file, class, folder."""
        before, now = self.old.path(definition).split("/"), self.new.path(found).split("/")
        shared = len([*takewhile(lambda pair: pair[0] == pair[1], zip(before, now, strict=False))])
        return (
            not self.was_there(found),
            before == now,
            found.base == definition.base,
            before[-1] == now[-1],
            shared,
        )

    def was_there(self, found: Definition) -> bool:
        """Whether a definition of the new version was there before, under that name in that file."""
        return bool(self.old.named(self.old.code(self.new.path(found)), found.base))


def without_blanks(text: str, start: int, end: int) -> tuple[int, int]:
    """A range without the white space at its ends."""
    stated = text[start:end]
    return start + len(stated) - len(stated.lstrip()), end - len(stated) + len(stated.rstrip())


def _core(text: str, start: int, end: int, comment: str) -> int:
    """The start of a definition after its decorators, `export` and `template`, and the comments between."""
    core = start
    while (match := BEFORE.match(text, core, end)) is not None:
        core = match.end()
        if match["called"] or match["of"]:
            core = _closing(text, core - 1, end, comment)
        if (blanks := BLANKS[comment].match(text, core, end)) is not None:
            core = blanks.end()
    return core if core < end else start


def _closing(text: str, at: int, end: int, comment: str) -> int:
    """The place after the bracket that closes the one at a place; strings and comments hold no brackets."""
    opening, closing = text[at], {"(": ")", "<": ">"}[text[at]]
    depth = 0
    for found in BRACKETS[comment].finditer(text, at, end):
        depth += (found[0] == opening) - (found[0] == closing)
        if not depth:
            return found.end()
    return end


def _tokens(text: str) -> list[str]:
    """Words and marks; commas before a closing bracket are left out, and all quotation marks are one.

    >>> _tokens("f(a,\\n  'b',\\n)")
    ['f', '(', 'a', ',', '"', 'b', '"', ')']
    """
    found = TOKEN.findall(text.replace("'", '"'))
    return [
        token
        for at, token in enumerate(found)
        if token != "," or at + 1 == len(found) or found[at + 1] not in CLOSING
    ]


def _digest(tokens: list[str]) -> bytes:
    return blake2b("\n".join(tokens).encode(errors="surrogatepass"), digest_size=16).digest()


def _says_nothing(text: str) -> bool:
    """Whether a text holds only white space, comments, and marks that end a statement."""
    return all(
        not line.strip(" \t\r;,)") or line.lstrip().startswith(("#", "//")) for line in text.split("\n")
    )


def similar_tokens(first: Sequence[str], second: Sequence[str]) -> float:
    """The share of the tokens of both that are the same, in order."""
    if APPROXIMATES:
        from rapidfuzz.distance import Indel

        return float(Indel.normalized_similarity(first, second))
    from difflib import SequenceMatcher

    return SequenceMatcher(None, first, second, autojunk=False).ratio()


def similar_text(first: str, second: str) -> float:
    """The share of the tokens of two texts that are the same, in order."""
    return similar_tokens(_tokens(first), _tokens(second))


def lines_moved(old: str, new: str, first: int, after: int) -> tuple[int, int] | None:
    """The lines of a new text that `[first, after)` of an old one became; None if they were deleted."""
    from difflib import SequenceMatcher

    before, now = ([line.strip() for line in text.split("\n")] for text in (old, new))
    begin, stop = None, 0
    for tag, i, j, k, l in SequenceMatcher(None, before, now, autojunk=False).get_opcodes():
        if j <= first or i >= after or tag in ("delete", "insert"):
            continue
        low, high = max(first, i), min(after, j)
        here = (k + low - i, k + high - i) if tag == "equal" else (k, l)
        begin, stop = here[0] if begin is None else begin, here[1]
    return None if begin is None else (begin, stop)
