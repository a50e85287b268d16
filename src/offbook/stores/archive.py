"""The file that a character travels in: a ZIP whose bytes depend on nothing but its contents.

Takes: named members, a piece at a time.  Gives: them back, each checked against its SHA-256 in the
manifest; what is cut short, altered, too large or of a newer version is refused.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from offbook.errors import UsageError

FORMAT: Final = "offbook-character"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"
MAX_RATIO: Final = 100
FREE_BYTES: Final = 512 * 1024 * 1024
MAX_MANIFEST_BYTES: Final = 4 * 1024 * 1024

_BROKEN: Final = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    KeyError,
    NotImplementedError,
    RecursionError,
    RuntimeError,
    TypeError,
    ValueError,
)


class ArchiveWriter:
    """Writes members, then the manifest that names them all."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._members: dict[str, dict[str, Any]] = {}

    def add(self, name: str, pieces: Iterable[bytes], *, compress: bool = True) -> None:
        """Write one member as its pieces come."""
        info = zipfile.ZipInfo(name)  # its time is the first of 1980, always
        info.create_system = 3
        info.external_attr = 0o600 << 16
        info.compress_type = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
        digest, size = hashlib.sha256(), 0
        with self._archive.open(info, "w", force_zip64=True) as member:
            for piece in pieces:
                digest.update(piece)
                size += len(piece)
                member.write(piece)
        self._members[name] = {"bytes": size, "sha256": digest.hexdigest()}

    def finish(self, about: Mapping[str, Any]) -> None:
        """Write the manifest; ``about`` says whose archive it is."""
        manifest = {"format": FORMAT, "version": VERSION, **about, "members": self._members}
        self.add(MANIFEST, [to_line(manifest)])


class ArchiveReader:
    """Reads the members that the manifest names, and ``about``, the manifest itself."""

    def __init__(self, archive: zipfile.ZipFile, packed_bytes: int) -> None:
        self._archive = archive
        self._check_sizes(packed_bytes)
        if archive.getinfo(MANIFEST).file_size > MAX_MANIFEST_BYTES:
            raise ValueError("its manifest is too large")
        self.about: dict[str, Any] = parse(archive.read(MANIFEST))
        if self.about["format"] != FORMAT:
            raise ValueError(f"it is of the format {self.about['format']!r}")
        version = self.about["version"]
        if not isinstance(version, int) or version > VERSION:
            raise UsageError(
                f"The export has the format's version {version!r}; this offbook reads up to"
                f" {VERSION}.",
                "it was written by a newer offbook: pip install --upgrade offbook",
            )
        self._members: dict[str, dict[str, Any]] = self.about["members"]

    def lines(self, name: str) -> Iterator[dict[str, Any]]:
        """The JSON objects of a member, one a line; none if there is no such member."""
        if name not in self._members:
            return
        digest = hashlib.sha256()
        with self._archive.open(name) as member:
            for line in member:
                digest.update(line)
                yield parse(line)
        self._check_digest(name, digest.hexdigest())

    def whole(self, name: str) -> bytes | None:
        """A member in one piece, or None if there is no such member."""
        if name not in self._members:
            return None
        data = self._archive.read(name)
        self._check_digest(name, hashlib.sha256(data).hexdigest())
        return data

    def _check_digest(self, name: str, digest: str) -> None:
        if self._members[name]["sha256"] != digest:
            raise ValueError(f"its member {name!r} was altered")

    def _check_sizes(self, packed_bytes: int) -> None:
        """Refuse what would swell beyond all measure; zipfile stops at the size that is named."""
        whole = sum(info.file_size for info in self._archive.infolist())
        if whole > max(FREE_BYTES, MAX_RATIO * packed_bytes):
            raise UsageError(
                f"The export claims to hold {whole} bytes in a file of {packed_bytes}.",
                "do not import files from people you do not trust",
            )


@contextmanager
def writing(file: Path | IO[bytes]) -> Iterator[ArchiveWriter]:
    """An archive to be written to ``file``."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        yield ArchiveWriter(archive)


@contextmanager
def reading(file: Path) -> Iterator[ArchiveReader]:
    """The archive in ``file``.

    Raises:
        UsageError: it is no export, broken, altered, too large, or of a newer version.
    """
    try:
        # Opened here, so that it is closed here, whoever still holds a half-read member.
        with file.open("rb") as opened, zipfile.ZipFile(opened) as archive:
            yield ArchiveReader(archive, file.stat().st_size)
    except OSError as error:
        raise UsageError(
            f"{str(file)!r} cannot be read: {error.strerror or error}", "see that it is yours"
        ) from error
    except _BROKEN as error:
        why = f"{type(error).__name__}: {error}" if isinstance(error, KeyError) else str(error)
        raise UsageError(
            f"{str(file)!r} is not a whole offbook export: {why}", "export the character again"
        ) from error


def to_line(value: Mapping[str, Any]) -> bytes:
    """One JSON object on a line, always spelled the same."""
    line = json.dumps(
        value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )
    return line.encode() + b"\n"


def parse(line: bytes) -> dict[str, Any]:
    """The object that ``to_line`` wrote.

    Raises:
        ValueError: it is no JSON object, or holds NaN or infinity.
    """
    value = json.loads(line, parse_constant=_refuse)
    if not isinstance(value, dict):
        raise ValueError(f"a line holds no object: {line[:40]!r}")
    return value


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no number")
