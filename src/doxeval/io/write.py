"""Write runs, assessments and chunks in any format, atomically; what a format cannot hold is reported.

Features of tables that a format lists in `holds` if it can store them: `ranges`, `spans` (several ranges in
one result), `nodes`, `trees` (several nodes in one result), `whole` (documents of unknown length), `lines`
(in place of characters), `texts` (still to be found in the documents), `asked` (topics without results),
`own` text of an agent, the `steps` of a trajectory, the `parameters` of a run, `blanks` in names; for
assessments also `grades`, `aspects`, `beps`, `lengths`, `lengthless` (documents of unknown length), `quotes`,
`queries` and `irrelevant` (documents assessed in which nothing is relevant).
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from doxeval.core.errors import InputError, UsageError
from doxeval.core.notices import Notices
from doxeval.core.output import atomic
from doxeval.core.ragged import Ragged
from doxeval.core.strings import Strings
from doxeval.core.values import is_text, quoted
from doxeval.io.formats.format import Format, Options, format_named, formats
from doxeval.io.read import read_assessments, read_chunks, read_documents, read_run
from doxeval.io.source import COMPRESSED_SUFFIXES, Source
from doxeval.tables.assessments import Assessments
from doxeval.tables.documents import Documents
from doxeval.tables.places import CHARACTERS, LINES
from doxeval.tables.runs import WHOLE, Chunks, Run

BYTE_ORDER_MARK = "\ufeff"
"""The byte order mark, which is no part of a name at the beginning of a file."""
HARMLESS = ("quotes", "queries", "attributes", "lengths")
"""What assessments may lose without a change to any score."""


def write_run(run: Any, path: str | Path, *, format: str | None = None, ranges: str = "") -> None:
    """Write a run in the format named, or else by the path's suffix; warns of what it cannot hold.

    `run` is a table or anything :func:`doxeval.read_run` takes.
    """
    _write("run", read_run(run), path, format, ranges)


def write_assessments(
    assessments: Any, path: str | Path, *, format: str | None = None, ranges: str = ""
) -> None:
    """Write assessments (anything :func:`doxeval.read_assessments` takes), like :func:`write_run`."""
    _write("assessments", read_assessments(assessments), path, format, ranges)


def write_chunks(chunks: Any, path: str | Path, *, documents: Any = None, format: str | None = None) -> None:
    """Write chunks (anything :func:`doxeval.read_chunks` takes), like :func:`write_run`.

    With `documents`, JSON Lines are written that also hold the text of each chunk.
    """
    table = read_chunks(chunks)
    if documents is None:
        _write("chunks", table, path, format, "")
        return
    if format not in (None, "chunks-jsonl"):
        raise UsageError(f"{format} cannot hold the text of chunks; omit the documents, or the format")
    with atomic(path) as stream:
        for row in chunk_rows(read_documents(documents), table):
            stream.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")


def chunk_rows(documents: Documents, chunks: Chunks) -> Iterator[dict[str, Any]]:
    """Chunks as dicts with `doc`, `start`, `end` and `text`, to be indexed, and scored when retrieved."""
    if documents.text is None:
        raise InputError(f"{documents.source}: holds no texts")
    last, text = -1, ""
    for doc, start, end in zip(chunks.doc.tolist(), chunks.start.tolist(), chunks.end.tolist(), strict=True):
        if doc != last:
            last, text = doc, documents.text[doc]
        yield {"doc": chunks.docs[doc], "start": start, "end": end, "text": text[start:end]}


def _write(kind: str, table: Any, path: str | Path, format: str | None, ranges: str) -> None:
    chosen = format_to_write(kind, path, format, steps=has_steps(table))
    write_table(table, path, chosen, Options(ranges=ranges)).warn()


def has_steps(table: Any) -> bool:
    """Whether a table is a trajectory."""
    return isinstance(table, Run) and table.steps is not None


def format_to_write(
    kind: str, target: str | Path, name: str | None, otherwise: str = "", steps: bool = False
) -> Format:
    """The format named, or that of the file's suffix; the native one for standard output.

    For an unknown suffix it is the format called `otherwise`, if that can be written. A table with `steps`
    is written in a format that holds them, if one has the suffix.
    """
    if name:
        chosen = format_named(kind, name)
        if chosen.write is None:
            raise UsageError(f"{name} can be read but not written")
        return chosen
    suffix = Source(str(target)).suffix or (".jsonl" if str(target) == "-" else "")
    known = [format for format in formats(kind).values() if format.write is not None]
    with_steps = [format for format in known if "steps" in format.holds(Options())]
    known = [*(with_steps if steps else []), *(format for format in known if format not in with_steps)]
    for format in known:
        if suffix in format.suffixes:
            return format
    for format in known:
        if format.name == otherwise:
            return format
    raise UsageError(
        f"{target}: unknown suffix for {'a run' if kind == 'run' else kind}; choose one with --format: "
        f"{', '.join(f.name for f in known)}"
    )


def write_table(
    table: Any, target: str | Path, format: Format, options: Options, whole: bool = False
) -> Notices:
    """Write a table; returns notices of what was lost. The file appears whole or not at all.

    If it must be `whole`, a table that would lose anything of weight is refused.
    """
    losses = Losses(format, format.holds(options), Notices())
    if isinstance(table, Run):
        table = _run_to_write(table, losses)
    elif isinstance(table, Assessments):
        table = _assessments_to_write(table, losses)
    else:
        losses.refuse_unreadable(table.docs)
    if whole and losses.notices.failures:
        lost = "; ".join(map(str, losses.notices.failures))
        raise InputError(
            f"{target}: not written: {lost}. Choose another format, by its suffix or with --format"
        )
    assert format.write is not None
    with atomic(target) as raw, _compressed(raw, target) as stream:
        if format.binary:
            format.write(table, stream, options)
        else:
            text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
            format.write(table, text, options)
            text.flush()
            text.detach()
    return losses.notices


@dataclass(frozen=True)
class Losses:
    """The features that a format holds, and the notices about the rest."""

    format: Format
    holds: frozenset[str]
    notices: Notices

    def tell(self, count: int, what: str, fate: str = "left out", harmless: bool = False) -> None:
        """Report a number of things that the format cannot hold, if there are any."""
        if count:
            told = f"{{count}} {what}, which {self.format.name} cannot hold: {fate}"
            self.notices.add(told, count=count, harmless=harmless)

    def refuse_unit(self, unit: str) -> None:
        """Refuse places in another unit than characters, if the format does not hold it."""
        if unit != CHARACTERS and unit not in self.holds:
            advice = "; with --docs they become characters" if unit == LINES else ""
            raise InputError(f"places are given as {unit}, which {self.format.name} cannot hold{advice}")

    def refuse_unreadable(self, names: Sequence[str], unnamed: bool = False) -> None:
        """Refuse names that would not be read back as they are: no file holds lone surrogates or no name.

        A format that separates names by blanks holds no blanks, no NUL, and no byte order mark in front.
        What is `unnamed` has an empty name.
        """
        if "blanks" in self.holds and isinstance(names, Strings) and (unnamed or np.diff(names.offset).all()):
            return
        for name in names:
            if unnamed and not name:
                continue
            if not name or not is_text(name):
                raise InputError(f"the name {quoted(name)} is empty or is not text, and cannot be written")
            if "blanks" not in self.holds and (
                name.split() != [name] or "\0" in name or name[0] == BYTE_ORDER_MARK
            ):
                raise InputError(
                    f"the name {quoted(name)} has a blank, a NUL or a byte order mark, which "
                    f"{self.format.name} cannot hold"
                )


@contextlib.contextmanager
def _compressed(stream: IO[bytes], target: str | Path) -> Iterator[IO[bytes]]:
    """The stream, or one that compresses into it if the suffix says so."""
    suffix = Path(target).suffix if str(target) != "-" else ""
    if suffix not in COMPRESSED_SUFFIXES:
        yield stream
    elif suffix == ".gz":
        with gzip.GzipFile(fileobj=stream, mode="wb", mtime=0, filename="") as packed:
            yield packed  # type: ignore[misc]
    else:
        import zstandard

        with zstandard.ZstdCompressor().stream_writer(stream, closefd=False) as packed:
            yield packed


def _run_to_write(run: Run, losses: Losses) -> Run:
    """The part of a run that the format can hold."""
    holds = losses.holds
    losses.refuse_unreadable(run.docs, unnamed=run.texts is not None)
    losses.refuse_unreadable([*run.topics, run.tag or run.name, *(run.nodes.table if run.nodes else ())])
    losses.refuse_unit(run.unit)
    named = run.nodes.rows.counts > 0 if run.nodes is not None else np.zeros(len(run), dtype=bool)
    whole = _whole_results(run, named)
    if run.texts is not None and "texts" not in holds:
        raise InputError(
            f"{sum(map(bool, run.texts))} results are given as text, which {losses.format.name} cannot hold; "
            "with --docs they become ranges"
        )
    if "asked" not in holds:
        empty = len(run.topics) - len(np.unique(run.topic))
        losses.tell(empty, "{topic has|topics have} no results", harmless=True)
    for feature, texts, whose in (
        ("added", run.added, "is in no document"),
        ("own", run.own, "it wrote itself"),
    ):
        if feature not in holds and texts is not None:
            losses.tell(sum(map(bool, texts)), f"{{result shows|results show}} text that {whose}")
    if "parameters" not in holds:
        fate = "left out; runs.csv beside the file can hold {it|them}"
        losses.tell(len(run.parameters), "{parameter|parameters} of the run", fate, harmless=True)
    if "steps" not in holds and run.steps is not None:
        losses.tell(len(run.steps), "{step|steps} of a trajectory", "only what {it|they} showed is kept")
    if "ranges" not in holds:
        losses.tell(
            int((~whole).sum()),
            "{result is part of a document|results are parts of documents}",
            "only {its document is|their documents are} kept",
        )
        everything = np.zeros(len(run), dtype=np.int64)
        return replace(run, start=everything, end=everything + WHOLE, span_offset=None, nodes=None)
    left_out = np.zeros(len(run), dtype=bool)
    kinds = {
        "nodes": ("{result is a node|results are nodes}", named),
        "whole": ("{result is a whole document|results are whole documents} of unknown length", whole),
    }
    for feature, (what, found) in kinds.items():
        if feature not in holds:
            fate = "left out; with --docs {it becomes a range|they become ranges}"
            losses.tell(int(found.sum()), what, fate)
            left_out |= found
    if "spans" not in holds and run.span_offset is not None:
        several = int((Ragged(run.span_offset).counts[~left_out] > 1).sum())
        losses.tell(several, "{result has|results have} several ranges", "each range becomes a result")
    return run.take(~left_out)


def _whole_results(run: Run, named: np.ndarray) -> np.ndarray:
    """A mask of the results that are whole documents."""
    if run.span_offset is None:
        return (run.end >= WHOLE) & ~named
    whole = np.zeros(len(run), dtype=bool)
    whole[Ragged(run.span_offset).row[run.end >= WHOLE]] = True
    return whole


def _assessments_to_write(assessments: Assessments, losses: Losses) -> Assessments:
    """The part of assessments that the format can hold; an error if that would be misleading."""
    # All refusals come first, so that no loss is reported of a file that is not written.
    holds, name = losses.holds, losses.format.name
    losses.refuse_unreadable(assessments.docs, unnamed=assessments.quotes is not None)
    losses.refuse_unreadable(
        [*assessments.topics, *(assessments.nodes.nodes.table if assessments.nodes is not None else ())]
    )
    losses.refuse_unit(assessments.unit)
    for feature, part in (("nodes", assessments.nodes), ("quotes", assessments.quotes)):
        if part is not None and feature not in holds:
            what = "judged nodes" if feature == "nodes" else feature
            raise InputError(
                f"{len(part)} {what} cannot be written as {name}; with --docs they become ranges"
            )
    if "whole" not in holds:
        assessments = _with_ends(assessments, name)
    ranges = assessments.ranges
    parts = int((ranges.end < WHOLE).sum()) if "ranges" not in holds else 0
    relevant = np.zeros(len(assessments.pair_doc), dtype=bool)
    relevant[ranges.pair] = True
    losses.tell(
        parts, "relevant {range|ranges}", "only {its document is|their documents are} kept (see --ranges)"
    )
    joint = 0 if ranges.aspects is None else len(ranges) - len(np.unique(ranges.places))
    lost = {
        "spans": (joint, "{range shares|ranges share} a place with others"),
        "grades": (int((ranges.grade != 1).sum()), "{grade|grades} other than 1"),
        "aspects": (len(ranges.aspects.codes) if ranges.aspects is not None else 0, "{aspect|aspects}"),
        "labels": (
            0 if ranges.labels is None else len(ranges.labels),
            "{range has|ranges have} a set or assessor",
        ),
        "quotes": (int((ranges.words_or_none != "").sum()), "{range has its|ranges have their} words"),
        "beps": (int((assessments.bep >= 0).sum()), "best entry {point|points}"),
        "lengths": (int((assessments.length >= 0).sum()), "{length of a document|lengths of documents}"),
        "queries": (len(assessments.queries), "{query|queries}"),
        "attributes": (len(assessments.attributes), "{topic has|topics have} attributes"),
        "optional": (
            0 if assessments.optional is None else len(assessments.optional),
            "optional {range|ranges}",
        ),
        "irrelevant": (int((~relevant).sum()), "{document|documents} in which nothing is relevant"),
    }
    for feature, (count, what) in lost.items():
        if feature not in holds:
            losses.tell(count, what, harmless=feature in HARMLESS)
    if "lengthless" not in holds:
        fate = "the end of the last relevant range is used; --docs gives the true length"
        losses.tell(int((assessments.length < 0).sum()), "{document|documents} of unknown length", fate)
    return assessments


def _with_ends(assessments: Assessments, format: str) -> Assessments:
    """Whole documents as ranges up to the document's known length."""
    ranges = assessments.ranges
    whole = ranges.end >= WHOLE
    length = assessments.length[assessments.pair_doc[ranges.pair]]
    if (length[whole] < 0).any():
        raise InputError(
            f"{int((length[whole] < 0).sum())} whole documents are relevant but their length is unknown; "
            f"{format} needs it: give --docs"
        )
    return replace(assessments, ranges=replace(ranges, end=np.where(whole, length, ranges.end)))
