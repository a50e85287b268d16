"""The cast of a text: its people, where they are named, and what they say; plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class CastMember:
    """A person of a text: the fullest name, all its forms, the name among them.

    ``gender`` is ``m``, ``f``, or empty where the text does not tell.
    """

    name: str
    aliases: tuple[str, ...]
    gender: Literal["m", "f", ""] = ""


@dataclass(frozen=True, slots=True)
class CastMention:
    """Where a text names a member of its cast.

    ``text`` counts the texts and ``member`` the members of the cast, from 0; ``start`` and ``end``
    are offsets in the text.
    """

    text: int
    start: int
    end: int
    member: int


SpeakerBasis = Literal["explicit", "anaphoric", "implicit", "model"]
"""By what a speaker is told: a name at the quotation, a pronoun or noun, the turns of the talk; or
the word of a model."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words that somebody says; ``speaker`` is a member of the cast, None where it stays open.

    ``start`` and ``end`` are offsets in the text, quotation marks included. ``basis`` is None where
    the speaker is.
    """

    text: int
    start: int
    end: int
    speaker: int | None = None
    basis: SpeakerBasis | None = None


@dataclass(frozen=True, slots=True)
class Cast:
    """Who is in one or more texts, where they are named, and what they say, in reading order."""

    members: tuple[CastMember, ...] = ()
    mentions: tuple[CastMention, ...] = ()
    quotations: tuple[Quotation, ...] = ()
