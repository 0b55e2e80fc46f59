"""Moments: documents measured in time. A twin counts every microsecond as a character."""

from __future__ import annotations

import json
import random
import re
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.measurement.base import MEASURES

MICROSECONDS = 10**6
SAME = [
    "iP@3", "iR@3", "F@3", "IoU@3", "AiP", "iP[0.5]", "NeedRecall", "Complete", "alphanDCG", "Hit@1", "IoUAP",
    "tRBP", "CharAP", "PsgAP", "gP@2", "SRiP@3", "Judged@3",
]  # fmt: skip
SIZED = [
    "tU(L={})", "tTBG(speed={})", "gP(score=T2I(n={}))@2", "ChP(n={})@doc", "AgP(score=BEP(n={}))",
    "Hit(over={})@2", "IoUAP(upto={})", "SRiP(nav=readon(mean={}))@3", "ESRR(nav=t2i(tolerance={}))@3",
    "SRiR(nav=t2i(scale={}))@3", "CE(screen={})@2",
    "Mean(of=gP(score=T2I(n={})))@2", "SRiR2(nav=mix(0.5*readon(mean={})+0.5*none))@3",
]  # fmt: skip
AMOUNTS = [
    "NearMisses(nav=mix(0.5*readon(mean={})+0.5*none))@3", "Hits@3", "Misses(nav=readon(mean={}))@3",
    "RecallBase@3", "ESRP(nav=t2i(tolerance={}))@3", "AESRP", "Reach(unit={unit})",
]  # fmt: skip
"""Measures whose values are amounts of text: those are seconds."""


def values(run, gold, names, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        scores = dx.evaluate({"run": run}, gold, names, **options)
    return [scores.value("run", name) for name in names]


def test_times_are_kept_exactly():
    gold = [{"topic": "t", "doc": "v", "start_s": 0.1, "end_s": 0.3, "length_s": 7.25}]
    run = [{"topic": "t", "doc": "v", "rank": 1, "start_s": 0.2, "end_s": 0.4}]
    assert values(run, gold, ["iP@1", "iR@1", "IoU@1"]) == [0.5, 0.5, 1 / 3]
    table = dx.read_assessments(gold)
    assert table.unit == "seconds" and table.ranges.start.tolist() == [100_000]
    assert table.length.tolist() == [7_250_000]


def test_what_is_written_is_read_back(tmp_path):
    gold = [
        {"topic": "t", "doc": "v", "start_s": 0.1, "end_s": 3},
        {"topic": "t", "doc": "v", "moments": [[5, 6.5], [8, 9.000001]]},
        {"topic": "t", "doc": "v", "length_s": 20.5},
    ]
    run = [{"topic": "t", "doc": "v", "rank": 1, "moments": [[0, 1.5], [2.25, 3]]}]
    dx.write_assessments(dx.read_assessments(gold), tmp_path / "gold.jsonl")
    dx.write_run(dx.read_run(run), tmp_path / "run.jsonl")
    assert [json.loads(line) for line in (tmp_path / "gold.jsonl").read_text().splitlines()] == gold
    assert [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()] == run
    dx.write_assessments(dx.read_assessments(gold), tmp_path / "gold.parquet")
    again = dx.read_assessments(tmp_path / "gold.parquet")
    assert again.ranges.end.tolist() == dx.read_assessments(gold).ranges.end.tolist()
    with pytest.raises(dx.InputError, match="places are given as seconds, which trec-run"):
        dx.write_run(dx.read_run(run), tmp_path / "run.trec", format="trec-run")


def test_finer_times_are_rounded_and_that_is_told():
    gold = [{"topic": "t", "doc": "v", "start_s": 0.12345678, "end_s": 3}]
    table = dx.read_assessments(gold)
    assert table.ranges.start.tolist() == [123_457]
    assert "1 time has more than six decimals and is rounded to the microsecond" in str(
        next(iter(table.notices))
    )


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"start_s": 4, "end_s": 2}, "a start no later than the end"),
        ({"start_s": -4, "end_s": 2}, "at least 0"),
        ({"start_s": "now", "end_s": 2}, "a finite number as 'start_s'"),
        ({"start_s": 1e9, "end_s": 1e9}, "at most 1,099,511 seconds"),
        ({"moments": [[1, 2, 3]]}, "'moments' as"),
    ],
)
def test_impossible_times_are_refused(row, told):
    good = {"topic": "t", "doc": "v", "start_s": 0, "end_s": 1}
    table = dx.read_assessments([good, {"topic": "t", "doc": "v"} | row])
    assert len(table.ranges) == 1 and told in "; ".join(map(str, table.notices))


