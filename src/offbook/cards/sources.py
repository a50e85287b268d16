"""Opening what a card, a lorebook or a chat log is read from.

Takes: a path, or bytes.  Gives: an open binary file and its length within the limits; anything but
an ordinary file is refused, since a pipe or a device may never end.
"""

from __future__ import annotations

import io
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from offbook.errors import UnreadableCard

_MIB: Final = 1024 * 1024
Source = Path | bytes


@dataclass(frozen=True, slots=True)
class CardLimits:
    """Bounds against bombs; beyond one of them a file is refused, with the bound's name.

    Attributes:
        file_bytes: Length of the file. Pictures and assets are passed over without being read.
        chunks: PNG chunks, or RIFF chunks of a WebP picture.
        chunk_bytes: Length of a PNG chunk that holds a card, as it lies in the file.
        card_bytes: Length of the JSON, after inflating and decoding.
        chat_bytes: Length of a chat log.
        asset_bytes: Length of one asset, inflated.
        zip_members: Files in a CHARX.
        zip_directory_bytes: Length of the table of contents of a CHARX.
        zip_ratio: How many times its packed length a member may have.
        card_chunks: Chunks of one keyword in which a card is looked for.
        entries: Entries of a lorebook.
        messages: Messages of a chat log.
        depth: Brackets within brackets in JSON.
        values: Numbers, texts and brackets in JSON, roughly counted.
        chat_values: The same for a chat log, all its lines together.
        mend_chars: JSON longer than this is not mended beyond control characters.
        repair_chars: JSON longer than this is not repaired beyond commas and control characters,
            which takes time that grows faster than the text.
        yaml_bytes: Length of a YAML card.
        findings: Warnings that are kept; more are counted.
    """

    file_bytes: int = 512 * _MIB
    chunks: int = 50_000
    chunk_bytes: int = 12 * _MIB
    card_bytes: int = 8 * _MIB
    chat_bytes: int = 32 * _MIB
    asset_bytes: int = 64 * _MIB
    zip_members: int = 5_000
    zip_directory_bytes: int = 4 * _MIB
    zip_ratio: int = 200
    card_chunks: int = 4
    entries: int = 20_000
    messages: int = 200_000
    depth: int = 100
    values: int = 500_000
    chat_values: int = 1_500_000
    mend_chars: int = 2_000_000
    repair_chars: int = 64_000
    yaml_bytes: int = _MIB // 2
    findings: int = 500


DEFAULT_LIMITS: Final = CardLimits()


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
