"""Results that look like the answer but hold none of it."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.core.facts import once
from doxeval.core.naming import some
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.ground.wording import piece_of, require_text, retrieved_texts

TELLING = re.compile(r"\w{4,}")
"""Words of four or more letters or digits; shorter ones occur in any text."""
NEEDS = "recognising distractors needs"


def words(text: str) -> set[str]:
    """The characteristic words of a text, in lower case."""
    return {word.casefold() for word in TELLING.findall(text)}


@once
def wanted_words(ground: Ground) -> list[set[str]]:
    """For each topic the words of its relevant text."""
    texts, pairs = require_text(ground, NEEDS), ground.assessments
    found: list[set[str]] = [set() for _ in ground.topics]
    _, start, end = ground.relevant
    for pair, first, last in zip(ground.relevant_by_pair.row.tolist(), start, end, strict=True):
        doc = int(pairs.pair_doc[pair])
        if ground.doc_index[doc] < 0:
            raise UsageError(
                f"{NEEDS} the words of the relevant text, but {pairs.docs[doc]!r} is not among the documents "
                f"given, which are named {some(ground.documents.ids if ground.documents else [])}"
            )
        found[pairs.pair_topic[pair]] |= words(piece_of(ground, texts[ground.doc_index[doc]], first, last))
    return found


@once
def distracting(aligned: Aligned, alike: Fraction) -> np.ndarray:
    """Which results show nothing relevant, but at least the share `alike` of the relevant words."""
    wanted, texts = wanted_words(aligned.ground), dict(retrieved_texts(aligned, NEEDS))
    found = np.zeros(len(aligned), dtype=bool)
    for result in np.flatnonzero((aligned.relevant == 0) & (aligned.size > 0)).tolist():
        spans, text = aligned.spans.slice(result), texts[int(aligned.doc[result])]
        extents = zip(aligned.start[spans], aligned.end[spans], strict=True)
        shown = [piece_of(aligned.ground, text, *extent) for extent in extents]
        if aligned.added is not None:
            shown.append(aligned.added[result])
        aim = wanted[aligned.topic[result]]
        held = len(aim & words(" ".join(shown)))
        found[result] = held > 0 and held >= alike * len(aim)
    return found
