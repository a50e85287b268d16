"""The assets of a card: pictures, sounds and files that it names or brings along.

Takes: a card, and what lies in its file.  Gives: ``Asset``s, and their bytes one at a time. Nothing
is fetched from a network, ever, and nothing is written but below the folder that is named.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal
from urllib.parse import unquote_to_bytes

from offbook.cards.card import Card
from offbook.cards.findings import Findings, shown
from offbook.cards.limits import CardLimits
from offbook.errors import UnreadableCard, UsageError

Kind = Literal["member", "chunk", "data", "default", "remote", "missing"]

_EMBEDDED: Final = ("embeded://", "embedded://", "__asset:")
CHUNK_PREFIX: Final = "chara-ext-asset_"
_REMOTE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_UNSAFE: Final = re.compile(r'[\x00-\x1f\x7f<>:"|?*]')
_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)
_LONGEST_NAME: Final = 120


@dataclass(frozen=True, slots=True)
class Asset:
    """An asset and where it is.

    ``kind`` says where the bytes are: a member of the zip, a chunk of the picture, in the URI
    itself (``data``), the card's own picture (``default``), on a network (``remote``: never
    fetched) or nowhere (``missing``). ``place`` is the member or keyword, ``size`` its length.
    """

    type: str
    name: str
    ext: str
    uri: str
    kind: Kind
    place: str = ""
    size: int | None = None

    @property
    def loadable(self) -> bool:
        """Whether its bytes are in the file."""
        return self.kind in ("member", "chunk", "data", "default")


def embedded_path(uri: str) -> str | None:
    """The path that an ``embeded://`` (``embedded://``, ``__asset:``) address names, or None."""
    for prefix in _EMBEDDED:
        if uri.startswith(prefix):
            return uri[len(prefix) :]
    return None


def list_assets(
    card: Card, places: Mapping[str, int], kind: Literal["member", "chunk"], findings: Findings
) -> tuple[Asset, ...]:
    """The assets that the card names, then those that lie in the file and are not named.

    Args:
        card: The card.
        places: What lies in the file: path and length.
        kind: What the places are.
        findings: Where an asset that is missing or remote is noted.
    """
    found: list[Asset] = []
    for index, item in enumerate(card.asset_list):
        fields = (item.get(name) for name in ("type", "name", "ext", "uri"))
        type_, name, ext, uri = (value if isinstance(value, str) else "" for value in fields)
        asset = _located(Asset(type_, name, ext, uri, "missing"), places, kind)
        found.append(asset)
        _note(asset, f"data.assets[{index}].uri", findings)
    named = {asset.place for asset in found}
    for place, size in places.items():
        if place not in named:
            stem, _, ext = place.rpartition("/")[2].rpartition(".")
            found.append(Asset("other", stem or ext, ext if stem else "", "", kind, place, size))
    return tuple(found)


def _located(asset: Asset, places: Mapping[str, int], kind: Literal["member", "chunk"]) -> Asset:
    uri, path = asset.uri, embedded_path(asset.uri)
    where: Kind = "missing"
    place, size = "", None
    if path is not None:
        if path in places:
            where, place, size = kind, path, places[path]
    elif uri.startswith("ccdefault:") or not uri:
        where = "default"
    elif uri[:5].lower() == "data:":
        where, size = "data", len(uri)
    elif _REMOTE.match(uri):
        where = "remote"
    return Asset(asset.type, asset.name, asset.ext, uri, where, place, size)


def _note(asset: Asset, path: str, findings: Findings) -> None:
    if asset.kind == "remote":
        findings.warn(
            "asset-remote",
            path,
            f"the asset {shown(asset.name)} lies at {shown(asset.uri)}; it is not fetched",
            "download it yourself if you trust the place",
        )
    elif asset.kind == "missing":
        findings.warn(
            "asset-missing",
            path,
            f"the asset {shown(asset.name)} is not in the file: {shown(asset.uri)}",
            "take the complete file, or take the asset out of the list",
        )


def data_uri_bytes(uri: str, limits: CardLimits) -> bytes:
    """What a ``data:`` address holds.

    Raises:
        UnreadableCard: it is too long, or no valid ``data:`` address.
    """
    head, comma, body = uri.partition(",")
    if not comma or len(body) > 2 * limits.asset_bytes:
        raise UnreadableCard(f"the address {uri[:40]!r} holds no asset, or one too long", "")
    if not head.lower().endswith(";base64"):
        return unquote_to_bytes(body)
    try:
        return base64.b64decode(unquote_to_bytes(body), validate=True)
    except (binascii.Error, ValueError) as error:
        raise UnreadableCard(f"the asset in {uri[:40]!r} is no Base64: {error}", "") from error


def safe_name(asset: Asset) -> str:
    """A relative path for the asset that is safe on every file system: ``type/name.ext``.

    Folders in names, ``..``, drive letters, backslashes, control characters and names that
    Windows keeps for itself are taken out; other scripts stay as they are.
    """
    name = _plain(asset.name) or "asset"
    ext = _plain(asset.ext).lstrip(".")
    folder = _plain(asset.type) or "other"
    return f"{folder}/{name}.{ext}" if ext and ext != "unknown" else f"{folder}/{name}"


def _plain(name: str) -> str:
    last = re.split(r"[\\/]", name.encode("utf-8", "replace").decode("utf-8"))[-1]
    made = _UNSAFE.sub("_", last).strip(" .")
    if _RESERVED.match(made):
        made = f"_{made}"
    while len(made.encode("utf-8")) > _LONGEST_NAME:
        made = made[:-1]
    return made


def save_asset(asset: Asset, data: bytes, folder: Path) -> Path:
    """Write an asset below ``folder``, under its safe name; a file that is there stays as it is.

    Raises:
        UsageError: there is a link in the way, or the file cannot be written.
    """
    base = folder.resolve()
    wanted = base / safe_name(asset)
    try:
        wanted.parent.mkdir(parents=True, exist_ok=True)
        if wanted.parent.resolve() != wanted.parent:
            raise UsageError(f"{str(wanted.parent)!r} is a link", "name a folder without links")
        for number in range(1, 1000):
            path = wanted if number == 1 else wanted.with_stem(f"{wanted.stem}-{number}")
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
            try:
                descriptor = os.open(path, flags, 0o644)
            except FileExistsError:
                continue
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            return path
    except OSError as error:
        raise UsageError(f"{str(wanted)!r} cannot be written: {error.strerror}", "") from error
    raise UsageError(f"there are 999 files like {str(wanted)!r}", "name an empty folder")
