"""Every public function takes what people have, and says what it expected otherwise."""

from __future__ import annotations

import inspect
import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

import doxeval as dx
from tests.door.material import (
    ANSWERS,
    ASSESSMENT_FORMS,
    ASSESSMENTS,
    CHUNK_FORMS,
    CHUNKS,
    DOCUMENT_FORMS,
    DOCUMENTS,
    LOG,
    OTHERS,
    OUTCOMES,
    QUESTIONS,
    RUN,
    RUN_FORMS,
    RUNS,
    STEP_FORMS,
    STEPS,
    score_forms,
    scores,
    several_runs,
)
from tests.io.documents.pdf_files import pdf_of

Forms = dict[str, Callable[..., Any]]
FUNCTIONS = [name for name in cast(Any, dx).__all__ if inspect.isfunction(getattr(dx, name))]


def either(**kinds: Forms) -> Forms:
    """The forms of several kinds."""
    return {f"{kind}, {form}": make for kind, forms in kinds.items() for form, make in forms.items()}


def plain(**values: Any) -> Forms:
    """Values as they are, by label."""
    return {label: lambda folder, value=value: value for label, value in values.items()}


MEASURES = plain(
    text="iP@1 iR@1", list=["iP@1", "iR@1"], object=dx.measure("iP@1"), objects=(dx.measure("iP@1"), "iR@1")
)
ONE_MEASURE = plain(text="iP@1", list=["iP@1"], object=dx.measure("iP@1"))
MODEL = "readon(mean=9)"
NAVIGATION = plain(
    text=MODEL, list=[MODEL], object=dx.fit_navigation(LOG, DOCUMENTS, "readon(mean=?)", folds=2)
)
SEVERAL_RUNS = several_runs()
SIZES = {f"size={size}": rows for size, rows in enumerate(RUNS.values())}
SCORED = score_forms()
TOPICS_FILE = plain(
    mapping=QUESTIONS, attributes={"t1": {"query": "?", "kind": "odd"}}, topics=dx.read_topics(QUESTIONS)
)
TOPICS_FILE |= {"path": lambda folder: _text(folder / "topics.tsv", "t1\twhy?\n")}
SESSIONS: Forms = {
    "rows": lambda folder: LOG,
    "path": lambda folder: _lines(folder / "log.jsonl", LOG),
}
POOL: Forms = {
    "pool": lambda folder: dx.pool(RUN, documents=DOCUMENTS),
    "path": lambda folder: _pool_file(folder),
    "bytes": lambda folder: _pool_file(folder).read_bytes(),
}


