"""The terms behind PRUM and ERRU: they add up to the score, and are those of the papers' equations."""

from __future__ import annotations

import csv
import io
import json
from itertools import pairwise

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.cli import group
from doxeval.core.screen import Screen, shown_on
from tests.golden.elements import Case
from tests.measurement.prum import twins
from tests.measurement.prum.test_precision import TREE, readings

EXACT = 1e-12
pytestmark = pytest.mark.filterwarnings("ignore:run. no document of the run was assessed")


def told_of(chances: twins.Chances, ideals: int, parameters: str, folder) -> dx.Explanation:
    """PRUM explained for results e0, e1, ... that lead to i0, i1, ... with these chances."""
    wanted, results = [f"i{x}" for x in range(ideals)], [f"e{rank}" for rank in range(len(chances))]
    case = Case({}, [*wanted, *results])
    triples = [
        (e, i, float(p))
        for e, row in zip(results, chances, strict=True)
        for i, p in zip(wanted, row, strict=True)
        if p
    ]
    nav = f"matrix(file={case.steps(folder / 'steps.csv', triples)})" if triples else "none"
    run = case.run(*([name] for name in results)) or [{"topic": "t"}]
    qrels = case.judged(rel=dict.fromkeys(wanted, 1))
    return dx.explain(run, qrels, f"PRUM({parameters},nav={nav})", case.documents, topic="t")


def columns(told: dx.Explanation) -> dict[str, dict[str, list]]:
    return {one.name: one.columns for one in told.inside}


@settings(max_examples=12)
@given(readings(), st.booleans())
def test_the_terms_of_prum_are_those_of_its_equations(tmp_path_factory, reading, exact) -> None:
    chances, ideals, unranked = reading
    folder, exactly = tmp_path_factory.mktemp("nav"), ",exact=true" if exact else ""
    told = told_of(chances, ideals, f"r={ideals},universe={unranked + len(chances)}{exactly}", folder)
    parts = columns(told)
    recall, by_rank = parts["recall"], parts["list"]
    twin = twins.exact_prum if exact else twins.prum
    for r in range(1, ideals + 1):
        assert recall["precision"][r - 1] == pytest.approx(
            float(twin(chances, ideals, r, unranked)), abs=EXACT
        )
    assert by_rank["CL"][-1] / by_rank["C"][-1] == pytest.approx(told.score, abs=EXACT)
    for name, (inside, beyond) in {"CL": ("a", "b"), "C": ("c", "d")}.items():
        assert recall[inside][-1] + recall[beyond][-1] == pytest.approx(by_rank[name][-1], abs=EXACT)
    rows = twins.unseen(chances, ideals)
    for s in range(ideals):
        expected = [float(twins.chance_of(s, row)) for row in rows[1:]]
        assert by_rank[f"P(F={s})"][:-1] == pytest.approx(expected, abs=EXACT)
    steps = parts["steps"]
    for rank, to, seen in zip(steps["rank"], steps["to"], steps["seen"], strict=True):
        assert seen == pytest.approx(float(1 - rows[rank][int(to[-1])]), abs=EXACT)
    if "scenarios" in parts:
        table, every = parts["scenarios"], twins.scenarios(chances, ideals)
        assert sorted(table["PS"][:-1]) == pytest.approx(sorted(float(p) for p, _ in every), abs=EXACT)
        assert table[f"CL({ideals})"][-1] / table[f"C({ideals})"][-1] == pytest.approx(told.score, abs=EXACT)
    else:
        assert not exact or len(twins.scenarios(chances, ideals)) > 36


def test_table_iii_of_prum(tmp_path) -> None:
    case = Case({}, ["a", "b", "c", "d"])
    steps = [("d", "a", 0.6), ("c", "b", 0.4), ("c", "a", 0.4), ("d", "b", 0.4)]
    path = case.steps(tmp_path / "steps.csv", steps)
    run, qrels = case.run(*"cdab"), case.judged(rel={"a": 1, "b": 1})
    measure = f"PRUM(r=2,universe=4,exact=true,nav=matrix(file={path}))"
    parts = columns(dx.explain(run, qrels, measure, case.documents, topic="t"))
    table = {name: [round(value, 4) for value in parts["scenarios"][name]]
             for name in ("PS", "CL(1)", "C(1)", "CL(2)", "C(2)")}  # fmt: skip
    assert table == {
        "PS": [0.16, 0.096, 0.144, 0.144, 0.0864, 0.1296, 0.096, 0.0576, 0.0864, 1],
        "CL(1)": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
        "C(1)": [1, 1, 1, 1, 2, 2, 1, 2, 3, 1.4464],
        "CL(2)": [1, 2, 2, 2, 1, 2, 2, 2, 2, 1.7536],
        "C(2)": [1, 2, 4, 2, 2, 4, 3, 3, 4, 2.7136],
    }


