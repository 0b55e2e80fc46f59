"""The definition of a measure, and the registry of all measures.

A measure is a class in the module of this folder that has its name in lower case, or in one listed in
:data:`HOMES`, or one decorated with :func:`register`, as in a package that announces itself under the entry
point group ``doxeval.measures``. It declares whom it models and what it needs, and turns aligned results into
one number per topic; the command line, the documentation and the invariant tests find it automatically.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args

import numpy as np

from doxeval.core.errors import UsageError, nearest
from doxeval.core.grammar import (
    Call,
    Cutoff,
    Expression,
    parse_call,
    parse_measure,
)
from doxeval.core.parameters import Parameter, bind, call_in_grains, keyed, meant, share
from doxeval.core.registry import Registry, subclasses_of
from doxeval.core.units import OF_TEXT, UNITS
from doxeval.ground.aligned import Aligned
from doxeval.ground.ground import Ground
from doxeval.ground.need_sets import note_sets
from doxeval.ground.needs import note_alternatives
from doxeval.measurement.families import phrases
from doxeval.tables.places import GRAIN

if TYPE_CHECKING:
    from doxeval.measurement.families.bounds import Bounds
    from doxeval.measurement.families.inside import Inside
    from doxeval.measurement.families.terms import Shares

ALPHA = share("alpha", 0, "worth of repeated text: 0 nothing, 1 as much as when first seen")

WORTH_CUTTING = 2
"""How many times more results than a cut-off keeps there must be for the others to be removed first."""


Presence = Literal["required", "optional", "none"]
Need = Literal["tree", "aspects", "chunks", "steps"]
GIVEN: dict[Need, tuple[Callable[[Ground], bool], str]] = {
    "tree": (
        lambda ground: ground.documents is not None,
        "needs the documents' trees (--docs FILE)",
    ),
    "aspects": (
        lambda ground: ground.unit_aspects is not None,
        'counts aspects, but the assessments name none; give them as "need" or "aspects" of the ranges',
    ),
    "chunks": (
        lambda ground: ground.chunks is not None,
        "needs all chunks, retrieved or not; give the list of them (--chunks FILE)",
    ),
    "steps": (
        lambda ground: True,  # whether runs are trajectories is known once they are read
        "needs the steps of a trajectory",
    ),
}
"""Inputs besides results and assessments: whether they were given, and the advice if not."""


UNUSED_GRADES = (
    "{{count}} {{measure does|measures do}} not use the grades ({grades}): whatever is relevant counts alike"
)
SHORT_LISTS = (
    "{run}: {{count}} {{list is|lists are}} shorter than the cut-off of {label}, which divides by the list"
)
SHORT_TEXTS = "{run}: {{count}} {{list ends|lists end}} before {budget}"


class Measure(ABC):
    """One measure with its parameters bound.

    `name` is the name users type; `user` says in one sentence whom it models; `paper` where it is defined;
    `question` under which heading it is listed.
    `cutoff` and `point` say whether ``@k`` and ``[x]`` are `"required"`, `"optional"` or `"none"`. `needs`
    names inputs beyond results and assessments. `higher_is_better`, `low` and `high` are tested for every
    registered measure; `empty_is_worst` says that no run is worse than one that retrieves nothing; `grows`
    that the value never falls as the cut-off grows; `unit` is the unit of the values. `ranks_documents` says
    that ranks are those of documents, each at its first result; `first_ranks_tell` that results past a
    cut-off in ranks cannot change the value there. `no_sum` says why the value is not a sum over results, if
    it is not. `draws` says what its readers leave to chance, and so can be simulated; `no_draws` why they
    cannot be. `unlocked` says that all work is done in arrays and compiled loops, so other threads can run at
    the same time; `divides_by_list` that a list shorter than the cut-off is divided by its own length, which
    is reported. `example` and the parameters in `variants` are scored by the invariant tests.

    A measure is its meaning: two are equal if their :attr:`canonical` forms are, however they were typed.
    `label` is the text typed, and names the measure's scores in every output.
    """

    name: ClassVar[str]
    user: ClassVar[str]
    paper: ClassVar[str]
    question: ClassVar[str] = phrases.OTHERS
    aliases: ClassVar[tuple[str, ...]] = ()
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    cutoff: ClassVar[Presence] = "none"
    point: ClassVar[Presence] = "none"
    needs: ClassVar[frozenset[Need]] = frozenset()
    higher_is_better: bool = True
    empty_is_worst: ClassVar[bool] = True
    grows: ClassVar[bool] = False
    unit: str = "share"
    ranks_documents: bool = False
    first_ranks_tell: bool = False
    no_sum: str = ""
    draws: str = ""
    no_draws: str = phrases.CERTAIN
    unlocked: ClassVar[bool] = False
    divides_by_list: ClassVar[bool] = False
    example: ClassVar[str]
    variants: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        """Set the default example: the measure alone, at rank 10 if it takes a cut-off."""
        for part in ("cutoff", "point"):
            if getattr(cls, part) not in get_args(Presence):
                known = " or ".join(map(repr, get_args(Presence)))
                raise UsageError(f"`{part}` of {cls.__name__} must be {known}, not {getattr(cls, part)!r}")
        if "name" in vars(cls) and "example" not in vars(cls):
            cls.example = cls.name if cls.cutoff == "none" else f"{cls.name}@10"

    @classmethod
    def samples(cls) -> list[str]:
        """The example, and every variant at the example's cut-off or recall point."""
        where = cls.example.removeprefix(str(parse_measure(cls.example).call))
        return [
            cls.example,
            *(f"{cls.name}({given}){where}" if given else cls.name for given in cls.variants),
        ]

    @classmethod
    def auto(cls) -> dict[str, str]:
        """The meaning of `auto`, for every parameter that can have this value."""
        return {}

    def __init__(self, expression: Expression) -> None:
        self.expression = expression
        self.label = expression.text or str(expression)
        self._check_form()
        self.given = bind(self.parameters, expression.call, self.label)

    def _check_form(self) -> None:
        for part, value, shape in (
            (self.cutoff, self.expression.cutoff, "cut-off, as in {}@10"),
            (self.point, self.expression.point, "recall point, as in {}[0.01]"),
        ):
            if part == "none" and value is not None:
                raise UsageError(f"{self.label!r}: {self.name} takes no {shape.split(',')[0]}")
            if part == "required" and value is None:
                raise UsageError(f"{self.label!r}: {self.name} needs a {shape.format(self.name)}")
        if self.rank is not None and self.expression.point is not None:
            raise UsageError(f"{self.label!r}: give either a recall point or a cut-off in ranks, not both")

    @cached_property
    def canonical(self) -> str:
        """The shortest form of the measure: no defaults, exact decimals, its own name and no alias.

        >>> [measure_named(text).canonical for text in ("iP(.5)@5", "iP(alpha=0.50)@5", "MAiP(alpha=0)")]
        ['iP(alpha=0.5)@5', 'iP(alpha=0.5)@5', 'AiP']
        """
        cutoff = self.expression.cutoff if self.rank is None else Cutoff(self.rank)
        return str(Expression(self.call, self.expression.point, cutoff))

    @property
    def call(self) -> Call:
        """Name and parameters, without defaults."""
        return meant(type(self), self.given, self.label)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and self.canonical == other.canonical

    def __hash__(self) -> int:
        return hash(self.canonical)

    def counted_in(self, unit: str) -> Self:
        """The same measure where text is counted in a unit: amounts of text become grains of it."""
        typed: Self = vars(self).get("_typed", self)
        if GRAIN[unit] == 1:
            return typed
        if not typed.parameters:
            return typed
        call = call_in_grains(type(typed), typed.call, GRAIN[unit], typed.label)
        other = type(typed)(replace(typed.expression, call=call, text=typed.label))
        vars(other).update(_typed=typed, canonical=typed.canonical)
        return other

    @property
    def names_navigation(self) -> bool:
        """Whether the user has typed a navigation model for this measure."""
        return "nav" in keyed(self.parameters, self.expression.call, self.label)

    @property
    def takes_navigation(self) -> bool:
        """Whether the measure takes a navigation model and the user has typed none for it."""
        return hasattr(self.given, "nav") and not self.names_navigation

    def under(self, navigation: str) -> None:
        """Take a navigation model, if the measure takes one and the user has typed none for it."""
        if self.takes_navigation:
            (models,) = (parameter for parameter in self.parameters if parameter.name == "nav")
            vars(self).pop("canonical", None)
            self.given.nav = models.check(parse_call(navigation.strip()), navigation)

    @property
    def rank(self) -> int | None:
        """The cut-off in ranks, None if there is none; documents are ranks if the measure ranks them."""
        cutoff = self.expression.cutoff
        units = ("ranks", "documents") if self.ranks_documents else ("ranks",)
        return int(cutoff.amount) if cutoff is not None and cutoff.unit in units else None

    @property
    def counts_in(self) -> str:
        """The unit of the cut-off, one of :data:`doxeval.core.units.UNITS`."""
        return self.expression.cutoff.unit if self.expression.cutoff else "ranks"

    @property
    def reads_text(self) -> bool:
        """Whether it uses text, so the lengths of documents matter."""
        return True

    def reads_highlights(self, ground: Ground) -> bool:
        """Whether it uses relevant text, so nodes judged by degrees are not enough."""
        return self.reads_text

    @property
    def summed(self) -> bool:
        """Whether it counts something, so topics are summed rather than averaged."""
        return False

    def prepare(self, ground: Ground) -> None:
        """Check the ground truth once, before any run is opened; raise an error if it cannot be scored on."""
        for need in sorted(self.needs):
            self.require(need, ground)
        if self.reads_text:
            ground.require_lengths(self.label)
        if self.reads_highlights(ground):
            ground.require_highlights(self.label)
            note_alternatives(ground)
            note_sets(ground)
            _ = ground.relevant  # found here, before runs are opened, for all workers

    def require(self, need: Need, ground: Ground) -> None:
        """Raise an error for an input that was not given, with what to provide."""
        is_given, advice = GIVEN[need]
        if not is_given(ground):
            raise UsageError(f"{self.label!r} {advice}")

    def note_unused_grades(self, ground: Ground) -> None:
        """Report grades, if whatever is relevant counts alike."""
        if ground.grades and ground.highlighted is None and self.ignores_grades(ground):
            unused = UNUSED_GRADES.format(grades=ground.grades)
            ground.notices.add_names(unused, [self.label], harmless=True, lasting=True, complete=True)

    def ignores_grades(self, ground: Ground) -> bool:
        """Whether whatever is relevant in these assessments counts alike, although it was graded."""
        return True

    @property
    def low(self) -> float:
        """The least value possible."""
        return 0.0

    @property
    def high(self) -> float:
        """The greatest value possible."""
        return 1.0

    @abstractmethod
    def score(self, aligned: Aligned) -> np.ndarray:
        """One value per assessed topic; values of topics with nothing relevant are ignored."""

    @classmethod
    def values_of_all(cls, measures: Sequence[Any], aligned: Aligned) -> list[np.ndarray]:
        """The values of several measures of this kind; one by one if they share no work."""
        return [measure(aligned) for measure in measures]

    def defined(self, aligned: Aligned) -> np.ndarray:
        """Whether each topic has something relevant; the others are left out of means."""
        return aligned.ground.has_relevant

    def unbounded(self, ground: Ground) -> str:
        """The reason why there are no bounds for open text; empty if there are."""
        return "the effect of unjudged text on it is not known"

    def bounds(self, aligned: Aligned, opened: Ground) -> Bounds:
        """The smallest and the largest value that judgements of the `opened` text could give."""
        raise UsageError(f"{self.label}: {self.unbounded(aligned.ground)}")

    def no_quotient(self, ground: Ground) -> str:
        """The reason why values have no numerator and denominator to sum over topics; empty if they have."""
        return "its value is not a quotient that can be summed over topics"

    def quotients(self, aligned: Aligned) -> tuple[np.ndarray, np.ndarray]:
        """Numerator and denominator of each topic, those of topics with nothing relevant too."""
        raise UsageError(f"{self.label}: {self.no_quotient(aligned.ground)}")

    def shares(self, aligned: Aligned) -> Shares | None:
        """The share of each result in its topic's value; None if the value is not a sum (see `no_sum`)."""
        return None

    def curve(self, aligned: Aligned) -> np.ndarray:
        """``Name@i`` at every rank i, in the order of the results, regardless of the measure's own cut-off.

        If it takes none, the value of the list cut at that rank.
        """
        return np.where(self.defined(aligned)[aligned.topic], self.at_ranks(aligned), np.nan)

    def at_ranks(self, aligned: Aligned) -> np.ndarray:
        """The value of :meth:`score` at every rank, computed one by one unless there is a shorter way."""
        place = aligned.by_topic.place
        values = np.zeros(len(aligned))
        for rank in range(1, int(aligned.count.max(initial=0)) + 1):
            here = place == rank - 1
            values[here] = self.cut(aligned, rank)[aligned.topic[here]]
        return values

    def cut(self, aligned: Aligned, rank: int) -> np.ndarray:
        """The value of :meth:`score` with a cut-off at a rank, or for the list cut there."""
        if self.cutoff == "none" or self.expression.point is not None:
            return self.score(aligned.top(rank))
        return self.with_cutoff(rank).score(aligned)

    def with_cutoff(self, rank: int) -> Self:
        """The same measure with a cut-off at a rank."""
        other = copy(self)
        vars(other).pop("canonical", None)
        other.expression = replace(self.expression, cutoff=Cutoff(rank, "ranks"))
        return other

    def explain(self, aligned: Aligned) -> Shares | None:
        """The values of a call, split by result; None if the measure is not a sum over results."""
        return self.shares(self._within_budget(aligned))

    def inside(self, aligned: Aligned, topic: int) -> list[Inside]:
        """Tables of what the value of one topic is made of, for the results that are read."""
        return []

    def _within_budget(self, aligned: Aligned) -> Aligned:
        if self.reads_text:
            aligned.require_lengths(self.label)
        cutoff = self.expression.cutoff
        return aligned.within(cutoff) if cutoff is not None and self.rank is None else aligned

    def looked_at(self, aligned: Aligned) -> Aligned:
        """The results that can affect the value; all if leaving out the others would save little."""
        if self.rank is None or not self.first_ranks_tell or self.ranks_documents:
            return aligned
        inside = int(np.minimum(aligned.count, self.rank).sum())
        return aligned.top(self.rank) if WORTH_CUTTING * inside <= len(aligned) else aligned

    def read(self, aligned: Aligned) -> Aligned:
        """The part of the results that is read: up to a budget, and as far as it can affect the value."""
        return self.looked_at(self._within_budget(aligned))

    def __call__(self, aligned: Aligned) -> np.ndarray:
        """One value per assessed topic, NaN if nothing is relevant."""
        read = self.read(aligned)
        return self.where_defined(self.score(read), read)

    def note_short_lists(self, aligned: Aligned) -> None:
        """Report lists that end before a budget of text, or before a cut-off if their length divides."""
        cutoff, run = self.expression.cutoff, aligned.run
        if cutoff is not None and cutoff.unit in OF_TEXT and run.steps is None:
            if self.reads_text:
                aligned.require_lengths(self.label)
            message = SHORT_TEXTS.format(run=run.name, budget=UNITS[cutoff.unit].told(str(cutoff.amount)))
            short = aligned.ending_before(cutoff)
        elif self.divides_by_list and self.rank is not None:
            message = SHORT_LISTS.format(run=run.source or run.name, label=self.label)
            short = (aligned.count > 0) & (aligned.count < self.rank)
        else:
            return
        names = map(aligned.ground.topics.__getitem__, np.flatnonzero(short).tolist())
        aligned.notices.add_names(message, names, harmless=True, lasting=True)

    def where_defined(self, values: np.ndarray, aligned: Aligned) -> np.ndarray:
        """The values of the topics that have one; NaN for the others."""
        return np.where(self.defined(aligned), values, np.nan)

    def __str__(self) -> str:
        return self.label

    def __repr__(self) -> str:
        return f"<{self.label}>"


