"""Reading a card from any container: JSON, PNG, CHARX, also behind a JPEG, WebP, YAML, BYAF.

Takes: a path or bytes, and limits.  Gives: the card, and a warning for everything that had to be
mended; an ``UnreadableCard`` where there is no card in it. What is inside a card is never obeyed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

from offbook.cards import charx, png, webp
from offbook.cards.assets import CHUNK_PREFIX, Asset, data_uri_bytes, list_assets
from offbook.cards.card import Card
from offbook.cards.findings import Findings, shown
from offbook.cards.foreign_cards import MANIFEST, byaf_card
from offbook.cards.lenient_json import (
    decode_base64,
    decode_text,
    parse_json,
    read_json,
    read_yaml,
)
from offbook.cards.mending import mend_card, require_card
from offbook.cards.raw_json import object_of
from offbook.cards.sources import DEFAULT_LIMITS, CardLimits, Source, opened, read_whole, stem_of
from offbook.errors import UnreadableCard
from offbook.types import Finding

SourceFormat = Literal["json", "png", "charx", "jpeg", "webp", "yaml", "byaf"]

CARD_KEYWORDS: Final = ("ccv3", "chara")
_REPAIRED_CHUNKS: Final = 2
_RISU_LOCKED: Final = b"rcc||"
_ZIP: Final = b"PK"
_JPEG: Final = b"\xff\xd8"
_YAML: Final = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class ReadCard:
    """A card as it was read.

    ``assets`` are what the card names or brings along (bytes: ``load_asset``), ``source`` what it
    was read from, ``source_format`` the container.
    """

    card: Card
    warnings: tuple[Finding, ...]
    assets: tuple[Asset, ...]
    source_format: SourceFormat
    source: Source = field(repr=False)


@dataclass(slots=True)
class _Found:
    """A raw value, and what else lies in the container."""

    raw: Any
    format: SourceFormat
    places: dict[str, int] = field(default_factory=dict)
    kind: Literal["member", "chunk"] = "member"


def read_card(
    source: Path | str | bytes, limits: CardLimits = DEFAULT_LIMITS, *, file_name: str = ""
) -> ReadCard:
    """Read the card in a file.

    Args:
        source: A path, or the bytes of the file.
        limits: Bounds against bombs.
        file_name: The name of the file, where bytes are given: a card without a name takes it.

    Raises:
        UnreadableCard: there is no card in it, or one that is locked, damaged or too large.
    """
    path = Path(source) if isinstance(source, str) else source
    findings = Findings(limits.findings)
    with opened(path, limits) as file:
        content = _contained(file, path, file_name, findings, limits)
    card = mend_card(content.raw, stem_of(path, file_name), findings, limits)
    assets = list_assets(card, content.places, content.kind, findings)
    return ReadCard(card, findings.all(), assets, content.format, path)


def holds_text(path: Path) -> bool:
    """Whether a file holds text (JSON, YAML), and is neither a picture nor a zip."""
    with opened(path, DEFAULT_LIMITS) as file:
        head = file.read(16)
    return not (head.startswith((png.SIGNATURE, _ZIP, _JPEG)) or webp.is_webp(head))


def _contained(
    file: BinaryIO, source: Source, file_name: str, findings: Findings, limits: CardLimits
) -> _Found:
    head = file.read(16)
    if head.startswith(png.SIGNATURE):
        return _from_png(file, findings, limits)
    if head.startswith((_ZIP, _JPEG)):
        return _from_charx(file, head, findings, limits)
    if webp.is_webp(head):
        comment = webp.user_comment(file, limits)
        if comment is None:
            raise _no_card("WebP picture")
        return _Found(_payload(comment, findings, limits), "webp")
    data = read_whole(file, limits.card_bytes, "the text", "card_bytes")
    named = file_name or ("" if isinstance(source, bytes) else source.name)
    return _from_text(data, named.lower().endswith(_YAML), findings, limits)


def _from_text(data: bytes, yaml: bool, findings: Findings, limits: CardLimits) -> _Found:
    _refuse_locked(data)
    text = decode_text(data, findings)
    start = text.lstrip("\ufeff \t\r\n\0")[:1]
    if start in ("{", "["):
        return _Found(parse_json(text, findings, limits), "json")
    lines = text[:4000].splitlines()
    if yaml or any(line.startswith(("name:", "char_name:", "context:")) for line in lines):
        return _Found(read_yaml(text, limits), "yaml")
    raise UnreadableCard(
        f"the file begins with {data[:12]!r} and is no card",
        "cards are PNG pictures, .charx or .json files, and YAML; is it another kind of file?",
    )


def _from_png(file: BinaryIO, findings: Findings, limits: CardLimits) -> _Found:
    cards: dict[str, list[png.TextChunk]] = {}
    places: dict[str, int] = {}
    for chunk in png.text_chunks(file, findings, limits):
        keyword = chunk.keyword.lower()
        if keyword in CARD_KEYWORDS:
            cards.setdefault(keyword, []).append(chunk)
        elif keyword.startswith(CHUNK_PREFIX):
            places.setdefault(_asset_path(chunk.keyword), chunk.length)
    by_keyword = [cards.get(keyword, [])[: limits.card_chunks] for keyword in CARD_KEYWORDS]
    candidates = [chunk for several in by_keyword for chunk in several]
    for keyword, several in cards.items():
        if len(several) > 1:
            findings.warn(
                "png-twice", "", f"there are {len(several)} chunks {keyword!r}; the first counts"
            )
    raw = _first_payload(file, candidates, findings, limits)
    if all(by_keyword):
        _note_other_card(raw, file, by_keyword[1][0], findings, limits)
    return _Found(raw, "png", places, "chunk")


def _note_other_card(
    raw: Any, file: BinaryIO, chunk: png.TextChunk, findings: Findings, limits: CardLimits
) -> None:
    """Say so where the older form of a card is another card."""
    unheard = Findings()
    try:
        text = png.chunk_text(file, chunk, unheard, limits)
        other = _payload(text, unheard, replace(limits, repair_chars=0))
    except UnreadableCard:
        return  # it would not have been read in any case
    names = [_name_in(raw), _name_in(other)]
    if all(names) and names[0] != names[1]:
        findings.warn(
            "png-differ",
            "",
            f"the picture holds two cards, {shown(names[0])} and {shown(names[1])}; the first one "
            "counts, which is in the newer form",
            "write the older one into a picture of its own if you want it",
        )


def _name_in(raw: Any) -> str | None:
    fields = object_of(raw)
    name = (object_of(fields.get("data")) or fields).get("name")
    return name if isinstance(name, str) else None


def _first_payload(
    file: BinaryIO, candidates: list[png.TextChunk], findings: Findings, limits: CardLimits
) -> Any:
    """What the first readable chunk holds: those of version 3 stand in front.

    One that is whole is better than one that must be repaired, and repairs take time.
    """
    if not candidates:
        raise _no_card("PNG picture")
    tries = [(chunk, replace(limits, repair_chars=0)) for chunk in candidates]
    tries += [(chunk, limits) for chunk in candidates[:_REPAIRED_CHUNKS]]
    refused: list[tuple[png.TextChunk, UnreadableCard]] = []
    for chunk, allowed in tries:
        heard = Findings(limits.findings)
        try:
            raw = _payload(png.chunk_text(file, chunk, heard, limits), heard, allowed)
            require_card(raw)
        except UnreadableCard as error:
            refused.append((chunk, error))
            continue
        for other, reason in refused[: len(candidates)]:
            if other != chunk:
                findings.warn(
                    "png-unreadable",
                    "",
                    f"the chunk {other.keyword!r} cannot be read ({reason.message}); "
                    "another one takes its place",
                    reason.hint,
                )
        findings.extend(heard.all())
        return raw
    raise refused[-1][1]


def _asset_path(keyword: str) -> str:
    return keyword[len(CHUNK_PREFIX) :].removeprefix(":")


def _payload(text: bytes, findings: Findings, limits: CardLimits) -> Any:
    """The value of a text chunk: Base64 of JSON, or JSON itself."""
    bare = text.strip(b" \t\r\n\0\xef\xbb\xbf")
    _refuse_locked(bare)
    if bare.startswith(b"{"):
        findings.warn("png-plain", "", "the card is plain JSON and not Base64")
        return read_json(bare, findings, limits)
    decoded = decode_base64(bare, findings)
    _refuse_locked(decoded)
    return read_json(decoded, findings, limits)


def _refuse_locked(text: bytes) -> None:
    if text.startswith(_RISU_LOCKED):
        raise UnreadableCard(
            "the card is encrypted by RisuAI (rcc)",
            "export it from RisuAI without a password, as PNG or CHARX",
        )


def _from_charx(file: BinaryIO, head: bytes, findings: Findings, limits: CardLimits) -> _Found:
    in_jpeg = head.startswith(_JPEG)
    try:
        text, members = charx.read_charx(file, findings, limits)
    except UnreadableCard as error:
        if in_jpeg and "zip" in error.message and not _has_zip(file):
            raise _no_card("JPEG picture") from error
        if in_jpeg or charx.CARD not in error.message:
            raise
        return _from_byaf(file, findings, limits, error)
    places = {member.name: member.size for member in members}
    return _Found(read_json(text, findings, limits), "jpeg" if in_jpeg else "charx", places)


def _from_byaf(
    file: BinaryIO, findings: Findings, limits: CardLimits, no_charx: UnreadableCard
) -> _Found:
    try:
        text, members = charx.read_charx(file, findings, limits, MANIFEST)
    except UnreadableCard as error:
        raise no_charx from error
    with charx.open_members(file, limits) as load:

        def read(name: str) -> Any:
            data = load(name)
            if len(data) > limits.card_bytes:
                raise UnreadableCard(
                    f"{name[:60]!r} in the zip is longer than {limits.card_bytes} bytes",
                    "raise CardLimits.card_bytes in Python if you trust it",
                )
            return read_json(data, findings, limits)

        manifest = object_of(read_json(text, findings, limits))
        raw = byaf_card(manifest, read, findings)
    images = {member.name: member.size for member in members if not member.name.endswith(".json")}
    return _Found(raw, "byaf", images)


def _has_zip(file: BinaryIO) -> bool:
    """Whether the beginning of a zip stands anywhere in the file; read in pieces."""
    file.seek(0)
    tail = b""
    while piece := file.read(1 << 20):
        if b"PK\x03\x04" in tail + piece:
            return True
        tail = piece[-3:]
    return False


def _no_card(what: str) -> UnreadableCard:
    return UnreadableCard(
        f"there is no card in this {what}",
        "many sites take the text out of pictures; download the original file",
    )


def load_asset(read: ReadCard, asset: Asset, limits: CardLimits = DEFAULT_LIMITS) -> bytes:
    """The bytes of an asset of a card, read from the card's own file.

    Raises:
        UnreadableCard: it is not in the file (a remote one is never fetched), damaged or too long.
    """
    with open_assets(read, limits) as load:
        return load(asset)


@contextmanager
def open_assets(
    read: ReadCard, limits: CardLimits = DEFAULT_LIMITS
) -> Iterator[Callable[[Asset], bytes]]:
    """``load_asset`` for many assets: the file, and what it lists, is read once."""
    with opened(read.source, limits) as file, ExitStack() as stack:

        @cache
        def members() -> Callable[[str], bytes]:
            return stack.enter_context(charx.open_members(file, limits))

        @cache
        def chunks() -> dict[str, png.TextChunk]:
            return _asset_chunks(file, limits)

        def load(asset: Asset) -> bytes:
            match asset.kind:
                case "data":
                    return data_uri_bytes(asset.uri, limits)
                case "default" if read.source_format in ("png", "webp"):
                    return read_whole(file, limits.asset_bytes, "the picture", "asset_bytes")
                case "member":
                    return members()(asset.place)
                case "chunk" if asset.place in chunks():
                    unheard, chunk = Findings(), chunks()[asset.place]
                    return decode_base64(png.chunk_text(file, chunk, unheard, limits), unheard)
                case "chunk":
                    raise UnreadableCard(
                        f"the asset {asset.place!r} is gone from the file", "read the card anew"
                    )
            raise UnreadableCard(
                f"the asset {asset.name!r} is not in the file ({asset.kind}: {asset.uri[:60]!r})",
                "nothing is fetched from a network; download it yourself if you trust the place",
            )

        yield load


def _asset_chunks(file: BinaryIO, limits: CardLimits) -> dict[str, png.TextChunk]:
    """The chunks of a picture that hold assets, by the assets' places; the first one counts."""
    chunks: dict[str, png.TextChunk] = {}
    for chunk in png.text_chunks(file, Findings(), limits):
        if chunk.keyword.lower().startswith(CHUNK_PREFIX):
            chunks.setdefault(_asset_path(chunk.keyword), chunk)
    return chunks
