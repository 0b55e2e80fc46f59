"""What the measures of graded elements share: what each consulted element is worth."""

from __future__ import annotations

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.ground.aligned import Aligned
from doxeval.measurement.base import Measure
from doxeval.reader.ideals.consulted import consulted
from doxeval.reader.ideals.elements import Elements, assessed_elements


def degrees(measure: Measure, topics: Aligned, quantisation: str, by_code: bool = False) -> Elements:
    """The assessed elements with degrees of relevance, from 0 to 1."""
    elements = assessed_elements(topics.ground, measure.given.ideals, quantisation, by_code)
    if (elements.value > 1).any():
        topic = topics.ground.topics[elements.topic[np.argmax(elements.value)]]
        raise UsageError(
            f"topic {topic!r}: a node is worth {elements.value.max():g}, but {measure.name} takes values as "
            "degrees of relevance, from 0 to 1"
        )
    return elements


def consulted_values(topics: Aligned, elements: Elements) -> np.ndarray:
    """What each consulted node is worth; 0 where it was not assessed, or consulted before."""
    read = consulted(topics)
    at = elements.find(read.pair, read.node)
    known = (at >= 0) & read.fresh
    values = np.zeros(len(at))
    values[known] = elements.value[at[known]]
    return values