HOMES = {
    "bioasq_precision": "DocAP SnipAP",
    "characters": "iR F IoU",
    "code_search": "DistinctP Acc LocAP",
    "cumulated_effort": "CE NCE ANCE MANCE",
    "document_lists": "gP gR AgP MAgP Doc",
    "extended_gain": "xCG nXCG gr ep AEP MAep",
    "genomics_precision": "PsgAP AspectAP CharAP",
    "graded": "genP genR GRP GRPng",
    "near_misses": "Hits NearMisses Misses RecallBase ESRP ESRR AESRP MAESRP SRiP SRiP2 SRiR SRiR2 "
    "ASRiP MASRiP ASRiP2 MASRiP2",
    "needs_met": "NeedRecall alphanDCG",
    "overlap_matches": "Hit IoUAP",
    "patience": "tRBP tINST tU tTBG",
    "prum": "PRUM EPRUM",
    "residual": "Residual Judged",
    "sets_met": "Complete SetRecall SetPrecision",
    "sr": "SR SRP",
    "stage": "Stage UsedP UsedR",
    "structural_gain": "NSRCG NSRCG2 SRPRUM",
    "aip": "AiP MAiP",
}
"""Modules with other names than that of a measure, and what is in each; only these are loaded to find it."""

OF_DOCUMENTS = {
    "P": "P", "Precision": "P", "R": "R", "Recall": "R", "AP": "AP", "MAP": "AP", "nDCG": "nDCG",
    "NDCG": "nDCG", "RR": "RR", "MRR": "RR", "Success": "Success", "Rprec": "Rprec", "RPrec": "Rprec",
    "Bpref": "Bpref", "BPref": "Bpref", "RBP": "RBP",
}  # fmt: skip
"""The measures of documents that need no ir_measures, by the names they are typed by; none is registered."""

