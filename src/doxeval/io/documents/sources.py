"""Sources of documents: files, folders, globs, zip and tar archives.

A document is named by its path relative to the folder, glob or archive it was found in, without its suffix;
source code, and any other file that holds text, keeps its suffix. In a git repository every file is source.
Files that git ignores, that are marked as generated, or are binary are left out and counted. Nothing in an
archive is ever written to disk; members that try to escape, to link elsewhere or to unpack to more than is
allowed are reported by name and skipped.
"""

from __future__ import annotations

import glob
import lzma
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from tarfile import EOFHeaderError, HeaderError, ReadError  # type: ignore[attr-defined]
from typing import IO, Self

from doxeval.core.catalogue import DOCUMENT_SUFFIXES
from doxeval.core.errors import InputError, no_such_file
from doxeval.core.notices import Notices
from doxeval.io.documents.gitfiles import ATTRIBUTES, HEAD_BYTES, IGNORE, Patterns, is_binary
from doxeval.io.documents.parser import CODE_SUFFIXES, JSON_LINES, SOURCE
from doxeval.io.documents.parsing import Entry
from doxeval.io.inputs import is_input, open_input, unpacked
from doxeval.io.limits import UNSUSPICIOUS_SIZE, Limits
from doxeval.io.source import COMPRESSED_SUFFIXES, Source

TAR_SUFFIXES = (
    ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".tzst",
)  # fmt: skip
TAR_HEADERS = (
    tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK,
)  # fmt: skip
LINE_BLOCK = 8 << 20
DAMAGE = (zlib.error, lzma.LZMAError, struct.error, ValueError, OverflowError, RuntimeError)
ANNOTATIONS = ".ann"
ANNOTATING = (
    "{count} {file|files} left out: {it annotates the text beside it|they annotate the texts beside them}"
)
BINARY = "{count} binary {file|files} left out"
IGNORED = "{count} {file or folder|files and folders} left out: .gitignore excludes {it|them}"
MARKED = "{count} {file|files} left out: .gitattributes marks {it|them} as generated"
UNSAFE = (
    "{count} archive {member refused: its path leads|members refused: their paths lead} outside the archive"
)
LINKED = (
    "{count} archive {member|members} refused: {it is a link or device|they are links or devices}, not "
    "{a file|files}"
)
BOMB = "{count} archive {member refused: it unpacks|members refused: they unpack} to more than is allowed"
NOT_FILES = (
    "{count} {file or folder|files and folders} skipped: {it|they} cannot be read, or {is a pipe or broken "
    "link|are pipes or broken links}"
)
LINKED_FOLDERS = (
    "{count} {link to a folder|links to folders} not followed; name {this folder to read it|these folders "
    "to read them}"
)
DAMAGED_MEMBERS = "{count} archive {member|members} refused: damaged or unreadable"


@dataclass(frozen=True)
class FoundFile:
    """A file on disk with its size, the id of its document, the format of its suffix, and its path."""

    path: Path
    size: int
    doc: str
    format: str
    relative: str = ""

    @property
    def is_archive(self) -> bool:
        """Whether it holds documents as members."""
        return is_archive(self.path.name)


def name_and_format(relative: str) -> tuple[str, str]:
    """The id and format of a document, from the name of its file.

    >>> name_and_format("a/b.xml.gz"), name_and_format("a.b/README")
    (('a/b', 'xml'), ('a.b/README', ''))
    """
    name, suffix = os.path.splitext(relative)  # noqa: PTH122 - several times faster than a Path
    if suffix.lower() in COMPRESSED_SUFFIXES:
        name, suffix = os.path.splitext(name)  # noqa: PTH122
    return name, DOCUMENT_SUFFIXES.get(suffix.lower(), "")


def source_name(relative: str) -> tuple[str, str]:
    """The id and format of a source file: its path, and its language if that has trees.

    >>> source_name("src/a.py"), source_name("setup.cfg")
    (('src/a.py', 'python'), ('setup.cfg', 'source'))
    """
    return relative, CODE_SUFFIXES.get(os.path.splitext(relative)[1].lower(), SOURCE)  # noqa: PTH122


def document_name(relative: str, format: str) -> tuple[str, str]:
    """The id and format of a file in a folder or archive, if it is read in `format`, or as its suffix
    says."""
    if format == SOURCE:
        return source_name(relative)
    name, known = name_and_format(relative)
    return (name, known) if known or format or is_archive(relative) else source_name(relative)


