"""Files of cards and lorebooks, without a character: looked into and converted.

Takes: a path, or bytes with a name.  Gives: what is in it, or the bytes of another file.  Nothing
of it is obeyed, fetched or stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from offbook.app.sent_files import CardSource, SentFile
from offbook.app.writing import require_place, write_whole
from offbook.cards import (
    BOOK_FORMATS,
    FORMATS,
    Card,
    Finding,
    Lorebook,
    ReadCard,
    ReadLorebook,
    example_dialogues,
    png,
    read_card,
    read_lorebook,
    unknown_macros,
    voice_samples,
    write_card,
    write_lorebook,
)
from offbook.cards.card import Version
from offbook.cards.findings import Findings
from offbook.cards.limits import DEFAULT_LIMITS
from offbook.cards.lorebook_losses import lorebook_losses
from offbook.cards.reading import CARD_KEYWORDS, holds_text, open_assets
from offbook.errors import UnreadableCard, UsageError
from offbook.language.tokens import count_tokens

_VERSIONS: Final[tuple[Version, ...]] = (1, 2, 3)
_KEPT_BYTES: Final = 32 * 1024 * 1024
_FORMAT_OF: Final = {f".{format_}": format_ for format_ in FORMATS}


def open_file(file: CardSource) -> ReadCard | ReadLorebook:
    """The card or the lorebook in a file, whichever it is.

    Raises:
        UnreadableCard: it holds neither, or is damaged, locked or too large.
    """
    if isinstance(file, SentFile):
        return _open_sent(file)
    path = Path(file).expanduser()
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "is not there"
        raise UnreadableCard(f"{str(path)!r} {what}", "name a card or a lorebook")
    if holds_text(path):
        try:
            return read_lorebook(path)
        except UnreadableCard:
            return read_card(path)
    return read_card(path)


def _open_sent(file: SentFile) -> ReadCard | ReadLorebook:
    name = str(file)
    if name.lower().endswith(".json"):
        with suppress(UnreadableCard):
            return read_lorebook(file.data, file_name=name)
    return read_card(file.data, file_name=name)


# -- show -----------------------------------------------------------------------------------------


def card_row(card: Card) -> dict[str, Any]:
    """A card in the shape of ``card show --json``."""
    return {
        "spec": card.raw.get("spec") if card.version > 1 else None,
        "version": card.version,
        "name": card.name,
        "nickname": card.nickname,
        "creator": card.creator,
        "character_version": card.character_version,
        "tags": list(card.tags),
        "creator_notes": card.creator_notes,
        "description": card.description,
        "personality": card.personality,
        "scenario": card.scenario,
        "greetings": [text for text in (card.first_mes, *card.alternate_greetings) if text.strip()],
        "example_dialogues": [
            [{"name": name, "text": text} for name, text in block]
            for block in example_dialogues(card)
        ],
        "voice": list(voice_samples(card)),
        "system_prompt": card.system_prompt,
        "post_history_instructions": card.post_history_instructions,
        "extensions": sorted(card.extensions),
        "unknown_macros": _macros(card),
        "lorebook": None if card.book is None else book_row(card.book),
    }


def _macros(card: Card) -> list[str]:
    texts = [card.description, card.personality, card.scenario, card.first_mes, card.mes_example]
    texts += [*card.alternate_greetings, card.system_prompt, card.post_history_instructions]
    texts += [entry.text for entry in card.book.entries] if card.book else []
    return list(dict.fromkeys(macro for text in texts for macro in unknown_macros(text)))


def book_row(book: Lorebook) -> dict[str, Any]:
    """A lorebook in the shape of ``card show --json``."""
    return {
        "name": book.name,
        "scan_depth": book.scan_depth,
        "token_budget": book.token_budget,
        "entries": [
            {
                "title": entry.title,
                "keys": list(entry.keys),
                "secondary_keys": list(entry.secondary_keys),
                "constant": entry.constant,
                "enabled": entry.enabled,
                "tokens": count_tokens(entry.text),
                "text": entry.text,
            }
            for entry in book.entries
        ],
    }


def show_file(file: CardSource) -> dict[str, Any]:
    """What is in a file of a card or a lorebook: ``card show --json``.

    Raises:
        UnreadableCard: there is neither in it.
    """
    read = open_file(file)
    head = {"file": str(file), "format": read.source_format}
    tail = {"warnings": [finding.as_json() for finding in read.warnings]}
    if isinstance(read, ReadLorebook):
        return {"kind": "lorebook", **head, "card": None, "lorebook": book_row(read.book),
                "assets": [], **tail}  # fmt: skip
    assets = [
        {"type": a.type, "name": a.name, "ext": a.ext, "kind": a.kind, "bytes": a.size}
        for a in read.assets
    ]
    row = card_row(read.card)
    book = row.pop("lorebook")
    return {"kind": "card", **head, "card": row, "lorebook": book, "assets": assets, **tail}


# -- convert and write ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that was written, and what it does not carry."""

    file: str
    format: str
    bytes: int
    losses: tuple[Finding, ...]

    def as_json(self) -> dict[str, Any]:
        """The shape of ``card convert --json``, and of ``card export --json`` with the name."""
        return {
            "file": self.file,
            "format": self.format,
            "bytes": self.bytes,
            "losses": [finding.as_json() for finding in self.losses],
        }


