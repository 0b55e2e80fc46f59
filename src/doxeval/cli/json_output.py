"""The output of `--format json`, for every command that prints data: the columns of its rows.

The page docs/json.md is made from here (`python -m docs.json_page`), and a test holds every command to it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from doxeval.cli.json_scored import INTERVAL, SCORED, PrintedRows

PARAMETERS = ("object", "its parameters by name, each with `default`, `allowed` and `help`")
LISTED = {
    "name": ("string", "its name"),
    "paper": ("string", "where it is from"),
    "example": ("string", "how it is typed"),
    "parameters": PARAMETERS,
}

STEP = {
    "from": ("string", "node or class from which the step leads"),
    "to": ("string", "node or class to which it leads"),
    "p": ("number", "its chance"),
}
WEIGHT = ("number", "how often the step was taken or counted")

PRINTED = {
    **SCORED,
    "ceiling": PrintedRows(
        "figure of a collection of chunks, or of a run of them",
        {
            "chunks": ("string", "name of the collection"),
            "run": ("string", "name of the run, empty for the collection itself"),
            "figure": ("string", "what the value is"),
            "value": ("number?", "its value"),
        },
    ),
    "effects": PrintedRows(
        "measure and parameter, or measure and pair of parameters",
        {
            "measure": ("string", "the measure as it was typed"),
            "parameter": ("string", "name of the parameter"),
            "with_parameter": ("string", "the other one of a pair, else empty"),
            "better": ("string", "the value, or pair of values, that is best"),
            "worse": ("string", "the one that is worst"),
            "effect": ("number?", "the difference between them"),
            **INTERVAL,
            "p": ("number?", "p-value"),
            "share": ("number?", "share of the variance between runs that it explains"),
            "runs": ("integer", "number of runs compared"),
            "topics": ("integer", "number of topics"),
        },
    ),
    "cite": PrintedRows(
        "citation and range",
        {
            "topic": ("string", "name of the topic"),
            "kind": ("string", "`real`, `altered`, `stitched`, `misattributed` or `made up`"),
            "level": ("string", "how the quote was found"),
            "quote": ("string", "the words quoted, if any"),
            "results": ("string", "ranks of the results referred to, separated by blanks"),
            "source": ("string", "the mark or source as written"),
            "doc": ("string", "the document in which it is, empty if in none"),
            "start": ("integer?", "first character there"),
            "end": ("integer?", "character behind the last"),
        },
    ),
    "correlate": PrintedRows(
        "pair of measures",
        {
            "coefficient": ("string", "name of the coefficient"),
            "row": ("string", "first measure"),
            "column": ("string", "second measure"),
            "value": ("number?", "the coefficient"),
            "p": ("number?", "p-value"),
            **INTERVAL,
        },
    ),
    "correlate --outcomes": PrintedRows(
        "measure, difference, stratum, bin or setting tried, as `part` says; columns of others are null",
        {
            "part": ("string", "what the row is about"),
            "outcome": ("string", "column of the outcomes"),
            "coefficient": ("string", "name of the coefficient"),
            "explored": ("integer?", "number of settings among which the measure was chosen"),
            "measure": ("string", "the measure, or the first of two"),
            "other?": ("string?", "the second measure of a difference"),
            **{f"{name}?": ("integer?", f"number of {told}") for name, told in {
                "cases": "cases", "topics": "topics", "successes": "successes", "solved_by_others":
                "other runs that solved the topic", "higher": "pairs in which the success is higher",
                "lower": "pairs in which it is lower", "equal": "pairs in which both are equal",
                "runs": "runs"}.items()},
            **{f"{name}?": ("number?", told) for name, told in {
                "value": "the coefficient", "low": "lower end of its interval", "high": "upper end",
                "tau": "Kendall's tau-b", "tau_low": "lower end of its interval", "tau_high": "upper end",
                "p": "p-value", "there": "value on the topics it was chosen on", "first": "least value of "
                "the bin", "last": "largest value of the bin", "mean": "mean value of the bin"}.items()},
        },
    ),
    "agree": PrintedRows(
        "pair of assessors, topic and coefficient",
        {
            "first": ("string", "first assessor"),
            "second": ("string", "second assessor"),
            "topic": ("string", "name of the topic; `all` for the mean"),
            "measure": ("string", "the coefficient; `tau(MEASURE)` for rankings of runs (`--runs`)"),
            "value": ("number?", "its value"),
        },
    ),
    "validate": PrintedRows(
        "file",
        {
            "file": ("string", "path of the file"),
            "kind": ("string", "`run`, `assessments`, `chunks`, `documents`, `scores` or `topics`"),
            "format": ("string", "name of the format, as in `doxeval formats`"),
            "content": ("string", "what is in it, in words"),
            "status": ("string", "`ok`, `problems` (refused lines, or what does not match) or `refused`"),
            "notices": ("array", "objects with `level` (error, warning, note) and `message`"),
        },
    ),
    "measures": PrintedRows(
        "measure",
        {
            **LISTED,
            "form": ("string", "its form with the defaults of its parameters"),
            "user": ("string", "the reader whom it models, in a sentence"),
            "aliases?": ("array", "other names"),
            "needs?": ("array", "what it needs besides runs and assessments"),
            "direction?": ("string", "`higher is better` or `lower is better`"),
            "explained?": ("string", "with NAME: its description in full"),
        },
    ),
    "formats": PrintedRows(
        "format",
        {
            "name": ("string", "its name"),
            "kind": ("string", "`run`, `assessments`, `chunks`, `documents` or `topics`"),
            "summary": ("string", "what it is"),
            "holds": ("array", "the kinds of data in it"),
            "written": ("boolean", "whether it is also written"),
            "suffixes": ("array", "suffixes of its files"),
            "sample": ("string?", "a sample; null if it is binary"),
        },
    ),
    "navigations": PrintedRows(
        "navigation model", {**LISTED, "reader": ("string", "the reader whom it models, in a sentence")}
    ),
    "navigations --log": PrintedRows(
        "model, or parameter that was fitted",
        {
            "model": ("string", "the model"),
            "log_likelihood": ("number?", "mean log-likelihood of a step that it has not seen"),
            "steps": ("integer", "number of steps in the log"),
            "ruled_out": ("integer", "those that it considers impossible"),
            "parameter": ("string?", "parameter that was fitted"),
            "value": ("number?", "its value"),
            **INTERVAL,
        },
    ),
    "navigate": PrintedRows("step in a document", {"doc": ("string", "the document"), **STEP}),
    "navigate --steps": PrintedRows("step of the model", {**STEP, "weight": WEIGHT}),
    "summary --steps": PrintedRows("step between classes", {**STEP, "weight": WEIGHT}),
    "summary": PrintedRows(
        "class of nodes",
        {
            "id": ("string", "number of the class"),
            "class": ("string", "what its nodes share"),
            "nodes": ("integer", "number of nodes"),
            "characters": ("integer", "characters of text in them"),
            "depth": ("number", "mean depth"),
            "pi": ("number?", "steady-state probability"),
            "extent?": ("string", "with `--extents`: its nodes"),
        },
    ),
    "simulate": PrintedRows(
        "measure",
        {
            "measure": ("string", "the measure as it was typed"),
            "formula": ("number?", "mean over topics by the formula"),
            "readers": ("number?", "mean by the simulated readers"),
            "error": ("number?", "standard error of the readers' mean"),
        },
    ),
    "config": PrintedRows(
        "setting",
        {
            "command": ("string", "the command it is for"),
            "option": ("string", "name of the option"),
            "value": ("any", "its value"),
            "from": ("string", "the file it comes from, or `default`"),
        },
    ),
}  # fmt: skip
"""Every command that prints data; with an option behind it if that makes the rows be of something else."""

WRITES = {
    "demo": "a tour for people; `doxeval demo --copy FOLDER` writes its files for `eval` and others",
    "report": "writes an HTML page",
    "convert": "writes a file in the format asked for",
    "anchor": "writes assessments as JSON Lines",
    "index": "writes an index",
    "chunk": "writes chunks as JSON Lines",
    "pool": "writes a pool as JSON Lines",
    "judge": "serves a page, or writes a file",
    "mcp": "speaks the Model Context Protocol, which is JSON",
    "perturb": "writes a run",
    "synth": "prints the paths of the files it wrote, one a line",
    "study": "prints the path of the page it wrote",
}
"""The commands that print no data of their own, and what they do."""


def schema(command: str) -> dict[str, Any]:
    """The JSON Schema of what a command prints with `--format json`.

    >>> schema("simulate")["items"]["required"]
    ['measure', 'formula', 'readers', 'error']
    """
    printed = PRINTED[command]
    row = {
        "type": "object",
        "properties": {
            name.removesuffix("?"): _type(kind) | {"description": told}
            for name, (kind, told) in printed.columns.items()
        },
        "required": [name for name in printed.columns if not name.endswith("?")],
        "additionalProperties": False,
    }
    return row if printed.one else {"type": "array", "items": row}


def _type(kind: str) -> dict[str, Any]:
    plain = kind.removesuffix("?")
    return {} if kind == "any" else {"type": [plain, "null"] if plain != kind else plain}


def printed_by(command: str, words: Collection[str] = ()) -> str:
    """The entry for a command that is given some words."""
    special = (name for name in PRINTED if name.startswith(f"{command} ") and name.split()[1] in words)
    return next(special, command)
