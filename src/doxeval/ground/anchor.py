"""Gold that follows its documents: quotes and offsets placed in them, or carried over from older versions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from doxeval.core.notices import Notices
from doxeval.core.progress import each
from doxeval.ground.carried_code import CarriedNodes, CodeCarrier
from doxeval.ground.document_names import name_assessments
from doxeval.ground.placed_quotes import anchored, joined, reassigned, words_of
from doxeval.ground.text_unit import assessments_in
from doxeval.io.documents.gitfiles import is_git
from doxeval.io.placing.library import fingerprint, library_of
from doxeval.io.placing.place_quotes import in_place
from doxeval.io.read import read_assessments, read_documents
from doxeval.tables.assessments import UNKNOWN, Assessments
from doxeval.tables.documents import Documents
from doxeval.tables.places import CHARACTERS
from doxeval.tables.quotes import AS_STATED, RENAMED, SYMBOL, Hint, Pieces, Placement, Quotes
from doxeval.tables.runs import WHOLE, Names

WORDS_AROUND = 60
"""Characters before and after a range kept to distinguish it from others with the same words."""


def anchor(
    assessments: Any,
    documents: Any,
    *,
    old_documents: Any = None,
    assessments_format: str | None = None,
    encoding: str | None = None,
    merge: str = "",
) -> Assessments:
    """Place every quote, page and range of assessments in the documents: offsets, words and levels.

    All arguments are tables or anything their readers accept. With `old_documents`, ranges refer to these and
    are carried over. `quotes.placed` holds the outcome of each; ambiguous and lost ones are written without
    offsets. `assessments_format`, `encoding` and `merge` are as for :func:`doxeval.read_assessments`.

    >>> found = anchor([{"topic": "t", "doc": "d", "quote": "RED  button"}], {"d": "Press the red button."})
    >>> found.quotes.placed[0].outcome, found.quotes.placed[0].places
    ('letters', (((10, 20),),))
    """
    gold = read_assessments(assessments, input_format=assessments_format, encoding=encoding, merge=merge)
    unit, notices = gold.unit, Notices(gold.notices)
    new = _files(documents, gold)
    if old_documents is None:
        gold = assessments_in(name_assessments(gold, new, notices), new, CHARACTERS)
        gold = _with_words(anchored(gold, new, margins=True), new)
    else:
        told = Notices()
        carried = _carried(gold, _files(old_documents, gold), new, told)
        if is_git(documents) and not _is_whole(carried):
            # Classes and functions may be in files that the gold does not name.
            new, told = read_documents(documents), Notices()
            carried = _carried(gold, read_documents(old_documents), new, told)
        gold = carried
        notices.extend(told)
    return assessments_in(_with_fingerprints(replace(gold, notices=notices), new), new, unit)


def _files(documents: Any, gold: Assessments) -> Documents:
    """The documents; of those in a git repository only the ones that the gold names."""
    if not is_git(documents):
        return read_documents(documents)
    from doxeval.io.documents.git import GitDocuments

    commit = GitDocuments.of(documents)
    if commit.revision is None or "" in gold.docs:
        return commit.all()
    return commit.documents(commit.name_in("", doc) for doc in gold.docs)


def _is_whole(assessments: Assessments) -> bool:
    """Whether everything that was looked for has a place."""
    quotes = assessments.quotes
    return quotes is None or all(place.placed for place in quotes.placed or ())


def _carried(assessments: Assessments, old: Documents, new: Documents, notices: Notices) -> Assessments:
    """The assessments with everything that was in the old documents placed in the new ones."""
    assessments = assessments_in(name_assessments(assessments, old, notices), old, CHARACTERS)
    assessments = _with_words(anchored(assessments, old), old)
    carrier = CodeCarrier(old, new)
    fates = _fates_of_nodes(assessments, carrier)
    quotes, known = assessments.quotes, dict[int, Placement]()
    if quotes is not None and quotes.placed is not None:
        quotes, known = _carried_quotes(quotes, quotes.placed, carrier)
    if beps := int((assessments.bep >= 0).sum()):
        notices.add(
            "{count} best entry {point is left out: it is a place|points are left out: they are places} in "
            "the old text",
            count=beps,
        )
    assessments = replace(
        assessments,
        quotes=quotes,
        bep=np.full(len(assessments.bep), UNKNOWN),
        length=np.full(len(assessments.length), UNKNOWN),
        fingerprints={},
    )
    assessments = name_assessments(assessments, new, notices)
    return _carried_nodes(anchored(assessments, new, margins=True, known=known), fates, carrier, notices)


def _carried_quotes(
    quotes: Quotes, placed: list[Placement], carrier: CodeCarrier
) -> tuple[Quotes, dict[int, Placement]]:
    """The quotes to look for in the new documents, and the outcome of those in classes and functions."""
    old, new = carrier.old.documents, carrier.new.documents
    library, hints, texts, known = library_of(old), [], list(quotes.text), {}
    for row, placement in enumerate(each(placed, "carrying quotes")):
        hint = replace(quotes.hints[row], told=())
        if hint.box and not quotes.text[row]:
            hint = replace(hint, page=0, box=())
        if placement.doc >= 0 and placement.placed and len(placement.places) == 1:
            text = library.index(placement.doc).text
            name = old.ids[placement.doc]
            same = new.codes([name])[0] >= 0 and library_of(new).holds_text(name, text)
            hint = _context(text, placement.places[0], hint, same)
            found = None if same else carrier.place(placement.doc, placement.places[0], hint)
            if found is not None:
                known[row] = found
            if found is not None and found.outcome in (SYMBOL, RENAMED):
                texts[row] = words_of(carrier.new.text(found.doc), found.places[0])
                hint = replace(hint, prefix="", suffix="")
        hints.append(hint)
    return replace(quotes, text=texts, hints=hints, placed=None), known


def _fates_of_nodes(assessments: Assessments, carrier: CodeCarrier) -> list[CarriedNodes | None]:
    """The fate of the classes and functions of each row of judged nodes; None for other nodes."""
    nodes = assessments.nodes
    if nodes is None:
        return []
    codes = carrier.old.documents.codes(assessments.docs)[assessments.pair_doc[nodes.pair]].tolist()
    return [carrier.nodes(code, nodes.nodes.of(row)) for row, code in enumerate(codes)]


def _carried_nodes(
    assessments: Assessments, fates: list[CarriedNodes | None], carrier: CodeCarrier, notices: Notices
) -> Assessments:
    """The assessments with judged classes and functions under their new names; lost ones are lost quotes."""
    nodes = assessments.nodes
    if nodes is None:
        return assessments
    if kept := fates.count(None):
        notices.add(
            "{count} judged {node is|nodes are} kept unchanged: nodes are identified by their names",
            count=kept,
            harmless=True,
        )
    names = [nodes.nodes.of(row) if fate is None else fate.names for row, fate in enumerate(fates)]
    found = replace(
        assessments,
        nodes=replace(
            nodes,
            nodes=Names.of_lists(names),
            placed=[None if fate is None else fate.placement for fate in fates],
        ),
    )
    docs = carrier.new.documents.ids
    moved = {
        row: docs[fate.placement.doc] for row, fate in enumerate(fates) if fate and fate.placement.placed
    }
    found = reassigned(found, {"nodes": moved})
    is_lost = np.array([fate is not None and not fate.placement.placed for fate in fates])
    return _with_lost_quotes(found, is_lost, fates) if is_lost.any() else found


def _with_lost_quotes(
    assessments: Assessments, is_lost: np.ndarray, fates: list[CarriedNodes | None]
) -> Assessments:
    """The assessments with some judged nodes as quotes that have no place."""
    nodes = assessments.nodes
    assert nodes is not None
    rows = np.flatnonzero(is_lost)
    lost = [fate for fate in fates if fate is not None and not fate.placement.placed]
    grade = np.nan_to_num(nodes.value[rows], nan=1.0)
    quotes = Quotes(
        nodes.pair[rows], [fate.words for fate in lost], grade, np.zeros(len(rows), dtype=np.int64),
        [Hint(section=", ".join(fate.names)) for fate in lost],
        None if nodes.aspects is None else nodes.aspects.take(rows), [fate.placement for fate in lost],
        None if nodes.labels is None else nodes.labels.take(rows),
    )  # fmt: skip
    return replace(
        assessments,
        nodes=nodes.take(~is_lost),
        quotes=quotes if assessments.quotes is None else joined(assessments.quotes, quotes),
    )


def _context(text: str, pieces: Pieces, hint: Hint, same: bool) -> Hint:
    """A hint with the text around a place, and the place itself if the text is the same."""
    start, end = pieces[0][0], pieces[-1][1]
    return replace(
        hint,
        told=pieces if same else (),
        prefix=hint.prefix or text[max(0, start - WORDS_AROUND) : start],
        suffix=hint.suffix or text[end : end + WORDS_AROUND],
    )


def _with_words(assessments: Assessments, documents: Documents) -> Assessments:
    """The assessments with every range of a known document as a quote, placed there."""
    ranges, quotes = assessments.ranges, assessments.quotes
    codes = documents.catalogue.find(assessments.docs).codes[assessments.pair_doc[ranges.pair]]
    library = library_of(documents)
    parts = (codes >= 0) & (ranges.end < WHOLE)
    if not parts.any():
        return assessments
    by_place: dict[int, list[int]] = {}
    for row in np.flatnonzero(parts).tolist():
        by_place.setdefault(int(ranges.places[row]), []).append(row)
    first = np.array([rows[0] for rows in by_place.values()], dtype=np.int64)
    texts, hints, placed = [], [], []
    for rows in by_place.values():
        doc = int(codes[rows[0]])
        text = library.index(doc).text
        told = tuple((int(ranges.start[row]), int(ranges.end[row])) for row in rows)
        texts.append(words_of(text, told))
        hints.append(Hint(told))
        placed.append(in_place(doc, hints[-1], AS_STATED))
    more = Quotes(
        ranges.pair[first], texts, ranges.grade[first], np.zeros(len(first), dtype=np.int64), hints,
        None if ranges.aspects is None else ranges.aspects.take(first), placed,
        None if ranges.labels is None else ranges.labels.take(first),
    )  # fmt: skip
    return replace(
        assessments, ranges=ranges.take(~parts), quotes=more if quotes is None else joined(more, quotes)
    )


def _with_fingerprints(assessments: Assessments, documents: Documents) -> Assessments:
    """The assessments with the length and the fingerprint of every known document."""
    codes = documents.catalogue.find(assessments.docs).codes.tolist()
    text = library_of(documents).text
    known = {name: code for name, code in zip(assessments.docs, codes, strict=True) if code >= 0}
    length = [
        int(documents.length[code]) if code >= 0 else told
        for code, told in zip(codes, assessments.length.tolist(), strict=True)
    ]
    return replace(
        assessments,
        length=np.array(length, dtype=np.int64),
        fingerprints={name: fingerprint(text[code]) for name, code in known.items()},
    )
