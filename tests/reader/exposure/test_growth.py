"""What is looked at grows with what can meet, not with results x units; blocks change no digit."""

from __future__ import annotations

import random
import tracemalloc
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import doxeval as dx
from doxeval.reader.exposure import meeting_chances
from doxeval.reader.navigation.model import navigation_named, navigations
from doxeval.scoring.evaluation import Evaluation
from tests.reader.exposure import twins

MODELS = ("none", "hierarchical", "readon(mean=20)", "proximity(normalise=source)", "err")
MEASURES = (
    "SRiP2@9", "ESRR(mode=trees,alpha=0.5)@9", "NearMisses(tree=sr,mode=trees)@9", "SR@9",
    "SR(infer=none,tree=esr)@9", "PRUM(universe=1000)", "EPRUM(recall=0.5)",
)  # fmt: skip


def linked(case: twins.Case, path: Path, seed: int) -> str:
    """A model of links between the nodes of all documents, some of them drawn."""
    dice = random.Random(seed)
    nodes = [(doc["doc"], node["id"]) for doc in case.docs for node in doc["nodes"]]
    pairs = [pair for pair in product(nodes, nodes) if pair[0] != pair[1] and dice.random() < 0.4]
    rows = [",".join([*source, *target, f"{0.9 / len(nodes):.4f}"]) for source, target in pairs]
    path.write_text("\n".join(["from_doc,from,to_doc,to,p", *rows, ""]))
    return f"links(file={path})"


@pytest.mark.parametrize("model", [*MODELS, "links"])
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6))
def test_blocks_change_no_digit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: str, seed: int
) -> None:
    case = (twins.tree_case if seed % 2 else twins.text_case)(seed)
    if not case.run:
        return
    if model == "links":
        model = linked(case, tmp_path / "links.csv", seed)
    found = []
    for at_once in (1, 1 << 16):
        monkeypatch.setattr(meeting_chances, "AT_ONCE", at_once)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", dx.DoxevalWarning)
            evaluation = Evaluation(case.qrels, MEASURES, case.docs, model)
            found.append(evaluation.scores(dx.read_run(case.run)).runs[0].values)
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("name", navigations())
def test_a_model_leads_no_further_than_it_says(name: str) -> None:
    if navigations()[name].leads == "anywhere":
        return
    case = twins.tree_case(5)
    documents = dx.read_documents(case.docs)
    model = navigation_named(navigations()[name].example, documents)
    for doc, count in enumerate(documents.nodes.counts):
        source, target = (ends.ravel() for ends in np.indices((count, count)))
        near = documents.nested(np.full(count**2, doc), source, target)
        far = ~near if model.leads == "branch" else source != target
        assert not model.chance(np.full(far.sum(), doc), source[far], target[far]).any()


@pytest.mark.parametrize("model", MODELS)
def test_memory_does_not_grow_with_results_times_units(model: str) -> None:
    nodes = [{"id": "0", "parent": None, "tag": "a", "start": 0, "end": 500_000}]
    nodes += [
        {"id": str(at), "parent": "0", "tag": "p", "start": 1000 * (at - 1), "end": 1000 * at}
        for at in range(1, 501)
    ]
    answers = [{"topic": "t", "doc": "d", "start": 2500 * at, "end": 2500 * at + 99} for at in range(200)]
    results = [{"topic": "t", "doc": "d", "start": 98 * at, "end": 98 * at + 99} for at in range(5_000)]
    evaluation = Evaluation(
        answers, "SRiP2@9999 ESRR(mode=trees)@9999", [{"doc": "d", "length": 500_000, "nodes": nodes}], model
    )
    run = dx.read_run(results)
    tracemalloc.start()
    evaluation.scores(run)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40e6, f"{peak / 1e6:.0f} MB; 5,000 x 200 numbers alone are 8 MB"