MEASURES: Registry[type[Measure]] = Registry(
    "measure",
    takes=subclasses_of(Measure),
    package="doxeval.measurement",
    homes=HOMES,
    listing="'doxeval measures' lists them",
    needs={
        "name": "the name typed",
        "user": "a sentence about the reader it models",
        "paper": "where it is defined",
    },
)
register = MEASURES.register


def measures() -> dict[str, type[Measure]]:
    """Every registered measure by its own name, in alphabetical order."""
    return MEASURES.all()


def measure(measures: str | Measure, navigation: str | None = None) -> Measure:
    """A measure by its name, parameters and cut-off, as it is typed; a measure is returned unchanged.

    `navigation` is the model for a measure that takes one and names none.

    >>> measure("iP@5").canonical
    'iP@5'
    """
    if not isinstance(measures, str | Measure):
        raise UsageError(f"expected a measure by its name, as in 'iP@5', found {measures!r}")
    return measures if isinstance(measures, Measure) else measure_named(measures, navigation)


def measure_named(text: str, navigation: str | None = None) -> Measure:
    """The measure with a name as typed; unknown names are searched for among those of ir_measures.

    `navigation` is the model for a measure that takes one (as its parameter `nav`) and names none.
    """
    try:
        expression = _mean_if_asked(parse_measure(text))
    except UsageError as problem:
        from doxeval.measurement.families.elsewhere import called_here

        raise UsageError(f"{problem}{called_here(text)}") from None
    name = expression.call.name
    found = MEASURES.find_apart(name) if name in OF_DOCUMENTS else MEASURES.find(name)
    if found is not None:
        measure = found(expression)
        if navigation:
            measure.under(navigation)
        return measure
    from doxeval.measurement.families.elsewhere import called_here
    from doxeval.measurement.families.flat import DocumentMeasure
    from doxeval.measurement.families.ranked_documents import ranked_measure

    if (ranked := ranked_measure(expression)) is not None:
        return ranked
    if expression.call.name in DocumentMeasure.names():
        return DocumentMeasure(expression)
    known = [*MEASURES.names(), *DocumentMeasure.names()]
    hint = called_here(text) or nearest(expression.call.name, known)
    raise UsageError(
        f"unknown measure {expression.call.name!r}{hint} ({MEASURES.listing}){MEASURES.failures_told}"
    )


