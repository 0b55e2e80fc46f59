"""The ground truth of an evaluation: assessments made comparable with results, once for all runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from doxeval.core.catalogue import Catalogue, some
from doxeval.core.errors import UsageError, nearest
from doxeval.core.facts import Facts
from doxeval.core.keys import amount_within, key_width, keys
from doxeval.core.notices import Notices
from doxeval.core.phrases import counted
from doxeval.core.quick_class import dataclass
from doxeval.core.ragged import Ragged
from doxeval.core.strings import Strings, codes_in, distinct, index_of
from doxeval.ground.document_names import assessed_codes, name_assessments, tell_missing
from doxeval.ground.module_names import modules_in_assessments
from doxeval.ground.text_unit import assessments_in, chunks_in, documents_in, unit_of
from doxeval.tables.assessments import UNKNOWN, Assessments, Ranges
from doxeval.tables.labels import Labels
from doxeval.tables.places import AREA, CHARACTERS
from doxeval.tables.runs import WHOLE, Names

if TYPE_CHECKING:
    from doxeval.ground.optional import Cuts
    from doxeval.tables.documents import Documents
    from doxeval.tables.runs import Chunks, Run


class Scope(Protocol):
    """Documents that belong to topics: the same name may mean another document in another topic."""

    def name_in(self, topic: str, doc: str) -> str:
        """The document that a name means in a topic."""


class Folds(Protocol):
    """Turns runs into what the ground truth was turned into: items of source code, parts of references."""

    def run(self, run: Run, notices: Notices) -> Run:
        """The run with what counts at each rank."""


GRADES_SHOWN = 4
CHUNKS_BY_NAME = (
    "chunks belong to a run: give those of each in a file named after it (--chunks FILE, may be repeated)"
)
RETRIEVED = "retrieved"
"""Stands for the documents where contexts are all the text there is."""


@dataclass(eq=False)
class Ground:
    """Assessments on their documents.

    `units` are the highlighted ranges and the text of judged nodes in file order (`unit_pair`, `unit_start`,
    `unit_end`, `unit_grade`; `unit_place`, `unit_aspects` and `unit_labels` as in :class:`Ranges`);
    `pair_grade` is the highest grade in a pair, 0 if nothing in it has one, whatever its length; `relevant_*`
    are the same merged and sorted, grouped by pair. `length` is per assessed document, -1 if unknown;
    `doc_index` is its row in `documents`, -1 if it has none. `chunks` are, by run, all chunks that could have
    been retrieved, if they were given; `cuts` is the optional text left out. `highlighted` says which nodes
    judged by degrees are highlighted whole (`"strict"`, `"any"`). With a `scope`, documents belong to topics;
    with a `fold`, documents are items of source code; with `references`, each topic has a document of its
    own, made of them, and results are contexts. Everything counts in one unit, that of the `assessments` and
    `documents`.
    """

    assessments: Assessments
    documents: Documents | None
    unit_pair: np.ndarray
    unit_start: np.ndarray
    unit_end: np.ndarray
    unit_grade: np.ndarray
    length: np.ndarray
    doc_index: np.ndarray
    unit_place: np.ndarray
    unit_aspects: Names | None
    pair_grade: np.ndarray
    chunks: Mapping[str, Chunks] | None = None
    highlighted: str | None = None
    cuts: Cuts | None = None
    scope: Scope | None = None
    fold: Folds | None = None
    unit_labels: Labels | None = None
    references: Folds | None = None
    notices: Notices = field(default_factory=Notices)
    facts: Facts = field(default_factory=Facts)

    @property
    def topics(self) -> list[str]:
        """The assessed topics, in natural order."""
        return self.assessments.topics

    @property
    def unit(self) -> str:
        """The unit in which text is counted: characters or lines."""
        return self.assessments.unit

    @cached_property
    def attributes(self) -> dict[str, dict[str, str]]:
        """The attributes of topics: from the assessments, else from their relevant documents."""
        own = self.assessments.attributes
        if self.documents is None or self.documents.metadata is None:
            return own
        of_documents = self._attributes_of_documents(self.documents)
        return {topic: of_documents.get(topic, {}) | own.get(topic, {}) for topic in of_documents | own}

    def _attributes_of_documents(self, documents: Documents) -> dict[str, dict[str, str]]:
        """For each topic the metadata of the documents in which something is relevant to it."""
        from doxeval.io.formats.build_tables import joined_texts

        values: dict[str, dict[str, list[Any]]] = {}
        for pair in np.flatnonzero(self.pair_grade > 0).tolist():
            topic, doc = self.topics[self.assessments.pair_topic[pair]], self.assessments.pair_doc[pair]
            if (code := int(self.doc_index[doc])) >= 0:
                for name, value in documents.told_of(code).items():
                    values.setdefault(topic, {}).setdefault(name, []).append(value)
        return {topic: joined_texts(texts) for topic, texts in values.items()}

    def chunks_of(self, run: str) -> Chunks:
        """All chunks that a run could have retrieved: those of its name, or the only ones given."""
        known = self.chunks or {}
        if run not in known and len(known) != 1:
            raise UsageError(f"there are no chunks of {run!r}{nearest(run, known)}; {CHUNKS_BY_NAME}")
        return known[run] if run in known else next(iter(known.values()))

    @cached_property
    def topic_codes(self) -> dict[str, int]:
        """From a topic's name to its code."""
        return index_of(self.assessments.topics)

    def codes_of_topics(
        self, names: Sequence[str], aliases: Mapping[str, Sequence[str]] | None = None
    ) -> np.ndarray:
        """The code of the topic with each name or wording, or else with one of its aliases; -1 for none."""
        codes = codes_in(self.topic_codes, names)
        if (codes < 0).any():
            by_wording = self._codes_by_wording
            spaced = [" ".join(name.split()) for name in names] if by_wording else []
            codes = np.where(codes < 0, codes_in(by_wording, spaced), codes) if spaced else codes
        if aliases and (codes < 0).any():
            codes = codes.copy()
            for at in np.flatnonzero(codes < 0).tolist():
                others = self.codes_of_topics(aliases.get(names[at], ()))
                codes[at] = next((code for code in others.tolist() if code >= 0 and code not in codes), -1)
        return codes

    @cached_property
    def _codes_by_wording(self) -> dict[str, int]:
        """From the wording of a topic, if no other has it, to its code; white space is ignored."""
        queries = self.assessments.queries
        asked = Counter(" ".join(wording.split()) for wording in queries.values())
        return {
            spaced: self.topic_codes[topic]
            for topic, wording in queries.items()
            if asked[spaced := " ".join(wording.split())] == 1 and topic in self.topic_codes
        }

    @cached_property
    def docs(self) -> Strings:
        """The names of the assessed documents, with lookup by name."""
        return self.catalogues[-1].names

    @cached_property
    def catalogues(self) -> list[Catalogue]:
        """The sources of document names: the collection if there is one, then the assessments."""
        own = Catalogue(self.assessments.docs)
        return [own] if self.documents is None else [self.documents.catalogue, own]

    @cached_property
    def has_relevant(self) -> np.ndarray:
        """Whether each topic has something relevant."""
        topic = self.assessments.pair_topic[self.unit_pair]
        return np.bincount(topic, minlength=len(self.topics)) > 0

    def require_lengths(self, what: str) -> None:
        """Raise an error if a whole document of unknown length is relevant."""
        endless = np.flatnonzero(self.unit_end == WHOLE)
        if len(endless):
            docs = list(dict.fromkeys(self.assessments.pair_doc[self.unit_pair[endless]].tolist()))
            raise UsageError(
                f"{what} needs text, but the length of {counted(len(docs), 'relevant document')} is unknown "
                f"({', '.join(self.assessments.docs[doc] for doc in docs[:3])}{', ...' * (len(docs) > 3)}); "
                f"give the documents (--docs FILE), or use measures of documents (AP, nDCG@10)"
            )

    @cached_property
    def degrees(self) -> str:
        """The codes or values by which nodes were judged by degrees; empty if they were not."""
        if self.assessments.nodes is None:
            return ""
        from doxeval.ground.locate import degrees

        return degrees(self.assessments.nodes)

    @cached_property
    def grades(self) -> str:
        """The grades of what is relevant, in a list; empty if nothing has another grade than 1."""
        if (self.unit_grade == 1).all():
            return ""
        known = distinct(self.unit_grade)
        return ", ".join(f"{grade:g}" for grade in known[:GRADES_SHOWN]) + ", ..." * (
            len(known) > GRADES_SHOWN
        )

    def require_highlights(self, what: str) -> None:
        """Raise an error if nodes were judged by degrees and `highlighted` does not say which count."""
        if self.highlighted is None and self.degrees:
            raise UsageError(
                f"{what} needs relevant text, but nodes were judged by {self.degrees}; choose which of them "
                "count as highlighted whole (--highlighted strict: the best ones; any: all that are "
                "positive), or use measures of nodes (nXCG, PRUM, ESRP, SRiP)"
            )

    @cached_property
    def relevant(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Relevant text per pair: offsets, starts and ends of disjoint ranges, touching ones joined."""
        self.require_lengths("this")
        units, start, end = self.units_by_pair(self.unit_start, self.unit_end)
        rows, start, end = units.merge(start, end)
        return rows.offset, start, end

    def units_by_pair(self, *columns: np.ndarray) -> tuple[Any, ...]:
        """The units grouped by pair, and their columns in that order."""
        return Ragged.gathered(self.unit_pair, len(self.assessments.pair_doc), *columns)

    @cached_property
    def relevant_by_pair(self) -> Ragged:
        """The rows of the relevant text, by pair."""
        return Ragged(self.relevant[0])

    def relevant_in(self, pair: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """Relevant characters in ranges of the documents of pairs."""
        _, *relevant = self.relevant
        width = key_width(end, relevant[1])
        pieces = (keys(self.relevant_by_pair.row, place, width) for place in relevant)
        return amount_within(keys(pair, start, width), keys(pair, end, width), *pieces)

    @cached_property
    def pair_relevant(self) -> np.ndarray:
        """Relevant characters of each pair."""
        _, start, end = self.relevant
        return self.relevant_by_pair.sum(end - start)

    @cached_property
    def total_relevant(self) -> np.ndarray:
        """Relevant characters of each topic: T_rel."""
        return self.assessments.by_topic.sum(self.pair_relevant)

    @cached_property
    def furthest_end(self) -> np.ndarray:
        """Per assessed document, the furthest end of a highlighted range in it."""
        furthest = np.zeros(len(self.assessments.docs), dtype=np.int64)
        told = self.unit_end < WHOLE
        np.maximum.at(furthest, self.assessments.pair_doc[self.unit_pair[told]], self.unit_end[told])
        return furthest


def prepare_ground(
    assessments: Assessments,
    documents: Documents | None = None,
    chunks: Mapping[str, Chunks] | None = None,
    highlighted: str | None = None,
    unit: str | None = None,
    by_name: bool = False,
) -> Ground:
    """Map assessments to their documents: unify names, turn quotes and judged nodes into clipped ranges.

    The order matters: quotes are searched for in documents, so these have their names by then; lengths clip
    ranges, so they are known before; grades are taken from all ranges, those too that clipping empties. Text
    is counted in `unit`; by default in characters or, without documents, as the assessments give it. Without
    documents, quotes are refused or, `by_name`, relevant documents of unknown length.
    """
    notices = Notices()
    unit = unit_of(assessments, documents, unit)
    if documents is not None:
        documents = documents_in(documents, CHARACTERS)
    assessments = modules_in_assessments(assessments, documents)
    assessments = name_assessments(assessments, documents, notices)
    if documents is not None and unit != AREA:
        assessments = assessments_in(assessments, documents, CHARACTERS)
    if assessments.fingerprints and documents is not None:
        from doxeval.ground.placed_quotes import refuse_stale

        refuse_stale(assessments, documents, notices)
    if assessments.quotes is not None or (documents is not None and assessments.states_words):
        from doxeval.ground.placed_quotes import resolve_quotes

        assessments = resolve_quotes(assessments, documents, by_name)
    cuts = None
    if assessments.optional is not None:
        assessments, documents, cuts = _without_optional_text(assessments, documents, chunks)
    if documents is not None:
        documents = documents_in(documents, unit, assessments.grid)
    assessments = assessments_in(assessments, documents, unit)
    doc_index = np.full(len(assessments.docs), -1, dtype=np.int64)
    length = assessments.length
    if documents is not None:
        doc_index = documents.codes(assessments.docs)
        length = np.where(doc_index >= 0, documents.length[doc_index], length)
        _note_missing_documents(assessments, documents, doc_index, notices)
    units, counts = _all_units(assessments, documents, doc_index, highlighted, notices)
    graded = units.end > units.start
    pair_grade = assessments.highest_grades(units.pair[graded], units.grade[graded])
    start, end = _clip(assessments, units.pair, units.start, units.end, length, notices)
    kept = counts & (units.grade > 0) & (end > start)
    place, units = units.places[kept], replace(units, start=start, end=end).take(kept)
    by_run = chunks and {name: chunks_in(theirs, documents, unit) for name, theirs in chunks.items()}
    ground = Ground(
        assessments, documents, units.pair, units.start, units.end, units.grade, length, doc_index,
        place, units.aspects, pair_grade, by_run, highlighted, cuts,
        unit_labels=units.labels, notices=notices,
    )  # fmt: skip
    _note_foreign_chunks(ground)
    return ground


def _all_units(
    assessments: Assessments, documents: Documents | None, doc_index: np.ndarray, highlighted: str | None,
    notices: Notices,
) -> tuple[Ranges, np.ndarray]:  # fmt: skip
    """Highlighted ranges and the text of judged nodes, and whether each counts as highlighted."""
    counts = np.ones(len(assessments.ranges), dtype=bool)
    if assessments.nodes is None:
        return assessments.ranges, counts
    from doxeval.ground.locate import highlights, ranges_of_judged_nodes

    judged = ranges_of_judged_nodes(assessments, documents, doc_index, notices)
    counts = np.append(counts, highlights(assessments.nodes, highlighted)[judged.places])
    return assessments.ranges.with_more(judged), counts


def _note_foreign_chunks(ground: Ground) -> None:
    """Report chunks of documents that were all not assessed."""
    for name, chunks in (ground.chunks or {}).items():
        if len(chunks.docs) and (assessed_codes(ground, chunks.docs) < 0).all():
            of = f"{name}: " if name else ""
            ground.notices.add(
                f"{of}no document of the chunks was assessed: the chunks have {some(chunks.docs)}, the "
                f"assessments have {some(ground.assessments.docs)}",
                lasting=True,
            )


def _without_optional_text(
    assessments: Assessments, documents: Documents | None, chunks: Mapping[str, Chunks] | None
) -> tuple[Assessments, Documents | None, Cuts | None]:
    """Assessments and documents without optional text, and what was cut."""
    from doxeval.ground.optional import leave_out

    if chunks is not None:
        raise UsageError(
            "optional text belongs to topics; it cannot be left out of the chunks of a collection"
        )
    judged = None
    if assessments.nodes is not None and documents is not None:
        from doxeval.ground.locate import ranges_of_judged_nodes

        judged = ranges_of_judged_nodes(assessments, documents, documents.codes(assessments.docs), Notices())
    return leave_out(assessments, documents, judged)


def _note_missing_documents(
    assessments: Assessments, documents: Documents, doc_index: np.ndarray, notices: Notices
) -> None:
    missing = np.flatnonzero(doc_index < 0)
    if len(missing) and len(missing) == len(doc_index):
        raise UsageError(
            f"{assessments.source or 'the assessments'}: none of the assessed documents are among the "
            f"documents given: the assessments have {some(assessments.docs)}, the documents are "
            f"{some(documents.ids)}"
        )
    what = f"{{count}} of {counted(len(doc_index), 'assessed document')} {{is|are}}"
    tell_missing(what, assessments.docs, doc_index, documents, notices)


def _clip(
    assessments: Assessments,
    pair: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    length: np.ndarray,
    notices: Notices,
) -> tuple[np.ndarray, np.ndarray]:
    """Highlighted ranges within their documents."""
    known = length[assessments.pair_doc[pair]]
    limit = np.where(known == UNKNOWN, end, known)
    beyond = end > limit
    clipped = beyond & (end < WHOLE)
    if clipped.any():
        docs = assessments.pair_doc[pair[clipped]]
        notices.add(
            "{count} highlighted {range reaches|ranges reach} past the end of {its|their} document and "
            "{is|are} clipped",
            *(assessments.docs[doc] for doc in docs[:3]),
            count=int(clipped.sum()),
        )
    return np.minimum(start, limit), np.minimum(end, limit)
