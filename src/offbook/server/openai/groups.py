"""Group chats of SillyTavern: whose turn it is, and whose words a message holds.

Takes: messages as it sends them in a group: all characters as ``assistant``, each behind its name
or with a ``name`` field; the members and whose turn it is in system messages.  Gives: the words of
others as theirs. Source: ``setOpenAIMessages`` of SillyTavern 1.12 to 1.19, and the wording that it
ships for a new group chat and for whose turn it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from offbook.server.openai.body import ChatMessage
from offbook.text.words import fold

if TYPE_CHECKING:
    from offbook.types import Character

SPEAK: Final = re.compile(r"\W{0,9}write the next reply only as\b(.{0,200})", re.IGNORECASE)
"""How SillyTavern says in a group whose turn it is."""
_MEMBERS: Final = re.compile(
    r"\[start a new group chat\.?\s{0,9}group members:(.{1,4000}?)\]", re.IGNORECASE | re.DOTALL
)
_PREFIX: Final = re.compile(r"\s{0,9}([^\W\d_][^\n:]{0,59}):(?=\s)")
"""A name in front of a message, where no list says who the members are."""
_LONGEST: Final = 6
"""Words of such a name."""
_READ: Final = 10_000


@dataclass(frozen=True, slots=True)
class Group:
    """Who is in a group chat, and whose turn it is; either may not be known."""

    members: tuple[str, ...] = ()
    speaking: str = ""

    def others(self, own: Sequence[str]) -> tuple[str, ...]:
        """The members but for the character of these names."""
        mine = set(map(_plain, own))
        return tuple(name for name in self.members if _plain(name) not in mine)


def group_of(messages: Sequence[ChatMessage]) -> Group | None:
    """The group that a request is of; None: it is of none."""
    texts = [message.text[:_READ] for message in messages if message.role == "system"]
    turns = [match for text in texts if (match := SPEAK.match(text))]
    lists = [match for text in texts if (match := _MEMBERS.search(text))]
    if not turns and not lists:
        return None
    names = tuple(name.strip() for name in lists[-1][1].split(",")) if lists else ()
    return Group(tuple(filter(None, names)), turns[-1][1].strip(" .]\n") if turns else "")


def own_names(character: Character, group: Group) -> tuple[str, ...]:
    """The names under which a character's own words come.

    Where whose turn it is has a name that is not its own, the client calls it so.
    """
    listed = character.settings.get("names", ())
    return (character.name, character.id, *listed, *([group.speaking] if group.speaking else []))


def set_apart(
    messages: Sequence[ChatMessage], group: Group, own: Sequence[str]
) -> list[ChatMessage]:
    """The messages, those of other characters as what these have said."""
    return [part for message in messages for part in _parts(message, group, own)]


def _parts(message: ChatMessage, group: Group, own: Sequence[str]) -> Iterator[ChatMessage]:
    if message.role != "assistant":
        yield message
        return
    mine = set(map(_plain, own))
    for name, text in _named(message, group, own):
        if name and _plain(name) not in mine:
            yield ChatMessage("user", text, speaker=name)
        else:
            yield replace(message, text=text, name=None)


def _named(message: ChatMessage, group: Group, own: Sequence[str]) -> list[tuple[str, str]]:
    """The words of a message, each with whose they are; several where a client has merged some."""
    known = {_plain(name): name for name in (*own, *group.members)}
    if message.name:  # of which SillyTavern sends letters, digits and underscores alone
        name = known.get(_plain(message.name), message.name.replace("_", " "))
        rest = _PREFIX.match(message.text)
        is_twice = rest is not None and _plain(rest[1]) == _plain(name)
        return [(name, message.text[rest.end() :].strip() if is_twice and rest else message.text)]
    if group.members:
        forms = "|".join(map(re.escape, sorted(known.values(), key=len, reverse=True)))
        parts = re.split(rf"(?:\A\s{{0,9}}|\n\n)({forms}):(?=\s)", message.text)
        before = [("", parts[0])] if parts[0].strip() else []
        pairs = zip(parts[1::2], parts[2::2], strict=True)
        return [*before, *((name, text.strip()) for name, text in pairs if text.strip())]
    head = _PREFIX.match(message.text)
    if head is None or len(head[1].split()) > _LONGEST or head[1][0].islower():
        return [("", message.text)]
    return [(head[1].strip(), message.text[head.end() :].strip())]


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, fold(name)))