def _text(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def _lines(path: Path, rows: list[Any]) -> Path:
    return _text(path, "".join(json.dumps(row) + "\n" for row in rows))


def _pool_file(folder: Path) -> Path:
    dx.write_pool(dx.pool(RUN, documents=DOCUMENTS), folder / "pool.jsonl")
    return folder / "pool.jsonl"


def _layout(folder: Path) -> Path:
    pytest.importorskip("pypdfium2")
    (folder / "x.pdf").write_bytes(pdf_of([["One", "Two"]]))
    return folder / "x.pdf"


def _project(folder: Path) -> Path:
    (folder / "doxeval.toml").write_text('measures = "AiP"\n')
    return folder


def _store(folder: Path) -> Path:
    dx.evaluate(RUNS, ASSESSMENTS, "iP@1 iR@1", store=folder / "store")
    return folder / "store"


@dataclass
class Case:
    """A call of a function: the arguments `given`, and the parameters that take data, with the forms of each.

    `fine` are labels of values that look wrong and are right for a parameter.
    """

    given: dict[str, Any] = field(default_factory=dict)
    takes: dict[str, Forms] = field(default_factory=dict)
    fine: dict[str, str] = field(default_factory=dict)


SCORING = {"assessments": ASSESSMENTS, "measures": "iP@1 iR@1", "documents": DOCUMENTS}
SCORING_FORMS = {"assessments": ASSESSMENT_FORMS, "documents": DOCUMENT_FORMS}
OPTIONAL = {"documents": "none", "measures": "none empty", "navigation": "none empty", "topics_file": "none"}
OF_SCORES: dict[str, dict[str, Any]] = {
    "compare": {"test": "t", "interval": "t"},
    "gate": {"baseline": "one", "test": "t", "interval": "t"},
    "verdict": {},
    "correlate": {"draws": 0},
    "slice_scores": {"by": "kind", "draws": 100},
    "trust": {"trusted": OTHERS},
}
"""Functions of scores, or of runs to be scored, with the options that they need."""

CASES: dict[str, Case] = {
    name: Case(
        {"runs": RUNS, **SCORING, **options},
        {"runs": SEVERAL_RUNS, "measures": MEASURES, **SCORING_FORMS},
        OPTIONAL,
    )
    for name, options in OF_SCORES.items()
} | {
    "agree": Case(
        {"assessments": {"ann": ASSESSMENTS, "bob": OTHERS}, "coefficients": ["overlap"], "draws": 100},
        {"documents": DOCUMENT_FORMS, "assessments": plain(list=[ASSESSMENTS, OTHERS])},
        OPTIONAL,
    ),
    "anchor": Case(
        {"assessments": ASSESSMENTS, "documents": DOCUMENTS}, SCORING_FORMS, {"assessments": "empty"}
    ),
    "diagnose": Case(
        {"runs": RUNS, **SCORING, "measures": "iR@1", "draws": 100},
        {"runs": SEVERAL_RUNS, "measures": plain(one="iR@1", measure=dx.measure("iR@1")), **SCORING_FORMS},
        OPTIONAL,
    ),
    "budget": Case(
        {"runs": RUNS, "assessments": ASSESSMENTS},
        {"runs": SEVERAL_RUNS, **SCORING_FORMS, "recalls": plain(one=0.5, texts=["0.5"], numbers=(0.5, 0.9))},
        OPTIONAL,
    ),
    "ceiling": Case(
        {"chunks": CHUNKS, "assessments": ASSESSMENTS, "documents": DOCUMENTS},
        {"chunks": CHUNK_FORMS, "runs": SEVERAL_RUNS, **SCORING_FORMS},
        {"documents": "none", "runs": "none"},
    ),
    "effects": Case(
        {"runs": SIZES, **SCORING, "draws": 100},
        {
            "runs": {
                "mapping": lambda folder: SIZES,
                "paths": lambda folder: [
                    _lines(folder / f"{name}.jsonl", rows) for name, rows in SIZES.items()
                ],
                "tables": lambda folder: [dx.read_run(rows, name=name) for name, rows in SIZES.items()],
            },
            "measures": MEASURES,
            **SCORING_FORMS,
        },
        OPTIONAL,
    ),
    "chunk": Case({"documents": DOCUMENTS, "size": 20}, {"documents": DOCUMENT_FORMS}),
    "cite": Case(
        {"answers": ANSWERS, "run": RUN, **SCORING},
        {
            "answers": {
                "rows": lambda folder: ANSWERS,
                "path": lambda folder: _lines(folder / "a.jsonl", ANSWERS),
            },
            "run": RUN_FORMS,
            "measures": MEASURES,
            **SCORING_FORMS,
        },
        {"measures": "none empty", "assessments": "none", "run": "empty", "answers": "empty"},
    ),
    "compare_shapes": Case(
        {"runs": RUNS, **SCORING, "test": "t", "interval": "t"},
        {"runs": SEVERAL_RUNS, "measures": MEASURES, **SCORING_FORMS},
        {"measures": "none empty"},
    ),
    "convert": Case(
        {"data": RUN, "path": "OUT.jsonl"},
        {"data": either(run=RUN_FORMS, assessments=ASSESSMENT_FORMS)},
        {"data": "empty"},
    ),
    "curve": Case(
        {"runs": RUNS, **SCORING}, {"runs": SEVERAL_RUNS, "measures": MEASURES, **SCORING_FORMS}, OPTIONAL
    ),
    "stages": Case(
        {"runs": STEPS, "assessments": ASSESSMENTS, "documents": DOCUMENTS},
        {"runs": STEP_FORMS, **SCORING_FORMS},
        {"documents": "none"},
    ),
    "evaluate": Case(
        {"runs": RUNS, **SCORING},
        {"runs": either(one=RUN_FORMS, several=SEVERAL_RUNS), "measures": MEASURES, **SCORING_FORMS},
        OPTIONAL,
    ),
    "explain": Case(
        {"run": RUN, **SCORING, "measures": "iP@1", "topic": "t1"},
        {"run": RUN_FORMS, "measures": ONE_MEASURE, "navigation": NAVIGATION, **SCORING_FORMS},
        OPTIONAL,
    ),
    "fit_navigation": Case(
        {"log": LOG, "documents": DOCUMENTS, "navigation": "readon(mean=?)", "folds": 2},
        {"log": SESSIONS, "documents": {form: DOCUMENT_FORMS[form] for form in ("path", "rows", "table")}},
    ),
    "compare_navigations": Case(
        {"log": LOG, "documents": DOCUMENTS, "navigation": "hierarchical", "folds": 2},
        {
            "log": SESSIONS,
            "documents": {form: DOCUMENT_FORMS[form] for form in ("path", "rows", "table")},
            "navigation": plain(one="hierarchical", list=["none", "readon(mean=?)"]),
        },
    ),
    "index": Case(
        {},
        {
            "documents": {
                "path": DOCUMENT_FORMS["path"],
                "paths": lambda folder: [DOCUMENT_FORMS["path"](folder)],
                "text path": DOCUMENT_FORMS["text path"],
            }
        },
    ),
    "judge": Case(
        {
            "pool": dx.pool(RUN, documents=DOCUMENTS),
            "documents": DOCUMENTS,
            "offline": "OUT.html",
            "assessors": "ann",
        },
        {
            "pool": POOL,
            "documents": DOCUMENT_FORMS,
            "topics_file": TOPICS_FILE,
            "assessors": plain(one="ann", list=["ann"]),
        },
        {"topics_file": "none", "assessors": "missing-path"},
    ),
    "measure": Case({}, {"measures": plain(text="iP@1", object=dx.measure("iP@1"))}),
    "config": Case({}, {"folder": {"path": _project, "text path": lambda folder: str(_project(folder))}}),
    "measures": Case(),
    "navigate": Case(
        {"documents": DOCUMENTS},
        {"documents": {form: DOCUMENT_FORMS[form] for form in ("path", "rows", "table")}},
    ),
    "navigations": Case(),
    "origins": Case({}, {"store": {"path": _store, "text path": lambda folder: str(_store(folder))}}),
    "perturb": Case(
        {"run": RUN, "assessments": ASSESSMENTS, "perturbation": "relevant-up"},
        {"run": RUN_FORMS, **SCORING_FORMS},
        {"documents": "none", "run": "empty", "assessments": "empty"},
    ),
    "plot": Case(
        {"runs": RUNS, **SCORING, "measures": "iP@1", "figure": "means"},
        {"runs": SEVERAL_RUNS, "measures": ONE_MEASURE, **SCORING_FORMS},
        OPTIONAL,
    ),
    "pool": Case(
        {"runs": RUNS},
        {"runs": either(one=RUN_FORMS, several=SEVERAL_RUNS), "topics_file": TOPICS_FILE, **SCORING_FORMS},
        OPTIONAL | {"assessments": "none empty"},
    ),
    "read_assessments": Case({}, {"data": ASSESSMENT_FORMS}, {"data": "empty"}),
    "read_chunks": Case({}, {"data": CHUNK_FORMS}, {"data": "empty"}),
    "read_documents": Case({}, {"data": DOCUMENT_FORMS}),
    "read_layout": Case({}, {"data": {"path": _layout}}),
    "read_pool": Case({}, {"data": POOL}),
    "read_run": Case({}, {"data": RUN_FORMS}, {"data": "empty"}),
    "read_scores": Case(
        {}, {"data": {form: SCORED[form] for form in SCORED if form not in ("list", "files")}}
    ),
    "read_topics": Case({}, {"data": TOPICS_FILE}, {"data": "none"}),
    "retrieve": Case(
        {"retriever": lambda question: ["red button"], "questions": QUESTIONS, "documents": DOCUMENTS},
        {"documents": DOCUMENT_FORMS, "questions": plain(list=list(QUESTIONS.values()))},
    ),
    "score_retriever": Case(
        {"retriever": lambda question: ["red button"], "questions": QUESTIONS, **SCORING},
        {"measures": MEASURES, **SCORING_FORMS},
        {"measures": "none empty"},
    ),
    "scores": Case({}, {"store": {"path": _store, "text path": lambda folder: str(_store(folder))}}),
    "simulate": Case(
        {"run": RUN, **SCORING, "measures": f"Hits(nav={MODEL})@1", "readers": 20},
        {"run": RUN_FORMS, "measures": plain(text=f"Hits(nav={MODEL})@1"), "assessments": ASSESSMENT_FORMS},
        {"measures": "none empty"},
    ),
    "study": Case(
        {"study": "stability", "runs": RUNS, **SCORING, "splits": 2},
        {"runs": SEVERAL_RUNS, "measures": MEASURES, **SCORING_FORMS},
        OPTIONAL,
    ),
    "summary": Case({"documents": DOCUMENTS}, {"documents": DOCUMENT_FORMS, "log": {}}, {"log": "none"}),
    "synth": Case(
        {"path": "made", "document_count": 30, "topic_count": 1, "pool_size": 5, "system_count": 1}
    ),
    "validate": Case(
        {"data": RUN, "assessments": ASSESSMENTS},
        {"data": either(run=RUN_FORMS, assessments=ASSESSMENT_FORMS), **SCORING_FORMS},
        OPTIONAL | {"assessments": "none empty", "data": "empty"},
    ),
    "write_assessments": Case(
        {"assessments": ASSESSMENTS, "path": "OUT.jsonl"},
        {"assessments": ASSESSMENT_FORMS},
        {"assessments": "empty"},
    ),
    "write_chunks": Case(
        {"chunks": CHUNKS, "path": "OUT.jsonl"}, {"chunks": CHUNK_FORMS}, {"chunks": "empty"}
    ),
    "write_documents": Case({"documents": DOCUMENTS, "path": "OUT.jsonl"}, {"documents": DOCUMENT_FORMS}),
    "write_pool": Case({"pool": dx.pool(RUN), "path": "OUT.jsonl"}, {"pool": POOL}),
    "write_report": Case(
        {"runs": RUNS, **SCORING, "path": "OUT.html"},
        {"runs": SEVERAL_RUNS, "topics_file": TOPICS_FILE},
        OPTIONAL,
    ),
    "write_run": Case({"run": RUN, "path": "OUT.jsonl"}, {"run": RUN_FORMS}, {"run": "empty"}),
    "write_scores": Case(
        {"scores": RUNS, **SCORING, "path": "OUT.csv"}, {"scores": SEVERAL_RUNS, **SCORING_FORMS}, OPTIONAL
    ),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of one's own; warnings about the data are not what is tested here."""
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dx.DoxevalWarning)
        yield tmp_path


def test_every_public_function_is_tried() -> None:
    missing = set(CASES) ^ set(FUNCTIONS)
    assert not missing, f"CASES here has a case for each public function, not for {missing}"
    for name, case in CASES.items():
        known = {*inspect.signature(getattr(dx, name)).parameters, "test", "interval"}
        assert {*case.given, *case.takes} <= known, name


@pytest.mark.parametrize("name", CASES)
def test_every_function_takes_what_people_have(name: str, folder: Path) -> None:
    case, function = CASES[name], getattr(dx, name)
    if not case.takes:
        function(**case.given)
    for parameter, forms in case.takes.items():
        for form, make in forms.items():
            try:
                function(**case.given | {parameter: make(folder)})
            except dx.DoxevalError as problem:
                pytest.fail(f"{name}() refuses {parameter} as {form}: {problem}")


@pytest.mark.parametrize("name", OF_SCORES)
def test_functions_of_scores_take_scores(name: str, folder: Path) -> None:
    options = OF_SCORES[name] | ({"trusted": scores()} if name == "trust" else {})
    if name == "slice_scores":
        options |= {"topics_file": {row["topic"]: {"kind": row["kind"]} for row in ASSESSMENTS}}
    for form, make in SCORED.items():
        try:
            getattr(dx, name)(make(folder), **options)
            getattr(dx, name)(make(folder), measures="iP@1", **options)
        except dx.DoxevalError as problem:
            pytest.fail(f"{name}() refuses {form}: {problem}")
        with pytest.raises(dx.UsageError, match="already scored"):
            getattr(dx, name)(make(folder), ASSESSMENTS, **options)


def closed_file() -> Any:
    stream = Path("closed").open("w+")  # noqa: SIM115
    stream.close()
    return stream


WRONG: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "number": lambda: 3,
    "fraction": lambda: 1.5,
    "object": object,
    "missing-path": lambda: "nothing/there.jsonl",
    "missing-Path": lambda: Path("nothing/there.jsonl"),
    "empty": list,
    "folder": lambda: _empty_folder(),
    "nonsense-bytes": lambda: b"\x00\xff\x00",
    "closed-file": closed_file,
    "nonsense-dict": lambda: {"x": object()},
    "nonsense-list": lambda: [None, 3],
    "class": lambda: dict,
    "empty-text": lambda: "",
}


