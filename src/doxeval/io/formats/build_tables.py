"""From typed columns to runs, assessments and chunks: the meaning of each key, and which rows are invalid."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from doxeval.core.notices import Notices
from doxeval.core.ragged import Ragged
from doxeval.core.strings import Strings, distinct
from doxeval.core.values import name_of, quoted
from doxeval.io.formats.area_places import AREA_KEYS
from doxeval.io.formats.columns import Column, Rows, column_of
from doxeval.io.formats.field_lines import TextColumn
from doxeval.io.formats.format import Options
from doxeval.io.formats.line_places import LINE_KEYS
from doxeval.io.formats.row_places import (
    HINT_KEYS,
    PLACE_KEYS,
    RowPlaces,
    merge_by_row,
    pages_as_nodes,
    read_hints,
    read_places,
)
from doxeval.io.formats.unit_places import UNIT_KEYS, places_as_ranges, regions_apart
from doxeval.tables.assessments import (
    UNKNOWN,
    Assessments,
    JudgedNodes,
    Ranges,
    build_assessments,
)  # fmt: skip
from doxeval.tables.labels import Labels
from doxeval.tables.page_cells import grid_in_use
from doxeval.tables.places import CHARACTERS
from doxeval.tables.quotes import Quotes
from doxeval.tables.runs import WHOLE, Chunks, Names, Run

RUN_KEYS = (
    "topic", "doc", "rank", "score", "run", "line", "text", "added", "own", "page", "section",
    *PLACE_KEYS, *UNIT_KEYS,
)  # fmt: skip
TEXT_NAMES = ("text", "content", "page_content")
QUOTE_NAMES = ("answer", "text")
ASSESSMENT_KEYS = (
    "topic", "doc", "rel", "need", "aspects", "set", "assessor", "code", "quote", "bep", "length", "query",
    "line", "fingerprint", "optional", *HINT_KEYS, *PLACE_KEYS, *UNIT_KEYS,
)  # fmt: skip
SEVERAL_RUNS = "{count} different {run|runs} in one file are read as one"
REGIONS_APART = "{count} {place is a region|places are regions}, scored apart from text (--unit area)"
INEX_CODE = re.compile(r"E[0-3]S[0-3]|[0-3][ELSN]")


def build_run(rows: Rows, options: Options, tag: str = "") -> Run:
    """Build a run; results without a place are whole documents, the ranges of a result are merged.

    A result that has only `own` text shows nothing of its document.
    """
    rows.rename(TEXT_NAMES, "text")
    rows.unknown(RUN_KEYS)
    others = (*PLACE_KEYS, "text", "page")
    if (regions := regions_apart(rows, others)) is not None:
        return replace(_run_of_both(rows, regions, others, options, tag), parameters=rows.parameters)
    topic, doc, text = rows.require("topic"), rows.take("doc"), rows.take("text")
    rank, score, run = rows.take("rank"), rows.take("score"), rows.take("run")
    asked = only_asked(rows)
    unit = places_as_ranges(rows, others)
    doc = rows.take("doc")
    pages_as_nodes(rows, elsewhere=text.present)
    places = read_places(rows)
    sought = text.present & ~places.given if text.present.any() else text.present
    if not doc.present.all():
        rows.refuse(~doc.present & ~sought & ~asked, "a 'doc'")
    doc = _with_unnamed(doc, sought)
    kept = rows.kept & ~asked
    size = int(kept.sum())
    start, end, span_offset = _result_ranges(places, kept, size, rows.take("own").present & ~sought)
    topics, docs = used_names(topic, kept), used_names(doc, kept)
    ranks, scores = _ordering(rows, kept, topics.codes, rank, score)
    asked_too = used_names(topic, rows.kept & asked).table if size < rows.size else ()
    return Run(
        name=options.name or "run",
        topics=list(dict.fromkeys([*topics.table, *asked_too])),
        docs=docs.table if isinstance(docs.table, Strings) else Strings.of(docs.table),
        topic=topics.codes,
        doc=docs.codes,
        start=start,
        end=end,
        span_offset=span_offset,
        rank=ranks,
        score=scores,
        nodes=places.names.take(kept) if (places.named & kept).any() else None,
        texts=_texts_sought(text, sought, kept),
        claims=_claims(rows, sought, kept),
        added=_further_texts(rows, kept, "added"),
        own=_further_texts(rows, kept, "own"),
        tag=tag or run_tag(rows, run),
        line=rows.line[kept] if rows.line is not None else None,
        unit=unit,
        grid=grid_in_use(),
        source=rows.source,
        notices=rows.notices,
        parameters=rows.parameters,
    )


def _run_of_both(rows: Rows, regions: np.ndarray, others: tuple[str, ...], options: Options, tag: str) -> Run:
    """A run that shows text and regions: either is a run in which the other's results show nothing."""
    every = np.ones(rows.size, dtype=bool)
    text, area = rows.select(every, (*AREA_KEYS, "page")), rows.select(every, (*others[:-1], *LINE_KEYS))
    area.notices = Notices()
    nothing = np.zeros(rows.size, dtype=np.int64)
    for key in ("start", "end"):
        column = text.take(key)
        values = np.where(regions, nothing, column.values)
        text.columns[key] = replace(column, values=values, present=column.present | regions)
    cells = column_of("cells", [None if one else [[0, 0]] for one in regions.tolist()])
    given = area.take("cells")
    kept = np.where(regions, given.values, cells.values)
    area.columns["cells"] = replace(cells, values=kept, present=np.where(regions, given.present, True))
    return replace(build_run(text, options, tag), apart=build_run(area, options, tag))