def is_archive(name: str) -> bool:
    """Whether a file holds documents as members."""
    return name.lower().endswith((*TAR_SUFFIXES, ".zip"))


def find_files(places: Iterable[str | Path], format: str, notices: Notices) -> list[FoundFile]:
    """The files at the places named; those in folders and of globs are sorted by name."""
    found: list[FoundFile] = []
    from doxeval.io.formats.beir import file_of_folder

    for place in places:
        path = Path(place)
        if path.is_dir():
            path = file_of_folder(path, "documents") or path
        if is_input(path):
            found.append(FoundFile(path, path.stat().st_size, *name_and_format(path.name)))
            continue
        inside = (
            _files_below(path, format, notices)
            if path.is_dir()
            else _files_matching(str(place), format, notices)
        )
        found.extend(_with_distinct_names(_without_annotations(inside, notices)))
    return found


def _without_annotations(files: list[FoundFile], notices: Notices) -> list[FoundFile]:
    """The files without those that annotate a text beside them, as brat's do."""
    paths = {file.path for file in files}
    annotating = {path for path in paths if path.suffix == ANNOTATIONS and path.with_suffix(".txt") in paths}
    notices.add_each(ANNOTATING, sorted(annotating), harmless=True)
    return [file for file in files if file.path not in annotating]


def _with_distinct_names(files: list[FoundFile]) -> list[FoundFile]:
    """The files, with their suffixes where their names would be the same without."""
    several = Counter(file.doc for file in files)
    return [
        replace(file, doc=file.relative) if several[file.doc] > 1 and not file.is_archive else file
        for file in files
    ]


def _files_below(folder: Path, format: str, notices: Notices) -> list[FoundFile]:
    """Every file in a folder and below, without hidden ones, sorted by path."""
    names: list[str] = []
    ignored, generated = Patterns(), Patterns()
    inside = len(str(folder)) + 1
    for at, folders, files in _walk(folder, notices):
        here = at[inside:].replace(os.sep, "/")
        for name, add in ((IGNORE, ignored.add_ignored), (ATTRIBUTES, generated.add_attributes)):
            if name in files:
                add(here, (Path(at) / name).read_text(errors="replace"))
        prefix = f"{here}/" if here else ""
        left_out = [name for name in folders if ignored.rules and ignored.of(prefix + name, folder=True)]
        folders[:] = [name for name in folders if name not in left_out]
        shown = [name for name in files if not name.startswith(".")]
        left_out += [name for name in shown if ignored.rules and ignored.of(prefix + name)]
        marked = [name for name in shown if generated.rules and generated.of(prefix + name)]
        notices.add_each(IGNORED, left_out, lambda name: os.path.join(at, name), harmless=True)  # noqa: B023, PTH118
        notices.add_each(MARKED, marked, lambda name: os.path.join(at, name), harmless=True)  # noqa: B023, PTH118
        gone = {*left_out, *marked}
        names.extend(os.path.join(at, name) for name in shown if name not in gone)  # noqa: PTH118
        for name in folders:
            if os.path.islink(linked := os.path.join(at, name)):  # noqa: PTH114, PTH118
                notices.add(LINKED_FOLDERS, linked)
    is_repository = (folder / ".git").exists()
    return _files_found(names, folder, SOURCE if is_repository and not format else format, notices)