def _empty_folder() -> Path:
    Path("empty").mkdir(exist_ok=True)
    return Path("empty")


ALSO_FINE = {"measures": ["empty-text"]}
"""Values that mean something for a parameter wherever it is: no measure named is those that suit."""


@pytest.mark.parametrize(
    ("name", "parameter"), [(name, one) for name, case in CASES.items() for one in case.takes]
)
def test_anything_else_is_an_error_of_ours(name: str, parameter: str) -> None:
    case = CASES[name]
    fine = case.fine.get(parameter, "").split()
    for label, make in WRONG.items():
        try:
            getattr(dx, name)(**case.given | {parameter: make()})
        except dx.DoxevalError as problem:
            assert str(problem) and "not readable: " not in str(problem), f"{label}: {problem}"
            if label == "none" and label in fine:
                pytest.fail(f"{name}() refuses no {parameter}: {problem}")
        except Exception as problem:
            pytest.fail(f"{name}({parameter}={label}): {type(problem).__name__}: {problem}")
        else:
            assert label in fine or label in ALSO_FINE.get(parameter, ""), (
                f"{name}() takes {label} as {parameter}"
            )


@pytest.mark.parametrize("name", CASES)
def test_wrong_names_get_the_right_hint(name: str) -> None:
    function, case = getattr(dx, name), CASES[name]
    known = inspect.signature(function).parameters
    hints = {
        "docs": "documents",
        "nav": "navigation",
        "measure": "measures",
        "metrics": "measures",
        "qrels": "assessments",
        "gold": "assessments",
        "output": "path",
        "target": "path",
        "samples": "draws",
        "n_jobs": "jobs",
    }
    for wrong, right in hints.items():
        if right in known:
            given = {key: value for key, value in case.given.items() if key != right}
            with pytest.raises(dx.UsageError, match=rf"{name}\(\) takes {right}=, not {wrong}="):
                function(**given, **{wrong: "x"})
    with pytest.raises(dx.UsageError, match=rf"{name}\(\) has no parameter 'nonsense'"):
        function(**case.given, nonsense=1)
    for right in known:
        keyword = known[right].kind is inspect.Parameter.KEYWORD_ONLY
        if len(right) > 4 and keyword and right[:-1] not in dx.ScoringOptions.__annotations__:
            given = {key: value for key, value in case.given.items() if key != right}
            with pytest.raises(
                dx.UsageError, match=rf"did you mean .*'{right}'|takes \w+=, not {right[:-1]}="
            ):
                function(**given, **{right[:-1]: 1})