def only_asked(rows: Rows) -> np.ndarray:
    """A mask of the rows with only a topic (and perhaps the run's tag): asked, with nothing returned."""
    told = np.zeros(rows.size, dtype=bool)
    for key, column in rows.columns.items():
        if key not in ("topic", "run"):
            told |= column.present
    return ~told


def _with_unnamed(doc: Column, sought: np.ndarray) -> Column:
    """The column of documents, with ``""`` for texts that name no document."""
    unnamed = sought & ~doc.present
    if not unnamed.any():
        return doc
    codes = np.where(unnamed, len(doc.table), doc.values)
    return Column(codes, doc.present | unnamed, doc.wrong, [*doc.table, ""])


def _texts_sought(text: Column, sought: np.ndarray, kept: np.ndarray) -> list[str] | None:
    """The text to search for in each kept row, empty where there is none; None if no row has one."""
    if not sought[kept].any():
        return None
    table = [*text.table, ""]
    return [table[code] for code in np.where(sought, text.values, -1)[kept].tolist()]


def _claims(rows: Rows, sought: np.ndarray, kept: np.ndarray) -> list[Any] | None:
    """Everything that rows with a text to search for say about its place; None if none says anything."""
    if not rows.columns.keys() & {"page", "section"}:
        return None
    page, section = rows.take("page"), rows.take("section")
    if not ((page.present | section.present) & sought & kept).any():
        return None
    from doxeval.io.placing.claims import FROM_ONE, NOTHING, Claim

    found = []
    for row in np.flatnonzero(kept).tolist():
        titles = (section.table[section.values[row]],) if section.present[row] else ()
        number = int(page.values[row]) if page.present[row] else None
        found.append(Claim(number, FROM_ONE, sections=titles) if sought[row] else NOTHING)
    return found


def _further_texts(rows: Rows, kept: np.ndarray, key: str) -> np.ndarray | None:
    """The text that each kept row shows but no document holds; None if no row has any."""
    if key not in rows.columns:
        return None
    texts = rows.take(key)
    if not (texts.present & kept).any():
        return None
    return np.array([*texts.table, ""], dtype=object)[texts.values[kept]]


