"""The fewest nodes that show so many ideal elements, against all choices of nodes."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.reader.fewest import MOST_COMBINED, most_shown
from tests.golden.elements import Case

NAMES = "abcdefg"


def fewest(shown: dict[str, set[str]], wanted: int) -> int:
    """The least number of nodes that show so many elements, by trying all."""
    return next(
        count
        for count in range(1, len(shown) + 1)
        for chosen in combinations(shown.values(), count)
        if len(set.union(*chosen)) >= wanted
    )


STEPS = st.sets(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=14)


@given(STEPS, st.sets(st.sampled_from(NAMES), min_size=1))
def test_as_few_as_possible(tmp_path_factory: pytest.TempPathFactory, steps, ideals: set[str]) -> None:
    case = Case({}, list(NAMES))
    certain = [(source, target, 1.0) for source, target in sorted(steps) if source != target]
    path = case.steps(tmp_path_factory.mktemp("steps") / "steps.csv", certain)
    shown = {name: {name} & ideals for name in NAMES}
    for source, target, _ in certain:
        shown[source] |= {target} & ideals
    names = [f"EPRUM(r={r},ideal=fewest,nav=matrix(file={path}))" for r in range(1, len(ideals) + 1)]
    run = case.run(*([name] for name in NAMES))
    found = case.scores(run, case.judged(rel=dict.fromkeys(sorted(ideals), 1)), names)
    for r, name in enumerate(names, 1):
        first = next(k for k in range(1, 8) if len(set.union(*map(shown.get, NAMES[:k]))) >= r)
        assert found[name] == pytest.approx(fewest(shown, r) / first), r


def test_chances_below_one_do_not_count(tmp_path) -> None:
    case = Case({}, ["a", "b", "c"])
    path = case.steps(tmp_path / "steps.csv", [("a", "b", 1.0), ("a", "c", 0.5)])
    name = f"EPRUM(r=2,ideal=fewest,nav=matrix(file={path}))"
    found = case.scores(case.run(["a"]), case.judged(rel={"b": 1, "c": 1}), [name])
    assert found[name] == pytest.approx(2 * 0.5)


def test_too_many_that_share_elements_are_refused() -> None:
    chain = [0b11 << at for at in range(MOST_COMBINED)]
    assert most_shown(chain)[1:3] == [2, 4]
    with pytest.raises(dx.UsageError, match="use ideal=list"):
        most_shown([*chain, 0b11 << MOST_COMBINED], "t")
