"""Where measures are: the table that finds them without loading all others says the truth."""

from __future__ import annotations

import subprocess
import sys

import pytest

from doxeval.measurement.base import HOMES, MEASURES, measures

OWN = {kind for kind in measures().values() if kind.__module__.startswith("doxeval.measurement.")}


def test_every_measure_is_where_the_table_says() -> None:
    stated = {name: module for module, names in HOMES.items() for name in names.split()}
    found = {name: kind.__module__.rpartition(".")[2] for kind in OWN for name in MEASURES.names_of(kind)}
    assert {name: stated.get(name, name.casefold()) for name in found} == found
    assert stated.keys() <= found.keys()


@pytest.mark.parametrize(
    ("measure", "not_loaded"), [("ESRP@5", "tu"), ("MAiP", "near_misses"), ("tU", "aip")]
)
def test_no_more_is_loaded_than_the_measure_asked_for(measure: str, not_loaded: str) -> None:
    code = (
        "import sys; from doxeval.measurement.base import measure_named; "
        f"measure_named({measure!r}); sys.exit('doxeval.measurement.{not_loaded}' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
