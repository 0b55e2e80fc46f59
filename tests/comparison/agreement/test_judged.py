"""Agreement and trust for judged answers: against a twin in plain Python, and what is refused."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.cli import group
from doxeval.comparison.agreement.judged import _told

SUPPORT = ("full", "partial", "none")


def answer(rng: random.Random, run: str, topic: str, judged: float = 1.0) -> dict:
    """An answer with three nuggets and two sentences, each judged with some chance."""

    def support() -> dict:
        return {"support": rng.choice(SUPPORT)} if rng.random() < judged else {}

    nuggets = [{"text": f"n{at}", "importance": "vital"} | support() for at in range(3)]
    sentences = [{"text": "s", "citations": [{"doc": doc} | support() for doc in "de"]} for _ in range(2)]
    return {"run": run, "topic": topic, "nuggets": nuggets, "sentences": sentences}


def judgements(rows: list[dict], topic: str, kind: str) -> dict:
    """The support of every nugget or citation of a topic, by where it is."""
    found: dict = {}
    for row in rows:
        if row["topic"] != topic:
            continue
        units = enumerate(row["nuggets"]) if kind == "nuggets" else (
            ((at, citation["doc"]), citation)
            for at, sentence in enumerate(row["sentences"]) for citation in sentence["citations"]
        )  # fmt: skip
        found |= {(row["run"], key): unit.get("support") for key, unit in units}
    return found


def twin(first: dict, second: dict, graded: bool, either: bool) -> float | None:
    """Cohen's kappa of the units that both judged, or that either did."""
    pairs = []
    for key in first:
        one, other = first[key], second.get(key)
        if (one is None and other is None) or (None in (one, other) and not either):
            continue
        pair = [value or "none" for value in (one, other)]
        pairs.append(tuple(value if graded else str(value != "none") for value in pair))
    if not pairs:
        return None
    agreed = sum(one == other for one, other in pairs) / len(pairs)
    counts: list[Counter] = [Counter(side) for side in zip(*pairs, strict=True)]
    chance = sum(counts[0][label] * counts[1][label] for label in counts[0]) / len(pairs) ** 2
    return None if chance == 1 else (agreed - chance) / (1 - chance)


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.booleans(), st.sampled_from(["both", "either"]))
def test_kappa_is_that_of_plain_counting(seed, graded, judged):
    rng = random.Random(seed)
    one, other = ([answer(rng, run, topic, 0.8) for run in "ab" for topic in ("t1", "t2")] for _ in range(2))
    found = dx.agree({"ann": one, "bob": other}, judged=judged, graded=graded, draws=100)
    for kind in ("nuggets", "citations"):
        for topic in ("t1", "t2"):
            wanted = twin(
                judgements(one, topic, kind), judgements(other, topic, kind), graded, judged == "either"
            )
            value = found.value("ann", "bob", f"kappa({kind})", topic)
            assert value == (None if wanted is None else pytest.approx(wanted))


def test_the_same_judgements_agree_and_differences_are_told():
    rows = [answer(random.Random(at), "a", f"t{at}") for at in range(4)]
    same = dx.agree({"ann": rows, "bob": rows}, graded=True, draws=100)
    assert same.value("ann", "bob", "kappa(citations)") == 1 and same.disagreements == []
    other = json.loads(json.dumps(rows))
    other[2]["nuggets"][1]["support"] = "none" if rows[2]["nuggets"][1]["support"] == "full" else "full"
    found: Any = dx.agree({"ann": rows, "bob": other}, draws=100)
    [one] = found.disagreements
    assert (one.topic, one.kind, one.which) == ("t2", "nuggets", "n1")
    assert (one.by_first, one.by_second) == tuple(side[2]["nuggets"][1]["support"] for side in (rows, other))


