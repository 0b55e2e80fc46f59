"""Citations of answers as a run: is each one real, and was the right text cited?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from doxeval import (
    Documents,
    Evaluation,
    InputError,
    Notices,
    Run,
    Scores,
    ScoringOptions,
    Table,
    UsageError,
    read_documents,
    read_run,
)
from doxeval.core.phrases import percent
from doxeval.core.progress import each
from doxeval.core.records import rendered
from doxeval.core.table import shown as number
from doxeval.core.values import is_several
from doxeval.extend import Ground, Measures, Readable, Source, align, json_at, run_as_ranges
from doxeval.io.placing.library import library_of
from doxeval.measurement.listed import listed_measures
from doxeval.rag.citations import CITATION_KINDS, Checker, CitableResult, Cited, citations_of
from doxeval.scoring.evaluation import NavigationModels

MEASURES_OF_CITATIONS = "iP iR NearMisses(nav=readon(mean=200))"
CITATION_COLUMNS = ("topic", "kind", "level", "quote", "results", "source", "doc", "start", "end")


@dataclass(eq=False, repr=False)
class Citations(Readable):
    """All citations, the `run` of what was cited, and its `scores` if there is gold.

    `used` is the share of the retrieved text that was cited, `evidence` that of the relevant text in it
    (None if there is none, or no gold).
    """

    cited: list[Cited]
    run: Run
    used: float | None
    evidence: float | None = None
    scores: Scores | None = None
    notices: Notices = field(default_factory=Notices)

    @property
    def counts(self) -> dict[str, int]:
        """How many citations are of each kind."""
        found = Counter(one.kind for one in self.cited)
        return {kind: found[kind] for kind in CITATION_KINDS}

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row per citation and range, as :data:`CITATION_COLUMNS`; places are empty if there are none."""
        nowhere: list[tuple[Any, ...]] = [("", None, None)]
        rows = (
            (
                citation.topic,
                citation.kind,
                citation.level,
                citation.quote,
                " ".join(map(str, citation.numbers)),
                citation.source,
                *place,
            )
            for citation in self.cited
            for place in [(doc, *span) for doc, spans in citation.places for span in spans] or nowhere
        )
        return [dict(zip(CITATION_COLUMNS, row, strict=True)) for row in rows]

    @property
    def tables(self) -> list[Table]:
        """How many citations are of which kind, how much of the retrieved text was cited, and the scores."""
        total = max(1, len(self.cited))
        kinds = [[kind, str(count), percent(count / total)] for kind, count in self.counts.items()]
        body = [["retrieved text that was cited", number(self.used)]]
        if self.scores is not None:
            body.append(["relevant retrieved text that was cited", number(self.evidence)])
            body += [[name, number(self.scores[name])] for name in self.scores.measures]
        told = Table(["what was cited", ""], body, notices=self.notices)
        return [Table(["citations", "", ""], kinds), told]

    def rendered(self, format: str = "table") -> bytes:
        """All tables in a format for tables, or a row per citation as `csv`, `jsonl`, `json` or `parquet`."""
        return rendered(format, lambda: self.rows, lambda: self.tables, CITATION_COLUMNS)


def cite(
    answers: Any,
    run: Any,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    **options: Unpack[ScoringOptions],
) -> Citations:
    """Check the citations of answers against the documents, and score what was cited against assessments.

    `answers` is a file of JSON Lines, or a list of dicts, with `topic` and `answer`: a text with quotes
    (between quotation marks, at least three words) and marks such as [2], which name results of the topic in
    `run`, counted from 1; or with `citations`, each with `quote`, `result` (a rank) or `doc`, or an object
    of a model provider's citation interface. Marks are of the styles ``[2]``, ``[^2]``, ``(Source 2)``,
    ``【2†source】``, ``[file.txt]`` and ``<cite>2</cite>``; others are reported. The `documents` are always
    needed; with `assessments`, the text cited is scored, too. No model is called.

    >>> documents = {"lease": "The deposit is two months of rent. Dogs are welcome."}
    >>> run = [{"topic": "q", "doc": "lease", "rank": 1, "start": 0, "end": 34}]
    >>> answer = 'It is "two months of rent" [1], and "payable in gold coins" [1].'
    >>> cite([{"topic": "q", "answer": answer}], run, documents=documents).counts
    {'real': 1, 'altered': 0, 'stitched': 0, 'misattributed': 0, 'made up': 1}
    """
    if documents is None:
        raise UsageError("citations are looked for in the documents; give them, as documents=")
    collection = read_documents(documents)
    retrieved = run_as_ranges(read_run(run), collection)
    unclear: list[str] = []
    cited = [one for where, row in _answers(answers) for one in citations_of(row, where, unclear)]
    notices = Notices(retrieved.notices)
    notices.add_each(
        "{count} {mark in the answers is|marks in the answers are} no citation of a style that is known",
        unclear,
        harmless=True,
        lasting=True,
    )
    if not cited:
        notices.add("the answers contain no citations", lasting=True)
    checker = Checker(library_of(collection), collection.ids, _shown(retrieved, collection))
    sources = [one.source for one in cited]
    codes = collection.catalogue.find(sources).codes.tolist()
    for one, code in each(zip(cited, codes, strict=True), "checking citations", len(cited)):
        checker.check(one, code if one.source else -1)
    found = _run_of(cited, retrieved)
    result = Citations(cited, found, _share(found, _ranges(retrieved), collection), notices=notices)
    if assessments is not None:
        evaluation = Evaluation(
            assessments, listed_measures(measures) or MEASURES_OF_CITATIONS, collection, navigation, **options
        )
        result.scores = evaluation.score(found)
        result.evidence = _share(found, _evidence(evaluation.ground, retrieved), collection)
        notices.extend(result.scores.notices)
    return result


