"""A diagnosis in tables and sentences."""

from __future__ import annotations

from doxeval.comparison.diagnosis.diagnosis import Diagnosis, Mended
from doxeval.comparison.diagnosis.topic_classes import (
    ALL_MET,
    BUDGET,
    BY_PLACE,
    CLASSES,
    DOCUMENTS,
    EXTENTS,
    MENDINGS,
    NEAR,
)
from doxeval.core.phrases import counted, stated
from doxeval.core.run_labels import some_names
from doxeval.core.table import Table, shown
from doxeval.scoring.scores import ALL

DECIMALS = 2
MOST_TOLD = 6
"""The runs that sentences are about."""


def diagnosis_tables(found: Diagnosis, per_topic: bool = False) -> list[Table]:
    """Tables of the classes, of mending and, on request, of topics."""
    return [*([topics_table(found)] if per_topic else []), classes_table(found), mending_table(found)]


def classes_table(found: Diagnosis) -> Table:
    """A row per run, those of slices last, and a column for each class that some topic is in."""
    numbers: dict[tuple[str, str], dict[str, int]] = {}
    for one in found.counts:
        numbers.setdefault((one.slice, one.run), {})[one.diagnosis] = one.topics
    seen = [one for one in CLASSES if any(row[one.name] for row in numbers.values())]
    order, slices = best_first(found), dict.fromkeys(slice for slice, _ in numbers)
    body = [
        [*_slice(found, slice), found.labels.of(run), *(f"{row[one.name]:,}" for one in seen),
         f"{sum(row.values()):,}"]
        for slice in slices
        for run in order
        if (row := numbers.get((slice, run)))
    ]  # fmt: skip
    header = [*_slice(found, "slice"), "run", *(one.name for one in seen), "topics"]
    told = [one for one in seen if one is not CLASSES[NEAR]]
    footer = [f"{one.name}: {one.meaning}" for one in told] + [found.thresholds]
    footer += filter(None, [found.labels.note])
    title = f"Topics by what becomes of them within {found.cutoff}"
    return Table(header, body, 2 if found.by else 1, footer, title, found.notices)


def mending_table(found: Diagnosis) -> Table:
    """A row per run and mending, the largest gain of a run first."""
    slices = dict.fromkeys(one.slice for one in found.mending)
    order = best_first(found)
    rows = [one for slice in slices for run in order for one in sorted_mendings(found, run, slice)]
    body = [
        [*_slice(found, one.slice), found.labels.of(one.run), one.mending, f"{one.topics:,}",
         shown(one.value), shown(one.mended), _gain(one), _interval(one)]
        for one in rows
    ]  # fmt: skip
    footer = []
    for at, mending in enumerate(MENDINGS):
        if any(one.mending == mending.name for one in rows):
            classes = ", ".join(CLASSES[number].name for number in mending.classes) or "all topics"
            footer.append(f"{mending.name} ({classes}): {how_mended(found, at)}")
    footer += [f"not known: {reason}" for reason in dict.fromkeys(one.refused for one in rows) if reason]
    footer.append(f"{stated(found.confidence)} bootstrap (BCa) intervals over topics")
    columns = ["run", "mended", "topics", found.measure, "then", "gain", "interval"]
    title = f"What mending would bring, by {found.measure}"
    return Table([*_slice(found, "slice"), *columns], body, 3 if found.by else 2, footer, title)


def how_mended(found: Diagnosis, mending: int) -> str:
    """How something is mended here, and of which runs the gain may be larger."""
    if mending == DOCUMENTS and any(one.ceiling for one in found.seen):
        return BY_PLACE
    early = [found.labels.said(run) for run, seen in found.by_run() if seen.ends_early]
    if mending != BUDGET or not early:
        return MENDINGS[mending].how
    return f"{MENDINGS[mending].how}; lists of {some_names(early, 4)} end before that, and might bring more"


def notes(found: Diagnosis) -> list[str]:
    """The sentences below the tables, and how far results are read."""
    return [f"classes hold within {found.cutoff}", *(line for table in found.tables for line in table.footer)]


def _slice(found: Diagnosis, cell: str) -> list[str]:
    """The cell of a row's slice, if there are slices."""
    return [cell] if found.by else []


def _gain(one: Mended) -> str:
    return "not known" if one.refused else signed(one.gain)


def topics_table(found: Diagnosis) -> Table:
    """A row per run and topic."""
    body = [
        [found.labels.of(one.run), one.topic, one.diagnosis, shown(one.value), one.mending, shown(one.mended)]
        for one in found.per_topic
    ]
    return Table(["run", "topic", "diagnosis", found.measure, "mended", "then"], body, 3)


def sorted_mendings(found: Diagnosis, run: str, slice: str = ALL) -> list[Mended]:
    """The mendings of a run, the largest gain first, refused ones last, and the budget after all."""
    rows = [one for one in found.mending if one.run == run and one.slice == slice]
    last = MENDINGS[BUDGET].name
    way = found.direction
    return sorted(rows, key=lambda one: (one.mending == last, bool(one.refused), -way * (one.gain or 0.0)))


def best_first(found: Diagnosis) -> list[str]:
    """The runs, the best by the measure first, those without a value last."""
    values = {one.run: one.value for one in found.mending if one.slice == ALL and one.value is not None}
    return sorted(found.runs, key=lambda run: (run not in values, -found.direction * values.get(run, 0.0)))


def runs_told(found: Diagnosis) -> list[str]:
    """A sentence or two for each of the best runs by the measure, the best first."""
    told = [run_told(found, run) for run in best_first(found)[:MOST_TOLD]]
    left = len(found.runs) - len(told)
    return [*told, f"The table has {counted(left, 'more run')}."] if left else told


def run_told(found: Diagnosis, run: str) -> str:
    """How many topics of a run are complete, what becomes of the others, and what mending would bring."""
    numbers = found.classes[run]
    complete, total = numbers.pop(CLASSES[ALL_MET].name), sum(found.classes[run].values())
    rest = sorted(filter(numbers.get, numbers), key=lambda name: -numbers[name])
    told = f"{found.labels.said(run)}: {complete:,} of {counted(total, 'topic')} complete"
    told += "".join(f", {numbers[name]:,} {name}" for name in rest)
    helps = [one for one in sorted_mendings(found, run) if one.gain]
    return f"{told}. {found.measure}: {', '.join(map(_told, helps))}." if helps else f"{told}."


def _told(one: Mended) -> str:
    ends = "" if one.low is None else f" ({plain(one.low)} to {plain(one.high)})"
    return f"{one.mending} {signed(one.gain)}{ends} {EXTENTS[one.mending]}".rstrip()


def signed(value: float | None) -> str:
    """A difference with its sign; one that is rounded away is marked.

    >>> signed(0.314), signed(-0.02), signed(0.001), signed(0.0)
    ('+0.31', '-0.02', '+<0.01', '0.00')
    """
    if not value:
        return plain(value)
    sign = "+" if value > 0 else "-"
    return f"{sign}<0.01" if abs(value) < 0.005 else f"{value:+.{DECIMALS}f}"


def plain(value: float | None) -> str:
    """A number with two decimals."""
    return "" if value is None else f"{value:.{DECIMALS}f}".replace("-0.00", "0.00")


def _interval(one: Mended) -> str:
    return "" if one.low is None else f"{plain(one.low)} to {plain(one.high)}"
