"""Documents that belong to topics: the same name in two topics may be two documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from doxeval.core.ragged import Ragged
from doxeval.core.strings import Strings, encode
from doxeval.tables.assessments import UNKNOWN, Assessments
from doxeval.tables.runs import Run

NameIn = Callable[[str, str], str]
"""The document that a name means in a topic: from the names of both to its own name."""


def run_by_topic(run: Run, name_in: NameIn) -> Run:
    """The run with each document under its own name in the topic of the result."""
    width = max(1, len(run.docs))
    keys, code = np.unique(run.topic.astype(np.int64) * width + run.doc, return_inverse=True)
    names = [name_in(run.topics[key // width], run.docs[key % width]) for key in keys.tolist()]
    table, distinct = encode(names)
    reach = None
    if run.reach is not None:
        reach = np.zeros(len(table), dtype=np.int64)
        np.maximum.at(reach, distinct, run.reach[keys % width])
    return replace(run, docs=Strings.of(table), doc=distinct[code], reach=reach)


def assessments_by_topic(assessments: Assessments, name_in: NameIn) -> Assessments:
    """The assessments with each document under its own name in its topic."""
    topics, docs = assessments.pair_topic.tolist(), assessments.pair_doc.tolist()
    names = [
        name_in(assessments.topics[topic], assessments.docs[doc])
        for topic, doc in zip(topics, docs, strict=True)
    ]
    table, code = encode(names)
    order = np.lexsort((code, assessments.pair_topic))
    pair = np.empty(len(order), dtype=np.int64)
    pair[order] = np.arange(len(order))
    length = np.full(len(table), UNKNOWN, dtype=np.int64)
    np.maximum.at(length, code, assessments.length[assessments.pair_doc])
    marks = assessments.fingerprints
    return replace(
        assessments,
        docs=table,
        pair_offset=Ragged.of_rows(assessments.pair_topic[order], len(assessments.topics)).offset,
        pair_doc=code[order].astype(np.int32),
        bep=assessments.bep[order],
        floor=None if assessments.floor is None else assessments.floor[order],
        length=length,
        fingerprints={
            name: marks[assessments.docs[doc]]
            for name, doc in zip(names, docs, strict=True)
            if assessments.docs[doc] in marks
        },
        **{
            part: replace(judged, pair=pair[judged.pair])
            for part in ("ranges", "nodes", "quotes", "optional")
            if (judged := getattr(assessments, part)) is not None
        },
    )
