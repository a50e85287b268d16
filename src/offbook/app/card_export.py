"""A character as a card: the one that it came from, or one made from what it has become.

Takes: a character.  Gives: a file of the format that its suffix names. A card that came in goes out
with every field that it had; one that is made here has a description, a greeting, examples, and a
lorebook of the entities that the character knows. No model is asked.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from offbook.app.card_files import WrittenFile, read_picture, write_to
from offbook.app.cards import whole_card
from offbook.cards import Card, Finding
from offbook.cards.lorebook import empty_entry
from offbook.errors import UsageError
from offbook.graph.loading import load_graph
from offbook.ingestion.profile import beginnings
from offbook.ingestion.storing import stored_documents
from offbook.stores import cards, memories

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.app.book import Offbook
    from offbook.app.sent_files import CardSource
    from offbook.types import Character, Entity, MemoryFragment

_DESCRIPTION_TOKENS: Final = 1_200
_EXAMPLES: Final = 4
_SAMPLES: Final = 8
_ENTITIES: Final = 200
_NOTES: Final = "Made by offbook from texts about the character."


async def export_card(
    book: Offbook,
    character: Character,
    file: Path,
    *,
    spec: int | None,
    picture: CardSource | None,
) -> WrittenFile:
    """Write a character as a card.

    Raises:
        UsageError: the suffix is no format, or the character has nothing to tell yet.
        StoreFailed: the file cannot be written.
    """
    files = await book.store.read(lambda conn: cards.list_files(conn, character.id))
    own = whole_card(files)
    losses = [
        Finding(
            "lorebook-left",
            "warning",
            "data.character_book",
            f"the lorebook {file.name!r}, which was attached, is not in the card",
            "give it to others as the file that it is",
        )
        for file in files
        if file.kind == "lorebook"
    ]
    if own is not None:
        document = next(file.document for file in files if file.kind == "card")
        assets = await book.store.read(lambda conn: cards.assets(conn, character.id, document))
    else:
        own, assets = await book.store.read(lambda conn: _made(conn, character)), {}
    shown = assets.pop("", None) if picture is None else read_picture(picture)
    written = await asyncio.to_thread(write_to, own, file, spec=spec, picture=shown, assets=assets)
    return WrittenFile(written.file, written.format, written.bytes, (*losses, *written.losses))


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of a character, to be told in a card."""

    description: str
    voice: tuple[str, ...]
    memories: tuple[MemoryFragment, ...]
    entities: tuple[Entity, ...]


def _made(conn: Connection, character: Character) -> Card:
    known = _known(conn, character)
    if not known.description and not known.entities:
        raise UsageError(
            f"{character.name!r} has nothing to tell in a card yet",
            f"name texts about it: offbook ingest {character.id} FILE...",
        )
    data: dict[str, Any] = {
        "name": character.name,
        "description": known.description,
        "personality": "",
        "scenario": "",
        "first_mes": next(iter(known.voice), ""),
        "mes_example": _examples(known),
        "creator_notes": _NOTES,
        "system_prompt": "",
        "post_history_instructions": "",
        "alternate_greetings": [],
        "group_only_greetings": [],
        "tags": [],
        "creator": "",
        "character_version": "",
        "extensions": {},
    }
    entries = [_entry(place, entity) for place, entity in enumerate(known.entities)]
    if entries:
        data["character_book"] = {
            "name": f"What {character.name} knows",
            "extensions": {},
            "entries": entries,
        }
    return Card({"spec": "chara_card_v3", "spec_version": "3.0", "data": data})


def _known(conn: Connection, character: Character) -> _Known:
    """The summary, or where there is none how the documents begin; examples; the graph, if any."""
    text = character.profile or ""
    if not text:
        begun = beginnings(stored_documents(conn, character.id), _DESCRIPTION_TOKENS)
        text = "\n\n".join(beginning.text.strip() for beginning in begun)
    found = memories.list_memories(conn, character.id)
    authored = [memory for memory in found if memory.principal is None]
    graph = load_graph(conn, character.id)
    told = [
        entity
        for entity in graph.entities
        if entity.description and character.name.casefold() not in map(str.casefold, entity.names)
    ]
    told.sort(key=lambda entity: -len(entity.mentions))
    return _Known(
        text, character.voice[:_SAMPLES], tuple(authored[:_EXAMPLES]), tuple(told[:_ENTITIES])
    )


def _examples(known: _Known) -> str:
    """Example dialogue: what it remembers of being asked, then how it sounds."""
    blocks = [
        f"<START>\n{{{{user}}}}: {memory.said}\n{{{{char}}}}: {memory.answered}"
        for memory in known.memories
    ]
    lines = [f"{{{{char}}}}: {sample}" for sample in known.voice[1:]]
    if lines:
        blocks.append("\n".join(("<START>", *lines)))
    return "\n".join(blocks)


def _entry(place: int, entity: Entity) -> dict[str, Any]:
    # The most mentioned stand first, and go last where there is no room.
    return empty_entry(
        keys=list(entity.names),
        content=entity.description,
        name=entity.name,
        insertion_order=100 + place,
        priority=max(1, _ENTITIES - place),
        id=place + 1,
    )
