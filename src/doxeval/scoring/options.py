"""The options of scoring: one list for Python and the command line, with defaults, and what they ask for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from doxeval.core.errors import InputError, UsageError, nearest
from doxeval.ground.conventions import Conventions
from doxeval.ground.open_text import ASSESSED
from doxeval.io.read import read_assessments

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
}


class ScoringOptions(TypedDict, total=False):
    """Every option of scoring beside assessments, measures, documents and navigation: one list for all.

    `topics="qrels"` (the default) counts every assessed topic, `"run"` only those a run has. `depth` looks at
    the first results of a topic only, `unjudged="skip"` leaves out results in documents nobody judged.
    Results come in the order that `rank_by` says: of their ranks (`"rank"`, the default), of their scores as
    trec_eval has it (`"score"`), or of the file (`"file"`, the default with a task). `task` is one of INEX or
    BioASQ: its conventions, its measures where none is named, its rules, which `fix` makes a run keep;
    `as_scored` follows its official scorer also where that is wrong. `chunks` are all chunks of a collection,
    `tokenizer` says what ``@1000t`` counts: a ``tokenizer.json``, an encoding of tiktoken by its name, an
    object of either, or a function (see :mod:`doxeval.ground.tokens`). `shape="trees"` joins the results of
    each document into one, at the rank of the first; `shape="documents"` puts the whole document there, whose
    length must be known. Of nodes judged by degrees, `highlighted="strict"` takes
    the best ones (E3S3, 3E, or the highest value) as text that is highlighted whole, `"any"` all that are
    positive. Text of results that stands in no document (headers put before chunks) is irrelevant text shown,
    unless `added` is `"free"`.

    With `bounds`, scores have the smallest and the largest value that judgements to come could give: any part
    of what the runs show may be relevant, or any part of a `pool`, where it is not judged. Documents were
    assessed `"whole"` or, with `assessed="highlights"`, nobody has judged what is not highlighted in them.

    `run_format`, `qrels_format`, `ranges`, `encoding` and `question_attribute` say how files are read,
    `merge` what counts of judgements by several assessors. Assessments with lines that cannot be read are a
    warning, or an error unless told to `keep_going`, as on the command line. The work goes to `jobs`
    processes or threads, or to any `executor` (or the address of one), with the same scores; a folder given
    as `store` keeps them, and what is in it is not computed again.
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
    "added": "shown", "bounds": False, "pool": None, "assessed": ASSESSED[0],
    "run_format": None, "qrels_format": None, "ranges": "", "encoding": None, "question_attribute": "",
    "merge": "", "keep_going": True, "jobs": 1, "executor": None, "store": None,
}  # fmt: skip


def checked_options(options: ScoringOptions) -> ScoringOptions:
    """All options with their defaults; an error for a name or a value there is not."""
    for name in options:
        if name not in DEFAULTS:
            raise UsageError(f"scoring has no option {name!r}{nearest(name, DEFAULTS)}")
    given: ScoringOptions = {**DEFAULTS, **options}
    for name, known in CHOICES.items():
        if given[name] not in known:  # type: ignore[literal-required]
            names = [repr(one) for one in known if one]
            shown = given[name]  # type: ignore[literal-required]
            raise UsageError(
                f"{name} is {' or '.join(names)}, not {shown!r}{nearest(str(shown), filter(None, known))}"
            )
    for name in ("depth", "jobs"):
        number = given[name]  # type: ignore[literal-required]
        if number is not None and number < 1:
            raise UsageError(f"{name} is at least 1, not {number}")
    if not given["bounds"] and (given["pool"] is not None or given["assessed"] != ASSESSED[0]):
        raise UsageError("pool and assessed say what may still be relevant; they go with bounds (--bounds)")
    if given["fix"] and given["task"] is None:
        raise UsageError("fix repairs what breaks the rules of a task; name the task (--task ric)")
    if given["as_scored"] and given["task"] is None:
        raise UsageError("as_scored follows the official scorer of a task; name the task (--task ric)")
    return given


def read_truth(assessments: Any, given: ScoringOptions) -> Assessments:
    """Assessments read as the options say; without the lines that were refused the scores would be others."""
    table = read_assessments(
        assessments, format=given["qrels_format"], ranges=given["ranges"], encoding=given["encoding"],
        merge=given["merge"],
    )  # fmt: skip
    if table.notices.refusals and not given["keep_going"]:
        raise InputError(
            f"{'; '.join(map(str, table.notices.refusals))}. Without these lines the scores are others: mend "
            "them, or leave them out with --keep-going"
        )
    return table


def conventions_of(given: ScoringOptions) -> tuple[Conventions, str]:
    """The conventions asked for, and the measures that are usual with them."""
    tokenizer = given["tokenizer"]
    if given["store"] is not None and not isinstance(tokenizer, str | Path | None):
        raise UsageError(
            "a store tells tokenizers apart by file or name; give a tokenizer.json or an encoding"
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
