"""List scores, effort, reading to a recall and budgets against a walk character by character."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx
from tests.cases import Case, cases, scores
from tests.reader.effort.walk import Walk

pytestmark = pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
DEPTHS = (1, 2, 3, 6)


@given(cases())
def test_generalised_precision_and_recall(case: Case) -> None:
    walk = Walk(case)
    expected = {"AgP": walk.agp(name="F"), "AgP(score=aveChP)": walk.agp(name="aveChP")}
    expected["AgP(score=T2I(n=7))"] = walk.agp(name="T2I", n=7)
    expected["MAgP(score=aveChP(order=sequential))"] = walk.agp(name="aveChP", order="sequential")
    precision = walk.generalised(name="F")
    relevant = [doc in walk.relevant_documents for doc in walk.documents]
    wanted = len(walk.relevant_documents)
    for depth in DEPTHS:
        total = precision[min(depth, len(precision)) - 1] * min(depth, len(precision)) if precision else 0
        expected[f"gP@{depth}"] = total / depth
        expected[f"gR@{depth}"] = sum(relevant[:depth]) / wanted
    for tenth in (0, 3, 5, 10):
        reached = [p for rank, p in enumerate(precision, 1) if 10 * sum(relevant[:rank]) >= tenth * wanted]
        expected[f"gP[{tenth / 10}]"] = max(reached, default=0)
    found = scores(case, " ".join(expected))
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-12), name


@given(cases(), st.integers(1, 30))
def test_effort(case: Case, screen: int) -> None:
    walk = Walk(case)
    for depth in DEPTHS:
        nce = walk.nce(depth, screen)
        effort = [walk.score(doc, "LE", n=screen) - 1 for doc in walk.documents][:depth]
        found = scores(
            case, f"CE({screen})@{depth} NCE(screen={screen})@{depth} MANCE(screen={screen})@{depth}"
        )
        expected = (sum(effort) + 4 * (depth - len(effort)), nce[-1], sum(nce) / depth)
        assert list(found.values()) == pytest.approx(expected, abs=1e-12)


@given(cases())
def test_character_average_precision(case: Case) -> None:
    assert scores(case, "CharAP")["CharAP"] == pytest.approx(Walk(case).char_ap(), abs=1e-12)


@given(cases(several_spans=False), st.randoms(use_true_random=False))
def test_passages_and_aspects(case: Case, rng) -> None:
    qrels, units, aspects = [], [], []
    for doc, marked in case.relevant.items():
        for a, b in marked:
            units.append((doc, a, b))
            aspects.append({rng.choice("ABCD") for _ in range(rng.randint(1, 2))})
            qrels.append({"topic": "t1", "doc": doc, "start": a, "end": b, "aspects": sorted(aspects[-1])})
    lengths = [{"doc": doc, "length": length} for doc, length in {**case.lengths, "elsewhere": 30}.items()]
    found = dx.evaluate({"run": case.run()}, qrels, "PsgAP AspectAP", documents=lengths)

    shown = relevant = hits = seen = 0
    precision: list[float] = []
    touched, gained = set(), 0.0
    met: set[str] = set()
    for at, (doc, _) in enumerate(case.results):
        text = case.shown(at)[1]
        unit = next((u for u, (d, a, b) in enumerate(units) if d == doc and text & set(range(a, b))), None)
        shown += len(text)
        if unit is not None:
            relevant += len(text & set(range(*units[unit][1:])))
            precision.append(relevant / shown)
            touched.add(unit)
        new = aspects[unit] - met if unit is not None else set()
        hits += bool(new)
        seen += bool(new) or unit is None
        gained += len(new) * hits / seen if new else 0
        met |= new
    wanted = len(precision) + len(units) - len(touched)
    assert found.value("run", "PsgAP") == pytest.approx(sum(precision) / wanted, abs=1e-12)
    every = len(set().union(*aspects))
    assert found.value("run", "AspectAP") == pytest.approx(gained / every, abs=1e-12)


@given(cases(), st.sampled_from(["0", "0.1", "0.5", "0.95", "1"]))
def test_reading_until_a_recall(case: Case, recall: str) -> None:
    names = [f"Reach(recall={recall})", f"Reach(recall={recall},unit=results)"]
    found = scores(case, " ".join(names))
    expected = (0, 0) if recall == "0" else Walk(case).reach(Fraction(recall))
    assert tuple(found.values()) == expected
    characters = found[names[0]]
    if 0 < characters < float("inf"):
        enough = scores(case, f"iR@{int(characters)}c")
        assert enough[f"iR@{int(characters)}c"] >= float(recall) - 1e-12


@given(cases(), st.integers(1, 120))
def test_lists_under_a_budget_of_characters(case: Case, budget: int) -> None:
    cut: dict[int, list[int]] = {}
    for result, _, character in Walk(case).shown(budget):
        cut.setdefault(result, []).append(character)
    results = [(case.results[at][0], [(c, c + 1) for c in text]) for at, text in cut.items()]
    expected = scores(Case(case.relevant, results), "AgP(score=aveChP) CharAP gR CE@5")
    found = scores(case, f"AgP(score=aveChP)@{budget}c CharAP@{budget}c gR@{budget}c")
    assert list(found.values()) == pytest.approx(list(expected.values())[:3], abs=1e-12)


TEXT = "  one two\tthree  four\nfive six seven eight nine ten eleven twelve"
DOCUMENTS: list[dict[str, Any]] = [
    {"doc": doc, "text": (TEXT * 2)[:length], "length": length} for doc, length in
    {"d1": 40, "d2": 25, "d3": 60, "elsewhere": 30}.items()]  # fmt: skip


def words_within(case: Case, budget: int) -> list[set[tuple[str, int]]]:
    """Characters of each result that are shown before the budget of words is used up."""
    text = {row["doc"]: row["text"] for row in DOCUMENTS}
    shown, used = [], 0
    for at, (doc, _) in enumerate(case.results):
        characters = sorted(case.shown(at)[1])
        kept: set[tuple[str, int]] = set()
        before = None
        for character in characters:
            blank = text[doc][character].isspace()
            continues = before == character - 1 and not text[doc][before].isspace()
            if not blank and not continues:
                if used == budget:
                    break
                used += 1
            kept.add((doc, character))
            before = character
        shown.append({(doc, c) for doc, c in kept if not text[doc][c].isspace()})
    return shown


@given(cases(), st.integers(1, 25))
def test_budgets_in_words(case: Case, budget: int) -> None:
    walk = Walk(case)
    seen = set().union(*words_within(case, budget), set())
    text = {row["doc"]: row["text"] for row in DOCUMENTS}
    dense = {
        doc: [(c, c + 1) for c in range(n) if walk.is_relevant(doc, c) and not text[doc][c].isspace()]
        for doc, n in case.lengths.items()
    }
    dense_case = Case({doc: marks for doc, marks in dense.items() if marks}, case.results)
    if not dense_case.total:
        return
    found = scores(dense_case, f"iR@{budget}w", documents=DOCUMENTS)[f"iR@{budget}w"]
    relevant = {(doc, c) for doc in dense for c, _ in dense[doc]}
    assert found == pytest.approx(len(seen & relevant) / len(relevant), abs=1e-12)


@given(cases(), st.sampled_from(["0.2", "0.6", "1"]))
def test_reaching_a_recall_is_the_least_budget_of_words(case: Case, recall: str) -> None:
    name = f"Reach(recall={recall},unit=words)"
    least = scores(case, name, documents=DOCUMENTS)[name]
    if least == float("inf"):
        return
    after = {f"iR@{n}w": n for n in (int(least), int(least) - 1) if n > 0}
    for measure, n in after.items():
        reached = scores(case, measure, documents=DOCUMENTS)[measure] >= float(recall) - 1e-12
        assert reached == (n >= least)


def test_budgets_in_tokens(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    qrels = [{"topic": "t", "doc": "d", "start": 5, "end": 16}]
    run = [{"topic": "t", "doc": "d", "rank": 1, "start": 0, "end": 30}]
    documents = [{"doc": "d", "text": "Well, said he, no: that is all", "length": 30}]
    found = dx.evaluate({"r": run}, qrels, "iR@2t iR@4t iR@5t Reach(recall=1,unit=tokens)",
                        documents=documents, tokenizer=path)  # fmt: skip
    values = [found.value("r", measure) for measure in found.measures]
    assert values == pytest.approx([0, 8 / 11, 9 / 11, 6])


def test_what_budgets_need_is_told(tmp_path: Path) -> None:
    qrels = [{"topic": "t", "doc": "d", "start": 5, "end": 16}]
    run = [{"topic": "t", "doc": "d", "rank": 1, "start": 0, "end": 30}]
    text = [{"doc": "d", "text": "x" * 30, "length": 30}]
    with pytest.raises(dx.UsageError, match="--docs"):
        dx.evaluate({"r": run}, qrels, "iR@5w")
    with pytest.raises(dx.UsageError, match="not among the documents given"):
        dx.evaluate({"r": [{**run[0], "doc": "other"}, *run]}, qrels, "iR@5w", documents=text)
    (tmp_path / "broken.json").write_text("{}")
    if pytest.importorskip("tokenizers"):
        with pytest.raises(dx.InputError, match="not a tokenizer file"):
            dx.evaluate({"r": run}, qrels, "iR@5t", documents=text, tokenizer=tmp_path / "broken.json")


@given(
    cases(), st.lists(st.tuples(st.sampled_from(["d1", "d2", "d3"]), st.integers(0, 60), st.integers(1, 20)))
)
def test_the_best_of_all_chunks(case: Case, given_chunks: list[tuple[str, int, int]]) -> None:
    import numpy as np

    from doxeval.tables.runs import Chunks

    docs = ["d1", "d2", "d3"]
    doc = np.array([docs.index(name) for name, _, _ in given_chunks], dtype=np.int32)
    start = np.array([a for _, a, _ in given_chunks], dtype=np.int64)
    end = start + np.array([size for _, _, size in given_chunks], dtype=np.int64)
    covered: set[tuple[str, int]] = set()
    for name, a, size in given_chunks:
        if any(a <= right and left <= a + size for left, right in case.relevant[name]):
            covered |= {(name, c) for c in range(a, a + size)}
    relevant = {(name, c) for name in docs for c in case.relevant_characters(name)}
    expected = len(covered & relevant) / len(covered | relevant)
    found = scores(case, "IoUomega", chunks=Chunks(docs, doc, start, end))["IoUomega"]
    assert found == pytest.approx(expected, abs=1e-12)
