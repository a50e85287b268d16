"""Whoever talks to a character: what they are called, and what they say of themselves.

Takes: a user's name, a principal, settings.  Gives: what macros of cards stand for, and what the
actor is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from offbook.prompts.reply import Wishes
from offbook.stores import principals

if TYPE_CHECKING:
    from offbook.settings.user import UserSettings


@dataclass(frozen=True, slots=True)
class Person:
    """``called`` is None where nobody said; ``persona`` is what they say of themselves."""

    called: str | None = None
    persona: str = ""

    def wishes(self, sample: int = 0, session: str = "", earlier: int = 0) -> Wishes:
        """What a reply is told of them, and of the conversation that it belongs to."""
        return Wishes(
            called=self.called or "",
            persona=self.persona,
            sample=sample,
            session=session,
            earlier=earlier,
        )


def person_of(user: str | None, principal: str, settings: UserSettings) -> Person:
    """The person behind a principal; what the settings say is said of the owner and nobody else."""
    if principal != principals.OWNER:
        return Person(user)
    return Person(user or settings.name or None, settings.description)
