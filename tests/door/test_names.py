"""One order of arguments, and one name for each parameter, in all public functions."""

from __future__ import annotations

import inspect
from typing import Any, cast

import pytest

import doxeval as dx
from doxeval.core.calls import OTHER_WORDS

FUNCTIONS = [name for name in cast(Any, dx).__all__ if inspect.isfunction(getattr(dx, name))]
WHAT = (
    "study", "retriever", "questions", "answers", "log", "store", "data", "scores", "chunks", "pool", "runs",
    "run",
)  # fmt: skip
ORDER = (*WHAT, "assessments", "perturbation", "measures", "documents", "navigation", "path")
"""What, against what, by which measures, documents, navigation, options; where to write it last."""

OWN_WORDS = {
    ("cite", "answers"), ("perturb", "characters"), ("judge", "grades"), ("pool", "order"), ("chunk", "size"),
    ("synth", "results"), ("synth", "systems"), ("study", "results"), ("validate", "kind"),
    ("convert", "kind"), ("compare", "by"), ("diagnose", "by"), ("slice_scores", "by"),
    ("write_report", "by"), ("summary", "log"), ("fit_navigation", "log"), ("compare_navigations", "log"),
    ("write_scores", "scores"), ("read_run", "name"),
    ("retrieve", "name"), ("retrieve", "k"), ("score_retriever", "name"), ("score_retriever", "k"),
    ("ceiling", "k"),
}  # fmt: skip
"""Words that are others' for some parameter, where they mean something else."""


def parameters(name: str) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(getattr(dx, name)).parameters)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_by_position_have_one_order(name: str) -> None:
    given = [one for one, kind in parameters(name).items() if kind.kind is kind.POSITIONAL_OR_KEYWORD]
    assert set(given) <= set(ORDER), f"{name}() takes {set(given) - set(ORDER)} by position"
    assert given == sorted(given, key=ORDER.index), f"{name}({', '.join(given)})"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_words_of_others_are_not_ours(name: str) -> None:
    others = {word for words in OTHER_WORDS.values() for word in words.split()} - set(OTHER_WORDS)
    used = {one for one in parameters(name) if one in others and (name, one) not in OWN_WORDS}
    assert not used, f"{name}() has {used}"


def test_every_word_of_its_own_is_in_use() -> None:
    assert all(word in parameters(name) for name, word in OWN_WORDS)


def test_every_hint_leads_to_a_parameter() -> None:
    known = {one for name in FUNCTIONS for one in parameters(name)} | set(dx.ScoringOptions.__annotations__)
    assert set(OTHER_WORDS) <= known, set(OTHER_WORDS) - known


SAME = {
    "seed": "int", "draws": "int", "confidence": "float", "documents": "Any", "assessments": "Any",
    "runs": "Any", "measures": "Measures", "topics_file": "Any", "encoding": "str | None", "merge": "str",
    "ranges": "str", "input_format": "str | None", "title": "str", "per_topic": "bool", "share": "float",
    "topic_count": "int", "path": "str | Path",
}  # fmt: skip
OTHERWISE = {
    ("agree", "assessments"): "Mapping[str, Any] | Sequence[Any]",
    ("index", "documents"): "str | Path | Iterable[str | Path]",
    ("measure", "measures"): "str | Measure",
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_name_is_of_one_kind(name: str) -> None:
    for one, parameter in parameters(name).items():
        expected = OTHERWISE.get((name, one), SAME.get(one))
        if expected is not None:
            assert str(parameter.annotation).removesuffix(" | None") == expected.removesuffix(" | None"), one


@pytest.mark.parametrize("name", FUNCTIONS)
def test_format_is_that_of_output(name: str) -> None:
    if "format" in parameters(name):
        assert name.startswith("write_") or name in ("convert", "judge", "synth")
    if name.startswith("read_") and name not in ("read_layout", "read_pool", "read_scores", "read_topics"):
        assert "input_format" in parameters(name)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_read_is_data_and_what_is_written_goes_to_a_path(name: str) -> None:
    given = list(parameters(name))
    if name.startswith("read_"):
        assert given[0] == "data"
    if name.startswith("write_"):
        positional = [
            one for one, kind in parameters(name).items() if kind.kind is kind.POSITIONAL_OR_KEYWORD
        ]
        assert positional[-1] == "path"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_that_score_take_every_option_of_scoring(name: str) -> None:
    given = parameters(name)
    keywords = [one for one in given.values() if one.kind is one.VAR_KEYWORD]
    scores = {"assessments", "measures", "documents", "navigation"} <= set(given)
    if scores and name != "verdict":
        assert [one.name for one in keywords] == ["options"], name
    assert not set(given) & set(dx.ScoringOptions.__annotations__) - {
        "pool",
        "depth",
        "assessed",
        *READING,
    }, name


READING = (
    "ranges",
    "grid",
    "encoding",
    "merge",
    "level",
    "insertions",
    "question_attribute",
    "store",
    "jobs",
    "executor",
    "chunks",
    "assessments_format",
)
"""Options of scoring that functions which do not score take by themselves."""


def test_an_evaluation_takes_what_evaluate_does() -> None:
    made = list(inspect.signature(dx.Evaluation.__init__).parameters)[1:]
    assert made == [one for one in parameters("evaluate") if one != "runs"]