def _mean_if_asked(expression: Expression) -> Expression:
    """``Name(mean=true,...)@k`` as the mean over the ranks up to k, which is a measure of its own."""
    asked = dict(expression.call.arguments).get("mean")
    kind = MEASURES.find(expression.call.name) if asked is not None else None
    if asked is None or (kind and any(parameter.name == "mean" for parameter in kind.parameters)):
        return expression
    if not isinstance(asked, bool):
        raise UsageError(f"{expression.text!r}: mean is true or false, not {asked}")
    if asked and expression.point is not None:
        raise UsageError(f"{expression.text!r}: a mean is taken over ranks, not at a recall point")
    rest = tuple(argument for argument in expression.call.arguments if argument[0] != "mean")
    call = Call(expression.call.name, rest)
    return replace(expression, call=Call("Mean", (("of", call),)) if asked else call)


Measures = str | Measure | Iterable[str | Measure]


def noted_values(measures: Sequence[Measure], aligned: Aligned) -> np.ndarray:
    """`values[measure, topic]` of measures that were asked for, with notices on lists that are too short."""
    if aligned.official is None:
        for measure in dict.fromkeys(measures):
            measure.note_short_lists(aligned)
    return values_of(measures, aligned)


def values_of(measures: Sequence[Measure], aligned: Aligned) -> np.ndarray:
    """`values[measure, topic]`; measures that mean the same are computed once.

    Of a run that an official scorer has scored, they are its figures.
    """
    if aligned.official is not None:
        from doxeval.measurement.families.official import official_values

        return official_values(measures, aligned)
    by_kind: dict[type[Measure], list[Measure]] = {}
    for measure in dict.fromkeys(measures):
        by_kind.setdefault(type(measure), []).append(measure)
    values: dict[Measure, np.ndarray] = {}
    for kind, alike in by_kind.items():
        values |= zip(alike, kind.values_of_all(alike, aligned), strict=True)
    return np.array([values[measure] for measure in measures]).reshape(len(measures), len(aligned.count))
