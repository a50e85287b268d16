"""What a character was told of a name: by whoever it talks to, or by a memory.

Takes: names that a question may hinge on, the conversation, whose memories are seen, a point in
the story.  Gives: for each name that somebody spoke of the memories that say so, found without a
call. Source: ours (methods.md 5); in front of the verdict of RoleRAG (001) section 3.4.

What a person told counts, not what they asked (``language.statements``); an authored memory counts
with both halves. The question itself tells nothing: it is no memory yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from offbook.language.sentences import sentences
from offbook.language.statements import is_statement, names, told_sentences
from offbook.language.words import fold, search_terms
from offbook.prompts.memory_text import HERE, write_memory
from offbook.retrieval.memories import when
from offbook.retrieval.memory_index import View, memory_index
from offbook.stores import memories
from offbook.types import ContextItem

if TYPE_CHECKING:
    from offbook.memory.talk import Talk
    from offbook.protocols import Store
    from offbook.types import Character, MemoryFragment, Message, Position

MOST: Final = 3
"""Memories that speak of one name and are shown; those that say most of the question go first."""
_LOOKED_AT: Final = 200
"""Memories with the name's words that are read, the youngest first."""
_NAMES: Final = 16
_READ: Final = 20_000
"""Characters of one message that are read."""
_EDGES: Final = " .,;:!?\"'“”‘’()"


@dataclass(frozen=True, slots=True)
class Told:
    """What was told of one name.

    Args:
        sentence: The sentence that says most.
        items: The memories that speak of it, as pieces of context.
    """

    sentence: str
    items: tuple[ContextItem, ...]


@dataclass(frozen=True, slots=True)
class _Hearing:
    """One thing that was said to the character, and the sentences of it that tell something."""

    item: ContextItem
    telling: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hearsay:
    """Where to look for what a character was told.

    Args:
        store: Where memories are kept.
        character: Who was told.
        talk: Whose memories are seen.
        history: The conversation so far, without the question.
        until: The point in the story; what was said after it is not known.
    """

    store: Store
    character: Character
    talk: Talk
    history: Sequence[Message] = ()
    until: Position | None = None

    async def of(self, wanted: Iterable[str], question: str) -> dict[str, Told]:
        """Folded name -> what was told of it; names that nobody told of are left out.

        Args:
            wanted: Names, as the question has them.
            question: What is asked.
        """
        asked = list(dict.fromkeys(name.strip() for name in wanted if name.strip()))[:_NAMES]
        if not asked:
            return {}
        remembered = await self._remembered([word for name in asked for word in _words(name)])
        texts = {item.text for item in (hearing.item for hearing in remembered)}
        heard = [one for one in self._in_conversation() if one.item.text not in texts]
        terms = frozenset(search_terms(question))
        found = {fold(name): _told(name, [*heard, *remembered], terms) for name in asked}
        return {name: told for name, told in found.items() if told is not None}

    async def _remembered(self, words: Sequence[str]) -> list[_Hearing]:
        """The memories that may speak of a name, the youngest first."""
        character, principal = self.character.id, self.talk.principal
        found = await self.store.read(
            lambda conn: memories.mentioning(
                conn, character, words, principal=principal, most=_LOOKED_AT
            )
        )
        if found and self.until is not None:
            view = View(character, principal, until=self.until, revision=self.character.revision)
            index = await memory_index(self.store, view)
            seen = {*index.ids, *index.waiting}
            found = [fragment for fragment in found if fragment.id in seen]
        return [_hearing(fragment) for fragment in found]

    def _in_conversation(self) -> list[_Hearing]:
        """What was said before the question, the last first."""
        found: list[_Hearing] = []
        for at, message in enumerate(self.history):
            if message.role != "user":
                continue
            after = self.history[at + 1] if at + 1 < len(self.history) else message
            answered = after.content if after.role == "assistant" else ""
            text = write_memory(message.content, answered)
            telling = told_sentences(message.content[:_READ])
            found.append(_Hearing(ContextItem("memory", HERE, text, 1.0), tuple(telling)))
        return found[::-1]


def _hearing(fragment: MemoryFragment) -> _Hearing:
    text = write_memory(fragment.said, fragment.answered)
    item = ContextItem(
        "memory", when(fragment), text, 1.0, memory=fragment.id, emotion=fragment.emotion
    )
    if fragment.session is not None:
        return _Hearing(item, tuple(told_sentences(fragment.said[:_READ])))
    # Whoever wrote a memory wrote both halves of it: a question in it is about what there is.
    halves = (fragment.said[:_READ], fragment.answered[:_READ])
    return _Hearing(item, tuple(h[start:end] for h in halves for start, end in sentences(h)))


def _told(name: str, heard: Sequence[_Hearing], asked: frozenset[str]) -> Told | None:
    """What was told of a name: first what says most of the question, of equals the youngest."""
    core = core_of(name)
    scored: list[tuple[tuple[int, bool, int], str, ContextItem]] = []
    for at, hearing in enumerate(heard):
        telling = [sentence for sentence in hearing.telling if names(sentence, core)]
        if telling:
            best = max(telling, key=lambda sentence: len(asked & set(search_terms(sentence))))
            shared = len(asked & set(search_terms(best)))
            # "my sister Ilse" says less than "My sister is called Ilse."
            order = -shared, not is_statement(best), at
            scored.append((order, best, hearing.item))
    if not scored:
        return None
    chosen = sorted(scored, key=lambda one: one[0])[:MOST]
    return Told(chosen[0][1], tuple(item for *_, item in chosen))


def core_of(name: str) -> str:
    """The name in what a model may call an entity: "Ilse Berg", of "my sister Ilse Berg"."""
    words = [word.strip(_EDGES) for word in name.split()]
    capitals = [at for at, word in enumerate(words) if word[:1].isupper()]
    return " ".join(words[capitals[0] : capitals[-1] + 1]) if capitals else name.strip(_EDGES)


def _words(name: str) -> list[str]:
    """The longest word of a name: every memory that speaks of it has it."""
    words = core_of(name).split()
    return [max(words, key=len)] if words else []


__all__ = ["MOST", "Hearsay", "Told", "core_of"]
