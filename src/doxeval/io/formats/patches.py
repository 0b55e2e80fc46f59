"""Patches: unified diffs, and the rows of SWE-bench that hold them, as assessments and as runs.

A patch is relevant, or retrieved, where it changes the files as they were before, in lines: those it removes
or replaces and, where it only adds some, the line before and the line after. Each run of changed lines is one
need of the topic, or one result, in the order of the patch. New files, binary files and files only renamed
have no place there; they are counted.

A ``.diff`` or ``.patch`` file is named after its topic. Rows of SWE-bench are JSON, JSON Lines or Parquet:
``{"instance_id", "repo", "base_commit", "patch", "problem_statement"}``, predictions ``{"instance_id",
"model_patch", "model_name_or_path"}``, or one object of these by instance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.io.diffs import ChangedLines, parse_diff
from doxeval.io.encodings import GUESS
from doxeval.io.formats.build_tables import build_run
from doxeval.io.formats.columns import rows_of_dicts
from doxeval.io.formats.format import Format, Options
from doxeval.io.formats.native import keys_of_first_line
from doxeval.io.formats.other_tools import (
    Line,
    ToolFile,
    assessments_of_lines,
    record_attributes,
)
from doxeval.io.source import Source
from doxeval.tables.assessments import Assessments
from doxeval.tables.runs import Run, enclosing_name

DIFF = re.compile(rb"^(?:diff --git .|--- .*\r?\n\+\+\+ .)", re.MULTILINE)
SUFFIXES = (".diff", ".patch")
A_SET = "a patch is a set of places: ranks follow the order of the patch and carry no preference"
TEST_PATCH = "test_patch"
NOT_ATTRIBUTES = (
    "instance_id",
    "patch",
    TEST_PATCH,
    "problem_statement",
    "hints_text",
    "FAIL_TO_PASS",
    "PASS_TO_PASS",
)
KEYS = re.compile(rb'"instance_id"\s*:')
PATCH, PREDICTION = (re.compile(rb'"%s"\s*:' % name) for name in (b"patch", b"model_patch"))


def sniff_diff(head: bytes) -> bool:
    """The header of a file in a unified diff, at the beginning of a line."""
    return not head.startswith((b"{", b"[", b"<")) and b"\0" not in head and bool(DIFF.search(head))


def sniff_rows(head: bytes) -> bool:
    """JSON objects with an instance and its patch."""
    return head.startswith((b"{", b"[")) and bool(KEYS.search(head) and PATCH.search(head))


def sniff_predictions(head: bytes) -> bool:
    """JSON objects with an instance and a model's patch."""
    return (
        head.startswith((b"{", b"["))
        and bool(PREDICTION.search(head))
        and b"topic" not in keys_of_first_line(head)
    )


class PatchFile(ToolFile):
    """A file with patches: counts what has no place in the old files, and hunks that are not sound."""

    def changes(self, patch: Any, where: str) -> list[ChangedLines]:
        """The changes of a patch."""
        if patch is None:
            return []
        if not isinstance(patch, str):
            raise TypeError(f"a patch that is {type(patch).__name__}, not a string")
        diff = parse_diff(patch)
        if patch.strip() and not diff.files:
            self._note("{patch|patches} without a single file", where)
        for reason, file in diff.without_place:
            self._note(f"{reason} in patches", f"{where}: {file}" if file else where)
        for problem in diff.damage:
            message = f"{self.source.name}: {{count}} {{hunk ends|hunks end}} before or after "
            message += "the lines {its|their} header states"
            self.notices.add(message, f"{where}, {problem}")
        return diff.changes

    def _note(self, what: str, example: str) -> None:
        message = f"{self.source.name}: {{count}} {what} {{has|have}} no place before the change"
        self.notices.add(message, example, harmless=True, lasting=True)