def convert_file(
    source: CardSource,
    target: Path | str,
    *,
    spec: int | None = None,
    lorebook: str | None = None,
    picture: CardSource | None = None,
) -> WrittenFile:
    """Write a card, or a lorebook, in another format.

    Args:
        source: The card or lorebook.
        target: Where to; of a card its suffix is the format.
        spec: Version of the specification, for a card in JSON; None: the card's own.
        lorebook: Format of a lorebook; of a card, its lorebook is written and nothing else.
        picture: A PNG picture for the card; None: the one that it came in.

    Raises:
        UnreadableCard: the source cannot be read.
        UsageError: the target's suffix is no format, or it cannot be written.
    """
    read = open_file(source)
    if isinstance(read, ReadLorebook) or lorebook is not None:
        return _write_book(read, Path(target), lorebook or "lorebook_v3")
    own, assets, lost = carried(read)
    shown = read_picture(picture) if picture is not None else own
    return write_to(read.card, Path(target), spec=spec, picture=shown, assets=assets, lost=lost)


def _write_book(read: ReadCard | ReadLorebook, target: Path, format_: str) -> WrittenFile:
    book = read.card.book if isinstance(read, ReadCard) else read.book
    if book is None:
        raise UsageError("the card has no lorebook", "see: offbook card show FILE")
    named = next((known for known in BOOK_FORMATS if known == format_), None)
    if named is None:
        raise UsageError(
            f"there is no lorebook format {format_!r}", f"formats: {', '.join(BOOK_FORMATS)}"
        )
    if target.suffix.lower() in (".png", ".charx"):
        raise UsageError(
            f"a lorebook by itself is JSON, and a {target.suffix} file is none",
            "write it as .json",
        )
    data = write_lorebook(book, named)
    put_file(target, data)
    return WrittenFile(str(target), named, len(data), lorebook_losses(book, named))


