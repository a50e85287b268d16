"""Which files a command is about, before any is read; nothing is dropped in silence."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from offbook.documents.readers import is_readable, media_of, no_file
from offbook.errors import UnreadableDocument, UsageError


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A file to read, and the name of the document that it becomes."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class Collected:
    """Files to read, in order; those of unknown type; hidden ones and links to directories."""

    documents: tuple[FoundDocument, ...]
    unknown: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()


def collect(paths: Iterable[Path], name: str | None = None) -> Collected:
    """Find the files that ``paths`` name.

    A directory stands for the readable files below it, sorted, each named by its path below the
    directory. Files in it that are hidden or of unknown type are listed, not read.

    Args:
        paths: Files and directories.
        name: The name of the document, where it is a single file.

    Raises:
        UnreadableDocument: a path does not exist, or is a file of a type that cannot be read.
        UsageError: two files would have one name, or ``name`` is given with several files.
    """
    documents: list[FoundDocument] = []
    unknown: list[Path] = []
    hidden: list[Path] = []
    for path in paths:
        if path.is_dir():
            for file, is_hidden in _below(path):
                if is_hidden:
                    hidden.append(file)
                elif is_readable(file):
                    documents.append(FoundDocument(_name(file.relative_to(path)), file))
                else:
                    unknown.append(file)
        else:
            if not path.exists():
                raise no_file(path)
            media_of(path)
            documents.append(FoundDocument(_name(Path(path.name)), path))
    if name is not None:
        documents = [FoundDocument(name, _single(documents, name).path)]
    _check_names(documents)
    return Collected(tuple(documents), tuple(unknown), tuple(hidden))


def _below(directory: Path) -> Iterator[tuple[Path, bool]]:
    """Files below ``directory``, sorted, and whether they are passed over unread.

    What is hidden is given once and not entered; so are links to directories, which may lead back.
    """

    def refuse(error: OSError) -> None:
        raise UnreadableDocument(
            f"{error.filename!r} cannot be listed: {error.strerror}", "check that you may read it"
        ) from error

    entries: list[tuple[Path, bool]] = []
    for root, directories, files in os.walk(directory, onerror=refuse):
        entered = []
        for entry in directories:
            path = Path(root, entry)
            if entry.startswith(".") or path.is_symlink():
                entries.append((path, True))
            else:
                entered.append(entry)
        directories[:] = entered
        entries.extend((Path(root, entry), entry.startswith(".")) for entry in files)
    yield from sorted(entries, key=lambda item: item[0].relative_to(directory).as_posix())


def _name(relative: Path) -> str:
    """A document's name: a path with slashes, in NFC, without what UTF-8 cannot hold."""
    raw = relative.as_posix().encode("utf-8", "surrogateescape")
    return unicodedata.normalize("NFC", raw.decode("utf-8", "replace"))


def _single(documents: list[FoundDocument], name: str) -> FoundDocument:
    if len(documents) != 1:
        raise UsageError(
            f"the name {name!r} is for one document, but there are {len(documents)} files",
            "leave the name out, or give one file",
        )
    return documents[0]


def _check_names(documents: list[FoundDocument]) -> None:
    """Refuse two files of one name: the second would replace the first."""
    first: dict[str, Path] = {}
    for document in documents:
        if document.name in first:
            raise UsageError(
                f"two files have the name {document.name!r}: {str(first[document.name])!r} and "
                f"{str(document.path)!r}",
                "ingest the directory that holds both, or give one of them another name",
            )
        first[document.name] = document.path
