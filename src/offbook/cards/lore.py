"""The lorebooks of a character at a question: entries called for by keys, and near in meaning.

Takes: a character, its lorebooks, a question in its conversation.  Gives: pieces of knowledge
within a budget, and what was left out and why. Source: Character Card V2 and V3 specifications;
SillyTavern's documentation, "World Info". Meaning is the cosine of whatever embeds here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from offbook.cards.keys import PatternTime
from offbook.cards.lore_places import LorePlace
from offbook.cards.lore_recall import LoreRecall, RecalledEntry, RecallSettings, recall_lore
from offbook.cards.lore_timers import Timers
from offbook.cards.lorebook import Lorebook, LoreEntry
from offbook.cards.macros import MacroValues, expand
from offbook.cards.matching import LoreMessage, ScanSettings
from offbook.cards.persona import told_text
from offbook.types import DEFAULT_USER, ContextItem, LoreEntries, Position, Skipped, Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.types import Character, LoreFile, LoreQuery

_KIND: Final = "knowledge"
_READ_CHARS: Final = 2_000
"""Of an entry, where its meaning is taken: a sentence embedder reads no more."""
_MOST_BY_MEANING: Final = 5_000
"""Entries of a book that are searched by meaning; keys are looked for in all."""
_TIMED_MESSAGES: Final = 60
"""How far back activations of entries with a timer are traced."""
_TRACED_ENTRIES: Final = 40_000
"""Entries that are looked at for it at most; a large book is traced less far."""


@dataclass(frozen=True, slots=True, eq=False)
class _Book:
    """A lorebook that is ready to be searched.

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

    def later(self, until: Position | None) -> dict[int, str]:
        """Return the entries that are not known at a point in the story, and why."""
        if until is None:
            return {}
        return {
            index: "it stands later in the story (--as-of)"
            for index, place in enumerate(self.places)
            if place is None or Position(self.ordinal, place[1]) > until
        }


class WorldInfo:
    """The lorebooks of a character.

    Args:
        files: The books, the card's own in front.
        embed: Turns texts into unit vectors.
    """

    def __init__(
        self,
        character: Character,
        files: Sequence[LoreFile],
        embed: Callable[[Sequence[str]], NDArray[np.float32]],
    ) -> None:
        card = character.settings.get("card")
        char = card.get("char") if isinstance(card, Mapping) else None
        name = char if isinstance(char, str) and char else character.name
        self._values = MacroValues(name, DEFAULT_USER, seed=character.id)
        self._embed = embed
        self._books = [self._opened(file) for file in files]

    def recall(self, query: LoreQuery, count: Callable[[str], int]) -> LoreEntries:
        """Return the entries that belong to a question, all books in one order."""
        recall = _Recall(query, count, self._values)
        items: list[tuple[tuple[LorePlace, int], ContextItem]] = []
        skipped: list[Skipped] = []
        for number, book in enumerate(self._books):
            recalled = recall.of(book, self._similar(book, query))
            items += [
                ((entry.place, number), _item(book, entry, recall.values))
                for entry in recalled.used
            ]
            skipped += [Skipped(_KIND, skip.title, skip.why) for skip in recalled.skipped]
        items.sort(key=lambda each: each[0])
        return LoreEntries(tuple(item for _, item in items), tuple(skipped))

    def _opened(self, file: LoreFile) -> _Book:
        book = Lorebook(json.loads(file.raw))
        entries = book.entries
        rows = tuple(
            index
            for index, entry in enumerate(entries[:_MOST_BY_MEANING])
            if entry.enabled and entry.text.strip()
        )
        meanings = [f"{entries[row].title}\n{entries[row].text[:_READ_CHARS]}" for row in rows]
        vectors = self._embed([expand(text, self._values).text for text in meanings])
        places = _places(entries, file.text, self._values)
        return _Book(book, file.document, file.ordinal, places, rows, vectors)

    def _similar(self, book: _Book, query: LoreQuery) -> dict[int, float]:
        """Return the entries that are nearest in meaning, with their cosines.

        Later ones take no place of one that is known; those near enough to be left out are named.
        """
        if query.similar == 0 or not book.rows:
            return {}
        later = book.later(query.until)
        scores = book.vectors @ self._embed([query.question])[0]
        nearest = (row for row in (-scores).argsort(kind="stable") if scores[row] >= query.least)
        similar, known = dict[int, float](), 0
        for rank, row in enumerate(nearest):
            index = book.rows[row]
            if index not in later or rank < query.similar:
                similar[index] = float(scores[row])
            known += index not in later
            if known == query.similar:
                break
        return similar


