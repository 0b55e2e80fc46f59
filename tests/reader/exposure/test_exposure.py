"""Exposure against its twins: explicit sums over nodes and over characters, on small random collections."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import doxeval as dx
from tests.reader.exposure import twins

pytestmark = pytest.mark.filterwarnings("ignore:run. no document of the run was assessed")

SEEDS = st.integers(0, 10**6)
NAMES = ("Hits", "NearMisses", "Misses")


def scored(case: twins.Case, navigation: str, parameters: str, docs: bool = True) -> list[tuple[float, ...]]:
    """Hits, near-misses and misses after every rank, and past the end."""
    ranks = range(1, len(case.run) + 2)
    names = [[f"{name}({parameters})@{rank}" for name in NAMES] for rank in ranks]
    run = dx.read_run(case.run, name="run") if case.run else dx.read_run(b"", name="run")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        scores = dx.evaluate(
            run,
            case.qrels,
            [name for some in names for name in some],
            case.docs if docs else None,
            navigation,
        )
    return [tuple(scores.value("run", name) for name in some) for some in names]


@settings(max_examples=20)
@given(SEEDS, st.sampled_from(["esr", "sr"]))
def test_trees_with_any_chances(tmp_path_factory: pytest.TempPathFactory, seed: int, rule: str) -> None:
    case = twins.tree_case(seed)
    path = tmp_path_factory.mktemp("nav") / "nav.csv"
    path.write_text(case.matrix())

    def p(case: twins.Case, doc: str, source: str, target: str) -> float:
        return case.chance.get((doc, source, target), 0.0)

    for rank, got in enumerate(scored(case, f"matrix(file={path})", f"tree={rule}"), 1):
        assert got == pytest.approx(twins.expose_trees(case, p, rule, rank), abs=1e-12)


@settings(max_examples=20)
@given(
    SEEDS,
    st.sampled_from(["esr", "sr"]),
    st.sampled_from([0, 0.25, 1]),
    st.sampled_from(["identical", "certain"]),
    st.sampled_from(["new", "repeated"]),
)
def test_certain_hits_and_overlap(
    tmp_path_factory: pytest.TempPathFactory, seed: int, rule: str, alpha: float, hit: str, overlap: str
) -> None:
    """ESR footnote 6 and 7.5: trees seen with certainty, and text of hits that earlier results have shown."""
    case = twins.tree_case(seed)
    case.chance = {pair: 1.0 if p > 0.6 else p for pair, p in case.chance.items()}
    path = tmp_path_factory.mktemp("nav") / "nav.csv"
    path.write_text(case.matrix())

    def p(case: twins.Case, doc: str, source: str, target: str) -> float:
        return case.chance.get((doc, source, target), 0.0)

    parameters = f"tree={rule},alpha={alpha},hit={hit},overlap={overlap}"
    for rank, got in enumerate(scored(case, f"matrix(file={path})", parameters), 1):
        wanted = twins.expose_trees(case, p, rule, rank, alpha, hit, overlap)
        assert got == pytest.approx(wanted, abs=1e-12)


@settings(max_examples=20)
@given(SEEDS)
def test_overlap_of_highlights_owned_by_nodes(seed: int) -> None:
    """Without navigation and with length as worth, hits of owners that are no news are worth nothing."""
    case = twins.text_case(seed)
    dice = random.Random(seed)
    pool = [(doc["doc"], node) for doc in case.docs for node in doc["nodes"]]
    chosen = dice.choices(pool, k=5)
    case.run = [{"topic": "t", "doc": doc, "rank": at, "node": node["id"]}
                for at, (doc, node) in enumerate(chosen, 1)]  # fmt: skip
    relevant = twins.worth_of_characters(case, "length")
    shown: set[tuple[str, int]] = set()
    hits, total = [], 0
    for doc, node in chosen:
        text = {(doc, at) for at in range(node["start"], node["end"])}
        total += sum(place in relevant and twins.owner(case.nodes(doc), place[1]) is node
                     for place in text - shown)  # fmt: skip
        shown |= text
        hits.append(total)
    got = scored(case, "none", "mode=trees,rel=length,overlap=repeated")
    assert [one[0] for one in got] == pytest.approx([*hits, hits[-1]])


@pytest.mark.parametrize("option", ["hit=certain", "overlap=repeated"])
def test_options_of_trees_are_refused_for_text(option: str) -> None:
    case = twins.text_case(1)
    with pytest.raises(dx.UsageError, match="applies to mode=trees"):
        dx.evaluate({"run": case.run}, case.qrels, f"Hits({option})@1", case.docs)


@settings(max_examples=15)
@given(SEEDS)
def test_trees_up_and_down(seed: int) -> None:
    case = twins.tree_case(seed)
    for rank, got in enumerate(scored(case, "hierarchical", "mode=trees"), 1):
        assert got == pytest.approx(twins.expose_trees(case, twins.hierarchical, "esr", rank), abs=1e-12)


@settings(max_examples=20)
@given(SEEDS, st.sampled_from(["length", "binary", "grade"]), st.sampled_from([0, 0.25, 1]))
def test_text_by_nodes(tmp_path_factory: pytest.TempPathFactory, seed: int, rel: str, alpha: float) -> None:
    case = twins.text_case(seed)
    path = tmp_path_factory.mktemp("nav") / "nav.csv"
    path.write_text(case.matrix())

    def p(case: twins.Case, doc: str, source: str, target: str) -> float:
        return case.chance.get((doc, source, target), 0.0)

    for model, chance in ((f"matrix(file={path})", p), ("hierarchical", twins.hierarchical)):

        def seen(doc: str, at: int, rows: list[dict], chance: Any = chance) -> float:
            return twins.seen_by_nodes(case, chance, doc, at, rows)

        for rank, got in enumerate(scored(case, model, f"rel={rel},alpha={alpha}"), 1):
            assert got == pytest.approx(twins.expose_text(case, seen, rel, alpha, rank), abs=1e-11)


@settings(max_examples=20)
@given(SEEDS, st.sampled_from(sorted(twins.DISTANCES)), st.sampled_from(["length", "binary"]))
def test_text_by_distance(seed: int, model: str, rel: str) -> None:
    case = twins.text_case(seed)

    def seen(doc: str, at: int, rows: list[dict]) -> float:
        return twins.seen_by_distance(case, twins.DISTANCES[model], doc, at, rows)

    for rank, got in enumerate(scored(case, model, f"rel={rel}"), 1):
        assert got == pytest.approx(twins.expose_text(case, seen, rel, 0, rank), abs=1e-11)


@settings(max_examples=20)
@given(SEEDS)
def test_mixture_is_a_crowd_of_readers(seed: int) -> None:
    case = twins.text_case(seed)
    distance = twins.DISTANCES["readon(mean=4)"]

    def seen(doc: str, at: int, rows: list[dict]) -> float:
        by_nodes = twins.seen_by_nodes(case, twins.hierarchical, doc, at, rows)
        return 0.5 * by_nodes + 0.3 * twins.seen_by_distance(case, distance, doc, at, rows)

    for rank, got in enumerate(scored(case, "mix(0.5*hierarchical+0.3*readon(mean=4))", "rel=length"), 1):
        assert got == pytest.approx(twins.expose_text(case, seen, "length", 0, rank), abs=1e-11)


@settings(max_examples=12)
@given(SEEDS)
def test_without_navigation_trees_give_precision_and_recall(seed: int) -> None:
    case = twins.tree_case(seed)
    distinct = {(row["doc"], frozenset(row["nodes"])) for row in case.qrels}
    case.qrels = [
        {"topic": "t", "doc": doc, "nodes": sorted(nodes), "rel": 1}
        for doc, nodes in sorted(distinct, key=str)
    ]
    found = {(row["doc"], frozenset(row["nodes"])) for row in case.run} & distinct
    k = len(case.run) + 1
    run = dx.read_run(case.run, name="run") if case.run else dx.read_run(b"", name="run")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        scores = dx.evaluate(run, case.qrels, f"ESRP@{k} ESRR@{k}", case.docs)
    assert scores.value("run", f"ESRP@{k}") == pytest.approx(len(found) / k)
    assert scores.value("run", f"ESRR@{k}") == pytest.approx(len(found) / len(distinct))


@settings(max_examples=12)
@given(SEEDS, st.booleans())
def test_without_navigation_text_is_hixeval(seed: int, docs: bool) -> None:
    case = twins.text_case(seed)
    if not case.run:
        return
    pairs = [
        ("iP", "SRiP"),
        ("iR", "SRiR"),
        ("iP(alpha=0.5)", "SRiP(alpha=0.5)"),
        ("iR(alpha=1)", "SRiR(alpha=1)"),
    ]
    ranks = range(1, len(case.run) + 2)
    names = [f"{name}@{rank}" for pair in pairs for name in pair for rank in ranks]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        scores = dx.evaluate(
            dx.read_run(case.run, name="run"), case.qrels, names, case.docs if docs else None
        )
    for plain, structural in pairs:
        for rank in ranks:
            wanted = scores.value("run", f"{plain}@{rank}")
            assert scores.value("run", f"{structural}@{rank}") == pytest.approx(wanted, abs=1e-12)


def test_document_without_a_tree_is_one_node() -> None:
    qrels = [{"topic": "t", "doc": "d", "length": 100}, {"topic": "t", "doc": "d", "start": 50, "end": 70}]
    run = [{"topic": "t", "doc": "d", "rank": 1, "start": 0, "end": 60}]
    scores = dx.evaluate({"run": run}, qrels, "Hits@1 NearMisses@1", navigation="hierarchical")
    assert scores.value("run", "Hits@1") == 10
    assert scores.value("run", "NearMisses@1") == pytest.approx(10 * 0.6)


def test_links_lead_to_other_documents(tmp_path: Path) -> None:
    leaf = {"tag": "a", "parent": None, "start": 0, "end": 10}
    docs = [{"doc": name, "length": 10, "nodes": [{"id": f"{name}.1", **leaf}]} for name in ("x", "y", "z")]
    (tmp_path / "links.csv").write_text(
        "from_doc,from,to_doc,to,p\nx,x.1,y,y.1,.5\nx,x.1,z,z.1,.3\ny,y.1,z,z.1,.8\nz,z.1,y,y.1,.12\n"
    )
    run = [{"topic": "t", "doc": "x", "rank": 1, "node": "x.1"}]
    for doc, chance in (("y", 0.536), ("z", 0.7)):
        for row in ({"node": f"{doc}.1", "rel": 1}, {"start": 0, "end": 1}):
            scores = dx.evaluate(
                dx.read_run(run, name="run"), [{"topic": "t", "doc": doc, **row}], "NearMisses@1", docs,
                f"links(file={tmp_path / 'links.csv'})",
            )  # fmt: skip
            assert scores.value("run", "NearMisses@1") == pytest.approx(chance)
            both = [*run, {"topic": "t", "doc": doc, "rank": 2, "start": 0, "end": 10}]
            assert dx.evaluate(
                dx.read_run(both, name="run"), [{"topic": "t", "doc": doc, **row}], "SR", docs,
                f"links(file={tmp_path / 'links.csv'})",
            ).value("run", "SR") == pytest.approx((1 if "node" in row else 0.1) * (1 - chance))  # fmt: skip


def test_results_of_every_kind_are_scored_side_by_side() -> None:
    """An element, the passage that is its extent, and its document, against one judged node."""
    docs = [
        {"doc": "d", "length": 100, "nodes": [
            {"id": "r", "parent": None, "tag": "a", "start": 0, "end": 100},
            {"id": "s", "parent": "r", "tag": "sec", "start": 20, "end": 60},
        ]},
    ]  # fmt: skip
    qrels = [{"topic": "t", "doc": "d", "node": "s", "rel": 1}]
    runs = {
        "element": [{"topic": "t", "doc": "d", "rank": 1, "node": "s"}],
        "passage": [{"topic": "t", "doc": "d", "rank": 1, "start": 20, "end": 60}],
        "document": [{"topic": "t", "doc": "d", "rank": 1}],
    }
    scores = dx.evaluate(runs, qrels, "ESRP@1 ESRR@1 SRiP@1", docs, "hierarchical")
    assert [scores.value(name, "ESRP@1") for name in runs] == [1, 1, 0]
    assert [scores.value(name, "ESRR@1") for name in runs] == pytest.approx([1, 1, 0.4])


def test_ranges_as_owned_nodes() -> None:
    """mode=trees over highlights: each relevant character belongs to its deepest node."""
    docs = [
        {"doc": "d", "length": 50, "nodes": [
            {"id": "r", "parent": None, "tag": "a", "start": 0, "end": 50},
            {"id": "s", "parent": "r", "tag": "sec", "start": 10, "end": 30},
        ]},
    ]  # fmt: skip
    qrels = [{"topic": "t", "doc": "d", "start": 25, "end": 37}]
    run = [
        {"topic": "t", "doc": "d", "rank": 1, "node": "s"},
        {"topic": "t", "doc": "d", "rank": 2, "node": "r"},
    ]
    names = [
        "Hits(mode=trees)@1",
        "Hits(mode=trees)@2",
        "ESRP(mode=trees)@2",
        "Hits(mode=trees,rel=specificity)@2",
    ]
    scores = dx.evaluate(dx.read_run(run, name="run"), qrels, names, docs)
    assert [scores.value("run", name) for name in names] == pytest.approx([5, 12, 1, 5 / 20 + 7 / 50])


def test_results_without_text_lead_nowhere() -> None:
    """An empty element before a result of two ranges must not take over one of its nodes."""
    docs = [
        {"doc": "d", "length": 40, "nodes": [
            {"id": "r", "parent": None, "tag": "a", "start": 0, "end": 40},
            {"id": "s", "parent": "r", "tag": "sec", "start": 10, "end": 20},
            {"id": "e", "parent": "r", "tag": "sec", "start": 40, "end": 40},
        ]},
    ]  # fmt: skip
    run = [
        {"topic": "t", "doc": "d", "rank": 1, "node": "e"},
        {"topic": "t", "doc": "d", "rank": 2, "spans": [[0, 4], [10, 20]]},
    ]
    names = ["NearMisses@1", "NearMisses@2"]
    qrels = [{"topic": "t", "doc": "d", "start": 30, "end": 40}]
    scores = dx.evaluate(dx.read_run(run, name="run"), qrels, names, docs, "hierarchical")
    assert [scores.value("run", name) for name in names] == pytest.approx([0, 10 * 14 / 40])


def test_unassessed_results_repeat_nothing() -> None:
    """A whole document in which nothing is relevant is no earlier showing of another document's root."""
    root = {"tag": "a", "parent": None, "start": 0, "end": 10}
    docs = [{"doc": name, "length": 10, "nodes": [{"id": name, **root}]} for name in ("x", "y")]
    qrels = [
        {"topic": "t", "doc": "x", "node": "x", "rel": 2},
        {"topic": "t", "doc": "y", "node": "y", "rel": 0},
    ]
    run = [
        {"topic": "t", "doc": "y", "rank": 1, "start": 0, "end": 10},
        {"topic": "t", "doc": "x", "rank": 2, "node": "x"},
    ]
    scores = dx.evaluate(dx.read_run(run, name="run"), qrels, "SR@2", docs, "depthweighted")
    assert scores.value("run", "SR@2") == 2


