"""Files of cards and lorebooks: read for a character, looked into, checked, converted, written.

Takes: a path, or bytes with a name.  Gives: what is in it, or the bytes of another file.  Nothing
of it is obeyed, fetched or stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from offbook.cards import png
from offbook.cards.card import Card, Version
from offbook.cards.findings import Findings
from offbook.cards.lint import RULES, lint, lint_lorebook
from offbook.cards.lorebook import USUAL_TOKENS, Lorebook
from offbook.cards.lorebook_files import (
    ReadLorebook,
    lorebook_losses,
    read_lorebook,
    require_format,
    write_lorebook,
)
from offbook.cards.macros import MacroValues, unknown_macros
from offbook.cards.persona import (
    conversation_words,
    example_dialogues,
    lore_document,
    persona_document,
    voice_samples,
)
from offbook.cards.reading import CARD_KEYWORDS, ReadCard, holds_text, open_assets, read_card
from offbook.cards.sources import DEFAULT_LIMITS
from offbook.cards.writing import FORMATS, write_card
from offbook.errors import UnreadableCard, UsageError
from offbook.foreign_files import CardSource, CharacterFile, CharacterPart, SentFile, WrittenFile
from offbook.text.tokens import count_tokens
from offbook.types import Finding

_VERSIONS: Final[tuple[Version, ...]] = (1, 2, 3)
_KEPT_BYTES: Final = 32 * 1024 * 1024
"""Of pictures and assets; a database is no place for more."""
_NAMELESS: Final = "name-empty"
_FORMAT_OF: Final = {f".{format_}": format_ for format_ in FORMATS}


def open_file(file: CardSource) -> ReadCard | ReadLorebook:
    """The card or the lorebook in a file, whichever it is.

    Raises:
        UnreadableCard: it holds neither, or is damaged, locked or too large.
    """
    if isinstance(file, SentFile):
        name = str(file)
        if name.lower().endswith(".json"):
            with suppress(UnreadableCard):
                return read_lorebook(file.data, file_name=name)
        return read_card(file.data, file_name=name)
    path = Path(file).expanduser()
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "is not there"
        raise UnreadableCard(f"{str(path)!r} {what}", "name a card or a lorebook")
    if holds_text(path):
        with suppress(UnreadableCard):
            return read_lorebook(path)
    return read_card(path)


class CardFiles:
    """Reads and writes the cards and lorebooks of a character (``protocols.CardReader``)."""

    def read(
        self,
        source: CardSource,
        called: str | None = None,
        *,
        lore_tokens: int = USUAL_TOKENS,
    ) -> CharacterFile:
        """Read a card or a lorebook for a character.

        Args:
            source: The file.
            called: What the character is called, where the file does not say.
            lore_tokens: What entries of lorebooks stay below.

        Raises:
            UnreadableCard: it holds neither, or is damaged, locked or too large.
        """
        read = open_file(source)
        if isinstance(read, ReadLorebook):
            book: Lorebook | None = read.book
            made = _character_book(read, Path(str(source)), called or "")
        else:
            book = read.card.book
            made = _character_card(_named(read, called))
        return made if book is None else replace(made, never_fit=book.never_fit(lore_tokens))

    def rows(
        self,
        card: dict[str, Any] | None,
        books: Sequence[dict[str, Any]],
        *,
        lore_tokens: int = USUAL_TOKENS,
    ) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
        """Return a card and lorebooks, all books in one, as ``card show --json`` has them."""
        row = None if card is None else card_row(Card(card), lore_tokens)
        book_rows = [None if row is None else row.pop("lorebook")]
        book_rows += [book_row(Lorebook(book), lore_tokens) for book in books]
        shown = [book for book in book_rows if book is not None]
        if not shown:
            return row, None
        entries = [entry for book in shown for entry in book["entries"]]
        never_fit = sum(book["never_fit"] for book in shown)
        return row, {**shown[0], "never_fit": never_fit, "entries": entries}

    def write(
        self,
        card: dict[str, Any],
        file: str,
        *,
        spec: int | None = None,
        picture: CardSource | bytes | None = None,
        assets: Mapping[str, bytes] | None = None,
    ) -> WrittenFile:
        """Write a raw card in the format that the ending of ``file`` names.

        Raises:
            UsageError: there is no such format or version, or the picture is no PNG.
        """
        return _written(Card(card), file, spec=spec, picture=picture, assets=assets)


def _named(read: ReadCard, called: str | None) -> ReadCard:
    """Give a card without a name of its own the one that a person gives it."""
    if not called or all(finding.code != _NAMELESS for finding in read.warnings):
        return read
    read.card.name = called
    rest = tuple(finding for finding in read.warnings if finding.code != _NAMELESS)
    return replace(read, warnings=rest)


def _character_card(read: ReadCard) -> CharacterFile:
    card, lore = read.card, ""
    if card.book is not None:
        lore = lore_document(card.book, MacroValues(card.spoken_name), title="Lore")
    bare = card.copy()
    if lore:
        # The card without its book, and the book: each can be forgotten without the other.
        bare.data["character_book"] = None
    text = persona_document(card)
    parts = [CharacterPart("card", text, "card", read.source_format, bare.raw)]
    if lore and card.book is not None:
        parts.append(CharacterPart("card-lore", lore, "card_lorebook", "book", card.book.raw))
    picture, assets, lost = carried(read)
    if picture is not None and picture not in assets.values():
        assets = {"": picture, **assets}
    return CharacterFile(
        kind="card",
        name=" ".join(card.name.split()),
        raw=card.raw,
        parts=tuple(parts),
        entries=0 if card.book is None else len(card.book.entries),
        findings=(*read.warnings, *lost),
        words=conversation_words(card),
        assets=assets,
    )


def _character_book(read: ReadLorebook, file: Path, char: str) -> CharacterFile:
    text = lore_document(read.book, MacroValues(char), title=file.stem)
    if not text:
        raise UsageError(
            f"{str(file)!r} has no entry that is enabled and says something",
            "see: offbook card show FILE",
        )
    # The names of the documents that a card becomes are taken.
    name = f"{file.name}.json" if file.name in ("card", "card-lore") else file.name
    part = CharacterPart(name, text, "lorebook", read.source_format, read.book.raw)
    entries = len(read.book.entries)
    return CharacterFile("lorebook", "", read.book.raw, (part,), entries, read.warnings)


# -- show -----------------------------------------------------------------------------------------


def card_row(card: Card, lore_tokens: int = USUAL_TOKENS) -> dict[str, Any]:
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
        "lorebook": None if card.book is None else book_row(card.book, lore_tokens),
    }


def _macros(card: Card) -> list[str]:
    texts = [card.description, card.personality, card.scenario, card.first_mes, card.mes_example]
    texts += [*card.alternate_greetings, card.system_prompt, card.post_history_instructions]
    texts += [entry.text for entry in card.book.entries] if card.book else []
    return list(dict.fromkeys(macro for text in texts for macro in unknown_macros(text)))


def book_row(book: Lorebook, lore_tokens: int = USUAL_TOKENS) -> dict[str, Any]:
    """A lorebook in the shape of ``card show --json``."""
    return {
        "name": book.name,
        "scan_depth": book.scan_depth,
        "token_budget": book.token_budget,
        "never_fit": book.never_fit(lore_tokens),
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


def show_file(file: CardSource, *, lore_tokens: int = USUAL_TOKENS) -> dict[str, Any]:
    """What is in a file of a card or a lorebook: ``card show --json``.

    Raises:
        UnreadableCard: there is neither in it.
    """
    read = open_file(file)
    head = {"file": str(file), "format": read.source_format}
    tail = {"warnings": [finding.as_json() for finding in read.warnings]}
    if isinstance(read, ReadLorebook):
        row = book_row(read.book, lore_tokens)
        return {"kind": "lorebook", **head, "card": None, "lorebook": row, "assets": [], **tail}
    assets = [
        {"type": a.type, "name": a.name, "ext": a.ext, "kind": a.kind, "bytes": a.size}
        for a in read.assets
    ]
    row = card_row(read.card, lore_tokens)
    book = row.pop("lorebook")
    return {"kind": "card", **head, "card": row, "lorebook": book, "assets": assets, **tail}


# -- convert and write ----------------------------------------------------------------------------


def convert_file(
    source: CardSource,
    target: Path | str,
    *,
    spec: int | None = None,
    lorebook: str | None = None,
    picture: CardSource | None = None,
) -> WrittenFile:
    """Convert a card, or a lorebook, to another format; ``WrittenFile.data`` is to be written.

    Args:
        source: The card or lorebook.
        target: Where to; of a card its suffix is the format.
        spec: Version of the specification, for a card in JSON; None: the card's own.
        lorebook: Format of a lorebook; of a card, its lorebook is written and nothing else.
        picture: A PNG picture for the card; None: the one that it came in.

    Raises:
        UnreadableCard: the source cannot be read.
        UsageError: the target's suffix is no format, or the picture is no PNG.
    """
    read, file = open_file(source), str(target)
    if isinstance(read, ReadLorebook) or lorebook is not None:
        return _written_book(read, file, lorebook or "lorebook_v3")
    card_picture, assets, lost = carried(read)
    shown = card_picture if picture is None else picture
    return _written(read.card, file, spec=spec, picture=shown, assets=assets, lost=lost)


def _written_book(read: ReadCard | ReadLorebook, target: str, format_: str) -> WrittenFile:
    book = read.card.book if isinstance(read, ReadCard) else read.book
    if book is None:
        raise UsageError("the card has no lorebook", "see: offbook card show FILE")
    named = require_format(format_)
    suffix = Path(target).suffix
    if suffix.lower() in (".png", ".charx"):
        raise UsageError(
            f"a lorebook by itself is JSON, and a {suffix} file is none", "write it as .json"
        )
    return WrittenFile(target, named, write_lorebook(book, named), lorebook_losses(book, named))


def _written(
    card: Card,
    target: str,
    *,
    spec: int | None,
    picture: CardSource | bytes | None,
    assets: Mapping[str, bytes] | None,
    lost: Sequence[Finding] = (),
) -> WrittenFile:
    suffix = Path(target).suffix
    format_ = _FORMAT_OF.get(suffix.lower())
    if format_ is None:
        raise UsageError(
            f"{suffix or 'no suffix'!r} is no format of cards",
            f"name a file that ends as {', '.join(_FORMAT_OF)}",
        )
    if spec is not None and format_ != "json":
        raise UsageError(
            f"a {suffix} file is of its own version, not of {spec}",
            "PNG holds V2 and V3, CHARX holds V3; name a version for a .json file",
        )
    version = next((known for known in _VERSIONS if known == spec), None)
    if spec is not None and version is None:
        raise UsageError(f"there is no version {spec!r} of cards", "1, 2 or 3")
    shown = picture if picture is None or isinstance(picture, bytes) else read_picture(picture)
    written = write_card(card, format_, version=version, picture=shown, assets=assets)
    losses = (*(lost if format_ == "charx" else ()), *written.losses)
    return WrittenFile(target, format_, written.data, losses)


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
    left, places = _KEPT_BYTES, set[str]()
    with open_assets(read) as load:
        for asset in read.assets:
            if asset.kind not in ("member", "chunk") or asset.place in places:
                continue
            places.add(asset.place)
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
    try:
        data = file.data if isinstance(file, SentFile) else Path(file).expanduser().read_bytes()
    except OSError as error:
        raise UsageError(f"{str(file)!r} cannot be read: {error.strerror}", "name a PNG") from error
    if not data.startswith(png.SIGNATURE):
        raise UsageError(f"{str(file)!r} is no PNG picture", "convert it to PNG")
    return data


# -- lint -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LintReport:
    """What is the matter with a file; ``ok`` where it breaks no rule and needed no mending."""

    file: str
    kind: str
    format: str
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> int:
        """Findings that programs stumble over."""
        return sum(finding.severity == "error" for finding in self.findings)

    @property
    def warnings(self) -> int:
        """Findings that were mended, or that show in other ways than was meant."""
        return sum(finding.severity == "warning" for finding in self.findings)

    @property
    def ok(self) -> bool:
        """Whether there is neither."""
        return not self.errors and not self.warnings

    def as_json(self) -> dict[str, Any]:
        """The shape of ``card lint --json``."""
        return {
            "file": self.file,
            "kind": self.kind,
            "format": self.format,
            "ok": self.ok,
            "errors": self.errors,
            "warnings": self.warnings,
            "findings": [finding.as_json() for finding in self.findings],
        }


def lint_file(file: CardSource) -> LintReport:
    """Every rule that a card or lorebook breaks, and all that its reader had to mend.

    Raises:
        UnreadableCard: it cannot be read at all.
    """
    read = open_file(file)
    if isinstance(read, ReadLorebook):
        kind, broken = "lorebook", lint_lorebook(read.book)
    else:
        kind, broken = "card", lint(read.card)
    reported = {(finding.code, finding.path) for finding in broken}
    mended = [_ruled(one) for one in read.warnings if (one.code, one.path) not in reported]
    findings = dict.fromkeys((*mended, *broken))
    return LintReport(str(file), kind, read.source_format, tuple(findings))


def _ruled(mended: Finding) -> Finding:
    """What a reader mended, as severe as the rule says that it broke, if there is one."""
    rule = RULES.get(mended.code)
    return mended if rule is None else replace(mended, severity=rule.severity)
