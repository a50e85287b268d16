"""The rest of a reply that has begun already, without its beginning said over again.

Takes: pieces of an answer, and the words that it was to go on from.  Gives: pieces of the rest.
Some models go on, others begin anew with the words that they were given: both are told alike.
"""

from __future__ import annotations


class Rest:
    """Takes the beginning off an answer that repeats it.

    Args:
        begun: The words that the reply begins with; empty: nothing is held back.
    """

    def __init__(self, begun: str) -> None:
        self._begun = begun.strip()
        self._held = ""
        self._decided = not self._begun

    def feed(self, piece: str) -> str:
        """What ``piece`` adds to the rest; it may be nothing yet."""
        if self._decided:
            return piece
        self._held += piece
        shown = self._held.lstrip()
        if len(shown) < len(self._begun) and self._begun.startswith(shown):
            return ""
        return self._decide(shown)

    def finish(self) -> str:
        """What was held back when no more comes: it only resembled the beginning."""
        held, self._held = self._held, ""
        return "" if self._decided else held

    def _decide(self, shown: str) -> str:
        held, self._held, self._decided = self._held, "", True
        return shown[len(self._begun) :] if shown.startswith(self._begun) else held