def test_one_file_has_one_unit_and_units_do_not_mix():
    timed = [{"topic": "t", "doc": "v", "start_s": 0, "end_s": 1}]
    written = [{"topic": "t", "doc": "v", "start": 0, "end": 1}]
    with pytest.raises(dx.InputError, match="give all places of a file in one unit"):
        dx.read_assessments(timed + written)
    for run, gold in ((timed, written), (written, timed)):
        with pytest.raises(dx.UsageError, match="one cannot become the other"):
            dx.evaluate({"run": run}, gold, "iP@1")
    with pytest.raises(dx.UsageError, match=r"leave out --docs|one cannot become the other"):
        dx.evaluate({"run": timed}, timed, "iP@1", [{"doc": "v", "text": "words"}])


def test_defaults_in_characters_must_be_given():
    timed = [{"topic": "t", "doc": "v", "start_s": 0, "end_s": 1}]
    for name in ("tU", "T2I@doc", "tTBG", "SRiP(nav=readon)@1"):
        with pytest.raises(dx.UsageError, match="text is counted in seconds"):
            dx.evaluate({"run": timed}, timed, name)


def test_an_explanation_tells_seconds():
    timed = [{"topic": "t", "doc": "v", "start_s": 0.5, "end_s": 2}]
    told = dx.explain(timed, timed, "iR@1", topic="t")
    assert (told.ranks[0].place, told.ranks[0].shown, told.total_relevant) == ("0.5-2", 1.5, 1.5)
    assert "1.5 of 1.5 relevant seconds were shown" in repr(told)


def as_trajectory(run):
    shown = [{key: value for key, value in row.items() if key not in ("topic", "rank")} for row in run]
    steps = [{"topic": "t", "step": at, "action": "read", "shown": [one]} for at, one in enumerate(shown, 1)]
    return [*steps, {"topic": "t", "step": len(run) + 1, "action": "cite", **shown[0]}]


@pytest.mark.parametrize("taken_as", [list, as_trajectory])
def test_no_explanation_tells_microseconds(taken_as):
    lengths = [{"topic": "t", "doc": doc, "length_s": 20} for doc in "ab"]
    gold = [{"topic": "t", "doc": "a", "start_s": 4, "end_s": 19.25}, *lengths]
    run = [{"topic": "t", "doc": "b", "rank": 1, "start_s": 2, "end_s": 18.5},
           {"topic": "t", "doc": "a", "rank": 2, "start_s": 15, "end_s": 17.25}]  # fmt: skip
    explained = 0
    for kind in MEASURES.all().values():
        for sample in kind.samples():
            try:
                told = repr(dx.explain(taken_as(run), gold, sample, topic="t"))
            except dx.DoxevalError:
                continue
            explained += 1
            if not sample.startswith("Residual"):  # it may leave any number of further results open
                amounts = [float(found) for found in re.findall(r"\d+\.?\d*", told.replace(",", ""))]
                assert max(amounts) < 1000, (sample, told)
    assert explained > 100


def test_a_measure_typed_once_serves_both_units():
    measure = dx.measure("tU(L=4)")
    timed = [{"topic": "t", "doc": "v", "start_s": 0, "end_s": 2}]
    written = [{"topic": "t", "doc": "v", "start": 0, "end": 2}]
    in_time = dx.evaluate({"run": timed}, timed, [measure]).value("run", "tU(L=4)")
    assert in_time == pytest.approx(0.75, abs=1e-6)
    assert dx.evaluate({"run": written}, written, [measure]).value("run", "tU(L=4)") == 0.875
    assert measure.canonical == "tU(L=4)"


