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


def own_mended(seen: Diagnosed) -> np.ndarray:
    """The value of each topic with what its class asks for mended; NaN where that is nothing."""
    found = np.full(len(seen.classes), np.nan)
    for at, mending in enumerate(MENDINGS):
        if at != BUDGET:
            here = np.isin(seen.classes, mending.classes)
            found[here] = seen.mended[at, here]
    return found


def telling_order(seen: Diagnosed, diagnosis: int, direction: int) -> np.ndarray:
    """The topics of a class, those first whose mending would bring most, then those with the worst value."""
    here = np.flatnonzero(seen.classes == diagnosis)
    gain = np.nan_to_num(own_mended(seen)[here] - seen.value[here], nan=0.0)
    value = np.nan_to_num(direction * seen.value[here], nan=np.inf)
    return here[np.lexsort((here, value, -direction * gain))]


def diagnosed_topics(found: Diagnosis, run: str, seen: Diagnosed) -> list[DiagnosedTopic]:
    """The topics of a run that count."""
    mended = own_mended(seen)
    rows = []
    for at in np.flatnonzero(seen.classes >= 0).tolist():
        mending = mending_of(int(seen.classes[at]))
        gap = None if seen.gap is None or seen.gap[at] == NO_GAP else int(seen.gap[at])
        rows.append(DiagnosedTopic(
            run, found.topics[at], NAMES[seen.classes[at]], _known(seen.value[at]),
            "" if mending is None else MENDINGS[mending].name, _known(mended[at]),
            int(seen.first[at]) or None, int(seen.met[at]), int(seen.needs[at]), float(seen.precision[at]),
            gap, None if seen.chance is None else float(seen.chance[at]),
        ))  # fmt: skip
    return rows


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
