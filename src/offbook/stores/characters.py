"""Characters: the rows that everything else belongs to.

Every change to what a character knows goes through ``touch``.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, cast

from sqlalchemy import Connection, Select, Table, case, delete, insert, select, update

from offbook.errors import UnknownName, UsageError
from offbook.stores import call_cache
from offbook.stores.schema import (
    card_files,
    character_sources,
    characters,
    chunk_attributes,
    jobs,
    sources,
    vectors,
)
from offbook.stores.statements import (
    columns_of,
    deleted,
    mark_unpurged,
    read_as,
    source_of,
    storable,
    timestamp,
)
from offbook.types import Character, DocumentKind, Skipped

MAX_NAME_CHARS: Final = 200
GENDER: Final = "gender"
"""Where in a character's own settings the gender of its pronouns stands: "m" or "f"."""
NAMES: Final = "names"
"""Where the names stand by which a book calls it, of a character that was made of a cast."""
KIND: Final = "documents"
"""Where it stands what rules made of its documents: "story", or "persona" if they are about it."""
KIND_SAID: Final = "documents_said"
"""Where a person's word on the same stands, which counts above it."""
UNFINISHED: Final = "unfinished"
"""A character's own setting: that it is being made of a book; another run goes on with it."""
BY_PASSAGES: Final = "by_passages"
"""Set while no model has read the texts of a character: it answers from passages."""
FIRST_READING: Final = "first reading"
"""The value of `BY_PASSAGES` from the first ingestion until that has ended once."""
BEING_READ: Final = (
    "no model has read all of the texts yet, so the reply rests on passages; `offbook ingest` goes "
    "on with an ingestion that was interrupted"
)
"""What whoever asks is told meanwhile."""

_CHOSEN: Final = select(*columns_of(Character, characters))
_MAKE_ONE: Final = "make it with: offbook create NAME; `offbook list` names those there are"


def character_id(name: str) -> str:
    """Derive the id of ``name``: NFKC, lower case, all but letters and digits turned to ``-``.

    Raises:
        UsageError: the name has no letter or digit, or is too long.
    """
    letters = (
        # Marks belong to the letter before them: many scripts write vowels so.
        letter if letter.isalnum() or unicodedata.category(letter).startswith("M") else " "
        for letter in unicodedata.normalize("NFKC", name).lower()
    )
    made = "-".join("".join(letters).split())
    if not any(letter.isalnum() for letter in made):
        raise UsageError(f"The name {name!r} has no letter or digit.", "give another name")
    if len(name) > MAX_NAME_CHARS:
        raise UsageError(
            f"The name {name[:40]!r}... has {len(name)} characters; {MAX_NAME_CHARS} are allowed.",
            "give a shorter name",
        )
    return made


def create(
    conn: Connection,
    name: str,
    *,
    settings: Mapping[str, Any] | None = None,
    on_source_of: str | None = None,
    source: str | None = None,
) -> Character:
    """Store a new character with a source of its own; its id is made unique by ``-2``, ``-3`` ...

    It may share the source of another character instead, named by its id. ``source`` is what a
    source of its own is called; None: as the character.

    Raises:
        UsageError: the name cannot be used.
    """
    storable(name)
    if any(unicodedata.category(letter) == "Cc" for letter in name):
        raise UsageError(f"The name {name!r} has a control character.", "give another name")
    shared = None if on_source_of is None else require(conn, on_source_of)
    chosen = _free(conn, characters, character_id(name))
    row = {
        "id": chosen,
        "name": name,
        "created": timestamp(),
        "revision": first_revision(),
        "embedder": None if shared is None else shared.embedder,
        "dimension": None if shared is None else shared.dimension,
        "profile_documents": [],
        "voice": [],
        "settings": dict(settings or {}),
    }
    conn.execute(insert(characters), row)
    if shared is None:
        give_source(conn, chosen, source)
    else:
        _look_at(conn, chosen, conn.scalar(select(source_of(shared.id))))
    return require(conn, chosen)


def give_source(conn: Connection, character: str, called: str | None = None) -> None:
    """Give a character a source of its own, empty, in the place of the one it has."""
    leave_source(conn, character)
    source = _free(conn, sources, called or character)
    conn.execute(insert(sources), {"id": source, "created": timestamp()})
    _look_at(conn, character, source)


def _look_at(conn: Connection, character: str, source: str | None) -> None:
    look = {"character_id": character, "source_id": source, "ordinal": 0}
    conn.execute(insert(character_sources), look)


def leave_source(conn: Connection, character: str) -> None:
    """Let a character go from its source; the last that leaves takes the source along."""
    left = conn.scalar(select(source_of(character)))
    for table in (jobs, chunk_attributes, card_files, vectors["memory"]):
        conn.execute(delete(table).where(table.c.character_id == character))
    conn.execute(delete(character_sources).where(character_sources.c.character_id == character))
    looked_at = select(character_sources.c.source_id)
    conn.execute(delete(sources).where(sources.c.id == left, sources.c.id.not_in(looked_at)))


def sharing(conn: Connection, character: str) -> list[str]:
    """List the ids of all characters on the source of one, itself among them."""
    return sorted(conn.scalars(_sharing(character)))


