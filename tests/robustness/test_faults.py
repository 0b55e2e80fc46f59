"""Some faults of every kind, on commands at random; `make faults` tries a hundred of each."""

from __future__ import annotations

import os

import pytest

from tests.robustness.faults import COMMANDS, FAULTS, Faults
from tests.robustness.serving_faults import SERVING

SOME = ("eval", "eval, Parquet and a store", "plot", "index", "convert", "validate")


@pytest.fixture(scope="module")
def faults(tmp_path_factory):
    return Faults(tmp_path_factory.mktemp("faults"), seed=7, names=SOME)


@pytest.mark.parametrize("fault", [*FAULTS, *SERVING])
def test_faults_do_no_harm(faults, fault):
    faults.inject(fault, int(os.environ.get("DOXEVAL_FAULTS", "3" if fault in FAULTS else "1")))
    assert not [wrong for wrong in faults.wrong if wrong.startswith(fault)]


def test_every_command_is_disturbed():
    from doxeval.cli import COMMANDS as commands

    missing = set(commands) ^ {name.partition(",")[0].split()[0] for name in COMMANDS}
    assert not missing, (
        f"COMMANDS in tests/robustness/faults.py has a line for each command, not for {missing}"
    )
