"""A gate for builds: whether a measure has fallen, significantly or by more than allowed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack
from xml.etree import ElementTree

import numpy as np

from doxeval.comparison.compare import Comparison, ComparisonOptions, compare
from doxeval.comparison.corrections import CORRECTIONS
from doxeval.comparison.diagnosis.diagnose import diagnose
from doxeval.comparison.diagnosis.moves import Move, moves_between, moves_told
from doxeval.comparison.difference import Difference
from doxeval.comparison.render import how_tested, p_shown, p_told, told, topics_shown
from doxeval.comparison.slices import slice_members
from doxeval.comparison.tests import TESTS
from doxeval.core.errors import UsageError, nearest
from doxeval.core.harmless import markdown_text
from doxeval.core.notices import Notices
from doxeval.core.phrases import counted, stated
from doxeval.core.table import Table
from doxeval.core.values import printable
from doxeval.measurement.base import Measures
from doxeval.scoring.evaluation import NavigationModels
from doxeval.scoring.scores import Scores

VERDICT_MARKS = {(True, False): "❌", (False, True): "❔", (False, False): "✅"}
MOST_TOPICS = 100
FEWEST_DRAWS = 100
FAIL_RULES = ("either", "significant", "drop")


@dataclass(frozen=True)
class Allowance:
    """How much a measure may fall: an amount, or a share of the baseline's mean.

    >>> Allowance.parse("0.02"), Allowance.parse("5%")
    (Allowance(amount=0.02, relative=False), Allowance(amount=0.05, relative=True))
    """

    amount: float
    relative: bool = False

    @classmethod
    def parse(cls, text: str) -> Allowance:
        """From `0.02` or `5%`."""
        relative = text.strip().endswith("%")
        try:
            amount = float(text.strip().removesuffix("%")) / (100 if relative else 1)
        except ValueError:
            raise UsageError(f"{text!r}: expected an amount such as 0.02 or a share such as 5%") from None
        if not 0 <= amount < float("inf"):
            raise UsageError(f"{text!r}: an allowed drop must be at least 0")
        return cls(amount, relative)

    def limit(self, difference: Difference) -> float:
        """The largest drop allowed."""
        return self.amount * (abs(difference.baseline_mean) if self.relative else 1)

    def __str__(self) -> str:
        return f"{self.amount:.4g}" if not self.relative else f"{stated(self.amount)} of the baseline"


def allowances(texts: Sequence[str], measures: Sequence[str]) -> dict[str, Allowance]:
    """Allowances from `0.02`, for all measures, and `MEASURE:0.02`, which takes precedence."""
    found: dict[str, Allowance] = {}
    for text in sorted(texts, key=lambda text: ":" in text):
        measure, colon, amount = text.rpartition(":")
        if colon and measure not in measures:
            raise UsageError(f"--max-drop {text}: {measure!r} was not compared{nearest(measure, measures)}")
        for name in [measure] if colon else measures:
            found[name] = Allowance.parse(amount)
    return found


@dataclass(frozen=True)
class Verdict:
    """One comparison and the reasons why it fails; without any, it passes.

    `visible` is about the smallest fall that the gate would have detected, None if unknown; `blind` says why
    it could not have detected any, however large. `undecided` says that unjudged text decides.
    """

    difference: Difference
    reasons: tuple[str, ...]
    visible: float | None
    blind: str = ""
    undecided: str = ""

    @property
    def failed(self) -> bool:
        """Whether the comparison fails."""
        return bool(self.reasons) and not self.undecided

    @property
    def untold(self) -> bool:
        """Whether no fall could have been detected, or unjudged text decides: passing would mean nothing."""
        return bool(self.blind or self.undecided) and not self.failed

    @property
    def reassurance(self) -> str:
        """The meaning of a pass, in words."""
        if self.undecided:
            return f"undecided: {self.undecided}"
        if self.blind:
            return f"undecided: no fall, however large, could be detected; {self.blind}"
        whatever = ", whatever the unjudged text is" if self.difference.whatever() else ""
        seen = f"; the smallest detectable drop is about {self.visible:.4f}" if self.visible else ""
        fallen = "has not fallen" if self.difference.gain >= 0 else "has not fallen enough"
        return f"{fallen}{whatever}{seen}"


def verdicts_on(comparison: Comparison, allowed: dict[str, Allowance], rule: str = "either") -> list[Verdict]:
    """Judge every comparison with the baseline.

    `rule` is `significant` (a fall that chance does not explain), `drop` (a fall by more than allowed) or
    `either`.
    """
    verdicts = []
    for difference in [*comparison.differences, *comparison.slices]:
        reasons, visible, blind = [], [], "no largest allowed drop was given (--max-drop)"
        fell = -difference.gain
        if rule != "drop":
            blind = _too_few_topics(comparison, difference)
            visible += [] if blind else [(difference.high - difference.low) / 2]
        if fell > 0 and rule != "drop" and comparison.significant(difference):
            reasons.append(
                f"fell significantly ({p_told(difference.adjusted_p)}, level {comparison.alpha:g})"
            )
        allowance = allowed.get(difference.measure)
        if allowance is not None and rule != "significant":
            blind = ""
            visible.append(allowance.limit(difference))
            if fell > allowance.limit(difference):
                reasons.append(f"fell by {fell:.4f}, more than {allowance}")
        undecided = _undecided(difference, allowance if rule != "significant" else None, bool(reasons))
        smallest = min(filter(None, visible), default=None)
        verdicts.append(Verdict(difference, tuple(reasons), smallest, blind, undecided))
    return verdicts


def _undecided(difference: Difference, allowance: Allowance | None, failed: bool) -> str:
    """The reason why judging more text may change the verdict; empty if it cannot, or without bounds.

    Without an allowance, a measure that cannot have fallen at all has not fallen significantly.
    """
    if difference.least is None or difference.most is None:
        return ""
    if allowance is not None and allowance.relative:
        raise UsageError(
            f"--max-drop {stated(allowance.amount)} is a share of a mean that unjudged text changes; "
            "with --bounds, give an amount such as 0.02"
        )
    limit = 0.0 if allowance is None else allowance.amount
    falls = sorted(-difference.direction * end for end in (difference.least, difference.most))
    if falls[0] > limit if failed else falls[1] <= limit:
        return ""
    return (
        f"judgements of the unjudged text could make the difference anything from {difference.least:+.4f} to "
        f"{difference.most:+.4f}, and it may fall by {limit:g}"
    )


def _too_few_topics(comparison: Comparison, difference: Difference) -> str:
    """The reason why not even a fall of every topic could be significant; empty if it could."""
    if TESTS[comparison.test].joint:
        return ""
    among = comparison.slices if difference.slice else comparison.differences
    rivals = len({other.member for other in among if other.measure == difference.measure})

    def least(topics: int) -> float:
        p = TESTS[comparison.test](np.full((1, topics), -1.0), comparison.draws, comparison.seed)
        return float(CORRECTIONS[comparison.correction](np.repeat(p, rivals)).min())

    here = least(difference.topics)
    if here < comparison.alpha:
        return ""
    wanted = range(difference.topics, MOST_TOPICS)
    enough = (f"use {topics} topics or more" for topics in wanted if least(topics) < comparison.alpha)
    return (
        f"with {counted(difference.topics, 'topic')} p is never below {here:.4g}, the level is "
        f"{comparison.alpha:g}: "
        + next(enough, "compare fewer runs")
        + ", or set the largest allowed drop (--max-drop)"
    )


@dataclass(eq=False)
class Gate:
    """The result of a gate: a verdict on every comparison with the baseline.

    `moves` are, for each difference that fails, the topics whose class differs, if that is known.
    """

    comparison: Comparison
    verdicts: list[Verdict]
    moves: dict[Difference, list[Move]] = field(default_factory=dict)

    @property
    def failed(self) -> list[Verdict]:
        """The verdicts that fail; the gate passes if there are none."""
        return [verdict for verdict in self.verdicts if verdict.failed]

    @property
    def untold(self) -> list[Verdict]:
        """The verdicts that mean nothing, since no fall could be detected; slices may be that small."""
        return [verdict for verdict in self.verdicts if verdict.untold and not verdict.difference.slice]

    def message(self, verdict: Verdict) -> str:
        """The message of a verdict: measure, size, interval, the topics that fell most, and what broke."""
        difference = verdict.difference
        broken = moves_told(self.moves.get(difference, []))
        reasons = " and ".join(verdict.reasons) if verdict.failed else verdict.reassurance
        worst = f"; worst topics: {topics_shown(difference.worst)}" if difference.worst else ""
        more = f"; {broken}" if broken else ""
        said = told(difference, self.comparison.confidence, self.comparison.scores.labels)
        return f"{said}: {reasons}{worst}{more}"

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row per verdict: the comparison, what was decided, and why."""
        return [
            {"decision": "failed" if one.failed else "undecided" if one.untold else "passed"}
            | row
            | {"message": self.message(one)}
            for one, row in zip(self.verdicts, self.comparison.rows, strict=True)
        ]

    def summary(self) -> str:
        """Markdown for a build's summary page."""
        failed, untold, of = (
            len(self.failed),
            len(self.untold),
            f"of {counted(len(self.verdicts), 'comparison')}",
        )
        title = f"{untold} {of} undecided" if untold else "No measure has fallen"
        title = f"{failed} {of} failed" if failed else title
        labels = self.comparison.scores.labels
        body = [
            [VERDICT_MARKS[verdict.failed, verdict.untold], labels.of(d.run), d.title,
             f"{d.baseline_mean:.4f}", f"{d.run_mean:.4f}", f"{d.difference:+.4f}",
             f"[{d.low:+.4f}, {d.high:+.4f}]", p_shown(d.adjusted_p), topics_shown(d.worst)]
            for verdict in self.verdicts for d in [verdict.difference]
        ]  # fmt: skip
        interval = f"{stated(self.comparison.confidence)} interval"
        header = ["", "run", "measure", "baseline", "now", "difference", interval, "p", "worst topics"]
        table = Table(header, body, 3, [how_tested(self.comparison)], notices=self.comparison.notices)
        reasons = [f"- {markdown_text(self.message(v))}" for v in self.verdicts if v.failed or v.untold]
        return "\n".join([f"### doxeval gate: {title}", "", table.markdown(), "", *reasons]).rstrip() + "\n"

    def junit(self) -> bytes:
        """JUnit XML: one test case per measure and run."""
        suite = ElementTree.Element(
            "testsuite",
            name="doxeval gate",
            tests=str(len(self.verdicts)),
            failures=str(len(self.failed)),
            errors=str(len(self.untold)),
            time="0",
        )
        for verdict in self.verdicts:
            difference = verdict.difference
            case = ElementTree.SubElement(
                suite,
                "testcase",
                classname=printable(f"doxeval.{difference.run}"),
                name=printable(difference.title),
                time="0",
            )
            if verdict.failed:
                seen = ElementTree.SubElement(case, "failure", message=printable("; ".join(verdict.reasons)))
            elif verdict.untold:
                kind = "skipped" if difference.slice else "error"
                seen = ElementTree.SubElement(case, kind, message="undecided")
            else:
                seen = ElementTree.SubElement(case, "system-out")
            seen.text = printable(self.message(verdict))
        ElementTree.indent(suite)
        return ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True) + b"\n"

    def lines(self) -> list[str]:
        """A line per verdict: FAIL, ok or ? (undecided), measure, size, interval and the worst topics."""
        return [
            f"{'FAIL' if verdict.failed else '?   ' if verdict.untold else 'ok  '} {self.message(verdict)}"
            for verdict in self.verdicts
        ]

    def __repr__(self) -> str:
        return "\n".join(self.lines())


