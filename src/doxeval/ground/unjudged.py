"""What a run shows of documents that nobody judged for the topic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from doxeval.core.facts import Facts, once
from doxeval.core.ragged import running_totals
from doxeval.ground.aligned import Aligned


@once
def unjudged(topics: Aligned) -> Aligned:
    """The same results, as if what they show of unjudged documents were relevant, and nothing else."""
    open_to_judgement, docs = topics.pair < 0, max(1, len(topics.run.docs))
    article, code = np.unique(topics.article[open_to_judgement], return_inverse=True)
    pair = np.full(len(topics), -1, dtype=np.int64)
    pair[open_to_judgement] = code
    of_span = pair[topics.result]
    shown = (of_span >= 0) & (topics.end > topics.start)
    assessments = replace(
        topics.ground.assessments, docs=topics.run.docs, pair_doc=article % docs,
        pair_offset=running_totals(np.bincount(article // docs, minlength=len(topics.count))),
    )  # fmt: skip
    ground = replace(
        topics.ground, assessments=assessments, unit_pair=of_span[shown], unit_start=topics.start[shown],
        unit_end=topics.end[shown], facts=Facts(),
    )  # fmt: skip
    return replace(topics, ground=ground, pair=pair, facts=Facts())
