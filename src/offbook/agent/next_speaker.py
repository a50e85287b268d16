"""Who speaks next in a conversation of several: whoever is addressed, concerned, or next by turn.

Takes: those who may speak, with their names, and the lines so far.  Gives: one of them, or all who
are addressed at once. No model is asked. Source: turn-taking as Sacks, Schegloff and Jefferson
(1974) describe it: whoever is selected by the speaker goes first; the names and marks are ours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from offbook.names.titles import TITLES
from offbook.text.words import fold

_GREETS: Final = r"hello|hi|hey|dear|oh|and|but|well|now|you|yes|no|thanks|thank you|please|or"
_ALL: Final = re.compile(
    r"\b(?:both|all|each|either) of you\b|\byou (?:both|two|three|all)\b|\bevery(?:one|body)\b",
    re.IGNORECASE,
)
_TO_SOMEBODY: Final = re.compile(r"\b(?:you|your|yours)\b|\?|[你您？]", re.IGNORECASE)
_READ: Final = 4_000
"""Letters of a line that are looked at: whom a speech is for is said at its ends."""


@dataclass(frozen=True, slots=True)
class Line:
    """What somebody said; ``character`` is their id, None: it is the person."""

    name: str
    text: str
    character: str | None = None


def next_speakers(people: Mapping[str, Sequence[str]], lines: Sequence[Line]) -> tuple[str, ...]:
    """Whose turn it is.

    Args:
        people: The ids of those who may speak, in their order, each with the names they have.
        lines: What was said, oldest first.

    Returns:
        One id, or those of all whom the last line addresses.
    """
    last = lines[-1] if lines else None
    spoken = {line.character: place for place, line in enumerate(lines)}
    by_turn = sorted(people, key=lambda one: spoken.get(one, -1))
    others = [one for one in by_turn if last is None or one != last.character]
    if last is None or not others:
        return tuple(by_turn[:1])
    text = last.text if len(last.text) <= 2 * _READ else last.text[:_READ] + last.text[-_READ:]
    forms = _forms(people)
    addressed = _places(_vocative, forms, text, others)
    if addressed:
        return tuple(addressed)
    if last.character is None and _ALL.search(text):
        return tuple(others)
    if concerned := _places(_name, forms, text, others):
        return tuple(concerned[:1])
    before = next((line.character for line in reversed(lines[:-1]) if line.character), None)
    # What a person says without a name goes on with whom they were talking to.
    if last.character is None and before in others and _TO_SOMEBODY.search(text):
        return (before,)
    return tuple(others[:1])


def _forms(people: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The names by which each is meant and nobody else: in full, and single words of them."""
    forms = {one: _forms_of(names) for one, names in people.items()}
    shared = Counter(form for names in forms.values() for form in names)
    return {one: [form for form in names if shared[form] == 1] for one, names in forms.items()}


def _forms_of(names: Sequence[str]) -> set[str]:
    words = {word for name in names for word in name.split() if word[:1].isupper()}
    single = {word.strip(".,") for word in words if fold(word.strip(".,")) not in TITLES}
    return {*names, *single} - {""}


def _places(
    pattern: Callable[[str], re.Pattern[str]],
    forms: Mapping[str, Sequence[str]],
    text: str,
    among: Sequence[str],
) -> list[str]:
    """Those whom a text names so, in the order in which it does."""
    first: dict[str, int] = {}
    for one in among:
        found_at = [match.start() for form in forms[one] if (match := pattern(form).search(text))]
        if found_at:
            first[one] = min(found_at)
    return sorted(first, key=first.__getitem__)


@cache
def _name(form: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(form)}(?!\w)")


@cache
def _vocative(form: str) -> re.Pattern[str]:
    """A name that calls somebody: set off by marks on both sides, or behind a greeting."""
    start = rf"(?:^|[.!?…:;,\n—–-]\s*[\"'“‘]?|\b(?:{_GREETS})\s+(?:my (?:dear\s+)?)?)"
    titles = r"(?:(?:Mr|Mrs|Miss|Ms|Sir|Lady|Captain|Dr|Master|Madam|Monsieur)\.?\s+)?"
    return re.compile(
        rf"{start}{titles}{re.escape(form)}(?=\s*(?:[,.!?…:;\n—–-]|$)|\s+(?:and|or)\s)",
        re.IGNORECASE if len(form) > 2 else 0,
    )
