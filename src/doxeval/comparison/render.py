"""Readable comparisons: runs by measures with daggers, the differences, the topics that moved."""

from __future__ import annotations

from collections.abc import Iterable

from doxeval.comparison.compare import Comparison
from doxeval.comparison.corrections import CORRECTIONS
from doxeval.comparison.difference import Difference, in_shape
from doxeval.comparison.intervals import INTERVALS
from doxeval.comparison.slices import slice_members
from doxeval.comparison.tests import TESTS
from doxeval.core.phrases import counted, stated
from doxeval.core.run_labels import RunLabels, run_labels
from doxeval.core.table import Marked, Table, shown
from doxeval.scoring.selection import best_runs

FORMATS = ("table", "md", "latex", "csv", "jsonl", "json", "parquet")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MOST_ROWS = 60
"""Beyond this many comparisons, only the forms for programs list them."""

MOST_MOVED = 3
MOST_PAIRS = 12
"""Beyond this many pairs, only those with a leader are listed; the means' letters show who beats whom."""

STRICTER = 5
"""The double dagger marks a level this many times stricter."""


def comparison_tables(comparison: Comparison, every: bool = False) -> list[Table]:
    """The tables of a comparison, in reading order, of the pairs that matter or of `every` one."""
    summary = change_table(comparison) if comparison.shapes else summary_table(comparison)
    told = comparison.differences if every else pairs_that_matter(comparison)
    if len(told) > MOST_ROWS:
        summary.footer.append(
            f"{counted(len(comparison.differences), 'difference')} in all; the form csv lists them"
        )
        return [summary]
    slices = [slice_table(comparison)] if comparison.slices else []
    if comparison.shapes and not every:
        summary.footer.append("--all, or the form csv, lists the differences")
        return [summary, *slices]
    bounds = [bounds_table(comparison)] if comparison.scores.bounded else []
    moved = told if every else closest_pairs(told)
    mended = mended_tables(comparison, moved)
    return [
        summary,
        difference_table(comparison, told),
        *bounds,
        *slices,
        moved_table(comparison, moved),
        *mended,
    ]


def mended_tables(comparison: Comparison, told: list[Difference]) -> list[Table]:
    """The topics that runs mend and break, overall and in slices, if the comparison has a diagnosis."""
    found = comparison.diagnosis
    if found is None:
        return []
    from doxeval.comparison.diagnosis.moves import moves_table, slice_moves_table

    pairs = [(d.baseline, d.run) for d in told if d.measure == found.measure]
    pairs = pairs or [(d.baseline, d.run) for d in comparison.differences[:MOST_MOVED]]
    slices = {} if found.by is None else slice_members(comparison.scores, found.by)
    named = {f"{found.by}={value}": topics for value, topics in slices.items()}
    return [moves_table(found, pairs), *([slice_moves_table(found, pairs, named)] if named else [])]


def pairs_that_matter(comparison: Comparison) -> list[Difference]:
    """The pairs with a leader, or the baseline, and what else is significant unless that are too many."""
    scores, pairs = comparison.scores, comparison.differences
    leaders = {
        measure: {scores.names[run] for run in best_runs(scores, measure)} for measure in scores.measures
    }
    led = [
        comparison.baseline is not None
        or not leaders[d.measure]
        or bool(leaders[d.measure] & {d.run, d.baseline})
        for d in pairs
    ]
    more = [d for d, leads in zip(pairs, led, strict=True) if leads or comparison.significant(d)]
    return more if len(more) <= MOST_PAIRS else [d for d, leads in zip(pairs, led, strict=True) if leads]


def closest_pairs(told: list[Difference]) -> list[Difference]:
    """Of each measure the pairs that differ least, but differ: who leads, and who comes next."""
    found: dict[str, list[Difference]] = {}
    for d in sorted((d for d in told if d.wins or d.losses), key=lambda d: abs(d.difference)):
        found.setdefault(d.measure, []).append(d)
    kept = [d for pairs in found.values() for d in pairs[:MOST_MOVED]]
    return [d for d in told if d in kept]


def how_tested(comparison: Comparison) -> str:
    """The test, its correction and its seed in one line."""
    test, correction = TESTS[comparison.test], CORRECTIONS[comparison.correction]
    parts = [test.title]
    if correction.title and len(comparison.scores.runs) > 2:
        parts.append(correction.title)
    if test.drawn:
        parts.append(f"{comparison.draws:,} draws from seed {comparison.seed}")
    return ", ".join(parts)


