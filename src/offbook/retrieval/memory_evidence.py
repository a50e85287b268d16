"""What a character was told of a name: by whoever it talks to, or by a memory.

Takes: names that a question may be about, the conversation, whose memories are seen, a point in
the story.  Gives: for each name that somebody spoke of the memories that say so, found without a
call. Source: ours; in front of the verdict of RoleRAG (001), section 3.4.

What a person told counts, not what they asked (``retrieval.statements``); an authored memory counts
with both halves. The question itself tells nothing: it is no memory yet.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from offbook.names.titles import TITLES
from offbook.prompts.emotion import HERE, write_told
from offbook.retrieval.memories import View, memory_index
from offbook.retrieval.memory_search import told_item
from offbook.retrieval.statements import is_statement, names, told_sentences
from offbook.stores import memories
from offbook.text.sentences import sentences
from offbook.text.words import fold, search_terms
from offbook.types import ContextItem

if TYPE_CHECKING:
    from offbook.memory.turns import ConversationContext
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
class MemoryEvidence:
    """What was told of one name.

    Args:
        sentence: The sentence that says most.
        items: The memories that speak of it, as pieces of context; not those that the prompt
            holds word by word anyway.
    """

    sentence: str
    items: tuple[ContextItem, ...]


@dataclass(frozen=True, slots=True)
class _Utterance:
    """One thing that was said to the character, and the sentences of it that tell something.

    ``hidden`` where the prompt holds it word by word, or where statements stand for it.
    """

    item: ContextItem
    telling: tuple[str, ...]
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class EvidenceSearch:
    """Where to look for what a character was told.

    Args:
        store: Where memories are kept.
        character: Who was told.
        conversation: Whose memories are seen.
        history: The conversation so far, without the question.
        until: The point in the story; what was said after it is not known.
    """

    store: Store
    character: Character
    conversation: ConversationContext
    history: Sequence[Message] = ()
    until: Position | None = None

    async def of(self, wanted: Iterable[str], question: str) -> dict[str, MemoryEvidence]:
        """Folded name -> what was told of it; names that nobody told of are left out."""
        trimmed = (name.strip() for name in wanted)
        sought_names = list(dict.fromkeys(name for name in trimmed if core_of(name)))[:_NAMES]
        if not sought_names:
            return {}
        words = [_word(name) for name in sought_names]
        remembered = await self._remembered(words)
        # Long messages take a while to split: other conversations go on meanwhile.
        return await asyncio.to_thread(self._evidence_in, sought_names, words, remembered, question)

    def _evidence_in(
        self,
        sought_names: Sequence[str],
        words: Sequence[str],
        fragments: Sequence[MemoryFragment],
        question: str,
    ) -> dict[str, MemoryEvidence]:
        """What memories and the conversation tell of some names, each found by its word."""
        sought = tuple(dict.fromkeys(map(fold, words)))
        remembered = [_utterance(one, sought, self.conversation.present) for one in fragments]
        texts = {hearing.item.text for hearing in remembered}
        heard = [one for one in self._in_conversation(sought) if one.item.text not in texts]
        terms = frozenset(search_terms(question))
        by_name = {fold(name): _told(name, [*heard, *remembered], terms) for name in sought_names}
        return {name: said_of for name, said_of in by_name.items() if said_of is not None}

    async def _remembered(self, words: Sequence[str]) -> list[MemoryFragment]:
        """The memories that may speak of a name, the youngest first."""
        character, principal = self.character.id, self.conversation.principal
        fragments = await self.store.read(
            lambda conn: memories.mentioning(
                conn, character, words, principal=principal, most=_LOOKED_AT
            )
        )
        if fragments and self.until is not None:
            view = View(character, principal, until=self.until, revision=self.character.revision)
            index = await memory_index(self.store, view)
            visible = {*index.ids, *index.waiting}
            fragments = [fragment for fragment in fragments if fragment.id in visible]
        return fragments

    def _in_conversation(self, words: Sequence[str]) -> list[_Utterance]:
        """What was said before the question with one of some folded words, the last first."""
        utterances: list[_Utterance] = []
        shown = self.conversation.shown
        for place in range(len(self.history) - 1, -1, -1):
            message = self.history[place]
            if message.role != "user":
                continue
            shown -= 1
            telling = _holding(message.content, words, told_sentences)
            if telling:
                text = write_told(message.content, speaker=message.speaker)
                utterances.append(
                    _Utterance(ContextItem("memory", HERE, text, 1.0), telling, shown >= 0)
                )
        return utterances


def _utterance(
    fragment: MemoryFragment, words: Sequence[str], present: Container[str | None]
) -> _Utterance:
    if fragment.session is not None:
        telling = _holding(fragment.said, words, told_sentences)
    else:
        # Whoever wrote a memory wrote both halves of it: a question in it is about what there is.
        halves = fragment.said, fragment.answered
        telling = tuple(
            sentence for half in halves for sentence in _holding(half, words, _all_sentences)
        )
    item = told_item(fragment, 1.0)
    hidden = fragment.retired is not None or (
        fragment.turn is not None and fragment.turn in present
    )
    return _Utterance(item, telling, hidden)


def _holding(text: str, words: Sequence[str], split: Callable[[str], list[str]]) -> tuple[str, ...]:
    """The sentences of a text that hold a folded word; only a text that holds one is split."""
    read = text[:_READ]
    if not _has_word(read, words):
        return ()
    return tuple(sentence for sentence in split(read) if _has_word(sentence, words))


def _has_word(text: str, words: Sequence[str]) -> bool:
    folded = fold(text)
    return any(word in folded for word in words)


def _all_sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def _told(
    name: str, heard: Sequence[_Utterance], question_terms: frozenset[str]
) -> MemoryEvidence | None:
    """What was told of a name: first what says most of the question, of equals the youngest."""
    core = core_of(name)
    scored: list[tuple[tuple[int, bool, int], str, _Utterance]] = []
    for place, hearing in enumerate(heard):
        telling = [sentence for sentence in hearing.telling if names(sentence, core)]
        if telling:
            best = max(
                telling, key=lambda sentence: len(question_terms & set(search_terms(sentence)))
            )
            shared = len(question_terms & set(search_terms(best)))
            # "my sister Ilse" says less than "My sister is called Ilse."
            order = -shared, not is_statement(best), place
            scored.append((order, best, hearing))
    if not scored:
        return None
    scored.sort(key=lambda one: one[0])
    items = [hearing.item for *_, hearing in scored if not hearing.hidden]
    return MemoryEvidence(scored[0][1], tuple(items[:MOST]))


def core_of(name: str) -> str:
    """The name in what a model may call an entity: "Ilse Berg", of "my sister Ilse Berg"."""
    words = name.split()
    capitals = [place for place, word in enumerate(words) if word.strip(_EDGES)[:1].isupper()]
    core = words[capitals[0] : capitals[-1] + 1] if capitals else words
    # Only the ends: "Dr. Watson" and "John H. Watson" have a stop inside.
    return " ".join(core).strip(_EDGES)


def _word(name: str) -> str:
    """The longest word of a name that is no title: every memory that speaks of it has it.

    Of equals the last: surnames are said more often.
    """
    words = [bare for word in core_of(name).split() if (bare := word.strip(_EDGES))]
    named = [word for word in words if fold(word) not in TITLES]
    return max(reversed(named or words), key=len)
