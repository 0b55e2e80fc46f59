"""The columns of what commands that score print as JSON."""

from __future__ import annotations

from typing import NamedTuple


class PrintedRows(NamedTuple):
    """The rows that a command prints: what one is `of`, and its columns with a type and a meaning.

    A name with `?` is a column that may be missing; a type with `?` has null where there is no value. It is
    an array of rows, or `one` object.
    """

    of: str
    columns: dict[str, tuple[str, str]]
    one: bool = False


SCORE = {
    "run": ("string", "name of the run, by default that of its file without the suffix"),
    "topic": ("string", "name of the topic; `all` for the mean over topics"),
    "measure": ("string", "the measure as it was typed"),
    "value": ("number?", "the value; null where it is undefined"),
    "low?": ("number?", "with `--bounds`: the smallest value that unjudged text could give"),
    "high?": ("number?", "with `--bounds`: the largest such value"),
}
INTERVAL = {
    "low": ("number?", "lower end of the confidence interval"),
    "high": ("number?", "its upper end"),
}
DIFFERENCE = {
    "measure": ("string", "the measure as it was typed"),
    "baseline": ("string", "the run that is compared with"),
    "run": ("string", "the run that is compared"),
    "topics": ("integer", "number of topics with a value for both"),
    "baseline_mean": ("number?", "mean of the baseline"),
    "run_mean": ("number?", "mean of the run"),
    "difference": ("number?", "run minus baseline"),
    "low": ("number?", "lower end of the confidence interval of the difference"),
    "high": ("number?", "its upper end"),
    "effect": ("number?", "mean of the differences divided by their standard deviation (Cohen's d)"),
    "superiority": ("number?", "chance that the run is better on a topic, ties counted half"),
    "p": ("number?", "p-value"),
    "adjusted_p": ("number?", "p-value corrected for several comparisons"),
    "wins": ("integer", "topics on which the run is better"),
    "ties": ("integer", "topics on which both are equal"),
    "losses": ("integer", "topics on which the run is worse"),
    "least?": ("number?", "with `--bounds`: the smallest difference that unjudged text could give"),
    "most?": ("number?", "with `--bounds`: the largest such difference"),
    "slice?": ("string", "with `--by`: the topics compared, as in `hops=2`; empty for all"),
    "change?": ("number?", "with `--as` twice: the difference in percent of the mean of the first shape"),
}

