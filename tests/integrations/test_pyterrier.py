"""Experiments of PyTerrier with our measures, without Java: transformers over frames."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from ir_measures import nDCG

import doxeval as dx
from doxeval.demo import ANSWERS, DOCUMENTS, QUESTIONS, RUNS
from doxeval.ir import AiP, iR, use

pt = pytest.importorskip("pyterrier", reason="python-terrier is not installed")

MEASURES = [AiP, iR @ 5, nDCG @ 10]
TYPED = "AiP iR@5 nDCG@10"


@pytest.fixture(scope="module")
def topics() -> pandas.DataFrame:
    asked = pandas.read_json(QUESTIONS, lines=True)
    return asked.rename(columns={"topic": "qid", "question": "query"})[["qid", "query"]]


@pytest.fixture(scope="module")
def qrels() -> pandas.DataFrame:
    answers = pandas.read_json(ANSWERS, lines=True).rename(columns={"topic": "qid", "doc": "docno"})
    return answers.assign(label=answers["start"].notna().astype(int))


def words(text: str) -> set[str]:
    return set(text.lower().split())


def system(name: str) -> Any:
    """A pipeline of two steps that finds what a run of the demo holds."""
    run = pandas.read_json(RUNS / f"{name}.jsonl", lines=True)
    found = run.rename(columns={"topic": "qid", "doc": "docno"}).drop(columns="rank")

    class Stored(pt.Transformer):  # type: ignore[name-defined,misc]
        def transform(self, inp: pandas.DataFrame) -> pandas.DataFrame:
            pt.validate.query_frame(inp, extra_columns=["query"])
            return pt.model.add_ranks(inp.merge(found, on="qid"))

    return Stored() % 10


def test_experiments_give_what_doxeval_eval_gives(topics: pandas.DataFrame, qrels: pandas.DataFrame) -> None:
    names = ["chunks-400", "paragraphs"]
    with use(DOCUMENTS):
        table = pt.Experiment([system(name) for name in names], topics, qrels, MEASURES, names=names)
    scores = dx.evaluate([RUNS / f"{name}.jsonl" for name in names], ANSWERS, TYPED, DOCUMENTS)
    for row in table.to_dict("records"):
        assert [row[measure] for measure in TYPED.split()] == [
            pytest.approx(scores.value(row["name"], measure), rel=1e-12) for measure in TYPED.split()
        ]


@pytest.mark.parametrize("options", [{"perquery": True}, {"batch_size": 4}, {"baseline": 0}])
def test_experiments_by_query_in_batches_and_against_a_baseline(
    topics: pandas.DataFrame, qrels: pandas.DataFrame, options: dict
) -> None:
    names = ["chunks-400", "paragraphs"]
    with use(DOCUMENTS):
        systems = [system(name) for name in names]
        table = pt.Experiment(systems, topics, qrels, MEASURES, names=names, **options)
    scores = dx.evaluate([RUNS / f"{name}.jsonl" for name in names], ANSWERS, TYPED, DOCUMENTS)
    if "perquery" in options:
        for row in table.to_dict("records"):
            assert row["value"] == scores.value(row["name"], row["measure"], row["qid"])
    else:
        assert table["AiP"].tolist() == pytest.approx([scores.value(name, "AiP") for name in names])
    assert "baseline" not in options or table["AiP p-value"].notna().any()


def test_passages_of_pyterrier_are_found_in_their_documents(
    topics: pandas.DataFrame, qrels: pandas.DataFrame
) -> None:
    documents = dx.read_documents(DOCUMENTS)
    assert documents.text is not None
    texts = pandas.DataFrame({"docno": list(documents.ids), "body": list(documents.text)})
    everything = pt.apply.generic(lambda asked: asked.merge(texts, how="cross").assign(score=0.0, rank=0))
    shared = pt.apply.doc_score(lambda row: len(words(row["query"]) & words(row["body"])))
    pipeline = everything >> pt.text.sliding("body", length=60, stride=30, prepend_attr=None) >> shared
    renamed = pipeline >> pt.apply.text(lambda row: row["body"]) % 10
    with use(documents):
        table = pt.Experiment([renamed], topics, qrels, MEASURES, names=["sliding"], validate="ignore")
        results = renamed.transform(topics)
    assert results["docno"].str.contains("%p").all() and "start" not in results.columns
    assert table["iR@5"].item() > 0.2
    run = [
        {"topic": row.qid, "doc": row.docno.partition("%p")[0], "score": row.score, "text": row.text}
        for row in results.itertuples()
    ]
    scores = dx.evaluate(run, ANSWERS, TYPED, documents)
    assert [table[measure].item() for measure in TYPED.split()] == pytest.approx(
        [scores[measure] for measure in TYPED.split()]
    )