def may_change_source(conn: Connection, character: str, opened: Collection[str] | None) -> bool:
    """Tell whether a key that opens these characters (None: all) may change a character's source.

    What is added to a source or taken from it reaches every character that looks at it.
    """
    return opened is None or set(opened).issuperset(sharing(conn, character))


def _sharing(character: str) -> Select[Any]:
    c = character_sources.c
    return select(c.character_id).where(c.source_id == source_of(character))


def _free(conn: Connection, table: Table, base: str) -> str:
    """Return an id that no row has: ``base``, ``base-2``, ``base-3`` ..."""
    taken = set(conn.scalars(select(table.c.id).where(table.c.id.startswith(base))))
    number, chosen = 1, base
    while chosen in taken:
        number += 1
        chosen = f"{base}-{number}"
    return chosen


def first_revision() -> int:
    """Return a revision above any that an earlier character of the same id can have had.

    Caches know a character by id and revision: one that is deleted and made again, or imported
    over the old one, must not be taken for it.
    """
    return time.time_ns() // 1000


def find(conn: Connection, name: str) -> Character | None:
    """Find the character whose id or name is ``name``; an id goes before a name."""
    ids = [name]
    try:
        ids.append(character_id(name))
    except UsageError:
        return None
    columns = characters.c
    rank = case((columns.id == name, 0), (columns.name == name, 1), else_=2)
    chosen = _CHOSEN.where(columns.id.in_(ids) | (columns.name == name))
    stored = read_as(conn, Character, chosen.order_by(rank, columns.id).limit(1))
    return stored[0] if stored else None


def require(conn: Connection, name: str) -> Character:
    """Return the character whose id or name is ``name``.

    Raises:
        UnknownName: there is none; the hint names the nearest.
    """
    character = find(conn, name)
    if character is None:
        rows = conn.execute(select(characters.c.name, characters.c.id))
        known = [value for row in rows for value in row]
        raise UnknownName(f"There is no character {name!r}.", nearest(name, known))
    return character


def nearest(name: str, known: Sequence[str], otherwise: str = _MAKE_ONE) -> str:
    """Hint at what ``name`` was perhaps meant to be."""
    from difflib import get_close_matches

    by_lower = {value.lower(): value for value in reversed(known)}
    close = get_close_matches(name.lower(), list(by_lower), n=1, cutoff=0.5)
    return f"did you mean {by_lower[close[0]]!r}?" if close else otherwise


def list_all(conn: Connection) -> list[Character]:
    """List all characters, by id."""
    return read_as(conn, Character, _CHOSEN.order_by(characters.c.id))


def touch(conn: Connection, character: str) -> None:
    """Note that what is known has changed: the revision of all on the source grows.

    Raises:
        UnknownName: the character has been deleted meanwhile.
    """
    chosen = update(characters).where(characters.c.id.in_(_sharing(character)))
    if not conn.execute(chosen.values(revision=characters.c.revision + 1)).rowcount:
        raise deleted(character)


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
    set_setting(conn, character, GENDER, gender or None)


def forget_names(conn: Connection, character: str) -> None:
    """Leave a character that was made of a cast its own name: others, and gender, are of a text."""
    who = require(conn, character)
    if NAMES in who.settings:
        set_gender(conn, character, "")
        set_setting(conn, character, NAMES, [who.name])


def kind_of(conn: Connection, character: str, configured: str) -> DocumentKind:
    """Return which kind the documents of a character are.

    A person's word on the source counts above the setting (``configured``), and that above what
    rules made of them; ``auto`` is no word.
    """
    who = require(conn, character).settings
    of_all = [require(conn, each).settings for each in sharing(conn, character)]
    said = [each[KIND_SAID] for each in of_all if KIND_SAID in each]
    by_rules = who.get(KIND, "story" if NAMES in who else "persona")
    return cast(DocumentKind, [*said, by_rules if configured == "auto" else configured][0])


def set_setting(conn: Connection, character: str, name: str, value: Any) -> None:
    """Set one of a character's own settings; None removes it."""
    chosen = characters.c.id == character
    settings = dict(conn.execute(select(characters.c.settings).where(chosen)).scalar_one())
    settings.pop(name, None)
    if value is not None:
        settings[name] = value
    conn.execute(update(characters).where(chosen).values(settings=settings))


def is_being_read(character: Character) -> bool:
    """Whether a model is reading its texts for the first time, or was interrupted in it."""
    return character.settings.get(BY_PASSAGES) == FIRST_READING


def being_read(character: Character, method: str) -> tuple[Skipped, ...]:
    """What a reply goes without meanwhile, where it rests on passages."""
    if method != "naive" or not is_being_read(character):
        return ()
    return (Skipped("graph", character.name, BEING_READ),)


def remove(conn: Connection, character: str) -> bool:
    """Delete a character, all that belongs to it, and the cached calls that saw its texts.

    Its source goes with it unless another character looks at it.

    Returns:
        Whether there was such a character. Call ``Store.purge`` afterwards.
    """
    call_cache.forget_documents(conn, character)
    leave_source(conn, character)
    mark_unpurged(conn)
    return bool(conn.execute(delete(characters).where(characters.c.id == character)).rowcount)
