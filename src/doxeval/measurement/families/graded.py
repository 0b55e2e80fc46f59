"""What the measures of graded elements share: what each consulted element is worth."""

from __future__ import annotations

import numpy as np

from doxeval.core.errors import UsageError
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.measurement.families.navigating import ElementMeasure
from doxeval.reader.consulted import consulted
from doxeval.reader.units import Elements


class GradedMeasure(ElementMeasure):
    """A measure that takes what elements are worth as degrees of relevance, or chances of it, from 0 to 1."""

    def prepare(self, ground: Ground) -> None:
        super().prepare(ground)
        elements = self.elements(ground)
        if (elements.value > 1).any():
            topic = ground.topics[elements.topic[np.argmax(elements.value)]]
            raise UsageError(
                f"topic {topic!r}: a node is worth {elements.value.max():g}, but {self.name} takes values as "
                "degrees of relevance, from 0 to 1"
            )


def consulted_values(topics: Aligned, elements: Elements) -> np.ndarray:
    """What each consulted node is worth; 0 where it was not assessed, or consulted before."""
    read = consulted(topics)
    at = elements.find(read.pair, read.node)
    known = (at >= 0) & read.fresh
    values = np.zeros(len(at))
    values[known] = elements.value[at[known]]
    return values