def test_rows_may_name_their_assessor_and_rankings_are_compared(tmp_path):
    rng = random.Random(5)
    rows = [
        answer(rng, run, f"t{at}") | {"assessor": person}
        for person in ("ann", "bob") for run in "abc" for at in range(6)
    ]  # fmt: skip
    path = tmp_path / "judged.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found: Any = dx.agree(path, draws=100)
    assert found.assessors == ["ann", "bob"] and found.table.header[3] == "answers"
    assert list(found.ranking(measures="NuggetRecall").correlations) == ["NuggetRecall"]
    done = CliRunner().invoke(group, ["agree", str(path), "-m", "NuggetRecall", "-f", "csv"])
    assert done.exit_code == 0 and "tau(NuggetRecall)" in done.stdout
    assert "ann,bob,t0,kappa(nuggets)" in done.stdout


@pytest.mark.parametrize("graded", [True, False])
def test_the_table_says_if_partial_support_is_a_class_of_its_own(graded):
    rng = random.Random(1)
    both = [answer(rng, "r", f"t{at}") | {"assessor": name} for at in range(3) for name in "ab"]
    found = dx.agree(both, graded=graded, draws=100)
    assert [(pair.first, pair.second) for pair in found.pairs] == [("a", "b")]
    told = "kappa and alpha distinguish full, partial and no support"
    assert (told in found.table.footer) == graded


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"coefficients": ["gamma"]}, "nuggets and citations are given"),
        ({"documents": [{"doc": "d", "text": "x"}]}, "judged answers need none"),
        ({"merge": "union"}, "judged answers are read as they are"),
    ],
)
def test_what_makes_no_sense_is_refused(options, told, tmp_path):
    rows = [answer(random.Random(1), "a", "t")]
    with pytest.raises(dx.UsageError, match=told):
        dx.agree({"ann": rows, "bob": rows}, **options)
    with pytest.raises(dx.UsageError, match="one kind"):
        dx.agree({"ann": rows, "bob": [{"topic": "t", "doc": "d", "start": 0, "end": 4}]})
    with pytest.raises(dx.UsageError, match="no answer in common"):
        dx.agree({"ann": rows, "bob": [rows[0] | {"topic": "other"}]})
    with pytest.raises(dx.UsageError, match="two assessors or more"):
        dx.agree({"ann": rows})
    found: Any = dx.agree({"ann": rows, "bob": rows}, draws=100)
    with pytest.raises(dx.UsageError, match="leave out runs"):
        found.ranking(rows)
    with pytest.raises(dx.UsageError, match="text that assessors marked"):
        dx.write_report(found, path=tmp_path / "page.html")


def test_answers_that_people_did_not_judge_in_full_are_left_to_the_model():
    rng = random.Random(3)
    model = [answer(rng, run, f"t{at}") for run in "ab" for at in range(12)]
    people = [answer(rng, "a", f"t{at}") for at in range(8)] + [answer(rng, "b", f"t{at}") for at in range(4)]
    del people[0]["nuggets"][0]["support"]
    found = {one.run: one for one in dx.trust(model, measures="NuggetRecall", trusted=people).means}
    assert (found["a"].trusted, found["b"].trusted, found["a"].topics) == (7, 4, 12)
    told = dx.read_scores(people[1:8])
    assert found["a"].human == pytest.approx(
        sum(told.value("a", "NuggetRecall", topic) for topic in told.topics) / 7
    )
    with pytest.raises(dx.UsageError, match="no run in common"):
        dx.trust(model, measures="NuggetRecall", trusted=[answer(rng, "z", f"t{at}") for at in range(5)])


def test_the_command_trusts_judged_answers(tmp_path):
    rng = random.Random(3)
    for name, topics in (("model", 12), ("people", 6)):
        rows = [answer(rng, run, f"t{at}") for run in "ab" for at in range(topics)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ["eval", str(tmp_path / "model.jsonl"), "--trust", str(tmp_path / "people.jsonl")]
    done = CliRunner().invoke(group, [*command, "-m", "CitationRecall"])
    assert done.exit_code == 0 and "Corrected by trusted judgements" in done.stdout


def test_places_of_what_was_judged_otherwise_count_from_1() -> None:
    assert _told((0, "d1")) == "sentence 1: d1" and _told((2, 0)) == "sentence 3: number 1"
