"""Where measures, models and scores are: tables find them without loading all others, and say the truth."""

from __future__ import annotations

import subprocess
import sys

import pytest

from doxeval.core.registry import Registry
from doxeval.measurement.base import MEASURES
from doxeval.reader.effort.score import DOCUMENT_SCORES
from doxeval.reader.navigation.model import NAVIGATIONS


@pytest.mark.parametrize("registry", [MEASURES, NAVIGATIONS, DOCUMENT_SCORES], ids=lambda one: one.kind)
def test_everything_is_where_the_table_says(registry: Registry) -> None:
    own = [kind for kind in registry.all().values() if kind.__module__.startswith(f"{registry.package}.")]
    found = {name: kind.__module__.rpartition(".")[2] for kind in own for name in registry.names_of(kind)}
    assert {name: registry.homes.get(name, name.casefold()) for name in found} == found
    assert registry.homes.keys() <= found.keys()


@pytest.mark.parametrize(
    ("measure", "not_loaded"), [("ESRP@5", "patience"), ("MAiP", "near_misses"), ("tU", "aip")]
)
def test_no_more_is_loaded_than_the_measure_asked_for(measure: str, not_loaded: str) -> None:
    code = (
        "import sys; from doxeval.measurement.base import measure_named; "
        f"measure_named({measure!r}); sys.exit('doxeval.measurement.{not_loaded}' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
