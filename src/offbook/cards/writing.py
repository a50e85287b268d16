"""Writing a card: as JSON, into a PNG picture, or as CHARX.

Takes: a card, a format, and where there are any a picture and assets.  Gives: the bytes of the file
and a finding for everything that this format cannot carry.

A picture holds the card twice, as SillyTavern writes it: V2 under ``chara`` and V3 under ``ccv3``,
before its end; what stood there under these names is taken out.
"""

from __future__ import annotations

import base64
import copy
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from offbook.cards import png
from offbook.cards.assets import CHUNK_PREFIX, embedded_path
from offbook.cards.card import Card, Version
from offbook.cards.charx import CARD, write_charx
from offbook.cards.converting import backfill, completed, convert
from offbook.cards.findings import Findings, shown
from offbook.cards.lenient_json import write_json
from offbook.cards.png import default_avatar
from offbook.cards.raw_json import Json, text_of
from offbook.cards.sources import DEFAULT_LIMITS, CardLimits
from offbook.errors import UsageError
from offbook.types import Finding

CardFormat = Literal["json", "png", "charx"]
FORMATS: Final[tuple[CardFormat, ...]] = ("json", "png", "charx")

_PICTURE_PLACE: Final = "assets/icon/images/main.png"
_UNSAFE_PARTS: Final = frozenset({"", ".", ".."})


@dataclass(frozen=True, slots=True)
class WrittenCard:
    """The bytes of a file, and what it does not carry."""

    data: bytes
    losses: tuple[Finding, ...]


def write_card(
    card: Card,
    format: CardFormat = "json",  # noqa: A002 - what everybody calls it
    *,
    version: Version | None = None,
    picture: bytes | None = None,
    assets: Mapping[str, bytes] | None = None,
    limits: CardLimits = DEFAULT_LIMITS,
) -> WrittenCard:
    """Write a card; it is left alone.

    Args:
        card: The card.
        format: ``json`` (of the card's own version, or of ``version``), ``png``, or ``charx``.
        version: Another version than the card's own, for JSON.
        picture: A PNG picture; without one a plain one is made (PNG), or none is added (CHARX).
        assets: Bytes of embedded assets by their place (``Asset.place``), for CHARX.
        limits: Bounds on the picture's chunks.

    Raises:
        UsageError: the picture is no PNG, or there is no such format.
    """
    if format == "json":
        converted = convert(card, version or card.version)
        losses = Findings()
        losses.extend(converted.losses)
        _unkept_assets(card, frozenset(), losses)
        return WrittenCard(write_json(completed(converted.card).raw, indent=2), losses.all())
    if format == "png":
        return _png(card, picture, limits)
    if format == "charx":
        return _charx(card, picture, assets or {})
    raise UsageError(f"there is no card format {format!r}", f"formats: {', '.join(FORMATS)}")


def _png(card: Card, picture: bytes | None, limits: CardLimits) -> WrittenCard:
    losses = Findings()
    base = picture if picture is not None else default_avatar(card.name)
    texts = {
        "chara": base64.b64encode(write_json(completed(backfill(card)).raw)),
        "ccv3": base64.b64encode(write_json(completed(convert(card, 3).card).raw)),
    }
    data = png.with_texts(base, texts, lambda keyword: keyword.lower() in texts, losses, limits)
    _unkept_assets(card, _carried(base, limits), losses)
    return WrittenCard(data, losses.all())


def _carried(picture: bytes, limits: CardLimits) -> frozenset[str]:
    """The assets that lie in the picture already, as RisuAI puts them there."""
    import io

    chunks = png.text_chunks(io.BytesIO(picture), Findings(), limits)
    keywords = (chunk.keyword for chunk in chunks)
    return frozenset(
        keyword[len(CHUNK_PREFIX) :].removeprefix(":")
        for keyword in keywords
        if keyword.lower().startswith(CHUNK_PREFIX)
    )


def _unkept_assets(card: Card, carried: frozenset[str], losses: Findings) -> None:
    for index, item in enumerate(card.asset_list):
        uri = item.get("uri")
        path = embedded_path(text_of(uri))
        if path is not None and path not in carried:
            losses.warn(
                "asset-lost",
                f"data.assets[{index}]",
                f"the asset {shown(item.get('name'))} at {shown(uri)} is not in the file",
                "write the card as CHARX, which carries assets",
            )


def _charx(card: Card, picture: bytes | None, assets: Mapping[str, bytes]) -> WrittenCard:
    if picture is not None and not picture.startswith(png.SIGNATURE):
        raise UsageError("the picture is no PNG", "convert it to PNG, or write without a picture")
    losses = Findings()
    converted = convert(card, 3)
    losses.extend(converted.losses)
    made = completed(converted.card)
    places = _places(assets)
    members = {places[place]: data for place, data in assets.items()}
    listed = [_moved(item, places) for item in made.asset_list]
    if picture is not None and _PICTURE_PLACE not in members:
        listed, used = _with_picture(listed)
        if used:
            members[_PICTURE_PLACE] = picture
    if "assets" in made.data or listed != list(made.asset_list):
        made.data["assets"] = listed
    _unkept_assets(made, frozenset(members), losses)
    return WrittenCard(write_charx(write_json(made.raw, indent=2), members), losses.all())


def _places(assets: Mapping[str, bytes]) -> dict[str, str]:
    """Where each asset goes: its own place where that is a plain path inside of the zip."""
    made: dict[str, str] = {}
    taken = {CARD}
    for place in assets:
        parts = [part for part in place.replace("\\", "/").split("/") if part not in _UNSAFE_PARTS]
        name = "/".join(part.replace(":", "_").replace("\0", "_") for part in parts) or "asset"
        number, stem = 1, name
        while name in taken:
            number += 1
            root, ext = posixpath.splitext(stem)
            name = f"{root}-{number}{ext}"
        taken.add(name)
        made[place] = name
    return made


def _moved(item: Json, places: Mapping[str, str]) -> Json:
    path = embedded_path(text_of(item.get("uri")))
    if path is None or path not in places:
        return item
    return {**item, "uri": f"embeded://{places[path]}"}


def _with_picture(listed: list[Json]) -> tuple[list[Json], bool]:
    """The list with the picture in the place of the default one, if that is in it."""
    made = copy.deepcopy(listed)
    for item in made:
        if item.get("type") == "icon" and str(item.get("uri", "")).startswith("ccdefault:"):
            item.update(uri=f"embeded://{_PICTURE_PLACE}", ext="png")
            return made, True
    return made, False
