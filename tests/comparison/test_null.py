"""P-values are uniform where nothing differs: a simulation, run on demand with `make study-null`."""

from __future__ import annotations

import pytest

from doxeval.lab.studies.error_rates import simulate_null

pytestmark = pytest.mark.simulation


def test_tests_reject_as_often_as_they_say() -> None:
    found = simulate_null(experiments=10_000, topics=40, draws=2_000, seed=1)
    print(found.table().plain())
    for name in ("randomisation", "t", "wilcoxon", "bootstrap"):
        for level in (0.01, 0.05, 0.1, 0.5):
            error = 4 * (level * (1 - level) / 10_000) ** 0.5
            assert found.rejected(name, level) == pytest.approx(level, abs=error + 0.005)
    for name in ("sign", "tukey (smallest p)"):
        for level in (0.01, 0.05, 0.1):
            assert found.rejected(name, level) <= level + 4 * (level * (1 - level) / 2_500) ** 0.5
