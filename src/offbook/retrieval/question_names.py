"""What a question names, and which of it the character's texts mention: found without a call.

Takes: a question and a graph.  Gives: names with their entities, words that the texts use and
words that they never use, and the short texts whose vectors a look-up may need.
Source: ours, in front of the call of RoleRAG (001) section 3.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from offbook.language.questions import read_question
from offbook.language.stopwords import HAN_FUNCTION
from offbook.language.unmentioned import unmentioned_words
from offbook.language.words import fold, search_terms
from offbook.retrieval.name_table import NameInText, NameTable, composed, key_of
from offbook.retrieval.point import chunk_until, order_of
from offbook.stores import chunks as chunk_rows

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.retrieval.graph_index import GraphIndex
    from offbook.retrieval.text_terms import TextTerms
    from offbook.types import Position

MOST_CANDIDATES: Final = 16
"""Names and words of one question whose vectors are made beside the call."""

_LOOKED_AT: Final = 20
"""Chunks that are read to see whether they really write a name that their words allow."""

_WIDE_RUN: Final = re.compile("[\u2e80-\u9fff\u3041-\u30ff\uac00-\ud7ff]{2,}")
_HAN_FUNCTION: Final = re.compile(f"[{HAN_FUNCTION}]+")


@dataclass(frozen=True, slots=True)
class QuestionNames:
    """What a question names.

    Args:
        question: As it is searched for: with what it refers back to in front.
        known: Names of entities of the graph.
        in_texts: Other names and words of the question that the texts use, as written.
        places: Folded name that was looked for in the texts -> the first chunk that speaks of it,
            or None where none does.
        unmentioned: Words of the question that the texts never use.
        candidates: What else the question may name: names first, then words.
    """

    question: str
    known: tuple[NameInText, ...]
    in_texts: tuple[str, ...]
    places: dict[str, str | None]
    unmentioned: tuple[str, ...]
    candidates: tuple[str, ...]

    @property
    def mentioned(self) -> tuple[str, ...]:
        """All that the texts mention, each once."""
        found = {fold(name): name for name in (*(n.text for n in self.known), *self.in_texts)}
        return tuple(found.values())

    @property
    def terms(self) -> frozenset[str]:
        """The search terms of the question."""
        return frozenset(search_terms(self.question))

    def place_of(self, name: str, texts: TextTerms) -> tuple[bool, str | None]:
        """Whether the texts speak of a name that the graph lacks, and the first chunk that does.

        A name of several words of which each stands somewhere is not said to be unknown: "Joseph
        Bonaparte" may be "his brother Joseph".
        """
        key = fold(name)
        if key in self.places:
            place = self.places[key]
            several = len(key_of(name)) > 1
            return place is not None or (several and _all_held(name, texts)), place
        if not _all_held(name, texts):
            return False, None
        return True, next(iter(texts.chunks_with(search_terms(name), 1)), None)

    def nearest_candidate(self, name: str) -> int | None:
        """The candidate that shares most words with a name, or None where none shares any."""
        wanted = set(search_terms(name)) or set(key_of(name))
        shared = [
            len(wanted & (set(search_terms(candidate)) or set(key_of(candidate))))
            for candidate in self.candidates
        ]
        best = max(range(len(shared)), key=lambda at: (shared[at], -at), default=None)
        return best if best is not None and shared[best] else None


def names_of_question(
    conn: Connection, index: GraphIndex, character: str, question: str, until: Position | None
) -> QuestionNames:
    """Find what a question names.

    Args:
        conn: Connection of a read.
        index: The character's graph.
        character: Id of the character.
        question: What is asked.
        until: The point in the story at which it is asked.
    """
    question = composed(question)
    known = index.names.find(question)
    own = frozenset(key_of(index.character))
    read = read_question(question, own)
    taken = {word for name in known for word in name.key} | own
    names = [name for name in read.names if not set(key_of(name)) <= taken]
    words = [
        term.word
        for term in read.terms
        if term.weight >= 1 and not term.name and not set(key_of(term.word)) <= taken
    ]
    places = _places(conn, index, character, names, until)
    written = {fold(name) for name in names if places[fold(name)] is not None}
    used = [word for word in words if _all_held(word, index.texts)]
    return QuestionNames(
        question=question,
        known=tuple(known),
        in_texts=tuple([name for name in names if fold(name) in written] + used),
        places=places,
        unmentioned=unmentioned_words(question, index.texts.holds),
        candidates=tuple(_distinct([*names, *_wide_runs(question), *words])[:MOST_CANDIDATES]),
    )


def _places(
    conn: Connection, index: GraphIndex, character: str, names: list[str], until: Position | None
) -> dict[str, str | None]:
    """The first chunk that writes each name, with the capital that it has in the question.

    Equal stems are not enough: somebody who asks after "Apple" does not mean the apples.
    """
    found: dict[str, str | None] = {fold(name): None for name in names}
    order = order_of(conn, character) if names and until is not None else {}
    for name in names:
        ids = index.texts.chunks_with(search_terms(name), _LOOKED_AT)
        table = NameTable([(name, 0)])
        for chunk in chunk_rows.get_chunks(conn, character, ids):
            kept = chunk if until is None else chunk_until(chunk, order, until)
            written = [] if kept is None else table.find(kept.text_with_headings)
            if any(w.text[:1].isupper() or not name[:1].isupper() for w in written):
                found[fold(name)] = chunk.id
                break
    return found


def _all_held(name: str, texts: TextTerms) -> bool:
    return all(map(texts.holds, search_terms(name)))


def _wide_runs(question: str) -> Iterable[str]:
    """Runs of Han, Kana and Hangul between particles and question words."""
    for match in _WIDE_RUN.finditer(question):
        yield from (run for run in _HAN_FUNCTION.split(match.group()) if len(run) > 1)


def _distinct(texts: Iterable[str]) -> list[str]:
    return list({fold(text): text for text in reversed(list(texts))}.values())[::-1]
