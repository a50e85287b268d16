"""CHARX: a zip with ``card.json`` and assets, alone or behind a JPEG picture.

Takes: an open file, or a card and assets.  Gives: the JSON and the list of assets, or the bytes of
a CHARX. Nothing is unpacked to disk. Source: Character Card V3 specification, "CHARX".
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, Final, cast

from offbook.cards.findings import Findings
from offbook.cards.sources import CardLimits
from offbook.errors import UnreadableCard

CARD: Final = "card.json"
_ENCRYPTED: Final = 0x1
_RATIO_FROM_BYTES: Final = 1 << 20
"""Shorter members compress to next to nothing; they are harmless."""
_STEP_BYTES: Final = 65_536
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
_DAMAGED: Final = (
    zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, struct.error, EOFError,
    OSError, ValueError, KeyError, IndexError, OverflowError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Member:
    """A file in a CHARX, and its length inflated as the zip states it."""

    name: str
    size: int


class _Bounded(io.RawIOBase):
    """An open file that hands out no more at once than a table of contents may have."""

    def __init__(self, file: BinaryIO, most_bytes: int) -> None:
        self._file = file
        self._most = most_bytes

    def read(self, size: int = -1, /) -> bytes:
        data = self._file.read(size if 0 <= size <= self._most else self._most + 1)
        if len(data) > self._most:
            raise UnreadableCard(
                f"the table of contents of the zip is longer than {self._most} bytes",
                "it is a bomb, or no card; in Python CardLimits.zip_directory_bytes can be raised",
            )
        return data

    def seek(self, position: int, whence: int = 0, /) -> int:
        return self._file.seek(position, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True


@contextmanager
def _opened(file: BinaryIO, limits: CardLimits) -> Iterator[zipfile.ZipFile]:
    with _damage_told():
        archive = zipfile.ZipFile(cast(BinaryIO, _Bounded(file, limits.zip_directory_bytes)))
    with archive:
        yield archive


@contextmanager
def _damage_told() -> Iterator[None]:
    """What a library says of a damaged zip, said as we say it."""
    try:
        yield
    except UnreadableCard:
        raise
    except _DAMAGED as error:
        raise UnreadableCard(
            f"the zip is damaged, or of a kind that is not read: {error}", "take the original file"
        ) from error


def read_charx(
    file: BinaryIO, findings: Findings, limits: CardLimits, card: str = CARD
) -> tuple[bytes, tuple[Member, ...]]:
    """The JSON of a CHARX, which is called ``card``, and its other members.

    Raises:
        UnreadableCard: it is no CHARX, encrypted, damaged or beyond the limits.
    """
    with _opened(file, limits) as archive:
        infos = archive.infolist()
        if len(infos) > limits.zip_members:
            raise UnreadableCard(
                f"the zip has {len(infos)} members, and zip_members is {limits.zip_members}",
                "if you trust it, raise CardLimits.zip_members in Python",
            )
        cards = [info for info in infos if info.filename == card]
        if not cards:
            raise UnreadableCard(
                f"there is no {card} in the zip", "a CHARX has it at its root; is it another zip?"
            )
        if len(cards) > 1:
            findings.warn("charx-twice", "", f"{card} is in the zip {len(cards)} times")
        with _damage_told():
            text = _inflated(archive, cards[-1], limits.card_bytes, limits)
        members = {
            info.filename: Member(info.filename, info.file_size)
            for info in infos
            if info.filename != card and not info.is_dir()
        }
    return text, tuple(members.values())


@contextmanager
def open_members(file: BinaryIO, limits: CardLimits) -> Iterator[Callable[[str], bytes]]:
    """Reads assets of a CHARX by their names, which are compared letter by letter."""
    with _opened(file, limits) as archive:

        def read(name: str) -> bytes:
            with _damage_told():
                return _inflated(archive, archive.getinfo(name), limits.asset_bytes, limits)

        yield read


def _inflated(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, most_bytes: int, limits: CardLimits
) -> bytes:
    if info.flag_bits & _ENCRYPTED:
        raise UnreadableCard(
            f"{info.filename[:60]!r} in the zip is encrypted",
            "export the character without encryption from the program that made it",
        )
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UnreadableCard(
            f"{info.filename[:60]!r} is packed in a way that a CHARX is not",
            "pack the zip anew with the ordinary method (deflate)",
        )
    allowed = max(info.compress_size * limits.zip_ratio, _RATIO_FROM_BYTES)
    bound = min(most_bytes, allowed)
    data = bytearray()
    with archive.open(info) as member:
        # The zip's own statement of the length may lie; what comes out does not.
        while len(data) <= bound and (part := member.read(_STEP_BYTES)):
            data += part
    if len(data) > bound:
        name = "zip_ratio" if allowed < most_bytes else "card_bytes or asset_bytes"
        raise UnreadableCard(
            f"{info.filename[:60]!r} in the zip inflates to more than {bound} bytes",
            f"it is a bomb, or no card; in Python CardLimits can be raised ({name})",
        )
    return bytes(data)


def write_charx(card: bytes, assets: Mapping[str, bytes]) -> bytes:
    """The bytes of a CHARX; the same for the same input."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in ((CARD, card), *assets.items()):
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, data)
    return made.getvalue()
