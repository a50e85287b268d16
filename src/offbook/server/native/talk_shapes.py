"""What the native API answers to questions, and of conversations; see `shapes`.

Takes: nothing.  Gives: models for responses.
"""

from __future__ import annotations

from offbook.server.native.shapes import Place, Shape, Spent
from offbook.types import ContextKind, Verdict


class Item(Shape):
    """One piece of what a reply rests on."""

    kind: ContextKind
    title: str
    text: str
    score: float
    sources: list[Place]


class Reason(Shape):
    """Why an entity lies inside or outside of what the character knows."""

    entity: str
    reason: str


class Judged(Shape):
    """Whether the question lies within what the character knows."""

    verdict: Verdict
    reasons: list[Reason]


class LeftOut(Shape):
    """What was found and not used."""

    kind: str
    title: str
    why: str


class Recalled(Shape):
    """What a reply would rest on."""

    character: str
    method: str
    preset: str
    question: str
    context: list[Item]
    boundary: Judged | None
    emotion: dict[str, int | float] | None
    mood: dict[str, int | float] | None
    fallback: bool | None
    skipped: list[LeftOut]
    as_of: str | None
    usage: Spent


class Replied(Recalled):
    """A reply, and what it rests on."""

    reply: str


class ConversationListed(Shape):
    """A conversation of the caller's."""

    session: str
    user: str | None
    created: str
    updated: str


class TurnListed(Shape):
    """A turn of a conversation, with what its reply rested on."""

    id: str
    said: str
    answered: str
    at: str
    recall: dict[str, object] | None
