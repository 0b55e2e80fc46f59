"""Scores for people: aligned text, Markdown, LaTeX, HTML, with a footer that says what was averaged."""

from __future__ import annotations

from html import escape

import numpy as np

from doxeval.scores.scores import Scores, mean, unjudged_share

DECIMALS = 4


def shown(value: float | None) -> str:
    """A score as a table shows it."""
    return "" if value is None or value != value else f"{value:.{DECIMALS}f}"


def cells(scores: Scores, per_topic: bool) -> tuple[list[str], list[list[str]]]:
    """Header and body: a row a run, or a row a run and topic with the mean last."""
    header = ["run", *(["topic"] if per_topic else []), *scores.measures]
    body = []
    for run in scores.runs:
        means = [shown(mean(values)) for values in run.values]
        if per_topic:
            for at in np.flatnonzero(run.counted):
                body.append([run.name, scores.topics[at], *(shown(value) for value in run.values[:, at].tolist())])
            body.append([run.name, "all", *means])
        else:
            body.append([run.name, *means])
    return header, body


def footer(scores: Scores) -> list[str]:
    """What a reader of the table must know: topics averaged, topics undefined, text nobody has judged."""
    if not scores.runs:
        return []
    counted = [int(run.counted.sum()) for run in scores.runs]
    undefined = max(int(np.isnan(run.values[:, run.counted]).all(axis=0).sum()) for run in scores.runs)
    low, high = min(counted) - undefined, max(counted) - undefined
    lines = [f"mean over {low if low == high else f'{low} to {high}'} topics"]
    if undefined:
        lines[0] += f"; {undefined} more have nothing relevant and no value"
    unjudged, results = unjudged_share(scores)
    if results and unjudged:
        share = 100 * unjudged / results
        lines.append(
            f"{share:.1f}% of the results are in documents nobody judged for the topic; they count as irrelevant"
        )
    return lines


def plain_table(scores: Scores, per_topic: bool = False) -> str:
    """Columns aligned with blanks."""
    header, body = cells(scores, per_topic)
    names = 2 if per_topic else 1
    widths = [max(len(row[at]) for row in [header, *body]) for at in range(len(header))]
    lines = []
    for row in [header, *body]:
        padded = [c.ljust(w) if at < names else c.rjust(w) for at, (c, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(padded).rstrip())
    return "\n".join([*lines, *footer(scores)])


def markdown_table(scores: Scores, per_topic: bool = False) -> str:
    """A Markdown table."""
    header, body = cells(scores, per_topic)
    names = 2 if per_topic else 1
    rule = ["---" if at < names else "---:" for at in range(len(header))]
    rows = [[cell.replace("|", "\\|") for cell in row] for row in [header, *body]]
    lines = [f"| {' | '.join(row)} |" for row in [rows[0], rule, *rows[1:]]]
    return "\n".join(lines + [""] + [f"{line}  " for line in footer(scores)])


LATEX = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#",
         "$": r"\$", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}  # fmt: skip


def latex_table(scores: Scores, per_topic: bool = False) -> str:
    """A LaTeX tabular with booktabs rules."""
    header, body = cells(scores, per_topic)
    names = 2 if per_topic else 1

    def line(row: list[str]) -> str:
        return " & ".join("".join(LATEX.get(letter, letter) for letter in cell) for cell in row) + r" \\"

    columns = "l" * names + "r" * (len(header) - names)
    return "\n".join(
        [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", line(header), r"\midrule", *map(line, body),
         r"\bottomrule", r"\end{tabular}", *(f"% {text}" for text in footer(scores))]
    )  # fmt: skip


def html_table(scores: Scores, per_topic: bool = False) -> str:
    """An HTML table, as notebooks show it."""
    header, body = cells(scores, per_topic)
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in body)
    below = "".join(f"<p>{escape(line)}</p>" for line in footer(scores))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{below}"