def _answers(given: Any) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """Answers with their places; an error if a row is not an answer."""
    if isinstance(given, str | Path):
        with Source(given) as source:
            lines = source.read().split(b"\n")
        numbered = [(f"{given}:{at}", line) for at, line in enumerate(lines, 1) if line.strip()]
        rows = [(where, json_at(where, line)) for where, line in numbered]
    elif not is_several(given):
        raise InputError(f"expected answers: a path or a list of dicts, found {type(given).__name__}")
    else:
        rows = [(f"answer {at}", row) for at, row in enumerate(given, 1)]
    for where, row in rows:
        if not isinstance(row, Mapping):
            raise InputError(f'{where}: expected {{"topic": ..., "answer": ...}}, found {type(row).__name__}')
    return rows


def _reading_order(run: Run) -> np.ndarray:
    """The rows of a run by topic, as a reader meets them."""
    key = np.zeros(len(run)) if run.score is None else -np.asarray(run.score)
    key = key if run.rank is None else run.rank
    return np.lexsort((np.arange(len(run)), key, run.topic))


def _shown(run: Run, documents: Documents) -> dict[str, list[CitableResult]]:
    """The results of each topic, in order."""
    codes = documents.codes(run.docs)
    found: dict[str, list[CitableResult]] = {}
    for row in _reading_order(run).tolist():
        shown = CitableResult(int(codes[run.doc[row]]), run.spans_of(row))
        found.setdefault(run.topics[run.topic[row]], []).append(shown)
    return found


def _ranges(run: Run) -> list[dict[str, Any]]:
    """All ranges of a run as assessments of its topics."""
    return [
        {"topic": run.topics[run.topic[row]], "doc": run.docs[run.doc[row]], "start": start, "end": end}
        for row in range(len(run)) for start, end in run.spans_of(row) if end > start
    ]  # fmt: skip


def _evidence(ground: Ground, run: Run) -> list[dict[str, Any]]:
    """The relevant text that a run shows, as assessments."""
    pairs = ground.assessments
    with closing(align(run, ground)) as aligned:
        cut = aligned.stretches
        return [
            {"topic": pairs.topics[pairs.pair_topic[pair]], "doc": pairs.docs[pairs.pair_doc[pair]],
             "start": int(start), "end": int(end)}
            for pair, start, end, first, weight in zip(
                cut.pair, cut.start, cut.end, cut.first, cut.weight, strict=True
            )
            if first >= 0 and weight
        ]  # fmt: skip


def _run_of(cited: list[Cited], retrieved: Run) -> Run:
    """A run of what was cited, in the order of the answers; topics without citations stay in as asked."""
    ranks: Counter[str] = Counter()
    rows: list[dict[str, Any]] = []
    for one in cited:
        for doc, spans in one.places:
            ranks[one.topic] += 1
            rows.append({"topic": one.topic, "doc": doc, "rank": ranks[one.topic],
                         "spans": [list(span) for span in spans]})  # fmt: skip
    topics = dict.fromkeys([*retrieved.topics, *(one.topic for one in cited)])
    return read_run([*rows, *({"topic": topic} for topic in topics if not ranks[topic])], name="cited")


def _share(cited: Run, ranges: list[dict[str, Any]], documents: Documents) -> float | None:
    """The mean, over topics, of the share of some ranges that was cited; None if there are none."""
    if not ranges:
        return None
    return Evaluation(ranges, "iR", documents).score(cited)["iR"]
