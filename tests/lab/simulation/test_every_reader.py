"""Simulated readers meet the formulas of all measures under all navigation models, or are refused."""

from __future__ import annotations

import json
import random
import re
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest

import doxeval as dx
from doxeval.core.errors import UsageError
from doxeval.core.grammar import split_names
from doxeval.ground.align import align
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import prepare_ground
from doxeval.lab.simulation.simulation import Simulation
from doxeval.measurement.base import Measure, measure_named, measures
from doxeval.measurement.describe import describe
from doxeval.measurement.families.phrases import CERTAIN
from doxeval.reader.navigation.model import navigations
from tests.measurement.test_invariants import document

READERS = 600
LIMIT = 6
"""Standard errors, from 16 groups of readers; one in ten thousand estimates is as far off by luck."""
RARE = 5 / READERS
"""The chance of what may not have happened to any reader."""
STEPS = {"ep", "AEP"}
"""Measures of whole ranks, which may be the same for all readers."""
DOCUMENTS = [document(name, length) for name, length in (("d0", 40), ("d1", 60))]
NODES = [(doc["doc"], node) for doc in DOCUMENTS for node in doc["nodes"]]
ASSESSED = {
    "highlights": [
        {"topic": "t", "doc": "d0", "start": 3, "end": 17, "aspects": ["A"]},
        {"topic": "t", "doc": "d1", "start": 30, "end": 58, "aspects": ["B"], "rel": 0.5},
        {"topic": "u", "doc": "d1", "start": 0, "end": 9, "aspects": ["A"]},
    ],
    "trees": [
        {"topic": "t", "doc": "d0", "nodes": ["p00"], "rel": 1},
        {"topic": "t", "doc": "d0", "nodes": ["s1", "p10"], "rel": 0.5},
        {"topic": "t", "doc": "d1", "nodes": ["p11"], "rel": 1},
        {"topic": "u", "doc": "d1", "nodes": ["a"], "rel": 1},
    ],
    "codes": [
        {"topic": "t", "doc": "d0", "node": "s0", "code": "3E"},
        {"topic": "t", "doc": "d0", "node": "p10", "code": "2L"},
        {"topic": "t", "doc": "d1", "node": "p11", "code": "3E"},
        {"topic": "u", "doc": "d1", "node": "p00", "code": "1E"},
    ],
}


