"""Opening what a card, a lorebook or a chat log is read from.

Takes: a path, or bytes.  Gives: an open binary file and its length within the limits; anything but
an ordinary file is refused, since a pipe or a device may never end.
"""

from __future__ import annotations

import io
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from offbook.cards.limits import CardLimits
from offbook.errors import UnreadableCard

Source = Path | bytes


@contextmanager
def opened(source: Source, limits: CardLimits) -> Iterator[BinaryIO]:
    """The open file.

    Raises:
        UnreadableCard: it is missing, no ordinary file, empty, too large, or cannot be read.
    """
    if isinstance(source, bytes):
        _check_size(len(source), "the data", limits)
        yield io.BytesIO(source)
        return
    try:
        if not stat.S_ISREG(source.stat().st_mode):
            raise UnreadableCard(f"{str(source)!r} is no ordinary file", "name a file")
        _check_size(source.stat().st_size, repr(str(source)), limits)
        with source.open("rb") as file:
            yield file
    except FileNotFoundError as error:
        raise UnreadableCard(f"there is no file {str(source)!r}", "check the path") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UnreadableCard(
            f"{str(source)!r} cannot be read: {reason}", "check that you may read it"
        ) from error


def _check_size(size: int, what: str, limits: CardLimits) -> None:
    if size == 0:
        raise UnreadableCard(f"{what} is empty", "give a file with something in it")
    if size > limits.file_bytes:
        raise UnreadableCard(
            f"{what} is {size} bytes long, and file_bytes is {limits.file_bytes}",
            "if you trust it, raise CardLimits.file_bytes in Python",
        )


def stem_of(source: Source, file_name: str = "") -> str:
    """The name of a file without folder and ending; empty for bytes without a name."""
    name = file_name or ("" if isinstance(source, bytes) else source.name)
    return Path(name.replace("\\", "/").replace("\0", "")).stem


def read_whole(file: BinaryIO, most_bytes: int, what: str, limit: str) -> bytes:
    """The content of an open file from its beginning.

    Raises:
        UnreadableCard: it is longer than ``most_bytes``; ``limit`` is the name of that bound.
    """
    file.seek(0)
    data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise UnreadableCard(
            f"{what} is longer than {most_bytes} bytes ({limit})",
            f"if you trust it, raise CardLimits.{limit} in Python",
        )
    return data
