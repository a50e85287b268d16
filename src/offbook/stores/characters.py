"""Characters: the rows that everything else belongs to.

Takes: names and ids.  Gives: characters, their profile and settings; an unknown one names the
nearest. Every change to what a character knows goes through ``touch``.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam, case, delete, insert, select, update

from offbook.errors import UnknownName, UsageError
from offbook.stores import call_cache
from offbook.stores.schema import characters
from offbook.stores.statements import mark_unpurged, storable, timestamp
from offbook.types import Character

MAX_NAME_CHARS: Final = 200
GENDER: Final = "gender"
"""Where in a character's own settings the gender of its pronouns stands: "m" or "f"."""

_MAKE_ONE: Final = "make it with: offbook create NAME; `offbook list` names those there are"
_TOUCHED: Final = "offbook.touched"
_TOUCH: Final = (
    update(characters)
    .where(characters.c.id == bindparam("touched"))
    .values(revision=characters.c.revision + 1)
)


def character_id(name: str) -> str:
    """The id that ``name`` gives: NFKC, lower case, all but letters and digits turned to ``-``.

    Raises:
        UsageError: the name has no letter or digit, or is too long.
    """
    kept = (
        # Marks belong to the letter before them: many scripts write vowels so.
        letter if letter.isalnum() or unicodedata.category(letter).startswith("M") else " "
        for letter in unicodedata.normalize("NFKC", name).lower()
    )
    made = "-".join("".join(kept).split())
    if not any(letter.isalnum() for letter in made):
        raise UsageError(f"The name {name!r} has no letter or digit.", "give another name")
    if len(name) > MAX_NAME_CHARS:
        raise UsageError(
            f"The name {name[:40]!r}... has {len(name)} characters; {MAX_NAME_CHARS} are allowed.",
            "give a shorter name",
        )
    return made


def create(conn: Connection, name: str, *, settings: Mapping[str, Any] | None = None) -> Character:
    """Store a new character; its id is made unique by ``-2``, ``-3`` ...

    Raises:
        UsageError: the name cannot be used.
    """
    storable(name)
    if any(unicodedata.category(letter) == "Cc" for letter in name):
        raise UsageError(f"The name {name!r} has a control character.", "give another name")
    base = character_id(name)
    taken = set(conn.scalars(select(characters.c.id).where(characters.c.id.startswith(base))))
    number, chosen = 1, base
    while chosen in taken:
        number += 1
        chosen = f"{base}-{number}"
    row = {
        "id": chosen,
        "name": name,
        "created": timestamp(),
        "revision": first_revision(),
        "profile_documents": [],
        "voice": [],
        "settings": dict(settings or {}),
    }
    conn.execute(insert(characters), row)
    return require(conn, chosen)


def first_revision() -> int:
    """A revision above any that an earlier character of the same id can have had.

    Caches know a character by id and revision: one that is deleted and made again, or imported
    over the old one, must not be taken for it.
    """
    return time.time_ns() // 1000


def find(conn: Connection, name: str) -> Character | None:
    """The character whose id or name is ``name``; an id goes before a name."""
    wanted = [name]
    try:
        wanted.append(character_id(name))
    except UsageError:
        return None
    columns = characters.c
    rank = case((columns.id == name, 0), (columns.name == name, 1), else_=2)
    row = conn.execute(
        select(characters)
        .where(columns.id.in_(wanted) | (columns.name == name))
        .order_by(rank, columns.id)
        .limit(1)
    ).one_or_none()
    return None if row is None else _character(row)


def require(conn: Connection, name: str) -> Character:
    """The character whose id or name is ``name``.

    Raises:
        UnknownName: there is none; the hint names the nearest.
    """
    found = find(conn, name)
    if found is None:
        known = [
            value
            for row in conn.execute(select(characters.c.name, characters.c.id))
            for value in row
        ]
        raise UnknownName(f"There is no character {name!r}.", nearest(name, known))
    return found


def nearest(name: str, known: Sequence[str], otherwise: str = _MAKE_ONE) -> str:
    """A hint that names what ``name`` was perhaps meant to be."""
    from difflib import get_close_matches

    by_lower = {value.lower(): value for value in reversed(known)}
    close = get_close_matches(name.lower(), list(by_lower), n=1, cutoff=0.5)
    return f"did you mean {by_lower[close[0]]!r}?" if close else otherwise


def list_all(conn: Connection) -> list[Character]:
    """All characters, by id."""
    return [_character(row) for row in conn.execute(select(characters).order_by(characters.c.id))]


def touch(conn: Connection, character: str) -> None:
    """Note that what the character knows has changed: its revision grows, once a transaction.

    Raises:
        UnknownName: the character has been deleted meanwhile.
    """
    transaction = conn.get_transaction()
    noted, touched = conn.info.get(_TOUCHED, (None, frozenset()))
    if noted is transaction and character in touched:
        return
    conn.info[_TOUCHED] = (transaction, {character, *(touched if noted is transaction else ())})
    if not conn.execute(_TOUCH, {"touched": character}).rowcount:
        raise UnknownName(f"There is no character {character!r}.", "it has been deleted meanwhile")


def revision(conn: Connection, character: str) -> int:
    """The character's revision now.

    Raises:
        UnknownName: there is no such character.
    """
    found: int | None = conn.execute(
        select(characters.c.revision).where(characters.c.id == character)
    ).scalar_one_or_none()
    if found is None:
        raise UnknownName(f"There is no character {character!r}.", "it has been deleted meanwhile")
    return found


def set_profile(
    conn: Connection,
    character: str,
    profile: str | None,
    *,
    voice: Sequence[str] = (),
    documents: Sequence[str] = (),
) -> None:
    """Store the character's summary and speech samples, and the documents they were made from."""
    storable(profile, *voice)
    conn.execute(
        update(characters)
        .where(characters.c.id == character)
        .values(profile=profile, voice=list(voice), profile_documents=sorted(documents))
    )
    touch(conn, character)


def set_gender(conn: Connection, character: str, gender: str) -> None:
    """Store the gender of the pronouns by which the documents speak of it; empty: they do not."""
    own = conn.execute(
        select(characters.c.settings).where(characters.c.id == character)
    ).scalar_one()
    settings = {name: value for name, value in own.items() if name != GENDER}
    if gender:
        settings[GENDER] = gender
    conn.execute(update(characters).where(characters.c.id == character).values(settings=settings))


def remove(conn: Connection, character: str) -> bool:
    """Delete a character, all that belongs to it, and the cached calls that saw its texts.

    Returns:
        Whether there was such a character. Call ``Store.purge`` afterwards.
    """
    call_cache.forget_documents(conn, character)
    mark_unpurged(conn)
    return bool(conn.execute(delete(characters).where(characters.c.id == character)).rowcount)


def _character(row: Row[Any]) -> Character:
    found = row._mapping
    return Character(
        id=found["id"],
        name=found["name"],
        created=found["created"],
        revision=found["revision"],
        embedder=found["embedder"],
        dimension=found["dimension"],
        profile=found["profile"],
        settings=found["settings"],
        voice=tuple(found["voice"]),
        profile_documents=tuple(found["profile_documents"]),
    )