def summary_table(comparison: Comparison) -> Table:
    """Runs by measures, with daggers against a baseline, or else the letters of the runs beaten."""
    scores, labels = comparison.scores, comparison.scores.labels
    against = comparison.baseline or (scores.names[0] if len(scores.runs) == 2 else None)
    letters = len(scores.runs) <= len(LETTERS) and against is None
    body = []
    listed = scores.listed
    for at, run in enumerate(listed.runs):
        first, *more = labels.cells(run.name)
        told = [f"{LETTERS[at]} {first}" if letters else first, *more]
        cells = []
        for number, measure in enumerate(scores.measures):
            mark = (
                _dagger(comparison, measure, against, run.name)
                if against is not None
                else _beaten(comparison, listed.names, measure, run.name) if letters else ""
            )  # fmt: skip
            cells.append(Marked(shown(scores.over_topics(run, number)), mark))
        body.append([*told, *cells])
    footer = [how_tested(comparison)]
    if scores.pooled:
        footer.append(
            "micro averages: numerators and denominators are summed over topics, which are resampled"
        )
    if against is not None:
        strict = comparison.alpha / STRICTER
        footer.append(
            f"† differs from {labels.said(against)} with p < {comparison.alpha:g}, ‡ with p < {strict:g}"
        )
    elif letters:
        footer.append(f"a letter marks a run that is beaten with p < {comparison.alpha:g}")
    footer += filter(None, [labels.note])
    names = len(labels.columns)
    table = Table(
        [*labels.columns, *scores.measures], body, names, footer, notices=comparison.notices, keys=1
    )
    return table if names > 1 else table.upright()


def change_table(comparison: Comparison) -> Table:
    """The means of each run in each shape, and how they differ, in percent, from those in the first."""
    first, *others = comparison.shapes
    body: dict[tuple[str, str], list[str]] = {}
    for d in comparison.differences:
        row = body.setdefault((d.measure, in_shape(d.baseline, first) or ""), [shown(d.baseline_mean)])
        percent = "" if d.change != d.change else f"{d.change:+.1f}"
        row += [shown(d.run_mean), Marked(percent, _dagger(comparison, d.measure, d.baseline, d.run))]
    header = ["measure", "run", first, *(name for shape in others for name in (shape, "change %"))]
    levels = f"p < {comparison.alpha:g}, ‡ with p < {comparison.alpha / STRICTER:g}"
    footer = [how_tested(comparison), f"changes in percent of the mean as {first}; † with {levels}"]
    labels = run_labels(list(dict.fromkeys(run for _, run in body)))
    rows = [[measure, labels.of(run), *cells] for (measure, run), cells in body.items()]
    return Table(header, rows, 2, footer, notices=comparison.notices)


def _dagger(comparison: Comparison, measure: str, baseline: str, run: str) -> str:
    if run == baseline:
        return ""
    p = comparison.between(measure, baseline, run).adjusted_p
    return "‡" if p < comparison.alpha / STRICTER else "†" if p < comparison.alpha else ""


def _beaten(comparison: Comparison, names: list[str], measure: str, run: str) -> str:
    """The letters of the runs that a run beats; they stand for the names in this order."""
    beaten = {
        names.index(d.baseline if d.run == run else d.run)
        for d in comparison.differences
        if d.measure == measure and comparison.significant(d) and run == (d.run if d.gain > 0 else d.baseline)
    }
    return "".join(LETTERS[at] for at in sorted(beaten))


def difference_table(comparison: Comparison, told: list[Difference]) -> Table:
    """One row per comparison: difference, interval, effect size, p-values, wins, ties and losses."""
    percent = f"{stated(comparison.confidence)}"
    corrected = comparison.correction != "none"
    header = ["measure", "run", "against", "difference", f"{percent} interval", "d", "p",
              *(["corrected p"] if corrected else []), "won", "tied", "lost"]  # fmt: skip
    body = [
        [d.measure, *_sides(comparison, d), *_difference(d), shown(d.effect, 2), p_shown(d.p),
         *([p_shown(d.adjusted_p)] if corrected else []), str(d.wins), str(d.ties), str(d.losses)]
        for d in told
    ]  # fmt: skip
    footer = [
        f"{INTERVALS[comparison.interval].title} intervals; d: mean / standard deviation of the differences"
    ]
    if left_out := len(comparison.differences) - len(told):
        footer.append(f"{left_out} more differences, none of them of a leader: --all, or the form csv")
    return Table(header, body, 3, footer, "Differences")


