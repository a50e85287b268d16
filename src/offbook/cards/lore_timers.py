"""How long an entry of a lorebook stays, and rests: sticky, cooldown and delay.

Takes: what runs since earlier messages, and the number of messages.  Gives: what runs now. Source:
SillyTavern's documentation, "World Info", and what its code does where that can be read two ways:
a span ends with the message of its last number, and a rest begins anew where a stay ends.
"""

from __future__ import annotations

from dataclasses import dataclass

from offbook.cards.lorebook import LoreEntry
from offbook.cards.raw_json import count_of


@dataclass(frozen=True, slots=True)
class Span:
    """Messages from ``start`` on, before ``end``.

    One that is ``firm`` holds at its first message too; another is forgotten there, since the same
    message is answered again.
    """

    start: int
    end: int
    firm: bool = False

    def holds(self, now: int) -> bool:
        """Whether it runs at a message."""
        begun = self.start <= now if self.firm else self.start < now
        return begun and now < self.end


@dataclass(frozen=True, slots=True)
class Timers:
    """What runs for one entry; None: nothing of that kind."""

    sticky: Span | None = None
    cooldown: Span | None = None

    def at(self, entry: LoreEntry, now: int) -> Timers:
        """Return what still runs at a message; where a stay has ended, the rest begins."""
        sticky, cooldown = self.sticky, self.cooldown
        rest = count_of(entry.extensions.get("cooldown"))
        if rest and sticky is not None and sticky.end <= now:
            cooldown = Span(now, now + rest, firm=True)
        return Timers(
            sticky if sticky is not None and sticky.holds(now) else None,
            cooldown if cooldown is not None and cooldown.holds(now) else None,
        )

    def after(self, entry: LoreEntry, now: int) -> Timers:
        """Return what runs when the entry was told; what runs already goes on."""
        stay = count_of(entry.extensions.get("sticky"))
        rest = count_of(entry.extensions.get("cooldown"))
        return Timers(
            self.sticky or (Span(now, now + stay) if stay else None),
            self.cooldown or (Span(now, now + rest) if rest else None),
        )
