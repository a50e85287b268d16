"""The cast of a source: read by rules, kept, and made anew when texts or persons' words change.

Takes: texts, and what persons said on names.  Gives: who is in them, as rows that tell how often
and where, and to the characters that were made of it their names, voice and gender.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from offbook import registry
from offbook.documents.readers import ReadDocument
from offbook.errors import UsageError
from offbook.ingestion.documents import VOICE_SAMPLES, stored_documents, text_digest
from offbook.ingestion.speakers import Answers, with_speakers
from offbook.names.cast import CastMember
from offbook.names.identity import name_key
from offbook.names.person import is_person
from offbook.stores import casts, characters, documents, graph
from offbook.stores.statements import to_json
from offbook.text.grammar import COORDINATORS, DETERMINERS, PREPOSITIONS, PRONOUNS

if TYPE_CHECKING:
    from offbook.names.cast import Cast
    from offbook.protocols import CastReader, Store
    from offbook.stores.connection import Connection
    from offbook.types import Character

_NO_PART: Final = DETERMINERS | PREPOSITIONS | COORDINATORS | PRONOUNS
"""Words that name nobody by themselves: "the" of "The Keeper"."""
_SAID: Final = re.compile(r"^[\s\"“”„«»‘’']+|[\s\"“”„«»‘’',;-]+$")
_SHORTEST, _LONGEST = 30, 300
"""Characters of a sample of speech."""


def stored_texts(conn: Connection, on: str) -> tuple[list[ReadDocument], str]:
    """The texts of a character's source, in the order of the story, and what it is called."""
    stored = stored_documents(conn, on)
    if not stored:
        raise UsageError(f"{on!r} has no documents yet", f"name some: offbook ingest {on} FILE...")
    texts = [ReadDocument(each.name, each.text, "text/plain") for each in stored]
    return texts, casts.source_id(conn, on)


def cast_reader() -> CastReader:
    """The rules that read a cast."""
    reader: CastReader = registry.load("cast", "rules")
    return reader


async def kept_cast(store: Store, character: str) -> Cast:
    """Return the cast of a character's source, made anew where something has changed.

    What it says of the characters that were made of it is theirs then: names, voice, gender.
    """
    basis = await store.read(basis_of, character)
    cast = await store.read(casts.get, character, basis.built_from)
    if cast is not None:
        return cast
    texts, _ = await store.read(stored_texts, character)
    whole = [text.text for text in texts]
    cast = await asyncio.to_thread(cast_reader(), whole, basis.same, basis.different)
    said = await store.read(casts.speakers, character)
    cast = await asyncio.to_thread(with_speakers, cast, whole, said)
    await store.write(keep_cast, character, basis.built_from, cast, said)
    return cast


async def follow_texts(store: Store, character: Character) -> None:
    """Read the cast anew, where the characters on a source were made of it."""
    if await store.read(_has_cast, character.id):
        await kept_cast(store, character.id)


def _has_cast(conn: Connection, character: str) -> bool:
    who = [characters.require(conn, each) for each in characters.sharing(conn, character)]
    has_texts = bool(documents.list_all(conn, character))
    return has_texts and any(characters.NAMES in each.settings for each in who)


@dataclass(frozen=True, slots=True)
class Basis:
    """What a cast is read from beside the texts, and a name for all of it."""

    built_from: str
    same: list[tuple[str, str]] = field(default_factory=list)
    different: list[tuple[str, str]] = field(default_factory=list)


def basis_of(conn: Connection, character: str) -> Basis:
    """What the cast of a character's source is read from now."""
    names = {mention.id: mention.name for mention in graph.list_raw_entities(conn, character)}
    same = set(_groups(conn, character))
    different: set[tuple[str, str]] = set()
    for word in graph.list_decisions(conn, character):
        pair = names.get(word.a, word.a), names.get(word.b, word.b)
        if word.by == graph.PERSON and name_key(pair[0]) != name_key(pair[1]):
            (same if word.same else different).add(pair)
    one, apart = sorted(same - different), sorted(different)
    digests = [info.digest for info in documents.list_all(conn, character)]
    reader = registry.load("cast", "rules")
    read_by = [version("offbook"), reader.__module__]
    return Basis(text_digest(to_json([digests, one, apart, read_by])), one, apart)


def _groups(conn: Connection, character: str) -> Iterator[tuple[str, str]]:
    """Names of one person, where a model has made the graph: what rules made is no news.

    A name that several people have says nothing of who is who.
    """
    sharing = [characters.require(conn, each) for each in characters.sharing(conn, character)]
    made = [each.settings for each in sharing if characters.NAMES in each.settings]
    if all(characters.BY_PASSAGES in settings for settings in made):
        return
    mentions = {each.id: each for each in graph.list_raw_entities(conn, character)}
    spelled: dict[str, dict[str, str]] = {}
    for raw, group in graph.group_of(conn, character).items():
        if is_person(mentions[raw].type) and (key := name_key(mentions[raw].name)):
            spelled.setdefault(group, {}).setdefault(key, mentions[raw].name)
    bearers = Counter(key for names in spelled.values() for key in names)
    for names in spelled.values():
        unshared = sorted(name for key, name in names.items() if bearers[key] == 1)
        yield from ((unshared[0], other) for other in unshared[1:])


def keep_cast(
    conn: Connection, character: str, built_from: str, cast: Cast, said: Answers | None = None
) -> None:
    """Store a cast, unless the texts have changed since; tell the characters that it is of.

    ``said`` is what a model said of speakers; None: what is stored of it.
    """
    if basis_of(conn, character).built_from != built_from:
        return
    said = casts.speakers(conn, character) if said is None else said
    casts.put(conn, character, built_from, cast, said)
    texts = stored_documents(conn, character)
    for each in characters.sharing(conn, character):
        who = characters.require(conn, each)
        if characters.NAMES not in who.settings:
            continue
        bearing = who_bears(cast, who.name)
        member = bearing[0] if len(bearing) == 1 else CastMember(who.name, (who.name,))
        names = list(dict.fromkeys([who.name, *member.aliases]))
        characters.set_setting(conn, each, characters.NAMES, names)
        characters.set_gender(conn, each, member.gender)
        voice = _voice(cast, member, [text.text for text in texts])
        ids = [text.id for text in texts]
        characters.set_profile(conn, each, who.profile, voice=voice, documents=ids)


def _voice(cast: Cast, member: CastMember, texts: Sequence[str]) -> list[str]:
    """What a member says: samples from the whole book."""
    said = (
        _SAID.sub("", texts[quotation.text][quotation.start : quotation.end])
        for quotation in cast.quotations
        if quotation.speaker is not None and cast.members[quotation.speaker] is member
    )
    samples = list(dict.fromkeys(one for one in said if _SHORTEST <= len(one) <= _LONGEST))
    step = max(1, len(samples) // VOICE_SAMPLES)
    return samples[::step][:VOICE_SAMPLES]


def who_bears(cast: Cast, name: str) -> list[CastMember]:
    """Who has a name: as the fullest one, else as one of several, else as a part of one."""
    key = name_key(name)
    words = set(key.split())
    keys = [(member, [name_key(alias) for alias in member.aliases]) for member in cast.members]
    full = [member for member in cast.members if key and name_key(member.name) == key]
    if len(full) == 1:
        return full
    exact = [member for member, forms in keys if key and key in forms]
    if exact:
        return exact
    if words <= _NO_PART:
        return []
    return [m for m, forms in keys if any(words <= set(form.split()) for form in forms)]
