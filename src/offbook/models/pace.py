"""How many calls an endpoint takes at once, learned from what it refuses.

Takes: successes and refusals (429), each with how many calls were in flight when it went out.
Gives: how many may be in flight.  Source: ours; like the congestion control of TCP, with a memory.

A refusal halves what is allowed, and what was allowed before comes back within a few successes: an
endpoint that is short of time for a moment costs little. What was refused *because of* the number
in flight is remembered as the top, and only tried again after many successes, of which more are
asked for each time that it is refused again: an endpoint with room for eight calls refuses one
call in a hundred, not every tenth.
"""

from __future__ import annotations

from typing import Final

_PATIENCE: Final = 64
_LEAST_PATIENCE: Final = 8
_MOST_PATIENCE: Final = 512
_PROOF: Final = 16
"""Successes after which a refusal of no more calls than before is taken for an accident."""


class Pace:
    """The number of calls in flight that one endpoint takes.

    Args:
        most: The most that are wanted.
    """

    def __init__(self, most: int) -> None:
        self._most = self._top = most
        self._allowed = float(most)
        self._proven = 0
        self._patience = _PATIENCE
        self._successes = 0
        self._epoch = 0
        self._epoch_top = most

    @property
    def allowed(self) -> int:
        """Calls that may be in flight now."""
        return max(1, int(self._allowed))

    @property
    def epoch(self) -> int:
        """Grows with each refusal that tells something new; to be noted when a call goes out."""
        return self._epoch

    def succeeded(self, level: int) -> None:
        """Learn from a call that went out as number ``level`` of those in flight."""
        if self._allowed < self._top:
            self._allowed = min(self._top, self._allowed + 1)
        if 2 * level < self._top:
            return  # a call that is nearly alone says nothing of how many are too many
        self._successes += 1
        if self._successes >= _PROOF:
            self._proven = max(self._proven, self._top)
        if self._successes >= self._patience and self._top < self._most:
            self._top += 1
            self._successes = 0
            self._patience = max(_LEAST_PATIENCE, self._patience // 2)

    def refused(self, level: int, epoch: int) -> None:
        """Learn from a refused call.

        Args:
            level: How many calls were in flight with it when it went out.
            epoch: ``epoch`` at that time.
        """
        if epoch != self._epoch:
            # Others that were out at the same time were refused already; but this one may have
            # been among the first of them.
            if self._proven < level:
                self._lower(level - 1)
            return
        self._epoch += 1
        self._epoch_top = self._top
        self._allowed = max(1.0, self._allowed / 2)
        if level > self._proven:
            if self._proven:  # it was tried whether there is more room, and there is none
                self._patience = min(_MOST_PATIENCE, 4 * self._patience)
            self._lower(level - 1)
        elif self._successes < _PROOF:
            self._lower(self._top - 1)
        self._successes = 0

    def _lower(self, top: int) -> None:
        """Remember that more than ``top`` calls were too many, but be halved at most."""
        least = max(1, self._epoch_top // 2)
        self._top = min(self._top, max(least, top))
        self._proven = min(self._proven, self._top)
        self._allowed = min(self._allowed, self._top)
