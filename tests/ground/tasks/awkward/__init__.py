"""The awkward cases of INEX, and what the official scorer prints for them (see README.md)."""

from __future__ import annotations

import json
import lzma
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

TASKS = {"-t": "thorough", "-f": "focused", "-r": "ric", "-i": "t2i", "-b": "bic"}
RANKS, PERCENTS, TENTHS = (1, 2, 3, 5, 10, 25, 50), range(101), range(11)

Printed = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Awkward:
    """One case: its files as bytes, and for each set of flags what the scorer printed, or why nothing."""

    name: str
    features: tuple[str, ...]
    shape: str
    qrels: bytes = field(repr=False)
    run: bytes = field(repr=False)
    records: dict[str, str | Printed] = field(repr=False)


@cache
def awkward_cases() -> dict[str, Awkward]:
    """All cases by name."""
    found = {}
    with lzma.open(Path(__file__).parent / "cases.jsonl.xz", "rt", encoding="utf-8") as stream:
        for line in stream:
            case = json.loads(line)
            qrels, run = (case[name].encode("latin-1") for name in ("qrels", "run"))
            name, features = case["case"], tuple(case["features"])
            found[name] = Awkward(name, features, case["shape"], qrels, run, case["records"])
    return found


@cache
def figures(flags: str) -> dict[str, str]:
    """Our name for each figure that the scorer prints with some flags."""
    task, *given = flags.split()
    if task in ("-t", "-f"):
        points = {f"iP[{percent / 100:.2f}]": percent for percent in (0, 1, 5, 10)}
        curve = {f"ircl_prn.{percent / 100:.2f}": percent for percent in PERCENTS}
        named = {name: f"iP[{percent / 100:.2f}]" for name, percent in (points | curve).items()}
        whole = {"char_prec": "iP", "char_rec": "iR", "char_f1": "F(beta=1)", "AiP": "AiP", "MAiP": "MAiP"}
        return named | whole
    parameter = dict(pairwise(given))
    beta, irrelevant, distance = (
        parameter.get(flag, usual) for flag, usual in (("-beta", "0.25"), ("-irr", "300"), ("-n", "500"))
    )
    score = {"-r": f"F(beta={beta})", "-i": f"T2I(n={irrelevant})", "-b": f"BEP(n={distance})"}[task]
    at_ranks = {f"gP[{rank}]": f"gP(score={score})@{rank}" for rank in RANKS}
    at_ranks |= {f"gR[{rank}]": f"gR@{rank}" for rank in RANKS}
    curve_of_lists = {
        f"ircl_prn.{tenth / 10:.2f}": f"gP(score={score})[{tenth / 10:.2f}]" for tenth in TENTHS
    }
    return at_ranks | curve_of_lists | {"AgP": f"AgP(score={score})", "MAgP": f"MAgP(score={score})"}


def options(flags: str) -> dict[str, Any]:
    """The options of scoring that mean the same as some flags."""
    task, *given = flags.split()
    return {"task": TASKS[task], "topics": "qrels" if "-c" in given else "run"}
