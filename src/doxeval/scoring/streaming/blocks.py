"""Score a run file a few topics at a time.

The file is read twice. The first pass finds out whether the lines of each topic are together, whether every
result has a rank, and how far the run reaches into documents of unknown length: everything in the rest of the
run that the score of a topic may depend on. The second pass scores the pieces. Memory holds one piece (a
block, or the largest topic if that is larger) and the names of the documents of unknown length.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from doxeval.core.catalogue import NAMES_SHOWN
from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.core.temporary import temporary_folder
from doxeval.ground.align import (
    check_topics,
    furthest_ends,
    note_no_meeting,
    note_unanswered,
    told_lengths,
)  # fmt: skip
from doxeval.ground.document_names import name_run
from doxeval.io.formats.build_tables import SEVERAL_RUNS
from doxeval.io.formats.field_lines import Cut
from doxeval.io.formats.format import Options
from doxeval.io.read import note_encoding
from doxeval.io.source import READ_AT_ONCE, Source
from doxeval.scoring.loader import RunLoader
from doxeval.scoring.scores import RunScores
from doxeval.tables.runs import Run, no_results

if TYPE_CHECKING:
    from doxeval.ground.ground import Ground
    from doxeval.io.formats.field_lines import Cut
    from doxeval.measurement.base import Measure
    from doxeval.scoring.evaluation import Evaluation

MOST_DRAWERS = 128


def grouped_pieces(source: Source, find: Cut) -> Iterator[Source]:
    """Pieces of about one block, each cut where its last topic begins; that topic begins the next."""
    rest, line = b"", 1
    with source:
        for block in source.blocks():
            data = rest + block
            starts, codes, _ = find(data)
            changes = np.flatnonzero(np.diff(codes))
            cut = int(starts[changes[-1] + 1]) if len(changes) else 0
            if cut:
                yield Source(data[:cut], source.name, line)
                line += data.count(b"\n", 0, cut)
            rest = data[cut:]
    if rest:
        yield Source(rest, source.name, line)


class Drawers:
    """A run file regrouped: all lines of a topic go to the same file, with their numbers."""

    def __init__(self, folder: Path, size: int) -> None:
        self.count = max(2, min(MOST_DRAWERS, 2 * size // READ_AT_ONCE))
        self.folder = folder

    def fill(self, source: Source, find: Cut) -> None:
        """Sort every line of a file into its drawer."""
        with source, ExitStack() as opened:
            lines = [opened.enter_context(self._lines(which).open("wb")) for which in range(self.count)]
            numbers = [opened.enter_context(self._numbers(which).open("wb")) for which in range(self.count)]
            before = 1
            for data in source.blocks():
                starts, codes, table = find(data)
                drawer = np.array([crc32(topic) % self.count for topic in table])[codes]
                bounds = np.append(starts, len(data)).tolist()
                for which in np.unique(drawer).tolist():
                    mine = np.flatnonzero(drawer == which)
                    lines[which].write(
                        b"".join([data[bounds[line] : bounds[line + 1]] for line in mine.tolist()])
                    )
                    numbers[which].write((mine + before).data)
                    if which == drawer[-1] and not data.endswith(b"\n"):
                        lines[which].write(b"\n")
                before += len(starts)

    def pieces(self, name: str) -> Iterator[Source]:
        """The content of each drawer that has any."""
        for at in range(self.count):
            if content := self._lines(at).read_bytes():
                yield Source(content, name, np.fromfile(self._numbers(at), dtype=np.int64))

    def _lines(self, at: int) -> Path:
        return self.folder / f"{at}.lines"

    def _numbers(self, at: int) -> Path:
        return self.folder / f"{at}.numbers"


def streams(load: RunLoader) -> bool:
    """Whether to score a run in pieces: it is a large file in a format that can be cut."""
    return load.is_large and load.format_of_file.cut is not None


class Survey:
    """The result of the first pass over a run, however it is cut into pieces."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.topics: dict[str, None] = {}
        self.grouped = True
        self.plain = True
        self.ordered_by: set[tuple[bool, bool]] = set()
        self.reach: dict[str, int] = {}
        self.assessed = np.zeros(0, dtype=np.int64)
        self.first_docs: dict[str, None] = {}
        self.tags: dict[str, None] = {}
        self._last = ""

    def add(self, run: Run) -> None:
        """Survey another part of the run."""
        self.plain &= run.written is None or not run.notices.refusals
        if not len(run):
            self.topics |= dict.fromkeys(run.topics)
            return
        self.ordered_by.add((run.rank is None, run.score is None))
        changes = np.flatnonzero(np.diff(run.topic, prepend=-1))
        for topic in (run.topics[code] for code in run.topic[changes]):
            self.grouped &= topic == self._last or topic not in self.topics
            self.topics[topic] = None
            self._last = topic
        self.topics |= dict.fromkeys(run.topics)
        self.tags |= dict.fromkeys(filter(None, [run.tag]))
        run, known = self.named(run)
        self.assessed = np.append(self.assessed, known.max(initial=-1))
        if len(self.first_docs) <= NAMES_SHOWN:
            self.first_docs |= dict.fromkeys(run.docs)
        unknown = np.flatnonzero(told_lengths(run.docs, self.ground, known, Notices()) < 0)
        for doc, end in zip(unknown.tolist(), furthest_ends(run)[unknown].tolist(), strict=True):
            name = run.docs[doc]
            self.reach[name] = max(end, self.reach.get(name, 0))

    @property
    def consistent(self) -> bool:
        """Whether results are ordered by the same columns everywhere, and names and lines are unambiguous."""
        return len(self.ordered_by) <= 1 and self.plain

    def named(self, run: Run) -> tuple[Run, np.ndarray]:
        """A part of the run with its documents under the names of the ground truth, and their codes there."""
        doubts = Notices()
        named = name_run(run, self.ground.catalogues, doubts)
        self.plain &= not len(doubts) and run.texts is None and run.added is None and run.own is None
        return named

    def notices(self, run: str) -> Notices:
        """The notices about the whole run."""
        notices = Notices()
        topics = list(self.topics)
        check_topics(run, topics, self.ground.codes_of_topics(topics), self.ground, notices)
        note_no_meeting(run, list(self.first_docs), self.assessed, self.ground, notices)
        if len(self.tags) > 1:
            notices.add_names(SEVERAL_RUNS, self.tags)
        return notices

    def with_reach(self, run: Run) -> Run:
        """A part of the run, with how far the whole run reaches into each of its documents."""
        run, _ = self.named(run)
        reach = np.array([self.reach.get(name, 0) for name in run.docs], dtype=np.int64)
        return replace(run, reach=reach)