def _sides(comparison: Comparison, d: Difference) -> list[str]:
    """The labels of the two runs of a comparison."""
    return [comparison.scores.labels.of(name) for name in (d.run, d.baseline)]


def _difference(d: Difference) -> list[str]:
    return [f"{d.difference:+.4f}", f"[{d.low:+.4f}, {d.high:+.4f}]"]


def bounds_table(comparison: Comparison) -> Table:
    """One row per comparison: its bounds under any judgement of the unjudged text."""
    header = ["measure", "run", "against", "difference", "at least", "at most", "verdict"]
    body = [
        [d.title, *_sides(comparison, d), f"{d.difference:+.4f}", signed(d.least),
         signed(d.most), d.whatever(comparison.scores.labels.said)]
        for d in [*comparison.differences, *comparison.slices]
    ]  # fmt: skip
    footer = [
        "both runs under the same judgements if the measure is iP, iR, F or IoU at a cut-off; otherwise from "
        "the bounds of each, which may be too wide but never too narrow"
    ]
    return Table(header, body, 3, footer, "Possible effect of the unjudged text")


def signed(value: float | None) -> str:
    """A difference as shown in a table."""
    return "" if value is None or value != value else f"{value:+.4f}"


def slice_table(comparison: Comparison) -> Table:
    """One row per comparison in a slice; the footer names the slice in which two runs differ most."""
    header = ["slice", "measure", "run", "against", "topics", "difference",
              f"{stated(comparison.confidence)} interval", "corrected p", "won", "tied", "lost"]  # fmt: skip
    body = [
        [d.slice, d.measure, *_sides(comparison, d), str(d.topics), *_difference(d), p_shown(d.adjusted_p),
         str(d.wins), str(d.ties), str(d.losses)]
        for d in comparison.slices
    ]  # fmt: skip
    footer, said = ["p-values are corrected over all slices"], comparison.scores.labels.said
    for measure in comparison.scores.measures:
        most = max((d for d in comparison.slices if d.measure == measure), key=lambda d: abs(d.difference))
        footer.append(
            f"{measure} differs most where {most.slice}: {said(most.run)} {most.run_mean:.4f}, "
            f"{said(most.baseline)} {most.baseline_mean:.4f}, {p_told(most.adjusted_p)}"
        )
    if len(body) > MOST_ROWS:
        footer.append(f"{counted(len(body), 'difference')} in slices; the form csv lists them")
    return Table(header, body if len(body) <= MOST_ROWS else [], 4, footer, "Slices of topics")


def moved_table(comparison: Comparison, told: list[Difference]) -> Table:
    """The topics that moved most."""
    body = [[d.measure, *_sides(comparison, d), topics_shown(d.worst), topics_shown(d.best)] for d in told]
    header = ["measure", "run", "against", "worse", "better"]
    return Table(header, body, 5, title="Topics that moved most", keys=3)


def topics_shown(topics: Iterable[tuple[str, float]]) -> str:
    """Topics with their differences."""
    return ", ".join(f"{topic} {difference:+.4f}" for topic, difference in topics)


def p_shown(p: float) -> str:
    """A p-value in three digits."""
    return "" if p != p else "<0.001" if p < 0.0005 else f"{p:.3f}"


def p_told(p: float) -> str:
    """A p-value in a sentence."""
    return "p < 0.001" if p < 0.0005 else f"p = {p_shown(p)}"


def told(difference: Difference, confidence: float, labels: RunLabels) -> str:
    """One comparison as a sentence."""
    d = difference
    return (
        f"{d.title}: {labels.said(d.run)} {d.run_mean:.4f}, {labels.said(d.baseline)} {d.baseline_mean:.4f}, "
        f"difference {d.difference:+.4f} ({stated(confidence)} interval {d.low:+.4f} to {d.high:+.4f}, "
        f"{p_told(d.adjusted_p)}), {counted(d.wins, 'topic')} won, {d.ties} tied, {d.losses} lost"
    )
