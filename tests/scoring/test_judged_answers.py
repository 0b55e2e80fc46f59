"""Judged answers: worked examples, a twin in plain Python, and all that scores can do."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from doxeval.cli import group
from doxeval.scoring.judged_answers import judged_scores

ROWS: list[dict[str, Any]] = [
    {
        "run": "a", "topic": "1",
        "nuggets": [
            {"text": "x", "importance": "vital", "assignment": "support"},
            {"text": "y", "importance": "vital", "assignment": "not_support"},
            {"text": "z", "importance": "okay", "assignment": "partial_support"},
            {"text": "w", "importance": "okay"},
        ],
        "sentences": [
            {"text": "One.", "citations": [{"doc": "d1", "support": "full"}, {"doc": "d2", "support": "NS"}]},
            {"text": "Two.", "citations": [{"doc": "d1", "support": 0.5}]},
            {"text": "Three.", "citations": []},
            {"text": "Four.", "citations": ["d7"]},
        ],
    },
    {
        "run": "a", "topic": "2",
        "nuggets": [{"text": "x", "importance": "okay", "assignment": "support"}],
        "sentences": [],
    },
]  # fmt: skip
WORKED = {
    "VitalNuggetRecall": (1 / 2, 1 / 2, None),
    "VitalNuggetRecall(strict)": (1 / 2, 1 / 2, None),
    "NuggetRecall": (1.5 / 4, 2.5 / 4, 1),
    "NuggetRecall(strict)": (1 / 4, 2 / 4, 1),
    "CitationPrecision": (1 / 4, 2 / 4, 0),
    "CitationPrecision(weighted)": (1.5 / 4, 2.5 / 4, 0),
    "CitationRecall": (1 / 4, 2 / 4, 0),
    "CitationRecall(weighted)": (1.5 / 4, 2.5 / 4, 0),
}


def scored(rows):
    return judged_scores([(f"row {at}", row) for at, row in enumerate(rows, 1)], "judged")


def test_worked_example():
    scores = scored(ROWS)
    assert scores.measures == list(WORKED)
    for name, (low, high, second) in WORKED.items():
        assert scores.value("a", name, "1") == pytest.approx(low)
        assert scores.bounds("a", name, "1") == pytest.approx((low, high))
        assert scores.value("a", name, "2") == second
    told = "; ".join(map(str, scores.notices))
    assert "1 of 5 nuggets is not judged" in told and "1 of 4 citations is not judged" in told

    lasting = "; ".join(map(str, scores.notices.lasting))
    assert "1 of 5 nuggets is not judged" in lasting and "1 of 4 citations is not judged" in lasting


def test_a_run_without_an_answer_that_another_has_counts_0():
    other = ROWS[1] | {"run": "b"}
    scores = scored([*ROWS, other])
    assert scores.value("b", "NuggetRecall") == 0.5 and scores.value("a", "NuggetRecall") == (1.5 / 4 + 1) / 2
    assert "1 answer is missing, and counts 0 (b: 1)" in "; ".join(map(str, scores.notices))


@pytest.mark.parametrize(
    "row",
    [
        7, {}, {"topic": "1"}, {"topic": "1", "nuggets": [{"importance": "vital", "assignment": "maybe"}]},
        {"topic": "1", "nuggets": [{"importance": "huge"}]}, {"topic": "1", "nuggets": 7},
        {"topic": "1", "sentences": [{"citations": [{"support": 2}]}]},
    ],
)  # fmt: skip
def test_other_rows_are_refused(row):
    scores = scored([*ROWS, row])
    assert len(scores.topics) == 2
    assert "1 row refused, expected a judged answer" in "; ".join(map(str, scores.notices))
    with pytest.raises(dx.InputError, match="holds no judged answers"):
        scored([row])


def test_files_are_scores_for_every_command(tmp_path):
    rng = random.Random(1)
    for run in "ab":
        rows = [
            {"run": run, "topic": str(topic), "nuggets": [
                {"text": str(at), "importance": "vital", "assignment": rng.choice(["support", "not_support"])}
                for at in range(5)]}
            for topic in range(8)
        ]  # fmt: skip
        (tmp_path / f"{run}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = [str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")]
    shown = CliRunner().invoke(group, ["eval", *files])
    assert shown.exit_code == 0 and "VitalNuggetRecall" in shown.output, shown.output
    compared = CliRunner().invoke(group, ["compare", *files])
    assert compared.exit_code == 0 and "corrected p" in compared.output, compared.output
    topics = tmp_path / "topics.jsonl"
    topics.write_text(
        "".join(
            json.dumps({"topic": str(t), "query": "?", "kind": "even" if t % 2 == 0 else "odd"}) + "\n"
            for t in range(8)
        )
    )
    sliced = CliRunner().invoke(group, ["eval", *files, "--by", "kind", "--topics-file", str(topics)])
    assert sliced.exit_code == 0 and "odd" in sliced.output, sliced.output
    assert dx.compare([dx.read_scores(file) for file in files], test="t").rows


JUDGEMENTS = st.sampled_from([None, "support", "partial_support", "not_support"])
WORTH = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}


@given(
    st.lists(st.tuples(st.sampled_from(["vital", "okay"]), JUDGEMENTS), max_size=5),
    st.lists(st.lists(JUDGEMENTS, max_size=3), max_size=4),
)
def test_the_values_are_those_of_a_twin(nuggets, sentences):
    row = {
        "run": "r", "topic": "t",
        "nuggets": [{"importance": i} | ({"assignment": a} if a else {}) for i, a in nuggets],
        "sentences": [{"citations": [{"support": a} if a else "d" for a in one]} for one in sentences],
    }  # fmt: skip
    scores = scored([row])

    def share(worths):
        return sum(worths) / len(worths) if worths else 0.0

    for unjudged, side in ((0.0, 0), (1.0, 1)):

        def worth(given, strict, unjudged=unjudged):
            value = unjudged if given is None else WORTH[given]
            return value if not strict or value == 1 else 0.0

        for strict in (False, True):
            name = "(strict)" if strict else ""
            wanted = {f"NuggetRecall{name}": share([worth(a, strict) for _, a in nuggets])}
            vital = [worth(a, strict) for i, a in nuggets if i == "vital"]
            if vital:
                wanted[f"VitalNuggetRecall{name}"] = share(vital)
            name = "" if strict else "(weighted)"
            wanted[f"CitationPrecision{name}"] = share([worth(a, strict) for one in sentences for a in one])
            wanted[f"CitationRecall{name}"] = share(
                [max([worth(a, strict) for a in one], default=0.0) for one in sentences]
            )
            for measure, value in wanted.items():
                bounds = scores.bounds("r", measure) if scores.bounded else (scores.value("r", measure),) * 2
                assert bounds[side] == pytest.approx(value)
                assert unjudged or scores.value("r", measure) == pytest.approx(value)


@pytest.mark.parametrize(
    ("label", "recall"),
    [(True, 1.0), (False, 0.0), (1, 1.0), (0.5, 0.5), (0, 0.0), ("Partially Supports", 0.5)],
)
def test_support_may_be_yes_or_no_a_number_or_words(label, recall):
    rows = [{"topic": "1", "nuggets": [{"text": "x", "importance": "vital", "label": label}]}]
    assert scored(rows).value("judged", "NuggetRecall", "1") == recall
