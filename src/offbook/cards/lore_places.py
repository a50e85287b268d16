"""Where an entry of a lorebook wants to stand: before or after the character, or among the talk.

Takes: an entry.  Gives: its place in the order in which entries are told, and what of its wishes
is not followed. Source: Character Card V2 and V3 specifications; SillyTavern, "World Info".

All entries stand together behind the conversation, since what changes with every question must
not stand in front of what does not (providers' caches). So a place is one among entries: what
belongs before the character first, what belongs nearest to the last message last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from offbook.cards.decorators import Decorated
from offbook.cards.lorebook import LoreEntry

_BEFORE, _AFTER, _EXAMPLES, _TALK = 0, 1, 2, 3
_NOTE_DEPTH: Final = 4  # where SillyTavern puts the author's note, unless somebody moves it

# SillyTavern's numbers: part of the prompt, and what stands there already.
_NUMBERED: Final = {
    0: (_BEFORE, 0),
    1: (_AFTER, 0),
    2: (_TALK, -1),  # above the author's note
    3: (_TALK, 1),  # below it
    4: (_TALK, 0),  # at a depth of its own
    5: (_EXAMPLES, -1),  # above the example dialogue
    6: (_EXAMPLES, 1),  # below it
}
_DEPTH: Final = 4
_OUTLET: Final = 7
_DESCRIBED: Final = {"before_desc": _BEFORE}


@dataclass(frozen=True, slots=True, order=True)
class LorePlace:
    """A place in the order of entries: part of the prompt, depth, side, and ``insertion_order``.

    ``nearness`` is the depth counted so that what is nearer to the end of the talk is greater.
    """

    part: int
    nearness: int
    side: int
    order: float


def place_of(entry: LoreEntry, messages: int) -> LorePlace:
    """The place of an entry in a conversation of so many messages."""
    part, side, depth = _wanted(entry, entry.decorated, messages)
    return LorePlace(part, -depth if part == _TALK else 0, side, entry.insertion_order)


def _wanted(entry: LoreEntry, decorated: Decorated, messages: int) -> tuple[int, int, int]:
    """Part, side and depth; a decorator wins over a field, and a position over a depth."""
    if decorated.has("position"):
        return _DESCRIBED.get(decorated.known["position"], _AFTER), 0, 0
    depth = decorated.whole("depth")
    if depth is None and (counted := decorated.whole("reverse_depth")) is not None:
        depth = max(0, messages - counted)
    if depth is not None:
        return _TALK, 0, depth
    number = entry.extensions.get("position")
    if _is_whole(number) and number in _NUMBERED:
        part, side = _NUMBERED[number]
        own = entry.extensions.get("depth")
        return part, side, max(0, own) if number == _DEPTH and _is_whole(own) else _NOTE_DEPTH
    return (_BEFORE if entry.position == "before_char" else _AFTER), 0, 0


def unheard_wishes(entry: LoreEntry) -> tuple[str, ...]:
    """What of an entry's wishes is read and not followed, in words for a person."""
    extensions, decorated = entry.extensions, entry.decorated
    found = [f"@@{name}: {why}" for name, why in _UNHEARD.items() if decorated.has(name)]
    if decorated.has("depth") or decorated.has("reverse_depth") or extensions.get("position") == 4:
        found.append("depth: it is one in the order of entries, and no place among messages")
    role = extensions.get("role")
    if decorated.has("role") or (_is_whole(role) and role > 0):
        found.append("role: entries are told as what the character knows")
    if extensions.get("position") == _OUTLET:
        found.append("outlet: the entry is told with the others")
    sources = [name for name in _SOURCES if extensions.get(name) is True]
    if sources:
        found.append(f"{', '.join(sources)}: keys are looked for in messages alone")
    kept = extensions.get("offbook/sillytavern")
    only = kept.get("only") if isinstance(kept, dict) else None
    if isinstance(only, dict) and only.get("characterFilter"):
        found.append("characterFilter: whoever has the book may recall the entry")
    return tuple(found)


_UNHEARD: Final = {
    "instruct_depth": "the talk is made of messages",
    "reverse_instruct_depth": "the talk is made of messages",
    "instruct_scan_depth": "the talk is made of messages",
    "is_user_icon": "people have no icons",
    "disable_ui_prompt": "offbook's own rules always stand",
}
_SOURCES: Final = (
    "match_persona_description",
    "match_character_description",
    "match_character_personality",
    "match_character_depth_prompt",
    "match_scenario",
    "match_creator_notes",
)


def _is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
