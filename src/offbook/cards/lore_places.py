"""Where entries of a lorebook stand in the prompt, and which of their wishes nobody follows.

Takes: an entry and the length of the conversation.  Gives: its place in the order of entries.
Source: V3 specification; SillyTavern's documentation, "World Info".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from offbook.cards.decorators import Decorated
from offbook.cards.lorebook import LoreEntry
from offbook.cards.raw_json import count_of, extension_of, object_of, whole_of

_BEFORE, _AFTER, _EXAMPLES, _TALK = 0, 1, 2, 3
_NOTE_DEPTH: Final = 4  # where SillyTavern puts the author's note, unless somebody moves it

# SillyTavern's numbers: part of the prompt, and what stands there already.
_NUMBERED: Final[Mapping[int | None, tuple[int, int]]] = {
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


@dataclass(frozen=True, slots=True, order=True)
class LorePlace:
    """A place in the order of entries: part of the prompt, depth, side, and ``insertion_order``.

    All entries stand together behind the conversation, since what changes with every question must
    not stand in front of what does not (providers' caches). What belongs before the character
    comes first, what belongs nearest to the last message last.

    ``nearness`` is the depth counted so that what is nearer to the end of the talk is greater.
    """

    part: int
    nearness: int
    side: int
    order: float


def place_of(entry: LoreEntry, messages: int) -> LorePlace:
    """The place of an entry in a conversation of so many messages."""
    part, side, depth = _placed(entry, entry.decorated, messages)
    return LorePlace(part, -depth if part == _TALK else 0, side, entry.insertion_order)


def _placed(entry: LoreEntry, decorated: Decorated, messages: int) -> tuple[int, int, int]:
    """Part, side and depth; a decorator wins over a field, and a position over a depth."""
    if decorated.has("position"):
        return _DESCRIBED.get(decorated.known["position"], _AFTER), 0, 0
    depth = decorated.whole("depth")
    if depth is None and (counted := decorated.whole("reverse_depth")) is not None:
        depth = max(0, messages - counted)
    if depth is not None:
        return _TALK, 0, depth
    number = whole_of(entry.extensions.get("position"))
    if number in _NUMBERED:
        part, side = _NUMBERED[number]
        own = whole_of(entry.extensions.get("depth")) if number == _DEPTH else None
        return part, side, _NOTE_DEPTH if own is None else max(0, own)
    return (_BEFORE if entry.position == "before_char" else _AFTER), 0, 0


def unheard_wishes(entry: LoreEntry) -> tuple[str, ...]:
    """What of an entry's wishes is read and not followed, in words for a person."""
    extensions, decorated = entry.extensions, entry.decorated
    unheard = [f"@@{name}: {why}" for name, why in _UNHEARD.items() if decorated.has(name)]
    if decorated.has("depth") or decorated.has("reverse_depth") or extensions.get("position") == 4:
        unheard.append("depth: it is one in the order of entries, and no place among messages")
    if decorated.has("role") or count_of(extensions.get("role")):
        unheard.append("role: entries are told as what the character knows")
    if extensions.get("position") == _OUTLET:
        unheard.append("outlet: the entry is told with the others")
    sources = [name for name in _SOURCES if extensions.get(name) is True]
    if sources:
        unheard.append(f"{', '.join(sources)}: keys are looked for in messages alone")
    only = extension_of(entry.raw, "offbook/sillytavern").get("only")
    if object_of(only).get("characterFilter"):
        unheard.append("characterFilter: whoever has the book may recall the entry")
    return tuple(unheard)
