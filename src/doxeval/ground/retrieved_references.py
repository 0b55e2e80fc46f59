"""Retrieved text without a collection: contexts compared with the references of their topic.

Rows of evaluation tools hold contexts and references, and no collection. The references of a topic are then
its one document, each distinct text once; a context is a result that shows those parts of it that both have,
and beside them text that is in no document. So recall is over the references' own text, the same text in two
contexts counts once, and all of a context counts in its size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.phrases import counted
from doxeval.core.strings import Strings, encode
from doxeval.ground.ground import RETRIEVED
from doxeval.io.formats.row_places import merge_by_row
from doxeval.io.placing.text_index import ENOUGH_LETTERS, TextIndex
from doxeval.io.read import read_documents
from doxeval.tables.assessments import Assessments, Ranges, build_assessments
from doxeval.tables.documents import Documents
from doxeval.tables.places import CHARACTERS
from doxeval.tables.quotes import Extent
from doxeval.tables.runs import Run

BETWEEN = "\n\n"


@dataclass(frozen=True)
class SharedText:
    """A range of a reference that a context holds, and the range of the context that it is."""

    reference: Extent
    context: Extent


def shared_text(reference: TextIndex, context: TextIndex) -> list[SharedText]:
    """The text that a reference and a context share: one within the other, else what overlaps at edges.

    >>> shared_text(TextIndex("tea is hot"), TextIndex("They say: Tea is  hot. Always."))
    [SharedText(reference=(0, 10), context=(10, 21))]
    """
    _, places = context.places(reference.text)
    if places:
        return [SharedText((0, len(reference.text)), places[0])]
    _, places = reference.places(context.text)
    if places:
        return [SharedText(places[0], (0, len(context.text)))]
    found = []
    if letters := _overlap(context.letters.text, reference.letters.text):
        found.append(SharedText((0, _end(reference, letters)), (_start(context, letters), len(context.text))))
    if letters := _overlap(reference.letters.text, context.letters.text):
        found.append(
            SharedText((_start(reference, letters), len(reference.text)), (0, _end(context, letters)))
        )
    return found


def _overlap(first: str, second: str) -> int:
    """The most letters with which one text ends and another begins; 0 if they are too few to be a sign."""
    at = first.find(second[:ENOUGH_LETTERS]) if len(second) >= ENOUGH_LETTERS else -1
    while at >= 0:
        if second.startswith(first[at:]):
            return len(first) - at
        at = first.find(second[:ENOUGH_LETTERS], at + 1)
    return 0


def _end(index: TextIndex, letters: int) -> int:
    """The end of the first letters of a text."""
    return index.letters.extent(0, letters)[1]


def _start(index: TextIndex, letters: int) -> int:
    """The start of the last letters of a text."""
    total = len(index.letters.text)
    return index.letters.extent(total - letters, total)[0]


@dataclass(frozen=True)
class RetrievedReferences:
    """The distinct references of each topic, with the start of each in the topic's document."""

    by_topic: dict[str, list[tuple[int, TextIndex]]]
    by_wording: dict[str, str]
    docs: dict[str, str]

    def run(self, run: Run, notices: Notices) -> Run:
        """The run with every context as what it shows of its topic's references, and text beside it."""
        if run.texts is None and len(run):
            raise UsageError(
                f"{run.source or run.name}: with --docs {RETRIEVED} results are contexts given as text; "
                f"none of {counted(len(run), 'result')} has one"
            )
        texts = run.texts or []
        notices.add_each(
            "{count} {result has|results have} no text and {shows|show} nothing",
            np.flatnonzero([not text for text in texts]),
            run.where,
            lasting=True,
        )
        own, added, found = [], [], []
        seen: dict[str, set[int]] = {}
        names = [self.by_wording.get(" ".join(name.split()), name) for name in run.topics]
        for row, text in enumerate(texts):
            topic = names[run.topic[row]]
            shared = [
                (at, start, one)
                for at, (start, index) in enumerate(self.by_topic.get(topic, ()) if text else ())
                for one in shared_text(index, _index_of(text))
            ]
            seen.setdefault(topic, set()).update(at for at, _, _ in shared)
            found += [(row, start + one.reference[0], start + one.reference[1]) for _, start, one in shared]
            own.append(self.docs.get(topic, topic))
            added.append(_rest(text, [one.context for _, _, one in shared]))
        self._tell_missing(run, seen, notices)
        spans = np.array(found, dtype=np.int64).reshape(-1, 3)
        offset, start, end = merge_by_row(spans[:, 0], spans[:, 1], spans[:, 2], len(run))
        docs, doc = encode(own)
        return replace(
            run, docs=Strings.of(docs), doc=doc, start=start, end=end, span_offset=offset, texts=None,
            claims=None, nodes=None, added=np.array([*added, None], dtype=object)[:-1], unit=CHARACTERS,
        )  # fmt: skip

    def _tell_missing(self, run: Run, seen: dict[str, set[int]], notices: Notices) -> None:
        """Report how many references of the topics asked have no text in any context."""
        asked = {topic: len(references) for topic, references in self.by_topic.items() if topic in seen}
        missing = [
            f"topic {topic}" for topic, count in asked.items() for _ in range(count - len(seen[topic]))
        ]
        notices.add_each(
            f"{{count}} of {counted(sum(asked.values()), 'reference')} {{is|are}} in no context of "
            f"{run.source or run.name}: {{its|their}} text counts as missed (parts of fewer than "
            f"{ENOUGH_LETTERS} letters at the edge of a context are not looked for)",
            missing,
            harmless=True,
            lasting=True,
        )


