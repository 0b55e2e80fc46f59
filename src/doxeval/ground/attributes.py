"""Attributes of topics from the documents that hold their relevant text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from doxeval.io.formats.build_tables import joined_texts

if TYPE_CHECKING:
    from doxeval.ground.ground import Ground


def attributes_of_documents(ground: Ground) -> dict[str, dict[str, str]]:
    """For each topic the metadata of the documents in which something is relevant to it."""
    assessments, documents = ground.assessments, ground.documents
    assert documents is not None
    values: dict[str, dict[str, list[Any]]] = {}
    for pair in np.flatnonzero(ground.pair_grade > 0).tolist():
        topic, doc = assessments.topics[assessments.pair_topic[pair]], assessments.pair_doc[pair]
        if (code := int(ground.doc_index[doc])) >= 0:
            for name, value in documents.told_of(code).items():
                values.setdefault(topic, {}).setdefault(name, []).append(value)
    return {topic: joined_texts(told) for topic, told in values.items()}
