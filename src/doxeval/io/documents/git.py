"""Files of git repositories at a commit: ``git:PATH@REVISION``; nothing is checked out.

PATH is a work tree, a bare repository, or a folder of clones. Without a revision, a topic names its own: its
attribute `base_commit`, in the repository of its attribute `repo`. Then the same path in two commits is two
documents, named ``repo@commit:path``, and only files that are asked for are read.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from doxeval.core.catalogue import Catalogue
from doxeval.core.errors import InputError
from doxeval.core.notices import Notices
from doxeval.core.strings import Strings
from doxeval.io.documents.gitfiles import ATTRIBUTES, SCHEME, Patterns, is_binary
from doxeval.io.documents.parser import files_of_module
from doxeval.io.documents.parsing import Entry, trees_of
from doxeval.io.documents.sources import BINARY, MARKED, source_name
from doxeval.io.documents.tree import TagCodes, Tree, gather
from doxeval.io.limits import Limits
from doxeval.tables.documents import Documents

FULL_NAME, SHORT = re.compile(r"[0-9a-f]{40}"), 12
"""The full name of a commit, and how many of its digits stand in the names of documents."""
FILE_MODES = ("100644", "100755", "100664")


@dataclass
class Commit:
    """The files of a repository at a revision, read when they are asked for."""

    repository: str
    revision: str
    _reader: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """The state for workers, without the running program."""
        return {"repository": self.repository, "revision": self.revision, "_reader": None}

    def _git(self, *arguments: str) -> bytes:
        try:
            done = subprocess.run(
                ["git", "-C", self.repository, *arguments],
                capture_output=True,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except FileNotFoundError:
            raise InputError(f"{SCHEME}{self.repository}: the program git is not installed") from None
        if done.returncode:
            told = done.stderr.decode(errors="replace").strip().splitlines() or ["no such revision"]
            raise InputError(f"{SCHEME}{self.repository}@{self.revision}: git {arguments[0]}: {told[0]}")
        return done.stdout

    @cached_property
    def commit(self) -> str:
        """The full name of the commit."""
        found = self._git(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{self.revision}^{{commit}}"
        )
        return found.decode().strip()

    @cached_property
    def files(self) -> dict[str, str]:
        """The object of every file, by its path; links and submodules are no files."""
        found = {}
        for row in self._git("ls-tree", "-r", "-z", "--full-tree", self.commit).split(b"\0"):
            told, _, path = row.partition(b"\t")
            mode, _, name = told.decode().partition(" ")
            if mode in FILE_MODES:
                found[path.decode("utf-8", "replace")] = name.partition(" ")[2]
        return found

    @cached_property
    def generated(self) -> Patterns:
        """The patterns that mark files as generated."""
        patterns = Patterns()
        for path in sorted(self.files):
            if path == ATTRIBUTES or path.endswith(f"/{ATTRIBUTES}"):
                folder = path.removesuffix(ATTRIBUTES).rstrip("/")
                patterns.add_attributes(folder, (self.read(path) or b"").decode(errors="replace"))
        return patterns

    def read(self, path: str) -> bytes | None:
        """The bytes of a file; None if the commit has no file of that path."""
        if "\n" in path:
            return None
        if self._reader is None or self._reader.poll() is not None:
            self._reader = subprocess.Popen(
                ["git", "-C", self.repository, "cat-file", "--batch"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        stdin, stdout = self._reader.stdin, self._reader.stdout
        assert stdin is not None and stdout is not None
        stdin.write(f"{self.commit}:{path}\n".encode("utf-8", "surrogateescape"))
        stdin.flush()
        header = stdout.readline().split()
        if len(header) != 3 or header[1] == b"missing":
            return None
        data = stdout.read(int(header[2]) + 1)[:-1]
        return data if header[1] == b"blob" else None

    def close(self) -> None:
        """End the program that reads files."""
        if self._reader is not None and self._reader.stdin is not None and self._reader.stdout is not None:
            self._reader.stdin.close()
            self._reader.stdout.close()
            self._reader.wait()
            self._reader = None

    def path_of(self, name: str) -> str | None:
        """The file that a name means: its path, or any other clear way to write it."""
        plain = name.replace("\\", "/").removeprefix("./")
        if self.read(plain) is not None:
            return plain
        found = self._catalogue.find([name]).codes[0]
        return self._catalogue.names[found] if found >= 0 else None

    @cached_property
    def _catalogue(self) -> Catalogue:
        return Catalogue(list(self.files))


@dataclass
class GitDocuments:
    """The documents of one commit, or of the commits that topics name, read when they are asked for."""

    place: str
    path: str
    revision: str | None
    topics: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    _commits: dict[str, Commit] = field(default_factory=dict, repr=False)
    _trees: dict[str, Tree | None] = field(default_factory=dict, repr=False)
    _tags: TagCodes = field(default_factory=TagCodes, repr=False)
    _names: dict[tuple[str, str], str] = field(default_factory=dict, repr=False)
    notices: Notices = field(default_factory=Notices, repr=False)

    @classmethod
    def of(cls, place: str) -> GitDocuments:
        """The documents that a text such as ``git:PATH@REVISION`` names."""
        path, at, revision = place.removeprefix(SCHEME).rpartition("@")
        if not at:
            path, revision = revision, ""
        if not Path(path).is_dir():
            raise InputError(f"{place}: no such folder: {path!r}; expected git:PATH@REVISION")
        return cls(place, path, revision or None)

    def __getstate__(self) -> dict[str, Any]:
        """The state for workers, which read no files."""
        return vars(self) | {"_trees": {}, "_commits": {}}

    def name_in(self, topic: str, doc: str) -> str:
        """The name of the document that a name means in a topic."""
        if (topic, doc) not in self._names:
            prefix = self._prefix(topic)
            path = self._commit(prefix).path_of(doc) if prefix is not None else None
            known = path if path is not None else doc
            self._names[topic, doc] = f"{prefix}:{known}" if prefix and self.revision is None else known
        return self._names[topic, doc]

    def _prefix(self, topic: str) -> str | None:
        """The repository and the commit of a topic; None if it names none."""
        if self.revision is not None:
            return ""
        told = self.topics.get(topic, {})
        commit, repo = told.get("base_commit") or told.get("commit"), told.get("repo", "")
        if commit is None:
            raise InputError(
                f"{self.place}: topic {topic!r} names no commit; give git:PATH@REVISION, or topics with the "
                "attributes repo and base_commit, as SWE-bench rows have"
            )
        return f"{repo}@{commit[:SHORT] if FULL_NAME.fullmatch(commit) else commit}"

    def _commit(self, prefix: str) -> Commit:
        if prefix not in self._commits:
            repo, _, commit = prefix.rpartition("@")
            path = self.path if self.revision is not None else self._clone(repo)
            self._commits[prefix] = Commit(path, self.revision or commit)
        return self._commits[prefix]

    def _clone(self, repo: str) -> str:
        """The folder of a repository, however the clone was called."""
        flat = repo.replace("/", "__")
        names = [name for name in (repo, flat, repo.rpartition("/")[2]) if name]
        for name in [*names, *(f"{name}.git" for name in names)]:
            if _is_repository(Path(self.path) / name):
                return str(Path(self.path) / name)
        if _is_repository(Path(self.path)):
            return self.path
        raise InputError(f"{self.place}: no clone of {repo!r}; expected {', '.join(names)} in {self.path!r}")

    def documents(self, names: Iterable[str]) -> Documents:
        """The documents with these names, as :meth:`name_in` gives them; those that do not exist are left
        out."""
        wanted = list(dict.fromkeys(names))
        for name in wanted:
            if self._tree_named(name) is None:
                modules = (file for file, _ in files_of_module(name))
                wanted += [file for file in dict.fromkeys(modules) if self._exists(file)]
        wanted = list(dict.fromkeys(wanted))
        for commit in self._commits.values():
            commit.close()
        trees = [tree for name in wanted if (tree := self._tree_named(name)) is not None]
        found = gather(trees, self._tags, Notices(self.notices))
        found.source, found.files = self.place, Strings.of(tree.origin for tree in trees)
        return found

    def all(self) -> Documents:
        """Every document of the one commit."""
        if self.revision is None:
            raise InputError(f"{self.place}: expected a revision, as in {self.place}@HEAD")
        return self.documents(self._commit("").files)

    def _place(self, name: str) -> tuple[str, str]:
        """The repository with its commit, and the path, in the name of a document."""
        if self.revision is not None:
            return "", name
        prefix, _, path = name.partition(":")
        return prefix, path

    def _exists(self, name: str) -> bool:
        prefix, path = self._place(name)
        return bool(path) and path in self._commit(prefix).files

    def _tree_named(self, name: str) -> Tree | None:
        if name not in self._trees:
            prefix, path = self._place(name)
            self._trees[name] = self._tree(prefix, path, name) if path else None
        return self._trees[name]

    def _tree(self, prefix: str, path: str, name: str) -> Tree | None:
        """The tree of a file; None if there is no such file, or it is left out."""
        commit = self._commit(prefix)
        data = commit.read(path)
        if data is None:
            return None
        where = f"{self.place}!{name}"
        if is_binary(data):
            self.notices.add(BINARY, where, harmless=True)
            return None
        if commit.generated.rules and commit.generated.of(path):
            self.notices.add(MARKED, where, harmless=True)
            return None
        entry = Entry(where, name, source_name(path)[1], data=data)
        return next(trees_of(entry, self._tags, self.limits, self.notices), None)


def _is_repository(path: Path) -> bool:
    return (path / ".git").exists() or ((path / "HEAD").is_file() and (path / "objects").is_dir())
