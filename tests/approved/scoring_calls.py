"""Scores, comparisons and what explains them, of a drawn collection with drawn options."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import doxeval as dx
from tests.approved.drawn import SYSTEMS, TOPICS
from tests.measurement.test_invariants import SCORED

RUNS = tuple(f"runs/{name}.jsonl" for name in SYSTEMS)
GOLD = ("answers.jsonl", "answers.jsonl", "graded.jsonl", "some.jsonl", "several.jsonl")
OPTIONS: tuple[dict[str, Any], ...] = (
    {}, {"topics": "run"}, {"average": "micro"}, {"task": "focused", "fix": True}, {"shape": "documents"},
    {"depth": 3}, {"unjudged": "skip"}, {"rank_by": "score"}, {"bounds": True}, {"merge": "majority"},
    {"merge": "union"}, {"unit": "lines"}, {"task": "ric", "fix": True}, {"added": "free"}, {"merge": "mean"},
)  # fmt: skip
MEASURES = tuple(name for name in SCORED["ranges"] if "@" in name or "(" in name)


def some_options(dice: random.Random) -> dict[str, Any]:
    """Some options of scoring that go together or not."""
    return dice.choice(OPTIONS) | dice.choice([{}, *OPTIONS])


def evaluating(known: dx.Documents, dice: random.Random) -> Any:
    """Scores by some measures."""
    measures, options = dice.sample(MEASURES, 3), some_options(dice)
    if "average" in options or "bounds" in options:
        measures = dice.sample(["iP@5", "iR@5", "F@5", "IoU@5", "iP@2000c"], 3)
    given = dice.choice([*(known,) * 6, None])
    return dx.evaluate(dice.sample(RUNS, dice.randint(1, 3)), dice.choice(GOLD), measures, given, **options)


def comparing(known: dx.Documents, dice: random.Random) -> Any:
    """A comparison of runs, by one test and one correction."""
    runs = dice.sample(RUNS, dice.randint(2, 4))
    test = dice.choice([None, "t", "wilcoxon", "sign", "randomisation", "bootstrap", "tukey"])
    options: Any = {"baseline": dice.choice([None, Path(runs[0]).stem])} | dice.choice(OPTIONS[:6])
    return dx.compare(
        runs, "answers.jsonl", ["iR@5", "iP@5"], known, test=test, draws=200,
        confidence=dice.choice([0.9, 0.95]),
        correction=dice.choice(["holm", "bh", "none"]), interval=dice.choice(["bootstrap", "t"]), **options,
    ).rendered()  # fmt: skip


def correlating(known: dx.Documents, dice: random.Random) -> Any:
    """How alike measures rank runs."""
    measures = dice.sample(["AiP", "iP@5", "iR@5", "CE@5", "IoU@5", "F@5", "iR@2000c"], 3)
    coefficient = dice.choice(["tau", "tauap", "spearman", "pearson", "rbo"])
    return dx.correlate(RUNS, "answers.jsonl", measures, known, coefficient=coefficient, draws=100).rendered()


def diagnosing(known: dx.Documents, dice: random.Random) -> Any:
    """What becomes of each topic."""
    measure = dice.choice(["iR@5", "iR@2000c", "iP@3", "iR@1d", "AiP", "F@5"])
    return dx.diagnose(
        dice.sample(RUNS, dice.randint(1, 3)), dice.choice(GOLD[:4]), measure, known, draws=100,
        met_from=dice.choice([1.0, 0.5]), near_chance=dice.choice([0.1, 0.4]),
        near_gap=dice.choice([None, 50]), buried_below=dice.choice([0.1, 0.4]),
    ).rendered()  # fmt: skip


def slicing(known: dx.Documents, dice: random.Random) -> Any:
    """Means of kinds of topics, means that few trusted judgements correct, and effects of parameters."""
    kinds = {topic: {"query": "?", "kind": dice.choice("xyz")} for topic in TOPICS}
    runs = dice.sample(RUNS, 2)
    way = dice.randrange(3)
    if way == 0:
        by: Any = {"by": "kind", "topics_file": kinds, "draws": 100}
        return dx.slice_scores(runs, "answers.jsonl", "iR@5", known, **by).rendered()
    if way == 1:
        return dx.trust(runs, "model.jsonl", "iR@5", known, trusted="some.jsonl").rendered()
    return dx.budget(runs, "answers.jsonl", known, recalls=dice.sample([0.2, 0.5, 0.8, 1], 2)).rendered()


def limiting(known: dx.Documents, dice: random.Random) -> Any:
    """What chunks allow."""
    chunks = dx.chunk(known, cut=dice.choice(["paragraph", "sentence", "size"]), size=dice.choice([150, 600]))
    runs = dice.choice([None, [RUNS[0], RUNS[2]]])
    return dx.ceiling(chunks, dice.choice(GOLD[:4]), known, runs=runs, k=dice.choice([1, 3, 5])).rendered()


def drawing_curves(known: dx.Documents, dice: random.Random) -> Any:
    """Measures over ranks, text, documents or recall."""
    measure, over = dice.choice([
        ("iR@8", "rank"), ("iP@8 iR@8", "rank"), ("iR@3000c", "characters"), ("iP", "recall"),
        ("iR@4d", "documents"), ("iR@300w", "words"), ("nDCG@5", "rank"),
    ])  # fmt: skip
    return dx.curve(dice.sample(RUNS, 2), "answers.jsonl", measure, known, over=over).rendered()


def simulating(known: dx.Documents, dice: random.Random) -> Any:
    """Readers who are drawn, and what formulas expect of them."""
    model = dice.choice(["none", "hierarchical", "readon(mean=200)", "t2i(tolerance=80)", "tiring"])
    measures = dice.choice(["Hits@5 NearMisses@5 Misses@5", "ERRU@5", "SRiP2@3"])
    run = dice.choice(RUNS)
    visits = dice.choice(["independent", "persistent"])
    return dx.simulate(run, "answers.jsonl", measures, known, model, readers=40, visits=visits).rendered()


def making(_: dx.Documents, dice: random.Random) -> Any:
    """A collection that is made."""
    options: Any = {
        "document_count": dice.choice([10, 30]), "topic_count": dice.choice([1, 3]), "system_count": 2,
        "pool_size": dice.choice([5, 15]), "relevant_share": dice.choice([0.1, 0.6]), "results": 7,
        "format": dice.choice(["native", "inex"]), "words": dice.random() < 0.5, "seed": dice.randrange(9),
    }  # fmt: skip
    dx.synth("made", **options)
    made = sorted(path for path in Path("made").rglob("*") if path.is_file())
    return {f"{path}": path.read_text(encoding="utf-8") for path in made}


def reporting(known: dx.Documents, dice: random.Random) -> Any:
    """What is wrong with files, and what a collection consists of."""
    if dice.random() < 0.5:
        way, weight = dice.choice(["path", "tag"]), dice.choice(["extent", "length"])
        return dx.summary(known, partition=way, weight=weight, most=dice.choice([3, 30])).rendered()
    checked = dx.validate(dice.choice(RUNS), dice.choice(GOLD[:4]), dice.choice([known, None, {"d1": "so"}]))
    return {"row": checked.row, "problems": [*map(str, checked.problems)]}
