"""The assets of a card: pictures, sounds and files that it names or brings along.

Takes: a card, and what lies in its file.  Gives: ``Asset``s, and their bytes one at a time. Nothing
is fetched from a network, ever, and nothing is written.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import unquote_to_bytes

from offbook.cards.card import Card
from offbook.cards.findings import Findings, shown
from offbook.cards.raw_json import text_of
from offbook.cards.sources import CardLimits
from offbook.errors import UnreadableCard

Kind = Literal["member", "chunk", "data", "default", "remote", "missing"]

_EMBEDDED: Final = ("embeded://", "embedded://", "__asset:")
CHUNK_PREFIX: Final = "chara-ext-asset_"
_REMOTE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


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

    ``places`` are what lies in the file: path and length.
    """
    assets: list[Asset] = []
    for index, item in enumerate(card.asset_list):
        type_, name, ext, uri = (text_of(item.get(n)) for n in ("type", "name", "ext", "uri"))
        asset = _located(Asset(type_, name, ext, uri, "missing"), places, kind)
        assets.append(asset)
        _note(asset, f"data.assets[{index}].uri", findings)
    named = {asset.place for asset in assets}
    for place, size in places.items():
        if place not in named:
            stem, _, ext = place.rpartition("/")[2].rpartition(".")
            assets.append(Asset("other", stem or ext, ext if stem else "", "", kind, place, size))
    return tuple(assets)


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
        raise UnreadableCard(f"the address {uri[:40]!r} holds no asset, or one too long")
    if not head.lower().endswith(";base64"):
        return unquote_to_bytes(body)
    try:
        return base64.b64decode(unquote_to_bytes(body), validate=True)
    except (binascii.Error, ValueError) as error:
        raise UnreadableCard(f"the asset in {uri[:40]!r} is no Base64: {error}") from error
