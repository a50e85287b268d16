"""How likely each person of a scene is to speak, turn by turn, from both sides of the talk.

Takes: for each turn what its words say of each person, and how close it follows the turn before.
Gives: for each turn a probability for each person. Source: a hidden Markov model with the
forward-backward algorithm (Rabiner 1989); that turns alternate, as in O'Keefe et al. 2012 and
Muzny et al. 2017; the probabilities are ours, round figures
that were compared on ten novels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_STEPS: Final = ((0.02, 0.88, 0.1), (0.25, 0.5, 0.25), (0.35, 0.4, 0.25))
"""Whether a turn follows at once: that its speaker is the same, the one spoken to, another."""
_TURNS_TO: Final = 3.0
"""How much likelier it is that somebody called by name is spoken to than all others."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A turn, as arrays over the people of the scene.

    ``fits`` is how likely its words are if a person speaks, ``present`` how likely a person is to
    take the word who did not have it, ``called`` whom it calls by name; ``at_once`` says that it
    follows the turn before without narration.
    """

    fits: Floats
    present: Floats
    called: Sequence[int]
    apart: int


def speaking(turns: Sequence[Seen]) -> list[Floats]:
    """For each turn the probability of each person to be its speaker; the state is a pair.

    Of a pair the first speaks and the second is spoken to, who spoke before or is called by name.
    """
    if not turns:
        return []
    n = len(turns[0].fits)
    if n == 1:
        return [np.ones(1) for _ in turns]
    apart = 1.0 - np.eye(n)
    states: list[Floats] = []
    state = np.outer(turns[0].present, turns[0].present) * apart
    for number, turn in enumerate(turns):
        if number:
            state = _step(state, turn, apart)
        state = state * turn.fits[:, None]
        states.append(state / state.sum())
        state = _redirect(states[-1], turn, apart)
    later = apart
    posteriors: list[Floats] = []
    for number in range(len(turns) - 1, -1, -1):
        turn = turns[number]
        both = states[number] * _redirect_back(later, turn, apart)
        posterior = both.sum(axis=1)
        posteriors.append(posterior / posterior.sum())
        later = _step_back(_redirect_back(later, turn, apart) * turn.fits[:, None], turn, apart)
        later /= later.max()
    return posteriors[::-1]


def _step(state: Floats, turn: Seen, apart: Floats) -> Floats:
    same, back, new = _STEPS[turn.apart]
    fresh = np.outer(turn.present, state.sum(axis=1)) - turn.present[:, None] * state.T
    return (same * state + back * state.T + new * fresh) * apart


def _step_back(later: Floats, turn: Seen, apart: Floats) -> Floats:
    same, back, new = _STEPS[turn.apart]
    fresh = (turn.present @ later)[:, None] - (turn.present[:, None] * later).T
    return (same * later + back * later.T + new * fresh) * apart


def _redirect(state: Floats, turn: Seen, apart: Floats) -> Floats:
    for person in turn.called:
        moved = state.copy()
        moved[:, person] += _TURNS_TO * state.sum(axis=1)
        state = moved * apart
    return state


def _redirect_back(later: Floats, turn: Seen, apart: Floats) -> Floats:
    for person in reversed(turn.called):
        later = (later + _TURNS_TO * later[:, person][:, None]) * apart
    return later