def score_in_blocks(evaluation: Evaluation, load: RunLoader, measures: Sequence[Measure]) -> RunScores:
    """The scores of a large run; the same as if it were read whole."""
    format, path = load.format_of_file, load.path or ""
    options = Options(name=load.run_name, ranges=load.ranges, verbatim=load.verbatim)
    survey = Survey(evaluation.ground)
    source = load.source
    with source:
        for block in source.blocks():
            survey.add(format.table(Source(block, path), options))
    notices = survey.notices(path)
    if source.found_encoding:
        note_encoding(source, notices)
    in_one_piece = load.verbatim and (not survey.grouped or bool(source.encoding or source.mark))
    if format.cut is None or not survey.topics or not survey.consistent or in_one_piece:
        return evaluation.score_run(load(), measures)
    total = _Total(evaluation, measures, load.run_name, notices)
    with _pieces(load, format.cut, survey.grouped) as pieces:
        for piece in pieces:
            if not total.add(survey.with_reach(format.table(piece, options))):
                return evaluation.score_run(load(), measures)
    if not survey.grouped:
        total.notices.add_names(
            "{count} large {run has|runs have} the lines of a topic in several places and {was|were} "
            "regrouped on disk",
            [path],
            harmless=True,
        )
    return total.scores(path)


@contextmanager
def _pieces(load: RunLoader, cut: Cut, grouped: bool) -> Iterator[Iterator[Source]]:
    path = load.path or ""
    if grouped:
        yield grouped_pieces(load.source, cut)
        return
    try:
        with temporary_folder() as folder:
            drawers = Drawers(folder, Path(path).stat().st_size)
            drawers.fill(load.source, cut)
            yield drawers.pieces(path)
    except OSError as problem:
        raise InputError(
            f"{path}: its topics are scattered, and regrouping it in {tempfile.gettempdir()} failed: "
            f"{problem.strerror}; sort the file by topic, or set TMPDIR to a folder with room"
        ) from None


class _Total:
    """The scores of a run, put together from those of its parts."""

    def __init__(
        self, evaluation: Evaluation, measures: Sequence[Measure], name: str, notices: Notices
    ) -> None:
        self.evaluation = evaluation
        self.measures = measures
        empty, _ = self._scored(no_results(name))
        self.values, self.counted, self.parts = empty.values, empty.counted, empty.parts
        self.added = np.zeros(len(evaluation.ground.topics), dtype=bool)
        self.results = self.unjudged = 0
        self.repeated = empty.repeated
        self.name = name
        self.notices = notices
        self.answered = np.zeros(len(evaluation.ground.topics), dtype=bool)

    def add(self, run: Run) -> bool:
        """Score a part; False if one of its topics is in another part as well."""
        codes = self.evaluation.ground.codes_of_topics(run.topics, run.aliases)
        topics = codes[codes >= 0]
        if self.added[topics].any():
            return False
        scores, answered = self._scored(run)
        self.values[:, topics] = scores.values[:, topics]
        self.counted[topics] = scores.counted[topics]
        if self.parts is not None and scores.parts is not None:
            self.parts[:, :, topics] = scores.parts[:, :, topics]
        self.added[topics] = True
        self.answered |= answered
        self.results += scores.results
        self.unjudged += scores.unjudged
        if self.repeated is not None and scores.repeated is not None:
            self.repeated += scores.repeated
        self.notices.extend(scores.notices)
        return True

    def _scored(self, run: Run) -> tuple[RunScores, np.ndarray]:
        return self.evaluation.score_part(run, self.measures)

    def scores(self, run: str) -> RunScores:
        """The scores of all parts of the run in this file."""
        note_unanswered(run, self.answered, self.counted, self.evaluation.ground, self.notices)
        return RunScores(
            self.name, self.values, self.counted, self.results, self.unjudged, self.notices,
            repeated=self.repeated, parts=self.parts,
        )  # fmt: skip