def test_an_evaluation_hints_as_functions_do() -> None:
    with pytest.raises(dx.UsageError, match=r"Evaluation\(\) takes measures=, not metric="):
        dx.Evaluation(ASSESSMENTS, metric="iP")  # type: ignore[call-arg]
    with pytest.raises(dx.UsageError, match=r"Evaluation\(\) needs assessments"):
        dx.Evaluation()  # type: ignore[call-arg]


def test_cut_offs_belong_to_measures() -> None:
    for wrong in ("k", "cutoff"):
        with pytest.raises(dx.UsageError, match=r"as in measures='iP@10'"):
            dx.evaluate(RUNS, ASSESSMENTS, "iP", **{wrong: 5})


def test_arguments_that_are_missing_or_given_twice_are_named() -> None:
    with pytest.raises(dx.UsageError, match=r"evaluate\(\) needs runs and assessments"):
        dx.evaluate()  # type: ignore[call-arg]
    with pytest.raises(dx.UsageError, match=r"gate\(\) needs baseline"):
        dx.gate(scores())  # type: ignore[call-arg]
    with pytest.raises(dx.UsageError, match=r"evaluate\(\) is given measures twice"):
        dx.evaluate(RUNS, ASSESSMENTS, "iP", measures="iR")  # type: ignore[misc]
    with pytest.raises(dx.UsageError, match=r"chunk\(\) takes documents by position"):
        dx.chunk(DOCUMENTS, "size")  # type: ignore[call-arg]