@settings(max_examples=12)
@given(st.integers(0, 10**9))
def test_every_measure_of_text_holds_with_the_microsecond_in_place_of_the_character(seed):
    rng = random.Random(seed)

    def moment(doc):
        start, end = sorted(rng.sample(range(80), 2))
        return {"topic": "t", "doc": doc, "start_s": start / 4, "end_s": end / 4}

    gold = [moment(rng.choice("ab")) for _ in range(rng.randint(1, 4))]
    gold += [{"topic": "t", "doc": doc, "length_s": 20} for doc in "abc"]
    run = [moment(rng.choice("abc")) | {"rank": rank} for rank in range(1, rng.randint(2, 6))]

    def as_characters(row):
        times = {
            key: round(row[f"{key}_s"] * MICROSECONDS)
            for key in ("start", "end", "length")
            if f"{key}_s" in row
        }
        return {key: value for key, value in row.items() if not key.endswith("_s")} | times

    names = SAME + [name.format(3) for name in SIZED]
    twins = SAME + [name.format(3 * MICROSECONDS) for name in SIZED]
    found = values(run, gold, names)
    wanted = values(list(map(as_characters, run)), list(map(as_characters, gold)), twins)
    assert found == pytest.approx(wanted, abs=1e-9, nan_ok=True)
    budget = rng.randint(1, 80)
    cut = ["iR@{}{s}", "iP@{}{s}", "Complete@{}{s}", "Area(of=iR)@{}{s}"]
    found = values(run, gold, [name.format(budget / 4, s="s") for name in cut])
    wanted = values(
        list(map(as_characters, run)), list(map(as_characters, gold)),
        [name.format(budget * MICROSECONDS // 4, s="c") for name in cut],
    )  # fmt: skip
    assert found == pytest.approx(wanted, abs=1e-9, nan_ok=True)
    found = values(run, gold, [name.format(3, unit="seconds") for name in AMOUNTS])
    wanted = values(
        list(map(as_characters, run)), list(map(as_characters, gold)),
        [name.format(3 * MICROSECONDS, unit="characters") for name in AMOUNTS],
    )  # fmt: skip
    assert found == pytest.approx([value / MICROSECONDS for value in wanted], abs=1e-9)


def test_seconds_are_those_watched_in_lists_and_those_of_the_steps_in_trajectories(tmp_path):
    moment = {"topic": "t", "doc": "v", "start_s": 2.5, "end_s": 7.5}
    [half, whole, table] = [
        dx.evaluate({"run": [moment]}, [moment], "iR@2.5s").value("run", "iR@2.5s"),
        dx.evaluate({"run": [moment]}, [moment], "iR@5s").value("run", "iR@5s"),
        dx.budget({"run": [moment]}, [moment], recalls=[0.5]).plain(),
    ]
    assert (half, whole) == (0.5, 1.0)
    assert table.splitlines()[0].split() == ["run", "recall", "reached", "results", "seconds"]
    assert table.splitlines()[1].split()[-1] == "2.5"
    drawn = dx.curve({"run": [moment]}, [moment], "iR", over="seconds")
    assert drawn.frame["value"].to_list()[-1] == 1.0
    step = {"topic": "t", "step": 1, "action": "read", "seconds": 30}
    shown = {key: value for key, value in moment.items() if key != "topic"}
    trajectory = [step | {"shown": [shown]}]
    assert dx.evaluate({"run": trajectory}, [moment], "iR@1steps").value("run", "iR@1steps") == 1.0
    with pytest.raises(dx.UsageError, match="those that its steps took, or those of the recordings"):
        dx.evaluate({"run": trajectory}, [moment], "iR@30s")
    dx.write_report({"run": trajectory}, [moment], "iR@1steps", path=tmp_path / "page.html")
    text = [{"topic": "t", "doc": "v", "start": 0, "end": 9}]
    with pytest.raises(dx.UsageError, match="needs the steps of a trajectory"):
        dx.evaluate({"run": text}, text, "iR@30s")
    with pytest.raises(dx.UsageError, match="over text the area is known for iR"):
        dx.evaluate({"run": [moment]}, [moment], "Area(of=iP)@30s")


def test_text_beside_recordings_has_no_seconds():
    gold = [{"topic": "t", "doc": "d", "start_s": 0, "end_s": 10}]
    run = [{"topic": "t", "doc": "d", "rank": 1, "start_s": 0, "end_s": 5, "added": "spoken"}]
    with pytest.raises(dx.UsageError, match="run: results show added text, which has no seconds"):
        values(run, gold, ["iP@1"])
