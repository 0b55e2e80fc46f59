"""What scores say in sentences: it follows from the numbers, and nothing is said without them."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.comparison.advice import advice_of, topics_needed
from doxeval.comparison.compare import compare
from doxeval.comparison.leads import MOST_VALUES
from doxeval.comparison.verdict import verdict
from doxeval.scoring.repetition import REPETITION_MEASURES
from doxeval.scoring.scores import RunScores, Scores
from tests.comparison.scores import random_scores


def scores_of(measures: str, *values: list[list[float]]) -> Scores:
    """Runs a, b, c ... with `values[measure][topic]`."""
    cubes = [np.array(cube, dtype=float) for cube in values]
    topics = cubes[0].shape[1]
    runs = [
        RunScores("abcdefgh"[at], cube, np.ones(topics, dtype=bool), 1, 0) for at, cube in enumerate(cubes)
    ]
    return Scores(measures.split(), [f"t{at}" for at in range(topics)], runs)


@given(st.integers(2, 6), st.integers(2, 30), st.integers(0, 1000))
def test_the_lead_and_its_doubts_are_those_of_compare(runs: int, topics: int, seed: int):
    scores = random_scores(runs, topics, seed=seed)
    comparison = compare(scores)
    said = verdict(scores)[0]
    means = {run.name: run.values[0].mean() for run in scores.runs}
    best = max(means, key=lambda name: means[name])
    against = {
        ({d.run, d.baseline} - {best}).pop(): comparison.significant(d)
        for d in comparison.differences
        if best in (d.run, d.baseline)
    }
    lead = f"Use `{best}`: best" if any(against.values()) else f"`{best}` leads"
    assert said.startswith(f"{lead} by AiP ({means[best]:.4f}), ")
    doubted = said.partition(";")[2].partition("may be chance")[0] if "may be chance" in said else ""
    if not any(against.values()):
        assert "may be chance" in said and "significant" not in said
    elif all(against.values()):
        assert "significant" in said and "chance" not in said
    else:
        named = {name for name in against if not against[name]}
        assert all(f" `{name}`" in doubted for name in named) or "more may be" in doubted
        assert not any(f" `{name}`" in doubted for name in against if against[name])
    assert said == verdict(scores, comparison=comparison)[0]


def test_the_p_values_of_a_verdict_are_those_of_compare():
    from doxeval.comparison.family import default_test
    from doxeval.comparison.leads import _compared, _tested
    from doxeval.comparison.standing import standing_by
    from doxeval.comparison.tests import TESTS

    for runs in (2, 5):
        scores = random_scores(runs, 12, seed=3)
        one, comparison = standing_by(scores, "AiP", None), compare(scores)
        assert one is not None
        leader = one.leaders[0]
        others = [run for run in range(runs) if run != leader]
        assert (
            _tested(one, TESTS[default_test(scores)])[others].tolist()
            == _compared(one, comparison, leader)[others].tolist()
        )


def test_ties_are_all_named_and_level_runs_have_no_leader():
    tied = scores_of("AiP", [[0.5, 0.7]], [[0.7, 0.5]], [[0.1, 0.1]])
    assert verdict(tied)[0].startswith("`a` and `b` lead by AiP (0.6000), 0.5000 ahead of `c`; ")
    assert verdict(scores_of("AiP", [[0.5, 0.7]], [[0.7, 0.5]])) == ["All 2 runs are level by AiP (0.6000)."]
    near = scores_of("AiP", [[0.5, 0.50001]], [[0.5, 0.5]])
    assert "less than 0.0001 ahead of `b`" in verdict(near)[0]


def test_lower_is_better_where_a_measure_says_so():
    said = verdict(scores_of("CE@5", [[9.0, 8.0]], [[2.0, 3.0]]))[0]
    assert said.startswith("`b` leads by CE@5 (2.5000; lower is better), 6.0000 ahead of `a`")


@pytest.mark.parametrize(
    "scores",
    [
        scores_of("AiP", [[0.5, 0.7]]),
        scores_of("AiP", [[0.5, np.nan]], [[0.5, 0.2]]),
        scores_of("AiP", [[np.nan, np.nan]], [[np.nan, np.nan]]),
        scores_of("CE@5", [[np.inf, 1.0]], [[1.0, 2.0]]),
        scores_of("euros", [[1.0, 2.0]], [[3.0, 4.0]]),
        Scores(["AiP"], ["t1"], []),
    ],
    ids=["one run", "other topics", "undefined", "infinite", "unknown direction", "no run"],
)
def test_nothing_is_said_that_the_numbers_do_not_support(scores: Scores):
    assert verdict(scores) == []


def test_runs_of_one_name_are_not_told_apart():
    scores = scores_of("AiP", [[0.5, 0.7]], [[0.1, 0.2]])
    scores.runs[1].name = "a"
    assert verdict(scores) == []


def test_significance_is_never_claimed_without_a_test():
    one_topic = verdict(scores_of("AiP", [[0.9]], [[0.1]], [[0.2]]))[0]
    many = verdict(random_scores(5, MOST_VALUES))[0]
    assert one_topic.endswith("; one topic cannot tell that from chance.")
    assert many.endswith("only 'doxeval compare' tests whether that may be chance.")
    assert "significant" not in one_topic + many


def test_a_baseline_is_what_runs_are_held_against():
    scores = scores_of("AiP", [[0.5] * 12], [[0.9] * 12], [[0.1] * 12], [[0.6, 0.4] * 6])
    said = verdict(scores, comparison=compare(scores, baseline="a"))
    assert said == [
        "Against `a` by AiP (0.5000), better: `b` (+0.4000); worse: `c` (-0.4000); not significantly "
        "different: `d` (+0.0000) (randomisation test, level 0.05)."
    ]


def test_a_comparison_is_asked_for_its_own_level_test_and_direction():
    scores = scores_of("euros", [[5.0, 6.0, 7.0] * 4], [[2.0, 3.0, 4.1] * 4])
    comparison = compare(scores, test="sign", alpha=0.01, lower_is_better=["euros"])
    assert verdict(scores, comparison=comparison)[0].startswith(
        "Use `b`: best by euros (3.0333; lower is better), 2.9667 ahead"
    )
    assert "the lead is significant (sign test, level 0.01)" in verdict(scores, comparison=comparison)[0]


def test_what_is_wasted_and_who_serves_a_hurried_reader():
    scores = scores_of(
        "iR@5 iP@5 IoU@5 iR@300w",
        [[0.9, 0.9], [0.1, 0.1], [0.1, 0.1], [0.2, 0.2]],
        [[0.5, 0.5], [0.6, 0.6], [0.4, 0.4], [0.7, 0.7]],
    )
    said = verdict(scores)
    assert said[1] == "By other measures others lead: `b` (iP@5, IoU@5, iR@300w)."
    assert said[2] == (
        "The first 5 results of `a` hold 90% of the relevant text, but 90% of what `a` shows is irrelevant "
        "(iR@5, iP@5). Closest to just that text: `b` (IoU@5)."
    )
    assert said[3] == (
        "A reader who stops after 300 words gets most from `b`: 70% of the relevant text, against 20% from "
        "`a` (iR@300w)."
    )
    assert len(said) == 4


def test_documents_alone_are_contrasted_with_text_only_where_they_hide_something():
    near, far = [[0.9, 0.9], [0.1, 0.1]], [[0.92, 0.92], [0.7, 0.7]]
    assert verdict(scores_of("nDCG@10 AiP", near, far))[-1] == (
        "Judged by documents alone (nDCG@10), all runs lie between 0.90 and 0.92; judged by the text they "
        "show (AiP), between 0.10 and 0.70."
    )
    swapped = verdict(scores_of("AiP nDCG@10", near, far))
    assert not any("documents alone" in sentence for sentence in swapped)


ranges = st.tuples(st.integers(0, 60), st.integers(1, 40)).map(lambda pair: (pair[0], sum(pair)))


@given(st.lists(ranges, min_size=1, max_size=14), st.lists(ranges, min_size=1, max_size=3))
def test_repeated_text_is_what_two_measures_of_recall_say(found, wanted):
    answers = [{"topic": "t1", "doc": "d", "start": start, "end": end} for start, end in wanted]
    run = [
        {"topic": "t1", "doc": "d", "rank": rank, "start": start, "end": end}
        for rank, (start, end) in enumerate(found, start=1)
    ]
    scores = dx.evaluate({"r": run}, answers, ["AiP", *REPETITION_MEASURES])
    once, again = (scores.value("r", measure) for measure in REPETITION_MEASURES)
    share = 1 - once / again if again > once else 0.0
    assert scores.runs[0].repeated.share == pytest.approx(share)
    said = [sentence for sentence in scores.verdict() if "repeats itself" in sentence]
    assert bool(said) == (share >= 0.01)
    assert not said or f"`r` repeats itself: {share:.0%} of" in said[0]


def test_who_repeats_is_not_told_where_it_is_unknown_of_some():
    scores = random_scores(2, 5)
    scores.runs[0] = replace(scores.runs[0], repeated=None)
    assert not any("repeats" in sentence for sentence in verdict(scores))


def test_bounds_say_whether_unjudged_text_may_change_who_leads():
    answers = [{"topic": f"t{n}", "doc": "d", "start": 0, "end": 10} for n in (1, 2)]
    near = [{"topic": f"t{n}", "doc": "d", "rank": 1, "start": 0, "end": 10} for n in (1, 2)]
    far = [{"topic": f"t{n}", "doc": "e", "rank": 1, "start": 0, "end": 1000} for n in (1, 2)]
    said = dx.Evaluation(answers, "iR@1", bounds=True).scores({"near": near, "far": far}).verdict()
    assert said[0].endswith("The unjudged text may change who leads.")
    inside = [{"topic": f"t{n}", "doc": "d", "rank": 1, "start": 0, "end": 2} for n in (1, 2)]
    said = dx.evaluate({"near": near, "inside": inside}, answers, "iR@1", bounds=True).verdict()
    assert said[0].endswith("The unjudged text cannot change who leads.")


def test_no_scipy_is_loaded_for_a_verdict():
    import subprocess

    code = "import sys, doxeval.comparison.leads; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_run_without_results_is_said_to_show_nothing_in_every_sentence():
    answers = [{"topic": topic, "doc": "d1", "start": 0, "end": 10} for topic in ("t1", "t2")]
    some = [{"topic": topic, "doc": "d1", "rank": 1, "start": 5, "end": 25} for topic in ("t1", "t2")]
    silent = [{"topic": "t1"}, {"topic": "t2"}]
    measures = "iP@1 iR@1 IoU@1 iR@100c P@1"
    evaluation = dx.Evaluation(answers, measures)
    alone = evaluation.scores({"none": silent})
    assert alone.verdict() == ["`none` shows nothing for any topic: there is nothing to compare."]
    assert [str(notice) for notice in alone.notices] == ["none: shows nothing for any topic"]
    assert evaluation.scores({"a": silent, "b": silent}).verdict() == [
        "`a` and `b` show nothing for any topic: there is nothing to compare."
    ]
    for runs in ({"some": some, "none": silent}, {"none": silent, "some": some}):
        scores = evaluation.scores(runs)
        for said in (*scores.verdict(), *verdict(scores, comparison=compare(scores, baseline="none"))):
            assert "none" not in said.replace("`none` (which shows nothing)", "")
            assert "what `none`" not in said


@given(st.integers(2, 6), st.integers(2, 30), st.integers(1, 2), st.integers(0, 1000))
def test_the_headline_never_contradicts_compare(runs: int, topics: int, measures: int, seed: int):
    scores = random_scores(runs, topics, measures, seed=seed)
    comparison = compare(scores)
    said = advice_of(scores, comparison)
    alone = advice_of(scores)
    assert replace(said, sentences=alone.sentences) == alone and said.sentences[:1] == alone.sentences[:1]
    pairs = {frozenset((d.run, d.baseline)): d for d in comparison.differences if d.measure == said.measure}
    means = {run.name: run.values[scores.measures.index(said.measure)].mean() for run in scores.runs}
    leaders = [scores.names[run] for run in said.leaders]
    assert all(means[name] == max(means.values()) for name in leaders)
    others = [name for name in means if name not in leaders]
    unsure = [name for name in others if not comparison.significant(pairs[frozenset((leaders[0], name))])]
    assert {scores.names[run] for run in said.doubtful} == set(unsure)
    assert said.headline.startswith(f"Use `{leaders[0]}`") == (len(unsure) < len(others))
    if said.headline.startswith("Use"):
        _, _, rest = said.headline.partition(". ")
        assert ("beyond chance" in rest) == (not unsure) and ("may be as good" in rest) == bool(unsure)
        named, _, _ = rest.partition(" may be as good")
        assert all(name in named or " more" in named for name in unsure)
    told = verdict(scores, comparison=comparison)
    assert [said.headline, *said.sentences] == told or said.sentences == told
    if "iR@10" in scores.measures and said.headline.startswith("Use"):
        shares = {run.name: run.values[1].mean() for run in scores.runs}
        most = max(shares, key=lambda name: shares[name])
        more = "" if leaders[0] == most else f"; `{most}` {shares[most]:.0%}"
        quoted = f"{shares[leaders[0]]:.0%} of the relevant text in the first 10 results (iR@10{more})"
        assert quoted in said.headline and quoted in told[0]


def test_the_measure_that_leads_is_named_once_and_a_run_that_shows_more_is_named():
    best, other = [[0.9, 0.8] * 8, [0.3, 0.4] * 8], [[0.1, 0.2] * 8, [0.7, 0.8] * 8]
    assert verdict(scores_of("AiP iR@2000c", best, other))[0].startswith(
        "Use `a`: best by AiP (0.8500), 0.7000 ahead of `b`, with 35% of the relevant text within 2,000 "
        "characters (iR@2000c; `b` 75%); the lead"
    )
    assert verdict(scores_of("iR@2000c", best[:1], other[:1]))[0].startswith(
        "Use `a`: best by iR@2000c (0.8500), 0.7000 ahead of `b`, with 85% of the relevant text within 2,000 "
        "characters; the lead"
    )


def test_what_to_do_next_follows_from_the_numbers():
    certain = scores_of("AiP", [[0.9, 0.8] * 8], [[0.1, 0.2] * 8])
    assert advice_of(certain).next == [
        "Keep it: a build can compare every change with this run (doxeval gate)."
    ]
    certain.runs[0].unjudged, certain.runs[0].results = 3, 10
    assert advice_of(certain).next[0].startswith("Judge more: 30% of what `a` returned")
    close = scores_of("AiP", [[0.5, 0.6, 0.7, 0.4]], [[0.4, 0.7, 0.5, 0.4]])
    assert "about 53 questions are needed instead of 4" in advice_of(close).next[0]
    level = scores_of("AiP", [[0.5, 0.7]], [[0.7, 0.5]])
    assert advice_of(level).next == [] and advice_of(level).headline.startswith("All 2 runs are level")
    one = scores_of("AiP iR@5 iP@5", [[0.5, 0.7], [0.9, 0.9], [0.1, 0.1]])
    assert advice_of(one).headline.startswith("The first 5 results of `a` hold")


@pytest.mark.parametrize(
    ("values", "needed"),
    [([0.1], 0), ([0.1, float("nan")], 0), ([0.1, -0.1], 0), ([0.2, 0.3], 0), ([0.1, -0.1, 0.2, 0.0], 53)],
)
def test_no_number_of_questions_is_told_where_none_would_help(values, needed):
    assert topics_needed(np.array(values)) == needed


def test_advice_says_whatever_a_verdict_says_of_runs_that_are_level() -> None:
    level = scores_of("AiP iR@5", [[0.5, 0.7], [0.9, 0.2]], [[0.7, 0.5], [0.3, 0.2]])
    said, advice = verdict(level), advice_of(level)
    assert len(said) > 1 and [advice.headline, *advice.sentences] == said
