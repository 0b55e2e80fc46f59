"""Tables as lines to write, shared by all writers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.tables.assessments import Assessments, JudgedNodes, Ranges
from doxeval.tables.places import AREA, CHARACTERS, GRID, LINES, SECONDS, amount_in
from doxeval.tables.quotes import Placement, Quotes
from doxeval.tables.runs import WHOLE, Run


def rank_column(run: Run) -> np.ndarray:
    """The rank of every result; if the run has none, by score (ties share a rank) or by order.

    >>> from doxeval.io.read import read_run
    >>> rows = [{"topic": "t", "doc": d, "score": s} for d, s in (("a", 1), ("b", 3), ("c", 1))]
    >>> rank_column(read_run(rows)).tolist()
    [2, 1, 2]
    """
    if run.rank is not None:
        return run.rank
    keys = -run.score if run.score is not None else np.arange(len(run))
    order = np.lexsort((keys, run.topic))
    topic, sorted_keys = run.topic[order], keys[order]
    new_topic = np.diff(topic, prepend=-1) != 0
    new_key = new_topic.copy()
    new_key[1:] |= sorted_keys[1:] != sorted_keys[:-1]
    at = np.arange(len(run))
    first_of_topic = np.maximum.accumulate(np.where(new_topic, at, 0))
    first_of_tie = np.maximum.accumulate(np.where(new_key, at, 0))
    ranks = np.empty(len(run), dtype=np.int64)
    ranks[order] = first_of_tie - first_of_topic + 1
    return ranks


def score_column(run: Run) -> np.ndarray:
    """The score of every result; if the run has none, one that falls with the rank."""
    return run.score if run.score is not None else -rank_column(run).astype(float)


def result_lines(run: Run) -> Iterator[tuple[str, str, int, float, int, int]]:
    """Topic, document, rank, score, start, end: one line per range, in the order of the run."""
    columns = (run.topic.tolist(), run.doc.tolist(), rank_column(run).tolist(), score_column(run).tolist())
    if run.span_offset is None:
        spans = zip(run.start.tolist(), run.end.tolist(), strict=True)
        for (start, end), topic, doc, rank, score in zip(spans, *columns, strict=True):
            yield run.topics[topic], run.docs[doc], rank, score, start, end
        return
    for row, (topic, doc, rank, score) in enumerate(zip(*columns, strict=True)):
        for start, end in run.spans_of(row):
            yield run.topics[topic], run.docs[doc], rank, score, start, end


def result_rows(run: Run) -> Iterator[dict[str, Any]]:
    """Results as rows of the native format."""
    if run.apart is not None:
        pairs = zip(result_rows(replace(run, apart=None)), result_rows(run.apart), strict=True)
        yield from (region if _is_empty(text) else text for text, region in pairs)
        return
    tag = run.tag
    for row in range(len(run)):
        line: dict[str, Any] = {"topic": run.topics[run.topic[row]], "doc": run.docs[run.doc[row]]}
        if run.rank is not None:
            line["rank"] = int(run.rank[row])
        if run.score is not None:
            line["score"] = float(run.score[row])
        line |= native_place(run, row)
        if not line["doc"]:
            del line["doc"]
        if tag:
            line["run"] = tag
        yield line
    answered = set(run.topic.tolist())
    for code, topic in enumerate(run.topics):
        if code not in answered:
            yield {"topic": topic, "run": tag} if tag else {"topic": topic}


def native_place(run: Run, row: int) -> dict[str, Any]:
    """The place of a result in its document, and its texts in no document, in the keys of native lines."""
    line: dict[str, Any] = {}
    names = run.nodes.of(row) if run.nodes is not None else []
    spans = run.spans_of(row)
    own = run.own[row] if run.own is not None else ""
    if run.texts is not None and run.texts[row]:
        line["text"] = run.texts[row]
        line |= _claimed(run, row)
    elif len(names) == 1:
        line["node"] = names[0]
    elif names:
        line["nodes"] = names
    elif (len(spans) != 1 or spans[0][1] < WHOLE) and (spans or not own):
        line |= _place_keys(spans, run.unit, run.grid)
    if run.added is not None and run.added[row]:
        line["added"] = run.added[row]
    if own:
        line["own"] = own
    return line


def _is_empty(line: dict[str, Any]) -> bool:
    """Whether a result shows no text, as regions do."""
    return line.get("start") == 0 == line.get("end")


def _claimed(run: Run, row: int) -> dict[str, Any]:
    """Everything said about the place of a text that native lines can say."""
    from doxeval.io.placing.claims import FROM_ONE

    claim = None if run.claims is None else run.claims[row]
    if claim is None:
        return {}
    page = {"page": claim.page} if claim.page is not None and claim.counted == FROM_ONE else {}
    return page | ({"section": claim.sections[0]} if claim.sections else {})


def assessment_rows(assessments: Assessments) -> Iterator[dict[str, Any]]:
    """Assessments as rows of the native format: relevant places, then other facts about each pair."""
    if assessments.apart is not None:
        yield from assessment_rows(replace(assessments, apart=None))
        yield from assessment_rows(replace(assessments.apart, queries={}, attributes={}))
        return
    topics = [assessments.topics[topic] for topic in assessments.pair_topic]
    docs = [assessments.docs[doc] for doc in assessments.pair_doc]
    # Every pair gets at least one row: those that no judged part has marked as told get theirs at the end.
    told = np.zeros(len(docs), dtype=bool)
    for topic in dict.fromkeys([*assessments.queries, *assessments.attributes]):
        query = {"query": assessments.queries[topic]} if topic in assessments.queries else {}
        yield {"topic": topic, **query, **assessments.attributes.get(topic, {})}
    ranges = assessments.ranges
    for rows in _rows_of_places(ranges):
        row, pair = rows[0], int(ranges.pair[rows[0]])
        line: dict[str, Any] = {"topic": topics[pair], "doc": docs[pair]}
        if len(rows) > 1 or ranges.end[row] < WHOLE:
            extents = [(int(ranges.start[at]), int(ranges.end[at])) for at in rows]
            line |= _place_keys(extents, assessments.unit, assessments.grid)
        if ranges.end[row] >= WHOLE or ranges.grade[row] != 1:
            line["rel"] = float(ranges.grade[row])
        if ranges.words is not None and ranges.words[row]:
            line["quote"] = ranges.words[row]
        told[pair] = True
        yield line | _needs_answered(ranges, row)
    if (optional := assessments.optional) is not None:
        for pair, start, end in zip(
            optional.pair.tolist(), optional.start.tolist(), optional.end.tolist(), strict=True
        ):
            told[pair] = True
            extent = {} if end >= WHOLE else _place_keys([(start, end)], assessments.unit, assessments.grid)
            yield {"topic": topics[pair], "doc": docs[pair], **extent, "optional": True}
    yield from _node_rows(assessments, topics, docs, told)
    if assessments.quotes is not None:
        quotes = assessments.quotes
        for row, pair in enumerate(quotes.pair.tolist()):
            told[pair] = True
            line = {"topic": topics[pair], "doc": docs[pair]} if docs[pair] else {"topic": topics[pair]}
            yield line | _quote_row(quotes, row, assessments.unit) | _needs_answered(quotes, row)
    told_length = set()
    for pair, doc in enumerate(assessments.pair_doc.tolist()):
        line = {"topic": topics[pair], "doc": docs[pair]}
        if assessments.bep[pair] >= 0:
            line["bep"] = int(assessments.bep[pair])
        if assessments.length[doc] >= 0 and doc not in told_length:
            length = int(assessments.length[doc])
            timed = assessments.unit == SECONDS
            if assessments.unit == AREA:
                pages, rest = divmod(length, assessments.grid**2)
                line |= {"page_count": pages} if pages and not rest else {}
            else:
                line |= {"length_s": amount_in(SECONDS, length)} if timed else {"length": length}
            told_length.add(doc)
            if docs[pair] in assessments.fingerprints:
                line["fingerprint"] = assessments.fingerprints[docs[pair]]
        if len(line) > 2 or not told[pair]:
            yield line


def _quote_row(quotes: Quotes, row: int, unit: str) -> dict[str, Any]:
    """A quote with its hints, and its place once that is known."""
    line: dict[str, Any] = {"quote": quotes.text[row]} if quotes.text[row] else {}
    hint = quotes.hints[row]
    line["rel"] = float(quotes.grade[row])
    for key in ("page", "prefix", "suffix", "section", "occurrence"):
        if value := getattr(hint, key):
            line[key] = value
    if hint.box:
        line["box"] = list(hint.box)
    if quotes.placed is None:
        return line | (_place_keys(hint.told, unit) if hint.told else {})
    placement = quotes.placed[row]
    if not placement.placed:
        return line | {"level": placement.outcome}
    extents = tuple(extent for pieces in placement.places for extent in pieces)
    line |= _place_keys(extents, unit) if extents else {}
    return line | _certainty(placement)


def _certainty(placement: Placement) -> dict[str, Any]:
    """How a place was found, and how certain it is."""
    return {
        "level": placement.outcome,
        "similarity": round(placement.similarity, 4),
        "margin": round(placement.margin, 4),
    }


def _place_keys(
    extents: Sequence[tuple[int, int]], unit: str = CHARACTERS, grid: int = GRID
) -> dict[str, Any]:
    """A range, or a list of them, by the keys of its unit."""
    if unit == LINES:
        lines = [(start + 1, end) for start, end in extents]
        if len(lines) == 1 and lines[0][0] <= lines[0][1]:
            return {"start_line": lines[0][0], "end_line": lines[0][1]}
        return {"lines": [list(pair) for pair in lines if pair[0] <= pair[1]]}
    if unit == SECONDS:
        times = [[float(amount_in(unit, place)) for place in extent] for extent in extents]
        return {"start_s": times[0][0], "end_s": times[0][1]} if len(times) == 1 else {"moments": times}
    if unit == AREA:
        return _region_keys(extents, grid)
    if len(extents) == 1:
        return {"start": extents[0][0], "end": extents[0][1]}
    return {"spans": [list(extent) for extent in extents]}


def _region_keys(extents: Sequence[tuple[int, int]], grid: int) -> dict[str, Any]:
    """A box on a page as shares of it, anything else as cells of the grid."""
    from doxeval.tables.page_cells import boxes_of_cells

    start, end = np.array(sorted(extents), dtype=np.int64).reshape(-1, 2).T
    boxes = boxes_of_cells(start, end, grid)
    if len({box[0] for box in boxes}) == 1:
        regions = [[edge / grid for edge in box[1:]] for box in boxes]
        return {"page": boxes[0][0]} | ({"region": regions[0]} if len(regions) == 1 else {"regions": regions})
    if grid != GRID:
        raise UsageError(
            f"regions on several pages are written as cells of a grid of {GRID:,}, and these were read on "
            f"one of {grid:,}"
        )
    return {"cells": [list(extent) for extent in extents]}


def _rows_of_places(ranges: Ranges) -> Iterable[list[int]]:
    """The ranges of each place, in the order of their first."""
    if ranges.place is None:
        return ([row] for row in range(len(ranges)))
    found: dict[int, list[int]] = {}
    for row, place in enumerate(ranges.place.tolist()):
        found.setdefault(place, []).append(row)
    return found.values()


def _needs_answered(judged: Ranges | JudgedNodes | Quotes, row: int) -> dict[str, Any]:
    """The needs that a row answers, one `need` or several `aspects`, and its set and assessor."""
    names = judged.aspects.of(row) if judged.aspects is not None else []
    told = {} if judged.labels is None else judged.labels.of(row)
    return ({"aspects": names} if len(names) > 1 else {"need": names[0]} if names else {}) | told


def _node_rows(
    assessments: Assessments, topics: list[str], docs: list[str], told: np.ndarray
) -> Iterator[dict[str, Any]]:
    nodes = assessments.nodes
    if nodes is None:
        return
    for row, pair in enumerate(nodes.pair.tolist()):
        names = nodes.nodes.of(row)
        line: dict[str, Any] = {"topic": topics[pair], "doc": docs[pair]}
        line |= {"node": names[0]} if len(names) == 1 else {"nodes": names}
        if not np.isnan(nodes.value[row]):
            line["rel"] = float(nodes.value[row])
        if nodes.code[row]:
            line["code"] = nodes.code[row]
        if nodes.placed is not None and (placement := nodes.placed[row]) is not None:
            line |= _certainty(placement)
        told[pair] = True
        yield line | _needs_answered(nodes, row)
