"""A study's folder: one report in Markdown, every table as CSV and LaTeX, every figure as a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from doxeval import (
    Assessments,
    InputError,
    Notices,
    Run,
    Scores,
    Table,
    UsageError,
    write_assessments,
    write_run,
)
from doxeval.core.harmless import file_names, markdown_text
from doxeval.core.output import atomic
from doxeval.core.records import csv_text
from doxeval.core.table import mark_of
from doxeval.extend import mean

FIGURE_SUFFIX = ".png"


class Report:
    """The tables and figures of a study, and its text; if it has a folder, they are written there.

    Files of an earlier study with the same names are replaced.
    """

    def __init__(self, folder: str | Path | None, title: str, figures: bool = True) -> None:
        self.folder = None if folder is None else Path(folder)
        self.figures = figures
        self.notices = Notices()
        self.lines = [f"# {title}", ""]
        self.tables: dict[str, Table] = {}
        self.drawn: dict[str, Any] = {}
        if self.folder is None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise UsageError(f"{folder}: cannot create the folder: {problem.strerror}") from None

    def section(self, title: str, text: str = "") -> None:
        """Begin a section."""
        self.lines += [f"## {title}", "", *([text, ""] if text else [])]

    @contextmanager
    def attempt(self, title: str, text: str = "") -> Iterator[None]:
        """A section; if what it shows cannot be computed, it says why, and the notices do."""
        self.section(title, text)
        try:
            yield
        except (UsageError, InputError) as problem:
            self.text(f"Left out: {markdown_text(str(problem))}.")
            self.notices.add(f"left out: {title}: {problem}", lasting=True)

    def text(self, text: str) -> None:
        """Add a paragraph."""
        self.lines += [text, ""]

    def table(self, name: str, table: Table) -> None:
        """Add a table, and write it as `name.csv` and `name.tex`."""
        self.tables[name] = table
        self.lines += [table.markdown().rstrip(), ""]
        self._write(f"{name}.csv", csv_text([c + mark_of(c) for c in row] for row in table.rows))
        self._write(f"{name}.tex", table.latex() + "\n")

    def derived(self, prefix: str, runs: Sequence[Run], judged: Assessments) -> None:
        """Write the runs that a study has made, each as `prefix-name.jsonl`, and what they are scored by."""
        if self.folder is None:
            return
        paths = [f"{prefix}-{name}.jsonl" for name in file_names(run.name for run in runs)]
        for path, run in zip(paths, runs, strict=True):
            write_run(run, self.folder / path)
        write_assessments(judged, self.folder / f"{prefix}-qrels.jsonl")
        told = ", ".join(f"`{path}`" for path in paths)
        self.text(f"Written here: the runs {told} and their assessments `{prefix}-qrels.jsonl`.")

    def means(self, name: str, scores: Scores) -> None:
        """Write the means behind a table as `name.csv`, and say so."""
        if self.folder is None:
            return
        rows = [[run.name, *map(mean, run.values)] for run in scores.runs]
        known = [["" if value != value else value for value in row] for row in rows]
        self._write(f"{name}.csv", csv_text([["run", *scores.measures], *known]))
        self.text(f"The means are in `{name}.csv`.")

    def figure(self, name: str, figure: Any) -> None:
        """Add a figure, written as `name.png`."""
        self.drawn[name] = figure
        if self.folder is None:
            return
        from doxeval.show.style import save_figure

        save_figure(figure, self.folder / f"{name}{FIGURE_SUFFIX}")
        self.lines += [f"![{name}]({name}{FIGURE_SUFFIX})", ""]

    @property
    def path(self) -> Path | None:
        """The report in the folder, None if it has none."""
        return None if self.folder is None else self.folder / "report.md"

    @property
    def markdown(self) -> str:
        """The report in Markdown."""
        return "\n".join(self.lines).rstrip() + "\n"

    def finish(self) -> Report:
        """Write the report itself."""
        self._write("report.md", self.markdown)
        return self

    def _write(self, name: str, text: str) -> None:
        if self.folder is None:
            return
        with atomic(self.folder / name) as stream:
            stream.write(text.encode())
