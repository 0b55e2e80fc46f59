"""Whole documents: equal to ir_measures and trec_eval with no lengths known, or refused with a reason."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import doxeval as dx
from doxeval.cli.eval_command import command
from doxeval.measurement.base import MEASURES, OF_DOCUMENTS, measure_named, measures
from doxeval.measurement.families.borrowed import compute
from doxeval.measurement.families.flat import DocumentMeasure
from doxeval.measurement.families.ranked_documents import FORMULAS, RankedMeasure

ir_measures = pytest.importorskip("ir_measures")

LACKING, NOTHING = "77", "88"
FORMS = ("{}", "{}@5", "{}@0.1", "{}(rel=1)", "{}(rel=2)@5", "{}(max_rel=3)", "{}(max_rel=3)@5")
FURTHER = [
    "nDCG(dcg=exp-log2)@10", "nDCG(gains={0:0,1:3,2:8})@10", "SetF(beta=2)", "AP(judged_only=true)", "RR@3",
    "RBP(p=0.8,rel=1)", "IPrec@0.0", "IPrec[0.3]", "IPrec(rel=2)@1.0", "SetP(relative=true)",
    "alpha_nDCG(alpha=0.25)@5", "P(rel=2)@5", "INST(max_rel=3,T=2)", "Compat(p=0.9)",
]  # fmt: skip


def computable() -> list[str]:
    """Every measure ir_measures can compute here, in every form it takes."""
    found = []
    for text in [form.format(name) for name in ir_measures.measures.registry for form in FORMS] + FURTHER:
        try:
            if isinstance(measure_named(text), DocumentMeasure):
                found.append(text)
        except dx.UsageError:
            continue
    return found


def their(text: str) -> Any:
    """The measure as ir_measures parses it."""
    typed = text.replace("[", "@").replace("]", "").replace("true", "True").replace("exp-log2", "'exp-log2'")
    return ir_measures.parse_measure(typed.replace("beta=2", "beta=2.0").replace("T=2", "T=2.0"))


class Collection:
    """TREC files at random: a topic without anything relevant, one nobody assessed, one the run lacks."""

    def __init__(self, folder: Path, seed: int, subtopics: bool = False) -> None:
        draw = random.Random(seed)
        self.run, self.qrels = folder / "system.trec", folder / "truth.qrels"
        docs = [f"d{at}" for at in range(40)]
        grades: dict[str, tuple[int, ...]] = dict.fromkeys(
            ("1", "2", "3", "10", LACKING), (-2, -1, 0, 0, 1, 2, 3)
        )
        grades |= {NOTHING: (-1, 0)}
        judged = [
            f"{topic} {draw.randrange(3) if subtopics else 0} {doc} {draw.choice(known)}"
            for topic, known in grades.items()
            for doc in draw.sample(docs, 15)
        ]
        ranked = []
        for topic in ("10", "3", NOTHING, "2", "1", "99"):
            scores = sorted((draw.random() for _ in range(draw.randint(1, 30))), reverse=True)
            ranked += [
                f"{topic} Q0 {doc} {rank} {score} system"
                for rank, (doc, score) in enumerate(
                    zip(draw.sample(docs, len(scores)), scores, strict=True), 1
                )
            ]
        self.qrels.write_text("\n".join(judged) + "\n")
        self.run.write_text("\n".join(ranked) + "\n")


def none_for_nan(value: float) -> float | None:
    return None if np.isnan(value) else value


def assert_equal_to_ir_measures(run: Path, qrels: Path, names: list[str], **options: Any) -> int:
    """Compare topics and means; how many values were compared."""
    scores = dx.evaluate(run, qrels, names, **options)
    truth, ranking = list(ir_measures.read_trec_qrels(str(qrels))), list(ir_measures.read_trec_run(str(run)))
    compared = 0
    for name in names:
        total, by_topic = ir_measures.calc([their(name)], truth, ranking)
        for metric in by_topic:
            ours = scores.value(run.stem, name, metric.query_id)
            assert ours == pytest.approx(none_for_nan(metric.value), abs=1e-12), (name, metric.query_id)
            compared += 1
        if not any(np.isnan(metric.value) for metric in by_topic):
            mean = none_for_nan(next(iter(total.values())))
            assert scores.value(run.stem, name) == pytest.approx(mean, abs=1e-12), name
    return compared


@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
@pytest.mark.parametrize("seed", range(3))
def test_every_measure_equals_ir_measures_without_documents(tmp_path: Path, seed: int) -> None:
    names = [name for name in computable() if not measure_named(name).by_subtopic]  # type: ignore[attr-defined]
    assert len(names) > 60
    files = Collection(tmp_path, seed)
    assert assert_equal_to_ir_measures(files.run, files.qrels, names) > 5 * len(names)


def test_names_of_our_own_are_theirs_and_no_measures_of_text() -> None:
    known = ir_measures.measures.registry
    assert {name: known[name].NAME for name in OF_DOCUMENTS} == OF_DOCUMENTS
    assert not set(OF_DOCUMENTS) & set(MEASURES.names()) and set(OF_DOCUMENTS.values()) == set(FORMULAS)


def test_our_own_measures_are_called_as_theirs() -> None:
    ours = [one for one in map(measure_named, computable()) if isinstance(one, RankedMeasure)]
    assert {one.kind for one in ours} == set(FORMULAS)
    for one in ours:
        theirs = DocumentMeasure(one.expression)
        assert (one.canonical, one.kind, one.rel) == (theirs.canonical, theirs.kind, theirs.rel)
        assert (one.high, one.summed, one.by_subtopic, one.highest) == (1.0, False, False, theirs.highest)
        assert (theirs.high, theirs.summed, theirs.by_subtopic) == (1.0, False, False)


@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
def test_long_lists_equal_ir_measures(tmp_path: Path) -> None:
    draw = random.Random(5)
    docs = [f"d{at}" for at in range(1500)]
    qrels, run = tmp_path / "q.qrels", tmp_path / "r.trec"
    judged = [f"{topic} 0 {doc} {draw.choice((-1, 0, 1, 2, 3))}" for topic in "12" for doc in
              draw.sample(docs, 700)]  # fmt: skip
    qrels.write_text("\n".join(judged) + "\n")
    run.write_text("".join(f"{topic} Q0 {doc} {at} {9999 - at} r\n" for topic in "12" for at, doc in
                           enumerate(draw.sample(docs, 1200), 1)))  # fmt: skip
    names = ["RBP(p=0.9999,rel=1)", "RBP(p=1.0,rel=2)", "RBP(p=0.0,rel=1)", "Bpref(rel=3)", "AP(rel=2)@1100",
             "nDCG", "nDCG@7", "Rprec(rel=2)", "RR(rel=3)", "R@1000", "Success(rel=3)@2"]  # fmt: skip
    assert assert_equal_to_ir_measures(run, qrels, names) == 2 * len(names)


@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
def test_measures_of_subtopics_equal_ir_measures(tmp_path: Path) -> None:
    pytest.importorskip("pyndeval")
    names = [name for name in computable() if measure_named(name).by_subtopic]  # type: ignore[attr-defined]
    assert "alpha_nDCG@5" in names
    files = Collection(tmp_path, 7, subtopics=True)
    assert_equal_to_ir_measures(files.run, files.qrels, names)


@pytest.mark.parametrize("seed", range(3))
def test_values_taken_at_once_are_those_of_ir_measures_bit_for_bit(tmp_path: Path, seed: int) -> None:
    """pytrec_eval asked directly, and ir_measures' own loop over single values, defaults included."""
    measures = [ir_measures.parse_measure(name) for name in ("AP", "P(rel=2)@5", "RR@3", "NumRet", "SetF")]
    files = Collection(tmp_path, seed)
    evaluator = ir_measures.evaluator(measures, list(ir_measures.read_trec_qrels(str(files.qrels))))
    alone = [
        ir_measures.evaluator([one], list(ir_measures.read_trec_qrels(str(files.qrels)))) for one in measures
    ]
    run: dict[str, dict[str, float]] = {}
    for one in ir_measures.read_trec_run(str(files.run)):
        run.setdefault(one.query_id, {})[one.doc_id] = one.score
    for asked in (evaluator, *alone):
        theirs = {(str(one.measure), one.query_id): one.value for one in asked.iter_calc(run)}
        ours = {(str(measure), topic): value for measure, by_topic in compute(asked, run, "x")
                for topic, value in by_topic.items()}  # fmt: skip
        assert ours == theirs
        assert (str(next(iter(asked.measures))), LACKING) in ours


