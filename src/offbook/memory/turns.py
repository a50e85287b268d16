"""A finished turn is kept: in its conversation, and as a memory that waits to be scored.

Takes: what was said and answered.  Gives: the turn and its memory, stored in one transaction or not
at all.  Turns are keyed by the hash chain of what was said before them, so that a history that is
replayed stores nothing twice, and an answer that was made anew takes the place of the other.
Source: ours, beyond Emotional RAG; docs/memory.md, "What a conversation leaves behind".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from offbook.memory.gate import kept_out
from offbook.stores import conversations, jobs, memories, memory_statements, text_versions
from offbook.types import MemoryFragment

if TYPE_CHECKING:
    from offbook.settings.model import MemorySettings
    from offbook.stores.connection import Connection
    from offbook.stores.conversations import StoredTurn
    from offbook.types import Character


@dataclass(frozen=True, slots=True)
class ConversationContext:
    """The conversation that a question belongs to.

    Args:
        principal: Whose it is; their memories are recalled beside the authored ones. None:
            nobody's, and only what was authored is recalled.
        present: Ids of the stored turns that the prompt holds word by word.
        shown: How many of the person's messages it holds, stored or not: so many of the last.
        mood: How the character feels, eight levels by name; None outside of a conversation.
        documents: Ids of the documents that those turns rest on; a prompt that holds the turns may
            hold text of these.
        called: What the person is called; None: nobody said.
        persona: What the person says of themselves.
        earlier: How many messages of the conversation stand before those that are looked at.
        greeting: Which greeting of the card it began with, from 0; None: nobody knows.
    """

    principal: str | None = None
    present: frozenset[str] = frozenset()
    shown: int = 0
    mood: Mapping[str, float] | None = None
    documents: frozenset[str] = frozenset()
    called: str | None = None
    persona: str = ""
    earlier: int = 0
    greeting: int | None = None


NO_CONVERSATION: Final = ConversationContext()
"""A question outside of any conversation."""


MEANWHILE: Final = "what it rests on was forgotten meanwhile"


def says_something(recall: Mapping[str, Any] | None) -> bool:
    """Whether a reply is whole, and no decline of what lies beyond the character.

    ``recall`` is what is kept of it with its turn; None: nothing is known of it.
    """
    stored = recall or {}
    verdict = (stored.get("boundary") or {}).get("verdict")
    return not stored.get("cut") and verdict != "out"


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """A turn that is stored; ``memory`` is the fragment that it became, or ``why`` it did not.

    ``turn`` is empty where it was not stored.
    """

    turn: str
    memory: str | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Heard:
    """The turns of a conversation that a reply was told of, by id, and when that was.

    While ``cleared`` of the memories' state stays, no turn of the character has lost its words.
    """

    turns: frozenset[str] = frozenset()
    cleared: int | None = None

    def now(self, conn: Connection, character: str, session: str, turns: frozenset[str]) -> Heard:
        """These turns, but for those that have lost their words since."""
        cleared = memories.bank_state(conn, character).cleared
        if self.cleared not in (None, cleared):
            turns -= conversations.emptied(conn, character, session)
        return Heard(turns, cleared)


@dataclass(frozen=True, slots=True)
class TurnKeeper:
    """Keeps the turns of one conversation.

    Args:
        character: With whom it is held.
        session: The conversation's id in the store.
        principal: Whose it is.
        settings: Whether turns become memories, and which do not.
    """

    character: Character
    session: str
    principal: str
    settings: MemorySettings

    def keep(
        self,
        conn: Connection,
        said: str,
        answered: str,
        *,
        recall: Mapping[str, Any] | None = None,
        parent: str | None = None,
        heard: Heard | None = None,
        cut: bool = False,
        speaker: str = "",
        out: str = "",
        instead: str = "",
    ) -> KeptTurn:
        """Store a turn after ``parent``; none that rests on what was forgotten meanwhile.

        That its reply was ``cut`` at the limit of length is noted with what it rested on.
        ``speaker`` is who said it, empty: the person; without an answer it was only heard. ``out``
        is why it is no memory, whatever it says; empty: its words decide. What the turn ``instead``
        of which it is said taught is taken back; empty: there is none.

        Its words may repeat what was to go, and whoever had it forgotten was not told of this turn.

        Raises:
            UsageError: the conversation belongs to somebody else, or a text cannot be stored.
        """
        name = self.character.id
        if self._is_forgotten(conn, recall, heard):
            return KeptTurn("", None, MEANWHILE)
        begun = conversations.begin(conn, name, self.session, self.principal)
        before = begun.head if parent is None else (parent or None)
        turn = conversations.turn_id(before, said, answered, speaker)
        known = conversations.holds(conn, name, self.session, turn)
        if cut:
            recall = {**(recall or {}), "cut": True}
        out = out or self._out(said, answered, is_answered=says_something(recall))
        if out and recall is not None:
            # Settings change: why it is no memory is told of the turn, as it was then.
            recall = {**recall, "remembered": {"memory": None, "why": out}}
        conversations.add_turn(
            conn,
            name,
            self.session,
            said,
            answered,
            parent=parent,
            recall=recall,
            rests_on=self._rests_on(conn, recall),
            speaker=speaker,
        )
        if instead:
            self._unlearn(conn, [instead])
        if out:
            return KeptTurn(turn, None, out)
        if instead or not known:
            self._take_back(conn, before)
            self._learn(conn, turn, said, answered, speaker)
        made = self._memory(turn)
        here = bool(memories.get(conn, name, [made]))
        return KeptTurn(turn, made if here else None, "" if here else "it is a memory already")

    def _is_forgotten(
        self, conn: Connection, recall: Mapping[str, Any] | None, heard: Heard | None
    ) -> bool:
        """Whether anything that the reply rests on is gone: a text, a memory, an earlier turn."""
        name, names = self.character.id, conversations.documents_of(recall)
        names |= set(map(text_versions.memory_name, conversations.memories_of(recall)))
        if text_versions.forgotten(conn, name, names):
            return True
        if heard is None:
            return False
        return heard.now(conn, name, self.session, heard.turns).turns != heard.turns

    def _out(self, said: str, answered: str, *, is_answered: bool) -> str:
        if not self.settings.learn:
            return "memory.learn is off"
        if not self.settings.gate:
            return ""
        why = kept_out(said, answered, (self.character.name,), is_answered=is_answered)
        return f"{why} (memory.gate)" if why else ""

    def _memory(self, turn: str) -> str:
        return memories.memory_id("", "", principal=self.principal, turn=turn)

    def _learn(self, conn: Connection, turn: str, said: str, answered: str, speaker: str) -> None:
        """Make a turn a memory, in the place of an answer to the same words that nobody took up."""
        name = self.character.id
        siblings = conversations.other_turns(conn, name, self.session, turn)
        # The same words at the same depth: only something before them was edited.
        if any(said == other.said and answered == other.answered for other in siblings):
            return
        self._unlearn(conn, [other.id for other in siblings if other.is_regenerated])
        stored = conversations.get_turn(conn, name, self.session, turn)
        made = MemoryFragment(
            self._memory(turn),
            said,
            answered,
            at=None if stored is None else stored.at,
            session=self.session,
            turn=turn,
            principal=self.principal,
            speaker=speaker,
        )
        new = memories.add(conn, name, [made])
        jobs.enqueue(conn, name, jobs.REMEMBER, new)

    def _unlearn(self, conn: Connection, dropped: Sequence[str]) -> None:
        """Take back what turns taught."""
        name, places = self.character.id, [(self.session, each) for each in dropped]
        gone = memory_statements.take_support(conn, name, places)
        gone += map(self._memory, dropped)
        memories.remove(conn, name, gone, principal=self.principal)

    def _take_back(self, conn: Connection, before: str | None) -> None:
        """The conversation goes on from an answer that another had taken the place of."""
        stored = None
        if before is not None:
            stored = conversations.get_turn(conn, self.character.id, self.session, before)
        if stored is None or memories.get(conn, self.character.id, [self._memory(stored.id)]):
            return
        others = conversations.other_turns(conn, self.character.id, self.session, stored.id)
        ids = [self._memory(other.id) for other in others if other.is_regenerated]
        if memories.get(conn, self.character.id, ids):
            self._learn(conn, stored.id, stored.said, stored.answered, stored.speaker)

    def _rests_on(self, conn: Connection, recall: Mapping[str, Any] | None) -> set[str]:
        """Documents that the recall names, and those that its memories rested on."""
        documents = conversations.documents_of(recall)
        ids = conversations.memories_of(recall)
        for memory in memories.get(conn, self.character.id, ids):
            if memory.session is not None and memory.turn is not None:
                documents |= conversations.documents_of_turns(
                    conn, self.character.id, memory.session, [memory.turn]
                )
        return documents


@dataclass(frozen=True, slots=True)
class KeptOut:
    """A turn of a conversation that is no memory, and why."""

    session: str
    turn: StoredTurn
    why: str


def list_kept_out(
    conn: Connection, character: Character, *, principal: str | None = None
) -> list[KeptOut]:
    """The turns that did not become memories, of one principal or of all, oldest first."""
    outside: list[KeptOut] = []
    for talk in conversations.list_all(conn, character.id, principal=principal):
        noted = conversations.kept_out(conn, character.id, talk.id)
        for turn in conversations.list_turns(conn, character.id, talk.id, with_recall=False):
            why = noted.get(turn.id) or kept_out(turn.said, turn.answered, (character.name,))
            made = memories.memory_id("", "", principal=talk.principal, turn=turn.id)
            forgotten = not turn.said and not turn.answered
            if why and not forgotten and not memories.get(conn, character.id, [made]):
                outside.append(KeptOut(talk.id, turn, why))
    return sorted(outside, key=lambda out: (out.turn.at, out.session, out.turn.ordinal))
