"""Lorebooks at a question: entries whose keys stand in the talk, and entries near in meaning.

Takes: a character, the talk so far, a question.  Gives: pieces of knowledge within a budget of
their own, for whatever method answers, and what was left out and why. Source: Character Card V2 and
V3 specifications; SillyTavern's documentation, "World Info". Meaning is the cosine of the built-in
embedder, whatever embeds the documents, so that a threshold means the same everywhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from offbook.retrieval.kept_indexes import KeptIndexes
from offbook.types import ContextItem, Position, Skipped, Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from offbook.cards.key_search import PatternTime
    from offbook.cards.lore_places import LorePlace
    from offbook.cards.lore_recall import LoreRecall, RecalledEntry, RecallSettings
    from offbook.cards.lorebook import Lorebook, LoreEntry
    from offbook.cards.macros import MacroValues
    from offbook.cards.matching import LoreMessage
    from offbook.protocols import Store
    from offbook.settings.lore import LoreSettings
    from offbook.types import Character, Message

KIND: Final = "knowledge"
_KEPT: Final = 32
_READ_CHARS: Final = 2_000
"""Of an entry, where its meaning is taken."""
_MOST_BY_MEANING: Final = 5_000
"""Entries of a book that are searched by meaning; keys are looked for in all."""
_TIMED_MESSAGES: Final = 60
"""How far back activations of entries with a timer are traced."""
_TRACED_ENTRIES: Final = 40_000
"""Entries that are looked at for it at most; a large book is traced less far."""

_shelves: KeptIndexes[str, tuple[Shelved, ...]] = KeptIndexes(_KEPT)


@dataclass(frozen=True, slots=True, eq=False)
class Shelved:
    """A lorebook, ready to be looked into.

    ``places`` are where its entries stand in the document that they became (None: nowhere), whose
    number is ``ordinal``; an entry that is kept back stands there without words, behind the one
    before it. ``rows`` are the entries that ``vectors`` are of.
    """

    book: Lorebook
    document: str
    ordinal: int
    places: tuple[tuple[int, int] | None, ...]
    rows: tuple[int, ...]
    vectors: NDArray[np.float32]

    @property
    def is_timed(self) -> bool:
        """Whether what an entry does depends on when it was active before."""
        return any(
            entry.extensions.get("sticky") or entry.extensions.get("cooldown")
            for entry in self.book.entries
        )


@dataclass(frozen=True, slots=True)
class LoreAsked:
    """A question to the lorebooks of a character.

    Args:
        question: What is asked, with what it refers back to.
        history: The conversation so far, oldest first.
        said: What is asked, as it was said: it is the last message.
        until: The point in the story; what stands after it is unknown.
        user: What the person is called.
        persona: What the person says of themselves.
        earlier: How many messages of the conversation stand before ``history``.
        greeting: Which greeting it began with, from 0; None: nobody knows.
    """

    question: str
    history: Sequence[Message]
    said: str
    until: Position | None = None
    user: str | None = None
    persona: str = ""
    earlier: int = 0
    greeting: int | None = None


@dataclass(frozen=True, slots=True)
class Lore:
    """What lorebooks say to a question."""

    items: tuple[ContextItem, ...] = ()
    skipped: tuple[Skipped, ...] = ()


async def find_lore(
    store: Store,
    character: Character,
    asked: LoreAsked,
    settings: LoreSettings,
    count: Callable[[str], int],
) -> Lore:
    """The entries of a character's lorebooks that belong to a question, a card's own book first."""
    if settings.budget_tokens == 0:
        return Lore()
    books = await _shelves.get(
        store, character.id, character.revision, lambda: _load(store, character)
    )
    if not books:
        return Lore()
    return await asyncio.to_thread(_look, books, character, asked, settings, count)


def beside(
    lore: Lore, context: Sequence[ContextItem]
) -> tuple[tuple[ContextItem, ...], tuple[Skipped, ...]]:
    """What a method found and what lorebooks say to the same, no words twice.

    A passage that says no more than an entry gives way to it: the entry has a name and a reason.
    """
    entries = [_plain(item.text) for item in lore.items]
    kept: list[ContextItem] = []
    skipped = list(lore.skipped)
    for item in context:
        if item.kind == KIND and any(_plain(item.text) in words for words in entries):
            skipped.append(Skipped(KIND, item.title, "an entry of a lorebook says all of it"))
        else:
            kept.append(item)
    shown = [_plain(item.text) for item in kept if item.kind == KIND]
    for item in lore.items:
        words = _plain(item.text)
        if any(words in text for text in shown):
            skipped.append(Skipped(KIND, item.title, "all of it stands in what is shown"))
        else:
            kept.append(item)
            shown.append(words)
    return tuple(kept), tuple(skipped)


def _plain(text: str) -> str:
    return " ".join(text.split())


# -- loading --------------------------------------------------------------------------------------


async def _load(store: Store, character: Character) -> tuple[Shelved, ...]:
    found = await store.read(lambda conn: _stored(conn, character.id))
    if not found:
        return ()
    return await asyncio.to_thread(lambda: tuple(_shelved(character, *row) for row in found))


def _stored(conn: Connection, character: str) -> list[tuple[str, str, str, int]]:
    """Raw book, and id, text and number of its document; a card's own books in front."""
    from offbook.stores import cards, documents

    books = [file for file in cards.list_files(conn, character) if file.kind != "card"]
    books.sort(key=lambda file: file.kind != "card_lorebook")
    rows = []
    for file in books:
        document = documents.require(conn, character, file.document)
        rows.append((file.raw, document.id, document.text, document.ordinal))
    return rows


