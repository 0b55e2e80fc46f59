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
OTHER_ADDRESSES = {
    "batch1-urls-as-published": "batch1/bioasq_task_12b_phase_a_batch_1_mibi_rag_snippets.json",
}
"""Whose addresses are not those of the gold: without as_scored they are compared by their number."""
DIVISORS = {8: "least", 5: "ten"}


def scores(run: Path | bytes, gold: Path | bytes, divisor: str, how: str) -> dict[str, tuple[dx.Scores, str]]:
    snippets = " ".join([*SNIPPETS.values(), f"SnipAP(divisor={divisor})"])
    lists = " ".join([*DOCUMENTS.values(), f"DocAP(divisor={divisor})"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        literal, listed = how == "published", "bioasq-documents"
        found = dx.evaluate(dx.read_run(run), gold, snippets, task="bioasq", as_scored=literal)
        retrieved = dx.read_run(run, input_format=listed)
        whole = dx.evaluate(retrieved, gold, lists, task=listed, assessments_format=listed, as_scored=literal)
    by_column = {column: (found, name) for column, name in SNIPPETS.items()}
    by_column |= {column: (whole, name) for column, name in DOCUMENTS.items()}
    by_column["snipAP"] = found, f"SnipAP(divisor={divisor})"
    by_column["docAP"] = whole, f"DocAP(divisor={divisor})"
    return by_column


@pytest.mark.parametrize("edition", DIVISORS)
@pytest.mark.parametrize(
    ("name", "how"),
    [(name, how) for name in RUNS for how in ("published", "fixed")]
    + [(name, "published") for name in OTHER_ADDRESSES],
)
def test_it_equals_the_official_scorer_per_question(
    reference: Path, name: str, edition: int, how: str
) -> None:
    folder = reference / "data" / "bioasq"
    batch = name.partition("-")[0]
    gold = folder / batch / f"12B{batch[-1]}_golden.json"
    by_column = scores(folder / (RUNS | OTHER_ADDRESSES)[name], gold, DIVISORS[edition], how)
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
        told = {" ".join(str(notice).split()[1:4]): notice.count for notice in run.notices}
        assert told["documents have an"] == len({doc.partition("/")[0] for doc in run.docs})
        assert told.get("snippets differ in", 0) == (0 if batch == 1 else 106)
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


ADDRESSES = ("http://www.ncbi.nlm.nih.gov/pubmed/7", "https://pubmed.ncbi.nlm.nih.gov/7/", "pubmed/8", "8")
PLACED = st.lists(st.tuples(st.sampled_from(ADDRESSES), st.integers(0, 20), st.integers(0, 5)), max_size=8)


def addressed(snippets: list[tuple[str, int, int]]) -> bytes:
    given = [
        {"document": address, "beginSection": "sections.0", "endSection": "sections.0",
         "offsetInBeginSection": start, "offsetInEndSection": start + size, "text": ""}
        for address, start, size in snippets
    ]  # fmt: skip
    documents = [address for address, *_ in snippets]
    question = {"id": "q", "body": "?", "type": "list", "documents": documents, "snippets": given}
    return json.dumps({"questions": [question]}).encode()


@given(PLACED.filter(bool), PLACED)
def test_addresses_are_compared_as_the_scorer_does(wanted: list, given: list) -> None:
    """Documents and the AP of snippets by the whole address, P and R of snippets by its last part."""
    by_column = scores(addressed(given), addressed(wanted), "least", "published")
    gold, found = (
        united([(address, "0", start, size) for address, start, size in some]) for some in (wanted, given)
    )

    def shared(one: tuple[str, str, int, int], other: tuple[str, str, int, int]) -> int:
        return len(set(range(one[2], one[3] + 1)) & set(range(other[2], other[3] + 1)))

    def number(address: str) -> str:
        return address.rstrip("/").split("/")[-1]

    sizes = [sum(end - start + 1 for *_, start, end in pieces) for pieces in (found, gold)]
    alike = sum(shared(a, b) for a in found for b in gold if number(a[0]) == number(b[0]))
    expected = {"snipP": alike / sizes[0] if found else 0.0, "snipR": alike / sizes[1], "snipAP": 0.0}
    for at, piece in enumerate(found):
        if piece[0] in {other[0] for other in gold}:
            so_far = sum(shared(a, b) for a in found[: at + 1] for b in gold if a[0] == b[0])
            size = sum(end - start + 1 for *_, start, end in found[: at + 1])
            expected["snipAP"] += so_far / size / min(10, len(gold))
    retrieved, relevant = list(dict.fromkeys(one[0] for one in given)), {one[0] for one in wanted}
    hits = [len(relevant & set(retrieved[: at + 1])) / (at + 1) for at in range(len(retrieved))]
    summed = sum(hit for hit, doc in zip(hits, retrieved, strict=True) if doc in relevant)
    expected["docAP"] = summed / min(10, len(relevant))
    expected["docR"] = len(relevant & set(retrieved)) / len(relevant)
    for column, value in expected.items():
        table, measure = by_column[column]
        assert table.value(table.names[0], measure) == pytest.approx(value, abs=1e-12), column


@pytest.mark.parametrize(
    ("spoilt", "why"),
    [
        ((b'"beginSection"', b'"begin_section"'), "breaks off at the key 'begin_section'"),
        ((b'"type": "list"', b'"exact_answer": ["yes"]'), "exact answer that is a list of texts"),
    ],
)
def test_what_the_scorer_breaks_off_at_is_refused(spoilt: tuple[bytes, bytes], why: str) -> None:
    good = as_file([("7", "abstract", 0, 5)])
    bad = good.replace(*spoilt)
    assert dx.evaluate(bad, good, "iP", task="bioasq").mean["value"][0] == 1
    for files in ((bad, good), (good, bad)):
        with pytest.raises(dx.InputError, match=why):
            dx.evaluate(*files, "iP", task="bioasq", as_scored=True)


def test_its_scorer_reads_nothing_but_its_own_files() -> None:
    gold = [{"topic": "q", "doc": "7/abstract", "start": 0, "end": 5}]
    with pytest.raises(dx.InputError, match="reads only its own JSON"):
        dx.evaluate([dict(gold[0], rank=1)], gold, "iP", task="bioasq", as_scored=True)


def test_offsets_in_two_sections_are_subtracted() -> None:
    """A snippet from the 4th character of the title to the 15th of the abstract has 12 characters."""
    gold = as_file([("7", "title", 4, 11), ("8", "title", 0, 11)])
    across = gold.replace(b'"endSection": "title"', b'"endSection": "abstract"', 1)
    assert dx.evaluate(across, across, "iP", task="bioasq", as_scored=True)["iP"] == 1
    assert dx.evaluate(across, gold, "iP", task="bioasq", as_scored=True)["iP"] == 0.5


@pytest.mark.parametrize("task", ["bioasq", "bioasq-documents"])
def test_a_task_implies_the_format_of_its_files(tmp_path: Path, task: str) -> None:
    """Files, bytes and tables give the same numbers with and without their formats, or are refused."""
    gold = as_file([("7", "abstract", 0, 5), ("8", "title", 0, 5)])
    run = as_file([("9", "title", 0, 5), ("7", "abstract", 2, 9), ("7", "title", 0, 5)])
    files = []
    for name, data in (("run.json", run), ("gold.json", gold)):
        (tmp_path / name).write_bytes(data)
        files.append(tmp_path / name)
    named = dx.evaluate(run, gold, task=task, run_format=task, assessments_format=task)
    for one, other in ((run, gold), files):
        assert dx.evaluate(one, other, task=task).mean["value"].to_list() == named.mean["value"].to_list()
    tables = dx.read_run(run, input_format=task), dx.read_assessments(gold, input_format=task)
    assert dx.evaluate(*tables, task=task).mean["value"].to_list() == named.mean["value"].to_list()
    wrong = ({"bioasq", "bioasq-documents"} - {task}).pop()
    for tried in (
        (dx.read_run(run, input_format=wrong), gold),
        (run, dx.read_assessments(gold, input_format=wrong)),
    ):
        with pytest.raises(dx.InputError, match=f"read it with input_format='{task}'"):
            dx.evaluate(*tried, task=task)


def test_an_empty_list_of_snippets_has_documents() -> None:
    data = as_file([("7", "abstract", 0, 5)])
    question = json.loads(data)["questions"][0] | {"snippets": []}
    run = json.dumps({"questions": [question]}).encode()
    assert dx.evaluate(run, data, task="bioasq-documents")["SetR"] == 1


def test_beside_gold_a_submission_with_questions_is_validated_as_a_run() -> None:
    gold = as_file([("7", "abstract", 0, 5)])
    questions = json.loads(gold)["questions"]
    run = json.dumps({"questions": [*questions, questions[0] | {"id": "other"}]}).encode()
    found = dx.validate(run, gold)
    assert (found.kind, found.format) == ("run", "bioasq") and "1 topic without assessments" in str(found)
    assert dx.validate(run).kind == "assessments"
    native = b'{"topic": "q", "doc": "d", "start": 0, "end": 5}\n'
    assert dx.validate(native, gold).kind == "assessments"
