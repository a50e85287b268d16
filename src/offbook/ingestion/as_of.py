"""A character as it is at a point in its story: nothing that stands later speaks through it.

Takes: a character and a point.  Gives: the same with a profile and a voice from the text before.
The profile is the head of the documents, cut by rule: an earlier one is made for every point, and
none may cost a call. Source: ours (methods.md 5).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from offbook.documents.voice import speech_samples
from offbook.ingestion.profile import Beginning, beginnings
from offbook.ingestion.storing import VOICE_SAMPLES, stored_documents
from offbook.retrieval.point import Point, documents_until, parse_point

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.types import Character, Document, Position

HEAD_TOKENS: Final = 300
"""About as long as the profile that a model writes."""


def at_point(conn: Connection, character: Character, as_of: str) -> tuple[Character, Point]:
    """The character with what it knows of itself at a point, and the point.

    Raises:
        UsageError: there is no such point; the hint names the nearest.
    """
    point = Point(as_of, parse_point(conn, character.id, as_of))
    texts = _texts(conn, character.id, point.position)
    said = [sample.text for text in texts for sample in speech_samples(text.text, VOICE_SAMPLES)]
    then = replace(
        character,
        profile="\n\n".join(begun.text.strip() for begun in beginnings(texts, HEAD_TOKENS)),
        voice=tuple(dict.fromkeys(said))[:VOICE_SAMPLES],
        profile_documents=tuple(text.id for text in texts),
    )
    return then, point


def heads(conn: Connection, character: str, until: Position) -> list[Beginning]:
    """What the profile at a point consists of."""
    return beginnings(_texts(conn, character, until), HEAD_TOKENS)


def _texts(conn: Connection, character: str, until: Position) -> list[Document]:
    return documents_until(stored_documents(conn, character), until)