def gate(
    runs: Any,
    assessments: Any = None,
    measures: Measures = (),
    documents: Any = None,
    navigation: NavigationModels = None,
    *,
    baseline: str,
    max_drop: float | str | Sequence[str] = (),
    fail_on: str = "either",
    **options: Unpack[ComparisonOptions],
) -> Gate:
    """Check whether any run has fallen behind the baseline, by any measure.

    `runs` are scores, or runs with what :func:`doxeval.evaluate` needs to score them; `baseline` is the name
    of one of them. `max_drop` is the largest fall allowed: an amount, ``5%`` of the baseline, or a list of
    these and of ``MEASURE:DROP``. `fail_on` is `significant`, `drop` or `either`. The other options are those
    of :func:`doxeval.compare`; with `by`, a fall in any slice of topics fails, too.

    >>> answers = [{"topic": t, "doc": "d", "start": 0, "end": 9} for t in "abc"]
    >>> ends = {"old": 9, "new": 3}
    >>> runs = {name: [row | {"rank": 1, "end": end} for row in answers] for name, end in ends.items()}
    >>> gate(runs, answers, "iR@1", baseline="old", max_drop=0.1).failed[0].reasons
    ('fell by 0.6667, more than 0.1',)
    """
    if fail_on not in FAIL_RULES:
        raise UsageError(
            f"fail_on is one of {', '.join(FAIL_RULES)}, not {fail_on!r}{nearest(fail_on, FAIL_RULES)}"
        )
    comparison = compare(runs, assessments, measures, documents, navigation, baseline=baseline, **options)
    drops = [str(max_drop)] if isinstance(max_drop, str | float | int) else max_drop
    if not isinstance(drops, Iterable) or not all(isinstance(drop, str) for drop in drops):
        raise UsageError(f"max_drop is an amount, a share such as '5%', or a list of these, not {max_drop!r}")
    verdicts = verdicts_on(comparison, allowances(drops, comparison.scores.measures), fail_on)
    failed = [verdict.difference for verdict in verdicts if verdict.failed]
    moves = _moves(comparison.scores, failed, options.get("by"), comparison.notices)
    return Gate(comparison, verdicts, moves)


def _moves(
    scores: Scores, failed: Sequence[Difference], by: str | None, notices: Notices
) -> dict[Difference, list[Move]]:
    """The topics that were mended and broken where a measure fell, if the runs can be read again."""
    if scores.origin is None or scores.pooled:
        return {}
    slices = {} if by is None else slice_members(scores, by)
    topics = {f"{by}={value}": at for value, at in slices.items()}
    found: dict[Difference, list[Move]] = {}
    for measure in dict.fromkeys(difference.measure for difference in failed):
        try:
            diagnosis = diagnose(scores, measures=measure, draws=FEWEST_DRAWS)
        except UsageError as problem:
            notices.add(f"by {measure} it is not known what was broken: {problem}", harmless=True)
            continue
        for one in failed:
            if one.measure == measure:
                found[one] = moves_between(diagnosis, one.baseline, one.run, topics.get(one.slice))
    return found