class _Recall:
    """One question to several books, which share a budget and the time of patterns."""

    def __init__(self, query: LoreQuery, count: Callable[[str], int], values: MacroValues) -> None:
        now = datetime.now()  # noqa: DTZ005 - the time on the person's clock
        self.values = replace(
            values,
            user=query.user or DEFAULT_USER,
            persona=query.persona,
            now=now,
            turn=str(len(query.history) + 1 + query.earlier),
        )
        self._query = query
        self._count = count
        self._messages = [
            LoreMessage(
                message.content,
                values.char if message.role == "assistant" else message.speaker or self.values.user,
                message.role,
            )
            for message in query.history
        ]
        self._messages.append(LoreMessage(query.message, self.values.user))
        # The tracing of timers takes no time from the recall itself.
        self._clock, self._tracing_clock = PatternTime(), PatternTime()
        self._settings = RecallSettings(
            budget_tokens=query.budget_tokens,
            most_tokens=query.most_tokens,
            beyond_tokens=query.beyond_tokens,
            scan=ScanSettings(scan_depth=query.scan_depth, greeting=query.greeting),
            seed=values.seed,
        )

    def of(self, book: _Book, similar: Mapping[int, float]) -> LoreRecall:
        """Return what a book says, and take its tokens from what is left for the next."""
        earlier = self._query.earlier
        recalled = recall_lore(
            book.book,
            self._messages,
            self.values,
            self._settings,
            similar=similar,
            activated=self._activated(book),
            withheld=book.later(self._query.until),
            tokens_of=self._count,
            earlier=earlier,
            clock=self._clock,
        )
        tokens = sum(entry.tokens for entry in recalled.used if not entry.entry.ignores_budget)
        most, budget = self._settings.most_tokens, self._settings.budget_tokens
        self._settings = replace(
            self._settings,
            budget_tokens=max(0, budget - tokens),
            most_tokens=None if most is None else max(0, most - tokens),
            beyond_tokens=max(0, self._settings.beyond_tokens - max(0, tokens - budget)),
        )
        return recalled

    def _activated(self, book: _Book) -> Mapping[str, Timers]:
        """Return when entries with timers were active, traced along the talk: nothing is stored.

        So an edit, a swipe or a branch of the conversation has the timers of its own history.
        """
        activated: Mapping[str, Timers] = {}
        if not book.is_timed:
            return activated
        messages = self._messages
        # Of two messages one is the person's.
        most = 2 * (_TRACED_ENTRIES // max(1, len(book.places)))
        first = max(1, len(messages) - min(_TIMED_MESSAGES, most))
        for end in range(first, len(messages)):
            if messages[end - 1].role == "user":
                activated = recall_lore(
                    book.book,
                    messages[:end],
                    self.values,
                    self._settings,
                    activated=activated,
                    withheld=book.later(self._query.until),
                    tokens_of=self._count,
                    earlier=self._query.earlier,
                    clock=self._tracing_clock,
                ).activated
        return activated


def _places(
    entries: Sequence[LoreEntry], text: str, values: MacroValues
) -> tuple[tuple[int, int] | None, ...]:
    """Return where each entry stands in the document, which has them in the order of the book."""
    places: list[tuple[int, int] | None] = []
    offset = 0
    for entry in entries:
        if entry.enabled and entry.is_guarded:
            places.append((offset, offset))
            continue
        body = told_text(entry.text, values) if entry.enabled else ""
        start = text.find(body, offset) if body else -1
        places.append(None if start < 0 else (start, start + len(body)))
        offset = offset if start < 0 else start + len(body)
    return tuple(places)


def _item(book: _Book, entry: RecalledEntry, values: MacroValues) -> ContextItem:
    place = book.places[entry.index]
    sources = (Source(book.document, "", *place),) if place and place[0] < place[1] else ()
    title = " ".join(expand(entry.entry.title, values).text.split())
    # What a key calls for is wanted as it is; what is only alike is worth as much as it is alike.
    score = 1.0 if entry.keys or entry.score is None else round(entry.score, 4)
    return ContextItem(_KIND, title, told_text(entry.entry.text, values), score, sources)
