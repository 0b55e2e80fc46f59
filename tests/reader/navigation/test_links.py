"""Links beside structure: mixed with other models, weighed by type, to documents without nodes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import doxeval as dx
from doxeval.reader.navigation.links import _solve
from doxeval.reader.navigation.model import navigation_named

DOCS = [
    {"doc": "x", "length": 100, "nodes": [
        {"id": "x", "parent": None, "tag": "a", "start": 0, "end": 100},
        {"id": "x1", "parent": "x", "tag": "p", "start": 0, "end": 40},
    ]},
    {"doc": "y", "length": 50},
    {"doc": "z", "length": 50},
]  # fmt: skip
MEASURES = "NearMisses@1 ESRR@1 SRiR2@1 EPRUM(r=1) PRUM(r=1,exact=true) ERRU@1"


@pytest.fixture
def links(tmp_path: Path) -> Path:
    path = tmp_path / "links.csv"
    path.write_text(
        "from_doc,from,to_doc,type\nx,x1,y,cites\nx,x1,z,cites\nx,x1,z,related\ny,,z,related\nx,x,y,author\n"
    )
    return path


def between(model: str, source: tuple[str, str], target: tuple[str, str]) -> float:
    documents = dx.read_documents(DOCS)
    ids = list(documents.ids)
    places = [
        (ids.index(doc), documents.find(ids.index(doc), node) if node else 0)
        for doc, node in (source, target)
    ]
    (one, f), (other, e) = places
    return float(
        navigation_named(model, documents).chance_between(*(np.array([at]) for at in (one, f, other, e)))[0]
    )


def test_a_type_has_a_weight_and_documents_need_no_nodes(links: Path) -> None:
    model = f"links(file={links},types=0.6*cites+0.3*related)"
    assert between(model, ("x", "x1"), ("y", "")) == pytest.approx(0.3)
    assert between(model, ("y", ""), ("z", "")) == pytest.approx(0.3)
    assert between(model, ("x", "x1"), ("z", "")) == pytest.approx(0.3 + 0.3 + 0.3 * 0.3)
    assert between(model, ("x", "x"), ("y", "")) == 0
    notices = navigation_named(model, dx.read_documents(DOCS)).notices
    assert "1 link is not followed: its type has no weight (author)" in " ".join(map(str, notices.lasting))


def test_shares_within_a_type_can_be_given(links: Path) -> None:
    links.write_text("from_doc,to_doc,type,p\ny,x,cites,0.9\ny,z,cites,0.1\n")
    model = f"links(file={links},types=0.5*cites)"
    assert between(model, ("y", ""), ("x", "x")) == pytest.approx(0.45)
    assert between(f"links(file={links})", ("y", ""), ("x", "x")) == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("types", "words"),
    [
        ("0.5*sites", "did you mean 'cites'"),
        ("cites", "expected terms"),
        ("0.8*cites+0.3*related", "more than 1"),
    ],
)
def test_refused(links: Path, types: str, words: str) -> None:
    with pytest.raises(dx.UsageError, match=words):
        navigation_named(f"links(file={links},types={types})", dx.read_documents(DOCS))


def test_a_file_without_types_or_chances_is_refused(links: Path) -> None:
    with pytest.raises(dx.InputError, match=r"expected the columns .*,p"):
        navigation_named(f"links(file={links})", dx.read_documents(DOCS))
    links.write_text("from_doc,to_doc,p\ny,x,0.9\n")
    with pytest.raises(dx.InputError, match=r"expected the columns .*,type"):
        navigation_named(f"links(file={links},types=1*cites)", dx.read_documents(DOCS))


@pytest.mark.parametrize("judged", [{"node": "x"}, {"start": 0, "end": 100}])
@pytest.mark.filterwarnings("ignore:.*no document of the run was assessed")
@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_mixture_follows_structure_and_links(links: Path, judged: dict, elsewhere: bool) -> None:
    """From x1, one half of the readers goes up to x by structure, the other half to y or z by links."""
    follow = f"links(file={links},types=0.6*cites+0.3*related)"
    mixed = f"mix(0.5*hierarchical+0.5*{follow})"
    qrels = [{"topic": "t", "doc": "x", **judged}]
    if elsewhere:
        judged = {"node": dx.read_documents(DOCS).path(1, 0)} if "node" in judged else {"start": 0, "end": 50}
        qrels = [{"topic": "t", "doc": "y", **judged}]
    run = {"run": [{"topic": "t", "doc": "x", "rank": 1, "node": "x1"}]}
    wanted = {"hierarchical": 0.0 if elsewhere else 0.4, follow: 0.3 if elsewhere else 0.0}
    for model, p in [*wanted.items(), (mixed, 0.5 * sum(wanted.values()))]:
        scores = dx.evaluate(run, qrels, MEASURES, DOCS, navigation=model)
        if "node" in judged:
            assert scores.value("run", "NearMisses@1") == pytest.approx(p)
            assert scores.value("run", "SRiR2@1") == pytest.approx(p)
        for name in ("EPRUM(r=1)", "ERRU@1"):
            assert scores.value("run", name) == pytest.approx(p), (model, name)


def test_coverage_counts_in_a_mixture_with_links(links: Path) -> None:
    qrels = [
        {"topic": "t", "doc": "x", "node": "x", "code": "3E"},
        {"topic": "t", "doc": "x", "node": "x1", "code": "3S"},
    ]
    run = {"run": [{"topic": "t", "doc": "x", "rank": 1, "node": "x1"}]}
    plain, mixed = (
        dx.evaluate(run, qrels, "ERRU(quantisation=strict)@1", DOCS, navigation=model).value(
            "run", "ERRU(quantisation=strict)@1"
        )
        for model in ("err", f"mix(1*err+0*links(file={links},types=0.5*cites))")
    )
    assert plain == mixed == pytest.approx(0.4**0.75)


def test_a_large_system_of_links_is_solved_as_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    rows, columns = random.integers(0, 9, 30), random.integers(0, 9, 30)
    system = rows, columns, random.random(30) * 0.1, random.random(9)
    dense = _solve(*system)
    monkeypatch.setattr("doxeval.reader.navigation.links.LARGEST_DENSE_SYSTEM", 8)
    assert _solve(*system) == pytest.approx(dense, rel=1e-12)