@settings(max_examples=20)
@given(SEEDS, st.sampled_from(["mean", "max", "size"]))
def test_specificity_of_every_node(seed: int, infer: str) -> None:
    """SR on highlights, character by character: a node is worth the share of its text that is relevant."""
    case = twins.text_case(seed)
    relevant = {(row["doc"], at) for row in case.qrels for at in range(row["start"], row["end"])}
    run = [
        {"topic": "t", "doc": doc["doc"], "rank": rank, "node": node["id"]}
        for doc in case.docs
        for rank, node in enumerate(doc["nodes"], 1)
    ]
    for result in run:
        node = next(one for one in case.nodes(result["doc"]) if one["id"] == result["node"])
        text = [(result["doc"], at) in relevant for at in range(node["start"], node["end"])]
        name = f"SR(infer={infer})@1"
        found = dx.evaluate({"run": [result | {"rank": 1}]}, case.qrels, name, case.docs)
        assert found.value("run", name) == pytest.approx(sum(text) / len(text) if text else 0)


ARTICLE = {"doc": "d", "length": 100, "nodes": [
    {"id": "article", "parent": None, "tag": "article", "start": 0, "end": 100},
    {"id": "sec", "parent": "article", "tag": "sec", "start": 0, "end": 60},
    {"id": "p", "parent": "sec", "tag": "p", "start": 0, "end": 30},
    {"id": "other", "parent": "article", "tag": "sec", "start": 60, "end": 100},
]}  # fmt: skip


@pytest.mark.parametrize(("node", "value"), [("sec", 1), ("article", 0.6), ("p", 1), ("other", 0)])
def test_a_section_highlighted_whole(node: str, value: float) -> None:
    run = [{"topic": "t", "doc": "d", "rank": 1, "node": node}]
    qrels = [{"topic": "t", "doc": "d", "start": 0, "end": 60}]
    scores = dx.evaluate({"run": run}, qrels, "SR@1 SRP@1", [ARTICLE])
    assert scores.value("run", "SR@1") == scores.value("run", "SRP@1") == value


def test_a_tree_is_worth_the_mean_of_its_nodes() -> None:
    run = [{"topic": "t", "doc": "d", "rank": 1, "nodes": ["article", "sec", "p"]}]
    qrels = [{"topic": "t", "doc": "d", "start": 0, "end": 60}]
    assert dx.evaluate({"run": run}, qrels, "SR@1", [ARTICLE]).value("run", "SR@1") == pytest.approx(2.6 / 3)