def results(judged: bool) -> list[dict]:
    """Results of two topics, some of them twice, some of two nodes or ranges."""
    dice, rows = random.Random(5), []
    for topic in "tu":
        for rank in range(1, 8):
            doc, node = dice.choice(NODES)
            other = dice.choice([node for name, node in NODES if name == doc])
            both = [node, other] if rank % 3 == 0 and node is not other else [node]
            place = {"nodes": [one["id"] for one in both]} if judged else {
                "spans": [[one["start"], (one["start"] + 3 * one["end"]) // 4] for one in both]
            }  # fmt: skip
            rows.append({"topic": topic, "doc": doc, "rank": rank, **place})
        rows.append({**rows[-3], "rank": 8})
    return rows


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The files that some models read: chances, links within and between documents, and sessions."""
    folder, dice = tmp_path_factory.mktemp("nav"), random.Random(1)
    names = ("nav.csv", "links.csv", "log.jsonl")
    found = {name: folder / name for name in names}
    pairs = [(a, b) for a in NODES for b in NODES if a != b and dice.random() < 0.4]
    found["nav.csv"].write_text(
        "doc,from,to,p\n"
        + "".join(f"{a},{x['id']},{y['id']},{dice.random():.2f}\n" for (a, x), (b, y) in pairs if a == b)
    )
    found["links.csv"].write_text(
        "from_doc,from,to_doc,to,p\n"
        + "".join(f"{a},{x['id']},{b},{y['id']},0.1\n" for (a, x), (b, y) in pairs)
    )
    routes = [{"doc": "d0", "route": dice.choices(["a", "s0", "p00", "p10", "s1"], k=5)} for _ in range(9)]
    found["log.jsonl"].write_text("".join(json.dumps(route) + "\n" for route in routes))
    return found


@pytest.fixture(scope="module")
def runs() -> dict[str, Aligned]:
    """A run aligned with each kind of assessments."""
    documents = dx.read_documents(DOCUMENTS)
    return {
        kind: align(
            dx.read_run(results(kind != "highlights")),
            prepare_ground(dx.read_assessments(assessed), documents, None, None),
        )
        for kind, assessed in ASSESSED.items()
    }


def check(aligned: Aligned, texts: list[str], nav: str | None = None) -> bool:
    """Check that readers agree with the formulas, where these apply; return whether any readers differed."""
    chosen = []
    for measure in (measure_named(text, nav) for text in texts):
        if measure.draws and (aligned.ground.assessments.nodes is None or "cover" not in measure.label):
            measure.prepare(aligned.ground)
            chosen.append(measure)
    simulation = Simulation(chosen, aligned, READERS, seed=2)
    differed = False
    for measure in chosen:
        formula, (mean, error) = without_hypothesis(measure)(aligned), simulation.estimate(measure)
        assert (np.isnan(formula) == np.isnan(mean)).all(), measure.canonical
        differed |= bool((error > 0).any())
        near = LIMIT * error + RARE * np.where(error > 1e-12, np.abs(formula), np.maximum(1, np.abs(formula)))
        fine = np.isnan(formula) | (np.abs(formula - mean) <= near + 1e-9)
        assert fine.all(), f"{measure.canonical}: formula {formula}, readers {mean}, error {error}"
    return differed


def without_hypothesis(measure: Measure) -> Measure:
    """PRUM without its Hypothesis 2.3, which readers do not know about."""
    other = deepcopy(measure)
    if measure.name == "PRUM":
        other.given.exact = True
    return other


DRAWING = [measure for measure in measures().values() if measure.draws]


@pytest.mark.parametrize("kind", ["highlights", "trees"])
@pytest.mark.parametrize("measure", DRAWING, ids=lambda measure: measure.name)
def test_readers_meet_the_formula_of_every_measure(measure, kind, runs) -> None:
    texts = [measure.example.replace("@10", "@1"), *measure.samples()]
    assert check(runs[kind], texts, "err") or measure.name in STEPS, "no reader drew anything"


MODELS = {
    "err": ["err", "err(word=6,exponents=prose)"],
    "hierarchical": ["hierarchical", "hierarchical(normalise=source)"],
    "links": ["links(file={links.csv})"],
    "matrix": ["matrix(file={nav.csv})"],
    "mix": [
        "mix(0.5*hierarchical+0.3*readon(mean=5))",
        "mix(0.6*t2i(tolerance=4)+0.4*matrix(file={nav.csv}))",
        "mix(0.4*err+0.5*links(file={links.csv}))",
        "mix(0.5*mix(0.5*err+0.3*depthweighted)+0.5*proximity(A=0.3))",
    ],
    "proximity": ["proximity(A=0.3)", "proximity(A=2)"],
    "readon": ["readon(mean=5)", "readon(mean=3,back=9)"],
    "routes": ["routes(file={log.jsonl},partition=tag)", "routes(file={log.jsonl},prior=tag)"],
    "summary": ["summary(partition=path,weight=extent)", "summary(partition=node,weight=length)"],
    "t2i": [
        "t2i(tolerance=4)",
        "t2i(scale=3)",
        "t2i(tolerance=9,forward=true)",
        "t2i(scale=2,normalise=source)",
    ],
}
"""Parameters to try; a model that is not here is tried as its example."""
TRIED = (
    "NearMisses@4 Misses@2 SRiP2(alpha=0.5)@9 ESRR(mode=trees,tree=sr)@9 SRP@9 SR(tree=esr)@9 "
    "xCG@9 nXCG(alpha=0.5)@4 PRUM(exact=true) EPRUM(recall=0.5) ERRU@3,9"
)


@pytest.mark.parametrize("kind", ["highlights", "codes"])
@pytest.mark.parametrize("name", sorted(navigations()))
def test_readers_meet_the_formulas_under_every_model(name, kind, runs, files) -> None:
    for model in MODELS.get(name, [navigations()[name].example]):
        nav = re.sub(r"{(.*?)}", lambda match: str(files[match[1]]), model)
        if navigations()[name].minds_list:
            with pytest.raises(UsageError, match="chances change along the list"):
                check(runs[kind], split_names(TRIED), nav)
            continue
        check(runs[kind], split_names(TRIED), nav)


def test_every_other_measure_says_why_its_readers_cannot_be_simulated(runs) -> None:
    simulation = Simulation([], runs["highlights"], READERS)
    for measure in measures().values():
        if measure.draws:
            assert f"Simulated readers draw {measure.draws}" in describe(measure.name)
            continue
        assert f"Not simulated: {measure.no_draws}" in describe(measure.name)
        with pytest.raises(UsageError, match=re.escape(measure.no_draws)):
            simulation.estimate(measure_named(measure.example))
        by_chance = re.search("random|chance|probability|may ", measure.user)
        assert not by_chance or measure.no_draws != CERTAIN, measure.name
