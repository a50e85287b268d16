"""Where the files of a dataset lie below the path that a person named.

Takes: a folder or file, and the places where a layout has its files.  Gives: the first that is
there, or an error that lists the places.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from offbook.errors import UnreadableDocument, UsageError


def needed(path: Path | None, dataset: str, what: str) -> Path:
    """The path, expanded, once it is sure that it is there.

    Raises:
        UsageError: none was named.
        UnreadableDocument: there is nothing.
    """
    if path is None:
        raise UsageError(
            f"the dataset {dataset!r} is read from a folder or file, and none was named",
            f"give the path of {what}; docs/datasets.md says where to get it",
        )
    path = path.expanduser()
    if not path.exists():
        raise UnreadableDocument(
            f"there is nothing at {str(path)!r}", f"give the path of {what}; check the spelling"
        )
    return path


def first(path: Path, places: Iterable[str]) -> Path | None:
    """The first of ``places`` below ``path`` (a glob each) that is there; ``path`` if it fits."""
    for place in places:
        if path.is_file():
            if path.match(place):
                return path
        elif "*" not in place:
            if (path / place).exists():
                return path / place
        else:
            for found in sorted(path.glob(place)):
                return found
    return None


def required(path: Path, places: Sequence[str], what: str) -> Path:
    """As `first`.

    Raises:
        UnreadableDocument: none is there; the hint lists the places.
    """
    found = first(path, places)
    if found is None:
        raise UnreadableDocument(
            f"{str(path)!r} holds no {what}", f"looked for: {', '.join(places)}"
        )
    return found


def chosen(value: str, known: Sequence[str], option: str) -> str:
    """The option's value, once it is sure that it is one of ``known``.

    Raises:
        UsageError: it is not.
    """
    for each in known:
        if each.casefold() == value.strip().casefold():
            return each
    raise UsageError(f"{option} is {value!r}", f"known: {', '.join(known)}")
