"""Align a run: match topics and documents, put results in reading order, clip ranges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from doxeval.core.catalogue import some
from doxeval.core.errors import UsageError, nearest
from doxeval.core.notices import Notices
from doxeval.core.phrases import counted
from doxeval.core.ragged import Ragged
from doxeval.core.strings import distinct
from doxeval.ground.aligned import Aligned, Conventions
from doxeval.ground.document_names import name_run, tell_missing
from doxeval.ground.ground import Ground
from doxeval.ground.module_names import modules_in_run
from doxeval.ground.scoped import run_by_topic
from doxeval.ground.text_unit import documents_in, run_in
from doxeval.ground.trajectory import as_read, text_in_no_document
from doxeval.kernels.stretches import furthest, match_pairs, rises, rows_by_group
from doxeval.tables.places import AREA, CHARACTERS, amount_in
from doxeval.tables.runs import NO_DOCUMENT, NOWHERE, WHOLE, Run


def align(run: Run, ground: Ground, conventions: Conventions = Conventions()) -> Aligned:  # noqa: B008
    """Align one run with the ground truth.

    Documents get their names first, because everything is matched by them. Then results are put in reading
    order, and every column after that is in this order. Conventions that leave out or join results come
    last, as they need all columns, and the depth last of all: it counts the results that are left.
    """
    notices, given = Notices(), run
    run = as_read(run, conventions)
    names_alone = _names_alone(run, ground)
    if names_alone:
        run = replace(run, texts=None, claims=None)
    run, known_doc = _in_the_documents(run, ground, notices)
    codes = ground.codes_of_topics(run.topics, run.aliases)
    about_topics = Notices()
    if run.reach is None:
        check_topics(run.source or run.name, run.topics, codes, ground, about_topics)
        note_no_meeting(run.source or run.name, run.docs, known_doc, ground, notices)
    notices.extend(about_topics)
    present = np.zeros(len(ground.topics), dtype=bool)
    present[codes[codes >= 0]] = True

    offset, rows = rows_by_group(run.topic, codes, len(ground.topics))
    rows = _in_reading_order(run, rows, Ragged(offset), conventions.rank_by, notices)
    doc, table = run.doc[rows], ground.assessments
    (spans, start, end), nodes = _places(run, rows, ground, notices)
    doc_length, endless = _document_lengths(run, ground, known_doc, notices)
    limit = doc_length[spans.expand(doc)]
    if conventions.official:
        end = np.where(end == WHOLE, limit, end)
    else:
        start, end = _clip(run, rows, start, end, spans, limit, notices)
    aligned = Aligned(
        ground=ground,
        run=run,
        by_topic=Ragged(offset),
        row=rows,
        doc=doc,
        pair=match_pairs(offset, doc, known_doc, table.pair_offset, table.pair_doc, len(ground.length)),
        start=start,
        end=end,
        spans=spans,
        doc_length=doc_length,
        present=present,
        nodes=nodes,
        notices=notices,
        conventions=conventions,
        added=text_in_no_document(run, rows, conventions),
        endless=np.unique(doc) if names_alone else endless,
    )
    if conventions.task is not None:
        from doxeval.ground.tasks.presets import keep_to_task

        aligned = keep_to_task(aligned, given)
        if aligned.official is not None:
            return replace(aligned, notices=Notices(about_topics, aligned.official.notices))
    return _as_taken(aligned, known_doc)


def _names_alone(run: Run, ground: Ground) -> bool:
    """Whether results are texts without documents to find them in, but all name theirs.

    Measures of documents can then be computed; for those of text the documents are endless.
    """
    if run.texts is None or ground.documents is not None or ground.references is not None:
        return False
    named = np.array([bool(name) for name in run.docs], dtype=bool)
    return bool(named[run.doc].all())


def _as_taken(aligned: Aligned, known_doc: np.ndarray) -> Aligned:
    """The results that the conventions keep, in the shape in which they are taken."""
    conventions, ground = aligned.conventions, aligned.ground
    if conventions.unjudged == "skip":
        aligned = aligned.select(aligned.pair >= 0)
    if conventions.shape == "trees":
        from doxeval.ground.clusters import as_trees

        aligned = as_trees(aligned)
    elif conventions.shape == "documents":
        from doxeval.ground.clusters import as_documents

        aligned = as_documents(aligned, told_lengths(aligned.run.docs, ground, known_doc, Notices()))
    elif aligned.nodes is not None and ground.documents is not None:
        from doxeval.ground.connected import note_unconnected

        doc = ground.documents.codes(aligned.run.docs)[aligned.doc]
        note_unconnected(ground.documents, doc, *aligned.nodes, aligned.notices, "{result|results}")
    return aligned if conventions.depth is None else aligned.top(conventions.depth)


def _in_the_documents(run: Run, ground: Ground, notices: Notices) -> tuple[Run, np.ndarray]:
    """The run with texts placed, documents named as in the ground truth, and ranges in its unit.

    Also returns the code of each of its documents among the assessed ones, -1 if it has none.
    """
    if ground.unit == AREA and run.apart is not None:
        run = run.apart
    if ground.references is not None:
        run = ground.references.run(run, notices)
    if run.texts is not None:
        documents = None if ground.documents is None else documents_in(ground.documents, CHARACTERS)
        from doxeval.ground.locate import place_texts

        run = place_texts(run_in(run, documents, CHARACTERS, notices), documents, notices)
    if ground.scope is not None:
        known = set(ground.topics)
        scope = ground.scope
        run = run_by_topic(run, lambda topic, doc: scope.name_in(topic, doc) if topic in known else doc)
    if ground.fold is not None:
        run = ground.fold.run(run, notices)
        return run, ground.docs.codes(run.docs)
    run = modules_in_run(run, ground.documents)
    run, known_doc = name_run(run, ground.catalogues, notices)
    if ground.cuts is not None:
        if ground.documents is not None:
            run = run_in(run, documents_in(ground.documents, CHARACTERS), CHARACTERS, notices)
        run = ground.cuts.run(run)
        known_doc = ground.docs.codes(run.docs)
    return run_in(run, ground.documents, ground.unit, notices, ground.assessments.grid), known_doc


def note_no_meeting(
    run: str, docs: Sequence[str], assessed: np.ndarray, ground: Ground, notices: Notices
) -> None:
    """Report a run whose documents were all not assessed: their code is -1."""
    if len(assessed) and len(ground.docs) and (assessed < 0).all():
        found = [doc for doc in docs if doc != NO_DOCUMENT]
        what = f"the run has {some(found)}" if found else "its text is in none of the documents"
        notices.add(
            f"{run}: no document of the run was assessed: {what}, the assessments have {some(ground.docs)}",
            lasting=True,
        )


def note_unanswered(
    run: str, answered: np.ndarray, counts: np.ndarray, ground: Ground, notices: Notices
) -> None:
    """Report how many of the topics that count have no results; a run without any shows nothing at all."""
    averaged = counts & ground.has_relevant
    if averaged.any() and not answered.any():
        notices.add(f"{run}: shows nothing for any topic", harmless=True, lasting=True)
        return
    notices.add_names(
        f"{run}: {{count}} of {counted(int(averaged.sum()), 'topic')} {{has|have}} no results",
        (ground.topics[at] for at in np.flatnonzero(averaged & ~answered).tolist()),
        harmless=True,
        lasting=True,
    )


def check_topics(run: str, topics: list[str], codes: np.ndarray, ground: Ground, notices: Notices) -> None:
    """Report topics of a run that were not assessed (their code is -1); an error if none was."""
    unknown = [topics[at] for at in np.flatnonzero(codes < 0)]
    if unknown and len(unknown) == len(topics):
        raise UsageError(
            f"{run}: none of its topics were assessed: the run has {some(topics)}, "
            f"the assessments have {some(ground.topics)}{nearest(unknown[0], ground.topics)}"
        )
    if unknown:
        notices.add_names("{count} {topic|topics} without assessments {is|are} ignored", unknown)


def _in_reading_order(
    run: Run, rows: np.ndarray, by_topic: Ragged, order: str, notices: Notices
) -> np.ndarray:
    """Rows, grouped by topic in the order of the file, in reading order.

    The rank decides; without one the score, from high to low; ties are broken by document, start and end, so
    the order of lines in the file never matters; the file's order is used only if there is neither.
    """
    if order == "score":
        return rows[score_order(run, rows, by_topic.row)]
    if order == "file" or (run.rank is None and run.score is None):
        return rows
    key = -np.asarray(run.score) if run.rank is None else run.rank.astype(np.float64)
    rising, equal = rises(by_topic.offset, rows, key)
    if equal or len(rising) < len(rows) - np.count_nonzero(by_topic.counts):
        topic, exact = by_topic.row, run.rank if run.rank is not None else key
        breakers = _tie_breakers(run, rows) if equal or _has_ties(exact[rows], topic) else ()
        rows = rows[np.lexsort((*breakers, exact[rows], topic))]
    if run.rank is not None and run.score is not None:
        _note_disagreeing_scores(run, rows, by_topic, notices)
    return rows


def _has_ties(key: np.ndarray, topic: np.ndarray) -> bool:
    """Whether two rows of a topic have the same key."""
    placed = np.lexsort((key, topic))
    return bool(((np.diff(key[placed]) == 0) & (np.diff(topic[placed]) == 0)).any())


def score_order(run: Run, rows: np.ndarray, topic: np.ndarray) -> np.ndarray:
    """The order of trec_eval: scores in single precision, from high to low, ties by document from z to a."""
    if run.score is None:
        raise UsageError(f"{run.source or run.name}: its results have no scores, which --rank-by score needs")
    *places, by_name = _tie_breakers(run, rows)
    return np.lexsort((*places, -by_name, -run.score[rows].astype(np.float32), topic))


def _tie_breakers(run: Run, rows: np.ndarray) -> tuple[np.ndarray, ...]:
    """Sort keys for results with equal rank or score, the least important first."""
    by_name = np.empty(len(run.docs), dtype=np.int64)
    by_name[sorted(range(len(run.docs)), key=run.docs.__getitem__)] = np.arange(len(run.docs))
    if run.span_offset is None:
        start, end = run.start[rows], run.end[rows]
    else:
        first, last = run.span_offset[rows], run.span_offset[rows + 1] - 1
        has = last >= first
        start = np.where(has, run.start[np.where(has, first, 0)] if len(run.start) else 0, 0)
        end = np.where(has, run.end[np.where(has, last, 0)] if len(run.end) else 0, 0)
    inner: list[np.ndarray] = []
    if run.nodes is not None:
        inner.append(_order_of([tuple(run.nodes.of(row)) for row in rows]))
    if run.span_offset is not None:
        inner.append(_order_of([tuple(run.spans_of(row)) for row in rows]))
    return (*inner, end, start, by_name[run.doc[rows]])


def _order_of(things: list[tuple[Any, ...]]) -> np.ndarray:
    """The position of each among the sorted distinct ones."""
    place = {thing: at for at, thing in enumerate(sorted(set(things)))}
    return np.array([place[thing] for thing in things], dtype=np.int64)


def _note_disagreeing_scores(run: Run, rows: np.ndarray, by_topic: Ragged, notices: Notices) -> None:
    assert run.score is not None
    higher, _ = rises(by_topic.offset, rows, run.score)
    notices.add_each(
        "{count} {result scores|results score} higher than the one ranked before {it|them}; the rank is used "
        "(--rank-by score uses the score, as trec_eval does)",
        rows[higher],
        run.where,
    )


def _places(
    run: Run, rows: np.ndarray, ground: Ground, notices: Notices
) -> tuple[tuple[Ragged, np.ndarray, np.ndarray], tuple[Ragged, np.ndarray] | None]:
    """Ranges by result, in reading order, and nodes by result if results are nodes or whole documents."""
    nodes: tuple[Ragged, np.ndarray] | None = None
    if run.nodes is not None:
        from doxeval.ground.locate import places_of_nodes

        (spans, start, end), nodes = places_of_nodes(run, rows, ground, notices)
    elif np.array_equal(rows, np.arange(len(run))):
        spans, start, end = run.spans, run.start, run.end
    else:
        spans, of_run = run.spans.take(rows)
        start, end = run.start[of_run], run.end[of_run]
    if ground.documents is not None and (end == WHOLE).any():
        from doxeval.ground.locate import with_roots

        whole = np.zeros(len(rows), dtype=bool)
        whole[spans.row[end == WHOLE]] = True
        nodes = with_roots(nodes, whole & (ground.documents.codes(run.docs)[run.doc[rows]] >= 0))
    return (spans, start, end), nodes


def told_lengths(docs: Sequence[str], ground: Ground, known_doc: np.ndarray, notices: Notices) -> np.ndarray:
    """The length of each document of a run: from the documents given, else from the assessments, else -1."""
    length = np.full(len(docs), -1, dtype=np.int64)
    assessed = known_doc >= 0
    length[assessed] = ground.length[known_doc[assessed]]
    if ground.documents is not None:
        index = ground.documents.codes(docs)
        length[index >= 0] = ground.documents.length[index[index >= 0]]
        what, more = "{count} retrieved {document is|documents are}", "; {it is|they are} scored as given"
        tell_missing(what, docs, index, ground.documents, notices, more)
    return length


def furthest_ends(run: Run) -> np.ndarray:
    """The furthest end of the run's ranges in each of its documents."""
    reached = furthest(run.spans.expand(run.doc), run.end, NOWHERE, len(run.docs))
    return reached if run.reach is None else np.maximum(reached, run.reach)


