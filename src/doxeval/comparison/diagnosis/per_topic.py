"""The topics of a diagnosed run, one by one, and those that tell most about a class."""

from __future__ import annotations

import numpy as np

from doxeval.comparison.diagnosis.diagnosis import DiagnosedTopic, Diagnosis
from doxeval.comparison.diagnosis.look import Diagnosed
from doxeval.comparison.diagnosis.near import NO_GAP
from doxeval.comparison.diagnosis.topic_classes import BUDGET, MENDINGS, NAMES


def mending_of(diagnosis: int) -> int | None:
    """The mending that a class asks for; None if it asks for none."""
    return next((at for at, one in enumerate(MENDINGS) if at != BUDGET and diagnosis in one.classes), None)


def telling_order(seen: Diagnosed, diagnosis: int, direction: int) -> np.ndarray:
    """The topics of a class, those first whose mending would bring most, then those with the worst value."""
    here = np.flatnonzero(seen.classes == diagnosis)
    gain = np.nan_to_num(seen.own[here] - seen.value[here], nan=0.0)
    value = np.nan_to_num(direction * seen.value[here], nan=np.inf)
    return here[np.lexsort((here, value, -direction * gain))]


def diagnosed_topics(found: Diagnosis, run: str, seen: Diagnosed) -> list[DiagnosedTopic]:
    """The topics of a run that count."""
    assert seen.showing is not None
    gaps, chances, showing = seen.showing.gap, seen.showing.chance, seen.showing.showing
    rows = []
    for at in np.flatnonzero(seen.classes >= 0).tolist():
        mending = mending_of(int(seen.classes[at]))
        gap = None if gaps is None or gaps[at] == NO_GAP else int(gaps[at])
        rows.append(DiagnosedTopic(
            run, found.topics[at], NAMES[seen.classes[at]], _known(seen.value[at]),
            "" if mending is None else MENDINGS[mending].name, _known(seen.own[at]),
            int(showing.first[at]) or None, int(showing.met[at]), int(showing.needs[at]),
            float(showing.precision[at]), gap, None if chances is None else float(chances[at]),
        ))  # fmt: skip
    return rows


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
