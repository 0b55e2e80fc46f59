"""Quantisations: the worth of INEX codes, on both scales, by name or from a user's file.

Scales: `ExSy` (exhaustivity and specificity from 0 to 3, INEX 2003-05) and a digit with a letter (relevance
from 0 to 3 with coverage E exact, L too large, S too small, N none, INEX 2002).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from doxeval.core.errors import InputError, UsageError, nearest
from doxeval.core.values import number_in
from doxeval.io.inputs import is_input
from doxeval.io.source import Source

EX_SPEC = [f"E{exhaustivity}S{specificity}" for exhaustivity in range(4) for specificity in range(4)]
COVERAGE = [f"{relevance}{letter}" for relevance in range(4) for letter in "ELSN"]
SHARE_COVERED = {"E": 1.0, "S": 1.0, "L": 1 / 3, "N": 0.0}
GENERALISED = {
    1.0: "E3S3 3E",
    0.75: "E2S3 E3S2 E3S1 2E 3L 3S",
    0.5: "E1S3 E2S2 E2S1 1E 2L 2S",
    0.25: "E1S1 E1S2 1L 1S",
}
SIR_RELEVANCE = {1.0: "E3S3 3E", 0.5: "E2S3 2E", 0.25: "E1S3 1E"}


def _inverted(table: dict[float, str]) -> dict[str, float]:
    return {code: value for value, codes in table.items() for code in codes.split()}


QUANTISATIONS: dict[str, dict[str, float]] = {
    "strict": {"E3S3": 1.0, "3E": 1.0},
    "gen": _inverted(GENERALISED),
    "spec": {code: int(code[3]) / 3 for code in EX_SPEC}
    | {code: SHARE_COVERED[code[1]] for code in COVERAGE},
    "exh": {code: int(code[1]) / 3 for code in EX_SPEC} | {code: int(code[0]) / 3 for code in COVERAGE},
    "err": _inverted(SIR_RELEVANCE),
}
"""By name; a code that is not listed is worth 0.

`strict`, `gen`: INEX's strict and generalised quantisations (PRUM C.1, ERR Table 1). `exh`, `spec`: one
dimension alone, its grade / 3 (PRUM C.2); on the 2002 scale `exh` uses the digit, `spec` the coverage (exact
and too small are about the topic throughout, too large counts a third: our choice). `err`: the chance of
relevance of ERR section 3.4, with full specificity as exact coverage.
"""


def quantisation_named(name: str) -> dict[str, float]:
    """A quantisation by its name, or from a file of lines `code,value`."""
    if name in QUANTISATIONS:
        return QUANTISATIONS[name]
    if not is_input(name):
        raise UsageError(
            f"unknown quantisation {name!r}{nearest(name, QUANTISATIONS)} (known: "
            f"{', '.join(QUANTISATIONS)}; or the name of a file with lines such as E3S3,1)"
        )
    return read_quantisation(name)


def read_quantisation(path: str) -> dict[str, float]:
    """Read lines `code,value`; empty lines, a heading `code,value` and comments after # are ignored."""
    with Source(path) as source:
        return _quantisation(source)


def _quantisation(source: Source) -> dict[str, float]:
    known, path = [*EX_SPEC, *COVERAGE], source.name
    table: dict[str, float] = {}
    for number, line in enumerate(source.read().decode(errors="replace").split("\n"), start=1):
        text = line.partition("#")[0].strip()
        if not text or text.replace(" ", "").lower() == "code,value":
            continue
        code, _, value = (part.strip() for part in text.partition(","))
        if code.upper() not in known:
            hint = nearest(code, known)
            raise InputError(f"{path}:{number}: expected a code such as E2S3 or 3E, found {code!r}{hint}")
        if code.upper() in table:
            raise InputError(f"{path}:{number}: {code} already has a value")
        worth = number_in(value)
        if worth is None:
            raise InputError(f"{path}:{number}: expected a number after the comma, found {value!r}")
        if not 0 <= worth < float("inf"):
            raise InputError(f"{path}:{number}: expected a value of at least 0, found {value}")
        table[code.upper()] = worth
    if not table:
        raise InputError(f"{path}: expected lines such as E3S3,1, found none")
    return table


def quantise(codes: Sequence[str], name: str) -> np.ndarray:
    """The worth of each code; 0 for no code."""
    table = quantisation_named(name)
    return np.array([table.get(code, 0.0) for code in codes], dtype=np.float64)


def coverage_of(code: str) -> str:
    """The coverage of a code: its letter, or E for full specificity, L for less, N for none.

    A node judged by a plain value, without a code, has exact coverage.

    >>> [coverage_of(code) for code in ("3S", "E2S3", "E2S1", "E0S0", "")]
    ['S', 'E', 'L', 'N', 'E']
    """
    if code[:1] == "E":
        return {"3": "E", "0": "N"}.get(code[3], "L")
    return code[1:] or "E"


def specificity_of(code: str) -> float:
    """The share of a node's text that is relevant by its code; 1 without a code.

    >>> [specificity_of(code) for code in ("E3S3", "E1S0", "3E", "3N", "")]
    [1.0, 0.0, 1.0, 0.0, 1.0]
    """
    return QUANTISATIONS["spec"].get(code, 1.0)
