"""How much do rankings depend on the navigation model? Measures under several models, correlated."""

from __future__ import annotations

from collections.abc import Sequence

from doxeval.comparison.correlation import Correlation, correlate
from doxeval.core.errors import UsageError
from doxeval.scoring.scores import Scores
from doxeval.scoring.under_models import takes_model, with_model


def sensitivity(
    scores: Scores,
    measure: str,
    models: Sequence[str],
    coefficient: str = "tau",
    samples: int = 1000,
    seed: int = 0,
) -> Correlation:
    """How one measure's ranking under each model agrees with those under the others."""
    if not takes_model(measure):
        raise UsageError(f"{measure!r} takes no navigation model, or names one already")
    names = [with_model(measure, model) for model in models]
    return correlate(scores, coefficient, names, names, samples=samples, seed=seed)
