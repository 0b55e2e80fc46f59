r"""The effects of parameters of runs on a measure, all else being equal, and of two together.

Runs that agree in all other parameters are a block; a block counts if it has every value of the parameter.
m_v is the mean over the blocks of the runs with value v, and the effect is the largest difference m_v - m_w.
For two parameters, blocks agree in all others and have every pair of values, c_vw is the mean of a pair, and
the interaction is the largest of (c_vw - c_v'w) - (c_vw' - c_v'w'): how much more one change brings with one
value of the other parameter than with another. Both are contrasts of runs in every topic, so that intervals
resample topics. The share that an effect explains is that of the variance between the runs in its blocks: the
mean of (m_v - m)^2 over that of (y - m)^2; for an interaction with c_vw - c_v - c_w + m in place of m_v - m.
In a complete design, the shares of all effects and interactions add up to 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any, Unpack

import numpy as np

from doxeval.comparison.difference import directions
from doxeval.comparison.intervals import INTERVALS
from doxeval.comparison.paired import DRAWS
from doxeval.comparison.render import p_shown
from doxeval.comparison.tests import TESTS
from doxeval.core.errors import UsageError
from doxeval.core.notices import Notices
from doxeval.core.options import ScoringOptions
from doxeval.core.phrases import percent, stated
from doxeval.core.records import Records
from doxeval.core.run_labels import TAKEN_AMOUNTS
from doxeval.core.run_parameters import varying
from doxeval.core.strings import natural_key
from doxeval.core.table import Table
from doxeval.measurement.base import Measures
from doxeval.scoring.evaluation import NavigationModels
from doxeval.scoring.inputs import scores_given

TEST = "randomisation"
BY_CHANCE = 0.05


@dataclass(frozen=True)
class ParameterEffect:
    """The effect of a parameter on a measure, or of two `with_parameter` together.

    `better` and `worse` are the values that differ most, `effect` is their difference in the measure, which
    is negative where lower is better, `share` the part of the variance between runs that it explains. `p` is
    that of a paired randomisation test, times the number of differences that could have been the largest.
    """

    measure: str
    parameter: str
    with_parameter: str
    better: str
    worse: str
    effect: float
    low: float
    high: float
    p: float
    share: float
    runs: int
    topics: int

    @property
    def named(self) -> str:
        """The parameter, or both."""
        return f"{self.parameter} × {self.with_parameter}" if self.with_parameter else self.parameter


@dataclass(eq=False, repr=False)
class Effects(Records):
    """Effects of parameters by measures, the largest first; `frame` is a polars frame of them."""

    means: list[ParameterEffect]
    confidence: float
    draws: int
    seed: int
    notices: Notices = field(default_factory=Notices)

    @property
    def table(self) -> Table:
        """A row per measure and parameter, or pair of parameters."""
        body = [
            [one.measure, one.named, one.better, one.worse, f"{one.effect:+.4f}",
             f"[{one.low:+.4f}, {one.high:+.4f}]", p_shown(one.p), percent(one.share), str(one.runs)]
            for one in self.means
        ]  # fmt: skip
        header = ["measure", "parameter", "better", "worse", "effect", f"{stated(self.confidence)} interval"]
        footer = [
            "effect: the largest difference between values, all other parameters being equal; of a × b: how "
            "much more the first a brings over the second with the first b than with the second",
            "explains: share of the variance between runs; p: randomisation test, corrected for the "
            f"differences to choose from, {self.draws:,} draws from seed {self.seed}",
        ]
        return Table([*header, "p", "explains", "runs"], body, 4, footer, "Effects", self.notices, keys=2)

    @property
    def sentences(self) -> list[str]:
        """Sentences on what matters, one for each measure."""
        said = []
        for measure in dict.fromkeys(one.measure for one in self.means):
            alone = [one for one in self.means if one.measure == measure and not one.with_parameter]
            parts = [
                f"{one.parameter} {one.effect:+.4f} ({one.better} over {one.worse}"
                f"{'' if one.p < BY_CHANCE else '; may be chance'})"
                for one in alone
            ]
            said.append(f"What moves {measure}, all else being equal: {', '.join(parts)}.")
        return said


def effects(
    runs: Any,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    *,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
    **options: Unpack[ScoringOptions],
) -> Effects:
    """The effect of every parameter of runs on each measure, and of every two together, paired by topic.

    `runs` are scores, or runs with what :func:`doxeval.evaluate` needs to score them. Parameters come from
    the head of a run, from `runs.csv` beside it, or from names. Only runs that differ in nothing else are
    compared; a parameter for which there are none is left out and named.

    >>> answers = [{"topic": t, "doc": "d", "start": 0, "end": 8} for t in "abc"]
    >>> def run(size, rank):
    ...     head = {"run": "", "parameters": {"size": size, "rank": rank}}
    ...     return [head, *(row | {"rank": 1, "end": size * rank} for row in answers)]
    >>> found = effects({f"{s}{r}": run(s, r) for s in (2, 4) for r in (1, 2)}, answers, "iR@1", draws=100)
    >>> [(one.named, one.better, one.worse, one.effect) for one in found.means]
    [('size', '4', '2', 0.375), ('rank', '2', '1', 0.375), ('size × rank', '4, 2', '2, 1', 0.25)]
    """
    scores = scores_given(runs, assessments, measures, documents, navigation, options)
    columns = {name: of for name, of in varying(scores.parameters).items() if name not in TAKEN_AMOUNTS}
    if not columns:
        raise UsageError(
            "the runs have no parameters that vary; tell them in runs.csv beside the files (columns run, and "
            "one for each parameter), or at the head of each run"
        )
    if scores.summed:
        summed = ", ".join(name for name in scores.measures if name in scores.summed)
        raise UsageError(f"effects are those on means, but {summed} is summed over topics")
    notices = Notices(scores.notices)
    signs = directions(scores)
    designs = [
        (names, cells)
        for size in (1, 2)
        for names in combinations(columns, size)
        if (cells := _cells(columns, names)) is not None
    ]
    _tell_left_out(columns, designs, notices)
    found = []
    for at, measure in enumerate(scores.measures):
        values = np.array([run.values[at] for run in scores.runs])
        of_measure = [
            one
            for design in designs
            if (one := _effect(measure, *design, values, int(signs[at]), confidence, draws, seed)) is not None
        ]
        found += sorted(of_measure, key=lambda one: (bool(one.with_parameter), -abs(one.effect)))
    if not found:
        raise UsageError(
            "no two runs differ in one parameter alone; effects need runs that are otherwise equal"
        )
    return Effects(found, confidence, draws, seed, notices)


Cells = dict[tuple[str, ...], list[list[int]]]
"""For every combination of values, the runs of each block that counts."""


def _cells(columns: Mapping[str, Sequence[str]], names: tuple[str, ...]) -> Cells | None:
    """The runs of the blocks that have every combination of the values of some parameters; None without any.

    Runs without one of these parameters are in no block.
    """
    others = [values for name, values in columns.items() if name not in names]
    blocks: dict[tuple[str, ...], Cells] = {}
    for run in range(len(columns[names[0]])):
        values = tuple(columns[name][run] for name in names)
        if all(values):
            block = blocks.setdefault(tuple(of[run] for of in others), {})
            block.setdefault(values, [[]])[0].append(run)
    levels = [sorted({value for value in columns[name] if value}, key=natural_key) for name in names]
    wanted = list(product(*levels))
    whole = [block for block in blocks.values() if len(block) == len(wanted)]
    return {values: [block[values][0] for block in whole] for values in wanted} if whole else None


def _tell_left_out(columns: Mapping[str, Any], designs: Sequence[Any], notices: Notices) -> None:
    """Name the parameters for which no runs are otherwise equal."""
    told = {names for names, _ in designs}
    notices.add_names(
        "{count} {parameter has|parameters have} no runs that differ in nothing else and have every value",
        [name for name in columns if (name,) not in told],
        harmless=True,
        lasting=True,
    )


def _effect(
    measure: str, names: tuple[str, ...], cells: Cells, values: np.ndarray, sign: int, confidence: float,
    draws: int, seed: int,
) -> ParameterEffect | None:  # fmt: skip
    """The effect by one measure on the topics for which all runs in blocks have a value; None without."""
    used = sorted({run for blocks in cells.values() for runs in blocks for run in runs})
    topics = np.flatnonzero(np.isfinite(values[used]).all(axis=0))
    if len(topics) < 2:
        return None
    known = values[:, topics]
    by_block = np.array([[known[runs].mean(axis=0) for runs in blocks] for blocks in cells.values()])
    means = by_block.mean(axis=1)
    chosen = _contrasts(list(cells), len(names))
    sizes = np.array([sign * (weights @ means).mean() for weights, _, _ in chosen])
    weights, better, worse = chosen[int(np.argmax(sizes))]
    if len(names) > 1 and sign * (_marginal(cells, means, better) - _marginal(cells, means, worse)) < 0:
        better, worse = worse, better
    differences = (weights @ means)[None]
    p = float(TESTS[TEST](differences, draws, seed)[0])
    low, high = (float(end[0]) for end in INTERVALS["bootstrap"](differences, confidence, draws, seed))
    return ParameterEffect(
        measure, names[0], names[1] if len(names) > 1 else "", ", ".join(better), ", ".join(worse),
        float(differences.mean()), low, high, min(1.0, p * (len(chosen) // 2)),
        _share(by_block.mean(axis=2), list(cells), len(names)), len(used), len(topics),
    )  # fmt: skip


def _marginal(cells: Cells, means: np.ndarray, told: tuple[str, ...]) -> float:
    """The mean of the first of some values."""
    return float(means[[values[0] == told[0] for values in cells]].mean())


Contrast = tuple[np.ndarray, tuple[str, ...], tuple[str, ...]]


def _contrasts(combined: Sequence[tuple[str, ...]], size: int) -> list[Contrast]:
    """The differences to choose from, both ways, as weights of the combinations of values."""
    place = {values: at for at, values in enumerate(combined)}
    found: list[Contrast] = []

    def add(signed: Mapping[tuple[str, ...], int], better: tuple[str, ...], worse: tuple[str, ...]) -> None:
        weights = np.zeros(len(combined))
        for values, weight in signed.items():
            weights[place[values]] = weight
        turned = (worse[0], *better[1:]), (better[0], *worse[1:])
        found.extend([(weights, better, worse), (-weights, *turned)])

    if size == 1:
        for one, other in combinations(combined, 2):
            add({one: 1, other: -1}, one, other)
        return found
    firsts, seconds = ([*dict.fromkeys(values[at] for values in combined)] for at in (0, 1))
    for (v, w), (x, y) in product(combinations(firsts, 2), combinations(seconds, 2)):
        add({(v, x): 1, (w, x): -1, (v, y): -1, (w, y): 1}, (v, x), (w, y))
    return found


def _share(means: np.ndarray, combined: Sequence[tuple[str, ...]], size: int) -> float:
    """The part of the variance of `means[combination, block]` that is explained."""
    spread = float(((means - means.mean()) ** 2).mean())
    cells = means.mean(axis=1)
    parts = cells - cells.mean()
    if size == 2:
        firsts, seconds = (np.array([values[at] for values in combined]) for at in (0, 1))
        for names in (firsts, seconds):
            parts = parts - np.array([cells[names == name].mean() - cells.mean() for name in names])
    return float((parts**2).mean()) / spread if spread > 0 else 0.0
