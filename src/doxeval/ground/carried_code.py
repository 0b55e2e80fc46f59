"""Places in source code carried over to another version of it: by the names of classes and functions.

A place that is a class or function becomes the one that is the same in the new version, wherever that is. A
place inside of one is looked for there and nowhere else: by its words, or where the lines around it went.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from doxeval.io.placing.definitions import (
    Definition,
    Definitions,
    Successor,
    Versions,
    lines_moved,
    similar_text,
    without_blanks,
)
from doxeval.io.placing.folding import fold_letters
from doxeval.io.placing.library import library_of
from doxeval.io.placing.place_quotes import CERTAIN_LEVELS, LIKE_ENOUGH, place_quote
from doxeval.tables.documents import Documents
from doxeval.tables.quotes import (
    AMBIGUOUS,
    LEVELS,
    LOST,
    RENAMED,
    SYMBOL,
    Extent,
    Hint,
    Pieces,
    Placement,
)


@dataclass(frozen=True)
class CarriedNodes:
    """The fates of judged classes and functions: their new names, how they were found, their old words."""

    names: list[str]
    placement: Placement
    words: str


class CodeCarrier:
    """Carries places in the source files of one collection over to another."""

    def __init__(self, old: Documents, new: Documents) -> None:
        self.versions = Versions(old, new)

    @property
    def old(self) -> Definitions:
        """The definitions of the old version."""
        return self.versions.old

    @property
    def new(self) -> Definitions:
        """The definitions of the new version."""
        return self.versions.new

    def place(self, doc: int, pieces: Pieces, hint: Hint) -> Placement | None:
        """A place of an old document in the new ones; None if it is in no class or function."""
        pieces_placed = [self._piece(doc, piece, hint) for piece in pieces]
        placed = [placement for placement in pieces_placed if placement is not None]
        if len(placed) < len(pieces_placed) or not pieces_placed:
            return None
        first = min(placed, key=lambda placement: (placement.placed, placement.similarity))
        if not first.placed or len(placed) == 1:
            return first
        if len({placement.doc for placement in placed}) > 1:
            return replace(first, outcome=LOST, doc=-1, places=())
        return replace(first, places=(tuple(placement.places[0][0] for placement in placed),))

    def _piece(self, doc: int, piece: Extent, hint: Hint) -> Placement | None:
        definition = self.old.at(doc, *piece)
        if definition is not None:
            return self._whole(definition, piece)
        around = self.old.around(doc, *piece)
        return None if around is None else self._inside(around, piece, hint)

    def nodes(self, doc: int, names: list[str]) -> CarriedNodes | None:
        """The classes and functions of some names in an old document; None if they are other nodes."""
        if not names or doc < 0 or not self.old.of(doc):
            return None
        own = {definition.name: definition for definition in self.old.of(doc)}
        found = [self._whole(own[name]) if name in own else Placement(LOST) for name in names]
        placement = min(found, key=lambda one: (one.placed, one.similarity))
        words = "\n".join(self.old.words(own[name]) for name in names if name in own)
        if not placement.placed or len({one.doc for one in found}) > 1:
            outcome = placement.outcome if not placement.placed else LOST
            return CarriedNodes(names, replace(placement, outcome=outcome), words)
        return CarriedNodes([self._name_at(one) for one in found], placement, words)

    def _name_at(self, placement: Placement) -> str:
        """The name of the definition at a place."""
        ((start, end),) = placement.places[0]
        return next(
            one.name
            for one in self.new.of(placement.doc)
            if start in (one.start, one.core) and end == one.end
        )

    def _whole(self, definition: Definition, piece: Extent | None = None) -> Placement:
        """The placement of a class or function; `piece` is the range given for it, if not all of it."""
        piece = piece or (definition.start, definition.end)
        successor = self.versions.successor(definition)
        if successor is None:
            return Placement(LOST, self.new.code(self.old.path(definition)))
        if len(successor.definitions) > 1:
            return self._ambiguous(successor)
        (found,) = successor.definitions
        same = self.versions.similarity(definition, found)
        level = RENAMED if successor.renamed else self._level(definition, found)
        return Placement(level, found.doc, ((self._extent(definition, found, piece),),), same, same)

    @staticmethod
    def _ambiguous(successor: Successor) -> Placement:
        docs = tuple(dict.fromkeys(found.doc for found in successor.definitions))
        places = tuple(((found.start, found.end),) for found in successor.definitions)
        if len(docs) == 1:
            return Placement(AMBIGUOUS, docs[0], places, 1.0)
        return Placement(AMBIGUOUS, similarity=1.0, also=docs)

    def _level(self, definition: Definition, found: Definition) -> str:
        """The most certain level at which two definitions have the same words; else they share the name."""
        before, now = self.old.words(definition), self.new.words(found)
        if before == now:
            return LEVELS[0]
        if before.split() == now.split():
            return LEVELS[1]
        return LEVELS[2] if fold_letters(before).text == fold_letters(now).text else SYMBOL

    def _extent(self, definition: Definition, found: Definition, piece: Extent) -> Extent:
        """The extent of a definition that leaves out decorators and includes blanks as the old place does."""
        before, now = self.old.text(definition.doc), self.new.text(found.doc)
        begin, stop = without_blanks(before, *piece)
        decorated = begin == definition.start < definition.core
        start = found.start if decorated else found.core
        end = found.end
        if begin > piece[0]:
            while start and now[start - 1] in " \t":
                start -= 1
        if stop < piece[1]:
            rest = now[end : now.find("\n", end) + 1 or len(now)]
            end += len(rest) if not rest.strip(" \t\r\n;,)") else 0
        return start, end

    def _inside(self, around: Definition, piece: Extent, hint: Hint) -> Placement:
        """A place inside a class or function, in the one that is the same in the new version."""
        successor = self.versions.successor(around)
        text = self.old.text(around.doc)[slice(*piece)]
        if successor is None or len(successor.definitions) > 1:
            return self._split_off(around, text, hint)
        (definition,) = successor.definitions
        by_lines = self._by_lines(around, definition, piece)
        placement = place_quote(
            library_of(self.new.documents),
            definition.doc,
            text,
            replace(hint, told=(), section=definition.name),
        )
        within = [
            place
            for place in placement.places
            if definition.start <= place[0][0] and place[-1][1] <= definition.end
        ]
        if len(within) > 1 and by_lines is not None:
            (expected,) = by_lines.places[0]
            within = [min(within, key=lambda place: abs(place[0][0] - expected[0]))]
        if len(within) == 1 and placement.similarity >= LIKE_ENOUGH:
            level = library_of(self.new.documents).index(definition.doc).places(text)[0] or LEVELS[3]
            outcome = placement.outcome if placement.placed else level
            return replace(placement, outcome=outcome, places=(within[0],))
        return by_lines or Placement(LOST, definition.doc)

    def _split_off(self, around: Definition, text: str, hint: Hint) -> Placement:
        """A place in a deleted class or function: its words, if a new part of the file has them."""
        doc = self.new.code(self.old.path(around))
        if doc < 0:
            return Placement(LOST)
        found = place_quote(library_of(self.new.documents), doc, text, replace(hint, told=()))
        if found.outcome in CERTAIN_LEVELS and len(found.places) == 1:
            home = self.new.around(doc, found.places[0][0][0], found.places[0][-1][1])
            if home is None or not self.versions.was_there(home):
                return found
        return Placement(LOST, doc)

    def _by_lines(self, around: Definition, found: Definition, piece: Extent) -> Placement | None:
        """The lines that those of a place became, if they are still like them."""
        before = self.old.text(around.doc)[around.start : around.end]
        now = self.new.text(found.doc)[found.start : found.end]
        start, end = piece[0] - around.start, piece[1] - around.start
        first, after = before.count("\n", 0, start), before.count("\n", 0, max(start, end - 1)) + 1
        lines = lines_moved(before, now, first, after)
        if lines is None:
            return None
        ends = [at for at, letter in enumerate(now) if letter == "\n"] + [len(now)]
        begin, stop = ends[lines[0] - 1] + 1 if lines[0] else 0, ends[min(lines[1], len(ends)) - 1]
        if before[start:end].endswith("\n"):
            stop = min(stop + 1, len(now))
        same = similar_text(before[start:end], now[begin:stop])
        if same < LIKE_ENOUGH:
            return None
        extent = (found.start + begin, found.start + stop)
        return Placement(LEVELS[3], found.doc, ((extent,),), same, same)
