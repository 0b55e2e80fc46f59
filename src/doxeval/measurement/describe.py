"""Descriptions of measures: the list for the command line and the documentation, and one in full."""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import replace

from doxeval.core.errors import UsageError, nearest
from doxeval.core.grammar import parse_measure
from doxeval.core.parameters import Parameter
from doxeval.core.screen import filled
from doxeval.measurement.base import MEASURES, Measure, measures
from doxeval.measurement.families.elsewhere import called_here
from doxeval.measurement.families.flat import DocumentMeasure
from doxeval.measurement.families.phrases import ALL_QUESTIONS
from doxeval.reader.effort.score import DOCUMENT_SCORES, DocumentScore

DEEPER = " " * 6
FORM_WIDTH = 14


def form(measure: type[Measure], parameters: bool = True) -> str:
    """The form in which a measure is typed, ``iP(alpha=0)@k``, with the defaults of its parameters or not."""
    given = ",".join(f"{p.name}={default_text(p)}" for p in measure.parameters if parameters)
    point = {"required": "[x]", "optional": "[x]?", "none": ""}[measure.point]
    cutoff = {"required": "@k", "optional": "@k?", "none": ""}[measure.cutoff]
    return f"{measure.name}{f'({given})' if given else ''}{point}{cutoff}"


def score_form(score: type[DocumentScore]) -> str:
    """The form in which a document score is typed, with the defaults of its parameters."""
    given = ",".join(f"{p.name}={default_text(p)}" for p in score.parameters)
    return f"{score.name}{f'({given})' if given else ''}@doc"


def default_text(parameter: Parameter) -> str:
    """The default of a parameter, as typed."""
    default = parameter.default
    if isinstance(default, bool):
        return str(default).lower()
    return (
        "..."
        if default is None
        else str(float(default))
        if hasattr(default, "numerator") and default != int(default)
        else str(default)
    )


def entries() -> list[dict[str, object]]:
    """Every measure as plain data."""
    return [_entry(measure) for measure in measures().values()]


def _entry(measure: type[Measure]) -> dict[str, object]:
    return {
        "name": measure.name,
        "form": form(measure),
        "aliases": list(measure.aliases),
        "user": measure.user,
        "paper": measure.paper,
        "needs": sorted(measure.needs),
        "direction": "higher is better" if measure.higher_is_better else "lower is better",
        "example": measure.example,
        "parameters": _parameters(measure),
    }


def _entry_of(name: str) -> dict[str, object]:
    """One measure or document score as plain data, with its description in full."""
    described: dict[str, object] = {"explained": describe(name)}
    measure, score = _named(name)
    if measure is not None:
        return _entry(measure) | described
    if score is None:
        return _entry(DocumentMeasure) | {"name": _name_in(name), "form": name, "example": name} | described
    told: dict[str, object] = {
        "name": score.name,
        "form": score_form(score),
        "user": score.user,
        "paper": score.paper,
    }
    told |= {"paper": score.paper, "example": f"{score.name}@doc", "parameters": _parameters(score)}
    return told | described


def _parameters(one: type[Measure] | type[DocumentScore]) -> dict[str, object]:
    return {
        p.name: {"default": default_text(p), "allowed": p.allowed, "help": _help(one, p)}
        for p in one.parameters
    }


def _help(one: type[Measure] | type[DocumentScore], parameter: Parameter) -> str:
    """The help of a parameter, with the meaning of `auto` for this measure."""
    auto = one.auto().get(parameter.name) if issubclass(one, Measure) else None
    return parameter.help if auto is None else f"{parameter.help}; auto: {auto}"


def parameters_of(measure: Measure) -> list[tuple[str, str, str]]:
    """Name, value and meaning of each parameter of a measure as it was asked for.

    >>> from doxeval.measurement.base import measure_named
    >>> [(name, value) for name, value, _ in parameters_of(measure_named("iP(.5)@5"))]
    [('alpha', '0.5'), ('complete', 'false')]
    """
    given = vars(measure.given)
    return [
        (p.name, default_text(replace(p, default=given[p.name])), _help(type(measure), p))
        for p in measure.parameters
        if given[p.name] is not None
    ]


