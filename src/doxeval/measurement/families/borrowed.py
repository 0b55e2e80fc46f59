"""Measures of ir_measures as users type them: bound, tried once, and refused with a reason."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from fractions import Fraction
from typing import Any

from doxeval.core.errors import UsageError, nearest
from doxeval.core.grammar import Expression, Value, show

ALLOWED = {
    "p": (0, 1),
    "alpha": (0, 1),
    "beta": (0, None),
    "recall": (0, 1),
    "T": (0, None),
    "cutoff": (1, None),
}
"""Allowed ranges of parameters for which ir_measures would accept any number."""
LARGEST_WHOLE = 1 << 31
IN_WORDS = {
    int: f"a whole number below {LARGEST_WHOLE:,}",
    float: "a number",
    bool: "true or false",
    str: "a name",
    dict: "as {0:0,1:3}",
}
# Three documents to try a measure on, so that anything its provider lacks shows before a run is read.
TRIED_QRELS = (("1", "a", 1, "1"), ("1", "b", 0, "1"), ("1", "c", 1, "2"))
TRIED_RUN = {"1": {"a": 3.0, "b": 2.0, "d": 1.0}}


def ir_measures() -> Any:
    """The library, None if it is not installed."""
    try:
        import ir_measures
    except ImportError:
        return None
    return ir_measures


def borrow(expression: Expression, label: str) -> Any:
    """The measure of ir_measures as typed; an error with the reason if it cannot be computed here."""
    offered = ir_measures().measures.registry[expression.call.name]
    measure = offered(**_arguments(offered, expression, label))
    for name, parameter in offered.SUPPORTED_PARAMS.items():
        if parameter.required and name not in measure.params:
            at = "@0.1" if name == "recall" else "@10"
            form = at if name == offered.AT_PARAM else f"({name}=1){expression.cutoff or ''}"
            raise UsageError(
                f"{label!r}: {expression.call.name} needs {name} ({parameter.desc}), "
                f"as in {expression.call.name}{form}"
            )
    library = ir_measures()
    compute(evaluator([measure], [library.Qrel(*row) for row in TRIED_QRELS], label), TRIED_RUN, label)
    return measure


def relevance_matters(measure: Any, label: str) -> bool:
    """Whether a measure asks what is relevant, tried on a few documents."""
    return _tried(measure, (1, 1, 1), label) != _tried(measure, (0, 0, 0), label)


def grades_matter(measure: Any, label: str) -> bool:
    """Whether a measure tells grades apart, tried on a few documents."""
    return _tried(measure, (1, 2, 3), label) != _tried(measure, (1, 1, 1), label)


def _tried(measure: Any, grades: tuple[int, ...], label: str) -> list[dict[str, float]]:
    judged = [ir_measures().Qrel("1", doc, grade, "1") for doc, grade in zip("abc", grades, strict=True)]
    return [values for _, values in compute(evaluator([measure], judged, label), TRIED_RUN, label)]


def _arguments(offered: Any, expression: Expression, label: str) -> dict[str, Any]:
    name, known = expression.call.name, list(offered.SUPPORTED_PARAMS)
    given = list(expression.call.arguments)
    if expression.cutoff is not None:
        if expression.cutoff.unit not in ("ranks", "documents") or offered.AT_PARAM not in known:
            raise UsageError(
                f"{label!r}: {name} of whole documents takes no cut-off"
                + (f" in {expression.cutoff.unit}" if offered.AT_PARAM in known else "")
            )
        given.append((offered.AT_PARAM, Fraction(expression.cutoff.amount)))
    if expression.point is not None:
        if offered.AT_PARAM != "recall":
            raise UsageError(f"{label!r}: {name} of whole documents takes no recall point")
        given.append(("recall", expression.point))
    for key, value in given:
        if key not in known:
            what = f"no parameter {key!r}{nearest(key, known)}" if key else f"no unnamed {show(value)}"
            raise UsageError(f"{label!r}: {name} takes {what} (it has: {', '.join(known) or 'none'})")
        if [other for other, _ in given].count(key) > 1:
            raise UsageError(f"{label!r}: {key} of {name} is given twice")
    return {key: _argument(key, value, offered.SUPPORTED_PARAMS[key], label) for key, value in given}


def _argument(name: str, value: Value, parameter: Any, label: str) -> Any:
    """The value of a parameter in the type that ir_measures expects."""
    kind = parameter.dtype
    low, high = ALLOWED.get(name, (None, None))
    fits = isinstance(value, bool) if kind is bool else isinstance(value, str) and kind in (str, dict)
    if isinstance(value, Fraction) and kind in (int, float):
        fits = kind is float or (value.denominator == 1 and abs(value) < LARGEST_WHOLE)
        fits &= (low is None or value >= low) and (high is None or value <= high)
        fits &= name != "recall" or (100 * value).denominator == 1
    converted = kind(value) if fits and kind is not dict else _gains(str(value)) if fits else None
    if converted is None or not parameter.validate(converted):
        choices = "" if not isinstance(parameter.choices, list) else f": {' or '.join(parameter.choices)}"
        bounds = "" if low is None else f" of at least {low}" if high is None else f" from {low} to {high}"
        steps = " with at most two decimals" if name == "recall" else ""
        raise UsageError(f"{label!r}: {name} is {IN_WORDS[kind]}{choices}{bounds}{steps}, not {show(value)}")
    return converted


def _gains(text: str) -> dict[int, int] | None:
    import ast

    try:
        gains = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    whole = isinstance(gains, dict) and all(type(one) is int for pair in gains.items() for one in pair)
    return gains if whole else None


def evaluator(measures: Sequence[Any], judged: Any, label: str) -> Any:
    """An evaluator of ir_measures for measures and judgements, reused for many runs."""
    with _explained(measures[0], label):
        return ir_measures().evaluator(list(measures), judged)


def compute(
    evaluator: Any, ranked: dict[str, dict[str, float]], label: str
) -> list[tuple[Any, dict[str, float]]]:
    """Each measure with what ir_measures finds for each topic.

    Evaluators of pytrec_eval are asked for what they give before it is taken apart into single values, for
    each of which ir_measures writes out its measure twice; topics without a value have the measure's default.
    """
    with _explained(next(iter(evaluator.measures)), label):
        if not isinstance(evaluator, ir_measures().providers.pytrec_eval_provider.PytrecEvalEvaluator):
            return list(_by_measure(evaluator.iter_calc(ranked)).values())
        values: list[tuple[Any, dict[str, float]]] = []
        for invoker in evaluator.invokers:
            given = invoker.evaluator.evaluate(ranked)
            for name, (measure, _) in invoker.measure_map.items():
                by_topic = dict.fromkeys(evaluator.qrel_qids, measure.DEFAULT)
                by_topic.update({topic: found[name] for topic, found in given.items()})
                values.append((measure, by_topic))
        return values


def _by_measure(metrics: Iterable[Any]) -> dict[str, tuple[Any, dict[str, float]]]:
    """Single values put together by their measures."""
    values: dict[str, tuple[Any, dict[str, float]]] = {}
    for metric in metrics:
        _, by_topic = values.setdefault(str(metric.measure), (metric.measure, {}))
        by_topic[metric.query_id] = metric.value
    return values


def may_share(measure: Any) -> bool:
    """Whether a measure may be computed together with others, in one call.

    Those of one call share settings, so NumRet next to AP(judged_only=True) would count only judged
    documents, and nDCG next to one with other gains might use these (ir_measures 0.4.3).
    """
    given = measure.params
    return ir_measures().pytrec_eval.supports(measure) and not {"judged_only", "gains"} & set(given)


@contextmanager
def _explained(measure: Any, label: str) -> Iterator[None]:
    """Turn any failure there into an error with a reason."""
    try:
        with _quietly():
            yield
    except Exception as problem:
        reason = str(problem) or type(problem).__name__
        if reason.startswith("Unsupported"):
            reason = _unmet(measure) or reason
        elif "cutoff" in measure.SUPPORTED_PARAMS and "cutoff" not in measure.params:
            reason = f"it needs a cut-off, as in {measure}@10"
        raise UsageError(f"{label!r}: ir_measures cannot compute it here: {reason}") from None


def _unmet(measure: Any) -> str:
    """The missing requirements of the providers of a measure."""
    reasons = []
    for provider in ir_measures().DefaultPipeline.providers:
        for supported in provider.SUPPORTED_MEASURES:
            if supported.NAME != measure.NAME:
                continue
            unmet = [
                {
                    "REQUIRED": f"{name} given, as in {measure.NAME}({name}=1)",
                    "NOT_PROVIDED": f"no {name}",
                }.get(repr(spec), f"{name}={spec!r}")
                for name, spec in supported.params.items()
                if not spec.validate(measure[name])
            ]
            if unmet:
                reasons.append(f"{provider.NAME} needs {' and '.join(unmet)}")
            elif not provider.is_available():
                reasons.append(f"{provider.NAME} is not installed ({provider.install_instructions()})")
    return "; ".join(reasons)


@contextmanager
def _quietly() -> Iterator[None]:
    """Suppress what providers print; what matters is reported in our own words."""
    import logging

    logger = logging.getLogger("ir_measures.cwl_eval")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with redirect_stderr(io.StringIO()):
            yield
    finally:
        logger.setLevel(level)