def _result_ranges(
    places: RowPlaces, kept: np.ndarray, size: int, placeless: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Start, end and offsets of every kept result's ranges; without one it is whole, or `placeless`."""
    if np.array_equal(places.row, np.arange(len(kept))):
        return places.start[kept], places.end[kept], None
    used = kept[places.row]
    whole = kept & ~places.named & ~placeless
    whole[places.row] = False
    row = np.concatenate([places.row[used], np.flatnonzero(whole)])
    start = np.concatenate([places.start[used], np.zeros(whole.sum(), dtype=np.int64)])
    end = np.concatenate([places.end[used], np.full(whole.sum(), WHOLE)])
    offset, start, end = merge_by_row((np.cumsum(kept) - 1)[row], start, end, size)
    return start, end, None if (Ragged(offset).counts == 1).all() else offset


def used_names(column: Column, kept: np.ndarray) -> TextColumn:
    """Codes of the kept rows, with a table of only the names they use, in order of appearance."""
    return TextColumn(column.table, column.values).take(kept)


def _ordering(
    rows: Rows, kept: np.ndarray, topic: np.ndarray, rank: Column, score: Column
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Rank and score of every kept row; None for a column that some rows lack.

    A column orders the results of a topic only if each of them has it: the rank, else the score, else the
    order of the file. Where topics differ in this, the rank holds the order of each.
    """
    ranks = rank.values[kept] if len(topic) and rank.present[kept].all() else None
    scores = score.values[kept] if len(topic) and score.present[kept].all() else None
    orders_all_or_none = [
        found is not None or not column.present[kept].any()
        for found, column in ((ranks, rank), (scores, score))
    ]
    if all(orders_all_or_none):
        return ranks, scores
    by_rank = _complete_topics(rows, kept, topic, "rank", rank)
    by_score = _complete_topics(rows, kept, topic, "score", score)
    place = np.where(by_score[topic], -score.values[kept], np.arange(len(topic)))
    order = np.lexsort((place, topic))
    step = np.diff(topic[order], prepend=-1) != 0
    later = step.copy()
    later[1:] |= place[order][1:] != place[order][:-1]
    count = np.cumsum(later)
    dense = np.empty(len(topic), dtype=np.int64)
    dense[order] = count - np.maximum.accumulate(np.where(step, count - 1, 0))
    return np.where(by_rank[topic], rank.values[kept], dense), scores


def _complete_topics(rows: Rows, kept: np.ndarray, topic: np.ndarray, key: str, column: Column) -> np.ndarray:
    """Whether all results of each topic have a value; reported if only some have one."""
    present = column.present[kept]
    topics = int(topic.max()) + 1
    total, having = np.bincount(topic, minlength=topics), np.bincount(topic[present], minlength=topics)
    partly = (having > 0) & (having < total)
    rows.notices.add_each(
        f"{{count}} {{result has|results have}} no {key} while others of {{its|their}} topic have one; "
        f"the {key}s of {{this topic|these topics}} are ignored",
        np.flatnonzero(kept)[partly[topic] & ~present],
        rows.place,
    )
    return having == total


def run_tag(rows: Rows, run: Column) -> str:
    """The run's tag: the first one; a file that mixes several is reported."""
    if not run.present.any():
        return ""
    found = distinct(run.values[run.present & rows.kept])
    if len(found) > 1:
        rows.notices.add_names(SEVERAL_RUNS, map(run.table.__getitem__, found))
    return run.table[found[0]] if len(found) else ""


def collect_assessments(
    rows: Rows,
    queries: dict[str, str] | None = None,
    attributes: dict[str, dict[str, str]] | None = None,
    counts_mark: bool = False,
) -> Assessments:
    """Build assessments of every kind; a range that is not relevant only marks its document as assessed.

    Unknown keys become attributes of the topics. A line without a document describes its topic.
    """
    regions = regions_apart(rows, (*PLACE_KEYS, *QUOTE_NAMES, "quote", "page"))
    if regions is not None:
        area = collect_assessments(rows.select(regions), queries, attributes, counts_mark)
        text = collect_assessments(rows.select(~regions), queries, attributes, counts_mark)
        text.notices.add(REGIONS_APART, count=int(regions.sum()), harmless=True, lasting=True)
        return replace(text, apart=area)
    judged = _JudgedRows(rows)
    topics, docs = used_names(judged.topic, judged.kept), used_names(judged.doc, judged.kept)
    table = build_assessments(
        topics.table,
        docs.table,
        topics.codes,
        docs.codes,
        judged.ranges(),
        length=judged.kept_or_unknown("length"),
        bep=judged.kept_or_unknown("bep"),
        nodes=judged.nodes(),
        quotes=judged.quotes(),
        optional=_optional_ranges(judged.places, judged.kept & judged.optional, judged.number),
        queries=queries_of(rows, judged.topic, judged.query) | (queries or {}),
        fingerprints=_fingerprints(rows, judged.doc),
        attributes=topic_attributes(rows, judged.topic, judged.further) | (attributes or {}),
        unit=judged.unit,
        counts_mark=counts_mark,
        source=rows.source,
        notices=rows.notices,
    )
    table.grid = grid_in_use()
    return table


class _JudgedRows:
    """Rows of assessments: those that make no sense are refused, the others become ranges, nodes or quotes.

    `kept` marks the rows that count, `number` is the position of each among them, `sought` marks those whose
    place is yet to be found in the documents, `optional` those that are neither relevant nor not, and
    `further` has the columns that describe topics.
    """

    def __init__(self, rows: Rows) -> None:
        by_another_name = "quote" not in rows.columns
        rows.rename(QUOTE_NAMES, "quote")
        described = _split_off_descriptions(rows)
        self.rows = rows
        self.topic = rows.require("topic")
        self.query, doc = rows.take("query"), rows.take("doc")
        fate = "kept as an attribute of its topics (--by)"
        further = rows.unknown(ASSESSMENT_KEYS, fate, doc.present)
        self.further = described | {key: rows.columns[key] for key in further}
        describes_topic = np.logical_or.reduce(
            [self.query.present, *(column.given for column in self.further.values())]
        )
        self.rel, quote = rows.take("rel"), rows.take("quote")
        rows.refuse(self.rel.values < 0, "a 'rel' of at least 0")
        for key in ("bep", "length"):
            rows.refuse(rows.take(key).present & (rows.take(key).values < 0), f"a {key!r} of at least 0")
        self.code = _inex_codes(rows)
        self.unit = places_as_ranges(rows, (*PLACE_KEYS, "quote", "page"))
        doc = rows.take("doc")
        if self.unit != CHARACTERS:
            refused = f"no 'bep', which counts characters, where places are {self.unit}"
            rows.refuse(rows.take("bep").present, refused)
        self.places = read_places(rows)
        if by_another_name:
            of_place = ~self.places.given | _as_long(quote, self.places)
            quote = replace(quote, present=quote.present & of_place)
        self.quote = quote
        self.hints = read_hints(rows, self.places)
        rows.refuse(~doc.present & ~describes_topic & ~quote.present, "a 'doc'")
        self.doc = _with_unnamed(doc, quote.present)
        rows.refuse(self.code.present & ~self.places.named, "a 'node', 'nodes' or 'path' with a 'code'")
        self.aspects = _aspects(rows)
        self.labels = _labels(rows)
        self.optional = _optional(rows, self.places)
        # Nothing is refused from here on.
        self.kept = rows.kept & self.doc.present
        self.number = np.cumsum(self.kept) - 1
        self.grade = np.where(self.rel.present, self.rel.values, 1.0)
        self.relevant = self.kept & (self.grade > 0) & ~self.optional
        stated = _ranged(self.places) & doc.present & ~self.hints.any_given
        self.sought = (quote.present & ~stated) | (self.hints.paged & ~self.places.given)
        self.words = np.array([*quote.table, ""], dtype=object)[np.where(quote.present, quote.values, -1)]

    def _aspects_of(self, rows: np.ndarray) -> Names | None:
        return self.aspects.take(rows) if self.aspects else None

    def _labels_of(self, rows: np.ndarray) -> Labels | None:
        return self.labels.take(rows) if self.labels else None

    def kept_or_unknown(self, key: str) -> np.ndarray:
        """A column of offsets in the kept rows, -1 where there is none."""
        column = self.rows.take(key)
        return np.where(column.present, column.values, UNKNOWN)[self.kept]

    def ranges(self) -> Ranges:
        """The relevant ranges; the spans of a row are one place."""
        relevant = self.relevant & ~self.sought
        row, start, end = _assessed_ranges(self.places, relevant, self.rel.present)
        place = row if len(distinct(row)) < len(row) else None
        words = _words_of_ranges(self.words, row)
        return Ranges(
            self.number[row], start, end, self.grade[row], self._aspects_of(row), place, words,
            self._labels_of(row),
        )  # fmt: skip

    def nodes(self) -> JudgedNodes:
        """The judged nodes, relevant or not; those with only a code have no value yet."""
        named = self.kept & self.places.named
        row = np.flatnonzero(named)
        return JudgedNodes(
            self.number[row],
            self.places.names.take(named),
            np.where(self.code.present & ~self.rel.present, np.nan, self.grade)[row],
            [self.code.table[code] if code >= 0 else "" for code in self.code.values[row]],
            self._aspects_of(row),
            labels=self._labels_of(row),
        )

    def quotes(self) -> Quotes:
        """The relevant quotes, pages and boxes."""
        row = np.flatnonzero(self.relevant & self.sought)
        return Quotes(
            self.number[row],
            self.words[row].tolist(),
            self.grade[row],
            self.rows.line[row] if self.rows.line is not None else row + 1,
            [self.hints.of(at) for at in row.tolist()],
            self._aspects_of(row),
            labels=self._labels_of(row),
        )


def _assessed_ranges(
    places: RowPlaces, relevant: np.ndarray, graded: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, start and end of each relevant range; a grade without a place is for the whole document."""
    used = relevant[places.row]
    whole = relevant & graded & ~places.named
    whole[places.row] = False
    rows = np.flatnonzero(whole)
    return (
        np.concatenate([places.row[used], rows]),
        np.concatenate([places.start[used], np.zeros(len(rows), dtype=np.int64)]),
        np.concatenate([places.end[used], np.full(len(rows), WHOLE)]),
    )


def _optional(rows: Rows, places: RowPlaces) -> np.ndarray:
    """A mask of the rows that are optional text: ranges, or whole documents."""
    column = rows.take("optional")
    flags = np.array([value is True for value in column.values], dtype=bool)
    wrong = column.present & ~np.array([isinstance(value, bool) for value in column.values], dtype=bool)
    rows.refuse(wrong, "true or false as 'optional'", lambda row: quoted(column.values[row]))
    rows.refuse(flags & places.named, "a range with 'optional'")
    return flags


def _optional_ranges(places: RowPlaces, optional: np.ndarray, number: np.ndarray) -> Ranges | None:
    """The ranges of optional rows; None if there are none."""
    if not optional.any():
        return None
    row, start, end = _assessed_ranges(places, optional, np.ones(len(optional), dtype=bool))
    return Ranges(number[row], start, end, np.zeros(len(row)))


def _ranged(places: RowPlaces) -> np.ndarray:
    """A mask of the rows that have ranges."""
    found = np.zeros(len(places.names.offset) - 1, dtype=bool)
    found[places.row] = True
    return found


def _as_long(quote: Column, places: RowPlaces) -> np.ndarray:
    """A mask of the rows whose text is as long as their ranges: the text of these, not some other answer."""
    size = np.zeros(len(quote.present), dtype=np.int64)
    np.add.at(size, places.row, places.end - places.start)
    lengths = np.array([*map(len, quote.table), -1], dtype=np.int64)
    return np.asarray(lengths[np.where(quote.present, quote.values, -1)] == size)


def _words_of_ranges(words: np.ndarray, row: np.ndarray) -> np.ndarray | None:
    """The words of each place, with the first of its ranges; None if none has any."""
    found = words[row]
    found[1:][row[1:] == row[:-1]] = ""
    return found if any(found) else None


def _inex_codes(rows: Rows) -> Column:
    """INEX codes in capitals; anything else is refused."""
    code = rows.take("code")
    code.table = [text.upper() for text in code.table]
    bad = np.array([not INEX_CODE.fullmatch(text) for text in code.table] + [False], dtype=bool)
    if bad.any():
        rows.refuse(bad[code.values], "a code such as E2S3 or 3E", lambda row: code.table[code.values[row]])
    return code


def _aspects(rows: Rows) -> Names | None:
    """The needs that every row answers: its `need`, its `aspects`."""
    column, need = rows.take("aspects"), rows.take("need")
    if not (column.present | need.present).any():
        return None
    given = column.present & rows.kept
    lists = [[name_of(value) for value in column.values[row]] if had else [] for row, had in enumerate(given)]
    odd = np.array([not all(names) for names in lists], dtype=bool)
    rows.refuse(odd, "names as 'aspects'", lambda row: quoted(column.values[row]))
    for row in np.flatnonzero(need.present).tolist():
        lists[row].append(need.table[need.values[row]])
    return Names.of_lists(dict.fromkeys(filter(None, names)) for names in lists)


def _labels(rows: Rows) -> Labels | None:
    """The set and the assessor of every row; None if no row has either."""
    columns = rows.take("set"), rows.take("assessor")
    if not any(column.present.any() for column in columns):
        return None
    return Labels(*(np.array([*column.table, ""], dtype=object)[column.values] for column in columns))


def queries_of(rows: Rows, topic: Column, *wordings: Column) -> dict[str, str]:
    """The wording of each topic: the first that a row has."""
    found: dict[str, str] = {}
    for query in reversed(wordings):
        for row in np.flatnonzero(query.present & topic.present & rows.kept).tolist():
            found[topic.table[topic.values[row]]] = str(query.value(row))
    return found


def _fingerprints(rows: Rows, doc: Column) -> dict[str, str]:
    """The fingerprints of documents, where rows have them."""
    column = rows.take("fingerprint")
    given = np.flatnonzero(column.present & doc.present & rows.kept).tolist()
    return {doc.table[doc.values[row]]: column.table[column.values[row]] for row in given}


def _split_off_descriptions(rows: Rows) -> dict[str, Column]:
    """Take the keys of ours that describe a topic out of the rows: those of lines without document or quote.

    If such a line has a query, or a key that is not ours, nothing is assessed in it, and `length`, `score`
    and the like are attributes of the topic.
    """
    named = [rows.columns[key].given for key in ("doc", "quote") if key in rows.columns]
    others = [key for key in rows.columns if key not in ASSESSMENT_KEYS or key == "query"]
    nothing = np.zeros(rows.size, dtype=bool)
    describing = np.logical_or.reduce([nothing, *(rows.columns[key].given for key in others)])
    describing &= ~np.logical_or.reduce([nothing, *named])
    found = {}
    for key in ASSESSMENT_KEYS if describing.any() else ():
        column = rows.columns.get(key)
        if column is not None and key not in ("topic", "query", "line") and (column.given & describing).any():
            found[key], rows.columns[key] = column.split(describing)
    return found


def topic_attributes(rows: Rows, topic: Column, columns: Mapping[str, Column]) -> dict[str, dict[str, str]]:
    """The other values in the rows of each topic, by key; several are joined by commas."""
    found: dict[str, dict[str, list[Any]]] = {}
    for key, column in columns.items():
        for row in np.flatnonzero(column.given & topic.present & rows.kept).tolist():
            values = found.setdefault(topic.table[topic.values[row]], {}).setdefault(key, [])
            values.append(column.value(row))
    return {name: joined_texts(told) for name, told in found.items()}


def joined_texts(told: dict[str, list[Any]]) -> dict[str, str]:
    """The different values of each attribute as text, joined by commas.

    >>> joined_texts({"kind": ["who", "why", "who"], "hops": [2], "odd": [None]})
    {'kind': 'who, why', 'hops': '2'}
    """
    texts = {key: dict.fromkeys(_texts_in(values)) for key, values in told.items()}
    return {key: ", ".join(found) for key, found in texts.items() if found}


def _texts_in(value: Any) -> list[str]:
    """The texts, numbers and flags of an attribute as text; anything else is ignored."""
    if isinstance(value, list | tuple):
        return [text for one in value for text in _texts_in(one)]
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    if isinstance(value, float):
        return [f"{value:g}"]
    return [str(value)] if isinstance(value, str | int) and str(value).strip() else []


def build_chunks(rows: Rows) -> Chunks:
    """Build a list of chunks from the columns doc, start and end."""
    rows.require("doc")
    unit = places_as_ranges(rows, PLACE_KEYS)
    doc = rows.take("doc")
    rows.require("start")
    rows.require("end")
    places = read_places(rows)
    docs = used_names(doc, rows.kept)
    used = rows.kept[places.row]
    ranges = places.start[used], places.end[used]
    return Chunks(docs.table, docs.codes, *ranges, rows.source, unit, rows.notices)