def test_an_interpolated_prum_is_explained_at_the_recall_it_comes_from(tmp_path) -> None:
    case = Case({}, ["x", "a", "b"])
    run, qrels = case.run("x", "a", "b"), case.judged(rel={"a": 1, "b": 1})
    told = dx.explain(run, qrels, "PRUM(recall=0.5)", case.documents, topic="t")
    by_rank = columns(told)["list"]
    assert told.score == pytest.approx(2 / 3) and by_rank["CL"][-1] / by_rank["C"][-1] == told.score
    assert "list" not in columns(dx.explain(run, qrels, "PRUM", case.documents, topic="t"))


NAMES = [node["id"] for node in TREE]


@settings(max_examples=12)
@given(
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from(["3E", "2E", "1E", "3L", "2S"]), min_size=1),
    st.permutations(NAMES),
    st.lists(st.integers(1, 3), min_size=1, max_size=4),
    st.integers(1, 7),
)
def test_the_units_of_erru_add_up_to_it(codes, order, sizes, cutoff) -> None:
    """Ties included: P(L) is what a cut-off in a tie leaves of a result."""
    case = Case({"documents": TREE})
    qrels = case.judged(code={**codes, "m1": "3E"})
    ends = [0]
    for size in sizes:
        ends.append(ends[-1] + size)
    run = case.run(*(order[first:last] for first, last in pairwise(ends)))
    told = dx.explain(run, qrels, f"ERRU@{cutoff}", case.documents, topic="t")
    assert "with a positive judgement, by the codes" in repr(told)
    units = columns(told)["units"]
    assert sum(units["adds"]) == pytest.approx(told.score, abs=EXACT)
    steps = columns(told)["steps"]
    for unit, seen in zip(units["unit"], units["P(S)"], strict=True):
        missed = 1.0
        for to, listed, p in zip(steps["to"], steps["P(L)"], steps["p"], strict=True):
            missed *= 1 - listed * p if to == unit else 1
        assert seen == pytest.approx(1 - missed, abs=EXACT)


def test_the_command_prints_every_part_for_programs(tmp_path) -> None:
    case = Case({}, ["a", "b"])
    for name, rows in {
        "docs": case.documents,
        "run": case.run("b", "a"),
        "qrels": case.judged(rel={"a": 1}),
    }.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = {name: str(tmp_path / f"{name}.jsonl") for name in ("run", "qrels", "docs")}
    arguments = ["explain", "-r", files["run"], "-q", files["qrels"], "--docs", files["docs"], "-t", "t"]

    def printed(form: str, *more: str) -> str:
        found = CliRunner().invoke(
            group, [*arguments, "-m", "PRUM(r=1,exact=true)", "-f", form, *more], catch_exceptions=False
        )
        return found.output

    lines = [json.loads(line) for line in printed("jsonl").splitlines()]
    parts = list(dict.fromkeys(line["part"] for line in lines))
    assert parts == ["ranks", "recall", "list", "steps", "scenarios", "missed"]
    assert next(line for line in lines if line["part"] == "recall")["precision"] == 0.5
    table = list(csv.DictReader(io.StringIO(printed("csv"))))
    assert [row["part"] for row in table] == [line["part"] for line in lines]
    assert next(row for row in table if row["part"] == "recall")["precision"] == "0.5"
    assert [one["name"] for one in json.loads(printed("json"))["inside"]] == parts[1:-1]
    assert "precision = CL / C" in printed("table")
    assert printed("csv", "--part", "recall").splitlines()[1:] == ["1,1.0,0.0,2.0,0.0,1.0,2.0,0.5"]
    alone = printed("table", "--part", "recall")
    assert alone.startswith("run, topic t\nPRUM(r=1,exact=true) = 0.5\nr ") and "missed" not in alone
    with pytest.raises(dx.UsageError, match="is not explained by 'recal'; did you mean 'recall'"):
        printed("csv", "--part", "recal")
    with pytest.raises(dx.UsageError, match="--part would do nothing here: json has all parts"):
        printed("json", "--part", "recall")


def test_a_long_part_keeps_its_last_row_and_says_what_it_leaves_out() -> None:
    leaves = [f"e{at}" for at in range(60)]
    case = Case({}, leaves)
    run, qrels = case.run(*([leaf] for leaf in leaves)), case.judged(rel=dict.fromkeys(leaves[:20], 1))
    told = dx.explain(run, qrels, "PRUM(r=20)", case.documents, topic="t")
    table = told.part("list")
    assert len(table.body) == 40 and table.body[-1][1] == "beyond the list" and len(table.header) == 16
    assert table.footer[-2:] == [
        "10 columns are left out (csv has all)",
        "21 rows before the last are left out (csv has all)",
    ]
    assert len(told.rows_of("list")) == 61 and len(told.rows_of("list")[0]) == 26


def test_parts_fit_a_narrow_screen(tmp_path) -> None:
    case = Case({}, ["a", "b"])
    with shown_on(Screen(width=40)):
        told = repr(
            dx.explain(case.run("b", "a"), case.judged(rel={"a": 1}), "PRUM(r=1)", case.documents, topic="t")
        )
    assert "P(F=0)" in told