def write_to(
    card: Card,
    target: Path,
    *,
    spec: int | None = None,
    picture: bytes | None = None,
    assets: dict[str, bytes] | None = None,
    lost: Sequence[Finding] = (),
) -> WrittenFile:
    """Write a card into a file, in the format of its suffix.

    Raises:
        UsageError: the suffix is no format, there is no such version, or it cannot be written.
    """
    format_ = _FORMAT_OF.get(target.suffix.lower())
    if format_ is None:
        raise UsageError(
            f"{target.suffix or 'no suffix'!r} is no format of cards",
            f"name a file that ends as {', '.join(_FORMAT_OF)}",
        )
    if spec is not None and format_ != "json":
        raise UsageError(
            f"a {target.suffix} file is of its own version, not of {spec}",
            "PNG holds V2 and V3, CHARX holds V3; name a version for a .json file",
        )
    version = None if spec is None else next((known for known in _VERSIONS if known == spec), None)
    if spec is not None and version is None:
        raise UsageError(f"there is no version {spec!r} of cards", "1, 2 or 3")
    written = write_card(card, format_, version=version, picture=picture, assets=assets)
    put_file(target, written.data)
    losses = (*(lost if format_ == "charx" else ()), *written.losses)
    return WrittenFile(str(target), format_, len(written.data), losses)


def put_file(target: Path, data: bytes) -> None:
    """Write a file that appears whole or not at all.

    Raises:
        UsageError: there is no folder for it.
        StoreFailed: it cannot be written.
    """
    write_whole(require_place(target), data)


def carried(read: ReadCard) -> tuple[bytes | None, dict[str, bytes], list[Finding]]:
    """The picture that a card came in, its assets by place, and those that cannot be kept."""
    lost = Findings(DEFAULT_LIMITS.findings)
    assets = _carried_assets(read, lost)
    picture = _own_picture(read, lost)
    if picture is None:
        icons = [assets[a.place] for a in read.assets if a.type == "icon" and a.place in assets]
        picture = next((data for data in icons if data.startswith(png.SIGNATURE)), None)
        if not icons and read.source_format in ("jpeg", "webp"):
            _lose(lost, "the picture", f"only PNG pictures are, and it is {read.source_format}")
    return picture, assets, list(lost.all())


def _carried_assets(read: ReadCard, lost: Findings) -> dict[str, bytes]:
    """The assets in the file by place, as many as are kept; none is read that is too long."""
    assets: dict[str, bytes] = {}
    left, seen = _KEPT_BYTES, set[str]()
    with open_assets(read) as load:
        for asset in read.assets:
            if asset.kind not in ("member", "chunk") or asset.place in seen:
                continue
            seen.add(asset.place)
            # Base64 is a third longer than what it stands for.
            size = (asset.size or 0) * 3 // 4 if asset.kind == "chunk" else asset.size or 0
            if size > left:
                _lose(lost, asset.name, f"{size} bytes are more than is left of {_KEPT_BYTES}")
                continue
            try:
                data = load(asset)
            except UnreadableCard as error:
                _lose(lost, asset.name, error.message)
                continue
            assets[asset.place] = data
            left -= len(data)
    return assets


def _own_picture(read: ReadCard, lost: Findings) -> bytes | None:
    """The picture without the card in it: that is kept in one place only."""
    source = read.source
    if read.source_format != "png":
        return None
    size = len(source) if isinstance(source, bytes) else source.stat().st_size
    if size > _KEPT_BYTES:
        _lose(lost, "the picture", f"it is larger than {_KEPT_BYTES} bytes")
        return None
    return png.with_texts(
        source if isinstance(source, bytes) else source.read_bytes(),
        {},
        lambda keyword: keyword.lower() in CARD_KEYWORDS,
        Findings(),
        DEFAULT_LIMITS,
    )


def _lose(lost: Findings, name: str, why: str) -> None:
    lost.warn("asset-lost", "data.assets", f"the asset {name[:60]!r} is not kept: {why}")


def read_picture(file: CardSource) -> bytes:
    """A PNG picture for a card.

    Raises:
        UsageError: it is none, or cannot be read.
    """
    data = file.data if isinstance(file, SentFile) else _bytes_of(Path(file).expanduser())
    if not data.startswith(png.SIGNATURE):
        raise UsageError(f"{str(file)!r} is no PNG picture", "convert it to PNG")
    return data


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error.strerror}", "name a PNG") from error
