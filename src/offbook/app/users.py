"""What is kept of one person over all characters: to be seen, taken away, or deleted.

Takes: the principal of a person.  Gives: their conversations and the memories that came of them,
with every character. What they marked in reviews of evaluations is not among it: a review belongs
to its run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from offbook.agent.history import names_of
from offbook.app.memories import as_rows
from offbook.errors import UnknownName
from offbook.prompts.prompt import WORDING
from offbook.stores import call_cache, characters, conversations, forgetting, memories, principals

if TYPE_CHECKING:
    from offbook.protocols import Store
    from offbook.stores.connection import Connection
    from offbook.types import MemoryFragment


@dataclass(frozen=True, slots=True)
class UserData:
    """How much is kept of one person.

    ``user`` is their principal: ``owner``, the id of a key, or either with ``/`` and the name of a
    person for whom it asked.
    """

    user: str
    characters: tuple[str, ...] = ()
    conversations: int = 0
    turns: int = 0
    memories: int = 0


_OF_QUESTIONS: Final = (
    "adaptive",
    "boundary",
    "conversation",
    "crag",
    "emotion",
    "lightrag",
    "traits",
)
"""Stages whose prompts hold what people said: models' answers tell of it."""


class Users:
    """The people who talked with the characters of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def list(self) -> list[UserData]:
        """List who has said anything, by name."""
        return await self._store.read(_list)

    async def export(self, user: str, *, exactly: bool = False) -> dict[str, Any]:
        """Collect all that is kept of one person.

        Args:
            user: Their principal; or its last part, where only one has it.
            exactly: The principal alone.

        Returns:
            ``user``, and of each character ``id``, ``name``, ``conversations`` (each with its
            turns, oldest first) and ``memories``, in the shapes of the contract.

        Raises:
            UnknownName: nothing is kept of such a person.
        """
        return await self._store.read(_export, user, exactly)

    async def delete(self, user: str, *, exactly: bool = False) -> UserData:
        """Delete a person's conversations and what they taught, over all characters.

        What another character heard of them in a scene goes as well. Their key, if they have one,
        stays; ``offbook key revoke`` ends it.

        Args:
            user: Their principal; or its last part, where only one has it.
            exactly: The principal alone.

        Returns:
            What was deleted.

        Raises:
            UnknownName: nothing is kept of such a person.
        """
        data = await self._store.write(_delete, user, exactly)
        await self._store.purge()
        return data


def _list(conn: Connection) -> list[UserData]:
    by_user: dict[str, list[principals.Kept]] = {}
    for row in principals.list_kept(conn):
        by_user.setdefault(row.principal, []).append(row)
    return [
        UserData(
            each,
            tuple(row.character for row in rows),
            sum(row.conversations for row in rows),
            sum(row.turns for row in rows),
            sum(row.memories for row in rows),
        )
        for each, rows in sorted(by_user.items())
    ]


def _one(conn: Connection, user: str, exactly: bool) -> UserData:
    """Find a person by the principal, or by a name that only one has."""
    kept = _list(conn)
    alike = [row for row in kept if row.user == user]
    if not alike and not exactly:
        alike = [row for row in kept if row.user.partition("/")[2] == user]
    if len(alike) > 1:
        others = ", ".join(row.user for row in alike)
        raise UnknownName(f"{user!r} may be {others}", "give the whole name")
    if not alike:
        raise UnknownName(f"nothing is kept of {user!r}", "see who there is: offbook user list")
    return alike[0]


def _export(conn: Connection, user: str, exactly: bool) -> dict[str, Any]:
    exported, data = [], _one(conn, user, exactly)
    user = data.user
    for name in data.characters:
        character = characters.require(conn, name)
        talks = [
            {
                "session": names_of(talk.id)[0],
                "created": talk.created,
                "turns": [
                    {name: getattr(turn, name) for name in ("said", "speaker", "answered", "at")}
                    for turn in conversations.list_turns(conn, name, talk.id, with_recall=False)
                    if turn.said or turn.answered
                ],
            }
            for talk in conversations.list_all(conn, name, principal=user)
        ]
        exported.append(
            {
                "id": name,
                "name": character.name,
                "conversations": talks,
                "memories": as_rows(conn, name, _memories(conn, name, user)),
            }
        )
    return {"user": user, "characters": exported}


def _delete(conn: Connection, user: str, exactly: bool) -> UserData:
    data = _one(conn, user, exactly)
    for character in data.characters:
        for talk in conversations.list_all(conn, character, principal=data.user):
            forgetting.remove_conversation(conn, character, talk.id)
        ids = [fragment.id for fragment in _memories(conn, character, data.user)]
        forgetting.forget_memories(conn, character, ids)
    # Nothing says whose question an answer is of: those of all are asked for again where needed.
    made = {file.stem for stage in _OF_QUESTIONS for file in (WORDING / stage).glob("*.jinja")}
    call_cache.forget_prompts(conn, sorted(made))
    principals.remove_person(conn, data.user)
    return data


def _memories(conn: Connection, character: str, user: str) -> list[MemoryFragment]:
    listed = memories.list_memories(conn, character, principal=user)
    return [fragment for fragment in listed if fragment.principal == user]
