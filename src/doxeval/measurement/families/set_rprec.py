"""R-precision of documents where a topic can be answered by any one of several sets of them."""

from __future__ import annotations

import numpy as np

from doxeval.core.ragged import Ragged
from doxeval.core.strings import encode
from doxeval.ground.aligned import Aligned


def best_precision(aligned: Aligned, least: int, plain: np.ndarray) -> np.ndarray:
    """For each topic the largest R-precision over its sets; `plain` for topics whose places name no set.

    R is the number of documents of the set that have the `least` grade; those without a set belong to all.
    """
    ground = aligned.ground
    assert ground.unit_labels is not None
    counts = np.ceil(ground.pair_grade)[ground.unit_pair] >= least
    _, code = encode(["", *ground.unit_labels.set[counts].tolist()])
    pair = ground.unit_pair[counts]
    topic = ground.assessments.pair_topic[pair]
    by_topic, pair, code = Ragged.gathered(topic, len(ground.topics), pair, code[1:])
    first = aligned.openings
    ranked, opened = Ragged.of_rows(aligned.topic[first], len(aligned.count)), aligned.pair[first]
    values = plain.copy()
    for number in np.unique(by_topic.row[code > 0]).tolist():
        docs, names = pair[by_topic.slice(number)], code[by_topic.slice(number)]
        sets = [np.unique(docs[(names == name) | (names == 0)]) for name in np.unique(names[names > 0])]
        read = opened[ranked.slice(number)]
        values[number] = max(np.isin(read[: len(held)], held).sum() / len(held) for held in sets)
    return values