def _shelved(character: Character, raw: str, document: str, text: str, ordinal: int) -> Shelved:
    import json

    from offbook.cards.lorebook import Lorebook
    from offbook.models.builtin import embed_texts

    book = Lorebook(json.loads(raw))
    values = _values(character, None)
    entries = book.entries
    rows = tuple(
        index
        for index, entry in enumerate(entries[:_MOST_BY_MEANING])
        if entry.enabled and entry.text.strip()
    )
    texts = [_meaning(entries[index], values) for index in rows]
    return Shelved(
        book, document, ordinal, _places(entries, text, values), rows, embed_texts(texts)
    )


def _meaning(entry: LoreEntry, values: MacroValues) -> str:
    from offbook.cards.macros import expand

    return expand(f"{entry.title}\n{entry.text[:_READ_CHARS]}", values).text


def _places(
    entries: Sequence[LoreEntry], text: str, values: MacroValues
) -> tuple[tuple[int, int] | None, ...]:
    """Where each entry stands in the document, which has them in the order of the book."""
    from offbook.cards.persona import plain_text

    made: list[tuple[int, int] | None] = []
    at = 0
    for entry in entries:
        if entry.enabled and entry.is_guarded:
            made.append((at, at))
            continue
        body = plain_text(entry.text, values) if entry.enabled else ""
        start = text.find(body, at) if body else -1
        made.append(None if start < 0 else (start, start + len(body)))
        at = at if start < 0 else start + len(body)
    return tuple(made)


def _values(character: Character, user: str | None) -> MacroValues:
    from offbook.cards.macros import DEFAULT_USER, MacroValues

    own = character.settings.get("card")
    char = own.get("char") if isinstance(own, Mapping) else None
    name = char if isinstance(char, str) and char else character.name
    return MacroValues(name, user or DEFAULT_USER, seed=character.id)


# -- looking --------------------------------------------------------------------------------------


def _look(
    books: Sequence[Shelved],
    character: Character,
    asked: LoreAsked,
    settings: LoreSettings,
    count: Callable[[str], int],
) -> Lore:
    from offbook.cards.key_search import PatternTime

    values = replace(_values(character, asked.user), persona=asked.persona, now=datetime.now())  # noqa: DTZ005 - the time on the person's clock
    talk = _Talk(_messages(asked, values), asked, values, PatternTime(), PatternTime())
    found: list[tuple[LorePlace, int, ContextItem]] = []
    skipped: list[Skipped] = []
    left = settings.budget_tokens
    for number, shelved in enumerate(books):
        recalled = _recalled(shelved, talk, _with_budget(settings, left), count)
        for entry in recalled.used:
            left -= 0 if entry.entry.ignores_budget else entry.tokens
            found.append((entry.place, number, _item(shelved, entry, values)))
        skipped += [Skipped(KIND, skip.title, skip.why) for skip in recalled.skipped]
    found.sort(key=lambda each: each[:2])  # all books together stand in one order
    return Lore(tuple(item for _, _, item in found), tuple(skipped))


@dataclass(frozen=True, slots=True)
class _Talk:
    """The conversation as entries are looked for in it; books share the time of patterns.

    What ``traced`` measures is the tracing of timers, which takes nothing from the recall itself.
    """

    messages: Sequence[LoreMessage]
    asked: LoreAsked
    values: MacroValues
    clock: PatternTime
    traced: PatternTime