@lru_cache(maxsize=10_000)
def _index_of(text: str) -> TextIndex:
    return TextIndex(text)


def _rest(text: str, shown: Sequence[Extent]) -> str:
    """A context without what it shares with references."""
    kept, at = [], 0
    for start, end in sorted(shown):
        kept.append(text[at : max(at, start)])
        at = max(at, end)
    return "".join([*kept, text[at:]])


def referenced(assessments: Assessments) -> tuple[Assessments, Documents, RetrievedReferences]:
    """Assessments and documents made of the references of each topic, and what contexts are compared with."""
    quotes = assessments.quotes
    if quotes is None or not any(quotes.text):
        raise UsageError(
            f"{assessments.source or 'the assessments'}: --docs {RETRIEVED} compares contexts with "
            "references, which are given as text; there are none (measures of documents, such "
            "as SetP and AP, need none: leave out --docs)"
        )
    topic_of = assessments.pair_topic[quotes.pair]
    by_topic: dict[str, list[tuple[int, TextIndex]]] = {}
    texts: dict[str, str] = {}
    rows, starts, ends = [], [], []
    # The longest first, so that a reference within another is found in it.
    for row in sorted(range(len(quotes)), key=lambda row: (-len(quotes.text[row]), row)):
        topic, text = assessments.topics[topic_of[row]], quotes.text[row]
        if not text.strip():
            continue
        known = by_topic.setdefault(topic, [])
        place = _within(text, known)
        if place is None:
            place = (len(texts.get(topic, "")), len(texts.get(topic, "")) + len(text))
            known.append((place[0], TextIndex(text)))
            texts[topic] = texts.get(topic, "") + text + BETWEEN
        rows.append(row)
        starts.append(place[0])
        ends.append(place[1])
    docs = {topic: f"references of {topic}" for topic in texts}
    table = _assessed(assessments, docs, np.array(rows, dtype=np.int64), starts, ends)
    documents = read_documents([{"doc": docs[topic], "text": text} for topic, text in texts.items()])
    wordings = {" ".join(query.split()): topic for topic, query in assessments.queries.items()}
    return table, documents, RetrievedReferences(by_topic, wordings, docs)


def _within(text: str, known: Sequence[tuple[int, TextIndex]]) -> Extent | None:
    """The place of a reference that another one holds."""
    for start, index in known:
        if places := index.places(text)[1]:
            return start + places[0][0], start + places[0][1]
    return None


def _assessed(
    assessments: Assessments, docs: dict[str, str], rows: np.ndarray, starts: list[int], ends: list[int]
) -> Assessments:
    """The assessments with references as ranges of the document of their topic."""
    quotes, topics = assessments.quotes, assessments.topics
    assert quotes is not None
    names = [docs.get(topic, topic) for topic in topics]
    pair = assessments.pair_topic[quotes.pair[rows]]
    ranges = Ranges(
        pair, np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64), quotes.grade[rows],
        None if quotes.aspects is None else quotes.aspects.take(rows),
    )  # fmt: skip
    every = np.arange(len(topics))
    return build_assessments(
        topics, names, every, every, ranges, queries=assessments.queries, attributes=assessments.attributes,
        source=assessments.source, notices=assessments.notices,
    )  # fmt: skip