SIMPLE: dict[str, list[Any]] = {
    "str": [3, b"x"],
    "int": ["3", 1.5],
    "float": ["0.5"],
    "bool": ["yes", 1],
    "str | Path": [3, b"x", None],
}


@pytest.mark.parametrize("name", CASES)
def test_values_of_a_wrong_kind_are_named(name: str, folder: Path) -> None:
    function, case = getattr(dx, name), CASES[name]
    first = {parameter: next(iter(forms.values())) for parameter, forms in case.takes.items() if forms}
    given = {parameter: make(folder) for parameter, make in first.items()} | case.given
    for parameter in inspect.signature(function).parameters.values():
        annotation = str(parameter.annotation)
        wrong = SIMPLE.get(annotation.removesuffix(" | None"), [])
        for value in wrong:
            if value is None and annotation.endswith("| None"):
                continue
            with pytest.raises(dx.UsageError, match=rf"{name}\(\) expects .* as {parameter.name}, found"):
                function(**given | {parameter.name: value})


def test_an_evaluation_stands_for_its_assessments_measures_and_documents() -> None:
    evaluation = dx.Evaluation(ASSESSMENTS, "iP@1 iR@1", DOCUMENTS)
    for name, options in OF_SCORES.items():
        if name != "trust":
            getattr(dx, name)(RUNS, evaluation, **options)
    assert dx.explain(RUN, evaluation, "iP@1", topic="t1").measure == "iP@1"
    with pytest.raises(dx.UsageError, match="omit them here"):
        dx.compare(RUNS, evaluation, documents=DOCUMENTS)
    with pytest.raises(dx.UsageError, match="no measure 'iP@2'; did you mean 'iP@1'"):
        dx.compare(RUNS, evaluation, "iP@2")


