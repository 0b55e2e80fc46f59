"""Several local processes for one evaluation: each gets the plan once, then runs one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from doxeval.evaluation import Plan
    from doxeval.scores.scores import RunScores
    from doxeval.tables.runs import Run

_plan: Plan | None = None


def _adopt(plan: Plan) -> None:
    global _plan
    _plan = plan


def _score(load: Callable[[], Run]) -> RunScores:
    assert _plan is not None
    return _plan.score(load)


def score_in_processes(plan: Plan, loaders: Sequence[Callable[[], Run]], jobs: int) -> Iterator[RunScores]:
    """Score runs in `jobs` processes, in the order given; the same numbers as in one."""
    context = get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_adopt, initargs=(plan,)) as pool:
        try:
            yield from pool.map(_score, loaders)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