def test_our_own_share_of_judged_results_is_theirs(tmp_path: Path) -> None:
    files = Collection(tmp_path, 1)
    with pytest.warns(dx.DoxevalWarning):
        scores = dx.evaluate(files.run, files.qrels, "Judged@5 Judged@10")
    run = list(ir_measures.read_trec_run(str(files.run)))
    qrels = list(ir_measures.read_trec_qrels(str(files.qrels)))
    for metric in ir_measures.iter_calc([ir_measures.Judged @ 5, ir_measures.Judged @ 10], qrels, run):
        if metric.query_id not in (NOTHING, LACKING):
            assert scores.value("system", str(metric.measure), metric.query_id) == pytest.approx(metric.value)


def test_counts_are_summed_and_said_to_be(tmp_path: Path) -> None:
    qrels, run = tmp_path / "q.qrels", tmp_path / "r.trec"
    qrels.write_text("1 0 a 1\n2 0 a 1\n2 0 b 1\n")
    run.write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 b 1 1 x\n")
    scores = dx.evaluate(run, qrels, "NumQ NumRet NumRel NumRelRet AP")
    assert [scores.value("r", name) for name in ("NumQ", "NumRet", "NumRel", "NumRelRet", "AP")] == [
        2, 3, 3, 2, 0.75
    ]  # fmt: skip
    assert "mean over 2 topics; NumQ, NumRet, NumRel, NumRelRet: summed" in repr(scores)
    again = tmp_path / "scores.csv"
    again.write_text("run,topic,measure,value\nr,1,NumRet,2\nr,2,NumRet,1\n")
    from doxeval.scoring.read_scores import read_scores

    assert read_scores(str(again)).value("r", "NumRet") == 3


