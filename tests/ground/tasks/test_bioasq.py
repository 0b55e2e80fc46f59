"""BioASQ: the official scorer's numbers question by question, and a plain twin of what it does."""

from __future__ import annotations

import csv
import json
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import doxeval as dx

SNIPPETS = {"snipP": "iP", "snipR": "iR", "snipF1": "F(beta=1)"}
DOCUMENTS = {"docP": "SetP", "docR": "SetR", "docF1": "SetF"}
RUNS = {
    "batch1-mibi_rag": "batch1/mibi_rag.official.json",
    "batch2-mibi_rag": "batch2/mibi_rag.official.json",
    "batch2-edge": "batch2/edge.official.json",
    "batch2-split": "batch2/split.official.json",
}
DIVISORS = {8: "least", 5: "ten"}


def scores(run: Path | bytes, gold: Path | bytes, divisor: str, how: str) -> dict[str, dx.Scores]:
    snippets = " ".join([*SNIPPETS.values(), f"SnipAP(divisor={divisor})"])
    lists = " ".join([*DOCUMENTS.values(), f"DocAP(divisor={divisor})"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        found = dx.evaluate(dx.read_run(run), gold, snippets, task="bioasq", as_scored=how == "published")
        retrieved = dx.read_run(run, input_format="bioasq-documents")
        listed = "bioasq-documents"
        whole = dx.evaluate(retrieved, gold, lists, task=listed, assessments_format=listed)
    by_column = {column: (found, name) for column, name in SNIPPETS.items()}
    by_column |= {column: (whole, name) for column, name in DOCUMENTS.items()}
    by_column["snipAP"] = found, f"SnipAP(divisor={divisor})"
    by_column["docAP"] = whole, f"DocAP(divisor={divisor})"
    return by_column


@pytest.mark.parametrize("how", ["published", "fixed"])
@pytest.mark.parametrize("edition", DIVISORS)
@pytest.mark.parametrize("name", RUNS)
def test_it_equals_the_official_scorer_per_question(
    reference: Path, name: str, edition: int, how: str
) -> None:
    folder = reference / "data" / "bioasq"
    batch = name.partition("-")[0]
    gold = folder / batch / f"12B{batch[-1]}_golden.json"
    by_column = scores(folder / RUNS[name], gold, DIVISORS[edition], how)
    with (folder / "official" / f"{name}.e{edition}.{how}.tsv").open() as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    for row in rows:
        for column, (found, measure) in by_column.items():
            value = found.value(found.names[0], measure, row["question"])
            assert value == pytest.approx(float(row[column]), abs=1e-9), (row["question"], column)
    totals = (folder / "official" / f"{name}.e{edition}.{how}.totals.txt").read_text()
    mean = float(totals.partition("MAP snippets: ")[2].split()[0])
    found, measure = by_column["snipAP"]
    assert found.value(found.names[0], measure) == pytest.approx(mean, abs=1e-9)


@pytest.mark.parametrize("batch", [1, 2])
def test_submissions_as_published_are_read_like_those_the_scorer_takes(reference: Path, batch: int) -> None:
    folder = reference / "data" / "bioasq" / f"batch{batch}"
    official = dx.read_run(folder / "mibi_rag.official.json")
    for path in folder.glob("bioasq_task_12b_*.json"):
        run = dx.read_run(path)
        for column in ("topic", "start", "end"):
            assert getattr(run, column).tolist() == getattr(official, column).tolist()
        assert [run.docs[doc] for doc in run.doc] == [official.docs[doc] for doc in official.doc]
        told = {notice.message.split("}")[1][:20]: notice.count for notice in run.notices}
        assert told[" documents have an a"] == len(run)
        assert told.get(" snippets differ in ", 0) == (0 if batch == 1 else 106)
        assert not run.notices.failures


@pytest.mark.parametrize(("batch", "snippets", "documents"), [(1, 1942, 1735), (2, 1936, 1462)])
def test_gold(reference: Path, batch: int, snippets: int, documents: int) -> None:
    path = reference / "data" / "bioasq" / f"batch{batch}" / f"12B{batch}_golden.json"
    gold, whole = dx.read_assessments(path), dx.read_assessments(path, input_format="bioasq-documents")
    assert len(gold.topics) == len(whole.topics) == 85 and len(gold.queries) == 85
    assert len(gold.ranges) == snippets and len(whole.ranges) == documents
    assert {told["type"] for told in gold.attributes.values()} == {"yesno", "factoid", "list", "summary"}
    assert not len(gold.notices)


SNIPPET = st.tuples(
    st.sampled_from("78"), st.sampled_from(["title", "abstract"]), st.integers(0, 30), st.integers(1, 9)
)
LIST = st.lists(SNIPPET, max_size=12)


def as_file(snippets: list[tuple[str, str, int, int]]) -> bytes:
    given = [
        {"document": f"http://www.ncbi.nlm.nih.gov/pubmed/{doc}", "beginSection": section,
         "endSection": section, "offsetInBeginSection": start, "offsetInEndSection": start + size}
        for doc, section, start, size in snippets
    ]  # fmt: skip
    documents = [f"http://www.ncbi.nlm.nih.gov/pubmed/{doc}" for doc, *_ in snippets]
    question = {"id": "q", "body": "?", "type": "list", "documents": documents, "snippets": given}
    return json.dumps({"questions": [question]}).encode()


def united(snippets: list[tuple[str, str, int, int]]) -> list[tuple[str, str, int, int]]:
    """Each snippet put into the first that it meets, until nothing changes; ends are inclusive."""
    pieces = [(doc, section, start, start + size) for doc, section, start, size in snippets]
    for at, (doc, section, start, end) in enumerate(pieces):
        for other in range(at + 1, len(pieces)):
            doc2, section2, start2, end2 = pieces[other]
            if (doc, section) == (doc2, section2) and start <= end2 and start2 <= end:
                merged = (doc, section, min(start, start2), max(end, end2))
                rest = [piece for place, piece in enumerate(pieces) if place not in (at, other)]
                joined = [*rest[:at], merged, *rest[at:]]
                return united([(d, s, a, b - a) for d, s, a, b in joined])
    return pieces


def characters(pieces: list[tuple[str, str, int, int]]) -> set[tuple[str, str, int]]:
    return {(doc, section, at) for doc, section, start, end in pieces for at in range(start, end + 1)}


@given(LIST.filter(bool), LIST)
def test_it_equals_a_plain_twin(wanted: list, given: list) -> None:
    gold, found = united(wanted), united(given)
    truth, shown = characters(gold), characters(found)
    by_column = {how: scores(as_file(given), as_file(wanted), "least", how) for how in ("fixed", "published")}
    for how in by_column:
        total = 0.0
        for at, piece in enumerate(found):
            so_far = characters(found[: at + 1])
            counts = (
                bool(characters([piece]) & truth) if how == "fixed" else piece[0] in {one[0] for one in gold}
            )
            total += counts * len(so_far & truth) / len(so_far)
        expected = {
            "snipAP": total / min(10, len(gold)),
            "snipP": len(shown & truth) / len(shown) if shown else 0.0,
            "snipR": len(shown & truth) / len(truth),
        }
        retrieved, relevant = list(dict.fromkeys(one[0] for one in given)), {one[0] for one in wanted}
        hits = [len(relevant & set(retrieved[: at + 1])) / (at + 1) for at in range(len(retrieved))]
        summed = sum(hit for hit, doc in zip(hits, retrieved, strict=True) if doc in relevant)
        expected["docAP"] = summed / min(10, len(relevant))
        for column, value in expected.items():
            table, measure = by_column[how][column]
            assert table.value(table.names[0], measure) == pytest.approx(value, abs=1e-12), (how, column)


def test_a_snippet_over_two_sections_is_refused() -> None:
    data = as_file([("7", "title", 0, 5), ("7", "abstract", 0, 5)]).replace(
        b'"endSection": "title"', b'"endSection": "abstract"'
    )
    gold = dx.read_assessments(data)
    assert len(gold.ranges) == 1 and gold.notices.refusals[0].count == 1