def _gold_lines(topic: str, changes: list[ChangedLines], insertions: str) -> Iterator[Line]:
    """A line for each change, a need of its own; its hunks are an attribute of the topic."""
    hunks = ", ".join(dict.fromkeys(str(change.hunk) for change in changes))
    for change in changes:
        line: Line = {
            "topic": topic,
            "doc": change.file,
            "need": f"{change.file}:{change.first}-{change.last}",
            "attributes": {"hunk": hunks},
        }
        if change.inserted and insertions == "enclosing":
            yield line | {"node": enclosing_name(change.first, change.last)}
        elif not (change.inserted and insertions == "none"):
            yield line | {"start_line": change.first, "end_line": change.last}


def read_diff(source: Source, options: Options) -> Assessments:
    """Read a diff as the assessments of one topic, named after the file."""
    file = PatchFile(source, Notices())
    changes = file.changes(_text(source), source.name)
    lines = [{"line": 1} | line for line in _gold_lines(source.stem, changes, options.insertions)]
    if not lines:
        why = "".join(f"; {notice}" for notice in file.notices)
        raise InputError(f"{source.name}: no line of an old file is changed; nothing is relevant{why}")
    return assessments_of_lines(lines, file)


def read_instances(source: Source, options: Options) -> Assessments:
    """Read the patches of instances; repository, commit and other short facts are attributes of the topic."""
    file = PatchFile(source, Notices())
    return assessments_of_rows(file.records(), file, options)


def assessments_of_rows(records: list[tuple[int, Any]], file: PatchFile, options: Options) -> Assessments:
    """The assessments in the rows of SWE-bench."""

    def lines_of(record: Any, number: int) -> Iterator[Line]:
        topic = _instance(record)
        changes = file.changes(record["patch"], topic)
        attributes = record_attributes(record, NOT_ATTRIBUTES)
        if record.get("problem_statement"):
            yield {"topic": topic, "query": record["problem_statement"], "attributes": attributes}
        for line in _gold_lines(topic, changes, options.insertions):
            yield line | {"attributes": attributes | line["attributes"]}

    return assessments_of_lines(list(file.lines(records, lines_of, "an instance_id and its patch")), file)


def read_diff_as_run(source: Source, options: Options) -> Run:
    """Read a diff as the results of one topic, named after the file."""
    file = PatchFile(source, Notices())
    rows = [{"line": 1} | row for row in _result_rows(source.stem, file.changes(_text(source), source.name))]
    return _run_of(rows, file, options)


def read_folder_as_run(folder: Path, options: Options) -> Run:
    """Read the diffs in a folder as one run: one topic a file, named after it."""
    whole, rows = PatchFile(Source(folder), Notices()), []
    for path in diffs_in(folder):
        source = Source(path, encoding=GUESS)
        changes = whole.changes(_text(source), str(path.relative_to(folder)))
        rows += [{"line": 1} | row for row in _result_rows(source.stem, changes)]
    return _run_of(rows, whole, options)


def diffs_in(folder: Path) -> list[Path]:
    """The diffs in a folder and its folders."""
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())


def read_predictions(source: Source, options: Options) -> Run:
    """Read the patches of a model; an instance without one was asked, and nothing was returned."""
    file = PatchFile(source, Notices())
    records = file.records()
    if len(records) == 1 and _is_by_instance(records[0][1]):
        whole = records[0][1]
        records = [(at, {"instance_id": name} | whole[name]) for at, name in enumerate(whole, start=1)]
    return run_of_predictions(records, file, options)


def run_of_predictions(records: list[tuple[int, Any]], file: PatchFile, options: Options) -> Run:
    """The run in the predictions of a model."""

    def rows_of(record: Any, number: int) -> Iterator[Line]:
        topic = _instance(record)
        tag = record.get("model_name_or_path")
        run = {"run": tag} if isinstance(tag, str) and tag else {}
        yield from (row | run for row in _result_rows(topic, file.changes(record["model_patch"], topic)))

    return _run_of(list(file.lines(records, rows_of, "an instance_id and a model_patch")), file, options)


