"""Means for experiment trackers: a flat mapping from plain names to numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from doxeval.core.errors import UsageError

if TYPE_CHECKING:
    from doxeval.scoring.scores import Scores

PLAIN = re.compile(r"[^\w.\-]+", re.ASCII)
"""Characters that every tracker accepts in a name: letters, digits, `_`, `.`, `-`."""


def metric_name(text: str) -> str:
    """The name of a measure or run in a form that MLflow, DVC and Weights & Biases accept.

    >>> [metric_name(name) for name in ("iP@5", "iP[0.01]", "tRBP(p=0.8)@10", "AiP")]
    ['iP_at_5', 'iP_0.01', 'tRBP_p_0.8_at_10', 'AiP']
    """
    return PLAIN.sub("_", text.replace("@", "_at_")).replace("__", "_").strip("_") or "_"


def metrics_of(scores: Scores) -> dict[str, float]:
    """The means by plain names, `run/measure` if there are several runs; undefined ones are left out."""
    found: dict[str, float] = {}
    origin: dict[str, tuple[str, str]] = {}
    for run, _, measure, value in scores.rows(per_topic=False):
        name = metric_name(measure) if len(scores.runs) == 1 else f"{metric_name(run)}/{metric_name(measure)}"
        if name in origin:
            one, other = (" of ".join(pair[::-1]) for pair in (origin[name], (run, measure)))
            raise UsageError(f"{one} and {other} would both be the metric {name!r}; omit one of them")
        origin[name] = run, measure
        if value is None:
            scores.notices.add_names("{count} undefined {mean is|means are} left out of the metrics", [name])
        else:
            found[name] = value
    return found
