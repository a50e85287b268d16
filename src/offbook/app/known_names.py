"""The names that a character's graph knows, for a person who types one.

Takes: what was typed.  Gives: the name as the texts spell it, where it stands, and, where nobody
bears it, the nearest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from offbook.errors import UnknownName, UsageError
from offbook.graph.equal_names import name_key
from offbook.graph.loading import load_story
from offbook.graph.mentions import find_mention
from offbook.stores import characters, graph

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.graph.point_in_time import Story
    from offbook.types import Character, Decision

MOST_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class Names:
    """The names of mentions, and those that a person gave.

    Args:
        character: Whose graph.
        mentions: Raw entity -> its name, in reading order.
        chunks: Name key -> the chunks that mention it, in reading order.
        spellings: Name key -> how the name is spelled first.
        words: What persons have said on names.
        story: The chunks.
    """

    character: Character
    mentions: Mapping[str, str]
    chunks: Mapping[str, Sequence[str]]
    spellings: Mapping[str, str]
    words: Sequence[Decision]
    story: Story

    @classmethod
    def read(cls, conn: Connection, character: Character) -> Names:
        """What is stored now."""
        mentions: dict[str, str] = {}
        chunks: dict[str, dict[str, None]] = {}
        spellings: dict[str, str] = {}
        for mention in graph.list_raw_entities(conn, character.id):
            mentions[mention.id] = mention.name
            if key := name_key(mention.name):
                spellings.setdefault(key, mention.name)
                chunks.setdefault(key, {})[mention.chunk] = None
        words = [
            decision
            for decision in graph.list_decisions(conn, character.id)
            if decision.by == graph.PERSON and decision.a not in mentions
        ]
        for word in words:
            for name in (word.a, word.b):
                spellings.setdefault(name_key(name), name)
        places = {key: list(found) for key, found in chunks.items()}
        story = load_story(conn, character.id)
        return cls(character, mentions, places, spellings, words, story)

    def spelled(self, typed: str) -> str:
        """The name as it is known, or as it was typed.

        Raises:
            UsageError: it is no name, or too long for one.
        """
        name = " ".join(typed.split())
        key = name_key(name)
        if not key:
            raise UsageError(f"{typed!r} is no name", "give one with a letter or a digit")
        if len(name) > MOST_CHARS:
            raise UsageError(
                f"{name[:40] + '...'!r} is too long for a name",
                f"a name has at most {MOST_CHARS} characters",
            )
        return self.spellings.get(key, name)

    def known(self, name: str) -> bool:
        """Whether a text or a person has this name."""
        return name_key(name) in self.spellings

    def unknown(self, names: Sequence[str]) -> UnknownName:
        """The error that nobody bears these names."""
        whose = f"the graph of {self.character.name!r}"
        called = " or ".join(map(repr, names))
        otherwise = f"list who there is with: offbook show {self.character.id} entities"
        known = list(self.spellings.values())
        hints = [characters.nearest(name, known, otherwise) for name in names]
        close = [hint for hint in hints if hint != otherwise]
        return UnknownName(f"in {whose} nobody is called {called}", (close or hints)[0])

    def evidence(self, a: str, b: str) -> tuple[str, ...]:
        """The chunks that speak of both; else the first that speaks of each."""
        of_a, of_b = self._places(a), self._places(b)
        both = [chunk for chunk in of_a if chunk in set(of_b)]
        return tuple(both or dict.fromkeys([*of_a[:1], *of_b[:1]]))

    def _places(self, name: str) -> Sequence[str]:
        """The chunks that mention a name; one that was never extracted is looked for."""
        found = self.chunks.get(name_key(name))
        if found is not None:
            return found
        chunks = self.story.chunks.values()
        return [chunk.id for chunk in chunks if find_mention(chunk.text, name) is not None]
