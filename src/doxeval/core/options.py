"""The options of scoring, each declared once.

An option is a key of :class:`ScoringOptions`, with its type and its :class:`Option`: default, choices, help,
flags, and which commands take it. The flags and help of the command line, the checks, the signatures in
Python, what workers are sent and the tables of the documentation all follow from the declaration.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypedDict

from doxeval.core.errors import IdleOption, UsageError, nearest

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from pathlib import Path

    from doxeval.judging.pool_file import Pool

BOUNDED = ("eval", "report", "compare", "gate")
"""The commands that can show bounds."""


class Option(NamedTuple):
    """The declaration of an option, besides its name and type.

    `choices` are texts, or the registry that holds them. A number is at least `least`. `flags` are those of
    the command line, by default the name with dashes, and `value` is what help shows for the value. It does
    nothing unless the option that it `needs` is given. `reads` says what it is about if it is about reading:
    runs, assessments, or both. All commands that score take it unless they are `not_for`, or others are
    `only_for`, it. A flag with `several` values may be repeated.
    """

    help: str
    default: Any = None
    choices: tuple[str, ...] | str = ()
    least: int | None = None
    flags: str = ""
    value: str = ""
    needs: str = ""
    reads: str = ""
    only_for: tuple[str, ...] = ()
    not_for: tuple[str, ...] = ()
    several: bool = False

    def taken_by(self, command: str) -> bool:
        """Whether a command that scores takes it."""
        return command in self.only_for if self.only_for else command not in self.not_for

    def check(self, name: str, given: Any) -> None:
        """Raise an error if a value cannot be its value."""
        if given is None and self.default is None:
            return
        if isinstance(self.default, bool) and not isinstance(given, bool):
            raise UsageError(f"{name} must be True or False, not {given!r}")
        if self.least is not None:
            if isinstance(given, bool) or not isinstance(given, int):
                raise UsageError(f"{name} must be a whole number of at least {self.least}, not {given!r}")
            if given < self.least:
                raise UsageError(f"{name} must be at least {self.least}, not {given}")
        if isinstance(self.choices, tuple) and self.choices and given not in self.choices:
            expected = " or ".join(map(repr, self.choices))
            raise UsageError(f"{name} must be {expected}, not {given!r}{nearest(str(given), self.choices)}")


class ConventionOptions(TypedDict, total=False):
    """Options that say how a run is interpreted; every aligned run has them as its `conventions`."""

    task: Annotated[
        str | None,
        Option(
            "A task of INEX or BioASQ: check its rules and use its conventions and measures by default.",
            choices="ground.tasks.presets.TASKS",
            not_for=("study papers",),
        ),
    ]
    fix: Annotated[
        bool,
        Option(
            "Repair what breaks the rules of the task, and report how.",
            default=False,
            needs="task",
            not_for=("study papers",),
        ),
    ]
    as_scored: Annotated[
        bool,
        Option(
            "Give what the official scorer of the task prints, right or wrong, as published figures do.",
            default=False,
            needs="task",
            not_for=("study papers",),
        ),
    ]
    shape: Annotated[
        str | None,
        Option(
            "Take runs with all results of a document joined into one tree, at the rank of the first, or as "
            "whole documents.",
            choices=("trees", "documents"),
            flags="--as",
            not_for=("compare", "plot", "study papers"),
        ),
    ]
    added: Annotated[
        str,
        Option(
            "Count result text found in no document, such as headers added to chunks, as irrelevant text "
            "shown, or ignore it.",
            default="shown",
            choices=("shown", "free"),
        ),
    ]
    own: Annotated[
        str,
        Option(
            "For trajectories: text that the agent wrote itself costs nothing, or counts as irrelevant text "
            "shown.",
            default="free",
            choices=("free", "shown"),
        ),
    ]
    before: Annotated[
        str | None,
        Option(
            "For trajectories: use only the steps before the first that edits, cites or answers with a place "
            "in a document.",
            choices=("edit", "cite", "answer"),
        ),
    ]
    tokenizer: Annotated[
        Any,
        Option(
            "Tokens counted by cut-offs such as @1000t: a tokenizer.json, or a tiktoken encoding such as "
            "o200k_base; characters / 4 by default. In Python also an object of either, or a function.",
            value="FILE",
            not_for=("study papers",),
        ),
    ]
    depth: Annotated[int | None, Option("Use only the first N results of each topic.", least=1, value="N")]
    unjudged: Annotated[
        str,
        Option(
            "How to treat results in documents not judged for the topic.",
            default="irrelevant",
            choices=("irrelevant", "skip"),
        ),
    ]
    rank_by: Annotated[
        str | None,
        Option(
            "Order results by the rank column (the default), by score as trec_eval does, or as in the file "
            "(the default with --task).",
            choices=("rank", "score", "file"),
            not_for=("study papers",),
        ),
    ]


class TruthOptions(TypedDict, total=False):
    """Options that say what is taken for the truth besides the assessments, and which topics count."""

    topics: Annotated[
        str | None,
        Option(
            "Average over all assessed topics (the default without --task), or over the topics of each run.",
            choices=("qrels", "run"),
        ),
    ]
    average: Annotated[
        str,
        Option(
            "Average the values of topics (macro), or sum the numerators and denominators of quotients over "
            "all topics (micro).",
            default="macro",
            choices=("macro", "micro"),
            only_for=("eval", "compare"),
        ),
    ]
    highlighted: Annotated[
        str | None,
        Option(
            "Which nodes judged by codes or graded values count as fully highlighted for measures of text: "
            "the best ones (E3S3, 3E, the highest value) or all positive ones.",
            choices=("strict", "any"),
        ),
    ]
    unit: Annotated[
        str | None,
        Option(
            "Count text in characters or in lines; by default in lines if assessments and runs give lines "
            "only. Moments count in seconds, regions in area.",
            choices=("characters", "lines", "seconds", "area"),
        ),
    ]
    grid: Annotated[
        int | None,
        Option(
            "For regions: the number of cells in a row and in a column of a page measured in area, 1000 by "
            "default.",
            least=1,
            value="N",
            reads="runs assessments",
        ),
    ]
    chunks: Annotated[
        Any,
        Option(
            "All chunks that a run could have retrieved (IoUomega); with several runs, a file named after "
            "each; may be repeated.",
            value="FILE",
            not_for=("budget", "study papers"),
            several=True,
        ),
    ]
    level: Annotated[
        str | None,
        Option(
            "Fold results and assessments to whole documents, to sessions of conversations or, for source "
            "code, to files, modules (outermost classes or functions), classes or functions.",
            choices=("document", "session", "file", "module", "class", "function"),
            reads="runs assessments",
        ),
    ]


class BoundsOptions(TypedDict, total=False):
    """Options about the values that further judgements could give."""

    bounds: Annotated[
        bool,
        Option(
            "Also show the smallest and the largest value possible if the unjudged text that the runs show "
            "were judged.",
            default=False,
            only_for=BOUNDED,
        ),
    ]
    pool: Annotated[
        "Pool | None",
        Option(
            "With --bounds: consider the text in this pool instead.",
            value="FILE",
            needs="bounds",
            only_for=BOUNDED,
        ),
    ]
    assessed: Annotated[
        str,
        Option(
            "Whether assessors read whole documents, or only what is highlighted (with --bounds).",
            default="whole",
            choices=("whole", "highlights"),
            needs="bounds",
            only_for=BOUNDED,
        ),
    ]


class ReadingOptions(TypedDict, total=False):
    """Options that say how runs and assessments are read."""

    run_format: Annotated[
        str | None, Option("Format of the runs, if it is not recognised.", value="NAME", reads="runs")
    ]
    assessments_format: Annotated[
        str | None,
        Option(
            "Format of the assessments, if it is not recognised.",
            flags="--qrels-format",
            value="NAME",
            reads="assessments",
        ),
    ]
    ranges: Annotated[
        str,
        Option(
            "How TREC document ids encode ranges: doc_offset_length or doc#start-end.",
            default="",
            value="PATTERN",
            reads="runs assessments",
        ),
    ]
    question_attribute: Annotated[
        str,
        Option(
            "For traces: the attribute that holds the question or topic, such as session.id; by default the "
            "words of the root's input.",
            default="",
            value="NAME",
            reads="runs",
        ),
    ]
    encoding: Annotated[
        str | None,
        Option(
            "Encoding of runs and assessments, if it is not detected.",
            value="NAME",
            reads="runs assessments",
        ),
    ]
    merge: Annotated[
        str,
        Option(
            "How to merge judgements by several assessors: union (the default), majority, intersection, or "
            "the name of the assessor to follow; or score against each, and take the best value or the mean.",
            default="",
            value="RULE",
            reads="assessments",
        ),
    ]
    insertions: Annotated[
        str | None,
        Option(
            "For patches as assessments: what is relevant where lines are only added, the lines before and "
            "after (the default), the function or class around them, or nothing.",
            choices=("neighbours", "enclosing", "none"),
            reads="assessments",
        ),
    ]
    keep_going: Annotated[bool, Option("Score even if lines of the assessments are refused.", default=True)]


class WorkOptions(TypedDict, total=False):
    """Options that say where the work is done and kept; no score depends on them, and no worker gets them."""

    jobs: Annotated[
        int,
        Option("Number of processes that score runs.", default=1, least=1, flags="--jobs -j", value="N"),
    ]
    executor: Annotated[
        "Executor | str | None",
        Option("Workers to use instead: dask://host:8786.", value="ADDRESS"),
    ]
    store: Annotated[
        "str | Path | None",
        Option(
            "Keep scores in FOLDER and do not compute again what it holds (see 'doxeval scores').",
            value="FOLDER",
            not_for=("study papers",),
        ),
    ]


class ScoringOptions(
    TruthOptions, ConventionOptions, BoundsOptions, ReadingOptions, WorkOptions, total=False
):
    """All options of scoring besides assessments, measures, documents and navigation.

    Flags of the command line have the same names, with dashes, and the same defaults, except that refused
    lines of the assessments are an error there unless `--keep-going` is given, and a warning in Python unless
    `keep_going=False` is.
    """


def declared(kind: Any) -> dict[str, Option]:
    """The options of a kind by name.

    >>> list(declared(BoundsOptions))
    ['bounds', 'pool', 'assessed']
    """
    return {name: typed.__metadata__[0] for name, typed in kind.__annotations__.items()}


def defaults(kind: Any) -> dict[str, Any]:
    """The default of every option of a kind."""
    return {name: option.default for name, option in declared(kind).items()}


OPTIONS = declared(ScoringOptions)
DEFAULTS = ScoringOptions(**defaults(ScoringOptions))  # type: ignore[typeddict-item]
READING = (
    "highlighted", "keep_going", *(name for name, option in OPTIONS.items() if "assessments" in option.reads),
)  # fmt: skip
"""The options that affect how assessments are read."""


def checked_options(options: ScoringOptions) -> ScoringOptions:
    """All options with their defaults; an error for an unknown name or value."""
    check_names(options, OPTIONS, "scoring")
    given = {**DEFAULTS, **options}
    for name, option in OPTIONS.items():
        option.check(name, given[name])
        if option.needs and not given[option.needs] and given[name] != option.default:
            raise IdleOption(name, f"{name} has an effect only with {option.needs} (--{option.needs})")
    return given  # type: ignore[return-value]


def check_names(options: Iterable[str], known: Iterable[str], what: str) -> None:
    """Refuse the first name that is not known, and suggest the nearest one that is."""
    names = list(known)
    for name in options:
        if name not in names:
            raise UsageError(f"{what} has no option {name!r}{nearest(name, names)}")


def how_to_read(given: Mapping[str, Any], what: str) -> dict[str, Any]:
    """The options about reading runs, or assessments, under the names that readers call them.

    >>> list(how_to_read(DEFAULTS, "runs"))
    ['grid', 'level', 'input_format', 'ranges', 'question_attribute', 'encoding']
    """
    names = [name for name, option in OPTIONS.items() if what in option.reads.split()]
    return {"input_format" if name.endswith("_format") else name: given[name] for name in names}


def flags_of(name: str) -> str:
    """The flags of an option on the command line, separated by blanks.

    >>> flags_of("jobs"), flags_of("rank_by")
    ('--jobs -j', '--rank-by')
    """
    return OPTIONS[name].flags or f"--{name.replace('_', '-')}"


def help_in_python(name: str) -> str:
    """The help of an option with the names that other options have in Python.

    >>> help_in_python("pool")
    'With `bounds`: consider the text in this pool instead.'
    """
    import re

    names = {flags_of(other).split()[0]: other for other in OPTIONS}
    return re.sub(r"--[a-z-]+", lambda found: f"`{names.get(found[0], found[0])}`", OPTIONS[name].help)


def values_in_python(name: str) -> str:
    """The values that an option can have: its choices, or its type.

    >>> values_in_python("unjudged"), values_in_python("depth"), values_in_python("executor")
    ("'irrelevant' | 'skip'", 'int | None', 'Executor | str | None')
    """
    from inspect import formatannotation

    option, typed = OPTIONS[name], ScoringOptions.__annotations__[name].__origin__
    if isinstance(option.choices, tuple) and option.choices:
        return " | ".join([*map(repr, option.choices), *(["None"] if option.default is None else [])])
    return getattr(typed, "__forward_arg__", None) or formatannotation(typed)
