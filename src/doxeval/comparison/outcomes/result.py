"""The result of correlating measures with an outcome: values, differences, strata, and how it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from doxeval.comparison.outcomes.bins import Bin
from doxeval.comparison.outcomes.chosen import Tried
from doxeval.comparison.outcomes.resampled import MeasureDifference
from doxeval.comparison.outcomes.strata import Stratum
from doxeval.core.notices import Notices
from doxeval.core.phrases import counted, percent, stated
from doxeval.core.records import rendered
from doxeval.core.table import Marked, Readable, Table, shown

if TYPE_CHECKING:
    import polars

DIGITS = 3
EXPLORED = "°"
FEW_PAIRS = 10
"""Most differences that a table shows in full; of more, those to the best measure are shown."""
PARTS = ("measure", "difference", "difficulty", "bin", "tried")


@dataclass(frozen=True)
class Predictor:
    """How well one measure goes with the outcome.

    `value` is the AUC, or for outcomes that are numbers the concordance, with Kendall's `tau`. Of pairs of
    runs of one topic with different outcomes, the better one's value is `higher`, `lower` or `equal`; `p` is
    that of a permutation of outcomes within topics. `explored` is how many settings were tried on these very
    cases, `there` the value on the topics on which measures were chosen.
    """

    measure: str
    cases: int
    topics: int
    value: float
    low: float | None
    high: float | None
    tau: float | None
    tau_low: float | None
    tau_high: float | None
    higher: int
    lower: int
    equal: int
    p: float | None
    explored: int = 1
    there: float | None = None


@dataclass(eq=False, repr=False)
class OutcomeCorrelation(Readable):
    """The measures that go with an outcome: `predictors` by value, the best first; `frame` has all parts.

    Further `differences` between measures, `strata` of difficulty, `bins` of values, and what was `tried`
    where measures were chosen (`chosen_on`). `mean` is the mean outcome, of successes their share.
    """

    outcome: str
    yes_no: bool
    runs: list[str]
    topics: int
    cases: int
    mean: float
    predictors: list[Predictor]
    differences: list[MeasureDifference]
    strata: list[Stratum]
    bins: list[Bin]
    tried: list[Tried]
    chosen_on: str
    confidence: float
    draws: int
    redrawn: int
    seed: int
    notices: Notices = field(default_factory=Notices)

    def with_choice(
        self,
        chosen_on: str,
        tried: list[Tried],
        there: Mapping[str, float | None],
        explored: Mapping[str, int],
    ) -> OutcomeCorrelation:
        """The same with where measures were chosen and their values there, or how many were tried here."""
        predictors = [
            replace(one, explored=explored.get(one.measure, 1), there=there.get(one.measure))
            for one in self.predictors
        ]
        return replace(self, predictors=predictors, chosen_on=chosen_on, tried=tried)

    @property
    def coefficient(self) -> str:
        """The coefficient that `value` is."""
        return "AUC" if self.yes_no else "concordance"

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row per measure, difference, stratum, bin and setting tried; `part` says which."""
        explored = {one.measure: one.explored for one in self.predictors}
        parts: Sequence[Sequence[Any]] = (
            self.predictors, self.differences, self.strata, self.bins, self.tried,
        )  # fmt: skip
        found = [
            {"part": name, "outcome": self.outcome, "coefficient": self.coefficient}
            | {"explored": explored.get(one.measure)}
            | asdict(one)
            for name, part in zip(PARTS, parts, strict=True)
            for one in part
        ]
        names = dict.fromkeys(name for row in found for name in row)
        return [{name: row.get(name) for name in names} for row in found]

    @cached_property
    def frame(self) -> polars.DataFrame:
        """A polars frame of the rows."""
        from doxeval.core.polars_here import polars

        return polars.DataFrame(self.rows, infer_schema_length=None)

    def at(self, measure: str) -> Predictor:
        """One measure."""
        from doxeval.core.errors import UsageError, nearest

        names = [one.measure for one in self.predictors]
        if measure not in names:
            raise UsageError(f"there is no measure {measure!r}{nearest(measure, names)}")
        return self.predictors[names.index(measure)]

    def rendered(self, format: str = "table") -> bytes:
        """The tables (table, md, latex or html), or all rows (csv, jsonl, json or parquet)."""
        return rendered(format, lambda: self.rows, lambda: self.tables)

    @property
    def sentences(self) -> list[str]:
        """The findings, in sentences."""
        best = self.predictors[0]
        said = [f"{best.measure} goes best with {self.outcome}: {self.coefficient} {_told(best)}."]
        if self.chosen_on:
            first = max(self.predictors, key=lambda one: one.there or 0.0)
            said[0] = (
                f"Chosen on {self.chosen_on}: {first.measure} ({self.coefficient} "
                f"{shown(first.there, DIGITS)} there); on the other topics {_told(first)}."
            )
        least = [one.least for one in self.differences if one.least is not None]
        if least:
            apart, pairs = sum(one.told_apart for one in self.differences), len(self.differences)
            told = "no two measures" if not apart else f"{apart} of {counted(pairs, 'pair')} of measures"
            seen = f"{min(least):.{DIGITS}f}" + (f" to {max(least):.{DIGITS}f}" if len(least) > 1 else "")
            said.append(
                f"{told[0].upper()}{told[1:]} can be told apart; the smallest difference that could have "
                f"been told from 0 is {seen}{', depending on the pair' if len(least) > 1 else ''}."
            )
        return said

    @property
    def tables(self) -> list[Table]:
        """The measures; their differences; the measures by difficulty; what was tried elsewhere."""
        tables = [self.measure_table]
        if self.differences:
            tables.append(self.difference_table)
        if self.strata:
            tables.append(self.difficulty_table)
        if self.tried:
            tables.append(self.tried_table)
        return tables

    @property
    def measure_table(self) -> Table:
        """A row per measure: its coefficient with an interval, and agreement within topics."""
        header = ["measure", self.coefficient, "interval"]
        if not self.yes_no:
            header += ["tau-b", "interval"]
        header[1:1] = ["where chosen"] if self.chosen_on else []
        pairs = any(one.higher + one.lower + one.equal for one in self.predictors)
        header += ["higher", "lower", "equal", "p"] if pairs else []
        body = [self._measure_row(one, pairs) for one in self.predictors]
        title = f"Which measure predicts {self.outcome}"
        return Table(header, body, 1, self._footer(pairs), title, self.notices)

    def _measure_row(self, one: Predictor, pairs: bool) -> list[str]:
        row = [one.measure, _number(one.value, one.explored), _span(one.low, one.high)]
        if not self.yes_no:
            row += [_number(one.tau, one.explored), _span(one.tau_low, one.tau_high)]
        row[1:1] = [shown(one.there, DIGITS)] if self.chosen_on else []
        counts = [str(one.higher), str(one.lower), str(one.equal), shown(one.p, 4)]
        return row + (counts if pairs else [])

    def _footer(self, pairs: bool) -> list[str]:
        share = f", {percent(self.mean)} of them yes" if self.yes_no else f", mean {self.mean:.3g}"
        elsewhere = f", none of them where measures are chosen: {self.chosen_on}"
        lines = [
            f"{counted(self.cases, 'case')} of {counted(len(self.runs), 'run')} and "
            f"{counted(self.topics, 'topic')}{share}" + (elsewhere if self.chosen_on else "")
        ]
        if self.draws:
            again = f", {self.redrawn:,} more with one outcome only drawn again" if self.redrawn else ""
            lines.append(
                f"{stated(self.confidence)} intervals: {self.draws:,} resamples of topics with all their runs"
                f"{again}, seed {self.seed}"
            )
        if pairs:
            permuted = "; p: outcomes permuted within topics" if self.draws else ""
            lines.append(
                "higher, lower, equal: pairs of runs of a topic with different outcomes, by the value of the "
                f"better one{permuted}"
            )
        if any(one.explored > 1 for one in self.predictors):
            lines.append(self._explored)
        return lines

    @property
    def _explored(self) -> str:
        return (
            f"{EXPLORED} explored: one of several settings tried on these very cases; expect less on others"
        )

    @property
    def difference_table(self) -> Table:
        """The differences between measures with the band; of many, those to the best measure."""
        best = self.predictors[0].measure
        listed = self.differences
        if len(listed) > FEW_PAIRS:
            listed = [one for one in listed if best in (one.measure, one.other)]
        explored = {one.measure: one.explored for one in self.predictors}
        body = [
            [
                one.measure, one.other,
                _number(one.difference, max(explored[one.measure], explored[one.other]), "+"),
                _span(one.low, one.high), shown(one.least, DIGITS), "yes" if one.told_apart else "no",
            ]
            for one in listed
        ]  # fmt: skip
        footer = []
        if self.draws:
            footer.append(
                f"{stated(self.confidence)} band over all pairs at once ({len(self.differences)}); "
                "least: the smallest difference that it could have told from 0"
            )
        if len(listed) < len(self.differences):
            footer.append(f"only pairs with {best} are shown; csv and jsonl have all")
        if any(number > 1 for number in explored.values()):
            footer.append(self._explored)
        header = ["measure", "minus", "difference", "band", "least", "told apart"]
        return Table(header, body, 2, footer, f"Differences of {self.coefficient}")

    @property
    def difficulty_table(self) -> Table:
        """A row per difficulty and measure."""
        explored = {one.measure: one.explored for one in self.predictors}
        place = {one.measure: at for at, one in enumerate(self.predictors)}
        body = [
            [
                str(one.solved_by_others), one.measure, str(one.cases), str(one.successes),
                _number(one.value, explored[one.measure]), _span(one.low, one.high),
            ]
            for one in sorted(self.strata, key=lambda one: (one.solved_by_others, place[one.measure]))
        ]  # fmt: skip
        footer = ["solved by: how many other runs solved the topic; no interval where topics are too few"]
        footer += [self._explored] if any(number > 1 for number in explored.values()) else []
        header = ["solved by", "measure", "cases", "yes", self.coefficient, "interval"]
        return Table(header, body, 2, footer, f"{self.coefficient} by difficulty", keys=2)

    @property
    def tried_table(self) -> Table:
        """All settings on the topics where measures were chosen."""
        body = [
            [one.measure, str(one.cases), shown(one.value, DIGITS), "yes" if one.chosen else "no"]
            for one in self.tried
        ]
        footer = ["chosen: of the settings listed for one measure the best; a single setting always is"]
        header = ["measure", "cases", self.coefficient, "chosen"]
        return Table(header, body, 1, footer, f"Tried where measures are chosen: {self.chosen_on}")


def _number(value: float | None, explored: int, sign: str = "") -> str:
    text = "" if value is None or value != value else f"{value:{sign}.{DIGITS}f}"
    return Marked(text, EXPLORED) if explored > 1 and text else text


def _span(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"[{low:.{DIGITS}f}, {high:.{DIGITS}f}]"


def _told(one: Predictor) -> str:
    span = _span(one.low, one.high)
    mark = f", one of {one.explored} settings tried on these very cases" if one.explored > 1 else ""
    return shown(one.value, DIGITS) + (f" {span}" if span else "") + mark
