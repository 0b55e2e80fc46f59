"""Index documents: parse them, in parallel on request, and keep the node tables in one file or in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from doxeval.core.errors import InputError, UsageError, guard
from doxeval.core.notices import Notices
from doxeval.core.output import atomic, becomes_file, written_file
from doxeval.core.progress import step
from doxeval.core.strings import Strings
from doxeval.core.temporary import temporary_folder
from doxeval.core.values import is_several
from doxeval.io.documents.collection_files import documents_of_frame, write_jsonl, write_parquet
from doxeval.io.documents.docling import is_docling
from doxeval.io.documents.dox import is_dox, open_dox, write_dox
from doxeval.io.documents.git import GitDocuments
from doxeval.io.documents.gitfiles import is_git
from doxeval.io.documents.json_documents import is_object, records_of_objects
from doxeval.io.documents.native_documents import is_native, parse_records
from doxeval.io.documents.parser import checked_format
from doxeval.io.documents.parsing import Entry, trees_of
from doxeval.io.documents.sources import entries_of, find_files, line_entries
from doxeval.io.documents.spool import Spool
from doxeval.io.documents.tree import TagCodes, Tree, gather
from doxeval.io.inputs import is_input, lasts, reading_once
from doxeval.io.limits import Limits
from doxeval.io.parquet_files import parquet_frame, plain_frame
from doxeval.io.source import Source
from doxeval.tables.documents import Documents

if TYPE_CHECKING:
    from concurrent.futures import Executor

WRITERS: dict[str, Callable[[Documents, IO[bytes]], None]] = {
    ".dox": write_dox,
    ".parquet": write_parquet,
    ".jsonl": write_jsonl,
}
BLOCK_BYTES = 4 << 20
BLOCK_ENTRIES = 512
Progress = Callable[[int], None]
Parsed = tuple[Documents, list[str]]


def index(
    documents: str | Path | Iterable[str | Path],
    path: str | Path | None = None,
    *,
    jobs: int = 1,
    text: bool = True,
    input_format: str | None = None,
    executor: Executor | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
    strict: bool = False,
) -> Documents:
    """Index files, folders, globs and archives at `path` (`.dox`, `.parquet` or `.jsonl`) or in memory.

    Documents that cannot be read are left out and reported in the result's `notices`, or are an error if the
    index is `strict`. `text=False` keeps only the trees. The work is done by `jobs` processes or by any
    `executor`, with the same result. The file appears under its name only when it is complete. `progress` is
    called with the number of documents indexed so far.
    """
    limits = limits or Limits()
    places = _places(documents)
    named = checked_format(input_format)
    if path is not None:
        _writer_for(Path(path))
    if path is None or not becomes_file(path):
        parsed = _spooled(Spool(), places, named, limits, text, jobs, executor, progress)
        _checked_strictly(parsed.notices, strict)
        if path is not None:
            write_documents(parsed, path)
        return parsed
    with _folder_beside(written_file(path)) as folder, Spool(folder) as spool:
        parsed = _spooled(spool, places, named, limits, text, jobs, executor, progress)
        _checked_strictly(parsed.notices, strict)
        write_documents(parsed, path)
        notices = parsed.notices
        del parsed
    opened = load_documents(path)
    opened.notices = notices
    return opened


def _places(documents: Any) -> list[str | Path]:
    """The paths of documents to index; an error for anything else."""
    places = list(documents) if is_several(documents) else [documents]
    for place in places:
        if not isinstance(place, str | Path) or place == "":
            found = "an empty text" if place == "" else type(place).__name__
            raise InputError(f"expected the path of a file or folder to index, or several, found {found}")
    return places


@reading_once()
def load_documents(data: Any, input_format: str | None = None) -> Documents:
    """Documents from an existing index, or from files, folders, globs, archives, dicts or frames."""
    if isinstance(data, Documents):
        return data
    if isinstance(data, bytes) or (isinstance(data, str | Path) and _is_nameless(data)):
        source = Source(data)
        return _joined_collection(Spool(), _parsed_blocks(line_entries(source), Limits()), source.name)
    if not isinstance(data, str | Path):
        rows = _rows_of(data)
        if isinstance(rows, list) and rows and all(isinstance(place, str | Path) for place in rows):
            return index(rows, input_format=input_format)
        return _documents_of_rows(rows)
    if is_git(data):
        return GitDocuments.of(str(data)).all()
    path = Path(data)
    if not input_format and (made_before := _opened_index(path)) is not None:
        return made_before
    return index(path if str(data) and path.exists() else data, input_format=input_format)


def _is_nameless(place: str | Path) -> bool:
    """Whether native documents come from standard input, or from a pipe without a known suffix."""
    is_pipe = is_input(place) and not lasts(place)
    return str(place) == "-" or (is_pipe and not Path(place).suffix)


def _rows_of(data: Any) -> Any:
    """A polars frame, or else a list: of documents as dicts, or of paths."""
    module = type(data).__module__.partition(".")[0]
    if module == "polars":
        return data.collect() if hasattr(data, "collect") else data
    if module == "pandas":
        return data.to_dict("records")
    if is_object(data):
        data = [data]
    if isinstance(data, Mapping):
        return (
            [data]
            if is_native(data) or is_docling(data)
            else [{"doc": str(name), "text": data[name]} for name in data]
        )
    if not is_several(data):
        raise InputError(
            "expected documents: a path or a list of paths, {name: text}, a list of dicts, a frame, or "
            "documents of LangChain, LlamaIndex, Haystack or Docling; "
            f"found {type(data).__name__}"
        )
    return records_of_objects(list(data))


def _opened_index(place: str | Path) -> Documents | None:
    """The collection in a `.dox` or Parquet file, or in a git repository; None for other files."""
    if is_git(place):
        return GitDocuments.of(str(place)).all()
    path = Path(place)
    if path.is_file() and is_dox(path):
        return open_dox(path)
    if is_input(path) and path.suffix.lower() == ".parquet":
        origin = path if lasts(path) else Source(path).read()
        return _documents_of_rows(parquet_frame(origin, str(path)), str(path))
    return None


def write_documents(documents: Any, path: str | Path) -> None:
    """Write documents to a `.dox`, `.parquet` or `.jsonl` file, which appears only when it is complete.

    `documents` are a table or anything :func:`doxeval.read_documents` takes.
    """
    writer = _writer_for(Path(path))
    collection = load_documents(documents)
    with atomic(path) as stream:
        writer(collection, stream)


def _checked_strictly(notices: Notices, strict: bool) -> None:
    if strict and notices.failures:
        raise InputError("; ".join(map(str, notices.failures)))


def _writer_for(target: Path) -> Callable[[Documents, IO[bytes]], None]:
    if target.suffix.lower() not in WRITERS:
        raise UsageError(f"{target}: expected a name ending in one of {', '.join(WRITERS)}")
    if not target.parent.is_dir():
        raise UsageError(f"{target}: there is no folder {str(target.parent)!r}")
    return WRITERS[target.suffix.lower()]


@contextmanager
def _folder_beside(target: Path) -> Iterator[Path]:
    """A temporary folder next to the target for unfinished files."""
    try:
        with temporary_folder(target) as folder:
            yield folder
    except OSError as problem:
        raise InputError(f"{problem.filename or target}: {problem.strerror or problem}") from None


def _spooled(
    spool: Spool,
    places: list[str | Path],
    format: str,
    limits: Limits,
    text: bool,
    jobs: int,
    executor: Executor | None,
    progress: Progress | None,
) -> Documents:
    opened = {place: _opened_index(place) for place in places}
    made_before = [
        (collection if text else replace(collection, text=None), [str(place)] * len(collection))
        for place, collection in opened.items()
        if collection is not None
    ]
    files = find_files([place for place in places if opened[place] is None], format, spool.notices)
    entries = entries_of(files, format, limits, spool.notices)
    source = ", ".join(map(str, places))
    blocks = _parsed_blocks(entries, limits, text, jobs, executor)
    return _joined_collection(spool, chain(made_before, blocks), source, progress)


def _joined_collection(
    spool: Spool, blocks: Iterable[Parsed], source: str, progress: Progress | None = None
) -> Documents:
    """Concatenate blocks into one collection; names of documents must be unique."""
    origin_of: dict[str, str] = {}
    with step("reading documents") as taken:
        for block, origins in blocks:
            for doc, origin in zip(block.ids, origins, strict=True):
                first = origin_of.setdefault(doc, origin)
                if first is not origin:
                    raise InputError(
                        f"two documents would have the name {doc!r}: {first} and {origin}; rename one of them"
                    )
            spool.append(block)
            taken.done = len(origin_of)
            if progress is not None:
                progress(taken.done)
    documents = spool.documents(source, Strings.of(origin_of.values()))
    if not len(documents):
        reasons = "".join(f"; {notice}" for notice in documents.notices)
        raise InputError(f"{source}: no document found{reasons}")
    return documents


def _parsed_blocks(
    entries: Iterable[Entry],
    limits: Limits,
    text: bool = True,
    jobs: int = 1,
    executor: Executor | None = None,
) -> Iterator[Parsed]:
    """The parsed blocks in order, a few computed ahead; a single one is parsed in this process."""
    blocks = _entry_blocks(entries)
    first = list(islice(blocks, 2))
    if len(first) < 2 or (executor is None and jobs <= 1):
        for block in chain(first, blocks):
            yield parse_block(block, limits, text)
        return
    from doxeval.core.worker_tasks import run_tasks
    from doxeval.core.workers import workers_for

    workers = workers_for((limits, text), jobs, executor)
    tasks = run_tasks(workers, _parse_with, chain(first, blocks), ordered=True, describe=_named_block)
    for _, parsed in tasks:
        yield parsed


def _parse_with(how: tuple[Limits, bool], entries: list[Entry]) -> Parsed:
    return parse_block(entries, *how)


def _named_block(entries: list[Entry]) -> str:
    """A block of entries, for a message."""
    return f"{entries[0].name} to {entries[-1].name}" if len(entries) > 1 else entries[0].name


def _entry_blocks(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Entries in groups large enough to be sent to another process."""
    block: list[Entry] = []
    size = 0
    for entry in entries:
        block.append(entry)
        size += entry.size if entry.data is None else len(entry.data)
        if size >= BLOCK_BYTES or len(block) >= BLOCK_ENTRIES:
            yield block
            block, size = [], 0
    if block:
        yield block


def parse_block(entries: list[Entry], limits: Limits, text: bool) -> Parsed:
    """The documents of some entries, and the file of each."""
    tags, notices = TagCodes(), Notices()
    trees = list[Tree]()
    for entry in entries:
        trees.extend(trees_of(entry, tags, limits, notices))
    return gather(trees, tags, notices, keep_text=text), [tree.origin for tree in trees]


def _documents_of_rows(rows: Any, source: str = "") -> Documents:
    """Documents from dicts or a frame in the native form."""
    name = source or "documents"
    with guard(name):
        if not isinstance(rows, list):
            rows = plain_frame(rows)
            if (documents := documents_of_frame(rows, source)) is not None:
                return documents
            rows = rows.to_dicts()
        tags, notices = TagCodes(), Notices()
        trees = list(parse_records(rows, name, tags, Limits(), notices))
        block = gather(trees, tags, notices)
        return _joined_collection(Spool(), [(block, [tree.origin for tree in trees])], name)