SCORED = {
    "eval": PrintedRows("run, topic (with `--per-topic`) and measure", SCORE),
    "eval --by": PrintedRows(
        "run, slice of the topics and measure",
        {
            "slice": ("string", "the topics, as in `hops=2`; `all` for all of them"),
            **{name: SCORE[name] for name in ("run", "measure", "value")},
            "topics": ("integer", "number of topics in the slice"),
            **INTERVAL,
        },
    ),
    "eval --trust": PrintedRows(
        "run and measure",
        {
            **{name: SCORE[name] for name in ("run", "topic", "measure")},
            "value": ("number?", "mean corrected with the trusted assessments"),
            **INTERVAL,
            "model": ("number?", "mean by the assessments of `--qrels`"),
            "human": ("number?", "mean by the trusted ones, on their topics"),
            "weight": ("number?", "weight of the former in the corrected mean"),
            "topics": ("integer", "number of topics"),
            "trusted": ("integer", "number of topics with trusted assessments"),
            "halving": ("integer?", "number of topics to judge to halve the interval"),
        },
    ),
    "scores": PrintedRows("run, topic (with `--per-topic`) and measure", SCORE),
    "scores --list": PrintedRows(
        "set of inputs that scores were computed from",
        {
            **{name: ("integer", f"number of {name}") for name in ("runs", "measures", "values")},
            **{name: ("string?", f"identity of the {name}, empty if there are none")
               for name in ("model", "files", "qrels", "documents", "options", "version")},
        },
    ),
    "compare": PrintedRows("comparison by one measure", DIFFERENCE),
    "gate": PrintedRows(
        "comparison with the baseline by one measure",
        {
            "decision": ("string", "`passed`, `failed`, or `undecided` where no fall could be detected"),
            **DIFFERENCE,
            "message": ("string", "the decision with its reasons, and the topics that fell most"),
        },
    ),
    "diagnose": PrintedRows(
        "run and class of topics, or way of mending, as `what` says; columns of the other are null",
        {
            "run": ("string", "name of the run"),
            "slice": ("string", "with `--by`: the topics, as in `hops=2`; `all` for all of them"),
            "what": ("string", "`class` or `mending`"),
            "name": ("string", "name of the class, or of the way of mending"),
            "topics": ("integer", "number of topics in the class, or that mending is about"),
            "share": ("number?", "share of the topics in the class"),
            "value": ("number?", "mean now"),
            "mended": ("number?", "mean if it were mended"),
            "gain": ("number?", "the difference of both"),
            **INTERVAL,
            "ceiling": ("boolean?", "whether relevant places stand in for chunks, which are not known"),
            "refused": ("string?", "why mending could not be computed; empty if it was"),
        },
    ),
    "diagnose --per-topic": PrintedRows(
        "run and topic",
        {
            "run": ("string", "name of the run"),
            "topic": ("string", "name of the topic"),
            "diagnosis": ("string", "name of its class"),
            "value": ("number?", "value now"),
            "mending": ("string", "the way of mending that its class calls for"),
            "mended": ("number?", "value if it were mended"),
            "rank": ("integer?", "first rank with relevant text"),
            "met": ("integer?", "number of needs that are met"),
            "needs": ("integer?", "number of needs"),
            "precision": ("number?", "share of the text shown that is relevant"),
            "gap": ("number?", "distance of the nearest result in the right document"),
            "chance": ("number?", "with `--nav`: chance that readers get there"),
        },
    ),
    "explain": PrintedRows(
        "run, measure and topic",
        {
            "run": ("string", "name of the run"),
            "topic": ("string", "name of the topic"),
            "query": ("string", "its question, if known"),
            "measure": ("string", "the measure as it was typed"),
            "meaning": ("string", "what the measure counts"),
            "score": ("number?", "the value that is explained"),
            "ranks": ("array", "an object per rank: `rank`, `doc`, `place`, what it `shown`, `gained` and "
                      "`repeated`, what stays `reachable` and `unopened`, `hits`, `near`, and `added`, its "
                      "part of the score"),
            "rest": ("number?", "the part of the score that no rank added"),
            "missed": ("array", "an object per document with relevant text never shown: `doc`, `relevant`, "
                       "`missed`, and whether it was `retrieved`"),
            "total_relevant": ("number", "amount of relevant text of the topic"),
            "reader": ("string", "the navigation model, if any"),
            "degrees": ("string", "how grades count, if they do"),
            "unit": ("string", "the unit in which text is counted"),
            "reference": ("string", "the assessor whose judgements gave the value, if there are several"),
            "inside": ("array", "tables of what the measure computes, if it has any"),
            "code": ("array", "lines of source code shown, if documents are code"),
            "notices": ("array", "what was assumed or left out, as texts"),
        },
        one=True,
    ),
    "plot": PrintedRows(
        "point of a curve",
        {
            "run": ("string", "name of the run"),
            "curve": ("string", "name of the curve"),
            "over": ("string", "what the horizontal axis counts"),
            "at": ("number", "the place on it"),
            "measure": ("string", "the measure at this place"),
            "value": ("number?", "its mean over topics"),
            "topics": ("integer", "number of topics with a value"),
        },
    ),
    "budget": PrintedRows(
        "run and recall, as a mean over topics (`all`), with `--per-topic` also of each topic",
        {
            "run": ("string", "name of the run"),
            "topic": ("string", "name of the topic, or `all`"),
            "recall": ("number", "share of the relevant text to see"),
            "reached": ("integer", "number of topics that reach it"),
            "topics": ("integer", "number of topics"),
            **{f"{unit}?": ("number?", f"{unit} to read until then, as a mean over the topics that reach it; "
                            "null if none does")
               for unit in ("results", "characters", "lines", "words", "tokens", "seconds", "area")},
        },
    ),
}  # fmt: skip
"""The commands that score; with an option behind a name if that makes the rows be of something else."""