RESULTS: dict[str, Callable[[], Any]] = {
    "scores": scores,
    "compare": lambda: dx.compare(scores(), test="t", interval="t"),
    "correlate": lambda: dx.correlate(scores(), draws=0),
    "correlate with outcomes": lambda: dx.correlate(scores(), outcomes=OUTCOMES, draws=0),
    "slice_scores": lambda: dx.slice_scores(RUNS, ASSESSMENTS, "iP@1", by="kind", draws=100),
    "trust": lambda: dx.trust(RUNS, ASSESSMENTS, "iP@1", trusted=OTHERS),
    "agree": lambda: dx.agree([ASSESSMENTS, OTHERS], coefficients=["overlap"], draws=100),
    "effects": lambda: dx.effects(SIZES, ASSESSMENTS, "iP@1", draws=100),
    "curve": lambda: dx.curve(RUNS, ASSESSMENTS, "iP"),
    "stages": lambda: dx.stages(STEPS, ASSESSMENTS),
    "explain": lambda: dx.explain(RUN, ASSESSMENTS, "iP@1", topic="t1"),
    "budget": lambda: dx.budget(RUNS, ASSESSMENTS),
    "ceiling": lambda: dx.ceiling(CHUNKS, ASSESSMENTS),
    "diagnose": lambda: dx.diagnose(RUNS, ASSESSMENTS, "iR@1", draws=100),
    "cite": lambda: dx.cite(ANSWERS, RUN, documents=DOCUMENTS),
    "simulate": lambda: dx.simulate(RUN, ASSESSMENTS, f"Hits(nav={MODEL})@1", DOCUMENTS, readers=20),
    "study": lambda: dx.study("stability", RUNS, ASSESSMENTS, "iP@1", splits=2),
    "summary": lambda: dx.summary(DOCUMENTS),
    "navigate": lambda: dx.navigate(DOCUMENTS),
    "compare_navigations": lambda: dx.compare_navigations(LOG, DOCUMENTS, "hierarchical", folds=2),
    "synth": lambda: dx.synth(
        "made", document_count=30, topic_count=1, pool_size=5, system_count=1, docs_format="none"
    ),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_show_themselves_and_are_written(name: str, folder: Path) -> None:
    result = RESULTS[name]()
    assert repr(result).strip() and result.tables and isinstance(result.notices, dx.Notices)
    for form in ("table", "md", "latex"):
        assert result.rendered(form).decode().strip()
    result.write(folder / "out.md")
    assert (folder / "out.md").read_text().startswith(("|", "**", "#", "By", result.tables[0].title or "|"))
    if name not in ("study",):
        assert result.rendered("csv").decode().count("\n") > 1
    with pytest.raises(dx.UsageError, match="'mdd'; did you mean 'md'"):
        result.rendered("mdd")


def test_comparisons_and_correlations_are_drawn_and_disagreement_reported(folder: Path) -> None:
    pytest.importorskip("matplotlib")
    dx.plot(dx.compare(scores(), test="t", interval="t"), path="differences.svg")
    dx.plot(dx.correlate(scores(), draws=0), path="tau.svg")
    dx.plot(dx.correlate(scores(), outcomes=OUTCOMES, draws=0), path="success.svg")
    assert all(Path(f"{name}.svg").exists() for name in ("differences", "tau", "success"))
    found = dx.agree([ASSESSMENTS, OTHERS], DOCUMENTS, coefficients=["overlap"], draws=100)
    assert dx.write_report(found, path="differ.html").left_out == []


def test_chunks_are_written_with_their_text(folder: Path) -> None:
    dx.write_chunks(dx.chunk(DOCUMENTS, cut="paragraph"), "chunks.jsonl", documents=DOCUMENTS)
    texts = [json.loads(line)["text"] for line in Path("chunks.jsonl").read_text().splitlines()]
    assert texts[:2] == DOCUMENTS[0]["text"].split("\n\n")
    with pytest.raises(dx.UsageError, match="cannot hold the text"):
        dx.write_chunks(CHUNKS, "chunks.csv", documents=DOCUMENTS, format="chunks-csv")


def test_scores_are_selected_and_sorted() -> None:
    found = scores()
    assert found.select(["two", "one"], ["iR@1"]).names == ["two", "one"]
    assert found.sort("name").names == ["one", "three", "two"]
    best = found.sort("iP@1")
    assert [best.value(name, "iP@1") for name in best.names] == sorted(
        (found.value(name, "iP@1") for name in found.names), reverse=True
    )


def test_problems_of_the_gold_are_listed() -> None:
    gold = [{"topic": "t1", "doc": "d1", "quote": "no such words anywhere"}, *ASSESSMENTS]
    assert dx.Evaluation(gold, "iP@1", DOCUMENTS).gold_problems()
    assert not dx.Evaluation(ASSESSMENTS, "iP@1", DOCUMENTS).gold_problems()


def test_scores_and_runs_are_compared_side_by_side(folder: Path) -> None:
    before = scores().select(["one"])
    found = dx.compare(
        [before, dx.read_run(RUNS["two"], name="two")], ASSESSMENTS, "iP@1", DOCUMENTS, test="t"
    )
    assert [(one.baseline, one.run) for one in found.differences] == [("one", "two")]
    whole = dx.compare(RUNS, ASSESSMENTS, "iP@1", DOCUMENTS, test="t").between("iP@1", "one", "two")
    assert found.differences[0].difference == whole.difference
