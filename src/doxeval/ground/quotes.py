"""Answers given as quotes: where they stand in their documents."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.io.locate import locate
from doxeval.tables.assessments import Assessments, Ranges
from doxeval.tables.documents import Documents

SHOWN = 40


def resolve_quotes(assessments: Assessments, documents: Documents) -> Assessments:
    """The assessments with every quote turned into the range of its first occurrence.

    Told: quotes that occur several times, and those not found, whose documents count as assessed.
    """
    quotes = assessments.quotes
    if quotes is None:
        return assessments
    if documents.text is None:
        raise UsageError(
            f"{assessments.source or 'the assessments'}: answers are given as quotes, but the documents were "
            "stored without their text; give the documents themselves"
        )
    notices = Notices(assessments.notices)
    codes = documents.catalogue.find(assessments.docs).codes
    topics = assessments.pair_topic
    text_of = lru_cache(maxsize=8)(documents.text.__getitem__)
    starts, ends, kept = [], [], []
    for row in np.argsort(assessments.pair_doc[quotes.pair], kind="stable").tolist():
        code = int(codes[assessments.pair_doc[quotes.pair[row]]])
        places = locate(text_of(code), quotes.text[row]) if code >= 0 else []
        if len(places) != 1:
            pair = quotes.pair[row]
            where = (
                f"topic {assessments.topics[topics[pair]]}, {assessments.docs[assessments.pair_doc[pair]]}"
            )
            _tell(notices, where, quotes.text[row], len(places))
        if places:
            kept.append(row)
            starts.append(places[0][0])
            ends.append(places[0][1])
    order = np.argsort(kept, kind="stable")
    rows = np.array(kept, dtype=np.int64)[order]
    return replace(
        assessments,
        ranges=assessments.ranges.with_more(
            Ranges(
                quotes.pair[rows],
                np.array(starts, dtype=np.int64)[order],
                np.array(ends, dtype=np.int64)[order],
                quotes.grade[rows],
                None if quotes.aspects is None else quotes.aspects.take(rows),
            )
        ),
        quotes=None,
        notices=notices,
    )


def _tell(notices: Notices, where: str, quote: str, places: int) -> None:
    """Tell of a quote that stands nowhere or in several places."""
    shown = repr(quote if len(quote) <= SHOWN else quote[:SHOWN] + "...")
    if places:
        notices.add(
            "{count} quotes occur several times in their document; the first occurrence is used",
            f"{where}: {shown} {places} times",
        )
    else:
        notices.add(
            "{count} quotes were not found in their document and are left out",
            f"{where}: {shown}",
            lasting=True,
        )