def _document_lengths(
    run: Run, ground: Ground, known_doc: np.ndarray, notices: Notices
) -> tuple[np.ndarray, np.ndarray]:
    """The length of each document of the run, and the documents retrieved whole that have none.

    The known length, else the furthest end in the assessments and in this run; never from other runs.
    """
    endless = np.zeros(0, dtype=np.int64)
    length = told_lengths(run.docs, ground, known_doc, notices)
    unknown = length < 0
    if unknown.any():
        reached = furthest_ends(run)
        assessed = (known_doc >= 0) & unknown
        reached[assessed] = np.maximum(reached[assessed], ground.furthest_end[known_doc[assessed]])
        length = np.where(unknown, reached, length)
        lost = unknown & (length == 0)
        if lost.any():
            doc = run.spans.expand(run.doc)
            endless = distinct(doc[lost[doc] & (run.end == WHOLE)])
        if ground.documents is not None and len(endless):
            notices.add_names(
                "{count} whole {document has|documents have} no known length and {counts|count} as empty",
                (run.docs[at] for at in endless.tolist()),
            )
            endless = endless[:0]
    return length, endless


def _clip(
    run: Run,
    rows: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    spans: Ragged,
    limit: np.ndarray,
    notices: Notices,
) -> tuple[np.ndarray, np.ndarray]:
    """Clip ranges to their documents; those past the end are reported."""
    beyond = end > limit
    if not beyond.any():
        return start, end
    clipped = np.flatnonzero(beyond & (end < NOWHERE))
    if len(clipped):
        notices.add(
            "{count} {passage reaches|passages reach} past the end of {its|their} document and {is|are} "
            "clipped",
            *(
                f"{run.where(rows[spans.row[span]])}: to {amount_in(run.unit, int(end[span]))} of "
                f"{amount_in(run.unit, int(limit[span]))}"
                for span in clipped[:3]
            ),
            count=len(clipped),
            lasting=True,
        )
    return np.minimum(start, limit), np.minimum(end, limit)