def by_question() -> dict[str, list[type[Measure]]]:
    """All measures by the questions they ask; questions that only plug-ins ask come last."""
    found: dict[str, list[type[Measure]]] = {question: [] for question in ALL_QUESTIONS}
    for measure in measures().values():
        found.setdefault(measure.question, []).append(measure)
    return {question: asking for question, asking in found.items() if asking}


def list_measures(format: str = "table", every: bool = False, name: str = "") -> str:
    """All measures by the questions they ask, with their users; `every` parameter and paper if wanted.

    As JSON, also the one of a name only.
    """
    if format == "json":
        return json.dumps([_entry_of(name)] if name else entries(), indent=1)
    if format == "md":
        rows = ["| measure | the user | from |", "|---|---|---|"]
        rows += [f"| `{e['form']}` | {e['user']} | {e['paper']} |" for e in entries()]
        return "\n".join(rows)
    lines = []
    for question, asked in by_question().items():
        told = [line for measure in asked for line in (_details(measure) if every else [_line(measure)])]
        lines += [filled(question), *told, ""]
    lines += [filled("Document scores, for AgP(score=...) or on their own")]
    for score in DOCUMENT_SCORES.all().values():
        told = [score.user, score.paper] if every else []
        lines += [filled(score_form(score), "  ", "      ")] * every + [
            filled(text, DEEPER, DEEPER) for text in told
        ]
    if not every:
        lines += [filled(" ".join(f"{name}@doc" for name in DOCUMENT_SCORES), "  ", "  ")]
    more = "" if every else "; --all adds parameters and papers"
    return "\n".join(
        [*lines, "", filled(f"? marks an optional part; 'doxeval measures NAME' explains one{more}.")]
    )


def _line(measure: type[Measure]) -> str:
    typed = form(measure, parameters=False)
    return filled(f"{typed:<{FORM_WIDTH}} {measure.user}", "  ", " " * (FORM_WIDTH + 3))


def _details(measure: type[Measure]) -> list[str]:
    autos = [f"{name}=auto: {meaning}" for name, meaning in measure.auto().items()]
    details = [filled(text, DEEPER, DEEPER) for text in (measure.user, measure.paper, *autos)]
    return [filled(form(measure), "  ", DEEPER), *details]


def describe(name: str) -> str:
    """The full description of one measure."""
    measure, score = _named(name)
    if score is not None:
        return "\n".join([score_form(score), *_explained(score)])
    if measure is None and _name_in(name) in DocumentMeasure.names():
        return "\n".join([name, *_explained(DocumentMeasure)])
    if measure is None:
        known = [*MEASURES.names(), *DOCUMENT_SCORES]
        hint = called_here(name) or _in_origins(name) or nearest(name, known)
        raise UsageError(f"unknown measure {name!r}{hint}{MEASURES.failures_told}")
    lines = [form(measure), *_explained(measure)]
    lines.append(
        f"Simulated readers draw {measure.draws}" if measure.draws else f"Not simulated: {measure.no_draws}"
    )
    if measure.needs:
        lines.append(f"Needs: {', '.join(sorted(measure.needs))}")
    return "\n".join(lines)


def _named(name: str) -> tuple[type[Measure] | None, type[DocumentScore] | None]:
    """The measure or the document score of that name, or the measure in one that is typed in full."""
    if (measure := MEASURES.find(name)) is not None:
        return measure, None
    if (score := DOCUMENT_SCORES.find(name.removesuffix("@doc"))) is not None:
        return None, score
    return MEASURES.find(_name_in(name)), None


def _name_in(text: str) -> str:
    """The name in a measure as it is typed, as in iP(alpha=0.5)@5; a text that is none unchanged."""
    try:
        return parse_measure(text).call.name
    except UsageError:
        return text


def _in_origins(word: str) -> str:
    """A hint at measures whose origin has a word, such as a track or the name of its figure."""
    wanted = re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE)
    found = [f"{one.name} ({one.paper})" for one in measures().values() if wanted.search(one.paper)]
    return f"; it is in the origin of {', '.join(found)}" if found else ""


def _explained(one: type[Measure] | type[DocumentScore]) -> list[str]:
    lines = ["", inspect.cleandoc(one.__doc__ or ""), "", f"User: {one.user}", f"From: {one.paper}"]
    return lines + [f"  {p.name} = {default_text(p)}: {_help(one, p)}; {p.allowed}" for p in one.parameters]