def _result_rows(topic: str, changes: list[ChangedLines]) -> Iterator[Line]:
    """A result for each change, in the order of the patch; only the topic if there is none."""
    if not changes:
        yield {"topic": topic}
    for rank, change in enumerate(changes, start=1):
        lines = {"start_line": change.first, "end_line": change.last}
        yield {"topic": topic, "doc": change.file, "rank": rank} | lines


def _run_of(rows: list[Line], file: PatchFile, options: Options) -> Run:
    file.notices.add(A_SET, harmless=True, lasting=True)
    return build_run(rows_of_dicts(rows, file.source.name, file.notices), options.named_after(file.source))


def _instance(record: Any) -> str:
    name = record["instance_id"]
    if not isinstance(name, str | int) or isinstance(name, bool) or name == "":
        raise TypeError("an instance_id that is no name")
    return str(name)


def _is_by_instance(record: Any) -> bool:
    """Whether an object holds predictions by instance."""
    return (
        isinstance(record, dict)
        and bool(record)
        and all(isinstance(value, dict) and "model_patch" in value for value in record.values())
    )


def _text(source: Source) -> str:
    return source.read().decode("utf-8", "replace")


PATCH_SAMPLE = (
    "diff --git a/src/tea.py b/src/tea.py\n--- a/src/tea.py\n+++ b/src/tea.py\n@@ -3,4 +3,5 @@ def brew():\n"
    "     water = boil()\n-    time = 3\n+    time = 4\n     leaves = take(2)\n+    cup = warm()\n"
    "     return pour(water, leaves, time)\n"
)
_ESCAPED = PATCH_SAMPLE.replace("\n", "\\n").encode()
FORMATS = (
    Format(
        name="diff",
        kind="assessments",
        summary="a unified diff (.diff, .patch): the lines that it changes, in the old files",
        sniff=sniff_diff,
        read=read_diff,
        suffixes=SUFFIXES,
        priority=1,
        patches=True,
        sample=PATCH_SAMPLE.encode(),
    ),
    Format(
        name="diff",
        kind="run",
        summary="a unified diff (.diff, .patch), or a folder of them: the lines that it changes",
        sniff=sniff_diff,
        read=read_diff_as_run,
        suffixes=SUFFIXES,
        sample=PATCH_SAMPLE.encode(),
    ),
    Format(
        name="swe-bench",
        kind="assessments",
        summary="SWE-bench rows: instance_id, repo, base_commit, problem_statement and patch",
        sniff=sniff_rows,
        read=read_instances,
        priority=2,
        patches=True,
        sample=(
            b'{"instance_id": "tea__tea-1", "repo": "tea/tea", "base_commit": "4f2c", "problem_statement": '
            b'"Too weak", "patch": "' + _ESCAPED + b'"}\n'
            b'{"instance_id": "tea__tea-2", "repo": "tea/tea", "base_commit": "5a1d", "problem_statement": '
            b'"Too cold", "patch": "' + _ESCAPED + b'"}\n'
        ),
        broken=(b"{", b'{"instance_id": "tea__tea-3"}', b'{"instance_id": "", "patch": ""}',
                b'{"instance_id": "tea__tea-3", "patch": 7}'),
    ),
    Format(
        name="swe-bench-predictions",
        kind="run",
        summary="SWE-bench predictions: instance_id, model_name_or_path and model_patch",
        sniff=sniff_predictions,
        read=read_predictions,
        priority=2,
        sample=(
            b'{"instance_id": "tea__tea-1", "model_name_or_path": "mine", "model_patch": "'
            + _ESCAPED + b'"}\n'
            b'{"instance_id": "tea__tea-2", "model_name_or_path": "mine", "model_patch": null}\n'
        ),
        broken=(b"{", b'{"instance_id": "tea__tea-3"}', b'{"model_patch": ""}',
                b'{"instance_id": "tea__tea-3", "model_patch": ["x"]}'),
    ),
)  # fmt: skip
