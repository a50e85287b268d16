"""Files of other programs, as they are read and written: cards, lorebooks, chat logs.

Takes: nothing.  Gives: frozen shapes without I/O, which the core and the readers share.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from offbook.types import Finding


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file that is no file of this machine: its bytes, and what its sender calls it.

    The name tells the type, and names what comes of it; it leads nowhere.
    """

    name: str
    data: bytes = field(repr=False)

    def __str__(self) -> str:
        """Its name, without folders."""
        return PurePosixPath(self.name.replace("\\", "/")).name or "file"


CardSource = Path | str | SentFile
"""Where a card, a lorebook or a chat log is read from."""


@dataclass(frozen=True, slots=True)
class CharacterPart:
    """A document that a card or a lorebook becomes; ``raw`` is the object it was made of."""

    name: str
    text: str
    kind: Literal["card", "card_lorebook", "lorebook"]
    format: str
    raw: dict[str, Any]


@dataclass(frozen=True, slots=True)
class CharacterFile:
    """What a card or a lorebook of another program says about a character.

    ``name`` is the card's (empty: a lorebook), ``raw`` all of it, ``words`` what every conversation
    says or tells, ``assets`` bytes by place (empty: the card's picture), ``findings`` what is lost.
    Of ``entries``, ``never_fit`` are larger than all entries together may be.
    """

    kind: Literal["card", "lorebook"]
    name: str
    raw: dict[str, Any]
    parts: tuple[CharacterPart, ...]
    entries: int
    findings: tuple[Finding, ...]
    words: Mapping[str, Any] = field(default_factory=dict)
    assets: Mapping[str, bytes] = field(default_factory=dict)
    never_fit: int = 0


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A card or a lorebook as a file of other programs, and what that does not carry."""

    file: str
    format: str
    data: bytes = field(repr=False)
    losses: tuple[Finding, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The shape of ``card convert --json``, and of ``card export --json`` with the name."""
        return {
            "file": self.file,
            "format": self.format,
            "bytes": len(self.data),
            "losses": [finding.as_json() for finding in self.losses],
        }


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """A turn of a chat log: what was said, what was answered, and when.

    Where a text is empty there is no message. ``swipes`` are all replies to the same words;
    ``swipe`` is the one that counts. ``speaker`` said it, empty: the person.
    """

    said: str
    answered: str
    at: str | None = None
    swipes: tuple[str, ...] = ()
    swipe: int = 0
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class ChatRead:
    """What a chat log says to a character and what that answers, and notes for a person."""

    turns: tuple[ChatTurn, ...]
    notes: tuple[str, ...]