SLIPS = [
    "SetF@5", "P(g=1)@5", "RBP(p=2)", "RBP(p=0.8)", "SDCG@10", "INSQ", "BPM@10", "alpha_nDCG", "P", "IPrec",
    "IPrec@0.125", "IPrec@2", "AP@5c", "AP[0.1]", "P(5)", "P@99999999999999999999", "nDCG(gains={a:b})@5",
    "nDCG(gains=3)@5", "nDCG(dcg=x)@5", "P(rel=x)@5", "P(rel=1.5)@5", "NERR8(max_rel=0)@10", "Bpref@10",
    "Success(rel=99999999999999999999)@5", "IPrec(recall=0.1)@0.2", "AP(judged_only=2)", "ERR", "RBP@10",
]  # fmt: skip


@pytest.mark.parametrize("slip", SLIPS)
def test_what_ir_measures_cannot_compute_is_refused_before_any_run_is_read(tmp_path: Path, slip: str) -> None:
    (tmp_path / "q.qrels").write_text("1 0 a 1\n")
    unreadable = tmp_path / "run.trec"
    unreadable.write_bytes(b"\0")
    found = CliRunner().invoke(
        command, [str(unreadable), "--qrels", str(tmp_path / "q.qrels"), "-m", slip], standalone_mode=False
    )
    assert isinstance(found.exception, dx.UsageError), found.exception
    assert slip in str(found.exception) and "object at 0x" not in str(found.exception)


def test_subtopics_that_were_not_told_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyndeval")
    with pytest.raises(dx.UsageError, match="counts subtopics, which these assessments do not have"):
        dx.evaluate(tmp_path / "missing", [{"topic": "1", "doc": "a", "rel": 1}], "alpha_nDCG@10")


@pytest.mark.parametrize(
    ("grade", "measure", "told"),
    [
        (3, "SDCG(max_rel=1)@10", ["grades go up to 3; those above 1 count as 1"]),
        (3, "SDCG(max_rel=3)@10", []),
        (-1, "SDCG(min_rel=-1,max_rel=0)@10", []),
    ],
)
@pytest.mark.filterwarnings("ignore::doxeval.DoxevalWarning")
def test_grades_above_the_highest_are_told(grade: int, measure: str, told: list[str], tmp_path: Path) -> None:
    pytest.importorskip("cwl")
    (tmp_path / "q.qrels").write_text(f"1 0 a {grade}\n")
    found = dx.evaluate([{"topic": "1", "doc": "a", "rank": 1}], tmp_path / "q.qrels", measure)
    assert [str(one).partition(": ")[2] for one in found.notices.failures if "grades go" in str(one)] == told


def text_measures() -> list[str]:
    return [measure.example or name for name, measure in measures().items()]


@pytest.mark.parametrize("name", text_measures())
def test_measures_of_text_ask_for_lengths_that_nobody_told(name: str, tmp_path: Path) -> None:
    """In the assessments before any run is read; in the run when it is."""
    if not measure_named(name).reads_text:
        pytest.skip("the measure looks at no text")
    with pytest.raises(dx.UsageError, match=r"--docs|--chunks"):
        dx.evaluate(tmp_path / "missing", [{"topic": "1", "doc": "a", "rel": 1, "aspects": ["x"]}], name)
    qrels = [{"topic": "1", "doc": "a", "start": 0, "end": 5, "aspects": ["x"]}]
    with pytest.raises(dx.UsageError, match=r"--docs|--chunks"):
        dx.evaluate([{"topic": "1", "doc": "b", "rank": 1}], qrels, name)


