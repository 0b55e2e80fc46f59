"""The options of scoring, shared by Python and the command line, with their defaults and checks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from doxeval.core.errors import InputError, UsageError, nearest
from doxeval.ground.conventions import Conventions
from doxeval.ground.open_text import ASSESSED
from doxeval.io.formats.base import INSERTIONS
from doxeval.io.read import read_assessments
from doxeval.tables.unit import UNITS_OF_PLACES

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from doxeval.judging.pool_file import Pool
    from doxeval.tables.assessments import Assessments

CHOICES: dict[str, tuple[str | None, ...]] = {
    "topics": (None, "qrels", "run"),
    "unjudged": ("irrelevant", "skip"),
    "shape": (None, "trees", "documents"),
    "rank_by": (None, "rank", "score", "file"),
    "highlighted": (None, "strict", "any"),
    "added": ("shown", "free"),
    "assessed": ASSESSED,
    "unit": (None, *UNITS_OF_PLACES),
    "insertions": (None, *INSERTIONS),
}


class ScoringOptions(TypedDict, total=False):
    """All options of scoring besides assessments, measures, documents and navigation.

    `topics="qrels"` (the default) counts every assessed topic, `"run"` only those in the run. `depth` uses
    only the first results of a topic; `unjudged="skip"` leaves out results in unjudged documents. `rank_by`
    orders results by rank (`"rank"`, the default), by score as trec_eval does (`"score"`), or by their order
    in the file (`"file"`, the default with a task). `task` is one of INEX or BioASQ: its conventions, its
    measures if none is named, and its rules; `fix` repairs runs that break them, and `as_scored` follows its
    official scorer even where that is wrong. `chunks` are all chunks of a collection. `tokenizer` says what
    ``@1000t`` counts: a ``tokenizer.json``, the name of a tiktoken encoding, an object of either, or a
    function (see :mod:`doxeval.ground.tokens`). `shape="trees"` joins the results of each document into one,
    at the rank of the first; `shape="documents"` puts the whole document there, whose length must be known.
    For nodes judged by degrees, `highlighted="strict"` treats the best ones (E3S3, 3E, or the highest value)
    as text highlighted whole, `"any"` all positive ones. Text of results that is in no document (headers put
    before chunks) is irrelevant text shown, unless `added` is `"free"`. Text is counted in `unit`, characters or
    lines; by default in lines if assessments and runs give lines only.

    With `bounds`, scores have the smallest and the largest value that further judgements could give: any
    unjudged part of what the runs show, or of a `pool`, may be relevant. Documents were assessed `"whole"`
    or, with `assessed="highlights"`, text that is not highlighted in them is unjudged.

    `run_format`, `qrels_format`, `ranges`, `encoding` and `question_attribute` say how files are read,
    `merge` how judgements by several assessors are combined, `insertions` what is relevant where a patch only
    adds lines: its `"neighbours"` (the default), the named node `"enclosing"` it, or `"none"`. Assessments with unreadable lines cause a
    warning, or an error with `keep_going=False`, the default of the command line. The work is done by `jobs`
    processes or threads, or by any `executor` (or the address of one), with the same scores; a folder given
    as `store` keeps scores, which are then not computed again.
    """

    topics: str | None
    depth: int | None
    unjudged: str
    rank_by: str | None
    task: str | None
    fix: bool
    as_scored: bool
    chunks: Any
    tokenizer: Any
    shape: str | None
    highlighted: str | None
    added: str
    unit: str | None
    insertions: str | None
    bounds: bool
    pool: Pool | None
    assessed: str
    run_format: str | None
    qrels_format: str | None
    ranges: str
    question_attribute: str
    encoding: str | None
    merge: str
    keep_going: bool
    jobs: int
    executor: Executor | str | None
    store: str | Path | None


DEFAULTS: ScoringOptions = {
    "topics": None, "depth": None, "unjudged": "irrelevant", "rank_by": None, "task": None, "fix": False,
    "as_scored": False, "chunks": None, "tokenizer": None, "shape": None, "highlighted": None,
    "added": "shown", "unit": None, "insertions": None, "bounds": False, "pool": None, "assessed": ASSESSED[0],
    "run_format": None, "qrels_format": None, "ranges": "", "encoding": None, "question_attribute": "",
    "merge": "", "keep_going": True, "jobs": 1, "executor": None, "store": None,
}  # fmt: skip


def checked_options(options: ScoringOptions) -> ScoringOptions:
    """All options with their defaults; an error for an unknown name or value."""
    for name in options:
        if name not in DEFAULTS:
            raise UsageError(f"scoring has no option {name!r}{nearest(name, DEFAULTS)}")
    given: ScoringOptions = {**DEFAULTS, **options}
    for name, known in CHOICES.items():
        if given[name] not in known:  # type: ignore[literal-required]
            names = [repr(one) for one in known if one]
            shown = given[name]  # type: ignore[literal-required]
            raise UsageError(
                f"{name} must be {' or '.join(names)}, not {shown!r}"
                f"{nearest(str(shown), filter(None, known))}"
            )
    for name in ("depth", "jobs"):
        number = given[name]  # type: ignore[literal-required]
        if number is not None and number < 1:
            raise UsageError(f"{name} must be at least 1, not {number}")
    if not given["bounds"] and (given["pool"] is not None or given["assessed"] != ASSESSED[0]):
        raise UsageError("pool and assessed have an effect only with bounds (--bounds)")
    if given["fix"] and given["task"] is None:
        raise UsageError("fix repairs violations of the rules of a task; name the task (--task ric)")
    if given["as_scored"] and given["task"] is None:
        raise UsageError("as_scored follows the official scorer of a task; name the task (--task ric)")
    return given


def read_truth(assessments: Any, given: ScoringOptions) -> Assessments:
    """Read assessments as the options say; refused lines are an error, as they would change the scores."""
    table = read_assessments(
        assessments, format=given["qrels_format"], ranges=given["ranges"], encoding=given["encoding"],
        merge=given["merge"], insertions=given["insertions"] or "",
    )  # fmt: skip
    if table.notices.refusals and not given["keep_going"]:
        raise InputError(
            f"{'; '.join(map(str, table.notices.refusals))}. Scores would differ without these lines: "
            "correct them, or leave them out with --keep-going"
        )
    return table


def conventions_of(given: ScoringOptions) -> tuple[Conventions, str]:
    """The conventions requested, and the measures usual with them."""
    tokenizer = given["tokenizer"]
    if given["store"] is not None and not isinstance(tokenizer, str | Path | None):
        raise UsageError(
            "a store identifies tokenizers by file or name; give a tokenizer.json or an encoding"
        )
    conventions = Conventions(
        order=given["rank_by"] or ("file" if given["task"] else "rank"), depth=given["depth"],
        unjudged=given["unjudged"], fix=given["fix"], as_scored=given["as_scored"], shape=given["shape"],
        added=given["added"],
        tokenizer=str(tokenizer) if isinstance(tokenizer, Path) else tokenizer,
    )  # fmt: skip
    if given["task"] is None:
        return conventions, ""
    from doxeval.ground.tasks.presets import TASKS

    task = TASKS[given["task"]]
    return task.conventions(conventions), task.measures
