"""What the native API answers about cards and lorebooks; see `shapes`.

Takes: nothing.  Gives: models for responses.
"""

from __future__ import annotations

from typing import Literal

from offbook.server.native.shapes import CharacterCreated, Shape

Severity = Literal["error", "warning", "note"]
CardKind = Literal["card", "lorebook"]


class FindingShown(Shape):
    """Something about a file, and how to mend it."""

    code: str
    severity: Severity
    path: str
    message: str
    mend: str


class DocumentMade(Shape):
    """A document that the text of a card became."""

    id: str
    name: str
    status: str


class CardTaken(Shape):
    """What became of a card or a lorebook."""

    file: str
    kind: CardKind
    documents: list[DocumentMade]
    greetings: int
    entries: int
    warnings: list[FindingShown]


class CharacterWithCard(CharacterCreated):
    """A character, and what became of the card or lorebook that it was given."""

    card: CardTaken


class CharacterMadeOf(CharacterCreated):
    """A new character; with ``card`` where it was made from one."""

    card: CardTaken | None = None


class EntryShown(Shape):
    """An entry of a lorebook."""

    title: str
    keys: list[str]
    secondary_keys: list[str]
    constant: bool
    enabled: bool
    tokens: int
    text: str


class LorebookShown(Shape):
    """A lorebook."""

    name: str
    scan_depth: int | None
    token_budget: int | None
    entries: list[EntryShown]


class Spoken(Shape):
    """A line of an example dialogue."""

    name: str
    text: str


class CardFields(Shape):
    """The fields of a card."""

    spec: str | None
    version: int
    name: str
    nickname: str
    creator: str
    character_version: str
    tags: list[str]
    creator_notes: str
    description: str
    personality: str
    scenario: str
    greetings: list[str]
    example_dialogues: list[list[Spoken]]
    voice: list[str]
    system_prompt: str
    post_history_instructions: str
    extensions: list[str]
    unknown_macros: list[str]


class AssetShown(Shape):
    """A picture or another file that a card names or brings along."""

    type: str
    name: str
    ext: str
    kind: str
    bytes: int | None


class CardShown(Shape):
    """What is in a card or a lorebook."""

    kind: CardKind
    file: str
    format: str
    card: CardFields | None
    lorebook: LorebookShown | None
    assets: list[AssetShown]
    warnings: list[FindingShown]


class CardLinted(Shape):
    """What is the matter with a card or a lorebook."""

    file: str
    kind: CardKind
    format: str
    ok: bool
    errors: int
    warnings: int
    findings: list[FindingShown]


class CardWritten(Shape):
    """A file that was made, and what it does not carry."""

    file: str
    format: str
    bytes: int
    losses: list[FindingShown]
    content_base64: str


class CardFileListed(Shape):
    """A card or lorebook of a character, and the document that its text became."""

    document: str
    kind: str
    file: str
    format: str