def _walk(folder: Path, notices: Notices) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walk a folder, without hidden folders; folders that cannot be read are reported."""
    told = lambda problem: notices.add(NOT_FILES, f"{problem.filename}: {problem.strerror}")  # noqa: E731
    for at, folders, files in os.walk(folder, onerror=told):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield at, folders, files


def _files_matching(pattern: str, format: str, notices: Notices) -> list[FoundFile]:
    """The files that match a glob, named relative to its last folder before a wildcard."""
    if not glob.has_magic(pattern):
        raise InputError(no_such_file(pattern, "file or folder"))
    folder = Path(*_leading(Path(pattern).parts))
    found = _files_found(glob.iglob(pattern, recursive=True), folder, format, notices)  # noqa: PTH207
    if glob.has_magic(str(Path(pattern).parent)):
        deque(_walk(folder, notices), maxlen=0)
    if not found:
        raise InputError(f"{pattern}: no file matches this pattern")
    return found


def _files_found(names: Iterable[str], folder: Path, format: str, notices: Notices) -> list[FoundFile]:
    """The files among these names; anything that is neither file nor folder is reported."""
    found = []
    inside = len(str(folder)) + 1 if folder.name else len(str(folder)) * bool(folder.parts)
    for name in sorted(names):
        try:
            state = os.stat(name)  # noqa: PTH116 - several times faster than a Path
        except (OSError, ValueError):
            notices.add(NOT_FILES, name)
            continue
        if stat.S_ISREG(state.st_mode):
            path = Path(name)
            relative = str(path)[inside:].replace(os.sep, "/")
            found.append(FoundFile(path, state.st_size, *document_name(relative, format), relative))
        elif not stat.S_ISDIR(state.st_mode):
            notices.add(NOT_FILES, name)
    return found


def _leading(parts: tuple[str, ...]) -> Iterator[str]:
    for part in parts:
        if glob.has_magic(part):
            return
        yield part


def entries_of(files: Iterable[FoundFile], format: str, limits: Limits, notices: Notices) -> Iterator[Entry]:
    """The entries to parse, in order; a file of documents in lines is split into pieces."""
    for file in files:
        if file.is_archive:
            yield from _archive_entries(file.path, format, limits, notices)
            continue
        wanted = file.format if format == SOURCE else format or file.format
        if wanted == JSON_LINES:
            yield from line_entries(Source(file.path))
        elif wanted == SOURCE and _begins_binary(file.path):
            notices.add(BINARY, str(file.path), harmless=True)
        else:
            yield Entry(str(file.path), file.doc, wanted, path=file.path, size=file.size)


def _begins_binary(path: Path) -> bool:
    """Whether a file is binary, by its beginning; one that is compressed is not looked into."""
    if path.suffix.lower() in COMPRESSED_SUFFIXES:
        return False
    with open_input(path) as stream:
        return is_binary(stream.read(HEAD_BYTES))


def line_entries(source: Source) -> Iterator[Entry]:
    """A file of native documents in pieces of whole lines."""
    line = 1
    with source:
        for block in source.blocks(LINE_BLOCK):
            yield Entry(source.name, "", JSON_LINES, data=block, line=line)
            line += block.count(b"\n")


def _archive_entries(path: Path, format: str, limits: Limits, notices: Notices) -> Iterator[Entry]:
    """The members of an archive; if it is damaged, those before the damage."""
    from zstandard import ZstdError

    read = _zip_members if path.suffix.lower() == ".zip" else _tar_members
    try:
        for member, data in read(path, limits, notices):
            doc, known = document_name(str(PurePosixPath(member)), format)
            wanted = known if format == SOURCE else format or known
            if wanted in (SOURCE, "") and is_binary(data):
                notices.add(BINARY, f"{path}!{member}", harmless=True)
            else:
                yield Entry(f"{path}!{member}", doc, wanted, data=data)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, OSError, *DAMAGE, ZstdError) as problem:
        notices.add(
            "{count} {archive|archives} damaged; members before the damage were read", f"{path}: {problem}"
        )


@dataclass
class _ArchiveGuard:
    """Checks the members of an archive against the limits."""

    path: Path
    limits: Limits
    notices: Notices
    unpacked: int = 0

    def refuse(self, message: str, member: str, reason: str = "") -> bool:
        """Add a notice about a member that is skipped; returns False."""
        self.notices.add(message, f"{self.path}!{member}{': ' if reason else ''}{reason}")
        return False

    def admits(self, member: str, size: int, packed: int) -> bool:
        """Whether a member may be read: its name, its size, its ratio."""
        parts = PurePosixPath(member.replace("\\", "/")).parts
        if not parts or ".." in parts or parts[0].startswith("/") or parts[0].endswith(":"):
            return self.refuse(UNSAFE, member)
        limits = self.limits
        if size > limits.document_size:
            told = f"{size:,} bytes, more than {limits.document_size:,} (--max-document-size)"
            return self.refuse(BOMB, member, told)
        if size > UNSUSPICIOUS_SIZE and size > packed * limits.archive_ratio:
            times = f"{size // max(1, packed):,} times its packed size"
            told = f"{times}, more than {limits.archive_ratio:,} (--max-archive-ratio)"
            return self.refuse(BOMB, member, told)
        self.unpacked += size
        if self.unpacked > limits.archive_size:
            told = f"the archive unpacks to more than {limits.archive_size:,} bytes (--max-archive-size)"
            return self.refuse(BOMB, member, told)
        return True


def _is_hidden(member: str) -> bool:
    return any(part.startswith(".") and part not in (".", "..") for part in PurePosixPath(member).parts)


def _zip_members(path: Path, limits: Limits, notices: Notices) -> Iterator[tuple[str, bytes]]:
    guard = _ArchiveGuard(path, limits, notices)
    with open_input(path) as packed, zipfile.ZipFile(packed) as archive:
        _check_count(archive, packed)
        for member in sorted(archive.infolist(), key=lambda member: member.filename):
            if not member.filename:
                continue
            if member.is_dir() or _is_hidden(member.filename):
                _check_header(archive, member, guard)
                continue
            if (member.external_attr >> 16) & 0o170000 == 0o120000:
                guard.refuse(LINKED, member.filename)
                continue
            if not guard.admits(member.filename, member.file_size, member.compress_size):
                continue
            try:
                with archive.open(member) as stream:
                    data = stream.read(member.file_size + 1)
            except (zipfile.BadZipFile, EOFError, RuntimeError, *DAMAGE) as problem:
                guard.refuse(DAMAGED_MEMBERS, member.filename, str(problem))
                continue
            yield member.filename, data


def _check_count(archive: zipfile.ZipFile, packed: IO[bytes]) -> None:
    """Raise an error if the directory of an archive does not list as many members as its end states.

    The last record of a zip file has 22 bytes and a comment; one of more than 65,534 members says so 76 bytes
    before it (APPNOTE.TXT, 4.3.14 to 4.3.16).
    """
    end = packed.seek(-22 - len(archive.comment), os.SEEK_END)
    (told,) = struct.unpack("<10xH10x", packed.read(22))
    if told == 0xFFFF:
        packed.seek(end - 76)
        (told,) = struct.unpack("<32xQ16x", packed.read(56))
    if told != len(archive.infolist()):
        raise zipfile.BadZipFile(f"{len(archive.infolist()):,} members are listed, expected {told:,}")


def _check_header(archive: zipfile.ZipFile, member: zipfile.ZipInfo, guard: _ArchiveGuard) -> None:
    """Add a notice if a member skipped for its name was packed under another name."""
    try:
        archive.open(member).close()
    except (zipfile.BadZipFile, EOFError, RuntimeError, *DAMAGE) as problem:
        guard.refuse(DAMAGED_MEMBERS, member.filename, str(problem))


def _tar_members(path: Path, limits: Limits, notices: Notices) -> Iterator[tuple[str, bytes]]:
    guard = _ArchiveGuard(path, limits, notices)
    packed = path.stat().st_size
    with _opened_tar(path, limits) as (archive, unpacking):
        for member in archive:
            if member.isdir() or _is_hidden(member.name):
                continue
            if not member.isfile():
                guard.refuse(LINKED, member.name)
                continue
            if guard.admits(member.name, member.size, packed):
                stream = archive.extractfile(member)
                assert stream is not None
                yield member.name, stream.read()
            elif guard.unpacked > limits.archive_size:
                return
        _check_rest(unpacking, limits.archive_size - guard.unpacked)


class _Member(tarfile.TarInfo):
    """A member with an intact header; the library mistakes a damaged one, or a missing end, for the end."""

    @classmethod
    def fromtarfile(cls, tarfile: tarfile.TarFile) -> Self:
        """The next member."""
        try:
            return super().fromtarfile(tarfile)
        except EOFHeaderError:
            raise
        except HeaderError as problem:
            raise ReadError(f"{problem} at byte {tarfile.offset:,}") from None


def _member_within(most: int) -> type[tarfile.TarInfo]:
    """A class of tar members whose headers, which tarfile reads whole, have at most `most` bytes."""

    class Member(_Member):
        def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
            if self.type in TAR_HEADERS and self.size > most:
                raise tarfile.ReadError(
                    f"a member's header has {self.size:,} bytes, more than {most:,} (--max-header-size)"
                )
            return super()._proc_member(archive)  # type: ignore[misc]

    return Member


@contextmanager
def _opened_tar(path: Path, limits: Limits) -> Iterator[tuple[tarfile.TarFile, IO[bytes]]]:
    """A tar file, and the stream that it is unpacked from as it is read."""
    with (
        open_input(path) as packed,
        closing(unpacked(packed)) as stream,
        tarfile.open(fileobj=stream, mode="r|", tarinfo=_member_within(limits.header_size)) as archive,
    ):
        yield archive, stream


def _check_rest(unpacking: IO[bytes], limit: int) -> None:
    """Read to the very end, where compressed data has its checksum; only zeros are allowed."""
    while rest := unpacking.read(LINE_BLOCK):
        limit -= len(rest)
        if rest.strip(b"\0") or limit < 0:
            raise ReadError("more follows after the last member")
