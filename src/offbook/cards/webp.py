"""The card in a WebP picture: text in the EXIF field UserComment, as early TavernAI wrote it.

Takes: an open file.  Gives: the bytes of the comment; read only, since nothing writes it any more.
Source: WebP container specification (RIFF), TIFF 6.0 section 2, EXIF 2.3 section 4.6.5.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import BinaryIO, Final

from offbook.cards.sources import CardLimits
from offbook.errors import UnreadableCard

_EXIF_DIRECTORY: Final = 0x8769
_USER_COMMENT: Final = 0x9286
_CODES: Final = (b"ASCII\0\0\0", b"UNICODE\0", b"JIS\0\0\0\0\0", b"\0" * 8)
_NUMBERS: Final = re.compile(rb"\d{1,3}(?:,\d{1,3})++\s*")


def is_webp(head: bytes) -> bool:
    """Whether a file that begins with ``head`` is a WebP picture."""
    return head[:4] == b"RIFF" and head[8:12] == b"WEBP"


def user_comment(file: BinaryIO, limits: CardLimits) -> bytes | None:
    """The user comment of an open WebP file, or None where it has none.

    Raises:
        UnreadableCard: it is beyond the limits, or its EXIF block is damaged.
    """
    for kind, start, length in _riff_chunks(file, limits):
        if kind != b"EXIF":
            continue
        if length > limits.chunk_bytes:
            raise UnreadableCard(
                f"the EXIF block is {length} bytes long, and chunk_bytes is {limits.chunk_bytes}",
                "no card is that long; in Python CardLimits.chunk_bytes can be raised",
            )
        file.seek(start)
        try:
            comment = _comment(file.read(length).removeprefix(b"Exif\0\0"))
        except struct.error as error:
            raise UnreadableCard("the EXIF block is cut off", "take the original") from error
        if comment is not None:
            return _plain(comment)
    return None


def _riff_chunks(file: BinaryIO, limits: CardLimits) -> Iterator[tuple[bytes, int, int]]:
    offset = 12
    for _ in range(limits.chunks):
        file.seek(offset)
        head = file.read(8)
        if len(head) < 8:
            return
        kind, length = struct.unpack("<4sI", head)
        yield kind, offset + 8, length
        offset += 8 + length + length % 2


def _comment(tiff: bytes) -> bytes | None:
    order = {b"II": "<", b"MM": ">"}.get(tiff[:2])
    if order is None:
        return None
    (first,) = struct.unpack_from(f"{order}I", tiff, 4)
    inner = _entry(tiff, order, first, _EXIF_DIRECTORY)
    for directory in (inner and inner[1], first):
        value = _entry(tiff, order, directory, _USER_COMMENT) if directory else None
        if value is not None:
            length, offset = value
            return tiff[offset : offset + length]
    return None


def _entry(tiff: bytes, order: str, directory: int, tag: int) -> tuple[int, int] | None:
    """Count and value (or place of the value) of a tag in a directory."""
    (entries,) = struct.unpack_from(f"{order}H", tiff, directory)
    for number in range(entries):
        found_tag, _, count, value = struct.unpack_from(
            f"{order}HHII", tiff, directory + 2 + 12 * number
        )
        if found_tag == tag:
            return count, value
    return None


def _plain(comment: bytes) -> bytes:
    """The comment without its character code; some old writers kept a list of numbers instead."""
    for code in _CODES:
        comment = comment.removeprefix(code)
    if _NUMBERS.fullmatch(comment):
        return bytes(min(int(number), 255) for number in comment.split(b","))
    return comment.rstrip(b"\0")