def _with_budget(settings: LoreSettings, left: int) -> LoreSettings:
    """The settings with what other books have left of the budget."""
    return settings.model_copy(update={"budget_tokens": left})


def _messages(asked: LoreAsked, values: MacroValues) -> list[LoreMessage]:
    from offbook.cards.matching import LoreMessage

    said = [
        LoreMessage(
            message.content,
            values.char if message.role == "assistant" else values.user,
            message.role,
        )
        for message in asked.history
    ]
    return [*said, LoreMessage(asked.said, values.user)]


def _recalled(
    shelved: Shelved, talk: _Talk, settings: LoreSettings, count: Callable[[str], int]
) -> LoreRecall:
    from offbook.cards.lore_recall import RecallSettings, recall_lore
    from offbook.cards.matching import ScanSettings

    told = RecallSettings(
        budget_tokens=settings.budget_tokens,
        scan=ScanSettings(scan_depth=settings.scan_depth, greeting=talk.asked.greeting),
        seed=talk.values.seed,
    )
    later = _later(shelved, talk.asked.until)
    return recall_lore(
        shelved.book,
        talk.messages,
        replace(talk.values, turn=str(len(talk.messages) + talk.asked.earlier)),
        told,
        similar=_similar(shelved, talk.asked.question, settings, later),
        activated=_activated(shelved, talk, told, later, count),
        withheld=later,
        tokens_of=count,
        earlier=talk.asked.earlier,
        clock=talk.clock,
    )


def _activated(
    shelved: Shelved,
    talk: _Talk,
    told: RecallSettings,
    later: Mapping[int, str],
    count: Callable[[str], int],
) -> Mapping[str, int]:
    """When entries with timers were active, traced along the talk: nothing of it is stored.

    So an edit, a swipe or a branch of the conversation has the timers of its own history.
    """
    from offbook.cards.lore_recall import recall_lore

    activated: Mapping[str, int] = {}
    if not shelved.is_timed:
        return activated
    messages = talk.messages
    # Of two messages one is the person's.
    most = 2 * (_TRACED_ENTRIES // max(1, len(shelved.places)))
    first = max(1, len(messages) - min(_TIMED_MESSAGES, most))
    for end in range(first, len(messages)):
        if messages[end - 1].role == "user":
            activated = recall_lore(
                shelved.book,
                messages[:end],
                talk.values,
                told,
                activated=activated,
                withheld=later,
                tokens_of=count,
                earlier=talk.asked.earlier,
                clock=talk.traced,
            ).activated
    return activated


def _similar(
    shelved: Shelved, question: str, settings: LoreSettings, later: Mapping[int, str]
) -> dict[int, float]:
    """The entries that are nearest in meaning, with their cosines.

    Later ones take no place of one that is known; those near enough to be left out are told of.
    """
    if settings.similar == 0 or not shelved.rows:
        return {}
    from offbook.models.builtin import embed_texts

    scores = shelved.vectors @ embed_texts([question])[0]
    near = (at for at in (-scores).argsort(kind="stable") if scores[at] >= settings.least)
    found, known = dict[int, float](), 0
    for nth, at in enumerate(near):
        row = shelved.rows[at]
        if row not in later or nth < settings.similar:
            found[row] = float(scores[at])
        known += row not in later
        if known == settings.similar:
            break
    return found


def _later(shelved: Shelved, until: Position | None) -> dict[int, str]:
    """The entries that are not known at a point in the story, and why."""
    if until is None:
        return {}
    return {
        index: "it stands later in the story (--as-of)"
        for index, place in enumerate(shelved.places)
        if place is None or Position(shelved.ordinal, place[1]) > until
    }


def _item(shelved: Shelved, entry: RecalledEntry, values: MacroValues) -> ContextItem:
    from offbook.cards.macros import expand
    from offbook.cards.persona import strip_markup

    place = shelved.places[entry.index]
    stands = place is not None and place[0] < place[1]
    sources = (Source(shelved.document, "", *place),) if place and stands else ()
    title = " ".join(expand(entry.entry.title, values).text.split())
    # What a key calls for is wanted as it is; what is only alike is worth as much as it is alike.
    score = 1.0 if entry.keys or entry.score is None else round(entry.score, 4)
    return ContextItem(KIND, title, strip_markup(entry.text).strip(), score, sources)