def test_lengths_that_are_told_make_whole_documents_text(tmp_path: Path) -> None:
    qrels = [{"topic": "1", "doc": "a", "rel": 1}]
    run = [{"topic": "1", "doc": "a", "rank": 1, "start": 0, "end": 4}, {"topic": "1", "doc": "b", "rank": 2}]
    documents = [{"doc": "a", "length": 8}, {"doc": "b", "length": 4}]
    scores = dx.evaluate(run, qrels, "iR iP AP", documents)
    assert [scores.value("run", name) for name in ("iR", "iP", "AP")] == [0.5, 0.5, 1.0]
    assert not scores.notices.failures


def test_documents_are_relevant_whatever_their_length() -> None:
    """A highlighted range past the end is text nobody has, in a document that is relevant all the same."""
    qrels = [{"topic": "1", "doc": "a", "start": 5, "end": 9}]
    run = [{"topic": "1", "doc": "a", "rank": 1, "start": 0, "end": 2}]
    with pytest.warns(dx.DoxevalWarning, match="reaches past the end"):
        scores = dx.evaluate(run, qrels, "AP iP", [{"doc": "a", "length": 4}])
    assert scores.value("run", "AP") == 1 and scores.value("run", "iP") is None


def test_order_by_score_is_that_of_trec_eval(tmp_path: Path) -> None:
    """Scores in single precision, ties by document from z to a; the rank column says something else."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    draw = random.Random(5)
    qrels = {str(topic): {f"d{at}": draw.randint(0, 2) for at in range(30)} for topic in range(20)}
    ranking: dict[str, dict[str, float]] = {
        topic: {
            doc: 1 + draw.randint(0, 3) * 1e-9 + draw.randint(0, 4) / 8
            for doc in draw.sample(sorted(docs), 20)
        }
        for topic, docs in qrels.items()
    }
    (tmp_path / "t.qrels").write_text(
        "".join(f"{t} 0 {d} {g}\n" for t, docs in qrels.items() for d, g in docs.items())
    )
    lines = [
        f"{t} Q0 {d} {rank} {s!r} x\n"
        for t, docs in ranking.items()
        for rank, (d, s) in enumerate(sorted(docs.items(), key=lambda pair: -pair[1]), 1)
    ]
    (tmp_path / "r.trec").write_text("".join(lines))
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut_10"}).evaluate(ranking)
    scores = dx.evaluate(tmp_path / "r.trec", tmp_path / "t.qrels", "AP nDCG@10", rank_by="score")
    for topic, values in theirs.items():
        assert scores.value("r", "AP", topic) == pytest.approx(values["map"], abs=1e-12)
        assert scores.value("r", "nDCG@10", topic) == pytest.approx(values["ndcg_cut_10"], abs=1e-12)
    assert [notice.message for notice in scores.notices if "order" in notice.message] == []
    by_rank = dx.evaluate(tmp_path / "r.trec", tmp_path / "t.qrels", "AP nDCG@10")
    assert any("trec_eval would put in another order" in str(notice) for notice in by_rank.notices)
    assert not np.array_equal(by_rank.runs[0].values, scores.runs[0].values)


@pytest.mark.parametrize(("order", "first"), [("rank", "a"), ("score", "b"), ("file", "c")])
def test_the_order_is_what_was_asked_for(order: str, first: str, tmp_path: Path) -> None:
    (tmp_path / "r.trec").write_text("1 Q0 c 3 1 x\n1 Q0 b 2 3 x\n1 Q0 a 1 2 x\n")
    (tmp_path / "q.qrels").write_text(f"1 0 {first} 1\n")
    found = CliRunner().invoke(
        command,
        [
            str(tmp_path / "r.trec"),
            "-q",
            str(tmp_path / "q.qrels"),
            "-m",
            "P@1",
            "--rank-by",
            order,
            "-f",
            "csv",
        ],
    )
    assert "r,all,P@1,1.0" in found.stdout
    assert ("the rank is used (--rank-by score" in found.stderr) == (order == "rank")


def test_a_run_without_scores_has_no_order_by_score() -> None:
    run = [{"topic": "1", "doc": "a", "rank": 1, "start": 0, "end": 2}]
    with pytest.raises(dx.UsageError, match=r"no scores, which --rank-by score needs"):
        dx.evaluate(run, [{"topic": "1", "doc": "a", "start": 0, "end": 2}], "iP", rank_by="score")
    with pytest.raises(dx.UsageError, match="rank_by must be 'rank' or 'score' or 'file', not 'scores'"):
        dx.evaluate(run, [{"topic": "1", "doc": "a", "start": 0, "end": 2}], "iP", rank_by="scores")
